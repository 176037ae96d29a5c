"""One game that was played, as positions: from the store (`taroky#2/4007`) or a record (`game.jsonl`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engines
from engines.position import Position
from leagues.errors import unreadable

from ..errors import Unknown, UsageError
from ..match.records import Event, RecordError, check, follow, play

if TYPE_CHECKING:
    from ..match.played import Forfeited, PlayedMatch
    from ..store import Store
    from ..store.models import LeagueRun


@dataclass(frozen=True)
class Recorded:
    """A game that was played."""

    label: str
    game: str
    players: int
    options: dict[str, Any]
    seed: int | None  # of its shuffles; None where `shuffles` are given
    shuffles: tuple[tuple[str, ...], ...] | None  # cards of every shuffle; None where the seed gives them
    moves: tuple[int, ...]  # every action, also those that were forced
    names: tuple[str, ...]
    scores: tuple[int, ...]  # at the end, as the cards fell
    # by seat, the seed of the bot's own random numbers and the game's number in its match
    bot_seeds: tuple[tuple[int, int], ...] | None = None
    lost: dict[int, Forfeited] = field(default_factory=dict)  # seats that broke a rule
    # what bots printed, by seat and decisions before it
    logs: dict[tuple[int, int], str] = field(default_factory=dict)

    def start(self) -> Position:
        """Return the position before the first decision."""
        game = engines.load(self.game)
        if self.shuffles is not None:
            return game.position(players=self.players, shuffles=self.shuffles, **self.options)
        return game.position(seed=self.seed or 0, players=self.players, **self.options)

    def positions(self) -> Iterator[Position]:
        """Yield the position before every decision, and the last one; one object that moves on."""
        position = self.start()
        yield position
        for move in self.moves:
            position.play(move)
            yield position

    def asked(self, seat: int) -> list[int]:
        """Return the decisions of a seat at which its bot is asked: those that are not forced."""
        return [
            at
            for at, position in enumerate(self.positions())
            if at < len(self.moves) and position.seat == seat and len(position.legal_numbers()) > 1
        ]

    def at(self, decision: int) -> Position:
        """Return the position before a decision. Raises UsageError: the game has no such decision."""
        if not 0 <= decision <= len(self.moves):
            raise UsageError(f"{self.label} has decisions 0 to {len(self.moves) - 1}, not {decision}")
        return next(islice(self.positions(), decision, None))

    def seat_of(self, bot: str) -> int:
        """Return the first seat of a bot, by its name with or without version."""
        for seat, name in enumerate(self.names):
            if bot in (name, name.partition("@")[0], name.partition(" (")[0]):
                return seat
        raise UsageError(f"{bot} did not play {self.label}: there are {', '.join(self.names)}")

    def events(self, legal: bool = True) -> Iterator[Event]:
        """Yield the game as a record that names the bots."""
        game = engines.load(self.game)
        if self.seed is None:
            raise UsageError(f"{self.label} is a record already")
        chooser = follow(self.moves)
        for event in play(game, self.players, self.options, self.seed, [chooser] * self.players, legal):
            if event["event"] != "game":
                yield event
                continue
            named = event | {"bots": list(self.names)}
            yield named | ({"bot_seeds": [list(s) for s in self.bot_seeds]} if self.bot_seeds else {})


def load_game(text: str, db: str | None = None) -> Recorded:
    """Return the game that a person names: `LEAGUE#N/GAME`, or the file of a record.

    Raises:
        UsageError, RecordError: there is none.
    """
    if re.search(r"#\d+(/|$)", text) and not Path(text).is_file():
        from ..store import Store

        return stored(Store(db), text)
    if "/" not in text and "." not in text and not Path(text).is_file():
        raise UsageError(f"{text!r}: name a game as LEAGUE#N/GAME, such as taroky#2/4007, or a record's file")
    return from_file(Path(text))


def stored(store: Store, text: str) -> Recorded:
    """Return a game of the store.

    Raises:
        UsageError: there is none, or its run is not finished.
        RunError: it was played under other rules.
    """
    from ..runs.guard import check_rules
    from ..runs.stages import secret_of

    name, slash, number = text.partition("/")
    if not slash:
        raise UsageError(
            f"{text!r}: say which game, as LEAGUE#N/GAME: {name}/0; `arena league games {name}` lists them"
        )
    run = store.runs.find(name)
    if run.state == "playing":
        raise UsageError(f"{run.label} is not finished: its games are shown when nobody can learn from them")
    match, place = match_of(store, run, number)
    at = match.number
    check_rules(store, run)
    secret = secret_of(store, run, match)
    entries, places = store.runs.entries(run), match.places[place].tolist()
    entrants = [match.line_up[one] for one in places]
    lost = {one.seat: one for one in match.forfeits if one.game == place}
    logs: dict[tuple[int, int], str] = {}
    for seat, entrant in enumerate(entrants):
        for _, log in store.matches.logs(run, entrant, at):
            if (log.place, log.game) == (places[seat], place):
                logs[seat, log.decision] = logs.get((seat, log.decision), "") + log.text
    return Recorded(
        label=f"{run.label}/{number}",
        game=run.game,
        players=run.definition.players,
        options=run.definition.options,
        seed=secret.deal_seed(int(match.blocks[place])),
        shuffles=None,
        moves=tuple(match.moves[place].tolist()),
        names=tuple(entries[entrant].bot.label for entrant in entrants),
        scores=tuple(match.scores[place].tolist()),
        bot_seeds=tuple((secret.bot_seed(at, one), place) for one in places),
        lost=lost,
        logs=logs,
    )


def match_of(store: Store, run: LeagueRun, number: str) -> tuple[PlayedMatch, int]:
    """Return the match of a game, and its place in it. Raises UsageError: the run has no such game."""
    from ..store.packing import GAMES_PER_MATCH

    at, place = divmod(int(number), GAMES_PER_MATCH) if number.isdecimal() and len(number) < 16 else (-1, 0)
    match = store.matches.one(run, at)
    if match is None or place >= len(match.blocks):
        known = [str(one * GAMES_PER_MATCH) for one in sorted(store.matches.stored(run))[:3]]
        some = (
            f"games are numbered {', '.join(known)}, ... (match * {GAMES_PER_MATCH} + place)"
            if known
            else "it has no games"
        )
        raise Unknown(f"{run.label} has no game {number!r}; {some}")
    return match, place


def from_file(path: Path) -> Recorded:
    """Return the first game of a record, which is checked against the rules.

    Raises:
        UsageError: it cannot be read.
        RecordError: the engine does not agree with it.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(unreadable(path, error)) from None
    ends = [at for at, line in enumerate(lines) if '"event": "end"' in line or '"event":"end"' in line]
    lines = lines[: ends[0] + 1] if ends else lines
    check(lines, str(path))
    return of_events([json.loads(line) for line in lines if line.strip()], str(path))


def of_events(events: Sequence[Event], label: str) -> Recorded:
    """Return a game from its events, which are trusted."""
    head, last = events[0], events[-1]
    game = engines.load(head["game"])
    players, options = game.check_options(head.get("players"), head.get("options") or {})
    bots = head.get("bots")
    named = isinstance(bots, list) and len(bots) == players and all(isinstance(bot, str) for bot in bots)
    seeds = head.get("bot_seeds")
    try:
        bot_seeds = tuple((int(seed), int(number)) for seed, number in seeds) if seeds else None
    except (TypeError, ValueError):
        raise RecordError(f"{label}: bot_seeds are pairs of a seed and a number") from None
    return Recorded(
        label=label,
        game=game.name,
        players=players,
        options=options,
        seed=None,
        shuffles=tuple(tuple(event["cards"]) for event in events if event["event"] == "shuffle"),
        moves=tuple(
            game.action(event["action"], options) for event in events if event["event"] == "decision"
        ),
        names=tuple(bots) if named and bots else tuple(f"seat {seat}" for seat in range(players)),
        scores=tuple(last.get("scores") or ()),
        bot_seeds=bot_seeds if bot_seeds and len(bot_seeds) == players else None,
    )
