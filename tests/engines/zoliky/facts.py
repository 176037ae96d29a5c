"""What the law tests must know of Jolly Zoliky."""

import random
from collections import Counter
from typing import Any

import numpy as np

from engines import core
from engines.game import Game
from engines.zoliky.state import CARDS, JOKER
from engines.zoliky.text import cutter_of, drawn_of, hand_of, history_of, leader_of, reshuffles_of, table_of
from tests.engines.zoliky.positions import give
from tests.models.zoliky import Model as Model

SHORT = {"max_rounds": 6}  # a random game is soon over
LISTING = Counter(dict.fromkeys(CARDS[:JOKER], 2) | {"JK": 4})


DRAWN = {"deals": range(1, 4), "max_rounds": range(3, 41), "joker_penalty": range(1, 26)}
"""Few deals and rounds, so that a game stays short."""
GAMES = 1
"""The model searches for every way to complete a turn, which takes 2 ms a decision."""


def conserved(s: Any) -> None:
    """All 108 cards are there, blanks are blank, numbers of cards are right."""
    if s.seat == -2:
        return
    pile, stock, drawn, drawer = s.pile.tolist(), s.stock.tolist(), s.drawn.tolist(), s.drawer.tolist()
    cards = Counter(CARDS[kind] for kind in pile[: s.n_pile] + stock[: s.n_stock])
    for p in range(s.players):
        hand = hand_of(s, p)
        assert len(hand) == s.held[p]
        assert s.twice[p] & ~s.hand[p] == 0
        cards += Counter(hand)
    for meld in table_of(s):
        cards += Counter("JK" if card.startswith("JK") else card for card in meld)
    if not s.jolly_turn:
        cards[CARDS[s.jolly]] += 1
    assert cards == LISTING
    assert {*stock[s.n_stock :], *pile[s.n_pile :], *s.history.tolist()[s.n_events :]} <= {-1}
    assert not any(s.melds.tolist()[s.n_melds :])
    for p in range(s.players, len(s.held)):
        assert s.hand[p] == s.twice[p] == s.jokers[p] == s.held[p] == s.opened[p] == 0
    assert s.sure_jokers <= s.jokers[cutter_of(s)]
    assert -1 not in drawn[: s.n_drawn] + drawer[: s.n_drawn]
    assert {*drawn[s.n_drawn :], *drawer[s.n_drawn :]} <= {-1}


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Deal the stock and the other hands again; for all but the cutter other cards were seen at the cut.

    The cards that the cutter knows, jokers that must be where they are, the kinds of a reshuffled stock and
    the cards that the mover took openly and still has to place stay.
    """
    free = {p: [CARDS.index(card) for card in hand_of(s, p)] for p in range(s.players) if p != seat}
    for p in free:
        s.hand[p] = s.twice[p] = s.jokers[p] = s.held[p] = 0
    for p, kinds in free.items():
        owed = [s.owed] * (s.owed != -1) if p == s.mover else []
        jokers = max(s.owed_jokers * (p == s.mover), s.sure_jokers * (p == cutter_of(s)))
        for kind in owed + [JOKER] * jokers:
            kinds.remove(kind)
            give(s, p, kind)
    stock = [s.stock[i] for i in range(s.n_stock)]
    pool = [*stock, *(kind for kinds in free.values() for kind in kinds)]
    rng.shuffle(pool)
    for i in range(s.n_stock):
        s.stock[i] = pool.pop()
    for p, kinds in free.items():
        for _ in kinds:
            give(s, p, pool.pop())
    for i in range(s.n_drawn):
        if s.drawer[i] != seat:
            s.drawn[i] = rng.randrange(53)
    if seat != cutter_of(s):
        for i in range(3):
            s.seen[i] = rng.randrange(53)


# --- the past ---


def since_stock(s: Any) -> list[tuple[int, str]]:
    """The actions of this deal since its stock was made; of the turn with a reshuffle what came after its
    draw.
    """
    history = list(history_of(s))
    if reshuffles_of(s) == 0:
        return history
    draws = [i for i, (_, text) in enumerate(history) if text == "draw stock"]
    return history[draws[-s.n_drawn] + 1 :]


def hands_then(s: Any) -> list[Counter[str]]:
    """The hands when the stock was made: what a seat holds and has played, less what it has got since."""
    hands = [Counter(hand_of(s, p)) - Counter() for p in range(s.players)]
    top = ""
    for p, text in since_stock(s):
        words = text.split()
        if words[0] == "discard":
            top = words[1]
            hands[p][top] += 1
        elif words[0] in ("run", "set"):
            hands[p].update(words[1:])
        elif words[0] in ("lay", "swap"):
            hands[p][words[1]] += 1
            hands[p]["JK"] -= words[0] == "swap"
        elif words[1] != "stock":
            hands[p][top if words[1] == "discard" else CARDS[s.jolly]] -= 1
    for p in range(s.players):
        hands[p].subtract(drawn_of(s, p))
        assert min(hands[p].values(), default=0) >= 0, f"seat {p} played a card before it had it: {hands[p]}"
    return hands


def stock_then(s: Any) -> list[int]:
    """The stock when it was made, next card first."""
    return [s.drawn[i] for i in range(s.n_drawn)] + [s.stock[i] for i in range(s.n_stock - 1, -1, -1)]


def first_deck(s: Any, hands: list[list[int]], stock: list[int]) -> list[int]:
    """The shuffle of a deal with these hands (kept jokers among them) and this stock."""
    hands[cutter_of(s)] = sorted(hands[cutter_of(s)])
    hands[cutter_of(s)] = hands[cutter_of(s)][: len(hands[cutter_of(s)]) - s.kept]
    dealt: list[int] = []
    most = 3
    while any(hands):
        for k in range(s.players):
            hand = hands[(leader_of(s) + k) % s.players]
            dealt += [hand.pop() for _ in range(min(most, len(hand)))]
            most = 2
    if s.kept < 3:  # above the three cards seen lies the stock but for those of them that stay in it
        return dealt + stock[: len(stock) - (2 - s.kept)] + [s.seen[i] for i in range(3)]
    below = len(stock) - len("".join("j" if kind == JOKER else "n" for kind in stock).rstrip("j"))
    return dealt + stock[: len(stock) - below] + [s.jolly] + [JOKER] * (below + 3)


def past(game: Game, world: np.ndarray) -> tuple[list[list[int]], list[int]] | None:
    """The shuffle that made this stock and the actions since; None for a world in which the mover, another
    seat than the viewer, cannot finish its turn: that is not asked of a world.
    """
    s = core.plain(world)[0]
    if core.legal_row(core.rows(core.copy_states(world)), 0, core.work(game.n_actions)) == 0:
        return None
    actions = [game.action(text) for _, text in since_stock(s)]
    if reshuffles_of(s) > 0:
        return [stock_then(s)], actions
    hands = [[game.card(card) for card in hand.elements()] for hand in hands_then(s)]
    return [first_deck(s, hands, stock_then(s))], actions


def opening(game: Game, world: np.ndarray) -> np.ndarray:
    """The row in which the shuffle of `past` was due: at the beginning of the deal, or with a stock that has
    run out.
    """
    s = core.plain(world)[0]
    states = game.blank(1, s.players, **game.options_of(world))
    core.start_rows(core.rows(states))
    row = core.plain(states)[0]
    row.deal_number, row.shuffle = s.deal_number, s.shuffle if reshuffles_of(s) == 0 else s.deal_number * 64
    for p in range(s.players):
        row.totals[p] = s.totals[p]
    if reshuffles_of(s) > 0:
        play_openly(game, states, s)
        for p, hand in enumerate(hands_then(s)):
            row.hand[p] = row.twice[p] = row.jokers[p] = row.held[p] = 0
            for card in hand.elements():
                give(row, p, game.card(card))
    return states


def play_openly(game: Game, states: np.ndarray, s: Any) -> None:
    """Play the deal until the stock of `s` is due, with any hands: the table, the pile and all that is
    counted come out right.
    """
    row, cards = core.plain(states)[0], core.work(game.deck_size)
    seen = [s.seen[i] for i in range(3)]
    if s.kept == 3:
        seen = [s.jolly, *seen]
    rest = Counter(LISTING) - Counter(CARDS[kind] for kind in seen)
    deck = sorted((game.card(card) for card in rest.elements()), reverse=True) + seen
    actions = [game.action(text) for _, text in history_of(s)]
    while True:
        while row.seat == core.SHUFFLE:
            if row.phase == 1 and row.shuffle == s.shuffle:
                return
            n = core.due_row(core.rows(states), 0, cards)
            for i, kind in enumerate(deck if row.phase == 0 else []):
                cards[i] = kind
            core.take_row(core.rows(states), 0, cards[:n])
        game.rules["step"](core.record(row), actions.pop(0))


def most_decisions(players: int, options: dict[str, Any]) -> int:
    """Turns of fewer than 42 decisions."""
    return int(options["deals"]) * int(options["max_rounds"]) * players * 42
