"""What the measuring commands make of their figures; the figures themselves are no matter of tests."""

from __future__ import annotations

import dataclasses
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arena.benchmark import bench
from arena.cluster.start import cluster
from arena.duel import Games
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup
from benchmarks import compare, ladder, peer, peers, regret, scaling, signals, strength

SPEED, COST = ("flip7", "playouts", "M decisions/s"), ("flip7", "match", "us/decision")


def test_a_figure_has_moved_only_if_all_of_one_side_lie_beyond_the_other():
    before = {SPEED: [10.0, 11.0, 10.5], COST: [2.0, 2.2, 2.1], ("zoliky", "gone", "us"): [1.0]}
    after = {SPEED: [12.0, 11.5, 13.0], COST: [2.15, 2.6, 2.7], ("zoliky", "new", "us"): [1.0]}
    *lines, last = compare.report(before, after).splitlines()
    assert len(lines) == 1 and "playouts" in lines[0] and lines[0].endswith("x 1.14 better")
    assert last == "1 of 2 figures moved beyond noise"


def test_what_costs_more_is_worse_and_what_moved_by_nothing_is_not_told():
    before = {COST: [2.0, 2.1], SPEED: [10.00, 10.01]}
    after = {COST: [3.0, 3.1], SPEED: [10.02, 10.03]}
    *lines, _ = compare.report(before, after).splitlines()
    assert len(lines) == 1 and lines[0].endswith("x 1.49 WORSE")


def missing() -> Iterator[peer.Row]:
    raise ImportError("No module named 'nobody'")
    yield


def broken() -> Iterator[peer.Row]:
    yield peer.Row("adding", "half", "one", "sum", lambda: 1)
    raise ValueError("another version")


def test_a_library_that_is_missing_or_fails_is_skipped_with_the_reason(monkeypatch, tmp_path, capsys):
    def mine() -> Iterator[peer.Row]:
        yield peer.Row("adding", peer.OURS, "one", "sum", lambda: sum([1]))

    libraries = ((peer.OURS, "no-such-package", mine), ("gone", "gone", missing), ("half", "half", broken))
    monkeypatch.setattr(peers.peer_games, "LIBRARIES", libraries)
    monkeypatch.setattr(peers.peer_ratings, "LIBRARIES", ())
    monkeypatch.setattr(peers, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["peers", "--windows", "2", "--seconds", "0.001"])
    peers.main()
    report = json.loads((tmp_path / "peers.json").read_text())
    assert [(row["library"], len(row["rates"])) for row in report["rows"]] == [(peer.OURS, 2), ("half", 2)]
    assert report["skipped"] == {
        "gone": "not installed (No module named 'nobody')",
        "half": "failed: ValueError: another version",
    }
    assert (tmp_path / "peers.md").read_text() == capsys.readouterr().out.rstrip("\n") + "\n"


def test_a_cluster_that_is_not_there_is_played_on_by_the_real_driver_into_a_real_store(
    tmp_path: Path, ray_head: tuple[str, str]
) -> None:
    bots = ["banker", "oddsman", "racer", "random"]
    league = scaling.league_of("flip7", bots, deals=100)
    store, run = scaling.opened(str(tmp_path / "arena.db"), league, bots)
    moves = [np.arange(3, dtype=np.int16)] * 256
    setup = MatchSetup.of_games("flip7", range(256), range(4), {})
    result = PlayedMatch.of(setup, np.ones((256, 4), np.int64), moves, [0.1] * 4, [3] * 4)
    with cluster(None, ray_head[1]):
        calls = scaling.Pretending(70, [result], 0.05, "flip7")
        assert [node.cpus for node in calls.nodes()] == [64, 6]
        found = scaling.simulate(store, run, calls, 0.05, seconds=600)
    stored = list(store.matches(run))
    assert found.matches == len(stored) == store.counts()[run.key].planned > 4
    assert sum(len(match.blocks) for match in stored) == 4 * 100  # every deal in every rotation
    assert all(len(match.moves) == len(match.blocks) for match in stored)
    assert min(found.driver_s, found.clerk_s, found.ray_s) > 0 and found.cores == 70


@pytest.mark.soak
def test_every_figure_of_a_game_is_measured_and_names_its_unit() -> None:
    rows = bench(["flip7"], quick=True)
    assert len({row["what"] for row in rows}) == len(rows) == 20
    assert all(row["value"] > 0 and row["unit"] and row["game"] == "flip7" for row in rows)


# --- strength -----------------------------------------------------------------------------------------------


def games_of(deal: list[int], bots: list[list[int]], scores: list[list[int]]) -> Games:
    found = np.array(scores, np.int64)
    none = np.zeros(found.shape, np.bool_)
    cpu_s, decisions = np.array([0.5, 0, 0]), np.array([100, 1, 1])
    names = ("act", "mark", "other")
    return Games(names, np.array(deal, np.int64), np.array(bots, np.int64), found, none, cpu_s, decisions)


