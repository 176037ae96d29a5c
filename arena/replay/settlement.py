"""How the points or chips of the last finished part of a game came about: `settlement(game, row)`.

A part is a round of Julepe, Flip 7 and Tzogous 37, or the deal of Jolly Zoliky. Its lines say for what each
seat won or lost, as the scoring section of the rules page does; the lines of all parts add up to the scores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines import core
from engines.game import Game
from engines.julepe.state import LARGEST_PAYMENT

Line = tuple[str, list[int]]
"""For what, and the change of every seat."""


def settlement(game: Game, row: core.PlainRow, read: Callable[..., Any] | None = None) -> list[Line]:
    """Return the lines of the part that was finished last; none before that.

    The row may be open or redacted: what is settled is public. Tzogous 37 with stacks that last a game and
    Jolly Zoliky with several deals have no lines: their rows no longer hold the chips or hands.

    Args:
        game: the game.
        row: of its state.
        read: gives a field of the row by name, if the caller has read some already: a history is long.
    """

    def read_all(name: str, seat: int = -1) -> Any:
        return game.fields[name].of(row, seat)

    lines = SETTLEMENTS[game.name](read or read_all, row) if game.name in SETTLEMENTS else []
    return [(label, changes) for label, changes in lines if any(changes)]


def in_words(lines: list[Line]) -> str:
    """Return the lines as one text: `numbers: seat 0 +21, seat 2 +5; doubled: seat 0 +21`."""
    return "; ".join(
        f"{label}: " + ", ".join(f"seat {p} {change:+d}" for p, change in enumerate(changes) if change)
        for label, changes in lines
    )


def _julepe(read: Callable[..., Any], row: core.PlainRow) -> list[Line]:
    """Return what was paid for the tricks of the last round, and the stakes before and after it (rules 5)."""
    everybody, stake = range(5), row.stake
    lines = [("stake", [-stake] * 5)]
    if not read("history"):
        return []
    past = read("history")[-1]
    pot, dealer = past["pot"], past["dealer"]
    inside = [p for p in everybody if past["statements"][p] == "in"]
    tricks = [past["winners"].count(p) for p in everybody]
    safe = [p for p in inside if tricks[p] >= 2]
    price, half = min(pot, LARGEST_PAYMENT // stake * stake), pot // (2 * stake) * stake
    label, gains, all_pay = "julepe", [0] * 5, False
    if inside == [dealer]:
        label, all_pay = "against the house", bool(safe)
        gains[dealer] = pot if tricks[dealer] >= 4 else half if safe else -price
    elif len(inside) == 2 and safe == inside:
        label, all_pay = "half of the pot", True
        gains = [half if p in inside else 0 for p in everybody]
    elif safe or row.nobody_safe:
        losers = [p for p in inside if p not in safe]
        share = price // (len(safe) * stake) * stake * len(losers) if safe else 0
        gains = [-price if p in losers else share if p in safe else 0 for p in everybody]
    lines = lines if past["round"] == 1 else []
    lines.append((f"{label}, pot {pot}", gains))
    if read("phase") == "over":
        return [*lines, ("a fifth of the pot", [(pot - sum(gains)) // 5] * 5)]
    following = (dealer + 1) % 5
    return [*lines, ("next stake", [-stake if all_pay or p == following else 0 for p in everybody])]


def _flip7(read: Callable[..., Any], row: core.PlainRow) -> list[Line]:
    """Return the four steps of a row's points in the last round (rules 5.1)."""
    events = read("history") if read("last") else ()
    end = max((at for at, (_, text) in enumerate(events) if text.startswith("scores")), default=-1)
    begin = max((at for at, (_, text) in enumerate(events[: max(end, 0)]) if text == "deals"), default=-1)
    if begin < 0:
        return []
    drawn = [
        [t[6:] for who, t in events[begin:end] if who == p and t[:5] == "draws"] for p in range(row.players)
    ]
    numbers = [{int(card) for card in cards if card.isdigit()} for cards in drawn]
    scored = [points > 0 for points in read("last")]
    plain = [sum(held) * counts for held, counts in zip(numbers, scored, strict=True)]
    more = [sum(int(card) for card in cards if card[0] == "+") for cards in drawn]
    return [
        ("numbers", plain),
        ("doubled by X2", [n * ("X2" in cards) for n, cards in zip(plain, drawn, strict=True)]),
        ("plus cards", [n * counts for n, counts in zip(more, scored, strict=True)]),
        (
            "seven numbers",
            [15 * counts * (len(held) >= 7) for held, counts in zip(numbers, scored, strict=True)],
        ),
    ]


def _tzogous37(read: Callable[..., Any], row: core.PlainRow) -> list[Line]:
    """Return what each seat put into the last pot and won from it (rules 5.2)."""
    events = [event for event in read("history") if event[2] >= 0]
    wins = [at for at, event in enumerate(events) if event[3].startswith("win ")]
    if not wins or row.stacks:
        return []
    begin = wins[-1]
    while begin - 1 in wins:  # a pot that is shared
        begin -= 1
    while begin and begin - 1 not in wins:
        begin -= 1
    return _bets(events[begin : wins[-1] + 1], row)


def _bets(events: list[tuple[int, int, int, str]], row: core.PlainRow) -> list[Line]:
    paid, bets, won, betting = [0] * row.players, [0] * row.players, [0] * row.players, 0
    for _, when, seat, text in events:
        if when and when != betting:
            betting, bets = when, [0] * row.players
        word, _, amount = text.partition(" ")
        if word in ("call", "raise"):
            more = max(bets) + (int(amount) if word == "raise" else 0) - bets[seat]
            bets[seat] += more
            paid[seat] += more
        elif word == "win":
            won[seat] += int(amount)
    return [("ante", [-row.ante] * row.players), ("bets", [-n for n in paid]), ("won", won)]


def _zoliky(read: Callable[..., Any], row: core.PlainRow) -> list[Line]:
    """Return what the cards left in hand cost in a game of one deal (rules 5); hands stay hidden."""
    if read("phase") != "over" or row.deals > 1:
        return []
    sizes, totals = read("sizes"), read("totals")
    return [
        ("cards left", [-n for n in sizes]),
        ("more for jokers", [(total + n) * (n > 0) for n, total in zip(sizes, totals, strict=True)]),
        ("from the others", [total * (n == 0) for n, total in zip(sizes, totals, strict=True)]),
    ]


SETTLEMENTS: dict[str, Callable[[Callable[..., Any], core.PlainRow], list[Line]]] = {
    "flip7": _flip7,
    "julepe": _julepe,
    "tzogous37": _tzogous37,
    "zoliky": _zoliky,
}
