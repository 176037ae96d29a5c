"""Stored bots are strangers' everywhere, not only in leagues."""

from pathlib import Path

import pytest

from arena.errors import BotError, UsageError
from arena.intake import debug, registry
from arena.intake.source import read
from arena.match import records
from arena.runs.open import enter
from arena.store import Store
from engines import load
from leagues.definition import League

NOSY = '"""Nosy."""\nGAMES = ["flip7"]\nopen("/etc/passwd").read()\n\n\ndef act(view):\n    return view.legal[0]\n'
LAZY = NOSY.replace('open("/etc/passwd").read()\n', "").replace(
    "    return", '    open("/etc/passwd")\n    return'
)


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A store with two submitted bots."""
    path = str(tmp_path / "arena.db")
    store = Store(path, create=True)
    for name, text in (("nosy", NOSY), ("lazy", LAZY)):
        (tmp_path / f"{name}.py").write_text(text)
        source = read(tmp_path / f"{name}.py")
        store.bots.add(registry.as_row(source, "submitted"), source.packed)
    return path


def test_a_submitted_bot_is_traced_behind_the_wall(db: str) -> None:
    game = load("flip7")
    opened = debug.choosers(["nosy", "random"], "flip7", 1, db)
    with pytest.raises(BotError, match=r"nosy cannot be loaded.*PermissionError"), opened:
        pass
    with (
        debug.choosers(["random", "lazy"], "flip7", 1, db) as seats,
        pytest.raises(BotError, match=r"lazy.*PermissionError"),
    ):
        list(records.play(game, 2, {"goal": 50}, 1, seats))


def test_a_submitted_bot_at_level_trusted_runs_in_this_process(db: str) -> None:
    with debug.choosers(["nosy", "lazy"], "flip7", 1, db, level="trusted") as seats:
        assert list(records.play(load("flip7"), 2, {"goal": 50}, 1, seats))[-1]["event"] == "end"


def test_without_a_wall_only_those_submitted_bots_play_that_are_named(db: str) -> None:
    store = Store(db)
    house = League.of(name="own", game="flip7", entrants=("random", "banker"))
    league = house.changed(level="trusted")
    assert {bot.name for bot in enter(store, league)} == {"random", "banker"}
    assert {bot.name for bot in enter(store, league, ["random", "nosy"])} == {"random", "nosy"}
    assert {bot.name for bot in enter(store, house)} == {"random", "banker", "nosy", "lazy"}
    with pytest.raises(UsageError):
        enter(store, league.changed(entrants=("random",)))
