"""A game that was played as text for people: who sits where, every action, positions with names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from engines.position import Position
from engines.scene import Scene

from ..printable import count, settings
from .losses import Choice
from .recorded import Recorded
from .scenes import outcome, scene


def heading(game: Recorded) -> str:
    """Return what was played and who sat where."""
    seats = "\n".join(f"  seat {seat}: {name}{_end(game, seat)}" for seat, name in enumerate(game.names))
    return (
        f"{game.label}: {game.game}, {count(len(game.moves), 'decision')}; {settings(game.options)}\n{seats}"
    )


def _end(game: Recorded, seat: int) -> str:
    score = f", {game.scores[seat]:+d}" if game.scores else ""
    lost = game.lost.get(seat)
    return f"{score}; {lost.kind} at decision {lost.decision}" if lost else score


def named(text: str, names: Sequence[str]) -> str:
    """Return a position's text with the bots' names beside the seats."""

    def name(found: re.Match[str]) -> str:
        seat = int(found[1])
        return f"seat {seat} ({names[seat]})" if seat < len(names) else found[0]

    return re.sub(r"\bseat (\d+)\b", name, text).replace("(you) (you)", "(you)")


def shown(position: Position, game: Recorded, seat: int | None) -> str:
    """Return a position: with all cards open, or as a seat sees it."""
    return named(str(position) if seat is None else str(position.view(seat)), game.names)


def decision_line(position: Position, game: Recorded, decision: int, scenes: dict[int, Scene]) -> str:
    """Return what is played at a decision, by whom, and what it led to.

    `scenes` has the scene before it, if the line before was made with it, and afterwards the one after it.
    """
    seat, legal = position.seat, position.legal_numbers()
    assert seat is not None
    move = position.texts[game.moves[decision]]
    forced = " (forced)" if len(legal) == 1 else f"   of {len(legal)}" if len(legal) > 4 else ""
    lost = game.lost.get(seat)
    for_it = " [played for it]" if lost is not None and decision >= lost.decision else ""
    others = ""
    if 1 < len(legal) <= 4:
        others = f"   not {', '.join(position.texts[a] for a in legal if a != game.moves[decision])}"
    after = position.copy()
    after.play(move)
    before = scenes.pop(decision, None) or scene(position.game, position.states)
    scenes[decision + 1] = scene(after.game, after.states)
    led, *more = outcome(after, seat, move, before, scenes[decision + 1]).split("\n")
    line = f"{decision:4d}  seat {seat} {game.names[seat]}: {move}{led}{for_it}{forced or others}"
    return "\n".join([line, *(f"  {named(one, game.names)}" for one in more)])


def _part(position: Position) -> tuple[object, ...]:
    """Return the round, deal or hand that is played: a new one is shown whole."""
    seen = position.view(-1)
    return tuple(
        getattr(seen, name) for name in ("deal", "hand_number", "round") if name in seen.game_rules.fields
    )


def choice_line(choice: Choice, bot: str) -> str:
    """Return what another bot would have played there."""
    return f"      {bot} would play the same" if choice.same else f"   >> {bot} would play {choice.other}"


def transcript(
    game: Recorded,
    first: int,
    seat: int | None,
    choices: dict[int, Choice],
    bot: str,
    logs: int | None,
    costs: Mapping[int, str],
) -> Iterator[str]:
    """Yield the whole game, line by line, with some positions.

    These are the position before the first decision that is shown and the one after the last. Below a
    decision stands what it cost, if `costs` has that.
    """
    end = len(game.moves)
    yield heading(game)
    part, scenes = None, dict[int, Scene]()
    for decision, position in enumerate(game.positions()):
        part, before = _part(position), part
        if decision == first or (first < decision < end and part != before):
            yield ""
            yield shown(position, game, seat)
            yield ""
        if decision >= end:
            yield ""
            yield shown(position, game, seat)
            return
        if decision >= first:
            yield decision_line(position, game, decision, scenes)
            said = game.logs.get((logs, decision)) if logs is not None and position.seat == logs else None
            for line in (said or "").rstrip().splitlines():
                yield f"      | {line}"
            if decision in choices:
                yield choice_line(choices[decision], bot)
            if decision in costs:
                yield costs[decision]
            yield from fault_lines(position, game, decision)


def fault_lines(position: Position, game: Recorded, decision: int) -> list[str]:
    """How the bot to act lost the game at this decision, with its last output; nothing if it did not."""
    lost = game.lost.get(position.seat if position.seat is not None else -1)
    if lost is None or lost.decision != decision:
        return []
    return [f"      ! {line}" for line in f"{lost.kind}: {lost.text}".rstrip().splitlines()]
