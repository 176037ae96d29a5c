"""Taroky: positions and rounds for the tests, in the notation of the rules page."""

from typing import Any

import engines
from engines import core
from engines.position import Position
from engines.taroky import state
from tests.engines.built import built

GAME = engines.load("taroky")

CARDS = list(GAME.cards)

PHASE = {name: number for number, name in enumerate(state.PHASES)}


def deck(a: int, b: int) -> list[str]:
    """The list whose element i is card a*i + b mod 54."""
    return [CARDS[(a * i + b) % 54] for i in range(54)]


def cards(text: str) -> list[str]:
    return text.split()


def mask(text: str) -> int:
    return sum(1 << CARDS.index(card) for card in text.split())


def trumps(first: str, last: str) -> str:
    return " ".join(CARDS[CARDS.index(first) : CARDS.index(last) + 1])


def position(phase: str, hands: dict[int, str], **fields: Any) -> Position:
    """A position of the first round: dealer 3, Povinnost and to act 0; the hands given, no other card."""
    options = {name: fields.pop(name) for name in list(fields) if name in GAME.options}
    states = GAME.new(1, **options).copy()
    row = core.PlainRow(states[0])
    core.start_rows(core.rows(states))
    row.phase, row.seat, row.dealer, row.povinnost = PHASE[phase], 0, 3, 0
    for seat, cards in hands.items():
        row.hand[seat] = mask(cards)
        row.hand_size[seat] = len(cards.split())
    for name, value in fields.items():
        setattr(row, name, value)
    return built(GAME, states)


def cards_of_talon(s: Any) -> list[str]:
    return [CARDS[card] for card in s.talon if card >= 0]


Said = list[tuple[int, str, list[str]]]


def play(pos: Position, script: str = "") -> Said:
    """Play to the end: lowest actions, but the script's next item ("3 contra, 0 rhea") once its seat may.

    Returns what was said: seat, action, legal actions.
    """
    said: Said = []
    items = [item.strip().split(" ", 1) for item in script.split(",") if item.strip()]
    while not pos.over:
        seat, legal = pos.seat, pos.legal()
        action = legal[0]
        if items and int(items[0][0]) == seat and items[0][1] in legal:
            action = items.pop(0)[1]
        said.append((seat, action, legal))
        pos.play(action)
    assert not items, f"never legal: {items}"
    return said


def one_round(cards: list[str], script: str = "", **options: Any) -> tuple[Position, Said]:
    pos = GAME.position(shuffles=[cards], rounds=1, **options)
    return pos, play(pos, script)


def result(pos: Position) -> dict[str, Any]:
    return dict(pos.view(-1).history[-1])


def settlement(pos: Position) -> list[int]:
    """What the settlement alone paid, by seat."""
    last = result(pos)
    alone = len(last["declarers"]) == 1
    return [
        last["pay"] * (3 if alone else 1) if seat in last["declarers"] else -last["pay"] for seat in range(4)
    ]


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def until(phase: str, cards: list[str], script: str = "") -> Position:
    """The first decision of a phase; lowest actions and the script lead there."""
    pos = GAME.position(shuffles=[cards], rounds=1)
    items = [item.strip().split(" ", 1) for item in script.split(",") if item.strip()]
    while pos.view(-1).phase != phase:
        legal = pos.legal()
        scripted = items and int(items[0][0]) == pos.seat and items[0][1] in legal
        pos.play(items.pop(0)[1] if scripted else legal[0])
    return pos


def filled(hand: str) -> dict[int, str]:
    """Seat 0 has this hand, the others hands of 12 without any money card."""
    rest = [card for card in CARDS if card not in hand.split()]
    high = [card for card in rest if CARDS.index(card) >= 32]
    low = [card for card in rest if CARDS.index(card) < 32 and card[0] != "K"]
    n = min(7, len(high) // 3)
    return {0: hand} | {
        p: " ".join(high[p - 1 : 3 * n : 3] + low[p - 1 : 3 * (12 - n) : 3]) for p in (1, 2, 3)
    }
