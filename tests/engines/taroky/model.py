"""Taroky: a slow second model of tricks and settlement, with text, lists and fractions instead of masks."""

from __future__ import annotations

from typing import Any

from engines import core
from engines.core.text import card_texts
from engines.position import Position
from tests.engines.taroky.positions import CARDS

VALUES = {"K": 5, "Q": 4, "R": 3, "J": 2}


def worth(card: str) -> int:
    return 5 if card in ("I", "XXI", "Sk") else VALUES.get(card[0], 1) if CARDS.index(card) < 32 else 1


def model_payment(pos: Position, last: str) -> list[int]:
    """Chips of the settlement when `last` is the card that ends the round: text, lists and fractions instead of masks."""
    s, view = core.PlainRow(pos.states[0]), pos.view(-1)
    lead, prever = view.povinnost, view.prever
    side = {prever} if prever >= 0 else {lead, s.partner}
    tricks = [*view.tricks, (*view.trick, last)]
    took = [
        winner_of(cards, pos.options["ace_high"], leader)
        for cards, leader in zip(tricks, view.leaders, strict=True)
    ]
    own = [card for cards, seat in zip(tricks, took, strict=True) if seat in side for card in cards]
    own += [card for seat in side for card in card_texts(s.discards[seat], CARDS)]
    points, n = sum(worth(card) for card in own), sum(seat in side for seat in took)
    if view.valat >= 0:
        caller_wins = all((seat in side) == (view.valat in side) for seat in took)
        won, main = caller_wins == (view.valat in side), 40.0
    elif n in (0, 12):
        won, main = n == 12, 20.0
    else:
        won = points > 53
        main = (abs(points - 53) + 10) * (3 if prever >= 0 else 2) / 10
        main = float(int(main + 0.5))
    main *= 2.0 ** len(view.contras)
    if prever >= 0 and not won and view.valat < 0:
        main *= 2.0**view.rejections
    pay = (main if won else -main) + model_pagat(pos, tricks[-1], view.leaders[-1], side)
    return [int(pay * (3 if len(side) == 1 else 1)) if seat in side else int(-pay) for seat in range(4)]


def model_pagat(pos: Position, cards: tuple[str, ...], leader: int, side: set[int]) -> int:
    view = pos.view(-1)
    if view.valat >= 0 and not pos.options["pagat_with_valat"]:
        return 0
    lonely = [card for card in cards if CARDS.index(card) >= 32] == ["I"]
    if view.pagat >= 0:
        chips, seat = (4 if lonely else -int(pos.options["pagat_fail"])), view.pagat
    elif "I" in cards:
        chips, seat = (2 if lonely else -2), (leader + cards.index("I")) % 4
    else:
        return 0
    return chips if seat in side else -chips


def winner_of(cards: tuple[str, ...], ace_high: Any, leader: int) -> int:
    high = [card for card in cards if CARDS.index(card) >= 32]
    if high:
        return (leader + cards.index(max(high, key=CARDS.index))) % 4
    order = ("2341JRQK" if ace_high else "1234JRQK") if cards[0][1] in "hd" else "789TJRQK"
    following = [card for card in cards if card[1] == cards[0][1]]
    return (leader + cards.index(max(following, key=lambda card: order.index(card[0])))) % 4
