"""Thousands of matches with faulty bots in them: the worker and its fork server must not grow, and no match
may fail.

make soak                       all of it (10 000 matches, some minutes)
ARENA_SOAK=500 make soak        fewer
"""

import os
import random
from pathlib import Path

import pytest

from arena.cell import GameZygote
from arena.jail import Program
from arena.match.batch import play_match
from arena.match.setup import MatchSetup
from leagues.limits import Limits

from . import suite

GAME = "flip7"
MATCHES = int(os.environ.get("ARENA_SOAK", "10000"))
WARM_UP = max(MATCHES // 10, 20)
SLOW = {"wall", "cpu"}  # these verdicts take their time each
LIMITS = Limits(cpu_ms_per_decision=1, cpu_s_bank=0.3, cpu_s_start=0.6, sleep_s_bank=0.1, memory_mib=128)
HONEST = 'GAMES = ["flip7"]\n\n\ndef act(view):\n    return view.rng.choice(view.legal.tolist())\n'
MAX_GROWTH_MIB = 8.0


def faulty_bots() -> list[Program]:
    """The disruptions that need nothing beside them, the slow ones once, the quick ones often."""
    attacks = [a for a in suite.attacks(Path(__file__).parent / "disruptions") if "from .aim" not in a.source]
    names = [attack for attack in attacks for _ in range(1 if SLOW & set(attack.verdicts) else 20)]
    return [Program(one.name, {f"{one.name}.py": one.source.encode()}) for one in names]


def usage(pid: int) -> tuple[float, int, int]:
    """Resident MiB, descriptors and children of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return resident, len(list(Path(f"/proc/{pid}/fd").iterdir())), len(children)


@pytest.mark.soak
def test_a_worker_does_not_grow_over_many_matches_with_faulty_bots() -> None:
    honest = Program("honest", {"honest.py": HONEST.encode()})
    faulty = faulty_bots()
    rng = random.Random(1)
    forfeits = 0
    with GameZygote(GAME) as zygote:
        for number in range(MATCHES):
            line_up = [honest, honest, rng.choice(faulty)]
            seeds = [rng.getrandbits(64) for _ in range(2)]
            setup = MatchSetup.of_games(GAME, seeds, (0, 1, 2), {}, number, limits=LIMITS)
            result = play_match(setup, line_up, zygote)
            forfeits += len(result.forfeits)
            assert all(lost.place == 2 for lost in result.forfeits), result.forfeits
            if number == WARM_UP:
                before = usage(os.getpid()), usage(zygote.pid)
        after = usage(os.getpid()), usage(zygote.pid)
    assert forfeits > MATCHES // 2
    for (mib, descriptors, children), (mib_now, descriptors_now, children_now) in zip(before, after):
        assert descriptors_now == descriptors and children_now == children
        assert mib_now - mib < MAX_GROWTH_MIB, f"{mib:.1f} -> {mib_now:.1f} MiB"
