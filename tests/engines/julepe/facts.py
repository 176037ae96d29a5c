"""What the laws of `test_laws.py` must know of Julepe."""

import random
from typing import Any

import numpy as np

from engines import core
from tests.models.julepe import Model as Model

SHORT = {"rounds": 1}  # a random game is soon over
HOUSE = 5
ALL = (1 << 30) - 1


DRAWN = {"rounds": [5, 1, 2, 12, 100], "stake": [50, 10, 1000]}


def most_decisions(players: int, options: dict[str, Any]) -> int:
    return 39 * options["rounds"]


def bits(mask: int) -> list[int]:
    return [card for card in range(30) if mask >> card & 1]


def mask(cards: list[int]) -> int:
    return sum(1 << card for card in cards)


def draws(s: Any, p: int) -> list[int]:
    """Cards that a seat has drawn in this round, in order."""
    return [card for card in s.drawn[p].tolist() if card >= 0]


def table(s: Any, who: int) -> list[int]:
    """Cards that a seat or the house has played in this round."""
    return [card for card in s.played[s.round_no % 20, who].tolist() if card >= 0]


def pile_exists(s: Any) -> bool:
    return s.phase >= 2


def with_cards(s: Any) -> list[int]:
    """Seats (and the house) that have cards of their own: all until the pile is made, then those in."""
    seats = [p for p in range(5) if not (pile_exists(s) and s.outs[s.round_no % 20] >> p & 1)]
    return [*seats, HOUSE]


def conserved(s: Any) -> None:
    """Nets and pot are 0 together, each of the 30 cards is in one place, and what is not in use is blank."""
    assert sum(s.net.tolist()) + s.pot == 0
    stock = s.stock.tolist()
    assert stock[s.left :] == [-1] * (24 - s.left)
    if s.seat == -1:
        assert s.pot == 0 and s.left == 0 and s.phase == 0 and s.trick == 0
        assert not any([*s.hand, *s.thrown]) and not any(draws(s, p) for p in range(5))
        return
    assert s.pot >= 5 * s.stake and s.pot % s.stake == 0
    where = stock[: s.left]
    for who in with_cards(s):
        assert s.hand[who] & s.thrown[who] == 0
        where += bits(s.hand[who]) + bits(s.thrown[who]) + table(s, who)
    assert sorted(where) == list(range(30))
    _drawn_and_given_up(s)


