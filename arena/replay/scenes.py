"""What lies on the table, how a part of a game was settled, and what others are told: by the game's own room.

`engines.scene` says what a scene is, and what a game's room `scene` has. A game without one is shown by its
fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from engines import core, registry
from engines.batches import Batches
from engines.position import Position
from engines.scene import BACK, OPEN, Line, Read, Scene, drawn, reader, room


def scene(game: Batches, states: core.States, viewer: int = OPEN) -> Scene:
    """Return what a seat sees on the table: only places where something is."""
    row = core.PlainRow(states[0])
    read = reader(game, row, viewer)
    made = drawn(game, read, row.players, viewer)
    made.setdefault("table/text/settled", in_words(settlement(game, row, read)))
    if "phase" in game.fields:
        made["rules"] = game.sections.get(str(read("phase")).partition(" ")[0], "")
    return {key: text for key, text in made.items() if text}


def deal_of(scene: Scene) -> str:
    """Return the deal that a position belongs to, by the first words of its head: `hand 3`, `round 2`."""
    return scene.get("head", "").partition(",")[0]


def closing(position: Position, seat: int, action: str, before: Scene, after: Scene) -> Scene:
    """Return what an action adds to the scene after it, such as a last trick that its row no longer holds."""
    more = getattr(room(position.game.name), "closing", None)
    return more(position.options, seat, action, before, after) if more is not None else {}


def outcome(position: Position, seat: int, action: str, before: Scene, after: Scene) -> str:
    """Return what an action led to, as the log of the pages has it.

    Behind the action stand the cards that were drawn by it, as far as they are seen, and what seats have
    announced: ` -> 7, busted`. In lines of their own follow who won a trick, and what each seat won or lost
    where a round or the game ended, and how. The position is the one after the action; the scenes are what a
    viewer saw before it and sees now.
    """
    words, part = registry.home(position.game.name).words, part_of(before)
    ended, fate = position.over or part_of(after) != part, after.get(f"seat/{seat}/text/status", "")
    drew = [word.partition(":")[::2] for word in after.get("table/text/drawn", "").split()]
    if not ended and not drew:
        drew = [(str(seat), card) for card in _new(f"seat/{seat}/cards/hand", " ", before, after)]
    said = [
        (str(p), word)
        for p in range(position.players)
        for word in _new(f"seat/{p}/text/said", ", ", before, after)
    ]
    for p in set(range(position.players)) - {seat}:  # a dealer in Julepe is in if somebody is
        said += [(str(p), f"{word} (not asked)") for word in _new(f"seat/{p}/text/says", ", ", before, after)]
    lost = fate if drew and not ended and fate in words.get("fates", {}) else ""
    led = [" ".join(_by(seat, drew)), lost, *_by(seat, [one for one in said if one[1] != action])]
    lines = [f" -> {', '.join(filter(None, led))}" if any(led) else ""]
    now = after | closing(position, seat, action, before, after)
    trick, won = "table/cards/last trick", "table/text/last trick"
    if won in now and now[trick] != before.get(trick):
        lines.append(f"    {now[won]} wins the trick")
    had, has = (totals(position.game.name, one, range(position.players)) for one in (before, after))
    paid = [changes for _, changes in settlement(position.game, core.PlainRow(position.states[0]))]
    # A first stake was paid before anybody acted: the totals had it already, the lines have it, too.
    changes = [sum(one) for one in zip(*paid)] or [now - then for now, then in zip(has, had, strict=True)]
    if ended and any(changes):
        each = ", ".join(f"seat {p} {change:+d}" for p, change in enumerate(changes))
        lines.append(f"    {part} ends: {each}")
    if ended and (settled := after.get("table/text/settled", "")) != before.get("table/text/settled", ""):
        lines.append(f"    {settled}")
    return "\n".join(lines)


def _new(place: str, between: str, before: Scene, after: Scene) -> list[str]:
    """Return what came to a place: cards that are seen, or words."""
    now, old = (Counter(one.get(place, "").split(between)) for one in (after, before))
    return [word for word in (now - old).elements() if word not in ("", BACK, "|")]


def _by(seat: int, pairs: list[tuple[str, str]]) -> list[str]:
    """Return words with the seats that they are of, if that is not the one that acts."""
    return [word if who == str(seat) else f"seat {who}: {word}" for who, word in pairs]


def totals(game: str, scene: Scene, seats: Iterable[int]) -> list[int]:
    """Return the totals of seats, as a scene shows them; 0 where it shows none."""
    name = registry.home(game).words.get("looks", {}).get("total")
    return [int(scene.get(f"seat/{seat}/text/{name}") or 0) for seat in seats]


def part_of(scene: Scene) -> str:
    """Return the part of the game that the head of a scene names, as `hand 1, round 2`: without the phase."""
    return ", ".join(re.findall(r"\b(?:round|hand|deal) \d+", scene.get("head", "")))


def settlement(game: Batches, row: core.PlainRow, read: Read | None = None) -> list[Line]:
    """Return for what each seat won or lost points or chips in the part that was finished last.

    The lines of all parts add up to the scores. There are none before the first part has ended, and none in
    a game that has no such lines. The row may be open or redacted: what is settled is public.
    """
    settle = getattr(room(game.name), "settlement", None)
    lines = settle(read or reader(game, row, OPEN), row) if settle is not None else []
    return [(label, changes) for label, changes in lines if any(changes)]


def in_words(lines: list[Line]) -> str:
    """Return the lines as one text: `numbers: seat 0 +21, seat 2 +5; doubled: seat 0 +21`."""
    return "; ".join(
        f"{label}: " + ", ".join(f"seat {p} {change:+d}" for p, change in enumerate(changes) if change)
        for label, changes in lines
    )


def told(game: str, text: str, before: Scene, after: Scene) -> str:
    """Return what a seat that did not act is told of an action.

    A game's words list the verbs whose card others may not know (`secret`); without them that may be any. A
    test plays whole games in worlds that a seat cannot tell apart: it is told the same in both.

    Returns:
        The text; `"discard ?"` for a secret action, unless its card now lies open on the table.
    """
    verb, _, card = text.partition(" ")
    if (
        not card
        or verb not in registry.home(game).words.get("secret", (verb,))
        or _open(after, card) > _open(before, card)
    ):
        return text
    return f"{verb} ?"


def _open(scene: Scene, card: str) -> int:
    """How often a card lies open."""
    cards = (word for key, text in scene.items() if "/cards/" in key for word in text.split())
    return sum(word.rpartition(":")[2] == card for word in cards)
