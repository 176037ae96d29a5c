"""Tzogous 37: what each seat knows, against a slow model, and worlds that agree with it."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engines import core
from engines.position import Position
from engines.tzogous37 import GAME
from engines.tzogous37.state import CARDS

from .test_rules import E1, E5, JOKERS, P, game, play

SLOW = settings(max_examples=60)


def test_the_log_tells_each_seat_the_cards_that_it_knows() -> None:
    position = play(game(JOKERS, players=3), E5)
    tail = {seat: [text for _, _, _, text in position.view(seat).history][-4:] for seat in (-1, 0, 1, 2)}
    assert tail[0] == ["joker 2 1", "give 3s", "take Ah", "draw Qc"]
    assert tail[2] == ["joker 2 1", "give 3s", "take Ah", "draw ?"]
    assert tail[1] == tail[-1] == ["joker 2 1", "give ?", "take ?", "draw ?"]


def test_a_laid_joker_does_not_show_the_card_it_replaced() -> None:
    position = play(game(JOKERS, players=3, joker_use="lay"), "place 7d, place As, place Ah, joker 2 1")
    tail = {seat: [text for _, _, _, text in position.view(seat).history][-2] for seat in (-1, 0, 1, 2)}
    assert tail == {-1: "lose ?", 0: "lose ?", 1: "lose ?", 2: "lose Ah"}


def test_a_world_gives_a_card_that_was_seen_taken_to_its_taker() -> None:
    """E5: seat 2 knows that seat 0 took its Ah and has placed nothing since."""
    position = play(game(JOKERS, players=3), f"{E5}, check, check")
    views = GAME.views(position.states.repeat(50), 2)
    for world in GAME.determinize(views, seed=4):
        assert core.PlainRow(world).hand[0] >> CARDS.index("Ah") & 1
    views = GAME.views(position.states.repeat(50), 1)
    assert (
        0
        < sum(core.PlainRow(w).hand[0] >> CARDS.index("Ah") & 1 for w in GAME.determinize(views, seed=4))
        < 50
    )


def test_a_world_leaves_the_cards_that_were_seen_out_of_the_other_hand() -> None:
    position = play(game(P), E1)
    shown = sum(1 << CARDS.index(card) for card in ("9d", "Kc", "Qs", "Qh"))
    views = GAME.views(position.states.repeat(50), 1)
    for world in map(core.PlainRow, GAME.determinize(views, seed=1)):
        assert world.hand[0].bit_count() == 5 and not world.hand[0] & (shown | world.hand[1])


class Knowledge:
    """Who knows which table card, kept by reading the rules as a person at the table would."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.slots: dict[
            tuple[int, int, int], tuple[str, set[int]]
        ] = {}  # (round, seat, slot) -> card, who knows it

    def play(self, text: str) -> None:
        position = self.position
        view, seat = position.view(), position.seat
        everybody = set(range(-1, position.players))
        where = (view.hand_number, view.round)
        assert seat is not None
        word, *rest = text.split()
        if word == "place":
            self.place(view, seat, rest[0], everybody)
        elif word == "joker" and view.options["joker_use"] == "lay":
            self.slots[view.round, int(rest[0]), int(rest[1])] = ("JK", everybody)
        position.play(text)
        self.after(where, everybody)

    def place(self, view: Any, seat: int, card: str, everybody: set[int]) -> None:
        up = {(1, 2), (3, 1)}
        if view.phase == "give":
            owner, slot = view.target
            self.slots[view.round, owner, slot] = (
                card,
                everybody if (view.round, slot) in up else {seat, owner},
            )
            return
        slot = 1 if view.phase == "place 1" else 2
        at_once = view.phase in {"discard", "survivor"} and (view.round, slot) in up
        self.slots[view.round, seat, slot] = (card, everybody if at_once else {seat})

    def after(self, where: tuple[int, int], everybody: set[int]) -> None:
        """What all see together: face-up cards when the last has placed, and the cards of a showdown."""
        view = self.position.view(-1)
        if self.position.over or (view.hand_number, view.round) != where:
            self.showdown(where, everybody)
            if self.position.over or view.hand_number != where[0]:
                self.slots.clear()
        else:
            self.turn_up(view, view.alive, everybody)

    def turn_up(self, view: Any, seats: tuple[int, ...], everybody: set[int]) -> None:
        """Round 1: slot 2, seen in betting 2. Round 3: slot 1, seen as soon as all have placed it."""
        if (view.round, view.phase) == (1, "bet 2") or (view.round == 3 and view.phase != "place 1"):
            self.reveal([(view.round, p, 2 if view.round == 1 else 1) for p in seats], everybody)

    def showdown(self, where: tuple[int, int], everybody: set[int]) -> None:
        """The round has ended: two alive seats or more show all they have, one alone what lies face-up."""
        keys = [key for key in self.slots if key[0] == where[1] and key[1] in self.alive]
        self.reveal([key for key in keys if len(self.alive) > 1 or (key[0], key[2]) == (3, 1)], everybody)

    def reveal(self, keys: list[tuple[int, int, int]], everybody: set[int]) -> None:
        for key in keys:
            self.slots[key] = (self.slots[key][0], everybody)

    alive: tuple[int, ...] = ()

    def check(self) -> None:
        for seat in range(-1, self.position.players):
            view = self.position.view(seat)
            for r, table in enumerate([*view.earlier, view.table], 1):
                for p, cards in enumerate(table):
                    for k, card in enumerate(cards, 1):
                        real, knowers = self.slots.get((r, p, k), ("", {seat}))
                        assert card == (real if seat in knowers else "?"), (r, p, k, seat)


@SLOW
@given(
    seed=st.integers(0, 2**40),
    players=st.integers(2, 5),
    use=st.sampled_from(("swap", "lay")),
    decks=st.integers(1, 2),
)
def test_views_show_the_table_cards_that_a_slow_model_says_the_seat_knows(
    seed: int, players: int, use: str, decks: int
) -> None:
    rng = random.Random(seed)
    position = GAME.position(
        seed=seed, players=players, hands=2, jokers=4, joker_use=use, decks=decks, stacks="hand"
    )
    model = Knowledge(position)
    for _ in range(60):
        if position.over:
            break
        kinds = sorted({text.split()[0] for text in position.legal()})
        kind = (
            "joker"
            if "joker" in kinds and rng.random() < 0.7
            else rng.choice([k for k in kinds if k != "fold" or rng.random() < 0.3] or kinds)
        )
        text = rng.choice([text for text in position.legal() if text.split()[0] == kind])
        alive = set(position.view(-1).alive) - ({position.seat} if text == "fold" else set())
        model.alive = tuple(alive)
        model.play(text)
        if not position.over:
            model.check()