def test_strength_counts_games_before_the_mark_by_deal_ties_half():
    """Deal 1: before it by 2, then level; deal 2: behind by 4 and by 2. So shares 0.75 and 0, gaps 1 and -3."""
    games = games_of(
        [1, 1, 2, 2],
        [[0, 1, 2], [2, 0, 1], [0, 1, 2], [1, 2, 0]],
        [[5, 3, 9], [9, 4, 4], [1, 5, 0], [3, 0, 1]],
    )
    share, gap = strength.by_deal(games, [1])
    assert share.tolist() == [0.75, 0] and gap.tolist() == [1, -3]
    row = strength.row_of(games, "flip7", ["mark", "other"], "5 ms")
    # two values 2 s apart have the mean -1 and the standard error 2; t with one degree of freedom is 12.706
    assert row.score == pytest.approx((-1, -1 - 2 * 12.7062, -1 + 2 * 12.7062), rel=1e-5)
    assert row.elo[0] == pytest.approx(400 * np.log10(0.375 / 0.625))
    assert row.elo[1:] == pytest.approx(
        (-strength.MOST_ELO, strength.MOST_ELO)
    )  # the shares' interval is beyond 0 and 1
    assert (row.deals, row.cpu_ms, row.against) == (2, 5.0, "mark (1, other)")


def test_two_seats_that_have_the_marks_name_are_both_the_mark():
    games = games_of([1, 2], [[0, 1, 2], [0, 1, 2]], [[5, 3, 9], [4, 4, 4]])
    share, gap = strength.by_deal(games, [1, 2])
    assert share.tolist() == [0.5, 0.5] and gap.tolist() == [-1, 0]


def test_strength_prints_a_row_for_every_budget_on_the_same_deals(monkeypatch, capsys):
    asked = [
        "strength",
        "flip7",
        "--playouts",
        "4",
        "8",
        "--deals",
        "3",
        "--opponents",
        "banker",
        "collector",
    ]
    monkeypatch.setattr(sys, "argv", [*asked, "--json"])
    strength.main()
    few, more = map(json.loads, capsys.readouterr().out.splitlines())
    assert (few["budget"], more["budget"]) == ("4 playouts", "8 playouts")
    assert few["deals"] == more["deals"] == 3 and few["against"] == "banker (1, collector)"
    assert few["elo"][1] <= few["elo"][0] <= few["elo"][2]


# --- regret -------------------------------------------------------------------------------------------------


def test_regret_is_the_gain_of_a_decision_times_the_decisions_of_a_game_as_elo():
    """Gains 0 and 0.02 of the others, ten decisions a game: 0.1 of them, which is 0.1 * 4 * 400 / ln 10."""
    text = regret.report([regret.Judged(False, 0.0), regret.Judged(True, 0.02)], 10.0)
    assert text.startswith(
        "2 decisions judged, 10.0 of a seat in a game; the search would play 50.0% otherwise"
    )
    assert f"worth {0.1 * 4 * 400 / np.log(10):+.1f} Elo [" in text


def test_regret_sees_a_blunder_and_none_in_the_only_good_action():
    """Flip 7: nobody stays on the one card that was dealt."""
    view = next(regret.choices("flip7", lambda view: view.legal[0], random.Random(3)))
    assert view.texts == ["hit", "stay"] and view.points[view.seat] < 13
    hit, stay = (regret.judge(view, action, 400, random.Random(1)) for action in (0, 1))
    assert hit == regret.Judged(False, 0.0) and stay.other and stay.gain > 0


def test_regret_plays_and_reports(monkeypatch, capsys):
    asked = ["regret", "flip7", "banker", "--worlds", "3", "--seconds", "0", "--share", "0.5"]
    monkeypatch.setattr(sys, "argv", asked)
    regret.main()
    assert "decisions judged" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["honest", "blind", "sees"])
@pytest.mark.parametrize("table", signals.TABLES.values(), ids=lambda table: table.game)
def test_the_pair_that_signals_plays_whole_games(table: signals.Table, kind: str) -> None:
    others = (*table.others, *table.others)
    names = ["master", others[0], "servant", *others[1 : table.players - 2]]
    assert sum(signals.game(table, 3, names, kind)) == 0
    alone = ["master", *others[: table.players - 1]]
    assert signals.game(table, 3, alone, kind) == signals.game(table, 3, alone, "honest")


def test_who_serves_makes_its_master_win_at_its_own_cost() -> None:
    names, gains = ["master", "thumb", "servant", "reckoner", "wary"], {}
    for kind in ("honest", "sees"):
        scores = np.array([signals.game(signals.TABLES["julepe"], seed, names, kind) for seed in range(60)])
        gains[kind] = float((scores[:, 0] - scores[:, 2]).mean())
    assert gains["sees"] > gains["honest"] + 50


def test_a_simulated_season_gives_newcomers_their_share_and_says_whether_ranks_hold():
    found = ladder.season(seed=3, epochs=12, blocks=160, flood=20)
    assert 0 < max(found.newcomers) <= 0.15 and found.waits and max(found.needed) < 200
    claims = {claim: (numbers, held) for claim, numbers, held in ladder.report([found], [found], 20)}
    assert claims["true first five inside their rank intervals at the end, seasons"] == ("100% of 1", True)
    wait = "mean wait with the flood over mean wait without, at most 2"
    assert claims[wait][0].endswith("= 1.00") and claims[wait][1]
    late = dataclasses.replace(found, waits=[3 * one for one in found.waits], newcomers=[0.2])
    failed = [claim for claim, _, held in ladder.report([late], [found], 20) if not held]
    assert failed == ["newcomers' share of an epoch's blocks, %", wait]
