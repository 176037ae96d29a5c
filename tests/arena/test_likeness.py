"""What stored games say of bots: which decide alike, and who was luckier than chance allows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engines
from arena.match.played import Forfeited, PlayedMatch
from arena.match.setup import MatchSetup
from arena.runs import luck as stored_luck
from arena.runs.likeness import AlikeRow, _rows, alike_rows
from arena.runs.luck import kept_luck, luckiest_games
from arena.runs.open import enter, open_run, prepare
from arena.runs.pools import pools
from arena.runs.stages import setups
from arena.runs.standings import keep_run_table, load_pool, pool_table, run_table
from arena.store import Store
from arena.store.models import LeagueRun
from leagues import definition

from .test_clerk import Chooser, lowest, result_of


def highest(legal: list[int]) -> int:
    return legal[-1]


def by_number(legal: list[int]) -> int:
    return legal[sum(legal) % len(legal)]


CHOOSERS: list[Chooser] = [lowest, highest, lowest, by_number]


def rows_of(folder: Path, deals: int, change: Callable[[PlayedMatch], PlayedMatch]) -> list[AlikeRow]:
    store = Store(str(folder / "arena.db"), create=True)
    bots = ["odds37", "rock37", "steady37", "station37"]
    league = definition.load("tzogous37", deals=deals, players=4, seed=3, entrants=bots)
    run = open_run(store, prepare(store, league, enter(store, league, list(league.entrants)))).run

    def played(setup: MatchSetup) -> PlayedMatch:
        return change(result_of(setup, [CHOOSERS[entrant] for entrant in setup.plan.line_up]))

    store.matches.add(run, [played(setup) for setup in setups(store, run)])
    return alike_rows(store, [run], load_pool(store, [run]))


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[AlikeRow]:
    return rows_of(tmp_path_factory.mktemp("alike"), 160, lambda match: match)


def test_bots_that_never_act_differently_on_one_view_may_be_one(rows: list[AlikeRow]) -> None:
    first = rows[0]
    assert (first.bot, first.against, first.verdict) == ("odds37@1", "station37@1", "may be one bot")
    assert first.differ == 0 and first.decisions >= 150 and (first.usual or 0) > 0.5


def test_bots_that_act_differently_are_not_called_one(rows: list[AlikeRow]) -> None:
    assert len(rows) == 6 and {row.verdict for row in rows[1:]} <= {"", "not tested"}
    assert all(row.differ and row.share == round(row.differ / row.decisions, 4) for row in rows[1:])


def test_few_common_decisions_tell_nothing(tmp_path: Path) -> None:
    assert {row.verdict for row in rows_of(tmp_path, 8, lambda match: match)} == {"not tested"}


def test_actions_that_were_played_for_a_bot_after_a_forfeit_do_not_count(tmp_path: Path) -> None:
    def lost(match: PlayedMatch) -> PlayedMatch:
        place = match.line_up.index(0)
        seats = [seated.index(place) for seated in match.places.tolist()]
        faults = [Forfeited(at, seat, place, 0, "exception", "it broke") for at, seat in enumerate(seats)]
        return replace(match, forfeits=faults)

    bots = {name for row in rows_of(tmp_path, 8, lost) for name in (row.bot, row.against)}
    assert bots == {"rock37@1", "station37@1", "steady37@1"}


def verdicts(asked: list[list[int]], differ: list[list[int]]) -> dict[tuple[str, str], str]:
    names = [f"b{i}" for i in range(len(asked))]
    rows = _rows(names, np.array(asked, np.int64), np.array(differ, np.int64))
    return {(row.bot, row.against): row.verdict for row in rows}


def test_a_flood_of_copies_does_not_make_it_usual_that_nothing_differs() -> None:
    copies, bots = 8, 10
    asked, differ = np.full((2, bots, bots), 10)  # with others soon something differs, and a game ends
    asked[:copies, :copies], differ[:copies, :copies] = 448, 0
    found = verdicts(asked.tolist(), differ.tolist())
    called = {pair for pair, verdict in found.items() if verdict == "may be one bot"}
    assert called == {(f"b{i}", f"b{j}") for i in range(copies) for j in range(i + 1, copies)}


def test_bots_that_differ_little_from_all_others_are_not_called_one() -> None:
    asked, differ = np.full((2, 4, 4), 2000)
    differ[:] = 60
    differ[0, 3] = differ[3, 0] = asked[0, 3] = asked[3, 0] = 1  # one decision says nothing of what is usual
    assert "may be one bot" not in verdicts(asked.tolist(), differ.tolist()).values()


HIT, STAY = 0, 1
PEEKER = "racer"


def played(store: Store, deals: int, peeks: bool) -> LeagueRun:
    """A stored run of Flip 7 in which bots stop at three to six cards, and one may look at the next card
    instead.
    """
    league = definition.load("flip7", deals=deals, seed=2)
    bots = enter(store, league, ("banker", "oddsman", PEEKER, "random"))
    run = open_run(store, prepare(store, league, bots))[0]
    names = [entry.bot.name for entry in store.runs.entries(run)]
    for setup in setups(store, run):
        entrants = np.array(setup.plan.line_up)[setup.places]
        cheats = (np.array(names) == PEEKER)[entrants] & peeks
        scores, moves = play(setup.seeds.tolist(), cheats, 3 + entrants)
        store.matches.add(run, [PlayedMatch.of(setup, scores, moves, [0.1] * 4, [9] * 4)])
    return run


def play(seeds: list[int], cheats: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    game = engines.load("flip7")
    states = game.new(len(seeds), np.array(seeds, np.uint64), 4)
    rows, moves = np.arange(len(seeds)), [[] for _ in seeds]
    while (live := np.flatnonzero(states["seat"] >= 0)).size:
        seat = np.maximum(states["seat"], 0)
        mine = states["row"][rows, seat]
        next_card = states["pile"][rows, np.maximum(states["left"] - 1, 0)]
        bust = (mine == next_card[:, None]).any(axis=1) & (states["left"] > 0)
        enough = (mine >= 0).sum(axis=1) >= stops[rows, seat]
        action = np.where(np.where(cheats[rows, seat], bust, enough), STAY, HIT)
        for i in live:
            moves[i].append(int(action[i]))
        game.step(states, action)
    return game.scores(states).astype(np.int64), [np.array(one, np.int16) for one in moves]


def test_luck_is_replayed_at_the_end_of_a_run_kept_and_shown_beside_the_raw_columns(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = played(store, 30, peeks=False)
    assert {row.luck for row in run_table(store, run).rows} == {None}
    pool = pools(store, [run])[0]
    keep_run_table(store, run)
    rows = pool_table(store, pool).rows
    for row in rows:
        assert row.luck_z is not None and abs(row.luck_z) < 4 and row.fair_score is not None
        assert row.fair_elo_low < row.fair_elo < row.fair_elo_high
    monkeypatch.setattr(stored_luck, "_replayed", lambda store, run: pytest.fail("replayed again"))
    assert [row.luck for row in pool_table(store, pool).rows] == [row.luck for row in rows]
    assert run_table(store, run).rows[0].luck is not None


def test_a_bot_that_sees_the_next_card_is_told_with_games_to_look_at(store: Store) -> None:
    run = played(store, 40, peeks=True)
    keep_run_table(store, run)
    table = pool_table(store, pools(store, [run])[0])
    peeker = next(row for row in table.rows if row.bot == PEEKER)
    assert peeker.luck_z is not None and peeker.luck_z > 8 and peeker.fair_score < peeker.score
    assert any("racer@1 was luckier than chance allows" in note for note in table.notes)
    assert any("look at the games of racer@1" in note and f"{run.label}/" in note for note in table.notes)


def test_the_games_named_are_those_of_the_most_luck(store: Store) -> None:
    run = played(store, 24, peeks=True)
    found = kept_luck(store, [run], [96], compute=True)[run.key]
    part = load_pool(store, [run]).parts[0]
    table = pool_table(store, pools(store, [run])[0])
    row = next(row for row in table.rows if row.bot == PEEKER)
    assert part.luck is not None and np.array_equal(part.luck, found)
    told = luckiest_games([row], ["racer@1"], [part])
    mine = np.where(part.entrant == part.labels.index("racer@1"), found, -np.inf).max(axis=1)
    match, at = part.match[mine.argmax()], mine.argmax()
    first = int(np.flatnonzero(part.match == match)[0])
    assert f"{run.label}/{match * 1000 + at - first}," in told[0]
