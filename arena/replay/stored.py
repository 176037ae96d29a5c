"""A stored game by its name, `taroky#1/2003`: who sat where, its deal, its actions and what was forfeited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import engines
from engines.game import Game

from ..errors import UsageError
from ..league.open import check_rules
from ..league.plans import deal_secret, planned_matches
from ..store import Store
from ..store.models import LeagueRun
from ..store.packing import GAMES_PER_MATCH, PlayedMatch


@dataclass(frozen=True)
class Lost:
    """A seat that forfeited, after how many decisions of the game, and its last words."""

    seat: int
    kind: str
    decisions: int
    text: str


@dataclass(frozen=True)
class StoredGame:
    """One game of a finished run, with all that it takes to play it again."""

    label: str
    run: LeagueRun
    game: Game
    seed: int
    block: int
    seats: tuple[str, ...]  # the bot in every seat
    moves: tuple[int, ...]
    scores: tuple[int, ...]
    lost: tuple[Lost, ...]
    log: tuple[tuple[int, int, str], ...] = ()  # decisions before it, seat, what was printed

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.seats)


def find_game(store: Store, text: str, logs: Sequence[str] = ()) -> StoredGame:
    """The game of a label: `taroky#1/2003` is match 2, game 3 of it.

    Args:
        store: where it is.
        text: its label.
        logs: bots whose log is wanted, by name or label; others' is nobody's business.

    Raises:
        UsageError: there is none, or its run is still played: then its cards would help somebody.
        RunError: it was played under other rules than those of today.
    """
    name, _, number = text.partition("/")
    run = store.find_run(name)
    if run.state == "playing":
        raise UsageError(f"{run.label} is not finished: its games are shown when nobody can learn from them")
    at, place = divmod(int(number), GAMES_PER_MATCH) if number.isascii() and number.isdecimal() else (-1, 0)
    match = store.match(run, at) if 0 <= at < 2**62 else None
    if match is None or place >= len(match.blocks):
        some = ", ".join(str(known * GAMES_PER_MATCH) for known in sorted(store.stored_matches(run))[:3])
        raise UsageError(
            f"{run.label} has no game {number!r}; "
            + (f"games: {some}, ... (match * {GAMES_PER_MATCH} + place)" if some else "none is stored")
        )
    check_rules(store, run)
    return games_of(store, run, match, [place], logs)[0]


def games_of(
    store: Store, run: LeagueRun, match: PlayedMatch, places: list[int], logs: Sequence[str] = ()
) -> list[StoredGame]:
    """Some games of one match; `places` are theirs in it. The rules are not checked."""
    entries = store.entries(run)
    labels = [entry.bot.label for entry in entries]
    spoken = [
        (one.place, line)
        for entrant, entry in enumerate(entries)
        if {entry.bot.label, entry.bot.name} & set(logs)
        for _, one in store.logs(run, entrant, match.number)
        for line in one.lines
    ]
    secret = deal_secret(planned_matches(store, run)[match.number].stage)
    return [
        StoredGame(
            label=f"{run.label}/{match.number * GAMES_PER_MATCH + place}",
            run=run,
            game=engines.load(run.game),
            seed=secret.deal_seed(int(match.blocks[place])),
            block=int(match.blocks[place]),
            seats=tuple(labels[match.line_up[at]] for at in match.places[place].tolist()),
            moves=tuple(match.moves[place].tolist()),
            scores=tuple(match.scores[place].tolist()),
            lost=tuple(
                Lost(seat, lost.kind, made, lost.text)
                for lost in match.lost
                for game, seat, made in lost.seats.tolist()
                if game == place
            ),
            log=tuple(
                (made, match.places[place].tolist().index(whose), text)
                for whose, (game, made, text) in spoken
                if game == place
            ),
        )
        for place in places
    ]
