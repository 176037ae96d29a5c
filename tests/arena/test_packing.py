"""What is kept of a match, packed: its moves, and the CPU time of its decisions. Expected values by hand."""

import hashlib
import pickle
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.played import REQUEST, Moves
from arena.store import packing
from leagues.secret import Secret

GAMES = st.lists(st.lists(st.integers(-(2**15), 2**15 - 1), max_size=5), max_size=5)


def listed(moves: Moves) -> list[list[int]]:
    return [one.tolist() for one in moves]


@given(GAMES)
def test_moves_are_those_of_every_game_also_when_they_have_travelled(games: list[list[int]]) -> None:
    made = Moves([np.array(one, np.int16) for one in games])
    there = pickle.loads(pickle.dumps(made))
    assert len(made) == len(there) == len(games) and listed(made) == listed(there) == games
    assert [made[at].tolist() for at in range(len(games))] == games
    assert [there[at - len(games)].tolist() for at in range(len(games))] == games
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
def test_seeds_and_orders_are_hashes_of_their_numbers(many: int, key: bytes, first: int, places: int) -> None:
    def hashed(text: str) -> int:
        return int.from_bytes(hashlib.blake2b(text.encode(), key=key, digest_size=8).digest(), "big")

    secret, blocks = Secret(key), range(first, first + many)
    in_order = sorted(range(many), key=lambda at: hashed(f"game/{first + at}/{places}"))
    assert secret.game_order(blocks, places).tolist() == in_order
    assert secret.deal_seeds(blocks).tolist() == [hashed(f"deal/{block}") for block in blocks]
    assert secret.orders(blocks, places).tolist() == [
        [0, *sorted(range(1, places), key=lambda place: hashed(f"order/{block}/{place}"))] for block in blocks
    ]


Request = tuple[int, int, float]


def histogram(requests: list[Request]) -> np.ndarray:
    """Of one match alone."""
    return packing.histograms([np.array(requests, REQUEST)])[0]


def below(requests: list[Request], share: float, entrant: int = 0) -> float | None:
    """Of a match in which place p has entrant p."""
    packed = histogram(requests).tobytes()
    return packing.cpu_below(packing.cpu_by_entrant([packed], np.array([[0, 1]]), 2)[entrant], share)


@pytest.mark.parametrize(
    "requests, share, wanted",
    [
        ([(0, 98, 98e-6), (0, 2, 0.1)], 0.98, 1),  # 98 of 1 us each, 2 of 50 ms each
        ([(0, 98, 98e-6), (0, 2, 0.1)], 0.99, 50_000),
        ([(0, 99, 99e-6), (0, 1, 0.05)], 0.99, 1),
        ([(0, 99, 99e-6), (0, 1, 0.05)], 1.0, 50_000),
        ([(0, 1, 20e-6)] * 99 + [(0, 9, 0.9)], 0.9, 20),  # weighted by decisions: 9 of 108 were slow
        ([(0, 1, 20e-6)] * 99 + [(0, 9, 0.9)], 0.93, 100_000),
        ([(0, 64, 0.064)], 0.5, 1000),  # one reading of many decisions: each counts with its share
        ([(1, 5, 1.0), (0, 5, 5e-6)], 1.0, 1),  # another place's time is not its own
        ([(0, 1, 0.0)], 1.0, 0.25),  # less than the clock shows
        ([(0, 1, 1e9)], 1.0, 2**30),  # more than any limit
    ],
)
def test_a_share_of_the_decisions_stays_below(requests: list[Request], share: float, wanted: float) -> None:
    found = below(requests, share)
    assert found is not None and found == pytest.approx(wanted, rel=0.25 if wanted in (0.25, 2**30) else 0.1)


def test_without_requests_nothing_is_known() -> None:
    assert below([], 0.99) is None and below([(1, 3, 0.1)], 0.99) is None
    assert packing.cpu_by_entrant([b"", b""], np.array([[0, 1], [1, 0]]), 2).sum() == 0


requests_of_a_match = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 10**6), st.floats(0, 100)), max_size=30
)


@given(requests_of_a_match)
def test_every_decision_is_kept_with_its_place(requests: list[Request]) -> None:
    kept = histogram(requests)
    for place in range(4):
        asked = sum(n for at, n, _ in requests if at == place)
        assert kept["decisions"][kept["place"] == place].sum() == asked


@given(st.lists(requests_of_a_match, max_size=6))
def test_matches_of_one_transaction_are_counted_as_each_alone(matches: list[list[Request]]) -> None:
    together = packing.histograms([np.array(requests, REQUEST) for requests in matches])
    alone = [histogram(requests) for requests in matches]
    for one, other in zip(together, alone, strict=bool(matches)):
        assert one.tobytes() == other.tobytes()


def test_matches_are_added_up_by_entrant() -> None:
    one = histogram([(0, 2, 2e-6), (1, 3, 0.3)]).tobytes()
    counts = packing.cpu_by_entrant([one, b"", one], np.array([[2, 0], [2, 0], [0, 2]]), 3)
    assert counts.sum(axis=1).tolist() == [3 + 2, 0, 2 + 3]
    assert packing.cpu_below(counts[2], 0.4) == pytest.approx(1, rel=0.1)
    assert packing.cpu_below(counts[2], 0.41) == pytest.approx(100_000, rel=0.1)


@pytest.mark.parametrize("data", [b"12345", bytes([7, 0, 1, 0, 0, 0])])
def test_bytes_that_are_no_records_are_an_error(data: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        packing.cpu_by_entrant([data], np.array([[0, 1]]), 2)
