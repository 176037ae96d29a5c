"""Parameters of a bot: how they are named, how they reach it, and the search for better ones."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import arena as package
import engines
from arena.cell.loaded import Player, load_from_disk
from arena.cluster.driver import Cluster
from arena.errors import BotError
from arena.intake.conditions import Conditions
from arena.intake.debug import own_module
from arena.intake.registry import resolve
from arena.intake.source import read, unpack, write
from arena.match.here import play_here
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup
from arena.printable import unwatched
from arena.runs.comparing import comparison_from
from arena.runs.tuning import SearchMatches
from arena.store import Store

from .program import Arena, Head

HEAD = '"""Hits until its row is worth some points."""\nGAMES = ["flip7"]\n'
PLAY = """

def act(view):
    print(stay_at)
    if view.phase == "turn" and "stay" in view.texts and view.points[view.seat] >= stay_at:
        return "stay"
    return view.texts[0]
"""
BOT = HEAD + 'TUNE = {"stay_at": (5, 60)}\nstay_at = 5' + PLAY

MISTAKES = [  # lines of the bot, what the message says
    (
        'TUNE = {"limit": (5, 60)}\nstay_at = 5',
        "line 3: TUNE names 'limit', but there is no line such as limit = 5",
    ),
    ('TUNE = {"stay_at": (5, 60)}\nstay_at = int("5")', "line 3: TUNE names 'stay_at', but there is no line"),
    ('TUNE = {"stay_at": (5, 60)}\nstay_at = 4', "line 4: stay_at = 4 is not between 5 and 60"),
    ('TUNE = {"stay_at": (5, 60)}\nstay_at = 5.5', "line 4: stay_at = 5.5 is no whole number"),
    ('TUNE = {"stay_at": (60, 5)}\nstay_at = 5', "line 3: TUNE must give each name a low and a high number"),
    ('TUNE = {"stay_at": 5}\nstay_at = 5', "line 3: TUNE must give each name a low and a high number"),
    ('TUNE = ["stay_at"]\nstay_at = 5', "line 3: TUNE must give each name a low and a high number"),
    (
        'TUNE = {"stay_at": (5, float("inf"))}\nstay_at = 5',
        "line 3: TUNE must give each name a low and a high",
    ),
    (f'TUNE = {{"stay_at": (5, 1{400 * "0"})}}\nstay_at = 5', "line 3: TUNE must give each name a low and a"),
]


@pytest.mark.parametrize("lines, said", MISTAKES)
@pytest.mark.parametrize("own", [True, False])
def test_a_tune_that_cannot_be_names_its_line(lines: str, said: str, own: bool, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + lines + PLAY)
    with pytest.raises(BotError) as refused:
        read(tmp_path / "mine.py", own)
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text, said",
    [
        ('{"stay_at": 61}', "mine.tuned.json: stay_at = 61 is not between 5 and 60"),
        ('{"limit": 6}', "mine.tuned.json: limit is not in TUNE of the bot"),
        ("[6]", "mine.tuned.json: it must be a table in JSON"),
        ("{", "mine.tuned.json: it must be a table in JSON"),
    ],
)
def test_a_file_of_values_that_do_not_fit_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "mine.tuned.json").write_text(text)
    with pytest.raises(BotError, match=said):
        read(tmp_path / "mine.py")


@pytest.mark.parametrize("folder", [False, True])
def test_tuned_values_reach_the_bot_and_stay_with_the_version(arena: Arena, folder: bool) -> None:
    place = Path("mine") if folder else Path()
    place.mkdir(exist_ok=True)
    (place / ("__init__.py" if folder else "mine.py")).write_text(BOT)
    (place / ("tuned.json" if folder else "mine.tuned.json")).write_text('{"stay_at": 31}')
    path = "./mine" if folder else "./mine.py"
    assert own_module(path, "flip7").stay_at == 31
    arena.run("bot", "submit", path)
    shown = arena.json("bot", "show", "mine")
    assert shown["parameters"] == {"stay_at": 31} and len(shown["files"]) == 2
    assert "stay_at = 31" in arena.run("bot", "show", "mine")[0]
    arena.run("bot", "export", "mine", "--out", "old")
    assert read(Path("old") / path).tune[0].value == 31
    played = package.play(["mine", "banker"], "flip7", 1, 1, level="strict", players=2)
    assert {log.text.strip() for bot, log in played.logs if bot == 0} == {"31"}
    (place / ("tuned.json" if folder else "mine.tuned.json")).unlink()
    arena.run("bot", "submit", path)
    assert arena.json("bot", "show", "mine")["parameters"] == {}


def tuned(arena: Arena, *words: str, code: int) -> list[str]:
    """The lines that a search of one round ends with."""
    given = "--game flip7 --players 2 --option goal=40 --deals 224 --progress none"
    return arena.run("tune", "mine.py", *given.split(), *words, code=code)[0].splitlines()


def test_a_search_finds_better_values_once_and_for_all(arena: Arena, ray_head: Head) -> None:
    pytest.importorskip("optuna", reason="needs the extra tune: pip install '.[tune]'")
    Path("mine.py").write_text(BOT.replace("    print(stay_at)\n", ""))
    lines = tuned(arena, "--out", "way.svg", *ray_head, code=0)
    assert "mine, tuned, is better than mine as it was" in "".join(lines)
    assert lines[-1] == "better: wrote mine.tuned.json"
    found = json.loads(Path("mine.tuned.json").read_text())
    assert 12 < found["stay_at"] <= 60 and f"stay_at: 5 -> {found['stay_at']}" in lines
    assert Path("way.svg").read_text().count("<circle") == 8
    Path("mine.tuned.json").unlink()
    assert tuned(arena, "--out", "again.svg", *ray_head, code=0)[1:] == lines[1:]
    assert Path("again.svg").read_text() == Path("way.svg").read_text()
    runs = Store("results/arena.db").runs.all()  # the second command has begun no other comparison
    assert [run.label for run in runs] == ["compare#1"]


def test_what_cannot_be_tuned_is_told_in_a_line(arena: Arena) -> None:
    pytest.importorskip("optuna", reason="needs the extra tune: pip install '.[tune]'")
    Path("mine.py").write_text(HEAD + "stay_at = 5" + PLAY)
    assert "mine.py: it names no parameters" in arena.run("tune", "mine.py", "--game", "flip7", code=1)[1]
    Path("mine.py").write_text(BOT)
    words = ("tune", "mine.py", "--game", "flip7", "--players", "2", "--deals", "223")
    assert "--deals 223: a round of the search plays 224" in arena.run(*words, code=2)[1]
    Path("mine.py").write_text(BOT)
    assert "it plays flip7, not taroky" in arena.run("tune", "mine.py", "--game", "taroky", code=1)[1]


class Here:
    """Matches in this process, with bots of our own: what `SearchMatches` needs of a cluster, without its start."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.games, self.modules = folder, 0, dict[str, Any]()

    def play(
        self, setups: Iterable[MatchSetup | None], load: Any, recheck: float = 0.0
    ) -> Iterator[PlayedMatch]:
        for setup in setups:
            self.games += len(setup.seeds)
            yield play_here(setup, [self.player(setup, place, load) for place in range(setup.players)])

    def player(self, setup: MatchSetup, place: int, load: Any) -> Player:
        name, digest = setup.bots[place]
        if digest not in self.modules:
            (self.folder / digest).mkdir()
            self.modules[digest] = load_from_disk(write(unpack(name, load(digest)), self.folder / digest))
        return Player(self.modules[digest], engines.load(setup.game), setup.bot_seeds[place], print)


