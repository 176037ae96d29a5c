"""The simulated week: its owners send what was asked for, and its clock is seen by processes."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.store.models import Submission
from benchmarks import week
from benchmarks.machines import Clock, Unit
from benchmarks.week import Sent

DAY_S = week.DAY_S


def test_owners_send_two_hundred_bots_of_which_one_in_twenty_is_hostile_and_eve_a_hundred() -> None:
    sent = week.scripts(7, random.Random(0))
    assert sent == week.scripts(7, random.Random(0))
    mine = [one for one in sent if one.owner != "eve"]
    assert len(mine) == 200 and len(sent) == 300
    assert sum(not one.honest for one in mine) == 10
    days = Counter(int(one.at // DAY_S) for one in mine if one.at > 1800)
    assert sorted(days) == list(range(7))
    for one in mine:
        if one.file.endswith(".py") and one.honest:
            compile(one.source, one.file, "exec")


@pytest.mark.parametrize("in_turn, held", [(True, True), (False, False)])
def test_an_honest_owner_waits_for_fair_shares_unless_who_comes_first_is_served_first(
    in_turn: bool, held: bool
) -> None:
    def row(key: int, owner: str, sent: int, taken: int) -> Submission:
        at = [
            datetime(2031, 3, 3, tzinfo=UTC) + timedelta(minutes=minute)
            for minute in (sent, taken, taken + 1)
        ]
        return Submission(
            id=key,
            owner=owner,
            file="",
            note="",
            source=b"",
            state="accepted",
            sent=at[0],
            taken=at[1],
            ended=at[2],
        )

    eves = [row(key, "eve", 0, key + 2 * (in_turn and key > 3)) for key in range(40)]
    mine = [row(100 + at, owner, 2, (4 if in_turn else 40) + at) for at, owner in enumerate(("ada", "bob"))]
    sent = [Sent(0.0, one.owner, "", b"", "", number=one.key) for one in mine]
    assert [week.turns(one, [*eves, *mine])[1] for one in mine] == [3, 3]
    assert week.waits([*eves, *mine], sent)[1][2] == held


def test_a_process_reads_the_simulated_clock_its_jumps_and_its_pace(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    clock = Clock(tmp_path, 2_000_000_000.0, 1000.0)
    code = "import sys, time\nfor line in sys.stdin: print(time.time(), time.monotonic(), flush=True)"

    def begun(steady: bool) -> subprocess.Popen[str]:
        given = os.environ | clock.environment(steady)
        words = [sys.executable, "-c", code]
        return subprocess.Popen(words, env=given, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seen(process: subprocess.Popen[str]) -> tuple[float, float]:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        wall, monotonic = map(float, process.stdout.readline().split())
        return wall, monotonic

    with begun(False) as fast, begun(True) as steady:
        (first, began), (set_then, then) = seen(fast), seen(steady)
        assert first >= 2_000_000_000 and set_then >= 2_000_000_000
        clock.jump(1e7)
        (jumped, later), (after, last) = seen(fast), seen(steady)
        assert jumped - first == pytest.approx(1e7 + 1000 * (later - began), rel=1e-6)
        assert after - set_then == pytest.approx(1e7 + (last - then), rel=1e-6)
        for process in (fast, steady):
            assert process.stdin is not None
            process.stdin.close()


def test_a_unit_is_started_again_after_a_kill_and_left_after_a_wrong_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.machines.AGAIN_S", 0.0)
    unit = Unit("sleeper", ["sleep", "1000"], tmp_path)
    unit.start()
    first = unit.pid
    unit.look(0)
    assert first and unit.peaks[0] > 0 and unit.kill()
    unit.process.wait()  # type: ignore[union-attr]
    while unit.pid in (0, first):
        unit.look(1)
    assert unit.codes == [-9] and not unit.given_up
    unit.stop()
    wrong = Unit("wrong", [sys.executable, "-c", "raise SystemExit(2)"], tmp_path)
    wrong.start()
    wrong.process.wait()  # type: ignore[union-attr]
    wrong.look(0)
    assert wrong.given_up and wrong.codes == [2]
