"""How many bits a second two bots can tell each other through what no filter of system calls covers: `python -m
tests.attacks --rates` (five minutes, on a machine with nothing else to do). Prints Markdown.

Half of the bits are for the hearer to learn what a 1 looks like. A rate is the capacity of the channel at the share
of the other bits that it got wrong. Every length of a bit has a row of its own, since the best of several rows
would be the luckiest. Two controls stand beside each row:

- the same code and a sender that sends nothing: what is heard of it is a mistake of the statistic;
- a channel that is open for sure, in bits of the same length. Where the hearer misses that, the row says nothing.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from arena.cell import BotProcess, GameZygote
from arena.jail import Layer, Limits, Program

from .suite import GAME, first_decisions

HERE = Path(__file__).parent / "caches"
LIMITS = Limits(cpu_s_start=60, cpu_s_bank=600, cpu_s_match=600, sleep_s_bank=600, memory_mib=1024)
BITS = 800  # the first half is known to the hearer
SLOTS = (0.001, 0.005, 0.025)  # s
GROUPS = 256  # of lines, a bit each, of a turn of a match: more are too many for the core's own cache
SURE = 0.999  # two-sided: of some thirty rows, one is taken for heard by chance in 70 tables

Layers = tuple[Layer, ...] | None
NO_WALL: Layers = ()
JAILED: Layers = None
ROWS: tuple[tuple[str, str, str, Layers, str | None], ...] = (  # the last: the control that must be heard
    ("two matches, no sandbox (control)", "a file that both have mapped", "file", NO_WALL, None),
    ("two matches, no sandbox (control)", "the page of zeros, Flush+Reload", "reload", NO_WALL, None),
    ("two matches, `strict`", "the page of zeros, Flush+Reload", "reload", JAILED, "reload"),
    (
        "two matches, `strict`",
        "the last cache and the memory bus: how busy they are",
        "press",
        JAILED,
        "file",
    ),
    ("two matches, `strict`, threads", "the page of zeros, caught by a race", "caught", JAILED, "reload"),
    ("two matches, `strict`", "how fast a core computes beside a busy one", "speed", JAILED, "file"),
)


@dataclass(frozen=True)
class Heard:
    """How many of the bits that were told were wrong, and how long one takes (s)."""

    wrong: int
    told: int
    bit_s: float

    @property
    def limits(self) -> tuple[float, float]:
        """The share of wrong bits, from and to (Wilson, `SURE`)."""
        found = binomtest(self.wrong, self.told).proportion_ci(SURE, "wilson")
        return float(found.low), float(found.high)

    @property
    def anything(self) -> bool:
        """Whether fewer bits were wrong than chance explains."""
        return self.limits[1] < 0.5

    @property
    def rate(self) -> float:
        """Bits a second; of what was not heard, the most that may have been missed."""
        return capacity(self.wrong / self.told if self.anything else self.limits[0]) / self.bit_s

    def __str__(self) -> str:
        """Say it for a table."""
        return f"{'' if self.anything else '< '}{self.rate:.{0 if self.rate >= 10 else 1}f} ({self.wrong / self.told:.1%})"


def main() -> None:
    """Print the table."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("this takes two cores")
    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    print("| between | through | a bit | bits a second (wrong) | sender off | verdict |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    with GameZygote(GAME) as one, GameZygote(GAME) as other, _threads() as three, _threads() as four:
        for slot in SLOTS:
            heard: dict[str | None, bool] = {None: True}
            for who, what, method, layers, control in ROWS:
                between = (three, four) if method == "caught" else (one, other)
                on, off = (in_slots(between, cores, method, slot, layers, sends) for sends in (True, False))
                heard.setdefault(method, on.anything)
                print(_row(who, what, f"{slot * 1e3:g} ms", on, off, heard[control]), flush=True)
        on, off = in_turns(one, cores[0]), in_turns(one, cores[0], sends=False)
        seats = "two seats of a match, `strict` (open)", "pages of their fork server, Flush+Reload", "8 lines"
        print(_row(*seats, on, off, on.anything))


def _threads() -> GameZygote:
    return GameZygote(GAME, profile="threads")


def _row(who: str, what: str, bit: str, on: Heard, off: Heard, control: bool) -> str:
    """A line of the table."""
    return f"| {who} | {what} | {bit} | {on} | {off} | {verdict(on, off, control)} |"


def verdict(on: Heard, off: Heard, control: bool) -> str:
    """What a row says: `control` is whether the channel that is open for sure was heard."""
    if off.anything:
        return "says nothing: heard what was not sent"
    if on.anything:
        return "heard"
    return "not heard" if control else "says nothing: control not heard either"


def capacity(wrong: float) -> float:
    """Bits that a told bit is worth, by the share of wrong ones, of which half are chance."""
    p = min(wrong, 0.5)
    return 1.0 if p == 0 else 1 + p * log2(p) + (1 - p) * log2(1 - p)


def decoded(values: Sequence[float], bits: Sequence[int], bit_s: float) -> Heard:
    """Tell the second half of the bits, by what parts zeros and ones best in the first."""
    half = len(bits) // 2
    heard, sent = np.array(values), np.array(bits) == 1
    limits = np.quantile(heard[:half], np.linspace(0.01, 0.99, 99))
    right = [((heard[:half] > limit) == sent[:half]).mean() for limit in limits]
    best = int(np.argmax(np.abs(np.array(right) - 0.5)))  # a 1 may be the smaller value
    told = (heard[half:] > limits[best]) == (right[best] > 0.5)
    return Heard(int((told != sent[half:]).sum()), len(bits) - half, bit_s)


def start(zygote: GameZygote, core: int, text: str, layers: Layers = None) -> BotProcess:
    """A bot that is loaded."""
    limits = replace(LIMITS, profile=zygote.profile)
    bot = zygote.spawn(Program("bot", {"bot.py": text.encode()}), limits, 1, core, layers)
    if fault := bot.ready():
        raise RuntimeError(fault.text)
    return bot


def in_slots(
    zygotes: Sequence[GameZygote],
    cores: Sequence[int],
    method: str,
    slot: float,
    layers: Layers,
    sends: bool = True,
) -> Heard:
    """What two bots hear that run at the same time, on two cores."""
    bits = [random.randrange(2) for _ in range(BITS)]
    told = bits if sends else [0] * BITS
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(4096))
        file.flush()
        begin = time.time() + 2
        place, how = ("caught", "reload") if method == "caught" else ("zeros", method)
        known = f"PLACE, METHOD, BITS = {place!r}, {how!r}, {told}\n"
        known += f"START, SLOT, PATH = {begin}, {slot}, {file.name!r}\n"
        text = known + "".join((HERE / f"{name}.py").read_text() for name in ("flush_and_reload", "slots"))
        roles = ("sender", "hearer")
        bots = [
            start(zygote, core, f"ROLE = {role!r}\n{text}", layers)
            for zygote, core, role in zip(zygotes, cores, roles)
        ]
        try:
            with ThreadPoolExecutor(2) as pool:
                asked = [pool.submit(bot.ask, first_decisions(zygotes[0].game, 1)) for bot in bots]
                replies = [one.result() for one in asked]
            assert not any(reply.fault or reply.faults for reply in replies), replies
            values = [float(word) for word in bots[1].log().split()[1:]]
        finally:
            for bot in bots:
                bot.close()
    return decoded(values, bits, slot)


