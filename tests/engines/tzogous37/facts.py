"""What the laws must know of Tzogous 37. Reads and writes rows by itself, not by the engine's functions."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from engines import core
from engines.core import copy_states
from engines.game import Game
from tests.models.tzogous37 import Model as Model

SHORT = {"hands": 1}  # a random game is soon over

JOKER, RING, BETS = 52, 192, 128  # rings of moves and of bets
HAND, PLACE, USE, GIVE, TAKE, LOSE, DRAW, COMMUNITY, TIE, RESHUFFLE = range(10)  # moves of cards
FOLD, CHECK, CALL, RAISE, WIN = range(5)  # events of betting
GIVES = 8  # the phase in which a seat gives a card for a joker


TWINS = {"hands": 1}  # of earlier hands, worlds know no cards


def setups(rng: random.Random) -> tuple[int, dict[str, Any]]:
    """Chips hang together: a stack is at least four antes, and all are whole steps."""
    chip = rng.choice((1, 1, 5))
    ante = rng.randint(1, 5) * chip
    least = 4 * ante // chip
    return rng.randint(2, 6), {
        "hands": rng.randint(1, 3),
        "ante": ante,
        "stack": rng.choice((rng.randint(least, 100), least)) * chip,
        "step": chip,
        "stacks": rng.choice(("round", "hand", "game")),
        "pot_counts_call": rng.random() < 0.5,
        "decks": rng.randint(1, 2),
        "jokers": rng.choice((0, 2, 4, 4)),
        "joker_use": rng.choice(("swap", "lay")),
        "joker_limit": rng.random() < 0.5,
        "sudden_death": rng.random() < 0.5,
    }


def hand_cards(s: Any, p: int) -> list[int]:
    """The cards of a hand: a bit per kind, another mask for those held twice, jokers in unary from bit 52."""
    hand, doubled = s.hand[p], s.doubled[p]
    cards = [
        c for mask in (hand & (1 << JOKER) - 1, doubled) for c in range(mask.bit_length()) if mask >> c & 1
    ]
    return cards + [JOKER] * (hand >> JOKER).bit_count()


def set_hand(s: Any, p: int, cards: list[int]) -> None:
    counts = Counter(cards)
    jokers = counts.pop(JOKER, 0)
    s.hand[p] = sum(1 << c for c in counts) | ((1 << jokers) - 1) << JOKER
    s.doubled[p] = sum(1 << c for c, n in counts.items() if n == 2)


def moves_of_hand(s: Any) -> list[tuple[int, int, int, int, int]] | None:
    """Kind, seat, card, time, number of bets before it of every move since the deal, which is the first one.

    None if the record no longer reaches back to the deal.
    """
    moves = []
    for number in range(s.moves - 1, max(-1, s.moves - RING - 1), -1):
        i = number % RING
        kind, seat, card = s.move_kind[i], s.move_seat[i], s.move_card[i]
        moves.append((kind, seat, card, s.move_time[i], s.wagers - (s.wagers - s.move_wagers[i]) % 2**15))
        if kind == HAND:
            return moves[::-1]
    return None


def with_targets(
    s: Any, moves: list[tuple[int, int, int, int, int]]
) -> Iterator[tuple[int, int, int, int, int]]:
    """Kind, seat, card, round from 0, place on the table (-1) of every move;
    a joker that is laid is a PLACE.
    """
    target = -1
    for kind, seat, card, time, _ in moves:
        if kind == USE:
            target = card
        if kind == USE and s.joker_use == 1:
            yield PLACE, seat, JOKER, time // 2, target
        elif kind == PLACE:
            yield kind, seat, card, time // 2, 2 * seat + time % 2
        else:
            yield kind, seat, card, time // 2, target if kind == GIVE else -1


def pack(s: Any) -> Counter[int]:
    counts = Counter(dict.fromkeys(range(JOKER), s.decks))
    counts[JOKER] = s.decks * s.jokers
    return counts


def conserved(s: Any) -> None:
    """Chips and cards are complete, and the record of the hand tells where the discards come from."""
    assert sum(s.chips) + sum(s.paid) == s.players * s.stack
    assert sum(s.net) == 0
    assert s.pot == sum(s.paid) and s.high == max(s.bet)
    assert s.rich == sum(1 << p for p in range(6) if s.chips[p] > 0)
    if s.pot > 0:  # F: the first seat in the round from seat (hand + round - 1) mod players on [4]
        turn = [(s.shuffle // 64 + s.round_no - 1 + i) % s.players for i in range(s.players)]
        assert s.first == next(p for p in turn if s.paid[p] > 0)
    else:
        assert s.first == -1
    for p, (chips, paid, bet, net) in enumerate(zip(s.chips, s.paid, s.bet, s.net)):
        assert chips >= 0 and paid >= bet >= 0
        assert chips % s.step == paid % s.step == bet % s.step == net % s.step == 0
        assert s.held[p] == len(hand_cards(s, p))
        if s.stacks == 2 and p < s.players:
            assert chips + paid == s.stack + net
    for p in range(s.players, 6):
        assert s.chips[p] == s.paid[p] == s.net[p] == s.held[p] == s.hand[p] == 0
    if s.seat >= 0:
        deck = s.deck_cards.tolist()
        assert all(c >= 0 for c in deck[: s.left]) and all(c == -1 for c in deck[s.left :])
        assert min(_discards(s).values()) >= 0
    moves = moves_of_hand(s)
    if s.seat < 0 or moves is None or s.phase == GIVES:
        return  # while a card is to be given the joker is still in the hand
    assert +_discards(s) == _spent(s, moves)
    _taken_cards_known(s, len(moves))


def _discards(s: Any) -> Counter[int]:
    """The cards that are nowhere else; a card that is twice somewhere is -1 times there."""
    discards = pack(s)
    for p in range(s.players):
        discards.subtract(hand_cards(s, p))
    discards.subtract(s.deck_cards.tolist()[: s.left])
    discards.subtract(c for c in s.table.tolist() if c != -1)
    discards.subtract([s.community] if s.community != -1 else [])
    return discards


def _taken_cards_known(s: Any, n: int) -> None:
    """A card taken with a joker is known to its taker and to those who knew it as it lay [6], to nobody else."""
    laid: dict[int, int] = {}  # by place: who knows the card there
    target, before = -1, 0
    for number in range(s.moves - n, s.moves):
        i = number % RING
        kind, seat, knows = s.move_kind[i], s.move_seat[i], s.move_knows[i]
        if kind == PLACE:
            laid[2 * seat + s.move_time[i] % 2] = knows
        elif kind == USE:
            target = s.move_card[i]
        elif kind == GIVE:
            before, laid[target] = laid[target], knows
        elif kind == TAKE:
            assert knows == before | 1 << seat, "who knows the card that was taken with a joker"


def _spent(s: Any, moves: list[tuple[int, int, int, int, int]]) -> Counter[int]:
    """The discards, kept card by card as they are made."""
    spent: Counter[int] = Counter()
    table: dict[int, int] = {}
    now = 0
    for kind, _, card, rnd, place in with_targets(s, moves):
        if rnd > now:
            spent.update(table.values())
            table, now = {}, rnd
        if place >= 0:
            table[place] = card
        elif kind == RESHUFFLE:
            spent.clear()
        elif kind in (USE, LOSE, TIE):
            spent[JOKER if kind == USE else card] += 1
    if s.round_no - 1 > now:
        spent.update(table.values())
    return spent


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Mix other hands and the deck, exchange kinds that the seat has never seen, scramble earlier hands."""
    others = [p for p in range(s.players) if p != seat]
    used = s.seat if s.phase == GIVES else -1  # its joker, which all have seen, is still in the hand
    sizes = [s.held[p] - (p == used) for p in others]
    cards = [c for p in others for c in hand_cards(s, p)] + s.deck_cards.tolist()[: s.left]
    if used in others:
        cards.remove(JOKER)
    rng.shuffle(cards)
    for p, size in zip(others, sizes):
        set_hand(s, p, [JOKER] * (p == used) + cards[:size])
        del cards[:size]
    s.deck_cards[: s.left] = cards
    bit, hidden = 1 << (seat if seat >= 0 else 6), {PLACE, GIVE, TAKE, LOSE, DRAW}
    this_hand = [n % RING for n in range(s.moves - len(moves_of_hand(s) or []), s.moves)]
    for i in set(range(RING)) - {*this_hand}:
        if s.move_kind[i] in hidden and not s.move_knows[i] & bit:
            s.move_card[i] = rng.randrange(53)
    seen = {JOKER, s.community, *(hand_cards(s, seat) if seat >= 0 else [])}
    seen |= {s.table[place] for place in range(12) if s.knows[place] & bit}
    seen |= {s.move_card[i] for i in this_hand if s.move_knows[i] & bit and s.move_kind[i] in {*hidden, TIE}}
    unseen = [kind for kind in range(JOKER) if kind not in seen]
    other = dict(zip(unseen, rng.sample(unseen, len(unseen))))
    for p in others:
        set_hand(s, p, [other.get(card, card) for card in hand_cards(s, p)])
    for array in (s.table, s.deck_cards):
        array[:] = [other.get(card, card) for card in array.tolist()]
    for i in this_hand:
        if s.move_kind[i] in hidden:
            s.move_card[i] = other.get(s.move_card[i], s.move_card[i])


