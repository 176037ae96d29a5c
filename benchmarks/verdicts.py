"""What the verdicts of the tables are worth, in simulated leagues whose truth is known.

    python -m benchmarks.verdicts                # all cases, small
    python -m benchmarks.verdicts mood --leagues 400

Bots score their strength plus Gumbel noise, so that the chance to finish before another is exactly that of
the Elo scale. The noise of a seat is partly that of its deal, in all rotations. Schedules are the project's
own. docs/reference/numbers.md shows what this prints.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from leagues.ratings.elo import ELO, Ratings, bradley_terry
from leagues.ratings.intervals import always_quantile, error_of_difference, quantile
from leagues.ratings.nash import NashRow, nash_rows
from leagues.ratings.pairs import neighbours
from leagues.ratings.results import Flags, Floats, Ints, Results
from leagues.ratings.rows import RatedBot, RatingTable, rating_table
from leagues.schedule import schedule

SHARED = 0.3  # chance that a seat's noise is that of its deal
DEALS = 250


@dataclass(frozen=True)
class Line:
    """One line of the table: a share of leagues (or of intervals in them), and its standard error."""

    case: str
    leagues: int
    said: str
    share: float
    error: float


def line(case: str, said: str, found: Sequence[float]) -> Line:
    """Return the mean over leagues of what was found in each, with the standard error of that mean."""
    values = np.asarray(found, np.float64)
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return Line(case, len(values), said, float(values.mean()), error)


@dataclass(frozen=True, eq=False)
class PlannedGames:
    """A planned league: who sits where, before anything is played."""

    entrant: Ints  # (games, seats)
    block: Ints
    stretch: Ints
    match: Ints

    @classmethod
    def planned(cls, entrants: int, seats: int, deals: int, rng: np.random.Generator) -> PlannedGames:
        """Return the schedule of a round-robin, with circular orders drawn at random."""
        plans = schedule(entrants, seats, deals)
        columns = []
        for number, plan in enumerate(plans):
            if plan.rotation:
                continue
            order = rng.permuted(np.tile(plan.line_up, (plan.blocks, 1)), axis=1)
            turned = np.stack([np.roll(order, turn, axis=1) for turn in range(seats)], axis=1)
            block = np.repeat(np.arange(plan.first_block, plan.first_block + plan.blocks), seats)
            match = number * seats + np.tile(np.arange(seats), plan.blocks)
            columns.append((turned.reshape(-1, seats), block, np.full(len(block), plan.first_block), match))
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def played(self, elo: Floats, rng: np.random.Generator, moods: Floats | None = None) -> Results:
        """Play: bots of these strengths, whose strength differs between matches by these standard deviations.

        Args:
            elo: strength of every bot, in Elo.
            moods: (bots,) in Elo; default: none.
        """
        shape = self.entrant.shape
        unit = np.unique(self.block, return_inverse=True)[1]
        deal = rng.gumbel(size=(unit.max() + 1, shape[1]))
        kept = rng.random(deal.shape) < SHARED
        noise = np.where(kept[unit], deal[unit], rng.gumbel(size=shape))
        strength = elo[self.entrant]
        if moods is not None:
            drawn = rng.standard_normal((self.match.max() + 1, len(elo))) * moods
            strength = strength + drawn[self.match[:, None], self.entrant]
        return Results(
            self.entrant, strength / ELO + noise, self.block, stretch=self.stretch, match=self.match
        )


def table_of(results: Results, bots: int) -> RatingTable:
    """Return the rating table of simulated games; bot i is called b00i."""
    return rating_table(results, [RatedBot(f"b{i:03}", 1) for i in range(bots)])


def mood(leagues: int, seed: int = 0, bots: int = 12, seats: int = 4, sd: float = 80.0) -> list[Line]:
    """Simulate leagues in which the strength of one bot differs between processes."""
    rng, moods = np.random.default_rng(seed), np.zeros(bots)
    moods[-1] = sd
    elo = np.linspace(70, -70, bots)
    truth = np.mean(
        [
            bradley_terry(PlannedGames.planned(bots, seats, 4 * DEALS, rng).played(elo, rng, moods), bots).elo
            for _ in range(12)
        ],
        axis=0,
    )
    found, moody, calm, wide, plain = [], [], [], [], []
    for _ in range(leagues):
        results = PlannedGames.planned(bots, seats, DEALS, rng).played(elo, rng, moods)
        table = table_of(results, bots)
        rows = {int(row.bot[1:]): row for row in table.rows}
        low, high = (
            np.array([getattr(rows[i], f"elo_{end}") for i in range(bots)]) for end in ("low", "high")
        )
        told = any("depend on the match (by" in note for note in table.notes)
        base = slice(0, bots - 1) if told else slice(0, bots)  # 1500 is the mean of these
        true = 1500 + truth - truth[base].mean()
        inside = (low <= true) & (true <= high)
        found.append(told)
        moody.append(inside[-1])
        calm.append(inside[:-1].mean())
        by_match = (bots - 1,) if told else ()
        wide.append(_errors(results.depending(by_match), bots))
        plain.append(_errors(results.independent(None), bots))
    case = f"{bots} bots at {seats}, {DEALS} deals, one with a mood of {sd:g} Elo"
    return [
        line(case, "the mood is found", found),
        line(case, "its interval holds", moody),
        line(case, "the others' intervals hold", calm),
        line(case, "the others' errors of differences / by deal", np.array(wide) / np.array(plain)),
    ]


def _errors(results: Results, bots: int) -> float:
    """Mean error of the differences of all bots but the last."""
    error = error_of_difference(bradley_terry(results, bots).covariance)[:-1, :-1]
    return float(error[np.triu_indices(bots - 1, 1)].mean())


def watcher(leagues: int, blocks: int = 250, seed: int = 0, skew: float = 0.0) -> list[Line]:
    """Simulate leagues of two equal bots, whose difference somebody looks at after every block.

    Args:
        blocks: planned length; people look on up to twice that many.
        skew: sd of the logarithm of the size of a block's difference; 0: normal differences.
    """
    rng = np.random.default_rng(seed)
    n = np.arange(1, 2 * blocks + 1)
    df = np.maximum(n - 1, 1)
    once, always = quantile(df, None), quantile(df, float(blocks))
    missed: dict[str, list[bool]] = {"one look": [], "plain": [], "always": []}
    for _ in range(leagues):
        value = rng.standard_normal(len(n)) * np.exp(skew * rng.standard_normal(len(n)))
        mean = np.cumsum(value) / n
        variance = (np.cumsum(value**2) - n * mean**2) / df
        t = np.abs(mean[1:]) / np.sqrt(np.maximum(variance[1:], 1e-300) / n[1:])
        missed["one look"].append(bool(t[blocks - 2] > once[blocks - 1]))
        missed["plain"].append(bool((t > once[1:])[8:].any()))
        missed["always"].append(bool((t > always[1:]).any()))
    case = f"two equal bots, {blocks} deals planned, a look after each of {2 * blocks}"
    case += f", sizes lognormal ({skew:g})" if skew else ""
    wide = float(always[blocks - 1] / once[blocks - 1])
    return [
        line(case, "one planned look: interval misses 0", missed["one look"]),
        line(case, "plain interval misses 0 at some look", missed["plain"]),
        line(case, "interval for all looks misses 0 at some look", missed["always"]),
        Line(case, leagues, "width at the planned length / plain", wide, 0.0),
    ]


def table_scores(leagues: int, bots: int, blocks: int, rng: np.random.Generator) -> Floats:
    """Draw (leagues, blocks, rotations, seats); in rotation r bot b has seat (b + r) % bots."""
    deal = rng.gumbel(size=(leagues, blocks, 1, bots))
    kept = rng.random(deal.shape) < SHARED
    return np.where(kept, deal, rng.gumbel(size=(leagues, blocks, bots, bots)))


def block_means(score: Floats, places: bool) -> Floats:
    """Compute (leagues, blocks, bots) what every bot made in a block, or its place share, less the mean."""
    bots = score.shape[-1]
    if places:
        score = (score[..., :, None] > score[..., None, :]).sum(axis=-1) / (bots - 1)
    turned = np.stack([np.roll(score[:, :, r], -r, axis=2) for r in range(bots)], axis=2)
    mean: Floats = turned.mean(axis=2)
    return mean - mean.mean(axis=2, keepdims=True)


def looks(value: Floats) -> Floats:
    """Compute |mean| / error after every block from the second on; `value` is (leagues, blocks, ...)."""
    n = np.arange(1, value.shape[1] + 1).reshape(1, -1, *[1] * (value.ndim - 2))
    mean = np.cumsum(value, axis=1) / n
    square = np.maximum(np.cumsum(value**2, axis=1) - n * mean**2, 1e-300)
    return (np.abs(mean) / np.sqrt(square / (n * np.maximum(n - 1, 1))))[:, 1:]


def equal_table(
    leagues: int, bots: int = 4, blocks: int = 100, seed: int = 0, places: bool = False
) -> list[Line]:
    """Simulate tables of equal bots that somebody looks at after every block.

    Only intervals and ranks are computed, as a rating table of one line-up has them: so thousands of leagues
    take seconds. People look on up to twice the planned length.
    """
    rng, df = np.random.default_rng(seed), np.arange(1, 2 * blocks)
    found: dict[str, list[float]] = {}
    for first in range(0, leagues, 100):
        value = block_means(table_scores(min(100, leagues - first), bots, 2 * blocks, rng), places)
        own, pair = looks(value), looks(value[..., :, None] - value[..., None, :])
        plain, always = (quantile(df, planned)[:, None] for planned in (None, float(blocks)))
        sure = pair > always_quantile(0.05 / (bots - 1), df, blocks)[:, None, None]
        for said, missed in (
            ("one planned look: a bot's interval misses", (own > plain)[:, blocks - 2]),
            ("a bot's plain interval misses at some look", (own > plain)[:, 8:].any(axis=1)),
            ("a bot's interval for all looks misses at some look", (own > always).any(axis=1)),
            ("a bot's ranks leave one out at some look", np.any(sure, axis=(1, 3))),
        ):
            found.setdefault(said, []).extend(missed.mean(axis=1))
    case = f"{bots} equal bots at {bots} by {'places' if places else 'points'}, {blocks} deals planned"
    return [line(f"{case}, a look after each of {2 * blocks}", *one) for one in found.items()]


def watched_table(leagues: int, bots: int = 4, deals: int = 100, seed: int = 0) -> list[Line]:
    """Simulate leagues of equal bots whose whole table is looked at after every tenth deal."""
    rng, names = np.random.default_rng(seed), [RatedBot(f"b{i:03}", 1) for i in range(bots)]
    top, out = [], []
    for _ in range(leagues):
        games = PlannedGames.planned(bots, 4, deals, rng)
        results = games.played(np.zeros(bots), rng)
        looks = [
            rating_table(results.of_blocks(np.arange(until)).watched(deals), names).rows
            for until in range(10, int(games.block.max()) + 2, 10)
        ]
        top.append(any(rows[0].rank_high == 1 for rows in looks))
        first = [next(row for row in rows if row.bot == "b000") for rows in looks]
        out.append(
            any(
                row.elo_low is not None
                and row.elo_high is not None
                and not row.elo_low <= 1500 <= row.elo_high
                for row in first
            )
        )
    case = f"{bots} equal bots at 4, {deals} deals, a look after every 10"
    return [
        line(case, "somebody is shown as 1-1 at some look", top),
        line(case, "an interval of Elo misses at some look", out),
    ]


def ahead(leagues: int, equal: Sequence[int], deals: int = 100, seed: int = 0) -> list[Line]:
    """Simulate leagues at four seats in which some neighbours are equal, whose table is looked at 20 times.

    Args:
        equal: how many bots each strength has; the next one is 100 Elo below.
        deals: planned length; people look on up to twice that many.
    """
    rng, kind = np.random.default_rng(seed), np.repeat(np.arange(len(equal)), equal)
    wrong: dict[tuple[str, str], list[bool]] = {}
    elo = np.asarray(-100.0 * kind, np.float64)
    for _ in range(leagues):
        results = PlannedGames.planned(len(kind), 4, 2 * deals, rng).played(elo, rng)
        order = rng.permutation(np.unique(results.block))
        looks = [results.of_blocks(order[: round(len(order) * n / 20)]) for n in range(1, 21)]
        said = [_wrong(bradley_terry(one.watched(deals), len(kind)), kind) for one in looks]
        once = _wrong(bradley_terry(looks[9], len(kind)), kind)
        for word in ("sure", "likely"):
            wrong.setdefault((word, "one planned look"), []).append(once[word])
            wrong.setdefault((word, "at some look"), []).append(any(one[word] for one in said))
    case = f"{' + '.join(map(str, equal))} equal bots at 4, {deals} deals planned, up to {2 * deals}"
    return [
        line(case, f"ahead, {look}: a word is '{word}' and wrong", one) for (word, look), one in wrong.items()
    ]


def _wrong(fit: Ratings, kind: Ints) -> dict[str, bool]:
    """Whether a neighbour is said to be ahead who is not, "likely" at least, and "sure"."""
    order = np.argsort(-fit.elo, kind="stable").tolist()
    told = [
        one.word
        for one, (a, b) in zip(neighbours(fit, order), pairwise(order))
        if one is not None and kind[a] >= kind[b]
    ]
    return {"sure": "sure" in told, "likely": "sure" in told or "likely" in told}


BEATS = (
    np.array(  # points a game of the row's bot against the column's: the last one loses most to the second
        [[0, 8, 12, 20], [-8, 0, 5, 60], [-12, -5, 0, 50], [-20, -60, -50, 0]], np.float64
    )
)


def _played(beats: Floats, seats: int, deals: int, rng: np.random.Generator) -> Results:
    """Play a league of bots of which each wins these points a game from every other at its table."""
    games = PlannedGames.planned(len(beats), seats, deals, rng)
    mean = beats[games.entrant[:, :, None], games.entrant[:, None, :]].sum(axis=2) / seats
    score = mean + 30 * rng.standard_normal(mean.shape)
    return Results(games.entrant, score, games.block, stretch=games.stretch, match=games.match)


def _few(seats: int) -> tuple[Ints, list[RatedBot]]:
    """Return the kinds of few bots in `BEATS`, and the bots.

    The first bot beats all others, so that their true numbers are what they win from it. At more than two
    seats two of them are copies: with one line-up, nothing says what a pair is worth.
    """
    kind = np.array([0, 1, 2, 3] if seats == 2 else [0, 1, 2, 3, 2, 3])
    return kind, [RatedBot(f"b{i:03}", 1) for i in range(len(kind))]


def planned_nash(leagues: int, seats: int = 2, deals: int = 60, seed: int = 0) -> list[Line]:
    """Simulate leagues whose nash view is looked at once, at their end."""
    (kind, who), rng = _few(seats), np.random.default_rng(seed)
    played = (_played(BEATS[np.ix_(kind, kind)], seats, deals, rng) for _ in range(leagues))
    missed = [_outside(_ends(nash_rows(one, who)), BEATS[kind, 0]).mean() for one in played]
    case = f"nash view of {len(kind)} bots, {seats} seats, {deals} deals"
    return [line(case, "one planned look: a bot's interval misses", missed)]


def watched_nash(leagues: int, seats: int = 2, deals: int = 60, seed: int = 0) -> list[Line]:
    """Simulate leagues whose nash view is looked at ten times, up to twice the planned length.

    Deals are played in random order, as all line-ups play on while people look.
    """
    kind, who = _few(seats)
    rng, looks = np.random.default_rng(seed), np.linspace(0, 1, 11)[1:]
    truth, plain, always, wider = BEATS[kind, 0], [], [], []
    for league in range(leagues):
        results = _played(BEATS[np.ix_(kind, kind)], seats, 2 * deals, rng)
        order = rng.permutation(np.unique(results.block))
        parts = [results.of_blocks(order[: round(share * len(order))]) for share in looks]
        ends = [_ends(nash_rows(one.watched(float(deals)), who)) for one in parts]
        always.append(np.any([_outside(one, truth) for one in ends], axis=0).mean())
        if league < max(leagues // 5, 2):  # it is surely wrong: a few will do
            once = [_ends(nash_rows(one, who)) for one in parts]
            plain.append(np.any([_outside(one, truth) for one in once], axis=0).mean())
            wider.append(np.ptp(ends[4], axis=1).sum() / np.ptp(once[4], axis=1).sum())
    case = f"nash view of {len(kind)} bots, {seats} seats, {deals} deals planned, 10 looks up to {2 * deals}"
    return [
        line(case, "a bot's plain interval misses at some look", plain),
        line(case, "a bot's interval for all looks misses at some look", always),
        line(case, "width at the planned length / plain", wider),
    ]


def _ends(rows: Sequence[NashRow]) -> Floats:
    """(bots, 2) the intervals of the bots b00i; the whole line where there is none."""
    ends = np.tile([-np.inf, np.inf], (len(rows), 1))
    for row in rows:
        if row.low is not None and row.high is not None:
            ends[int(row.bot[1:4])] = row.low, row.high
    return ends


def _outside(ends: Floats, truth: Floats) -> Flags:
    """(bots,) whether intervals do not hold the true numbers, but for rounding."""
    return np.asarray((ends[:, 0] - 0.01 > truth) | (ends[:, 1] + 0.01 < truth))


CASES: dict[str, Callable[[int], list[Line]]] = {
    "mood": lambda leagues: [
        *mood(leagues, sd=0.0),
        *mood(leagues, sd=80.0),
        *mood(leagues, sd=150.0),
        *mood(leagues, bots=4, sd=150.0),
        *mood(leagues, bots=8, seats=2, sd=150.0),
    ],
    "watcher": lambda leagues: [
        *watcher(33 * leagues),
        *watcher(33 * leagues, blocks=60),
        *watcher(33 * leagues, skew=0.5),
        *watcher(33 * leagues, skew=1.0),
        *equal_table(33 * leagues),
        *equal_table(33 * leagues, places=True),
        *equal_table(33 * leagues, bots=6),
        *watched_table(leagues),
    ],
    "ahead": lambda leagues: [
        one for equal in ((2,), (4,), (8,), (2, 2, 2)) for one in ahead(10 * leagues, equal)
    ],
    "nash": lambda leagues: [
        one for seats in (2, 4) for case in (planned_nash, watched_nash) for one in case(leagues, seats)
    ],
}


def main() -> None:
    """Print the cases that are asked for, as a table."""
    parser = argparse.ArgumentParser(description="What the verdicts of the tables are worth, by simulation.")
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], help="default: all")
    parser.add_argument("--leagues", type=int, default=60, help="simulated leagues of each case")
    given = parser.parse_args()
    print("| case | leagues | what | share | s.e. |\n| --- | --- | --- | --- | --- |")
    for name in given.cases or CASES:
        for one in CASES[name](given.leagues):
            print(
                f"| {one.case} | {one.leagues} | {one.said} | {one.share:.3f} | {one.error:.3f} |", flush=True
            )


if __name__ == "__main__":
    main()
