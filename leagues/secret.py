"""The secret of a run: keyed hashes for everything that must not be foreseen, and what is published of it.

All randomness of a run is a keyed hash (blake2b) of one secret with a purpose and numbers: deals, orders and
bots' own seeds. Nothing here says who plays; that is `schedule`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Blocks = Sequence[int] | NDArray[np.integer]


@dataclass(frozen=True)
class Secret:
    """The secret that all seeds of a league come from.

    Its hash is published before the first deal, itself after the last.
    """

    key: bytes

    @classmethod
    def fresh(cls) -> Secret:
        """128 random bits."""
        return cls(secrets.token_bytes(16))

    @classmethod
    def of_seed(cls, seed: int) -> Secret:
        """Return the secret of a known seed, for repeatable runs: whoever knows the seed knows every card."""
        return cls(hashlib.blake2b(f"seed/{seed}".encode(), digest_size=16).digest())

    @property
    def hash(self) -> str:
        """What is published beforehand: blake2b-256 of the key."""
        return hashlib.blake2b(self.key, digest_size=32).hexdigest()

    def commitment(self, fingerprint: str) -> str:
        """Bind the secret to a definition and its entrants.

        It is the blake2b-256 of the key and of their hash (hex).
        """
        return hashlib.blake2b(self.key + bytes.fromhex(fingerprint), digest_size=32).hexdigest()

    def mixed(self, fingerprint: str) -> Secret:
        """Return the secret of the deals: this one, with the hash (hex) of definition and entrants mixed in.

        So whoever drew this secret did not choose the deals alone, and neither did whoever sent in a bot.
        """
        return Secret(hashlib.blake2b(bytes.fromhex(fingerprint), key=self.key, digest_size=16).digest())

    def number(self, purpose: str, *numbers: int) -> int:
        """64 bits: blake2b of "purpose/n/n/..." under the key."""
        message = "/".join([purpose, *map(str, numbers)]).encode()
        return int.from_bytes(hashlib.blake2b(message, key=self.key, digest_size=8).digest(), "big")

    def deal_seed(self, block: int) -> int:
        """Seed of the deal of a block."""
        return self.number("deal", block)

    def deal_seeds(self, blocks: Blocks) -> NDArray[np.uint64]:
        """Seeds of the deals of many blocks."""
        return self._numbers("deal", np.asarray(blocks, np.int64)[:, None])

    def bot_seed(self, match: int, place: int) -> int:
        """Seed of the bot's own randomness; tells nothing about deals."""
        return self.number("bot", match, place)

    def orders(self, blocks: Blocks, places: int) -> NDArray[np.int64]:
        """Draw a random circular order of the places of a line-up for each block.

        A row each: place 0 first, the others by their hash.
        """
        pairs = np.empty((len(blocks), places - 1, 2), np.int64)
        pairs[:, :, 0], pairs[:, :, 1] = np.asarray(blocks)[:, None], np.arange(1, places)
        hashed = self._numbers("order", pairs.reshape(-1, 2)).reshape(pairs.shape[:2])
        drawn = np.zeros((len(pairs), places), np.int64)
        drawn[:, 1:] = hashed.argsort(axis=1, kind="stable") + 1
        return drawn

    def game_order(self, blocks: Blocks, rotation: int) -> NDArray[np.int64]:
        """Return the order in which a rotation plays its blocks: indices, by a hash of block and rotation.

        So the third game of two rotations is not the same deal, and no bot can tell which is.
        """
        pairs = np.empty((len(blocks), 2), np.int64)
        pairs[:, 0], pairs[:, 1] = blocks, rotation
        return self._numbers("game", pairs).argsort(kind="stable")

    def _numbers(self, purpose: str, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        """As `number`, for each row of numbers."""
        keyed, digests = hashlib.blake2b(key=self.key, digest_size=8), []
        form = (purpose + "/%d" * numbers.shape[1]).encode()
        for row in numbers.tolist():
            hashed = keyed.copy()
            hashed.update(form % tuple(row))
            digests.append(hashed.digest())
        return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
