"""A database server that is away for a while."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store import Store, database

from .test_store import match, opened


def test_a_server_that_is_started_again_delays_a_writer_and_does_not_end_it(
    postgres: str, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    store = Store(postgres_url, create=True)
    one, (place,) = opened(store), Path(postgres).glob(".s.PGSQL.*[0-9]")
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with pytest.raises(psycopg.errors.AdminShutdown), psycopg.connect(postgres_url) as connection:
        connection.execute(kill)
    away = place.rename(place.with_name("away"))
    threading.Timer(1.0, away.rename, [place]).start()
    assert store.matches.add(one, [match(0)]) == 1
    monkeypatch.setattr(database, "AGAIN_S", 0.05)
    store = Store(postgres_url, patience_s=0.2)
    store.engine.dispose()
    away = place.rename(place.with_name("away"))
    with pytest.raises(StoreError, match="the server cannot be reached; what was stored before is safe"):
        store.runs.find("flip7")
    away.rename(place)
    assert store.runs.find("flip7").id == one.id
    store.engine.dispose()
