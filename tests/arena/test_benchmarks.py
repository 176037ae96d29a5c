"""What the measuring commands make of their figures; the figures themselves are no matter of tests."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arena.cluster.start import cluster
from arena.match.bench import bench
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup
from arena.runs.duelling import Games
from benchmarks import compare, peers, scaling, season, strength

from .program import Head

SPEED, COST = ("flip7", "playouts", "M decisions/s"), ("flip7", "match", "us/decision")


def test_a_figure_has_moved_only_if_all_of_one_side_lie_beyond_the_other_and_by_more_than_nothing():
    before = {SPEED: [10.0, 11.0, 10.5], COST: [2.0, 2.2, 2.1], ("zoliky", "gone", "us"): [1.0]}
    after = {SPEED: [12.0, 11.5, 13.0], COST: [2.15, 2.6, 2.7], ("zoliky", "new", "us"): [1.0]}
    *lines, last = compare.report(before, after).splitlines()
    assert len(lines) == 1 and "playouts" in lines[0] and lines[0].endswith("x 1.14 better")
    assert last == "1 of 2 figures moved beyond noise"
    nothing, more = ({SPEED: [10.00, 10.01], COST: [2.0, 2.1]}, {SPEED: [10.02, 10.03], COST: [3.0, 3.1]})
    *lines, _ = compare.report(nothing, more).splitlines()
    assert len(lines) == 1 and lines[0].endswith("x 1.49 WORSE")


def missing() -> Iterator[peers.Row]:
    raise ImportError("No module named 'nobody'")
    yield


def broken() -> Iterator[peers.Row]:
    yield peers.Row("adding", "half", "one", "sum", lambda: 1)
    raise ValueError("another version")


def test_a_library_that_is_missing_or_fails_is_skipped_with_the_reason(monkeypatch, capsys):
    def mine() -> Iterator[peers.Row]:
        yield peers.Row("adding", peers.OURS, "one", "sum", lambda: sum([1]))

    libraries = ((peers.OURS, "no-such-package", mine), ("gone", "gone", missing), ("half", "half", broken))
    monkeypatch.setattr(peers, "LIBRARIES", libraries)
    monkeypatch.setattr(sys, "argv", ["peers", "--windows", "2", "--seconds", "0.001"])
    peers.main()
    told = capsys.readouterr().out
    rows = [line.split(" | ") for line in told.splitlines() if line.startswith("| adding")]
    assert [(row[1].split()[0], row[-1] != "") for row in rows] == [(peers.OURS, True), ("half", True)]
    assert "Skipped: gone, not installed (No module named 'nobody')." in told
    assert "Skipped: half, failed: ValueError: another version." in told


def test_a_pretended_cluster_is_played_on_into_a_real_store(tmp_path: Path, ray_head: Head) -> None:
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
    stored = list(store.matches.all(run))
    assert found.matches == len(stored) == store.matches.counts()[run.key].planned > 4
    assert sum(len(match.blocks) for match in stored) == 4 * 100  # every deal in every rotation
    assert all(len(match.moves) == len(match.blocks) for match in stored)
    assert min(found.driver_s, found.clerk_s, found.ray_s) > 0 and found.cores == 70


@pytest.mark.soak
def test_every_figure_of_a_game_is_measured_and_names_its_unit() -> None:
    rows = bench(["flip7"], quick=True)
    assert len({row["what"] for row in rows}) == len(rows) == 20
    assert all(row["value"] > 0 and row["unit"] and row["game"] == "flip7" for row in rows)


def games_of(deal: list[int], bots: list[list[int]], scores: list[list[int]]) -> Games:
    found, none = np.array(scores, np.int64), np.zeros(np.shape(scores), np.bool_)
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
    row = strength.row_of(games, "flip7", ["mark", "other"], "5 ms")
    # two values 2 s apart have the mean -1 and the standard error 2; t with one degree of freedom is 12.706
    assert row.score == pytest.approx((-1, -1 - 2 * 12.7062, -1 + 2 * 12.7062), rel=1e-5)
    assert row.elo[0] == pytest.approx(400 * np.log10(0.375 / 0.625))
    assert row.elo[1:] == (-strength.MOST_ELO, strength.MOST_ELO)  # the shares' interval is beyond 0 and 1
    assert (row.deals, row.cpu_ms, row.against) == (2, 5.0, "mark (1, other)")


def test_two_seats_that_have_the_marks_name_are_both_the_mark():
    games = games_of([1, 2], [[0, 1, 2], [0, 1, 2]], [[5, 3, 9], [4, 4, 4]])
    places, points = strength.against(games, [1, 2])
    assert places == (0, 0, 0) and points[0] == -0.5  # before one and behind the other; -1 and 0 points


def test_strength_prints_a_row_for_every_budget_on_the_same_deals(monkeypatch, capsys):
    asked = "strength flip7 --playouts 4 8 --deals 3 --opponents banker collector"
    monkeypatch.setattr(sys, "argv", [*asked.split(), "--json"])
    strength.main()
    few, more = map(json.loads, capsys.readouterr().out.splitlines())
    assert (few["budget"], more["budget"]) == ("4 playouts", "8 playouts")
    assert few["deals"] == more["deals"] == 3 and few["against"] == "banker (1, collector)"
    assert few["elo"][1] <= few["elo"][0] <= few["elo"][2]
    monkeypatch.setattr(sys, "argv", [*asked.replace("--playouts 4 8", "--search trained").split(), "--json"])
    strength.main()
    assert json.loads(capsys.readouterr().out)["budget"] == "trained"


def test_owners_send_what_the_plan_says_and_honest_bots_compile():
    plan = season.plan_of("hostile=6,flood=100,kills")
    assert plan == {"hostile": 6, "flood": 100, "kills": season.PLAN["kills"]}
    sent = season.scripts(7, plan, random.Random(0))
    assert sent == season.scripts(7, plan, random.Random(0)) == sorted(sent, key=lambda one: one.at)
    assert len(sent) == 200 + 106 and sum(one.owner == "eve" for one in sent) == 100
    honest = [one for one in sent if one.file.startswith(f"{one.owner}_")]
    assert {one.at // season.DAY_S for one in honest} == set(range(7))
    for one in honest:
        compile(one.source, one.file, "exec")
    with pytest.raises(argparse.ArgumentTypeError, match="no fault 'fire'; there are kills"):
        season.plan_of("fire=1")


def test_a_process_reads_the_simulated_clock_its_jumps_and_its_pace(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    clocks = season.Clocks(tmp_path, 2_000_000_000.0, 1000.0)
    code = "import sys, time\nfor line in sys.stdin: print(time.time(), time.monotonic(), flush=True)"
    for pace in (1000, 1):  # the second was set when it began, and goes on at the machine's
        given = os.environ | clocks.environment | ({"CLOCK_STEADY": "1"} if pace == 1 else {})
        words, pipe = [sys.executable, "-c", code], subprocess.PIPE
        with subprocess.Popen(words, env=given, stdin=pipe, stdout=pipe, text=True) as process:

            def seen(process: subprocess.Popen[str] = process) -> list[float]:
                print(file=process.stdin, flush=True)
                return [float(word) for word in process.stdout.readline().split()]

            first, began = seen()
            clocks.jump(1e7)
            jumped, later = seen()
            assert first >= 2_000_000_000
            assert jumped - first == pytest.approx(1e7 + pace * (later - began), rel=1e-6)
            process.stdin.close()


def test_a_unit_is_started_again_after_a_kill_and_left_after_a_wrong_call(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(season, "AGAIN_S", 0.0)
    unit = season.Unit(["sleep", "1000"], tmp_path / "log")
    first = unit.process
    unit.look()
    first.kill()
    while unit.process is first:
        unit.look()
    assert unit.codes == [-9]
    unit.process.kill()
    wrong = season.Unit([sys.executable, "-c", "raise SystemExit(2)"], tmp_path / "log")
    wrong.process.wait()
    for _ in range(3):
        wrong.look()
    assert wrong.codes == [wrong.process.poll()] == [2]
