"""Jolly Zoliky: positions built by hand, and the hardest ones known for the look-ahead."""

from typing import Any

from engines import core
from engines.core import States
from engines.zoliky import GAME
from engines.zoliky.melds import HIGH_AT, LOW_AT, SET, SUIT_AT
from engines.zoliky.state import CARDS, JOKER, OPENED_NOW, PLACE, Phase
from engines.zoliky.text import meld_cards


def position(
    hand: str,
    table: tuple[str, ...] = (),
    *,
    fresh: int = 0,
    opened: tuple[int, ...] = (),
    opened_now: bool = False,
    owed: str = "",
    jolly_turn: bool = False,
    draw: bool = False,
    pile: str = "",
    jolly: str = "",
    others: tuple[str, ...] = ("",),
    rounds: int = 3,
    players: int = 2,
    mover: int = 0,
    stock: str | None = None,
    **options: Any,
) -> States:
    """Return a one-row batch in which `mover` is to act, with all 108 cards in it.

    Args:
        hand: the mover's cards, such as `4h 5h JK`.
        table: the melds in the order of laying, such as `4h 5h JK(6h)`; the last `fresh` of them were laid in
            this turn.
        opened: the seats that are open.
        opened_now: whether the mover became open in this turn.
        owed: the cards that must be placed.
        jolly_turn: the Jolly card was drawn.
        draw: the draw is still to come.
        pile: the discard pile, top card last.
        jolly: the Jolly card; default: one that is left.
        others: the other hands, in seat order; a hand not named gets one card that is left.
        rounds, players, mover: number of the round, of seats, the seat to act.
        stock: the stock, next card first; what it leaves out goes under it, by kind.
        options: by name.

    Raises:
        ValueError: more cards of a kind than there are.
    """
    states = GAME.blank(1, players, **options)
    core.start_rows(core.rows(states))
    s = core.plain(states)[0]
    left = [2] * JOKER + [4]
    s.round_number, s.mover, s.seat, s.phase = rounds, mover, mover, Phase.DRAWING if draw else Phase.MELDING
    s.fresh, s.n_melds, s.jolly_turn = fresh, len(table), int(jolly_turn)
    _lay_table(s, left, table)
    for p in opened:
        s.opened[p] = OPENED_NOW if opened_now and p == mover else 1
    s.n_pile = _lay(s.pile, _named(left, pile))
    named = {mover: hand} | dict(zip((p for p in range(players) if p != mover), others))
    hands = {p: _named(left, cards) for p, cards in named.items()}
    first = _named(left, stock or "")
    s.jolly = CARDS.index(jolly) if jolly_turn else (_named(left, jolly) or _any(left, 1))[0]
    for p in range(players):
        for kind in hands.get(p) or _any(left, 1):
            give(s, p, kind)
    _owe(s, owed)
    s.n_stock = _lay(s.stock, (first + _any(left, sum(left)))[::-1])
    for i, kind in enumerate((s.stock[1], s.stock[0], s.jolly)):
        s.seen[i] = max(kind, 0)
    return states


def _lay_table(s: Any, left: list[int], table: tuple[str, ...]) -> None:
    """Lay melds on the table of a plain row, out of the cards that are left."""
    for i, meld in enumerate(table):
        s.melds[i] = meld_of(meld)
        _named(left, " ".join("JK" if "JK" in card else card for card in meld_cards(s.melds[i])))


