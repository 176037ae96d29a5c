"""A machine that runs out of memory while bots use what they may: the kernel ends the largest of them, whatever it
says of itself, and nobody else; the match is called off and names it. In a control group, as a small machine.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

GROUPS = Path("/sys/fs/cgroup")
MIB = 1 << 20
PLAYED = """
import json, os, sys
from arena.jail import Killed, Limits, Program
from arena.cell import GameZygote
from tests.attacks.suite import GAME, HONEST, first_decisions

HOARDER = '''
import os
GAMES = ["flip7"]
hoard = []
try:
    os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-1000")
except OSError:
    pass

def act(view):
    hoard.append(bytes([len(hoard)]) * (400 << 20))
    return view.legal[0]
'''
with GameZygote(GAME) as zygote:
    with open(sys.argv[1], "w") as group:
        group.write(str(os.getpid()))
    with open(sys.argv[1], "w") as group:
        group.write(str(zygote.pid))
    bots = [
        zygote.spawn(Program(name, {f"{name}.py": text.encode()}), Limits(cpu_s_bank=60, sleep_s_bank=60), 1)
        for name, text in (("honest", HONEST), ("hoarder", HOARDER))
    ]
    assert [bot.ready() for bot in bots] == [None, None]
    asked, why = first_decisions(zygote.game, 3), ""
    try:
        bots[1].ask(asked)
    except Killed as killed:
        why = str(killed)
    reply = bots[0].ask(asked)
    print(json.dumps({"why": why, "alive": zygote.alive, "honest": reply.fault is None and not reply.faults}))
"""


@pytest.fixture
def small_machine() -> Iterator[Path]:
    """The file that takes processes of a control group with little memory for new pages."""
    v1 = GROUPS / "memory"
    folder = (v1 if v1.is_dir() else GROUPS) / f"arena-test-{os.getpid()}"
    try:
        folder.mkdir()
        limit = folder / ("memory.limit_in_bytes" if v1.is_dir() else "memory.max")
        limit.write_text(str(200 * MIB))
    except OSError as error:
        with contextlib.suppress(OSError):
            folder.rmdir()
        pytest.skip(f"no control group with a limit of memory can be made here: {error}")
    yield folder / "cgroup.procs"
    folder.rmdir()


def test_the_kernel_ends_the_bot_that_takes_most_and_the_match_is_called_off(small_machine: Path) -> None:
    command = [sys.executable, "-c", PLAYED, str(small_machine)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["alive"] and told["honest"]
    assert told["why"].startswith("the process of hoarder (") and "was killed from outside" in told["why"]
