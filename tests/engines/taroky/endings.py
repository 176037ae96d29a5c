"""Taroky: late positions with all deals that agree with a view, listed one by one from the rules page.

Whether a deal agrees is found from cards as text (`agrees`); nothing here asks the engine what a
seat may know. In round 1 a placing of cards stands for as many deals as there are ways to say which of a
seat's cards came from the talon.
"""

import random
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from engines import core
from engines.core.text import card_texts, listed
from tests.engines.taroky.facts import DECK, II, PLAIN, PLAY, _takers
from tests.engines.taroky.positions import CARDS, GAME

Placing = tuple[int, ...]
"""Masks: the hands, each seat's discards, the talon."""
FEWEST, MOST = 100, 4000
"""Placings of an ending, those counted that contradict the view."""


def walk(seed: int, stop: int, round_no: int = 2) -> np.ndarray:
    """A position of a random round in which few calls are made, so that most get to the cards."""
    pos, rng = GAME.position(seed=seed, rounds=2), random.Random(seed)
    while not pos.over:
        s = core.PlainRow(pos.states[0])
        if s.finished == round_no - 1 and s.played == stop and s.phase == PLAY:
            return pos.states
        legal = pos.legal()
        pos.play("pass" if "pass" in legal and rng.random() < 0.8 else rng.choice(legal))
    return pos.states[:0]


def rooms(view: np.ndarray) -> tuple[int, list[int]]:
    """The cards that a view does not place; how many go to each hand, each seat's discards, the talon."""
    s = core.PlainRow(view[0])
    seen = 0
    for masks in (s.hand, s.discards, s.won):
        for cards in masks:
            seen |= cards
    for card in (*s.talon, *s.tricks[s.played // 4 * 4 : s.played]):
        seen |= 1 << card if card >= 0 else 0
    room = [s.hand_size[p] - s.hand[p].bit_count() for p in range(4)]
    room += [s.discard_count[p] - s.discards[p].bit_count() for p in range(4)]
    return DECK & ~seen, [*room, (DECK & ~seen).bit_count() - sum(room)]


def placings(cards: list[int], room: list[int]) -> Iterator[Placing]:
    """Every way to put the cards at places with this room."""
    if not room:
        yield ()
        return
    for taken in combinations(cards, room[0]):
        rest = [card for card in cards if card not in taken]
        for others in placings(rest, room[1:]):
            yield (sum(1 << card for card in taken), *others)


def placed(view: np.ndarray, placing: Placing) -> Any:
    """The view with these cards added."""
    s = core.PlainRow(core.copy_states(view)[0])
    for p in range(4):
        s.hand[p] |= placing[p]
        s.discards[p] |= placing[4 + p]
    held = [p for p in range(4) if s.called >= 0 and s.hand[p] >> s.called & 1]
    if s.called >= 0 and s.partner < 0:
        s.partner = held[0] if held else s.povinnost
    return s


def deals(s: Any) -> int:
    """In how many ways the talon's cards can be among those of the seats that took them.

    In round 1 the trumps below the deciding card came from there; the deciding card was dealt to Povinnost.
    """
    if s.deciding < 0:
        return 1
    low = sum(1 << card for card in range(II, s.deciding))
    ways, left = 1, low & sum(1 << card for card in s.talon if card >= 0)
    for p in range(4):
        own = s.hand[p] | s.discards[p]
        for k in range(s.played):
            own |= 1 << s.tricks[k] if (s.leaders[k // 4] + k) % 4 == p else 0
        if p == s.povinnost and not own >> s.deciding & 1:
            return 0
        took, lows = _takers(s).count(p), (own & low).bit_count()
        left |= own & low if took else 0
        others = own.bit_count() - lows - (own >> s.deciding & 1)
        ways *= comb(others, took - lows) if took >= lows else 0
    return ways if left == low else 0


def chances(view: np.ndarray) -> dict[Placing, float] | None:
    """How likely every placing is; None if there are too few or too many to list, or all agree."""
    unseen, room = rooms(view)
    ways, left = 1, sum(room)
    for n in room:
        ways, left = ways * comb(left, n), left - n
    if not FEWEST < ways < MOST:
        return None
    cards = [card for card in range(54) if unseen >> card & 1]
    s = core.PlainRow(view[0])
    talon = sum(1 << card for card in s.talon if card >= 0)
    known, found = (*s.hand, *s.discards, talon), {}
    for placing in placings(cards, room):
        if any(away & ~PLAIN for away in placing[4:8]):
            continue
        world = placed(view, placing)
        if agrees(world):
            left = [place for place in range(6) if _open(s, place)]
            for place, card in zip(left, (c for c in cards if placing[8] >> c & 1), strict=True):
                world.talon[place] = card
            if n := deals(world):
                found[tuple(a | b for a, b in zip(known, placing, strict=True))] = n
    total = sum(found.values())
    return {key: n / total for key, n in found.items()} if 2 <= len(found) < 0.8 * ways else None


def _open(s: Any, place: int) -> bool:
    """Whether a card that the view does not show lies at this place of the talon."""
    return s.talon[place] < 0 and _takers(s)[place] < 0


def key(world: np.ndarray) -> Placing:
    """The placing of a world."""
    s = core.PlainRow(world)
    return (*s.hand, *s.discards, sum(1 << card for card in s.talon if card >= 0))


def endings(seed: int) -> Iterator[tuple[np.ndarray, dict[Placing, float], Any]]:
    """Views of late positions, each with the chances of its placings."""
    while True:
        seed += 1
        states = walk(seed, 34 + seed % 11, 1 + seed % 2)
        for seat in range(4 if len(states) else 0):
            view = GAME.views(states, seat)
            expected = chances(view)
            if expected:
                yield view, expected, key
                break


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
