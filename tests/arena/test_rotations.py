"""The same deal in other seats: which games had it, and where they parted."""

import numpy as np
import pytest

from arena.match.played import parting
from arena.replay.listing import same_deal
from arena.replay.recorded import stored
from arena.runs.grow import extend
from arena.store import Store
from tests.arena.played import finished


@pytest.mark.parametrize(
    "one, other, at",
    [([1, 2, 3], [1, 2, 4], 2), ([1], [1, 2], 1), ([2], [1], 0), ([], [1], 0), ([1, 2], [1, 2], None)],
)
def test_games_part_at_the_first_action_that_differs(
    one: list[int], other: list[int], at: int | None
) -> None:
    assert parting(np.array(one), np.array(other)) == at


def test_all_rotations_of_a_deal_and_no_other_games_are_found(store: Store) -> None:
    run = finished(store, "flip7", goal=30)
    labels = [
        f"{run.label}/{match.number * 1000 + place}"
        for match in store.matches.all(run)
        for place in range(len(match.moves))
    ]
    games = {label: stored(store, label) for label in labels}
    for label, game in games.items():
        found = same_deal(store, label)
        assert [one["label"] for one in found] == [
            other for other in labels if other != label and games[other].seed == game.seed
        ]
        assert len(found) >= game.players - 1
        for one in found:
            other = games[one["label"]]
            assert (one["seats"], one["scores"]) == (list(other.names), list(other.scores))
            assert game.moves[: one["parted"]] == other.moves[: one["parted"]]
            assert (
                game.moves[one["parted"] : one["parted"] + 1]
                != other.moves[one["parted"] : one["parted"] + 1]
            )


def test_the_matches_of_a_block_are_those_of_the_plan_in_every_stage(store: Store) -> None:
    extend(store, finished(store, "flip7", goal=30), 4)
    run = store.runs.find("flip7#1")
    plans = store.runs.plans(run)
    assert len({plan.stage for plan in plans}) == 2
    for block in range(max(plan.first_block + plan.blocks for plan in plans) + 1):
        has = [one.number for one in plans if one.first_block <= block < one.first_block + one.blocks]
        assert store.games.with_block(run, block) == has
    assert not has  # the last one is in no match
