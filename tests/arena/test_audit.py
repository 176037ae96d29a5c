"""Bots that are asked again: who answers as it did and who does not, and what that costs."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import arena.match.again as match_again
from arena import places
from arena.cell import GameZygote
from arena.intake.registry import house_bots
from arena.jail import Program
from arena.match.again import ask_again
from arena.match.batch import play_match
from arena.match.played import PlayedMatch
from arena.match.setup import Again, MatchSetup
from arena.runs import audit
from arena.runs.open import enter, open_run, prepare
from arena.store import Store
from leagues import definition
from leagues.limits import Limits

from .program import Arena, Head

Zygotes = tuple[GameZygote, GameZygote]
GAME = "flip7"
LEAGUE = 'game = "flip7"\nentrants = ["banker", "racer"]\nrepeatable = true\ndeals = 4\n'
LIMITS = Limits(cpu_s_bank=30, sleep_s_bank=60)
CHOOSES = "import random\n\ndef act(view):\n    return random.choice(view.legal.tolist())\n"
SORTS = "names = {str(n) for n in range(9)}\n\ndef act(view):\n    return view.legal[int([*names][0]) % 2]\n"
MOODY = "import os\n\ndef act(view):\n    return view.legal[os.urandom(1)[0] % len(view.legal)]\n"
STUMBLES = """made = 0

def act(view):
    global made
    made += 1
    if made % 7 == 0:
        raise ValueError("seven")
    if made % 11 == 0:
        return "what?"
    return view.legal[made % 2]
"""
DIES = """import ctypes
made = 0

def act(view):
    global made
    made += 1
    if made == 40:
        ctypes.string_at(0)
    return view.legal[made % 2]
"""
# each of its four processes dies at its second decision; asked alone, every other game is answered before that
DIES_OFTEN = DIES.replace("40", "2").replace("made % 2", "-1")
# dies once, then answers by what no audit can repeat
DIES_FIRST = """import ctypes
import os
first = True

def act(view):
    global first
    if first and view.clock.used < 0.4:
        while view.clock.used < 0.5:
            pass
        ctypes.string_at(0)
    first = False
    return view.legal[os.urandom(1)[0] % len(view.legal)]
"""
# takes its time when it sees that it is asked again, and answers the same
WAKES = """import time
late = 0

def act(view):
{}
    return view.legal[-1]
"""
BURNS = "    while time.process_time() < late:\n        pass"
SLEEPS = "    time.sleep(late)"
# dies in the match or in the audit, by a coin
DIES_MAYBE = """import ctypes
import os

def act(view):
    if os.urandom(1)[0] < 8:
        ctypes.string_at(0)
    return view.legal[0]
