"""Flip 7: what a view shows, and the record of events."""

from collections import Counter

from engines import core
from engines.flip7 import GAME

from .positions import decisions_in, opened, see


def test_every_seat_and_an_onlooker_see_the_same_and_the_draw_pile_only_as_counts() -> None:
    position = GAME.position(seed=11, players=5)
    for _ in range(30):
        views = [position.view(seat) for seat in range(-1, 5)]
        bytes_seen = {view.state.tobytes() for view in views}
        assert len(bytes_seen) == 1
        assert (views[0].state["pile"] == -1).all() and (views[0].state["seed"] == 0).all()
        pile = core.plain(position.states)[0]
        assert views[0].unseen == Counter(GAME.cards[card] for card in pile.pile.tolist()[: pile.left])
        position.play(position.legal()[position.states["decisions"][0] % 2])


def test_a_view_shows_a_set_aside_card_and_the_draws_left_of_each_flip_three() -> None:
    position = opened("4 6 F3 F3 SC 2 2", "hit", players=2, targeting="any", flip_three="after")
    assert position.legal() == ["give 0", "give 1"]
    position.play("give 1")
    view = see(position)
    assert (view.phase, view.card, view.flips) == ("give", "F3", ((1, 0, ()),))
    assert view.rows[1] == ("4", "SC", "2") and position.seat == 1
    position = opened("4 6 F3 FZ SC SC 9", "hit, give 0", players=2, targeting="any", flip_three="after")
    assert see(position).flips == ((0, 0, ("FZ",)),) and see(position).card == "SC"
    assert see(position).unseen["FZ"] == 2 and sum(see(position).unseen.values()) == see(position).left


def test_the_points_of_the_last_round_are_shown_from_round_two_on() -> None:
    position = opened("5 6")
    assert see(position).last == ()
    position.play("stay")
    position.play("stay")
    assert see(position).last == (6, 5) and see(position).totals == (6, 5) and see(position).round == 2


def test_the_record_keeps_the_last_512_events_in_order() -> None:
    position, made = GAME.position(seed=2, players=2, goal=10_000, max_rounds=1000), []
    while not position.over and len(made) < 250:
        action = position.legal()[len(made) % 2]
        made.append((position.seat, action))
        position.play(action)
        kept = decisions_in(see(position))
        assert kept == made[len(made) - len(kept) :]
        assert len(kept) == len(made) or len(see(position).history) == 512
    assert len(kept) < len(made) == 250


def test_the_history_tells_draws_shuffles_and_points_of_the_rounds() -> None:
    position = opened("5 9 5 SC", "hit, stay", max_rounds=2)
    assert see(position).history[:9] == (
        *(
            (0, "deals"),
            (-1, "shuffle"),
            (1, "draws 5"),
            (0, "draws 9"),
            (1, "hit"),
            (1, "draws 5"),
            (0, "stay"),
        ),
        *((0, "scores 9"), (1, "scores 0")),
    )
    assert see(position).history[9:] == ((1, "deals"), (0, "draws SC"), (1, "draws 0"))
