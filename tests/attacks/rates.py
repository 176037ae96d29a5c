"""How many bits a second two bots can tell each other through what no filter of system calls covers: `python -m
tests.attacks --rates` (some minutes, on a machine with nothing else to do). Prints Markdown.

A rate is the capacity of the channel at the share of wrong bits that was measured: half of the bits are for the
hearer to learn what a 1 looks like, the others are told. Beside it is the control: the same code, and a sender that
sends nothing. A rate that is not above its control is chance.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import log2
from pathlib import Path

import numpy as np

from arena.jail import Layer, Limits, Program
from arena.player import BotProcess, GameZygote

from .suite import GAME, first_decisions

HERE = Path(__file__).parent / "caches"
LIMITS = Limits(cpu_s_bank=600, sleep_s_bank=600)
BITS = 600
SLOTS = (0.001, 0.005, 0.025)  # s
LINES = 2048  # of a turn of a match


def main() -> None:
    """Print the table."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("this takes two cores")
    print("| between | through | bits a second | wrong | sender off: bits a second | wrong |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    with GameZygote(GAME) as one, GameZygote(GAME) as other:
        rows = [
            ("two matches, no wall", "the page of zeros (Flush+Reload)", "reload", ()),
            ("two matches, `strict`", "the page of zeros (Flush+Reload)", "reload", None),
            ("two matches, `strict`", "the last cache and the memory bus (how busy they are)", "press", None),
            ("two matches, `strict`", "how fast a core computes beside a busy one", "speed", None),
        ]
        for who, what, method, layers in rows:
            on, off = (
                max(in_slots((one, other), cores, method, slot, layers, sends) for slot in SLOTS)
                for sends in (True, False)
            )
            print(_row(who, what, on, off), flush=True)
        on, off = in_turns(one, cores[0]), in_turns(one, cores[0], sends=False)
        print(_row("two seats of a match, `strict`", "pages of their fork server", on, off))


def _row(who: str, what: str, on: tuple[float, float], off: tuple[float, float]) -> str:
    """A line of the table, of rates and shares of wrong bits."""
    return f"| {who} | {what} | {on[0]:.0f} | {on[1]:.1%} | {off[0]:.0f} | {off[1]:.1%} |"


def capacity(wrong: float) -> float:
    """Bits that a told bit is worth."""
    p = min(wrong, 1 - wrong)
    return 1.0 if p == 0 else 1 + p * log2(p) + (1 - p) * log2(1 - p)


def decoded(values: Sequence[float], bits: Sequence[int]) -> float:
    """The share of wrong bits in the second half, with the best threshold of the first."""
    half = len(bits) // 2
    heard, sent = np.array(values), np.array(bits)
    limits = np.quantile(heard[:half], np.linspace(0.01, 0.99, 99))
    right = [((heard[:half] > limit) == sent[:half]).mean() for limit in limits]
    best = limits[int(np.argmax(right))]
    return float(((heard[half:] > best) != sent[half:]).mean())


def start(zygote: GameZygote, core: int, text: str, layers: tuple[Layer, ...] | None = None) -> BotProcess:
    """A bot that is loaded."""
    bot = zygote.spawn(Program("bot", {"bot.py": text.encode()}), LIMITS, 1, core, layers)
    if fault := bot.ready():
        raise RuntimeError(fault.text)
    return bot


def in_slots(
    zygotes: Sequence[GameZygote],
    cores: Sequence[int],
    method: str,
    slot: float,
    layers: tuple[Layer, ...] | None,
    sends: bool = True,
) -> tuple[float, float]:
    """Bits a second and share of wrong bits of two bots that run at the same time, on two cores."""
    bits = [random.randrange(2) for _ in range(BITS)]
    begin = time.monotonic() + 3
    told = bits if sends else [0] * BITS
    known = f"PLACE, METHOD, BITS, START, SLOT = 'zeros', {method!r}, {told}, {begin}, {slot}\n"
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
    wrong = decoded(values, bits)
    return capacity(wrong) / slot, wrong


TURNS = """
import random

begin = PLACES["library"]()[0] & -PAGE
order = [begin + PAGE * (8 + 37 * i // 32 % 256) + 2 * LINE * (i % 32) for i in range(len(BITS))]
random.Random(1).shuffle(order)


def act(view):
    limit = threshold()
    if ROLE == "sender":
        for line, bit in zip(order, BITS):
            if bit:
                read(line)
    else:
        print("HEARD", *(reload(line) for line in order))
    return view.legal[0]
"""


def in_turns(zygote: GameZygote, core: int, sends: bool = True) -> tuple[float, float]:
    """The same of two bots of one match, which are asked in turn: a line is a bit."""
    bits = [random.randrange(2) for _ in range(LINES)]
    text = (
        f"PLACE, BITS = 'library', {bits if sends else [0] * LINES}\n"
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
    wrong = decoded(values, bits)
    return capacity(wrong) * LINES / took, wrong
