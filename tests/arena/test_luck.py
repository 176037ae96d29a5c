"""The luck of stored games: replayed once, kept, shown beside the raw columns; a bot that sees cards is told
with its games.
"""

import numpy as np
import pytest

import engines
from arena.match.played import PlayedMatch
from arena.runs import luck as stored_luck
from arena.runs.luck import kept_luck, luckiest_games
from arena.runs.open import enter, open_run, prepare
from arena.runs.plans import setups
from arena.runs.pools import pools
from arena.runs.standings import keep_run_table, load_pool, pool_table, run_table
from arena.store import Store
from arena.store.models import LeagueRun
from leagues import definition

HIT, STAY = 0, 1
PEEKER = "racer"


def played(store: Store, deals: int, peeks: bool) -> LeagueRun:
    """A stored run of Flip 7 in which bots stop at three to six cards, and one may look at the next card
    instead.
    """
    league = definition.load("flip7", deals=deals, seed=2)
    run = open_run(
        store, prepare(store, league, enter(store, league, ("banker", "oddsman", PEEKER, "random")))
    )[0]
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
        action = np.where(
            np.where(cheats[rows, seat], bust, (mine >= 0).sum(axis=1) >= stops[rows, seat]), STAY, HIT
        )
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
    assert all(row.luck_z is not None and abs(row.luck_z) < 4 for row in rows)
    assert all(
        row.fair_score is not None and row.fair_elo_low < row.fair_elo < row.fair_elo_high for row in rows
    )
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
