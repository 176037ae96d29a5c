"""Kinds of tournament: who sits with whom, what follows from the games, and what is surely known at the end."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.formats import FORMATS, LeagueField, newcomer_round, next_round
from leagues.formats.adaptive import reached
from leagues.plan import circles, orders_of
from leagues.ratings.anytime import surely_better, surely_equal
from leagues.ratings.elo import bradley_terry
from leagues.ratings.results import NO_GAMES
from leagues.secret import Secret

from .simulated import coverage, in_rounds, joined, played

ELO = np.array([200.0, 150, 100, 50, 0, -50, -100, -150, -200])


def rounds_of(form, field, elo=ELO, most=50, seed=0):
    """All rounds of a simulated league, with their games."""
    return in_rounds(form, field, elo, Secret.of_seed(seed), np.random.default_rng(seed), most)


def tables(plans):
    """Blocks by line-up, as sets of entrants."""
    count = Counter()
    for plan in plans:
        if plan.rotation == 0:
            count[frozenset(plan.line_up)] += plan.blocks
    return count


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("entrants, seats", [(5, 2), (5, 4), (9, 3), (9, 4)])
def test_every_match_is_numbered_once_and_all_rotations_of_a_stretch_are_played(form, entrants, seats):
    field = LeagueField(entrants, seats, 24, candidates=(1, 2) if form == "gauntlet" else ())
    rounds, _ = rounds_of(form, field)
    assert rounds
    for plans in rounds:
        assert [plan.number for plan in plans] == list(range(len(plans)))
        stretches = Counter((plan.line_up, plan.first_block, plan.blocks) for plan in plans)
        assert set(stretches.values()) == {seats}
        blocks = [b for line, first, n in stretches for b in range(first, first + n)]
        assert len(set(blocks)) == len(blocks)  # every block has a deal of its own


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_games_give_the_same_rounds(form):
    field = LeagueField(9, 4, 40, candidates=(0,) if form == "gauntlet" else ())
    assert rounds_of(form, field)[0] == rounds_of(form, field)[0]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("owners", ["aabb.....", "aaa.b.b..", "aaaaaaaa."])
@pytest.mark.parametrize("seats", [2, 4])
def test_bots_of_one_owner_never_sit_together(form, owners, seats):
    owned = tuple(owner.strip(".") for owner in owners)
    candidates = (8,) if form == "gauntlet" else ()  # the first ones' owner may be everybody else's
    field = LeagueField(9, seats, 32, owned, candidates)
    rounds, _ = rounds_of(form, field)
    seen = set()
    for line_up in (plan.line_up for plans in rounds for plan in plans):
        names = [owned[one] for one in set(line_up) if owned[one]]
        assert len(set(names)) == len(names), line_up
        seen |= set(line_up)
    assert seen == set(range(9))


def test_one_owner_alone_plays_with_itself():
    plans = next_round("round-robin", LeagueField(4, 2, 12, ("ada",) * 4), [], NO_GAMES)
    assert tables(plans).keys() == {frozenset(pair) for pair in combinations(range(4), 2)}


def test_owners_are_kept_apart_and_everybody_plays_its_deals():
    plans = next_round("round-robin", LeagueField(6, 4, 60, ("a", "a", "", "", "", "")), [], NO_GAMES)
    count = Counter(one for up, n in tables(plans).items() for one in up for _ in range(n))
    assert min(count.values()) >= 60 and count[0] == pytest.approx(count[1], abs=2)


def test_candidates_of_a_gauntlet_meet_the_same_companies_and_never_each_other():
    plans = next_round("gauntlet", LeagueField(6, 4, 60, candidates=(1, 4)), [], NO_GAMES)
    found = tables(plans)
    company = {c: {up - {c}: n for up, n in found.items() if c in up} for c in (1, 4)}
    assert company[1] == company[4] and sum(company[1].values()) == 60
    assert not any({1, 4} <= up for up in found)
    for part in range(1, 9):  # every beginning is balanced
        some = tables(plans[: part * 8])
        one, other = (sum(n for up, n in some.items() if c in up) for c in (1, 4))
        assert one == pytest.approx(other, abs=16)


def test_a_swiss_brings_neighbours_together_who_have_not_met():
    field = LeagueField(16, 2, 80)
    elo = np.linspace(800, -800, 16)
    rounds, results = rounds_of("swiss", field, elo)
    assert len(rounds) == 5
    for plans in rounds:
        assert Counter(one for up in tables(plans) for one in up) == dict.fromkeys(range(16), 1)
    pairs = [up for plans in rounds for up in tables(plans)]
    assert len(set(pairs)) == len(pairs)  # nobody meets twice
    last = [abs(elo[a] - elo[b]) for a, b in tables(rounds[-1])]
    assert np.mean(last) < 0.75 * np.mean([abs(a - b) for a in elo for b in elo if a != b])
    assert bradley_terry(results, 16).elo.argmax() in (0, 1)


def test_a_swiss_needs_more_bots_than_seats():
    with pytest.raises(LeagueError, match="more bots than seats"):
        next_round("swiss", LeagueField(4, 4, 10), [], NO_GAMES)


def test_a_knockout_halves_the_tables_and_its_winner_is_first_at_the_last():
    elo = np.linspace(700, -700, 9)
    rounds, _ = rounds_of("knockout", LeagueField(9, 2, 60), elo)
    assert [len(tables(plans)) for plans in rounds[1:]] == [4, 2, 1]
    assert frozenset((0, 1)) == next(iter(tables(rounds[-1])))
    fours, _ = rounds_of("knockout", LeagueField(9, 4, 60), elo)
    assert [len(tables(plans)) for plans in fours[1:]] == [2, 1]


def test_a_newcomer_begins_in_an_adaptive_league_as_everybody_did_and_then_plays_where_it_is_not_sure():
    elo = np.array([300.0, 0, -300, -600, 310])
    rounds, results = rounds_of("adaptive", LeagueField(4, 2, 400, until="best"), elo)
    field, first = LeagueField(5, 2, 400, joined=(4,), until="best"), len(np.unique(results.block))
    plans = newcomer_round("adaptive", field)
    assert sum(tables(plans).values()) == 16 and all(4 in up for up in tables(plans))
    made = [replace(plan, first_block=plan.first_block + first) for plan in plans]
    results = joined(results, played(made, elo, Secret.of_seed(2), np.random.default_rng(1)))
    more = next_round("adaptive", field, [*rounds, made], results)
    assert more and frozenset((0, 4)) in tables(more)


def test_a_newcomer_adds_no_round_to_a_swiss_that_is_over():
    rounds, results = rounds_of("swiss", LeagueField(8, 2, 40))
    assert next_round("swiss", LeagueField(9, 2, 40, joined=(8,)), rounds, results) == ()


def test_adaptive_rounds_go_where_the_order_is_not_sure():
    elo = np.array([300.0, 290, -300, -310, -900, -920])
    rounds, _ = rounds_of("adaptive", LeagueField(6, 2, 200, until="best"), elo, most=12)
    met = Counter(up for plans in rounds[4:] for up in tables(plans))
    assert met[frozenset((0, 1))] > 0.5 * sum(met.values())  # a round-robin: one in fifteen


def test_an_adaptive_league_ends_when_its_goal_is_reached_or_its_deals_are_played():
    clear = np.array([400.0, 0, -400, -800])
    _, results = rounds_of("adaptive", LeagueField(4, 2, 500, until="separated"), clear)
    assert surely_better(bradley_terry(results, 4))[np.triu_indices(4, 1)].all()
    assert len(np.unique(results.block)) < 400
    _, results = rounds_of("adaptive", LeagueField(4, 2, 60, until="separated"), np.zeros(4))
    assert len(np.unique(results.block)) == 120
    _, results = rounds_of("adaptive", LeagueField(4, 2, 2_000, until="ci=40"), np.zeros(4))
    fit = bradley_terry(results, 4)
    assert 30 < ((fit.elo_high - fit.elo_low) / 2).max() <= 40
    with pytest.raises(LeagueError, match="until = 'soon'"):
        next_round("adaptive", LeagueField(4, 2, 60, until="soon"), [], NO_GAMES)


def test_an_adaptive_league_of_equal_bots_ends_when_they_surely_differ_by_little():
    field = LeagueField(2, 2, 3_000, until="best", equal=40)
    _, results = rounds_of("adaptive", field, np.zeros(2))
    fit = bradley_terry(results, 2)
    assert reached("best", fit, 40) and not reached("best", fit) and surely_equal(fit, 40)[0, 1]
    assert len(np.unique(results.block)) < 1_500
    assert not surely_equal(fit, 5)[0, 1]


@pytest.mark.soak
def test_intervals_hold_the_truth_in_adaptive_leagues_of_equal_bots():
    found = coverage("adaptive", LeagueField(8, 4, 200, until="best"), np.zeros(8), 100)
    assert found.elo > 0.94 and found.ranks > 0.97


@pytest.mark.parametrize("until", ["best", "separated"])
def test_intervals_hold_the_truth_after_adaptive_rounds(until):
    found = coverage("adaptive", LeagueField(5, 4, 120, until=until), np.array([60.0, 30, 0, -30, -60]), 60)
    assert found.elo > 0.90 and found.best_rank > 0.93 and found.ranks > 0.95


@pytest.mark.parametrize("places", range(2, 16))
def test_everybody_has_everybody_on_the_left_equally_often(places):
    orders = circles(places)
    left = Counter((order[at - 1], order[at]) for order in orders for at in range(places))
    assert all(sorted(order) == list(range(places)) for order in orders)
    exact = places <= 11 or places % 2
    assert len(left) == places * (places - 1)
    assert set(left.values()) == ({2} if places in (4, 6) else {1} if exact else {1, 2})


def test_left_neighbours_are_balanced_in_every_stretch_and_every_single_order_is_as_likely_as_any():
    (plan, *_) = next_round("round-robin", LeagueField(5, 5, 40), [], NO_GAMES)
    left, orders = Counter(), Counter()
    for seed in range(400):
        secret = Secret.of_seed(seed)
        for order in map(tuple, orders_of(secret, 5, plan.first_block, 40).tolist()):
            at = order.index(0)
            orders[order[at:] + order[:at]] += 1
            if seed == 0:
                left.update((order[i - 1], order[i]) for i in range(5))
    assert set(left.values()) == {10}
    expected = 400 * 40 / 24
    assert len(orders) == 24
    assert sum((n - expected) ** 2 / expected for n in orders.values()) < 23 + 5 * np.sqrt(2 * 23)
