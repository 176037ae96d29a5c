"""Bots of the profile `threads` that let their threads race for the question, the channel and the end of the
process: each ends with a verdict, and a bot beside it plays on.
"""

from collections.abc import Iterator

import pytest

from arena.cell import BotProcess, GameZygote
from arena.jail import Limits, Program

from .suite import GAME, HONEST, first_decisions

HEAD = f'import ctypes, os, signal, struct, threading, time\nGAMES = ["{GAME}"]\n'
HEAD += "def start(act): threading.Thread(target=act, daemon=True).start()\n"
LOW = "def act(view): return view.legal[0]\n"
LIMITS = Limits(profile="threads", memory_mib=1024, cpu_s_bank=0.3, cpu_s_start=0.5, sleep_s_bank=0.3)
REQUESTS = 30

RACES = {  # source, faults of which one ends it; "" if it plays on
    "read the questions": ("def thief():\n    while True: os.read(3, 16)\nstart(thief)\n" + LOW, {"wall"}),
    "answer too": (
        "def echo():\n    while True: os.write(3, struct.pack('<QHHI', 0, 3, 0, 0) + bytes(6))\nstart(echo)\n"
        + LOW,
        {"protocol", "import"},
    ),
    "close the channel": (
        "def act(view):\n    start(lambda: os.close(3)); time.sleep(0.05); return view.legal[0]\n",
        {"protocol", "crash"},
    ),
    "end the process from many": (
        "def act(view):\n    for _ in range(9): start(lambda: os._exit(5))\n    time.sleep(9)\n",
        {"crash"},
    ),
    "end it from another": (
        "def act(view):\n    start(lambda: os.kill(os.getpid(), 15))\n    while True: pass\n",
        {"crash"},
    ),
    "ask for its own stack": (
        "def storm():\n    for _ in range(300): os.kill(os.getpid(), signal.SIGUSR1)\nstart(storm)\n" + LOW,
        {""},
    ),
}


@pytest.fixture(scope="module")
def zygote() -> Iterator[GameZygote]:
    with GameZygote(GAME, profile="threads") as opened:
        yield opened


def start(zygote: GameZygote, source: str, limits: Limits = LIMITS) -> BotProcess:
    return zygote.spawn(Program("bot", {"bot.py": source.encode()}), limits, 1)


@pytest.mark.parametrize("race", RACES)
def test_threads_that_race_cost_their_bot_and_nobody_else(zygote: GameZygote, race: str) -> None:
    source, kinds = RACES[race]
    honest = start(zygote, HONEST, Limits(profile="threads", cpu_s_bank=60, sleep_s_bank=60))
    racer = start(zygote, HEAD + source)
    assert honest.ready() is None
    fault = racer.ready()
    for _ in range(REQUESTS):
        if fault is None:
            reply = racer.ask(first_decisions(zygote.game, 3))
            fault = reply.fault or next(iter(reply.faults.values()), None)
    assert (str(fault.kind) if fault else "") in kinds, fault
    reply = honest.ask(first_decisions(zygote.game, 3))
    assert reply.fault is None and not reply.faults
    racer.close()
    honest.close()
