"""Luck has the expectation 0 for honest players of every kind, shows who peeks, and moves only unseen cards."""

from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import engines
from engines import core, luck
from engines.core import copy_states
from engines.errors import GameError
from engines.julepe.state import ACE, DONE, IN, OUT, SUIT_CARDS
from engines.julepe.state import Phase as JulepePhase
from engines.tzogous37 import state as tzogous
from engines.zoliky.state import JOKER, N_KINDS, Action
from engines.zoliky.steps import COST, JOKERS

Chooser = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]
HIT, STAY = 0, 1


def at_random(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray((rng.random(mask.shape) * mask).argmax(axis=1))


def lowest(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The first legal action; in Žolíky it draws from the stock and discards its first card."""
    return np.asarray(mask.argmax(axis=1))


def acting(states: Any, field: str) -> np.ndarray:
    """What a field says of the seat to act."""
    return np.asarray(states[field][np.arange(len(states)), np.maximum(states["seat"], 0)])


def open_cards(states: Any) -> np.ndarray:
    return np.asarray((acting(states, "row") >= 0).sum(axis=1))


def cautious(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(open_cards(states) >= 4, STAY, HIT)


def chases_its_luck(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Goes on after a high card and stops after a low one: a bad draw is followed by giving up."""
    last = acting(states, "row")[np.arange(len(states)), np.maximum(open_cards(states), 1) - 1]
    return np.where((last >= 8) | (open_cards(states) == 0), HIT, STAY)


def sees_the_next_card(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Takes it unless it is one that it has."""
    card = states["pile"][np.arange(len(states)), np.maximum(states["left"] - 1, 0)]
    has = (acting(states, "row") == card[:, None]).any(axis=1)
    return np.where(has & (states["left"] > 0), STAY, HIT)


def trumps_of(states: Any) -> np.ndarray:
    """Mask of the trumps of every row's round."""
    upcard = states["upcard"][np.arange(len(states)), states["round_no"]].astype(np.int64)
    return np.asarray(SUIT_CARDS << (10 * (np.maximum(upcard, 0) // 10)))


def says_and_throws(states: Any, mask: np.ndarray, rng: Any, is_in: Any, thrown: np.ndarray) -> np.ndarray:
    """In or out, then one of the discards `thrown` or done, then any card."""
    phase, discards = states["phase"], mask[:, 3:33] & thrown
    exchange = np.where(discards.any(axis=1), 3 + discards.argmax(axis=1), DONE)
    chosen = np.where(phase == JulepePhase.EXCHANGE, exchange, at_random(states, mask, rng))
    asked = (phase == JulepePhase.STATEMENTS) | (phase == JulepePhase.OFFER)
    return np.where(asked, np.where(mask[:, OUT] & ~is_in, OUT, IN), chosen)


def two_trumps(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """In with two trumps; keeps trumps and aces; plays any card."""
    trumps, cards = trumps_of(states), np.arange(30)
    keep = ((trumps[:, None] >> cards) & 1).astype(bool) | (cards % 10 == ACE)
    strong = np.bitwise_count(acting(states, "hand") & trumps) >= 2
    return says_and_throws(states, mask, rng, strong, ~keep)


def keeps_its_cards(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(mask[:, DONE], DONE, at_random(states, mask, rng))


def bold(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Raises as much as it may, and places its highest card first: all chips are in before round 4."""
    return np.asarray(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))


def bets_its_luck(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Bets more after a won round and less after a lost one: what chance brought decides what it does."""
    low = mask.argmax(axis=1)
    passes = np.where(mask.sum(axis=1) > 1, np.argsort(~mask, axis=1, kind="stable")[:, 1], low)
    return np.where(acting(states, "net") > 0, at_random(states, mask, rng), passes)


def sees_the_shared_card(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Before the shared card is turned up it raises if it would be the best with it, and folds if not."""
    chosen, other = bold(states, mask, rng), copy_states(states)
    for i in np.flatnonzero((states["phase"] == tzogous.Phase.BET1) & (states["round_no"] == tzogous.ROUNDS)):
        if other["left"][i] > 0:
            other["community"][i] = other["deck_cards"][i, other["left"][i] - 1]
            best = int(tzogous.best_seats(core.rows(other)[i]))
            if not best >> int(states["seat"][i]) & 1:
                chosen[i] = int(mask[i].argmax())
    return chosen


WORTH = np.asarray(COST) - 2 * np.asarray(JOKERS)
SUIT, RANK = np.divmod(np.arange(JOKER), 13)
STEPS = np.abs(RANK[:, None] - RANK)
NEAR = np.zeros((N_KINDS, N_KINDS), np.int64)  # which kinds could lie in one meld: 9h 8h, 9h 7h, 9h 9d
NEAR[:JOKER, :JOKER] = np.where(SUIT[:, None] == SUIT, np.minimum(STEPS, 13 - STEPS) <= 2, STEPS == 0)
NEAR[JOKER] = 9


def keeping(mask: np.ndarray, wanted: np.ndarray | int = 0) -> np.ndarray:
    """Draws what can be used at once, lays out what it can, parts with the card that has least company.

    `wanted` are cards to which company is kept beside those in hand.
    """
    held = mask[:, Action.DISCARD : Action.RUN]
    discard = Action.DISCARD + np.where(held, (held + wanted) @ NEAR.T, 1 << 20).argmin(axis=1)
    lay_out = Action.RUN + np.where(mask, WORTH, -99)[:, Action.RUN :].argmax(axis=1)
    draw = np.where(mask[:, Action.DRAW_JOLLY], 2, np.where(mask[:, Action.DRAW_DISCARD], 1, 0))
    turn = np.where(mask[:, Action.RUN :].any(axis=1), lay_out, discard)
    return np.asarray(np.where(mask[:, : Action.DISCARD].any(axis=1), draw, turn))


def lays_out(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return keeping(mask)


def zoliky_stops_when_ahead(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lays nothing out while nobody has fewer cards."""
    seats = np.arange(states["held"].shape[1])
    held = np.where(seats < states["players"][:, None], states["held"], 99)
    return np.where(acting(states, "held") <= held.min(axis=1), lowest(states, mask, rng), keeping(mask))


def cuts_and_remembers(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As cutter, keeps company to the lowest cards of the stock, and hoards until they come."""
    wanted = np.zeros((len(states), N_KINDS), np.int64)
    for seen in np.where(states["seen"] >= 0, states["seen"], JOKER).T:
        wanted[np.arange(len(states)), seen] += 2
    return np.where((states["n_stock"] > 4) & mask[:, 0], 0, keeping(mask, wanted))


def sees_the_stock(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Keeps company to the cards that it is to draw in its next six turns, if all draw from the stock."""
    rows, wanted = np.arange(len(states)), np.zeros((len(states), N_KINDS), np.int64)
    for turn in range(1, 7):
        at = states["n_stock"] - states["players"] * turn
        wanted[rows, np.where(at >= 0, states["stock"][rows, np.maximum(at, 0)], JOKER)] += 3
    return keeping(mask, wanted)


PEEKS = (sees_the_next_card, sees_the_shared_card, sees_the_stock)


def steps(
    name: str, choosers: tuple[Chooser, ...], games: int, seed: int, **options: Any
) -> Iterator[tuple[Any, np.ndarray]]:
    """Positions of games in which each seat follows its chooser, before each step, with what is played.

    Who does not peek chooses from its view.
    """
    game = engines.load(name)
    states, rng = game.new(games, seed, len(choosers), **options), np.random.default_rng(seed)
    while (states["seat"] >= 0).any():
        mask, chosen = game.legal_mask(states), np.zeros(games, np.int64)
        for seat, chooser in enumerate(choosers):
            mine = np.flatnonzero(states["seat"] == seat)
            if len(mine):
                rows = copy_states(states[mine])
                rows = rows if chooser in PEEKS else game.views(rows, seat)
                chosen[mine] = chooser(rows, mask[mine], rng)
        yield states, chosen
        game.step(states, chosen)


def play(name: str, choosers: tuple[Chooser, ...], games: int, seed: int, **options: Any) -> list[np.ndarray]:
    """The moves of every game."""
    moves: list[list[int]] = [[] for _ in range(games)]
    for states, chosen in steps(name, choosers, games, seed, **options):
        for i in np.flatnonzero(states["seat"] >= 0):
            moves[i].append(int(chosen[i]))
    return [np.array(game, np.int16) for game in moves]


def z(values: np.ndarray) -> np.ndarray:
    """Standard errors from 0, seat by seat."""
    return np.asarray(values.mean(axis=0) / (values.std(axis=0) / np.sqrt(len(values))))


def luck_of(
    name: str, choosers: tuple[Chooser, ...], games: int, seed: int, worlds: int, **options: Any
) -> np.ndarray:
    moves = play(name, choosers, games, seed, **options)
    game, seeds = engines.load(name), np.arange(seed, seed + games)
    return luck.of_games(game, len(choosers), options, seeds, moves, worlds=worlds)


def seats(chooser: Chooser, *others: Chooser) -> tuple[Chooser, ...]:
    return (chooser, *others, chooser)


FLIP7 = (at_random, cautious, chases_its_luck)
JULEPE = (at_random, two_trumps)
TZOGOUS = (at_random, bold, bets_its_luck)
ZOLIKY = (at_random, lays_out, zoliky_stops_when_ahead, cuts_and_remembers)
LONG = {"deals": 3, "max_rounds": 50, "cut_jokers": "extra"}  # over deals and reshuffles
soak = pytest.mark.soak
HONEST = [  # game, seats, games, least spread of a seat's luck, options
    *(("flip7", seats(one, cautious, at_random), 400, 5, {"deck": deck})
      for one in FLIP7 for deck in ("keep", "fresh")),
    *(("julepe", (one,) * 5, 300, 50, {}) for one in JULEPE),
    *(("tzogous37", (one, at_random, bold, bets_its_luck)[:n], 600, 10, {}) for one in TZOGOUS for n in (2, 4)),
    *(("zoliky", (lays_out, at_random, one, one), 300, 2, {}) for one in ZOLIKY),
    ("zoliky", (at_random, lowest), 150, 2, LONG),
    pytest.param("zoliky", (lays_out, lays_out, *ZOLIKY[2:]), 6_000, 2, {}, marks=soak),
]  # fmt: skip


@pytest.mark.parametrize("name, choosers, games, spread, options", HONEST)
def test_luck_is_0_on_average_whatever_honest_players_do(
    name: str, choosers: tuple[Chooser, ...], games: int, spread: int, options: dict[str, Any]
) -> None:
    found = luck_of(name, choosers, games, 7_000, 8 if name in ("julepe", "zoliky") else 4, **options)
    assert (np.abs(z(found)) < 4).all() and (found.std(axis=0) > spread).all(), z(found)
    total = found.sum(axis=1, keepdims=True)
    if name == "tzogous37":
        assert np.abs(total).max() < 1e-6  # chips go from seat to seat
    elif name == "flip7":
        assert abs(z(total)[0]) < 4


PEEKING = [  # game, who peeks and the others, games, standard errors
    ("flip7", (sees_the_next_card, cautious, cautious, cautious), 300, 15),
    ("tzogous37", (sees_the_shared_card, at_random), 400, 6),
    ("zoliky", (sees_the_stock, lowest, lowest, lowest), 500, 5),
]


@pytest.mark.parametrize("name, choosers, games, least", PEEKING)
def test_who_peeks_is_too_lucky(name: str, choosers: tuple[Chooser, ...], games: int, least: int) -> None:
    found = z(luck_of(name, choosers, games, 3, 8 if name == "zoliky" else 4))
    assert found[0] > least and (name == "tzogous37" or (np.abs(found[1:]) < 5).all()), found


def test_luck_is_nobodys_where_nobody_draws() -> None:
    found = luck_of("julepe", (keeps_its_cards,) * 5, 20, 8, 8)  # one alone may draw against the house
    assert np.median(np.abs(found)) == 0


def unseen(name: str, s: Any) -> list[np.ndarray]:
    """The cards that nobody has seen, each list in an order of its own; in Žolíky the cutter knows the lowest."""
    if name == "julepe":
        pile = (
            5 * int(np.bitwise_count(s["outs"][s["round_no"]])) if s["phase"] >= JulepePhase.EXCHANGE else 0
        )
        return [s["stock"][pile : s["left"]], s["stock"][:pile]]
    if name == "zoliky":
        known = int(import_module("engines.zoliky.luck").lowest_cards(s))
        return [*s["stock"][:known, None], s["stock"][known : s["n_stock"]]]
    return [s["pile" if name == "flip7" else "deck_cards"][: s["left"]]]


MIXED = [  # game, seats, games, every so many steps
    ("flip7", (cautious,) * 5, 40, 7),
    ("julepe", (two_trumps,) * 5, 40, 11),
    ("tzogous37", (at_random,) * 3, 20, 13),
    ("zoliky", (lowest, at_random, at_random), 30, 17),
]


def remixed(name: str, states: Any, key: int) -> Any:
    """Rows whose unseen cards lie in another order."""
    other, rng, room = copy_states(states), np.array([key], np.uint64), luck.room(name)
    for row in core.rows(other):
        room.remix(row, rng)  # type: ignore[union-attr]
    return other


@pytest.mark.parametrize("name, choosers, games, stride", MIXED)
def test_only_unseen_cards_move(name: str, choosers: tuple[Chooser, ...], games: int, stride: int) -> None:
    moved, reshuffled, game = 0, 0, engines.load(name)
    for at, (states, _) in enumerate(steps(name, choosers, games, 9)):
        if at % stride:
            continue
        other = remixed(name, states, at)
        for one, two in zip(states[states["seat"] >= 0], other[states["seat"] >= 0]):
            lists = unseen(name, one), unseen(name, two)
            assert [sorted(cards) for cards in lists[0]] == [sorted(cards) for cards in lists[1]]
            moved += any((a != b).any() for a, b in zip(*lists))
            reshuffled += name == "zoliky" and one["pool"] != 0
        for seat in range(-1, len(choosers)):
            assert game.views(states, seat).tobytes() == game.views(other, seat).tobytes()
    assert moved > 20 and (name != "zoliky" or reshuffled > 10)


ORDERS = [  # game, field of unseen cards, how many there are, first cards that stay, other fields
    ("flip7", "pile", "left", 0, {}),
    ("tzogous37", "deck_cards", "left", 0, {}),
    *(("zoliky", "stock", "n_stock", known, {"kept": kept}) for kept, known in enumerate((2, 1, 0, 1))),
]


@pytest.mark.parametrize("name, field, n, known, others", ORDERS)
def test_all_orders_are_as_likely(name: str, field: str, n: str, known: int, others: dict[str, int]) -> None:
    states = np.repeat(engines.load(name).new(1, 9, 2), 24_000)
    for other, number in others.items():
        states[other] = number
    states[n], states[field][:, : 4 + known] = 4 + known, np.arange(4 + known)
    cards = remixed(name, states, 8)[field]
    assert (cards[:, :known] == np.arange(known)).all()
    counts = Counter(map(tuple, cards[:, known : known + 4].tolist()))
    chi2 = sum((n - 1_000) ** 2 / 1_000 for n in counts.values())
    assert len(counts) == 24 and chi2 < 49.7  # 23 degrees of freedom, 0.1 %


def test_the_cards_that_the_cutter_knows_stay_also_when_they_are_the_last() -> None:
    states = engines.load("zoliky").new(2, 9, 2).copy()
    states["kept"], states["n_stock"] = 0, [1, 0]
    assert (remixed("zoliky", states, 8)["stock"] == states["stock"]).all()


def test_actions_that_do_not_fit_are_refused() -> None:
    game, moves = engines.load("flip7"), play("flip7", (cautious,) * 4, 3, 21)
    with pytest.raises(GameError, match="the actions of game 1 do not fit"):
        luck.of_games(game, 4, {}, [21, 22, 23], [moves[0], moves[1][:-1], moves[2]])
    with pytest.raises(GameError, match="the actions of game 0 do not fit"):
        luck.of_games(game, 4, {}, [21], [np.full(9, 7, np.int16)])


def test_the_lowest_cards_are_the_naturals_that_the_cutter_has_looked_at() -> None:
    states = engines.load("zoliky").new(400, seed=4, cut_jokers="extra")
    lowest_cards = import_module("engines.zoliky.luck").lowest_cards
    for s in core.rows(copy_states(states)):
        jokers = sum(s["seen"] == JOKER)
        assert s["kept"] == jokers
        if jokers < len(s["seen"]):
            naturals = [card for card in s["seen"] if card != JOKER]
            assert list(s["stock"][: lowest_cards(s)]) == naturals[:-1][::-1]