def trials_of(
    store: Store, folder: Path, deals: int, bots: tuple[str, ...] = (), players: int = 2
) -> SearchMatches:
    """The matches of a search for `BOT`, played here."""
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(BOT.replace("    print(stay_at)\n", ""))
    conditions = Conditions.of("flip7", players=players, options={"goal": 40})
    field = [(bot.name, bot.hash) for bot in (resolve(name, "flip7", store) for name in bots)]
    asked = comparison_from(conditions, deals=deals, seed=1)
    trials = SearchMatches(store, read(folder / "mine.py"), field, asked, unwatched)
    trials.cluster = cast(Cluster, Here(folder))
    return trials


def test_no_match_is_played_twice_and_the_way_is_the_same(store: Store, tmp_path: Path) -> None:
    first = trials_of(store, tmp_path, 224)
    gains = first.play([(5,), (20,), (25,)], 0)
    assert cast(Here, first.cluster).games == 3 * 2 * 16 and [len(one) for one in gains] == [16] * 3
    assert abs(gains[0]).max() < 0.1 < gains[1].mean()  # of a copy only what luck is not known exactly by
    second = trials_of(store, tmp_path / "other", 224)
    again = second.play([(20,), (5,), (30,)], 0)
    assert cast(Here, second.cluster).games == 2 * 16 and (again[0] == gains[1]).all()


def test_a_field_plays_once_beside_the_bot_as_it_is(store: Store, tmp_path: Path) -> None:
    trials = trials_of(store, tmp_path, 2_000, ("banker", "collector"), 3)
    played = trials.play([(20,), (25,)], 0)
    assert cast(Here, trials.cluster).games == 3 * 3 * 16 and [len(one) for one in played] == [16] * 2
