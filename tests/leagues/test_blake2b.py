"""Keyed hashes of many messages at once are those of hashlib."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core import JIT
from leagues.blake2b import keyed_hashes

pytestmark = pytest.mark.skipif(not JIT, reason="without the JIT it is hashlib that hashes")
NUMBER = st.integers(0, 2**63 - 1) | st.sampled_from([10**n + more for n in range(19) for more in (-1, 0)])


@given(
    st.binary(min_size=1, max_size=64),
    st.binary(max_size=20),
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(NUMBER, min_size=n, max_size=n), min_size=1)),
)
def test_hashes_are_those_of_hashlib_for_any_key_and_numbers(
    key: bytes, purpose: bytes, rows: list[list[int]]
) -> None:
    texts = [b"/".join([purpose, *(b"%d" % number for number in row)]) for row in rows]
    wanted = [int.from_bytes(hashlib.blake2b(one, key=key, digest_size=8).digest(), "big") for one in texts]
    assert keyed_hashes(key, purpose, np.array(rows, np.int64)).tolist() == wanted


@pytest.mark.parametrize("rows", [[[2**62] * 7], [[3], [-1]]])
def test_messages_of_more_than_a_block_and_numbers_below_0_are_refused(rows: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="numbers from 0 on, in messages of fewer than 128 bytes"):
        keyed_hashes(b"key", b"deal", np.array(rows, np.int64))