"""


@pytest.fixture(scope="module")
def zygotes(zygote: GameZygote) -> Iterator[Zygotes]:
    """Two fork servers: what differs between them is seen."""
    with GameZygote(GAME) as other:
        yield zygote, other


def bot(name: str, source: str) -> Program:
    return Program(name, {f"{name}.py": f"GAMES = ['*']\n{source}".encode()})


def played(
    sources: list[str], zygote: GameZygote, games: int = 12
) -> tuple[MatchSetup, PlayedMatch, list[Program]]:
    k = len(sources)
    places = [[(at + seat) % k for seat in range(k)] for at in range(games)]
    setup = MatchSetup.of_games(zygote.game.name, range(70, 70 + games), places, {}, 1, limits=LIMITS)
    programs = [bot(f"bot{at}", source) for at, source in enumerate(sources)]
    return setup, play_match(setup, programs, zygote), programs


def again(result: PlayedMatch, place: int) -> Again:
    lost = tuple((one.game, one.seat, one.decision, one.kind) for one in result.forfeits)
    dead = tuple(at for at, made in enumerate(result.decisions) if not made)
    return Again(place, result.moves, lost, dead, result.cpu_s[place], result.slept_s[place])


def check_same(
    setup: MatchSetup, result: PlayedMatch, place: int, programs: list[Program], zygote: GameZygote
) -> None:
    """See that a bot answers as it did."""
    found = ask_again(setup, again(result, place), programs[place], zygote).answered
    assert found is not None and found.now == "", found
    assert found.decisions == result.decisions[place]


@pytest.mark.parametrize(
    "source", [CHOOSES, SORTS, STUMBLES, DIES], ids=["chooses", "sorts", "stumbles", "dies"]
)
def test_a_function_of_views_and_seed_answers_as_it_did(zygotes: Zygotes, source: str) -> None:
    """Whatever the others do: one cannot be loaded, one breaks rules, one dies, and the requests are the same."""
    setup, result, programs = played([source, "raise OSError\n", STUMBLES, DIES], zygotes[0])
    kinds = {one.kind for one in result.forfeits}
    assert result.decisions[1] == 0 and kinds >= {"import", "exception", "crash"}
    for place in (0, 2, 3):
        check_same(setup, result, place, programs, zygotes[1])


def test_the_first_other_answer_is_kept_with_what_the_bot_was_shown(zygotes: Zygotes) -> None:
    setup, result, programs = played([MOODY, CHOOSES, CHOOSES], zygotes[0])
    found = ask_again(setup, again(result, 0), programs[0], zygotes[1]).answered
    assert found is not None and {found.then, found.now} == {"hit", "stay"}
    assert setup.places[found.game, found.seat] == 0
    assert "hit" in found.view and f"seat {found.seat}" in found.view


def test_a_bot_whose_processes_all_die_makes_nobody_answer_otherwise(zygotes: Zygotes) -> None:
    """It answers for some games in the very request that ends its last process; those answers were played."""
    setup, result, programs = played([DIES_OFTEN, CHOOSES, CHOOSES], zygotes[0], games=36)
    assert {(one.place, one.kind) for one in result.forfeits} == {(0, "crash")}
    for place in range(3):
        check_same(setup, result, place, programs, zygotes[1])


def test_a_seat_that_forfeits_where_it_has_no_choice_makes_nobody_answer_otherwise() -> None:
    """In a game of tricks many actions are forced: such a game waits for a place that nobody asks about it."""
    with GameZygote("julepe", tested=False) as one:
        for source in (DIES_OFTEN, DIES, STUMBLES):
            setup, result, programs = played([source, STUMBLES, CHOOSES, CHOOSES, CHOOSES], one, games=20)
            assert result.forfeits
            for place in range(5):
                check_same(setup, result, place, programs, one)


@pytest.mark.parametrize("source", [DIES_FIRST, DIES_MAYBE], ids=["first", "maybe"])
def test_a_death_does_not_hide_what_a_bot_answers_afterwards(zygotes: Zygotes, source: str) -> None:
    setup, result, programs = played([source, CHOOSES, CHOOSES], zygotes[0], games=36)
    assert {(one.place, one.kind) for one in result.forfeits} == {(0, "crash")}
    found = (ask_again(setup, again(result, 0), programs[0], zygotes[1]).answered for _ in range(20))
    assert any(one is not None and one.now != "" for one in found)  # it may live through some of them


@pytest.mark.parametrize(
    "source", ["raise OSError('x' * 9999)\n", "def act(view):\n    while True:\n        pass\n"]
)
def test_a_bot_that_fails_where_it_did_not_has_answered_otherwise(zygotes: Zygotes, source: str) -> None:
    setup, result, _ = played([CHOOSES, CHOOSES, CHOOSES], zygotes[0], games=3)
    short = replace(setup, limits=Limits(cpu_s_bank=0.05, cpu_s_start=0.5, cpu_ms_per_decision=1))
    found = ask_again(short, again(result, 1), bot("bot1", source), zygotes[1]).answered
    assert found is not None and found.now.startswith("fault ") and len(found.now) < 700


@pytest.mark.parametrize("source", [BURNS, SLEEPS], ids=["burns", "sleeps"])
def test_a_bot_that_is_asked_again_cannot_take_far_more_time_than_it_took(
    zygotes: Zygotes, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it could use up the time for its other matches, at no price: here 13 s of what LIMITS allow."""
    monkeypatch.setattr(match_again, "SPARE_S", 0.2)
    setup, result, programs = played([WAKES.format(source), CHOOSES, CHOOSES], zygotes[0], games=3)
    setup = replace(setup, limits=replace(LIMITS, sleep_s_bank=0.4))
    assert not result.forfeits and result.cpu_s[0] < 0.4
    late = bot("bot0", WAKES.format(source).replace("late = 0", "late = 13"))
    found = ask_again(setup, again(result, 0), late, zygotes[1])
    assert found.answered is not None and found.answered.now.startswith(("fault cpu", "fault wall"))
    assert float(found.answered.now.split(" is ")[1].split(" s")[0]) < 1.0, found.answered.now
    assert found.cpu_s[0] < 2
    check_same(setup, result, 0, programs, zygotes[1])


