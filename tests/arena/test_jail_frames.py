"""The reply path: whatever bytes a bot sends, they are an answer or that bot's `protocol` fault, and nothing
else.
"""

import json
import random
import socket
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cell import BotProcess, GameZygote, frames
from arena.cell.frames import Words
from arena.jail import Fault, FaultKind, Limits, Program
from arena.jail.outcomes import Failed
from tests.attacks.suite import first_decisions

NONCE = 2**62 + 12345
ROWS = 5
ENDS = {FaultKind.PROTOCOL, FaultKind.IMPORT, FaultKind.MEMORY}
JSON_LIKE: list[Any] = [
    True, False, None, 0, -1, 1.5, 1e400, "x", "\0", [], [[]], {}, {"a": 1}, [True, "exception", "x"],
    [-1, "host", "x"], [0, "exception", 0], ["0", 0, []], float("nan"), "é" * 5000, [[[[[]]]]],
    list(range(50)),
]  # fmt: skip


def read(message: bytes, rows: int = ROWS) -> str:
    """What a message is read as; anything but an answer or a fault is raised."""
    try:
        actions, words = frames.read_reply(message, rows, NONCE)
    except Failed as failed:
        assert failed.kind in ENDS and failed.text
        return str(failed.kind)
    assert actions.dtype == np.int16 and actions.shape == (rows,)
    for said in words:
        assert said.first >= 0 and said.rows > 0 and said.first + said.rows <= rows
        assert (actions[said.first : said.first + said.rows] == -1).all() and said.kind in frames.ROW_FAULTS
        assert len(said.text) <= frames.MAX_TEXT
    return "answer"


def honest(rng: random.Random) -> bytes:
    """A reply as bots send it."""
    if rng.random() < 0.1:
        return frames.last_reply(NONCE, rng.choice(frames.END_FAULTS), "why" * rng.randrange(9))
    actions = np.array([rng.randrange(-1, 20) for _ in range(ROWS)], np.int16)
    rows = [i for i in range(ROWS) if actions[i] < 0]
    failed = [(i, rng.choice(frames.ROW_FAULTS), "x" * rng.randrange(5)) for i in rows]
    return frames.reply(NONCE, actions.tobytes(), failed)


def hostile(rng: random.Random) -> bytes:
    """Random bytes, honest replies changed, cut, repeated and lengthened,
    and values where words should be.
    """
    message = bytearray(honest(rng))
    match rng.randrange(8):
        case 0:
            return rng.randbytes(rng.choice((0, 1, 7, 15, 16, 17, 26, 200)))
        case 1:
            for _ in range(rng.randrange(1, 6)):
                message[rng.randrange(len(message))] = rng.randrange(256)
        case 2:
            return bytes(message[: rng.randrange(len(message))])
        case 3:
            return bytes(message) + rng.randbytes(rng.randrange(1, 40))
        case 4:
            return bytes(message) * rng.randrange(2, 4)
        case 5:
            at = rng.randrange(0, len(message) - 1, 2)
            message[at : at + 2] = struct.pack("<H", rng.choice((0, 1, 2, 255, 32767, 32768, 65535)))
        case 6:
            text = json.dumps(rng.choice(JSON_LIKE)).encode()
            return frames.REPLY.pack(NONCE, ROWS, frames.OK, 0) + struct.pack("<5h", *[-1] * ROWS) + text
        case _:
            entry = frames.WORDS.pack(rng.randrange(9), rng.randrange(9), rng.randrange(5), rng.randrange(9))
            message += entry + rng.randbytes(rng.randrange(9))
    return bytes(message)


def test_a_hundred_thousand_frames_raise_nothing_but_faults() -> None:
    rng = random.Random(11)
    seen = {read(hostile(rng)) for _ in range(100_000)}
    assert seen == {"answer", "protocol", "import", "memory"}


@given(st.binary(max_size=80), st.integers(0, 3))
def test_any_bytes_are_an_answer_or_a_fault(tail: bytes, rows: int) -> None:
    read(tail, rows)
    read(frames.REPLY.pack(NONCE, rows, frames.OK, 0) + tail, rows)
    read(frames.REPLY.pack(NONCE, 0, frames.FAILED, 0) + tail, rows)


def test_an_honest_reply_is_read_as_it_was_meant_and_neighbours_share_what_their_fault_says() -> None:
    actions = np.array([3, -1, -1, 0, -1], np.int16)
    failed = [(row, FaultKind.TYPE, "é" * 5000) for row in (1, 2)] + [(4, FaultKind.ILLEGAL, "ü")]
    got, words = frames.read_reply(frames.reply(NONCE, actions.tobytes(), failed), ROWS, NONCE)
    assert got.tolist() == actions.tolist()
    most = "é" * (frames.MAX_TEXT // len("é".encode()))
    assert words == [Words(1, 2, FaultKind.TYPE, most), Words(4, 1, FaultKind.ILLEGAL, "ü")]


SENDER = """
import os, sys
GAMES = ["flip7"]
frames = iter({frames})

def act(view):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    for data in next(frames):
        os.write(3, data.replace(bytes.fromhex("{nonce}"), frame.f_locals["nonce"].to_bytes(8, "little")))
    {then}
"""
THEN = {"answers": "return 0", "closes": "os.close(3)", "leaves": "os._exit(0)", "burns": "while True: pass"}


@pytest.mark.parametrize("then", THEN)
def test_a_process_that_writes_to_its_channel_itself_ends_in_a_fault(zygote: GameZygote, then: str) -> None:
    rng = random.Random(then)
    limits = Limits(cpu_s_start=0.5, cpu_s_bank=0.1, sleep_s_bank=0.5)
    for _ in range(15):
        messages = [[hostile(rng) for _ in range(rng.randrange(1, 4))]]
        text = SENDER.format(frames=messages, nonce=NONCE.to_bytes(8, "little").hex(), then=THEN[then])
        bot = zygote.spawn(Program("sender", {"sender.py": text.encode()}), limits, 1)
        assert bot.ready() is None
        reply = bot.ask(first_decisions(zygote.game, ROWS))
        fault = reply.fault or next(iter(reply.faults.values()), None)
        assert fault is None or isinstance(fault, Fault)
        second = bot.ask(first_decisions(zygote.game, ROWS))
        assert second.fault is not None  # one message too many, or none at all
        bot.close()


def test_an_error_of_the_reader_is_a_bots_fault(zygote: GameZygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of ours in the reader must not call a match off: a bot could look for it."""

    def broken(*_: Any) -> Any:
        raise IndexError("not thought of")

    low = Program("low", {"low.py": b"GAMES = ['flip7']\ndef act(view): return 0"})
    bot: BotProcess = zygote.spawn(low, Limits(), 1)
    assert bot.ready() is None
    monkeypatch.setattr(frames, "read_reply", broken)
    fault = bot.ask(first_decisions(zygote.game, 2)).fault
    assert fault.kind is FaultKind.PROTOCOL and "IndexError: not thought of" in fault.text


def test_a_message_is_whole_or_not_there() -> None:
    """What makes one deadline enough: the channel keeps messages apart, and a read takes one of them."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        theirs.send(b"a" * frames.MAX_REPLY)
        theirs.send(b"b")
        assert ours.recv(frames.MAX_REPLY + 1) == b"a" * frames.MAX_REPLY and ours.recv(9) == b"b"
