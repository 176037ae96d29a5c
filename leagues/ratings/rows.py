"""The rating table: one typed row per bot, and what must be said about the league as a whole. Pure.

Not here: where the games come from (`arena/runs/standings.py`), and how rows are printed (`arena/cli/`).
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from .collusion import collusion
from .control import Luck, Weights, alarms, without_luck
from .dependence import SIGNIFICANT, Dependence, stretch_dependence
from .elo import Ratings, bradley_terry
from .pairs import Ahead, Estimate, neighbours, rank_intervals
from .results import Flags, Floats, Ints, Results, across
from .scores import Scores, carried_by_few, least_squares_scores, mean_scores

COLLUSION = 0.001  # p below which the table speaks of it

WATCHED = (
    "intervals are about 1.5 times as wide as after one finished league, as the table may be looked at while "
    "it grows"
)


HEADLINES = {
    "elo": "Elo: who finishes before whom",
    "score": "points a game at a common table",
    "fair_score": "points a game at a common table, luck-adjusted",
}


@dataclass(frozen=True)
class RatingRow:
    """One bot in the table. None: not known, as an interval from a single block. Intervals are 95 %."""

    rank: int | None
    rank_low: int | None  # the best and the worst rank that cannot be ruled out
    rank_high: int | None
    ahead: str | None  # of the next row: sure, likely or open; None: it is the last one of its group
    ahead_deals: int | None  # about how many more deals would make it sure; None: it is, or nobody knows
    bot: str
    version: int
    guest: bool
    mark: str  # the beginning of the hash of a guest's files; "" of others
    group: int  # from 1; bots of different groups never met, not even through others, and are ranked apart
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    score: float | None  # points per game with the company taken out, at the level of all scores
    score_low: float | None
    score_high: float | None
    mean: float  # points per game as they fell
    mean_low: float | None
    mean_high: float | None
    heavy: (
        bool  # a few huge blocks carry the score that ranks go by (else the mean): its interval is too short
    )
    luck: float | None  # points per game that chance gave; this and what follows: None if it was not computed
    luck_z: float | None  # of that, in standard errors; beyond 5 no chance explains it
    fair_score: float | None  # score without luck
    fair_score_low: float | None
    fair_score_high: float | None
    fair_elo: float | None  # Elo without luck
    fair_elo_low: float | None
    fair_elo_high: float | None
    first: float  # share of games won or shared, 0 .. 1; a shared first place counts its share
    games: int
    blocks: int
    forfeits: int
    faults: str  # forfeits by kind: "2 cpu, 1 crash"
    cpu_us: float  # CPU microseconds per decision: all that it used, loading included, by its decisions
    cpu_p99_us: float | None  # 99 % of the decisions took no more; None: was never asked
    cpu_worst_us: float | None  # per decision of the most costly request
    perfect: int  # 1: won every comparison, -1: lost every one; the rating is then only a bound
    provisional: bool  # fewer than 30 blocks

    def plain(self) -> dict[str, Any]:
        """As it is stored and printed as JSON."""
        return asdict(self)


SHOWN = ("#", "ranks", "bot", "Elo", "95 %", "score/game", "games")  # in a notebook
COLUMNS = tuple(column.name for column in fields(RatingRow))
NO_INTERVALS: dict[str, Any] = dict.fromkeys(
    name for name in COLUMNS if name.endswith(("_low", "_high")) and not name.startswith("rank")
)


@dataclass(frozen=True)
class RatedBot:
    """Who an entrant is, and what the harness counted of it."""

    bot: str
    version: int
    guest: bool = False
    faults: Mapping[str, int] = field(default_factory=dict)  # forfeits by kind
    cpu_s: float = 0.0
    cpu_p99_us: float | None = None
    cpu_worst_us: float | None = None
    decisions: int = 0
    owner: str = ""
    mark: str = ""  # what tells guests of one name apart


@dataclass(frozen=True)
class RatingTable:
    """The rows, best first, and sentences about the league as a whole."""

    rows: tuple[RatingRow, ...]
    notes: tuple[str, ...]
    # what the rows are ordered by, and ranks are about: "elo", "score" or "fair_score"
    headline: str = "elo"

    def plain(self) -> dict[str, Any]:
        """As it is stored: {"rows": [...], "notes": [...], "headline": "elo"}."""
        rows = [row.plain() for row in self.rows]
        return {"rows": rows, "notes": list(self.notes), "headline": self.headline}

    def _repr_html_(self) -> str:
        """As a notebook shows it: who stands where, and how sure that is."""
        lines = ["".join(f"<td>{html.escape(text)}</td>" for text in _shown(row)) for row in self.rows]
        head = "".join(f"<th>{name}</th>" for name in SHOWN)
        body = "".join(f"<tr>{line}</tr>" for line in (head, *lines))
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<table>{body}</table>{notes}"


def _shown(row: RatingRow) -> tuple[str, ...]:
    """Return the cells of a row in a notebook; "-": not known."""
    ranks = "-" if row.rank_low is None else f"{row.rank_low}-{row.rank_high}"
    interval = "-" if row.elo_low is None else f"{row.elo_low:.0f} .. {row.elo_high:.0f}"
    score = "-" if row.score is None else f"{row.score:.2f}"
    elo = "-" if row.elo is None else f"{row.elo:.0f}"
    return str(row.rank or "-"), ranks, label(row), elo, interval, score, str(row.games)


def rating_table(
    results: Results,
    entered: Sequence[RatedBot],
    *,
    rated: bool = True,
    aim: str = "place",
    weights: Weights | None = None,
) -> RatingTable:
    """Rate everybody who has a game.

    Args:
        entered: who the entrants are; their places are the entrant numbers.
        aim: what the rows are ordered by: "place" (Elo) or "points" (a game at a common table, luck-adjusted
            if that is surer). Ranks are about the same number.
        weights: what a point of luck is worth, if the results have luck that is to be taken out.
    """
    games, who, count, dependence = settled(results, entered)
    if not count:
        return RatingTable((), ())
    names = [label(one) for one in who]
    watched = [] if results.planned is None else [WATCHED]
    unknown = dependence.unknown
    fit = without_errors(bradley_terry(games, count), unknown)
    notes = watched + notes_on_dependence(names, dependence, games)
    luck = without_luck(games, count, weights) if weights else None
    notes += _notes_on_owners(games, who)
    known = _estimates(games, count, fit, luck, unknown, points=aim == "points")
    rows = _rows(known, who)
    if luck is not None:
        notes += _notes_on_luck(luck, known.shorter, who)
    groups = len(np.unique(known.headline.group))
    if groups > 1:
        notes.append(
            f"{groups} groups of bots never met, not even through others: each is rated and ranked apart"
        )
    lost = {names[i] for i in unknown}
    rows = [replace(row, **NO_INTERVALS) if label(row) in lost else row for row in rows]
    if not rated:
        empty = ("rank", "rank_low", "rank_high", "ahead", "ahead_deals", "elo", "elo_low", "elo_high")
        blank: dict[str, Any] = dict.fromkeys(empty)
        rows = sorted((replace(row, **blank, perfect=0) for row in rows), key=lambda row: -row.mean)
    return RatingTable(tuple(rows), tuple(notes), known.named if rated else "score")


def without_errors(fit: Ratings, entrants: Sequence[int]) -> Ratings:
    """Return the ratings with the errors of some entrants unknown: each as if it had one block."""
    unknown = np.isin(np.arange(len(fit.elo)), entrants)
    low, high = np.where(unknown, -np.inf, fit.elo_low), np.where(unknown, np.inf, fit.elo_high)
    return replace(fit, elo_low=low, elo_high=high, blocks=np.where(unknown, 1, fit.blocks))


def playing(results: Results) -> Ints:
    """Return the entrants that have a game, ascending."""
    there = np.zeros(int(results.entrant.max(initial=-1)) + 2, bool)
    there[results.entrant] = True
    return np.flatnonzero(there[:-1])  # a seat that is not there is -1: the last


def settled(results: Results, entered: Sequence[RatedBot]) -> tuple[Results, list[RatedBot], int, Dependence]:
    """Prepare what every table starts from.

    The entrants that play are numbered 0, 1, ..., and errors come from what is independent.

    Returns:
        The games, in which matches count for bots that depend on them; who plays; how many; who depends.
    """
    here = playing(results)
    games = results.renumbered(here)
    found = stretch_dependence(games, len(here))
    return games.depending(found.entrants, found.doubtful), [entered[i] for i in here], len(here), found


@dataclass(frozen=True, eq=False)
class _Estimates:
    """What the rows are made of; arrays have one item per entrant."""

    fit: Ratings
    headline: Estimate
    named: str  # the column of the headline
    ranks: Ints  # (entrants, 2) best and worst rank
    mean: Scores
    fair: Scores  # with the company taken out
    heavy: Flags
    first: Floats
    games: Ints
    blocks: Ints
    level: float  # mean of all scores
    luck: Luck | None
    shorter: float  # share of the length of Elo's error bars that is gone with the luck


def _estimates(
    games: Results, count: int, fit: Ratings, luck: Luck | None, unknown: Sequence[int], points: bool
) -> _Estimates:
    """Compute everything that the rows show; parameters as in `rating_table`."""
    fair = least_squares_scores(games, count)
    headline: Estimate = fit
    named = "elo"
    if points:
        scores, named = (luck.scores, "fair_score") if luck and luck.saved > 0 else (fair, "score")
        dark = np.isin(np.arange(count), unknown)
        headline = replace(scores, blocks=np.where(dark, 1, scores.blocks))
    return _Estimates(
        fit=fit,
        headline=headline,
        named=named,
        ranks=rank_intervals(headline),
        mean=mean_scores(games, count),
        fair=fair,
        heavy=luck.heavy if luck and named == "fair_score" else carried_by_few(games, count),
        first=first_places(games, count),
        games=_games(games, count),
        blocks=games.per_block.count(games.seated, count),
        level=float(games.score.sum() / games.seated.sum()),
        luck=luck,
        shorter=0.0 if luck is None else luck.shorter(fit),
    )


def _in_order(headline: Estimate, who: Sequence[RatedBot]) -> list[int]:
    """Order the entrants for the table: by group, the largest first, then by the headline."""
    group, value = headline.group, headline.value
    size = np.bincount(group)
    return sorted(
        range(len(who)),
        key=lambda i: (-size[group[i]], group[i], -round(float(value[i]), 4), who[i].bot, who[i].version),
    )


def _rows(known: _Estimates, who: Sequence[RatedBot]) -> list[RatingRow]:
    """Make the rows in the order of the table."""
    group = known.headline.group
    order = _in_order(known.headline, who)
    groups = {number: place for place, number in enumerate(dict.fromkeys(group[order].tolist()), 1)}
    ranked: Counter[int] = Counter()
    rows = []
    for i, ahead in zip(order, neighbours(known.headline, order), strict=True):
        number = groups[int(group[i])]
        ranked[number] += 1
        rows.append(_row(known, who[i], i, ranked[number], number, ahead))
    return rows


def _row(known: _Estimates, one: RatedBot, i: int, rank: int, group: int, ahead: Ahead | None) -> RatingRow:
    """Make the row of entrant i."""
    fit = known.fit
    more = ahead.more if ahead else None
    return RatingRow(
        rank=rank,
        rank_low=int(known.ranks[i, 0]),
        rank_high=int(known.ranks[i, 1]),
        ahead=ahead.word if ahead else None,
        ahead_deals=None if more is None else math.ceil(more * int(known.blocks[i])),
        group=group,
        elo=rounded(fit.elo[i], 1),
        elo_low=rounded(fit.elo_low[i], 1),
        elo_high=rounded(fit.elo_high[i], 1),
        score=rounded(known.level + known.fair.mean[i], 3),
        score_low=rounded(known.level + known.fair.score_low[i], 3),
        score_high=rounded(known.level + known.fair.score_high[i], 3),
        mean=round(float(known.mean.mean[i]), 3),
        mean_low=rounded(known.mean.score_low[i], 3),
        mean_high=rounded(known.mean.score_high[i], 3),
        heavy=bool(known.heavy[i]),
        **_fair(known.luck, known.shorter, i, known.level),
        first=round(float(known.first[i]), 4),
        games=int(known.games[i]),
        blocks=int(known.blocks[i]),
        perfect=int(fit.perfect[i]),
        provisional=bool(fit.provisional[i]),
        **_counted(one),
    )


def _counted(one: RatedBot) -> dict[str, Any]:
    """Make the columns that the harness counted."""
    return {
        "bot": one.bot,
        "version": one.version,
        "guest": one.guest,
        "mark": one.mark,
        "forfeits": sum(one.faults.values()),
        "faults": ", ".join(f"{n} {kind}" for kind, n in Counter(one.faults).most_common()),
        "cpu_us": round(one.cpu_s / one.decisions * 1e6, 1) if one.decisions else 0.0,
        "cpu_p99_us": one.cpu_p99_us,
        "cpu_worst_us": one.cpu_worst_us,
    }


def _notes_on_luck(luck: Luck, shorter: float, who: Sequence[RatedBot]) -> list[str]:
    """Say how much noise is gone, and who had more luck than chance explains."""
    points = f"{luck.saved:.0%} of the variance of block differences in points" if luck.saved > 0 else ""
    places = f"{shorter:.0%} of the length of the intervals of Elo" if shorter > 0 else ""
    gone = " and ".join(filter(None, (points, places)))
    kept = " and ".join(what for what, gain in (("points", points), ("Elo", places)) if not gain)
    notes = [f"luck-adjusted: this removed {gone}"] if gone else []
    if kept:
        notes.append(f"luck is left in {kept}: without it, the intervals would not be shorter")
    return notes + alarms([label(one) for one in who], luck.z, luck.scores.blocks)


def _notes_on_owners(games: Results, who: Sequence[RatedBot]) -> list[str]:
    """Pairs of one owner from whom the others surely lose, or of whom one surely gives to the other."""
    notes = []
    for one in collusion(games, [entrant.owner for entrant in who]):
        first, second = label(who[one.one]), label(who[one.two])
        told = (
            f"{first} and {second}, both of {who[one.one].owner}, sit together in {one.blocks} blocks: there "
        )
        if one.p < COLLUSION:
            notes.append(f"{told}every other bot makes {one.others:+.2f} points a game (p < {COLLUSION:g})")
        if one.gift_p < COLLUSION:
            giver, taker = (second, first) if one.gift > 0 else (first, second)
            passes = f"{abs(one.gift):.2f} points a game pass from {giver} to {taker}"
            notes.append(f"{told}{passes} (p < {COLLUSION:g})")
    return notes


def _fair(luck: Luck | None, shorter: float, i: int, level: float) -> dict[str, Any]:
    """Make the columns on luck of an entrant; what is no surer without luck is left out."""
    names = tuple(column for column in COLUMNS if column.startswith(("luck", "fair_")))
    if luck is None:
        return dict.fromkeys(names)
    scores, elo = luck.scores, luck.ratings
    points = (level + scores.mean[i], level + scores.score_low[i], level + scores.score_high[i])
    places = (elo.elo[i], elo.elo_low[i], elo.elo_high[i])
    numbers = [rounded(value, 3) for value in (luck.mean[i], luck.z[i])]
    numbers += [rounded(value, 3) if luck.saved > 0 else None for value in points]
    numbers += [rounded(value, 1) if shorter > 0 else None for value in places]
    return dict(zip(names, numbers, strict=True))


def first_places(results: Results, entrants: int) -> Floats:
    """Compute the share of games in which nobody finished before; k that share a first place get 1 / k."""

    def share(games: Results) -> Floats:
        ranking = np.where(games.seated, games.ranking, -np.inf)
        top = games.seated & (ranking == np.max(list(ranking.T), axis=0)[:, None])
        return top / across(top)[:, None]

    return results.by_entrant(share, entrants) / np.maximum(_games(results, entrants), 1)


def _games(results: Results, entrants: int) -> Ints:
    """Games of every entrant: one counts once, however many seats it had there."""

    def once(games: Results) -> Floats:
        seats = games.entrant.T
        return np.array([~(seats[:at] == seat).any(axis=0) for at, seat in enumerate(seats)], float).T

    return results.by_entrant(once, entrants).astype(np.int64)


def notes_on_dependence(labels: Sequence[str], dependence: Dependence, games: Results) -> list[str]:
    """Return who depends on the match, and what is counted for that."""
    notes = []
    if dependence.entrants:
        names = ", ".join(labels[i] for i in dependence.entrants)
        what = f"results of {names} depend on the match (by chance in {SIGNIFICANT:.0%} of leagues)"
        if games.match is None:
            parts, deals = (len(np.unique(number)) for number in (games.stretch_number, games.block))
            notes.append(f"{what}: intervals count {parts} stretches of deals, not {deals} deals")
        else:
            notes.append(
                f"{what}: the intervals of its comparisons count its matches, not its deals; comparisons of "
                "the other bots count deals"
            )
    notes += [
        f"{labels[i]} lost most games of a match together, and there are too few matches to tell how often "
        "that happens: its error is not known, and the error bars of the others may be too short"
        for i in dependence.unknown
    ]
    if dependence.doubtful and games.match is not None:
        names = ", ".join(labels[i] for i in dependence.doubtful)
        notes.append(
            f"results of {names} may depend on the match (in one of five leagues by chance): the intervals "
            "of its comparisons count its matches, so they are wider; more matches tell"
        )
    return notes


def sentences(rows: Sequence[RatingRow]) -> list[str]:
    """Say of every row how it stands to the next one, and how much more must be played to be sure."""
    told = []
    for row, below in pairwise(rows):
        if row.ahead is not None:
            deals = row.ahead_deals
            most = f"about {deals} more deals would tell" if deals else "no number of deals is known to tell"
            more = "" if row.ahead == "sure" else f"; {most}"
            told.append(f"{label(row)} is ahead of {label(below)}: {row.ahead}{more}")
    return told


def label(one: RatedBot | RatingRow) -> str:
    """`name@version`; a guest by the beginning of its hash."""
    return f"{one.bot} (guest {one.mark})" if one.guest else f"{one.bot}@{one.version}"


def rounded(value: float | None, digits: int) -> float | None:
    """Round a number; None where there is none."""
    return None if value is None or not np.isfinite(value) else round(float(value), digits)
