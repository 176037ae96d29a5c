"""What a trained network needs works behind the wall: views as numbers, weights from the bot's folder, one call
for all views.
"""

from pathlib import Path

import numpy as np

import engines
from arena.cell import GameZygote
from arena.jail import Limits, Program
from engines.learn.__main__ import BOT
from engines.learn.network import Network

from .test_jail import request

COLUMNS = engines.load("flip7").encoding_size
ONE_BY_ONE = f"""
GAMES = ["flip7"]
def act(view):
    numbers, mask = view.encode(), view.legal_mask()
    assert numbers.shape == ({COLUMNS},) and str(numbers.dtype) == "float32"
    return int(view.legal[int(round(float(numbers.sum()) * 1000)) % int(mask.sum())])
""".encode()


def answers(zygote: GameZygote, files: dict[str, bytes], n: int) -> list[int]:
    """What a bot says to the first decision of `n` games; it has made no fault."""
    bot = zygote.spawn(Program("net", files), Limits(), 1)
    try:
        assert bot.ready() is None
        reply = bot.ask(request(n))
        assert not reply.faults and bot.fault is None
        return reply.actions.tolist()
    finally:
        bot.close()


def test_a_view_in_the_jail_encodes_as_outside(zygote: GameZygote) -> None:
    rows, _, _, legal, offsets = request(5)
    sums = engines.load("flip7").encode(rows).sum(axis=1)
    wanted = [
        int(some[round(float(total) * 1000) % len(some)])
        for some, total in zip(np.split(legal, offsets[1:-1]), sums)
    ]
    assert answers(zygote, {"net.py": ONE_BY_ONE}, 5) == wanted


def test_a_bot_that_training_wrote_plays_with_its_weights(tmp_path: Path, zygote: GameZygote) -> None:
    """Its weights say `stay` (1) to every row, then `hit` (0)."""
    for action in (0, 1):
        network = Network.new([COLUMNS + 14, 4, 4, 14], np.random.default_rng(1))
        for array in network.parameters():
            array[:] = 0
        network.biases[-1][action] = 1
        network.save(tmp_path / "weights.npz")
        files = {
            "__init__.py": BOT.format(game="flip7").encode(),
            "weights.npz": (tmp_path / "weights.npz").read_bytes(),
        }
        said = answers(zygote, files, 3)
        _, _, _, legal, offsets = request(3)
        may = [action in some for some in np.split(legal, offsets[1:-1])]
        assert [one == action for one in said] == may