def test_who_answers_otherwise_loses_its_matches_and_from_three_the_run(arena: Arena, ray_head: Head) -> None:
    arena.write("moody", MOODY)
    arena.write("chooser", CHOOSES)
    (arena.folder / "again.toml").write_text(LEAGUE + "audit = 1.0\n")
    bots = ("--bots", "./moody.py,./chooser.py,banker,racer")
    err = arena.run("league", "run", "./again.toml", *bots, *ray_head)[1]
    assert "again#1: asked bots again about 16 matches" in err
    report = arena.json("league", "show", "again#1")
    assert report["asked_again"] == 16
    other = report["answered_otherwise"]
    assert {one["bot"].split()[0] for one in other} == {"moody"} and len(other) == 4
    assert all(one["then"] != one["now"] and one["view"] for one in other)
    rows = {row["bot"]: row for row in report["table"]}
    assert [rows[name]["forfeits"] for name in ("moody", "chooser", "banker")] == [16, 0, 0]
    assert rows["moody"]["elo"] == min(row["elo"] for row in rows.values())
    assert any("moody" in note and "has lost all its games of again#1" in note for note in report["notes"])
    assert "asked again about game again#1/" in err and ", now " in err
    assert "no difference" in arena.run("league", "verify", "again#1", "--workers", "1")[0]


NAMES = ("moody", "chooser", "banker", "racer")


def audited_once(
    arena: Arena, head: Head, second: str = CHOOSES
) -> tuple[str, dict[str, list[int]], dict[str, Any]]:
    """A run of four matches with a bot that plays by what is outside its view, one of which is drawn.

    Returns:
        The line of the audit, the matches that each bot was asked about, the report.
    """
    arena.write("moody", MOODY)
    arena.write("chooser", second)
    (arena.folder / "short.toml").write_text(LEAGUE + "audit = 0.1\nseed = 6\n")
    bots = ("--bots", "./moody.py,./chooser.py,banker,racer")
    err = arena.run("league", "run", "./short.toml", *bots, *head)[1]
    store = Store(str(places.data_folder() / "arena.db"))
    run, entries = store.runs.find("short#1"), store.runs.entries(store.runs.find("short#1"))
    assert len(audit.drawn(store, run, run.definition.audit)) == 1
    asked: dict[str, list[int]] = {name: [] for name in NAMES}
    for one in store.runs.audits(run):
        asked[entries[one.entrant].bot.name].append(one.match)
    line = next(line for line in err.splitlines() if "asked bots again" in line)
    return line, asked, arena.json("league", "show", "short#1")