def opening(game: Game, world: np.ndarray, earlier: Sequence[np.ndarray] = ()) -> np.ndarray | None:
    """The row at the deal of this hand; None for the first hand, or if the record does not tell.

    It does not where it no longer reaches back to the deal, and in a later hand with one stack for the whole
    game: what the seats had then is not recorded. What this hand has written over in the rings is in the
    first view of the hand, if that is given.
    """
    s = core.plain(world)[0]
    if (moves := moves_of_hand(s)) is None or s.shuffle // 64 == 0:
        return None
    start = copy_states(world)
    row = core.plain(start)[0]
    hand = s.shuffle // 64
    row.seat, row.shuffle, row.rich = core.SHUFFLE, hand * 64, (1 << s.players) - 1
    for name in ("turn", "target", "community", "first", "deck_cards"):
        start[name] = -1
    unused = "phase round_no alive due pot high joker_used tied draws left last_raise level"
    for name in [*unused.split(), "joker_uses", "held", "paid", "bet", "hand", "doubled"]:
        start[name] = 0
    row.moves, row.wagers = s.moves - len(moves), moves[0][4]
    for name in game.state.names or () if earlier else ():
        if name.startswith(("move_", "bet_")):
            start[name] = earlier[0][name]
    start["chips"][0, : s.players] = s.stack
    start["net"][0, : s.players] -= won_in_hand(s, moves[0][4])
    return start


