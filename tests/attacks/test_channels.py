"""Two bots of one author, who want to tell each other something: what one of them hears must not hang on what
the other sends.

Each file in `channels` is one way: `send(bit)`, `hear()` (or `hear(sender)`, with the sender's process id)
and, where there is something to do before, `prepare()`. Both know a `TOKEN`. Without a wall, those without
`WORKS = False` must work: else they show nothing.
"""

import ast
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cell import BotProcess, GameZygote
from arena.jail import Level, Limits, Program

from .suite import GAME, channels, first_decisions

CHANNELS = channels()
BITS = [1, 0, 0, 1, 1, 1, 0, 1, 0, 0]
LIMITS = Limits(cpu_s_bank=30, sleep_s_bank=60)
AROUND = """
GAMES = ["flip7"]
turns = iter({turns})


def attempt(act, *arguments):
    try:
        return act(*arguments)
    except Exception as error:
        return f"{{type(error).__name__}} {{getattr(error, 'errno', '')}}"


if "prepare" in globals():
    attempt(prepare)


def act(view):
    print("HEARD", attempt(*next(turns)))
    return view.legal[0]
"""


@pytest.fixture(scope="module")
def zygotes() -> Iterator[dict[str, GameZygote]]:
    with (
        GameZygote(GAME) as strict,
        GameZygote(GAME, Level.NAMESPACES) as spaces,
        GameZygote(GAME, profile="threads") as threads,
    ):
        yield {"strict": strict, "strict+ns": spaces, "with threads": threads, "none": strict}


def heard(zygote: GameZygote, channel: Path, bits: list[int], wall: bool) -> list[str]:
    """What the hearer hears after each bit that the sender sends."""

    def start(role: str, turns: str) -> BotProcess:
        text = f"TOKEN = {token}\n{channel.read_text()}{AROUND.format(turns=turns)}"
        limits = replace(LIMITS, profile=zygote.profile)
        program = Program(role, {f"{role}.py": text.encode()})
        bot = zygote.spawn(program, limits, 1, layers=None if wall else ())
        assert bot.ready() is None, bot.fault
        return bot

    token = secrets.randbelow(1 << 24)
    sender = start("sender", f"[(send, bit) for bit in {[0, *bits]}]")
    try:
        needs = "def hear(sender)" in channel.read_text()
        hearer = start("hearer", f"[(hear, {sender.pid if needs else ''})] * 99")
        try:
            for _ in [0, *bits]:
                assert sender.ask(first_decisions(zygote.game, 1)).fault is None
                assert hearer.ask(first_decisions(zygote.game, 1)).fault is None
            lines = [line for line in hearer.log().splitlines() if line.startswith("HEARD")]
            assert len(lines) == len(bits) + 1
            return lines[1:]
        finally:
            hearer.close()
    finally:
        sender.close()


@pytest.mark.parametrize("level", ["strict", "strict+ns", "with threads"])
@pytest.mark.parametrize("channel", CHANNELS, ids=lambda path: path.stem)
def test_nothing_is_heard_behind_the_wall(zygotes: dict[str, GameZygote], channel: Path, level: str) -> None:
    assert len(set(heard(zygotes[level], channel, BITS, wall=True))) == 1


def works_without_a_wall(channel: Path) -> bool:
    assigned = (node for node in ast.parse(channel.read_text()).body if isinstance(node, ast.Assign))
    return not any(
        isinstance(node.targets[0], ast.Name) and node.targets[0].id == "WORKS" for node in assigned
    )


@pytest.mark.parametrize("channel", [*filter(works_without_a_wall, CHANNELS)], ids=lambda path: path.stem)
def test_every_bit_is_heard_where_there_is_no_wall(zygotes: dict[str, GameZygote], channel: Path) -> None:
    for _ in range(3):  # what the two share, a port for one, may be somebody else's on this machine already
        lines = heard(zygotes["none"], channel, BITS, wall=False)
        meaning = dict(zip(lines, BITS))
        if len(meaning) == 2 and [meaning[line] for line in lines] == BITS:
            return
    raise AssertionError(lines)
