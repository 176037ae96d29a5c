"""List games of a run by bot.

The list has who sat where, what they made, and what others made of the same cards in the same seat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engines.errors import nearest
from leagues.definition import Comparison

from ..errors import UsageError
from ..match.played import parting
from ..store import Store
from ..store.models import LeagueRun
from ..store.packing import GAMES_PER_MATCH
from .recorded import match_of


@dataclass(frozen=True)
class PlayedGame:
    """One seat of a bot in a game."""

    game: str
    deal: int
    seat: int
    names: tuple[str, ...]
    scores: tuple[int, ...]
    kind: str  # of the fault by which the bot lost; "" if it did not
    # bot, score and game of the others with the same deal in the same seat
    others: tuple[tuple[str, int, str], ...]
    cost: float | None = None  # of all decisions of the seat, if its analysis was saved, in what that counts

    @property
    def score(self) -> int:
        """What the bot made."""
        return self.scores[self.seat]

    @property
    def margin(self) -> float | None:
        """What the bot made more than the others with the same cards on average; None if nobody had them."""
        others = [score for _, score, _ in self.others]
        return self.score - sum(others) / len(others) if others else None

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        facts = {"game": self.game, "deal": self.deal, "seat": self.seat, "bots": list(self.names)}
        margin = None if self.margin is None else round(self.margin, 2)
        return facts | {"scores": list(self.scores), "fault": self.kind, "margin": margin, "cost": self.cost}


def games_of_run(
    store: Store, run: str | None, bots: Sequence[str] = (), worst: bool = False, forfeits: bool = False
) -> list[PlayedGame]:
    """List the games of a run.

    Args:
        store: where it is.
        run: its name; None: the latest finished one of the first bot.
        bots: the first is the bot whose seats are listed; the others sat at the table. None: every game.
        worst: only games in which others had the same cards, those first in which they did best against it.
        forfeits: only games that the first bot forfeited.

    Raises:
        UsageError: no such run, or it is not finished; a bot that is not in it; no bot is named.
    """
    if not bots and (worst or forfeits or run is None):
        raise UsageError("say whose games: add --bots NAME")
    games = games_of(store, store.runs.find(run) if run else latest_run(store, bots[0]), *bots[:1])
    for other in bots[1:]:
        games = [one for one in games if any(is_called(name, other) for name in one.names)]
    if worst:
        games = [one for one in games if not one.kind and one.margin is not None]
        games.sort(key=lambda one: one.margin or 0.0)
    return [one for one in games if one.kind] if forfeits else games


def latest_run(store: Store, bot: str) -> LeagueRun:
    """Return the latest finished league with a bot; where it has played none, its latest comparison.

    A comparison has two bots of interest and the deals of one question, so it stands behind any league.
    """
    known = dict[str, None]()
    for run in sorted(store.runs.all(), key=lambda run: (isinstance(run.definition, Comparison), -run.key)):
        labels = [entry.bot.label for entry in store.runs.entries(run)] if run.state != "playing" else []
        if any(is_called(label, bot) for label in labels):
            return run
        known |= dict.fromkeys(label.partition("@")[0] for label in labels)
    raise UsageError(f"{bot} has played no finished run; {nearest(bot, known, 'see `arena league show`')}")


def is_called(label: str, name: str) -> bool:
    """Whether a label such as `rule@1` or `draft (guest 0123ab)` is that of a name, version or not.

    A file counts as the bot that it holds: `./draft.py` is `draft`.
    """
    if name.endswith(".py") or "/" in name:
        name = Path(name).stem
    return name in (label, label.partition("@")[0], label.partition(" (")[0])


def games_of(store: Store, run: LeagueRun, bot: str | None = None) -> list[PlayedGame]:
    """Return all games of a bot in a run, a row for every seat of it.

    Without a bot, return every game once, as seat 0 had it.
    """
    if run.state == "playing":
        raise UsageError(f"{run.label} is not finished: its games are shown when nobody can learn from them")
    labels = [entry.bot.label for entry in store.runs.entries(run)]
    mine = None if bot is None else entrant_of(labels, bot, run)
    played = next(iter(store.games.of_runs([run])), None)
    if played is None:
        return []
    first = np.concatenate([[True], played.match[1:] != played.match[:-1]])
    starts = np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
    numbers = (played.match.astype(np.int64) * GAMES_PER_MATCH + np.arange(len(first)) - starts).tolist()
    entrants, scores, deals = played.entrant.tolist(), played.score.tolist(), played.block.tolist()
    same: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, deal in enumerate(deals):
        for seat in range(len(entrants[at])):
            same[deal, seat].append(at)
    analysed = store.analyses.of_run(run)
    kinds = _kinds(store, run) if played.lost.any() else {}
    rows = []
    for at, seats in enumerate(entrants):
        for seat, entrant in enumerate(seats):
            if entrant != mine if mine is not None else seat:
                continue
            others = tuple(
                (labels[entrants[other][seat]], scores[other][seat], f"{run.label}/{numbers[other]}")
                for other in same[deals[at], seat]
                if entrants[other][seat] != entrant
            )
            kept = analysed.get(numbers[at], {}).get(seat)
            rows.append(
                PlayedGame(
                    game=f"{run.label}/{numbers[at]}",
                    deal=deals[at],
                    seat=seat,
                    names=tuple(labels[one] for one in seats),
                    scores=tuple(scores[at]),
                    kind=kinds.get((numbers[at], seat), ""),
                    others=others,
                    cost=None if kept is None else round(sum(one.cost for one in kept.decisions), 4),
                )
            )
    return rows


def entrant_of(labels: list[str], bot: str, run: LeagueRun) -> int:
    """Return the entrant that a person names: `rule@1`, the newest `rule`, or a guest by its name."""
    fitting = [at for at, label in enumerate(labels) if is_called(label, bot)]
    if not fitting:
        raise UsageError(f"{bot} is not in {run.label}: there are {', '.join(labels)}")
    return fitting[-1]


def _kinds(store: Store, run: LeagueRun) -> dict[tuple[int, int], str]:
    """How seats lost, by game and seat."""
    return {
        (match.number * GAMES_PER_MATCH + lost.game, lost.seat): lost.kind
        for match in store.matches.all(run)
        for lost in match.forfeits
    }


def same_deal(store: Store, label: str) -> list[dict[str, Any]]:
    """Return the other games of a game's deal, by number, as a film has them (`Film.same`).

    `parted` is the first decision that differs; as many as there are if none does.
    """
    name, _, number = label.partition("/")
    run = store.runs.find(name)
    match, place = match_of(store, run, number)
    block, moves, entries = int(match.blocks[place]), match.moves[place], store.runs.entries(run)
    found = []
    for other in store.matches.all(run, store.games.with_block(run, block)):
        for at in (at for at, dealt in enumerate(other.blocks.tolist()) if dealt == block):
            if (other.number, at) == (match.number, place):
                continue
            seats = [entries[other.line_up[one]].bot.label for one in other.places[at].tolist()]
            one = {"label": f"{run.label}/{other.number * GAMES_PER_MATCH + at}", "seats": seats}
            parted = parting(moves, other.moves[at])
            parted = len(moves) if parted is None else parted
            found.append(one | {"scores": other.scores[at].tolist(), "parted": parted})
    return found