def won_in_hand(s: Any, first: int) -> list[int]:
    """Chips won less chips put in this hand's finished rounds, by seat; `first`: number of its first bet."""
    bets = [(s.bet_kind[i % BETS], s.bet_seat[i % BETS], s.bet_steps[i % BETS] * s.step, s.bet_time[i % BETS])
            for i in range(first, s.wagers)]  # fmt: skip
    won, chips = [0] * s.players, [s.stack] * s.players
    for rnd in range(s.round_no - 1):
        if s.stacks == 0:
            chips = [s.stack] * s.players
        for p, amount in enumerate(chips):
            chips[p] -= min(s.ante, amount)
            won[p] -= min(s.ante, amount)
        for betting in (2 * rnd, 2 * rnd + 1):
            bet = [0] * s.players
            for kind, p, amount, time in bets:
                if time == betting and kind in (CALL, RAISE):
                    paid = min(chips[p], max(bet) - bet[p] + (amount if kind == RAISE else 0))
                    chips[p], bet[p], won[p] = chips[p] - paid, bet[p] + paid, won[p] - paid
        for kind, p, amount, time in bets:
            if time // 2 == rnd and kind == WIN:
                chips[p], won[p] = chips[p] + amount, won[p] + amount
    return won


def past(game: Game, world: np.ndarray) -> tuple[list[list[int]], list[int]] | None:
    """Shuffles and actions of this hand that lead to a world; None where the record does not tell
    (`opening`).
    """
    s = core.plain(world)[0]
    moves = moves_of_hand(s)
    if moves is None or s.wagers - moves[0][4] > BETS or (s.stacks == 2 and s.shuffle >= 64):
        return None
    return shuffles_of(s, moves), actions_of(s, moves)


def shuffles_of(s: Any, moves: list[tuple[int, int, int, int, int]]) -> list[list[int]]:
    """Each seat's first cards, then the cards as they left the deck; the rest lies there now."""
    hands = [Counter(hand_cards(s, p)) for p in range(s.players)]
    drawn: list[list[int]] = [[]]
    early = 0
    for kind, p, card, _, _ in moves:
        if kind in (PLACE, GIVE):
            hands[p][card] += 1
        elif kind == USE and not (s.phase == GIVES and (kind, p, card) == moves[-1][:3]):
            hands[p][JOKER] += 1
        elif kind in (TAKE, DRAW):
            hands[p][card] -= 1
        if kind in (DRAW, COMMUNITY, TIE):
            drawn[-2 if early else -1].append(card)
            early = max(0, early - 1)
        elif kind == RESHUFFLE:
            drawn.append([])
            early = card
    drawn[-1] += s.deck_cards.tolist()[: s.left][::-1]
    assert all(min(hand.values(), default=0) >= 0 and hand.total() in (0, 7) for hand in hands)
    return [[card for hand in hands for card in sorted(hand.elements())] + drawn[0], *drawn[1:]]


def actions_of(s: Any, moves: list[tuple[int, int, int, int, int]]) -> list[int]:
    """The numbers of the actions of this hand."""
    actions = []
    bet = moves[0][4]
    for kind, _, card, _, wagers in [*moves, (-1, -1, -1, 0, s.wagers)]:
        while bet < wagers:
            made, steps = s.bet_kind[bet % BETS], s.bet_steps[bet % BETS]
            actions += [] if made == WIN else [made] if made != RAISE else [min(2 + steps, 103)]
            bet += 1
        if kind in (PLACE, GIVE):
            actions.append(116 + card)
        elif kind == USE:
            actions.append(104 + card)
    return actions


def most_decisions(players: int, options: dict[str, Any]) -> int:
    raises = players * options["stack"] // options["ante"] + players
    betting = 4 * (2 * players + raises * (players - 1))
    return options["hands"] * 4 * (2 * players + 2 * betting)