def meld_of(cards: str) -> int:
    """Return the integer of a meld from text as `meld_cards` gives it."""
    texts = cards.split()
    kinds = [CARDS.index(text.removeprefix("JK(").removesuffix(")")) for text in texts]
    naturals = [kind for kind in kinds if kind != JOKER]
    if len({kind % 13 for kind in naturals}) == 1:
        suits = sum(1 << kind // 13 for kind in naturals)
        return SET | suits | (1 + naturals[0] % 13) << LOW_AT | len(kinds) << HIGH_AT
    low = 1 + kinds[0] % 13
    jokers = sum(1 << (low + i) for i, text in enumerate(texts) if text.startswith("JK"))
    return jokers | kinds[0] // 13 << SUIT_AT | low << LOW_AT | (low + len(kinds) - 1) << HIGH_AT


def _owe(s: Any, cards: str) -> None:
    """Let the mover of a plain row owe cards: one natural at most, and jokers."""
    for card in cards.split():
        if card == "JK":
            s.owed_jokers += 1
        else:
            s.owed = CARDS.index(card)


def give(s: Any, p: int, kind: int) -> None:
    """Put a card into a hand of a plain row."""
    s.held[p] += 1
    if kind == JOKER:
        s.jokers[p] += 1
        return
    card = 1 << int(PLACE[kind])
    s.twice[p] |= s.hand[p] & card
    s.hand[p] |= card


def _named(left: list[int], text: str) -> list[int]:
    """Return the kinds of these cards, taken out of the cards that are left."""
    kinds = [CARDS.index(card) for card in text.split()]
    for kind in kinds:
        left[kind] -= 1
        if left[kind] < 0:
            raise ValueError(f"there are not so many {CARDS[kind]}")
    return kinds


def _any(left: list[int], n: int) -> list[int]:
    """Return the `n` highest kinds that are left, taken out of them."""
    kinds = [kind for kind in range(JOKER, -1, -1) for _ in range(left[kind])][:n]
    for kind in kinds:
        left[kind] -= 1
    return kinds


def _lay(place: Any, kinds: list[int]) -> int:
    """Write kinds into an array of the row; return how many."""
    for i, kind in enumerate(kinds):
        place[i] = kind
    return len(kinds)


# The worst positions found by climbing (change a card or a meld at random, keep what takes more search) from
# random ones, a few hundred thousand positions a kind. What was the worst for a search without the plan and
# its table is here no more.
HARD = """\
closed, four jokers | 2s 2s 3s 4s 2h 2d 2c 3c 4c JK JK JK JK |  |

closed | As 2s 2s 3s 3s 4s 2h 2d 2c JK JK JK JK |  |

closed, 16 cards | 2s 2s 2h 2h Ad 2d 2d 3d Ac 2c 2c 3c JK JK JK JK |  |

closed, pile card owed | Js Ah 2h 3h 3h 4h 4h 5h 6h 7h 8h 9h JK | Js |
2d 3d 4d 5d, 5d 6d 7d, As 2s 3s, 9d Td Jd, 6s 7s 8s JK(9s), 2s 2h 2d 2c, 9s 9d JK, 8c 9c Tc Jc Qc,
6h 7h JK(8h), Ah Ad Ac, 3s 3d 3c, 9s Ts Js Qs Ks As, Ks Kh Kd Kc

closed, pile card owed, 16 cards | As 2s 2s 3s 3s 4s 5s 2h 2d 2d 3d 4d 2c 6c JK JK | 6c |
Js Qs Ks, 3d JK(4d) 5d 6d 7d, 5h 5d 5c JK, 9s 9h 9d 9c, Qs Qh Qd Qc, 8h 9h Th, Td Jd Qd Kd Ad

open, pile card owed | 7s 8s 9s Ts 4h 9h 6d 9d 4c 8c 9c JK | 6d | open
Jd Qd Kd, 3h 4h 5h, 4s 4d JK, 7h 7d 7c JK, 8h 9h Th Jh Qh, 3d 4d 5d 6d, Js Qs Ks As, 3s 4s 5s, Qc Kc
Ac, 9d Td Jd, 2s 2h 2d 2c, 2s 2d 2c, Jh Qh Kh Ah, 5h 5d 5c, 8s 8d 8c, 3s 3d 3c, Ts Th Tc, 7h 7d 7c,
9c Tc Jc Qc Kc Ac, As Ah Ad, 3c 4c 5c 6c, 8h 8d JK, 5s 6s 7s, Ks Kh Kd

open, pile card owed, 16 cards | 9s Ts Js Qs Ah 5h Jh 9d Td Jd Qd 9c Tc Jc Qc JK | Ah | open
7h 7d 7c, 5s 5d 5c JK, 8c 9c Tc Jc, 5c 6c 7c, 4h 5h 6h 7h 8h 9h Th Jh, Qh Qc JK, 2s 2h 2d, Jd JK(Qd)
Kd, 3s 4s 5s, Qs Ks As, 3d 4d 5d 6d 7d 8d, 3h 3d 3c, 4s 4d 4c, Ac 2c 3c 4c, 7s 8s 9s, Qd Kd Ad, As
Ah Ac, 8d 9d Td, 2s 2h 2d 2c, 8h 9h Th, Ks Kh Kc, 6s 7s 8s

Jolly turn | 5s 6s 7s 7h 8h 9h 6d 9d 7c 8c 9c JK JK | 6d | jolly
2s 2h 2d, Th Jh Qh, As Ad Ac, 5c 6c 7c 8c 9c Tc Jc Qc, Js Qs Ks, Ah 2h 3h, 2c 3c 4c 5c, Ks Kh Kc, 5s
5h 5d, 6s 7s 8s, 4s 4h 4c, 2d 3d 4d 5d 6d, 5h 6h 7h, Ac 2c 3c, 9s JK JK, Tc Jc Qc Kc, As 2s 3s 4s,
3s 3h 3d, 9s Ts Js, Td Jd Qd Kd Ad, 9d Td Jd Qd Kd, 8h 9h Th Jh Qh Kh

Jolly turn, open | 7s 8s 7d 9d Td 4c 5c 6c Qc JK JK | Qc | open jolly
6s 6h 6d, 9h Th Jh, 3d 3c JK, Ah 2h 3h, 3s 4s 5s 6s, 9s 9h 9c, Kh Kd Kc, 2c 3c JK(4c), Ts Td Tc, 8h
8d 8c, 7s 7d 7c, 5h 6h 7h 8h, Js Jh Jc, 2s 2h 2d, Qs Ks As, 8s 9s Ts, 8c 9c Tc Jc Qc, 4d 5d 6d, Ad
2d 3d, Jd Qd Kd, Js Qs Ks, 4h 4d 4c, As 2s 3s 4s, Ah Ad Ac, 3h 4h 5h, 5c 6c 7c
"""
"""Each: name, hand, owed cards, whether the mover is open and drew the Jolly card; under it the table."""


def hard_positions() -> list[tuple[str, States]]:
    """Return the hardest positions known for the look-ahead, as one-row batches to ask for `legal`.

    A position with an owed pile card or Jolly card comes twice: after the draw (which steps are legal?) and
    before it (may it be drawn?), unless the mover opened in the meantime.
    """
    named = []
    for block in HARD.strip().split("\n\n"):
        head, *table = block.splitlines()
        name, hand, owed, flags = (part.strip() for part in head.split("|"))
        melds = tuple(" ".join(table).split(", ")) if table else ()
        is_open, jolly_turn = "open" in flags, "jolly" in flags
        opened = (0,) if is_open else ()
        jolly = owed if jolly_turn else ""
        named.append(
            (name, position(hand, melds, opened=opened, owed=owed, jolly_turn=jolly_turn, jolly=jolly))
        )
        if owed and not (jolly_turn and is_open):
            rest = hand.split()
            rest.remove(owed)
            pile, jolly = ("", owed) if jolly_turn else (owed, "")
            before = position(" ".join(rest), melds, opened=opened, draw=True, pile=pile, jolly=jolly)
            named.append((f"{name}, before the draw", before))
    return named
