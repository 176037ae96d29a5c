"""Schedules: who meets whom how often, who sits where, and that nothing can be foreseen or differs on a
second look.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from math import ceil, comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leagues.errors import LeagueError
from leagues.plan import MatchPlan, distinct_rotations
from leagues.schedule import APART, MOST_DEALS, line_ups, schedule
from leagues.secret import Secret

SECRET = Secret.of_seed(7)

# entrants, seats
TABLES = [(4, 4), (5, 4), (6, 4), (8, 4), (8, 5), (20, 4), (50, 4), (10, 2), (7, 6), (30, 10)]


def meetings(matches: Sequence[MatchPlan]) -> Counter[frozenset[int]]:
    """How many blocks every two entrants have together."""
    met: Counter[frozenset[int]] = Counter()
    for match in matches:
        if match.rotation == 0:
            for pair in combinations(match.line_up, 2):
                met[frozenset(pair)] += match.blocks
    return met


EVEN = [
    (6, 3), (7, 3), (12, 3), (6, 4), (7, 4), (8, 4), (10, 4), (12, 4), (15, 4), (20, 4), (30, 4), (9, 5), (16, 5),
    (20, 5), (12, 6), (16, 6), (30, 6), (20, 8), (30, 8), (12, 10), (20, 10), (30, 10), (9, 2), (20, 2),
]  # fmt: skip


@pytest.mark.parametrize("entrants, seats", EVEN)
def test_with_250_deals_no_pair_meets_much_more_often_than_another(entrants: int, seats: int) -> None:
    met = meetings(schedule(entrants, seats, 250))
    assert len(met) == comb(entrants, 2) and max(met.values()) <= 1.6 * min(met.values())


# the projective planes of order 2, 3 and 4, the affine ones of order 3, 4 and 5, and two other known designs
DESIGNS = [(7, 3, 7), (13, 4, 13), (21, 5, 21), (9, 3, 12), (16, 4, 20), (25, 5, 30), (6, 3, 10), (15, 3, 35)]


@pytest.mark.parametrize("entrants, seats, size", DESIGNS)
def test_where_a_small_design_exists_all_pairs_meet_as_often(entrants: int, seats: int, size: int) -> None:
    ups = line_ups(entrants, seats, size * 64)
    met = Counter(frozenset(pair) for line_up in ups for pair in combinations(line_up, 2))
    assert len(ups) == size and len(met) == comb(entrants, 2) and len(set(met.values())) == 1


@pytest.mark.parametrize("entrants, seats, deals", [(15, 2, 1), (5, 3, 1), (9, 4, 1), (15, 2, 3), (6, 3, 1)])
def test_a_short_league_has_no_more_blocks_than_its_deals_need(entrants: int, seats: int, deals: int) -> None:
    matches = [match for match in schedule(entrants, seats, deals) if match.rotation == 0]
    assert sum(match.blocks for match in matches) == ceil(deals * entrants / seats)
    played: Counter[int] = Counter()
    for match in matches:
        played.update(dict.fromkeys(match.line_up, match.blocks))
    assert min(played.values()) == deals and max(played.values()) <= deals + 1


@pytest.mark.parametrize(
    "entrants, seats, deals", [(6, 2, 5), (6, 2, 60), (9, 2, 60), (20, 2, 100), (20, 4, 60), (12, 3, 16)]
)
def test_in_a_short_league_every_pair_meets_if_deals_allow_it(entrants: int, seats: int, deals: int) -> None:
    met: set[frozenset[int]] = set()
    for match in schedule(entrants, seats, deals):
        met.update(frozenset(pair) for pair in combinations(match.line_up, 2))
    assert len(met) == comb(entrants, 2)


@pytest.mark.parametrize("entrants, seats", TABLES)
def test_every_entrant_plays_about_the_wanted_number_of_deals(entrants: int, seats: int) -> None:
    played: Counter[int] = Counter()
    for match in schedule(entrants, seats, 250):
        for entrant in match.line_up:
            played[entrant] += match.blocks * (match.rotation == 0)
    assert all(0.9 * 250 <= n <= 1.15 * 250 + seats for n in played.values())


LARGE = [(20, 4, 5000, 64), (50, 4, 5000, 64), (8, 4, 250, 35), (4, 4, 10_000, 128), (20, 4, 250, 13)]


@pytest.mark.parametrize("entrants, seats, deals, fewest", LARGE)
def test_matches_are_large_so_that_a_process_boundary_is_paid_for_many_games(
    entrants: int, seats: int, deals: int, fewest: int
) -> None:
    sizes = [match.blocks for match in schedule(entrants, seats, deals)]
    assert min(sizes) >= fewest and max(sizes) <= 256


@pytest.mark.parametrize("entrants, seats", [(8, 4), (20, 4), (6, 4), (12, 5)])
def test_at_any_time_all_entrants_have_played_about_equally_often(entrants: int, seats: int) -> None:
    matches = schedule(entrants, seats, 1000)
    stretches = [match for match in matches if match.rotation == 0]
    played = dict.fromkeys(range(entrants), 0)
    for match in stretches:
        for entrant in match.line_up:
            played[entrant] += match.blocks
        assert max(played.values()) - min(played.values()) <= 2 * max(one.blocks for one in stretches)


def test_two_hundred_entrants_have_large_matches_and_hang_together() -> None:
    matches = schedule(200, 4, 250)
    assert min(match.blocks for match in matches) >= 15
    group = {0}
    for _ in range(20):
        group.update(*(match.line_up for match in matches if group.intersection(match.line_up)))
    assert len(group) == 200


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_of_two_entrants_one_sits_against_copies_of_the_other_both_ways(seats: int) -> None:
    assert line_ups(2, seats, 10) == [(0, *[1] * (seats - 1)), (*[0] * (seats - 1), 1)]


@pytest.mark.parametrize("entrants, seats", [(3, 4), (3, 5), (4, 5), (4, 6), (5, 6), (3, 10)])
def test_with_fewer_entrants_than_seats_copies_are_balanced(entrants: int, seats: int) -> None:
    ups = line_ups(entrants, seats, 10)
    copies = Counter(entrant for line_up in ups for entrant in line_up)
    assert all(set(line_up) == set(range(entrants)) for line_up in ups)
    assert len(set(copies.values())) == 1


@given(entrants=st.integers(2, 9), seats=st.integers(2, 6), deals=st.integers(1, 60))
@settings(max_examples=40)
def test_in_every_block_every_place_sits_once_in_every_seat_unless_that_repeats_a_seating(
    entrants: int, seats: int, deals: int
) -> None:
    blocks: dict[int, list[tuple[int, ...]]] = {}
    entrant_of: dict[int, tuple[int, ...]] = {}
    for match in schedule(entrants, seats, deals):
        for block, places in zip(*(drawn.tolist() for drawn in match.seats(SECRET))):
            blocks.setdefault(block, []).append(tuple(places))
            entrant_of[block] = match.line_up
    for block, games in blocks.items():
        seatings = [tuple(entrant_of[block][place] for place in places) for places in games]
        assert len(set(seatings)) == len(seatings) == distinct_rotations(seatings[0])
        if len(games) == seats:
            assert all(sorted(column) == list(range(seats)) for column in zip(*games, strict=True))
        first = games[0] + games[0]
        assert all(any(first[i : i + seats] == places for i in range(seats)) for places in games)


def test_match_numbers_count_up_and_blocks_are_each_line_ups_own() -> None:
    matches = schedule(6, 4, 100)
    assert [match.number for match in matches] == list(range(len(matches)))
    owners: dict[int, tuple[int, ...]] = {}
    for match in matches:
        assert 1 <= match.blocks <= MOST_DEALS
        for block in range(match.first_block, match.first_block + match.blocks):
            assert owners.setdefault(block, match.line_up) == match.line_up
    assert sorted(owners) == list(range(len(owners)))


def test_circular_orders_vary_from_block_to_block_and_all_occur() -> None:
    orders = Counter(map(tuple, SECRET.orders(range(600), 4).tolist()))
    assert len(orders) == 6 and all(60 < n < 140 for n in orders.values())


def test_seeds_differ_by_purpose_number_and_secret_and_are_known_for_a_known_seed() -> None:
    numbers = {SECRET.deal_seed(0), SECRET.deal_seed(1), SECRET.bot_seed(0, 0)}
    numbers |= {SECRET.bot_seed(0, 1), SECRET.bot_seed(1, 0)}
    numbers |= {Secret.of_seed(8).deal_seed(0), Secret.fresh().deal_seed(0), Secret.fresh().deal_seed(0)}
    assert len(numbers) == 8 and all(0 <= number < 2**64 for number in numbers)
    assert Secret.of_seed(7).deal_seed(5) == SECRET.deal_seed(5)
    assert SECRET.hash == Secret(SECRET.key).hash and len(SECRET.hash) == 64


def test_the_secret_of_the_deals_depends_on_the_secret_and_on_all_that_was_mixed_in() -> None:
    one, other = "aa" * 32, "bb" * 32
    assert SECRET.mixed(one) == SECRET.mixed(one)
    mixed = {SECRET.mixed(one).key, SECRET.mixed(other).key, Secret.of_seed(8).mixed(one).key}
    assert len({SECRET.key} | mixed) == 4
    plain = hashlib.blake2b(SECRET.key + bytes.fromhex(one), digest_size=32).hexdigest()
    assert SECRET.commitment(one) == plain != SECRET.commitment(other)


ROTATIONS = [("AB", 2), ("ABAB", 2), ("AABB", 4), ("AAAA", 1), ("AAAB", 4), ("ABCABC", 3), ("AABAAB", 3)]


@pytest.mark.parametrize("seating, distinct", ROTATIONS)
def test_rotations_that_repeat_a_seating_are_counted_once(seating: str, distinct: int) -> None:
    assert distinct_rotations([ord(c) for c in seating]) == distinct


def test_no_deals_or_no_entrants_is_refused() -> None:
    with pytest.raises(LeagueError, match="deals = 0"):
        schedule(4, 4, 0)
    with pytest.raises(LeagueError, match="at least one entrant"):
        schedule(0, 4, 5)


@pytest.mark.parametrize("entrants, seats, deals", [(4, 4, 1000), (8, 4, 400), (30, 4, 100), (2, 2, 4000)])
def test_the_rotations_of_a_stretch_are_far_apart(entrants: int, seats: int, deals: int) -> None:
    matches = schedule(entrants, seats, deals)
    stretches = len({match.first_block for match in matches})
    for one, other in pairwise(matches):
        assert one.first_block != other.first_block
    places: dict[int, list[int]] = {}
    for match in matches:
        places.setdefault(match.first_block, []).append(match.number)
    whole = stretches // APART * APART * seats  # of the last ones there may be fewer
    gaps = [b - a for at in places.values() for a, b in pairwise(at) if b < whole]
    assert gaps and min(gaps) == APART


def test_every_rotation_plays_its_deals_in_an_order_of_its_own() -> None:
    secret = Secret.of_seed(3)
    plans = [MatchPlan(rotation, (0, 1, 2, 3), rotation, 100, 64) for rotation in range(4)]
    orders = [plan.seats(secret)[0].tolist() for plan in plans]
    assert all(sorted(order) == list(range(100, 164)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4 and sorted(orders[0]) != orders[0]
    for one in range(4):
        for other in range(one):
            assert sum(a == b for a, b in zip(orders[one], orders[other])) < 10  # 1 is to be expected
    drawn = [plan.seats(secret) for plan in plans]
    seated = [dict(zip(blocks.tolist(), map(tuple, places.tolist()))) for blocks, places in drawn]
    for block in range(100, 164):
        assert len({seats[block] for seats in seated}) == 4
    assert orders == [plan.seats(Secret.of_seed(3))[0].tolist() for plan in plans]