def test_after_one_other_answer_a_bot_is_asked_until_it_has_lost(arena: Arena, ray_head: Head) -> None:
    line, asked, report = audited_once(arena, ray_head)
    assert {name: len(asked[name]) for name in NAMES if name != "moody"} == dict.fromkeys(NAMES[1:], 1)
    # matches with the same deals are asked about one after the other
    assert len(asked["moody"]) == audit.MOST < 4
    more = f"about {len(asked['moody']) - 1} more ("
    assert f"about 4 matches, and those that answered otherwise {more}" in line
    rows = {row["bot"]: row for row in report["table"]}
    assert rows["moody"]["forfeits"] == 16 and not any(rows[name]["forfeits"] for name in NAMES[1:])
    assert any("moody" in note and "has lost all its games of short#1" in note for note in report["notes"])


def test_asking_such_a_bot_further_ends_with_its_time_and_says_so(
    arena: Arena, ray_head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "MORE_S", 0.0)
    monkeypatch.setattr(audit, "MORE_SHARE", 0.0)
    line, asked, report = audited_once(arena, ray_head)
    assert [len(asked[name]) for name in NAMES] == [1, 1, 1, 1]
    assert "; time was over for 3 more" in line
    rows = {row["bot"]: row for row in report["table"]}
    assert rows["moody"]["forfeits"] == 4
    why = "it answered otherwise in 1 of 1 match when it was asked again"
    assert any("moody" in note and why in note for note in report["notes"])


def test_the_time_for_one_such_bot_is_not_used_up_by_another(
    arena: Arena, ray_head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A friend who answers otherwise on purpose could keep a cheater from losing the run."""
    monkeypatch.setattr(audit, "MORE_S", 1e-9)  # time for one match more of each
    monkeypatch.setattr(audit, "MORE_SHARE", 0.0)
    line, asked, _ = audited_once(arena, ray_head, second=MOODY)
    assert [len(asked[name]) for name in NAMES] == [2, 2, 1, 1], line


def test_matches_are_drawn_by_the_secret_in_the_share_that_the_league_says(tmp_path: Path) -> None:
    store, found = Store(str(tmp_path / "arena.db"), create=True), []
    for _ in range(2):
        league = definition.load("flip7", deals=640, repeatable=True)
        run = open_run(store, prepare(store, league, enter(store, league, ["banker", "racer"]))).run
        store.runs.close(run, aborted=True)
        every, some = list(range(len(store.runs.plans(run)))), audit.drawn(store, run, 0.5)
        assert set(audit.drawn(store, run, 0.2)) <= set(some) <= set(every) and some
        assert audit.drawn(store, run, 1.0) == every and not audit.drawn(store, run, 0.0)
        found.append((len(every), some))
    assert found[0][0] == found[1][0] > 30 and found[0][1] != found[1][1]
    with pytest.raises(definition.DefinitionError, match=r"audit = 2.*: allowed is 0 to 1"):
        definition.League.of(game="flip7", audit=2.0)


@pytest.mark.soak
@pytest.mark.parametrize("name", definition.names())
def test_no_house_bot_answers_otherwise(name: str) -> None:
    """ARENA_AUDITS: how many bots are asked again about a match, over all shipped leagues (2 000)."""
    league = definition.load(name)
    wanted = int(os.environ.get("ARENA_AUDITS", "2000")) // len(definition.names())
    programs = [house_bots()[one].program for one in league.entrants]
    k, asked = league.players, 0
    with GameZygote(league.game) as one, GameZygote(league.game) as other:
        while asked < wanted:
            places = [(asked + place) % len(programs) for place in range(k)]
            seeds = range(asked * 100, asked * 100 + 8)
            seated = [[(at + seat) % k for seat in range(k)] for at in range(8)]
            own = {"bot_seeds": tuple(range(asked, asked + k)), "limits": league.limits}
            setup = MatchSetup.of_games(league.game, seeds, seated, league.options, asked, **own)
            line_up = [programs[place] for place in places]
            result = play_match(setup, line_up, one)
            for place in range(k):
                check_same(setup, result, place, line_up, other)
                asked += 1
