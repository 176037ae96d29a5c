"""Progress as lines: for people and for programs."""

import json
from types import SimpleNamespace

import pytest

from arena.cli import progress
from arena.cli.progress import Progress, duration, in_words, watching


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which stands still unless a test moves it."""
    now = [1000.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_json_lines_have_games_matches_speed_nodes_and_what_is_left(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with watching(Progress.JSON)(100, 20, "games") as add:
        clock[0] += 5
        add(10, matches=3, matches_planned=10, nodes=2, repeated=0)  # the first is told at once
        clock[0] += 1
        add(10, matches=4, matches_planned=10, nodes=2, repeated=1)  # too early for the next line
        clock[0] += 4
        add(10, matches=5, matches_planned=10, nodes=3, repeated=1)
    out, err = capsys.readouterr()
    first, last = [json.loads(line) for line in err.splitlines()]  # no state is told twice
    assert out == ""
    assert first == {
        "games": 30, "games_planned": 100, "games_per_s": 2.0, "seconds_left": 35,
        "matches": 3, "matches_planned": 10, "nodes": 2, "repeated": 0,
    }  # fmt: skip
    assert last == {
        "games": 50, "games_planned": 100, "games_per_s": 3.0, "seconds_left": 17,
        "matches": 5, "matches_planned": 10, "nodes": 3, "repeated": 1,
    }  # fmt: skip


def test_plain_lines_come_every_half_minute_and_where_there_is_no_terminal(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with watching(Progress.AUTO)(1000, 0, "games") as add:  # pytest's stderr is no terminal
        for _ in range(7):
            clock[0] += 10
            add(64, nodes=1)
    assert capsys.readouterr().err.splitlines() == [
        "64 of 1000 games, 6.4 games/s, 1 node, 2 min 26 s left",
        "320 of 1000 games, 6.4 games/s, 1 node, 1 min 46 s left",
        "448 of 1000 games, 6.4 games/s, 1 node, 1 min 26 s left",
    ]


def test_nothing_is_said_on_request_and_where_nothing_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Progress.NONE)(10, 0, "games") as add:
        add(10, matches=1, nodes=1, repeated=0)
    with watching(Progress.PLAIN)(10, 10, "games"):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_line_for_people_leaves_out_what_is_not_known() -> None:
    facts = {"games": 5, "games_planned": 9, "games_per_s": 0.0, "seconds_left": None, "may_end_sooner": 1}
    assert in_words(facts, "games") == "5 of 9 games, 0.0 games/min, time left unknown"
    assert in_words(facts | {"games_per_s": 0.05}, "games").startswith("5 of 9 games, 3.0 games/min, ")
    facts |= {"matches": 1, "matches_planned": 2, "nodes": 2, "repeated": 3, "seconds_left": 0}
    assert in_words(facts, "games") == (
        "5 of 9 games, 1 of 2 matches, 0.0 games/min, 2 nodes, 3 called off and played again, at most 0 s left"
    )


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (3661, "1 h 1 min"),
        (86400 + 7200 + 60, "1 d 2 h"),
    ],
)
def test_times_are_told_in_their_two_largest_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text
