"""What owners get over HTTP about their own bots: games, worst deals, logs; and nothing about others'. What the
organiser's page refuses.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import pytest

from arena.errors import UsageError
from arena.match.played import Logged
from arena.runs.open import enter, open_run, prepare
from arena.store import Store
from arena.store.models import LeagueRun
from arena.web import organise
from leagues import definition
from tests.arena.played import BOT, EVIL, play, submitted

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
from starlette.requests import Request

from arena.web import account as owners
from arena.web.lobby import Tables
from arena.web.site import Denied, Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(Store(str(tmp_path / "arena.db"), create=True), Tables(None), lambda: None)


def asked(token: str, label: str = "", **query: str) -> Request:
    headers = [(b"authorization", f"Bearer {token}".encode())]
    where = {"query_string": urlencode(query).encode(), "path_params": {"label": label}}
    return Request({"type": "http", "headers": headers, "client": ("127.0.0.1", 1), **where})


def league(site: Site, *names: str) -> LeagueRun:
    """A run that waits to be played."""
    one = definition.load("flip7", deals=2, seed=5).changed(options={"goal": 60, "max_rounds": 99})
    return open_run(site.store, prepare(site.store, one, enter(site.store, one, names)))[0]


def test_an_owner_sees_games_worst_deals_and_output_of_own_bots_once_their_run_has_ended(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = (site.store.owners.invite(name, "test") for name in ("ada", "bob"))
    submitted(site.store, tmp_path / "mine.py", BOT, "ada")
    submitted(site.store, tmp_path / "theirs.py", BOT + b"#", "bob")
    run = league(site, "mine", "theirs", "racer", "banker")
    add = site.store.matches.add

    def with_log(of: LeagueRun, matches: Any) -> int:  # the bots of these games print nothing
        logs = [Logged(0, place, 3, f"I am {place}\n") for place in range(2)]
        return add(of, [replace(one, logs=logs) for one in matches])

    monkeypatch.setattr(site.store.matches, "add", with_log)
    play(site.store, run, lost="mine")
    with pytest.raises(UsageError, match="is not finished"):
        owners.games(site, asked(ada, "mine@1", run=run.label), b"")
    site.store.runs.close(run)

    def get(what: Callable[[Site, Request, bytes], Any], **query: str) -> Any:
        return what(site, asked(ada, "mine@1", **query), b"")

    every, worst = get(owners.games)["games"], get(owners.games, worst="1")["games"]
    assert len(every) == site.store.matches.counts()[run.key].games
    assert all(one["bots"][one["seat"]] == "mine@1" for one in every)
    assert {one["fault"] for one in every} == {"", "exception"}
    margins = [one["margin"] for one in worst]
    assert margins == sorted(margins) and margins[0] < 0
    told = get(owners.printed)
    assert {line["text"] for line in told["lines"]} <= {"I am 0", "I am 1"} and told["lines"]
    (fault,) = told["forfeits"]
    assert fault["kind"] == "exception" and fault["text"].startswith(f"ValueError: {EVIL}"[:20])
    game = told["lines"][0]["game"].rpartition("/")[2]
    one_game = get(owners.printed, run=run.label, game=game)["lines"]
    assert {line["game"] for line in one_game} == {f"{run.label}/{game}"}
    for label, token in (("mine@1", bob), ("theirs@1", ada), ("racer@1", ada), ("mine@2", ada)):
        for what in (owners.games, owners.printed):
            with pytest.raises(UsageError, match="has no bot"):
                what(site, asked(token, label), b"")
    with pytest.raises(Denied):
        owners.games(site, asked("none", "mine@1"), b"")


def test_an_owner_makes_and_ends_own_tokens_only(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    old, other = site.store.owners.invite("ada", "test"), site.store.owners.invite("bob", "test")
    new = owners.add_token(site, asked(old), b"")["token"]
    listed = owners.tokens(site, asked(old), b"")["tokens"]
    assert [one["used"] for one in listed] == [True, False]
    assert [one["used"] for one in owners.tokens(site, asked(new), b"")["tokens"]] == [False, True]
    assert new not in str(listed) and old not in str(listed)

    def end(token: str, mark: str) -> Any:
        request = asked(token)
        request.scope["path_params"] = {"mark": mark}
        return owners.remove_token(site, request, b"")

    with pytest.raises(UsageError, match="bob has no token"):
        end(other, listed[0]["token"])
    assert end(new, listed[0]["token"]) == {"revoked": [listed[0]["token"]]}
    with pytest.raises(Denied):
        owners.mine(site, asked(old), b"")
    acts = [(one.who, one.what, one.text) for one in site.store.owners.acts("ada")]
    assert acts[-2:] == [("ada", "token", listed[1]["token"]), ("ada", "revoke", listed[0]["token"])]
    monkeypatch.setattr("arena.store.owners.MOST_TOKENS", 1)
    with pytest.raises(UsageError, match="ada has 1 tokens already: end one"):
        owners.add_token(site, asked(new), b"")
    assert site.store.owners.new_token("ada", "organiser")


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"do": "invite", "name": 5}, "name: send a text"),
        ({"do": "pause", "season": []}, "season: send a text"),
        ({"do": "ban", "name": "bob", "reason": 7}, "reason: send a text"),
        ({"do": "pause", "season": "autumn", "undo": "no"}, "undo: send true or false"),
    ],
)
def test_a_value_of_a_wrong_kind_is_refused_by_its_name(wish: dict[str, Any], why: str) -> None:
    site = cast(Any, SimpleNamespace(organiser="token", store=None))
    request = cast(Any, SimpleNamespace(headers={"authorization": "Bearer token"}))
    with pytest.raises(UsageError, match=f"^{why}$"):
        organise.act(site, request, json.dumps(wish).encode())
