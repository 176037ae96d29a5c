"""The file that a paper publishes of a run is enough to check its commitment and to install what played it."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import metadata
from pathlib import Path

import pytest

import arena as package
from arena.errors import RunError
from arena.store import Store
from leagues import definition

from .program import Arena
from .test_league import finished, opened


def facts_of(text: str) -> dict[str, str]:
    """The comments of the file by key; of a run with one stage."""
    return dict(re.findall(r"^# ([\w ]+): (.*)$", text, re.MULTILINE))


def test_a_stranger_finds_the_commitment_from_the_file_alone(tmp_path: Path, arena: Arena) -> None:
    db = tmp_path / "cited.db"
    run = finished(Store(str(db), create=True), definition.load("flip7", deals=2))
    facts = facts_of(arena.run("league", "show", "flip7#1", "--cite", "--db", str(db))[0])
    assert facts["seal"] == run.seal and run.seal in facts["cite as"]
    bound = [
        "start",
        0,
        json.loads(facts["definition"]),
        json.loads(facts["bots"]),
        facts["code"],
        facts["schedule"],
    ]
    key = bytes.fromhex(facts["secret"])
    digest = hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).digest()
    assert hashlib.blake2b(key, digest_size=32).hexdigest() == facts["secret hash"]
    assert hashlib.blake2b(key + digest, digest_size=32).hexdigest() == facts["commitment"]


def test_the_file_pins_what_the_run_was_played_with(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "arena.db"), create=True)
    text = package.citation_of(store, finished(store, definition.load("flip7", deals=2, seed=1)))
    pinned = dict(line.split("==") for line in text.splitlines() if not line.startswith("#"))
    played = json.loads(facts_of(text)["versions"])
    assert {name: pinned[name] for name in ("numpy", "numba", "ray")} == {
        name: played[name] for name in ("numpy", "numba", "ray")
    }
    assert pinned["llvmlite"] == metadata.version("llvmlite")  # what a package needs is pinned too
    assert "pytest" not in pinned
    assert "--seed 1 --deals 2" in facts_of(text)["play again"]


def test_a_run_that_has_not_ended_is_not_cited(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "arena.db"), create=True)
    run = opened(store, definition.load("flip7", deals=2))
    with pytest.raises(RunError, match=r"flip7#1 has not ended: cite it when it has"):
        package.citation_of(store, run)