def _drawn_and_given_up(s: Any) -> None:
    """Drawn cards are still their owner's; the hands given up are the pile and without the ace of trumps."""
    ace = s.upcard[s.round_no % 20] // 10 * 10 + 9
    pile: list[int] = []
    for p in range(5):
        own = s.hand[p] | s.thrown[p] | sum(1 << card for card in table(s, p))
        assert len(set(draws(s, p))) == max(0, s.exchanged[s.round_no % 20, p])
        assert all(own >> card & 1 for card in draws(s, p)) and len(draws(s, p)) == len(set(draws(s, p)))
        if p not in with_cards(s):
            assert s.hand[p].bit_count() == 5
            pile += bits(s.hand[p])
        assert not (s.outs[s.round_no % 20] >> p & 1 and s.hand[p] >> ace & 1)
    assert len(pile) == len(set(pile))
    if pile_exists(s):
        hidden = min(s.left, len(pile))
        assert set(s.stock.tolist()[:hidden]) <= set(pile)
        assert not set(s.stock.tolist()[hidden : s.left]) & set(pile)


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Other stock, hands, discards, draws of others and the house; other down cards of a blind dealer."""
    if s.seat == -1:
        return
    d = s.round_no % 5
    _swap_thrown(s, seat, rng)
    _shuffle_stock(s, rng)
    known = sum(1 << card for who in range(6) for card in table(s, who)) | 1 << s.upcard[s.round_no % 20]
    if seat >= 0 and not (seat == d and s.village == 1 and s.phase <= 1):
        known |= s.hand[seat] | s.thrown[seat]
    hidden = bits(ALL & ~known)
    ace, out = s.upcard[s.round_no % 20] // 10 * 10 + 9, s.outs[s.round_no % 20]
    given_up = [card for p in range(5) if out >> p & 1 for card in bits(s.hand[p])]
    new = {card: card for card in range(30)}
    while True:  # who holds the ace of trumps does not say out
        new |= dict(zip(hidden, rng.sample(hidden, len(hidden))))
        if ace not in [new[card] for card in given_up]:
            break
    for masks in (s.hand, s.thrown):
        for who in range(len(masks)):
            masks[who] = sum(1 << new[card] for card in bits(masks[who]))
    for p in range(5):
        for k, card in enumerate(draws(s, p)):
            s.drawn[p, k] = new[card]
    for k in range(s.left):
        s.stock[k] = new[s.stock[k]]


def _swap_thrown(s: Any, seat: int, rng: random.Random) -> None:
    """What others have thrown away, in their turn also how many, is hidden; the face-up card too."""
    for p in range(5):
        if p == seat or p not in with_cards(s) or s.exchanged[s.round_no % 20, p] > 0:
            continue
        cards = bits(s.hand[p] | s.thrown[p])
        if s.phase == 2 and p == s.seat:
            s.thrown[p] = sum(
                1 << card for card in rng.sample(cards, rng.randint(0, min(len(cards), s.left)))
            )
        elif s.thrown[p]:
            s.thrown[p] = 1 << rng.choice(cards)
        s.hand[p] = sum(1 << card for card in cards) & ~s.thrown[p]


def _shuffle_stock(s: Any, rng: random.Random) -> None:
    """The pile that is left in another order, so that a seat that is out cannot tell where its cards are."""
    pile = min(s.left, 5 * s.outs[s.round_no % 20].bit_count()) if pile_exists(s) else 0
    cards = s.stock.tolist()[:pile]
    rng.shuffle(cards)
    for k, card in enumerate(cards):
        s.stock[k] = card


# --- the way to a row ---------------------------------------------------------------------------------------


def past(game: Any, world: Any) -> tuple[list[list[int]], list[int]]:
    """Shuffles and actions that lead from the start to this row, which has all its cards.

    The record of a finished round has no hidden cards: they are imagined, as an onlooker's world. The rounds
    before this one must be kept, so it is for the first 20.
    """
    world = world[0] if world.ndim else world
    rounds = [_finished(game, world, r) for r in range(int(world["round_no"]))] + [core.PlainRow(world)]
    parts = [_past_of_round(s) for s in rounds]
    return [cards for shuffles, _ in parts for cards in shuffles], [
        action for _, actions in parts for action in actions
    ]


def _finished(game: Any, world: Any, r: int) -> Any:
    """A row with all cards in which round `r` has just been played, or given up by all."""
    rows = game.blank(1, **game.options_of(np.array([world])))
    row = rows[0]
    for name in ("ins", "outs", "upcard", "exchanged", "played", "leaders"):
        row[name] = world[name]
    s = core.PlainRow(row)
    s.round_no, s.slot, s.left, s.stock, s.drawn = r, r % 20, 4, -1, -1
    fill = [
        card for card in range(30) if card != s.upcard[r % 20] and card != s.upcard[r % 20] // 10 * 10 + 9
    ]
    if s.ins[r % 20] == 0:  # a void round: nobody had to play, so a leftover is the ace of trumps
        _lay(s, [*fill[:25], s.upcard[r % 20], *sorted(set(range(30)) - {*fill[:25], s.upcard[r % 20]})])
        return s
    s.phase, s.trick, s.left = (
        4,
        4,
        4 + 5 * s.outs[r % 20].bit_count() - sum(max(n, 0) for n in s.exchanged[r % 20]),
    )
    s.left -= 6 if s.ins[r % 20] == 1 << r % 5 else 0
    core.determinize_rows(core.rows(rows), 0, np.uint64(r), np.zeros(1, np.uint64))
    return core.PlainRow(rows[0])


def _lay(s: Any, cards: list[int]) -> None:
    """Deal these cards: hands, face-up card, leftovers."""
    d = s.round_no % 5
    for k, card in enumerate(cards[:26]):
        s.hand[(d + 1 + min(k // 5, 4)) % 5] |= 1 << card
    for k, card in enumerate(cards[26:]):
        s.stock[3 - k] = card


def _past_of_round(s: Any) -> tuple[list[list[int]], list[int]]:
    """Shuffles and actions of the round in play, from its deal to this row."""
    r = s.round_no
    order = [(r + k) % 5 for k in (1, 2, 3, 4, 5)]
    played = [sum(1 << card for card in table(s, who)) for who in range(6)]
    gone = [p for p in order[:4] if s.outs[r % 20] >> p & 1]
    dealt = {
        p: s.hand[p] if p in gone else (s.hand[p] | s.thrown[p] | played[p]) & ~mask(draws(s, p))
        for p in order
    }
    dealt[order[4]] &= ~(1 << s.upcard[r % 20])
    drawn = [bits(s.hand[HOUSE] | s.thrown[HOUSE] | played[HOUSE]), *(draws(s, p) for p in order)]
    drawn.append([card for card in reversed(s.stock.tolist()) if card >= 0])
    in_pile = {card for p in gone for card in bits(dealt[p])} if pile_exists(s) else set()
    drawn[0].sort(key=in_pile.__contains__)  # the house shows nobody in which order it drew
    stock = [card for cards in drawn for card in cards]
    leftovers, pile = [[card for card in stock if (card in in_pile) == piled] for piled in (False, True)]
    shuffles = [[*(card for p in order for card in bits(dealt[p])), s.upcard[r % 20], *leftovers]]
    return shuffles + [pile] * bool(pile), _said(s, order) + _swapped(s, order) + _tricks(s)


def _said(s: Any, order: list[int]) -> list[int]:
    """Statements of a round so far: 0 `out`, 1 `in`; the dealer's only if all others are out."""
    ins, outs = s.ins[s.round_no % 20], s.outs[s.round_no % 20]
    said = [ins >> p & 1 for p in order[:4] if (ins | outs) >> p & 1]
    alone = len(said) == 4 and not any(said)
    return said + [ins >> order[4] & 1] * (alone and bool((ins | outs) >> order[4] & 1))


def _swapped(s: Any, order: list[int]) -> list[int]:
    """Discards and `done` of a round so far; the dealer's last discard is one that he drew, if any."""
    actions = []
    if s.phase < 2:
        return []
    for p in order:
        if not s.ins[s.round_no % 20] >> p & 1:
            continue
        thrown = sorted(bits(s.thrown[p]), key=draws(s, p).__contains__)
        down = thrown.pop() if p == order[4] and s.phase == 4 else None
        done = s.exchanged[s.round_no % 20, p] >= 0
        actions += [3 + card for card in thrown] + [2] * done + ([] if down is None else [3 + down])
    return actions


def _tricks(s: Any) -> list[int]:
    """Cards played by seats in this round, in their order."""
    actions = []
    for t, first in enumerate(s.leaders[s.round_no % 20].tolist()[:5]):
        order = [HOUSE, s.round_no % 5] if first == HOUSE else [(first + k) % 5 for k in range(5)]
        cards = [s.played[s.round_no % 20, p, t] for p in order if first >= 0 and p != HOUSE]
        actions += [33 + card for card in cards if card >= 0]
    return actions
