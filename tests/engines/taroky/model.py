"""Taroky: a slow second model of tricks and settlement, with text, lists and fractions instead of masks."""

from __future__ import annotations

from typing import Any

from engines import core
from engines.core.text import card_texts, listed
from engines.position import Position
from tests.engines.taroky.positions import CARDS

VALUES = {"K": 5, "Q": 4, "R": 3, "J": 2}


def worth(card: str) -> int:
    return 5 if card in ("I", "XXI", "Sk") else VALUES.get(card[0], 1) if CARDS.index(card) < 32 else 1


def model_payment(pos: Position, last: str) -> list[int]:
    """Chips of the settlement when `last` is the card that ends the round, by text, lists and fractions."""
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


# --- whether a row with all its cards agrees with itself: what the rules make certain, from cards as text ---


def suit_of(card: str) -> str:
    return card[1] if CARDS.index(card) < 32 else "trump"


def announcements(hand: set[str]) -> set[str]:
    """Money cards of a hand of 12, by the table of the rules page."""
    trumps = sum(suit_of(card) == "trump" for card in hand)
    kings, trul = sum(card[0] == "K" for card in hand), len(hand & {"I", "XXI", "Sk"})
    names = {
        "uni": trumps == 0,
        "bida": trumps in (1, 2),
        "tarocky": trumps in (8, 9),
        "taroky": trumps >= 10,
    }
    names |= {"trul": trul == 3, "pane": kings < 4 <= kings + trul}
    names |= {"rosa-pane": kings == 4 and trul == 0, "rosa-pane+": kings == 4 and trul > 0}
    return {name for name, there in names.items() if there}


def agrees(s: Any) -> bool:
    """Whether what was called, announced, discarded and played in this row was allowed with its cards.

    Left out is where deciding card and talon cards were: for rows of later rounds.
    """
    hands = [set(card_texts(mask, CARDS)) for mask in s.hand]
    away = [set(card_texts(mask, CARDS)) for mask in s.discards]
    had = [set(hand) for hand in hands]
    for k in range(s.played):
        had[(s.leaders[k // 4] + k) % 4].add(CARDS[s.tricks[k]])
    refused = set(card_texts(s.shown, CARDS)) - set(listed(s.talon, CARDS))
    return (
        _discards_agree(hands, away)
        and _tricks_agree(s, hands)
        and (s.called < 0 or _call_agrees(s, had))
        and (s.pagat < 0 or "I" in had[s.pagat])
        and (s.rejections < 2 or refused <= had[s.prever] | away[s.prever])
        and (s.phase <= 8 or _money_agrees(s, had))
    )


def _discards_agree(hands: list[set[str]], away: list[set[str]]) -> bool:
    for hand, gone in zip(hands, away, strict=True):
        if any(card[0] == "K" for card in gone):
            return False
        if any(suit_of(c) == "trump" for c in gone) and any(
            suit_of(c) != "trump" and c[0] != "K" for c in hand
        ):
            return False
    return True


def _tricks_agree(s: Any, hands: list[set[str]]) -> bool:
    for k in range(s.played):
        led, card = suit_of(CARDS[s.tricks[k // 4 * 4]]), suit_of(CARDS[s.tricks[k]])
        left = {suit_of(other) for other in hands[(s.leaders[k // 4] + k) % 4]}
        if card != led and (led in left or (card != "trump" and "trump" in left)):
            return False
    return True


def _call_agrees(s: Any, had: list[set[str]]) -> bool:
    """Povinnost had the trumps above the called one; who made a call of one side was of that side."""
    above = CARDS[s.called + 1 : CARDS.index("XIX") + 1]
    called = CARDS[s.called]
    if any(card not in had[s.povinnost] for card in above) or (above and called in had[s.povinnost]):
        return False
    if s.partner != next((p for p in range(4) if called in had[p]), s.povinnost):
        return False
    declares = [p in (s.povinnost, s.partner) for p in range(4)]
    return all(side < 0 or bool(side) == declares[p] for p, side in enumerate(s.side))


def _money_agrees(s: Any, had: list[set[str]]) -> bool:
    names = ("uni", "bida", "tarocky", "taroky", "trul", "pane", "rosa-pane", "rosa-pane+")
    for p in range(4):
        said = {name for k, name in enumerate(names) if s.money[p] >> k & 1}
        true = announcements(had[p])
        if said != true and not (p == s.povinnost and said == true - {"uni", "bida"}):
            return False
    return True
