"""What the measuring commands make of their figures; the figures themselves are no matter of tests."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from benchmarks import compare, peer, peers

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
