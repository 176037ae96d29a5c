"""Why a bot lost: what another would have played at each decision of its game, and what it printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import UsageError
from ..intake import debug
from ..store import Store
from ..store.models import Bot, LeagueRun
from ..store.packing import GAMES_PER_MATCH
from .listing import PlayedGame, entrant_of, latest_run
from .recorded import Recorded, match_of, stored


@dataclass(frozen=True)
class Choice:
    """A decision of a seat: what was played ("" if nothing yet), and what the other bot would play there."""

    decision: int
    seat: int
    played: str
    other: str

    @property
    def same(self) -> bool:
        """Whether both agree."""
        return self.played == self.other


def choices(
    game: Recorded, bot: str | Bot, seat: int, db: str | None = None, level: str = "strict"
) -> Iterator[Choice]:
    """Ask a bot at every decision of a seat; forced ones are left out.

    A game that is not over has one more, at its last position, if the seat is to act there. The bot sees the
    game as it was played, with the random numbers of the bot that sat there. A path and a house bot run in
    this process, a stored bot (named, or its row: a guest has no name) behind the wall unless it is trusted.

    Raises:
        BotError: it breaks a rule there; says at which decision.
    """
    seed, number = game.bot_seeds[seat] if game.bot_seeds else (0, 0)
    opened = debug.choosers([bot], game.game, seed, db, level, own_seeds=[seed], number=number)
    with opened as (choose,):
        for decision, (position, move) in enumerate(zip(game.positions(), [*game.moves, None], strict=True)):
            if position.seat == seat and len(position.legal_numbers()) > 1:
                other = choose(position)
                text = other if isinstance(other, str) else position.texts[other]
                yield Choice(decision, seat, "" if move is None else position.texts[move], text)


@dataclass(frozen=True)
class Worse:
    """A game in which another bot made more of the same cards in the same seat."""

    played: PlayedGame  # the bot's game
    other: str  # the best of the others
    score: int  # what that one made
    game: str  # where
    choice: Choice | None  # the first decision at which it would have played otherwise; None: nowhere


def best_other(store: Store, one: PlayedGame, level: str = "strict") -> Worse:
    """Ask the best of the others what it would have played in a bot's game, decision by decision.

    Args:
        one: a game that others had the cards of, too.
        level: how a stored bot is separated; "trusted": in this process.
    """
    other, score, game = max(one.others, key=lambda theirs: theirs[1])
    bots = {
        entry.bot.label: entry.bot
        for entry in store.runs.entries(store.runs.find(one.game.rpartition("/")[0]))
    }
    asked = choices(stored(store, one.game), bots[other], one.seat, store.url, level)
    return Worse(one, other, score, game, next((choice for choice in asked if not choice.same), None))


@dataclass(frozen=True)
class Printed:
    """A line that a bot printed: in which game, after how many decisions."""

    game: str
    decision: int
    text: str


def logs(store: Store, bot: str, where: str | None = None) -> Iterator[Printed]:
    """Yield what a bot printed, by game and decision.

    Args:
        where: a run, or one game of it: taroky#3/4007; default: its latest finished run.
    """
    label, slash, number = (where or "").partition("/")
    if slash and not number.isdecimal():
        raise UsageError(f"{where}: a game is named as taroky#3/4007")
    run = store.runs.find(label) if label else latest_run(store, bot)
    if run.state == "playing":
        raise UsageError(f"{run.label} is not finished: what bots print could tell of deals to come")
    labels = [entry.bot.label for entry in store.runs.entries(run)]
    mine = entrant_of(labels, bot, run)
    only = int(number) if slash else None
    if only is not None:
        _check_seated(store, run, only, labels, mine)
    for match, log in store.matches.logs(run, mine, None if only is None else only // GAMES_PER_MATCH):
        if only is None or log.game == only % GAMES_PER_MATCH:
            played = match * GAMES_PER_MATCH + log.game
            game = f"match {match}, while loading" if log.game < 0 else str(played)
            for line in log.text.rstrip("\n").split("\n"):
                yield Printed(f"{run.label}/{game}", log.decision, line)


def _check_seated(store: Store, run: LeagueRun, game: int, labels: list[str], entrant: int) -> None:
    """Make sure that there is such a game, and the entrant played it. Raises UsageError: no."""
    match, place = match_of(store, run, str(game))
    seated = [match.line_up[one] for one in match.places[place].tolist()]
    if entrant not in seated:
        there = ", ".join(labels[one] for one in seated)
        raise UsageError(f"{labels[entrant]} did not play {run.label}/{game}: there are {there}")
