"""Read and write game records: a game as JSON Lines, one event a line.

An outside program can read, replay and check a record.

    {"event": "game", "game": "taroky", "players": 4, "options": {...all of them...}, "seed": 7}
    {"event": "shuffle", "cards": ["Sk", "XXI", ...]}          in the order that the rules page names
    {"event": "decision", "seat": 2, "legal": ["play Ks", ...], "action": "play Ks"}
    {"event": "end", "scores": [12, -4, -4, -4]}

A record without `legal` in its decisions, or without `seed`, is a record too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import engines
from engines.game import Game
from engines.position import Position
from leagues.errors import unreadable

from ..errors import ArenaError, UsageError

Chooser = Callable[[Position], str | int]
Event = dict[str, Any]


class RecordError(ArenaError):
    """A record that cannot be read, or that the engine does not agree with; names the line."""


def line(event: Event) -> str:
    """One event as its line of the file (without the line's end)."""
    return json.dumps(event, ensure_ascii=False)


def play(
    game: Game,
    players: int,
    options: dict[str, Any],
    seed: int,
    choosers: Sequence[Chooser],
    legal: bool = True,
) -> Iterator[Event]:
    """Play one game and yield its events as they happen.

    Args:
        seed: of the shuffles.
        choosers: who decides for each seat; each gets the position and answers with an action.
        legal: whether decisions carry the legal actions.

    Raises:
        GameError: bad options, or an illegal action of a chooser.
    """
    position = game.position(seed=seed, players=players, record=True, **options)
    yield {
        "event": "game",
        "game": game.name,
        "players": position.players,
        "options": position.options,
        "seed": seed,
    }
    assert position.shuffles is not None
    shown = 0
    while True:
        for cards in position.shuffles[shown:]:
            yield {"event": "shuffle", "cards": list(cards)}
        shown = len(position.shuffles)
        seat = position.seat
        if seat is None:
            break
        offered = position.legal()
        action = choosers[seat](position)
        text = action if isinstance(action, str) else position.texts[action]
        position.play(action)
        decision: Event = {"event": "decision", "seat": seat}
        if legal:
            decision["legal"] = offered
        yield decision | {"action": text}
    yield {"event": "end", "scores": position.scores()}


def follow(actions: Iterable[int]) -> Chooser:
    """Return a chooser that plays the actions of a stored game; RecordError when they end too soon."""
    rest = iter(actions)

    def choose(position: Position) -> int:
        action = next(rest, None)
        if action is None:
            raise RecordError("the stored actions end before the game does: it was played under other rules")
        return action

    return choose


@dataclass
class _Record:
    """One game of a file: its events with their line numbers."""

    head: Event
    at: int
    shuffles: list[list[str]] = field(default_factory=list)
    rest: list[tuple[int, Event]] = field(default_factory=list)


def check(lines: Iterable[str], name: str = "record") -> int:
    """Replay all games of a record through the engine; return how many they are: all of them agree.

    Raises:
        RecordError: names file, line and the first difference.
    """
    games = 0
    for record in _split(lines, name):
        _check_game(record, name)
        games += 1
    if not games:
        raise RecordError(f"{name}: no game in it")
    return games


def check_record(path: Path) -> int:
    """Replay all games of a record's file through the engine; return how many there are.

    Raises:
        UsageError: it cannot be read.
        RecordError: names file, line and the first difference.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            return check(lines, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(unreadable(path, error)) from None


def _split(lines: Iterable[str], name: str) -> Iterator[_Record]:
    record: _Record | None = None
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            event = json.loads(text)
            kind = event["event"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise RecordError(
                f"{name}, line {number}: not an event (a JSON object with the key 'event')"
            ) from None
        if kind == "game":
            if record is not None:
                raise RecordError(f"{name}, line {number}: a new game begins before the last one has its end")
            record = _Record(event, number)
        elif record is None:
            raise RecordError(f"{name}, line {number}: {kind!r} before any game")
        else:
            if kind == "shuffle":
                record.shuffles.append(_cards(event, name, number))
            record.rest.append((number, event))
            if kind == "end":
                yield record
                record = None
    if record is not None:
        raise RecordError(f"{name}: the game of line {record.at} has no end")


def _cards(event: Event, name: str, number: int) -> list[str]:
    cards = event.get("cards")
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise RecordError(f"{name}, line {number}: a shuffle needs 'cards', a list of text")
    return cards


def _check_game(record: _Record, name: str) -> None:
    head, number = record.head, record.at
    try:
        game = engines.load(head.get("game", ""))
        options = head.get("options") or {}
        if not isinstance(options, dict):
            raise engines.OptionError("'options' must be an object")
        position = game.position(players=head.get("players"), shuffles=record.shuffles, **options)
        done = 0
        for number, event in record.rest:
            done += _check_event(position, event, done, f"{name}, line {number}")
        if len(position.shuffles or ()) != len(record.shuffles):
            raise RecordError(
                f"{name}, line {number}: the game needs {len(position.shuffles or ())} shuffles, the record "
                f"has more"
            )
    except (engines.GameError, TypeError, ValueError, OverflowError) as error:  # a value of another type
        raise RecordError(f"{name}, line {number}: {error}") from None


def _check_event(position: Position, event: Event, done: int, where: str) -> int:
    """Compare one event with the engine and play it.

    `done` shuffles were shown before. Return the shuffles shown: 0 or 1.
    """
    kind = event["event"]
    if kind == "shuffle":
        if done >= len(position.shuffles or ()):
            raise RecordError(f"{where}: a shuffle, but the engine needs none here")
        return 1
    if done < len(position.shuffles or ()):
        raise RecordError(f"{where}: {kind}, but the engine needs a shuffle here")
    if kind == "decision":
        if event.get("seat") != position.seat:
            raise RecordError(f"{where}: seat {event.get('seat')}, the engine has {_to_act(position)}")
        if "legal" in event and event["legal"] != position.legal():
            raise RecordError(f"{where}: legal is {event['legal']}, the engine has {position.legal()}")
        if not isinstance(event.get("action"), str):
            raise RecordError(f"{where}: a decision needs 'action' as text")
        position.play(event["action"])
    elif kind == "end":
        if not position.over:
            raise RecordError(f"{where}: the end, but the engine has {_to_act(position)}")
        if event.get("scores") != position.scores():
            raise RecordError(f"{where}: scores {event.get('scores')}, the engine has {position.scores()}")
    else:
        raise RecordError(f"{where}: unknown event {kind!r}")
    return 0


def _to_act(position: Position) -> str:
    return "the end of the game" if position.over else f"seat {position.seat} to act"
