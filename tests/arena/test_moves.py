"""Moves of a match in one array are the same as one by one, also when they have travelled."""

import hashlib
import pickle
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.played import Moves
from leagues.secret import Secret

GAMES = st.lists(st.lists(st.integers(-(2**15), 2**15 - 1), max_size=5), max_size=5)


def listed(moves: Moves) -> list[list[int]]:
    return [one.tolist() for one in moves]


@given(GAMES)
def test_moves_are_those_of_every_game_also_when_they_have_travelled(games: list[list[int]]) -> None:
    made = Moves([np.array(one, np.int16) for one in games])
    there = pickle.loads(pickle.dumps(made))
    assert len(made) == len(there) == len(games) and listed(made) == listed(there) == games
    assert (
        [made[at].tolist() for at in range(len(games))]
        == games
        == [there[at - len(games)].tolist() for at in range(len(games))]
    )
    assert listed(made[1:3]) == games[1:3] and Moves.of(made) is made
    told = b"".join(np.array([len(one)], "<i4").tobytes() + np.array(one, "<i2").tobytes() for one in games)
    assert made.digested() == there.digested() == told
    raw = zlib.decompress(made.frame)
    assert np.frombuffer(raw, "<i4", len(games)).tolist() == [len(one) for one in games]
    assert np.frombuffer(raw[4 * len(games) :], "<i2").tolist() == [action for one in games for action in one]


def test_a_game_that_is_not_there_and_a_number_that_does_not_fit_are_refused() -> None:
    with pytest.raises(IndexError):
        Moves([np.array([1], np.int16)])[1]
    with pytest.raises(ValueError, match="the numbers 0 to 40000 cannot be stored as int16"):
        Moves([np.array([0, 40000])])


@pytest.mark.parametrize("many", [0, 1, 4, 200])
@given(st.binary(min_size=16, max_size=16), st.integers(0, 10**12), st.integers(1, 9))
def test_many_seeds_and_orders_are_the_keyed_hashes_of_their_numbers(
    many: int, key: bytes, first: int, places: int
) -> None:
    def hashed(text: str) -> int:
        return int.from_bytes(hashlib.blake2b(text.encode(), key=key, digest_size=8).digest(), "big")

    secret, blocks = Secret(key), range(first, first + many)
    in_order = sorted(range(many), key=lambda at: hashed(f"game/{first + at}/{places}"))
    assert secret.game_order(blocks, places).tolist() == in_order
    assert secret.deal_seeds(blocks).tolist() == [hashed(f"deal/{block}") for block in blocks]
    assert secret.orders(blocks, places).tolist() == [
        [0, *sorted(range(1, places), key=lambda place: hashed(f"order/{block}/{place}"))] for block in blocks
    ]