TURNS = """
import random

begin = PLACES["library"]()[0] & -PAGE
pages = [begin + PAGE * (8 + i) for i in range(len(BITS))]
random.Random(1).shuffle(pages)
groups = [group([page + 4 * LINE * at for at in (1, 6, 3, 0, 5, 2, 7, 4)]) for page in pages]


def act(view):
    if ROLE == "sender":
        for lines, bit in zip(groups, BITS):
            if bit:
                read(lines)
    else:
        print("HEARD", *(reload(lines) for lines in groups))
    return view.legal[0]
"""


def in_turns(zygote: GameZygote, core: int, sends: bool = True) -> Heard:
    """The same of two bots of one match, which are asked in turn: a group of lines is a bit."""
    bits = [random.randrange(2) for _ in range(GROUPS)]
    text = (
        f"PLACE, BITS = 'library', {bits if sends else [0] * GROUPS}\n"
        + (HERE / "flush_and_reload.py").read_text()
        + TURNS
    )
    bots = [start(zygote, core, f"ROLE = {role!r}\n{text}") for role in ("sender", "hearer")]
    asked = first_decisions(zygote.game, 1)
    try:
        for bot in reversed(bots):  # the first time, the hearer flushes
            bot.ask(asked)
        bots[1].ask(asked)
        began = time.perf_counter()
        bots[0].ask(asked)
        bots[1].ask(asked)
        took = time.perf_counter() - began
        values = [float(word) for word in bots[1].log().splitlines()[-1].split()[1:]]
    finally:
        for bot in bots:
            bot.close()
    return decoded(values, bits, took / GROUPS)
