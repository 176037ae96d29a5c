"""Two bots of one owner: found where they help each other, and not where they are only strong."""

from itertools import combinations

import numpy as np
import pytest

from leagues.ratings import Results
from leagues.ratings.collusion import collusion
from leagues.ratings.rows import RatedBot, rating_table

OWNERS = ["ada", "ada", "", "", "bob", "bob"]
STRENGTH = np.array([30.0, 20, 5, -5, -20, -30])


def leagues_games(rng, blocks, gift, given=0.0, styles=0.0):
    """All line-ups of four of six, zero-sum; at tables with 0 and 1 both, each of them gains, the others pay.

    Args:
        rng: chance.
        blocks: deals.
        gift: points that each of the two gains.
        given: points that 1 then gives to 0.
        styles: standard deviation of what passes between any two bots because one style suits another.
    """
    suits = styles * np.random.default_rng(9).standard_normal((6, 6))
    suits = (suits - suits.T) / np.sqrt(2)
    entrant, score, block = [], [], []
    for number in range(blocks):
        line = list(combinations(range(6), 4))[number % 15]
        liking = 10 * rng.standard_normal(4)
        for turn in range(4):
            seats = np.roll(line, turn)
            made = STRENGTH[seats] + np.roll(liking, turn) + 40 * rng.standard_normal(4)
            if 0 in line and 1 in line:
                made = made + np.where(seats < 2, gift, -gift)
                made = made + given * (seats == 0) - given * (seats == 1)
            made = made + suits[seats][:, seats].sum(axis=1)
            entrant.append(seats)
            score.append(made - made.mean())
            block.append(number)
    return Results(np.array(entrant), np.array(score), np.array(block))


def test_what_the_others_lose_is_what_the_two_were_given():
    (ada, bob) = collusion(leagues_games(np.random.default_rng(1), 3_000, 8.0), OWNERS)
    assert (ada.one, ada.two, bob.one, bob.two) == (0, 1, 4, 5)
    assert ada.others == pytest.approx(-8, abs=1.5)
    assert ada.gain == pytest.approx(8, abs=1.5) and ada.p < 0.001
    assert abs(bob.others) < 1.5 and ada.blocks == 1_200


def test_what_one_gives_to_the_other_is_found_though_the_others_lose_nothing():
    games = leagues_games(np.random.default_rng(6), 1_000, 0.0, given=8.0)
    (ada, bob) = collusion(games, OWNERS)
    assert ada.gift == pytest.approx(8, abs=2) and ada.gift_p < 0.001 < ada.p
    assert abs(bob.gift) < 2 and bob.gift_p > 0.05
    who = [RatedBot(name, 1, owner=owner) for name, owner in zip("abcdef", OWNERS)]
    (said,) = [note for note in rating_table(games, who).notes if "sit together" in note]
    assert "points a game pass from b@1 to a@1" in said


@pytest.mark.soak
def test_a_style_that_suits_another_is_no_gift():
    """Without the pairs of different owners to compare with, most of these would be called one."""
    found = [
        one
        for seed in range(20)
        for one in collusion(
            leagues_games(np.random.default_rng(seed), 300, 0.0, styles=5.0),
            np.random.default_rng(seed).permutation(OWNERS),
        )
    ]
    assert np.mean([one.gift_p < 0.05 for one in found]) < 0.1


@pytest.mark.soak
def test_strong_bots_of_one_owner_are_called_colluding_at_the_level_of_the_test_only():
    rng, p = np.random.default_rng(2), []
    for _ in range(100):
        p += [one.p for one in collusion(leagues_games(rng, 60, 0.0), OWNERS)]
    assert 0.005 < np.mean(np.array(p) < 0.05) < 0.06  # adjusted for two pairs: about half of it


def test_pairs_that_are_never_or_always_together_cannot_be_told():
    always = Results(
        np.tile([0, 1, 2, 3], (50, 1)), np.random.default_rng(3).normal(size=(50, 4)), np.arange(50)
    )
    assert collusion(always, ["ada", "ada", "", ""]) == []
    never = Results(np.tile([[0, 2], [1, 2]], (50, 1)), np.zeros((100, 2)), np.arange(100))
    assert collusion(never, ["ada", "ada", ""]) == []


def test_the_rating_table_speaks_of_collusion_only_where_it_is_sure():
    who = [RatedBot(name, 1, owner=owner) for name, owner in zip("abcdef", OWNERS)]
    notes = rating_table(leagues_games(np.random.default_rng(4), 600, 15.0), who).notes
    (said,) = [note for note in notes if "sit together" in note]
    assert said.startswith("a@1 and b@1, both of ada") and "every other bot makes -1" in said
    assert not any(
        "both of" in note
        for note in rating_table(leagues_games(np.random.default_rng(5), 600, 0.0), who).notes
    )
