"""A whole game as plain data, so that a page can step through it without an engine: `film`.

A frame is the position before a decision; the last one is the end of the game. What lies where (see
`scenes`) is stored by place: every change with the number of its frame. What a seat sees is stored only where
it differs from the open cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypedDict

from engines.position import Position
from engines.scene import OPEN, Scene

from .recorded import Recorded
from .scenes import closing, scene, told

Track = list[list[Any]]
"""Changes of one place: [frame, text] each; None in a seat's view: as the open cards."""


class Film(TypedDict):
    """A game, frame by frame; `legal` and `played` are indices into `texts`."""

    game: str
    label: str
    players: int
    options: dict[str, Any]
    seats: list[str]
    frames: int
    texts: list[str]
    seat: list[int]  # to act, by frame; -1 at the end
    legal: list[list[int]]
    played: list[int]
    hidden: dict[str, list[int]]  # seats that are not told which card was played, by frame
    open: dict[str, Track]
    views: list[dict[str, Track]]  # by seat
    scores: list[int]
    lost: list[dict[str, Any]]
    log: dict[str, str]  # what a bot noted, by frame
    costs: dict[str, Any]  # what decisions cost, if that was saved: `analysis.in_units`; else {}
    same: list[dict[str, Any]]  # other games of the deal: label, seats, scores, where they parted


def film(position: Position, moves: Sequence[int], names: Sequence[str] = (), label: str = "") -> Film:
    """Play a game again and keep what lies on the table at every decision."""
    game, players = position.game, position.players
    opened: list[Scene] = []
    seen: list[list[Scene]] = [[] for _ in range(players)]
    numbers: list[int] = []
    seats: list[int] = []
    legal: list[list[int]] = []
    for number in [*moves, None]:
        now = scene(game, position.states, OPEN)
        did = position.texts[numbers[-1]] if numbers else ""
        ended = closing(position, seats[-1], did, opened[-1], now) if numbers else {}
        opened.append(now | ended)
        for viewer, kept in enumerate(seen):
            kept.append(scene(game, game.views(position.states, viewer), viewer) | ended)
        seats.append(-1 if position.seat is None else position.seat)
        legal.append(position.legal_numbers())
        if number is not None:
            position.play(number)
            numbers.append(number)
    used = sorted({number for offered in legal for number in offered})
    place = {number: at for at, number in enumerate(used)}
    return {
        "game": game.name,
        "label": label,
        "players": players,
        "options": dict(position.options),
        "seats": list(names) or [f"seat {seat}" for seat in range(players)],
        "frames": len(opened),
        "texts": [position.texts[number] for number in used],
        "seat": seats,
        "legal": [[place[number] for number in offered] for offered in legal],
        "played": [place[number] for number in numbers],
        "hidden": _hidden(game.name, seats, [position.texts[number] for number in numbers], seen),
        "open": _tracks(opened),
        "views": [_differences(opened, kept) for kept in seen],
        "scores": position.scores(),
        "lost": [],
        "log": {},
        "costs": {},
        "same": [],
    }


def film_of(game: Recorded, words: bool = True, logs: Sequence[str] = ()) -> Film:
    """Return the film of a game that was played.

    Args:
        words: with what bots said when they lost it.
        logs: bots whose log is shown, by name with or without version; others' is nobody's business.
    """
    made = film(game.start(), game.moves, game.names, game.label)
    for seat, lost in game.lost.items():
        text, at = lost.text if words else "", min(lost.decision, made["frames"] - 1)
        made["lost"].append({"seat": seat, "kind": lost.kind, "frame": at, "text": text})
    for (seat, at), text in sorted(game.logs.items()):
        if {game.names[seat], game.names[seat].partition("@")[0]} & set(logs):
            said = f"{game.names[seat]}: {text.rstrip()}"
            made["log"][str(at)] = "\n".join(filter(None, [made["log"].get(str(at)), said]))
    return made


def _hidden(
    game: str, actors: Sequence[int], texts: Sequence[str], seen: Sequence[Sequence[Scene]]
) -> dict[str, list[int]]:
    """Who is not told all of an action, by its frame."""
    hidden = {
        at: [
            seat
            for seat, kept in enumerate(seen)
            if seat != actors[at] and told(game, text, kept[at], kept[at + 1]) != text
        ]
        for at, text in enumerate(texts)
    }
    return {str(at): seats for at, seats in hidden.items() if seats}


def _tracks(scenes: Sequence[dict[str, Any]], gone: str | None = "") -> dict[str, Track]:
    """Return the changes of every place; `gone` is what stands for a place that is no more there."""
    tracks: dict[str, Track] = {}
    for at, (before, now) in enumerate(pairwise([{}, *scenes])):
        for key in {**before, **now}:
            if before.get(key) != now.get(key):
                tracks.setdefault(key, []).append([at, now.get(key, gone)])
    return tracks


def _differences(opened: Sequence[Scene], seen: Sequence[Scene]) -> dict[str, Track]:
    """Where a seat sees something else than the open cards."""
    other: list[dict[str, Any]] = [
        {key: now.get(key, "") for key in {**whole, **now} if whole.get(key) != now.get(key)}
        for whole, now in zip(opened, seen, strict=True)
    ]
    return _tracks(other, None)
