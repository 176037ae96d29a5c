"""Wants to learn the deals' seeds from its own."""

from hashlib import blake2b

from .aim import attempt, is_a_deals_seed

GAMES = ["flip7"]
WALL = False


def guesses(seed):
    """What somebody careless could have made of one seed."""
    for near in range(-50, 50):
        for start in (seed, seed << 1, seed >> 1, seed ^ (1 << 63), ~seed):
            yield (start + near) % 2**64
    for text in (f"{seed}", f"{seed}/deal/0", f"{seed}/0"):
        yield int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


class Bot:
    def __init__(self, seat, seed):
        self.seed = seed

    def act(self, view):
        attempt(lambda: [seed for seed in guesses(self.seed) if is_a_deals_seed(seed)] or None)
        return view.legal[0]
