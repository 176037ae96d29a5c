"""A bot's trial before it enters: real games, in the same processes and under the same limits as in a
league.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import engines
from leagues.secret import Secret

from ..jail import Limits
from ..match.play import play_match
from ..match.setup import GameSetup, MatchResult, MatchSetup
from ..player import GameZygote
from .registry import house_bots
from .source import Source, unpack

USUAL_DEALS = 64  # deals in a match of a league, for telling how far its CPU time would last
WARN_FROM = 0.7  # of a budget
BUDGETS = {  # the limit that is near: what a person is told
    "cpu_s_match": "the CPU time that a match allows; a slower machine makes it more",
    "cpu_s_start": "the CPU time that loading may take (cpu_s_start); a slower machine makes it more",
    "memory_mib": "the memory that it may have (memory_mib)",
    "sleep_s_bank": "the time that it may sleep in a match (sleep_s_bank); bots need not sleep",
}


@dataclass(frozen=True)
class Conditions:
    """Under what a bot is tried: those of a league, or the usual ones of a game."""

    game: str
    players: int
    options: dict[str, Any]
    limits: dict[str, Any] = field(default_factory=lambda: dataclasses.asdict(Limits()))
    level: str = "strict"
    match_deals: int = USUAL_DEALS

    @classmethod
    def usual(cls, game: str) -> Conditions:
        """A game's default options and table, and the default limits."""
        loaded = engines.load(game)
        return cls(game, loaded.players, loaded.check_options()[1])


@dataclass(frozen=True)
class TrialFault:
    """A rule that the bot broke: the kind, in which game, and its last words."""

    kind: str
    where: str
    text: str


@dataclass(frozen=True)
class Trial:
    """What a trial showed.

    Attributes:
        cpu_us: CPU microseconds per decision.
        allowed_us: CPU microseconds per decision that a match of a league allows.
        shares: of what a match of a league allows, how much the bot would use, by the name of the limit;
            above 1 it forfeits.
    """

    game: str
    games: int
    decisions: int
    cpu_us: float
    allowed_us: float
    shares: dict[str, float]
    faults: list[TrialFault]

    @property
    def warnings(self) -> list[str]:
        """What is not wrong yet, but near it."""
        return [
            f"it uses {share:.0%} of {BUDGETS[name]}"
            for name, share in self.shares.items()
            if share >= WARN_FROM
        ]


def run(source: Source, conditions: Conditions, deals: int | None = None, seed: int = 1) -> Trial:
    """Play a bot from every seat against the random bot, a match a seat, and once at a table of its own kind.

    Args:
        source: the bot.
        conditions: game, options, limits, level.
        deals: deals to play, each from every seat; default: as many as a match of the league has.
        seed: of the deals.

    Raises:
        HostError: this host cannot separate bots so.
    """
    k, deals = conditions.players, deals or conditions.match_deals
    mine, other = unpack(source.name, source.packed), unpack("random", house_bots()["random"].packed)
    profile, preload = str(conditions.limits["profile"]), tuple(conditions.limits["preload"])
    with GameZygote(conditions.game, conditions.level, profile, preload) as zygote:
        line_up = [mine] + [other] * (k - 1)
        played = [
            (f"match {seat + 1}, ", 1, play_match(setup, line_up, zygote))
            for seat, setup in enumerate(_setups(conditions, deals, seed))
        ]
        alike = next(_setups(conditions, 1, seed + 1))
        played.append(("against itself, ", k, play_match(alike, [mine] * k, zygote)))
    decisions = sum(sum(result.decisions[:places]) for _, places, result in played)
    cpu_s = sum(sum(result.cpu_s[:places]) for _, places, result in played)
    longer = conditions.match_deals / deals  # a match of the league is so many times as long
    asked = max((result.decisions[0] for _, _, result in played), default=0) * longer
    limits = Limits(**conditions.limits)
    each = cpu_s / max(decisions, 1)
    results = [result for _, _, result in played]
    allowed = limits.for_match(conditions.match_deals).cpu_s(round(asked)) / max(asked, 1)
    shares = {
        "cpu_s_match": _share(each, allowed),
        "cpu_s_start": _share(max(result.load_s[0] for result in results), limits.cpu_s_start),
        "memory_mib": _share(max(result.memory_mib[0] for result in results), limits.memory_mib),
        "sleep_s_bank": _share(max(result.slept_s[0] for result in results) * longer, limits.sleep_s_bank),
    }
    faults = [fault for where, places, result in played for fault in _faults(where, range(places), result)]
    games = sum(len(result.moves) for _, _, result in played)
    return Trial(conditions.game, games, decisions, each * 1e6, allowed * 1e6, shares, faults)


def _share(used: float, allowed: float) -> float:
    """How much of a limit is used; a limit of nothing that is not needed is not near."""
    return used / allowed if allowed else float(used > 0)


def _faults(where: str, places: Sequence[int], result: MatchResult) -> Iterator[TrialFault]:
    for lost in result.forfeits:
        if lost.place in places:
            at = f"{where}game {lost.game + 1}, seat {lost.seat}, after {lost.decision} decisions"
            yield TrialFault(lost.kind, at, lost.text)


def _setups(conditions: Conditions, deals: int, seed: int) -> Iterator[MatchSetup]:
    """One match for every seat that place 0 can have, over the same deals."""
    secret, k = Secret.of_seed(seed), conditions.players
    places = tuple(range(k))
    for seat in range(k):
        seated = places[k - seat :] + places[: k - seat]
        yield MatchSetup(
            number=seat,
            game=conditions.game,
            players=k,
            options=conditions.options,
            games=tuple(GameSetup(deal, deal, secret.deal_seed(deal), seated) for deal in range(deals)),
            bot_seeds=tuple(secret.bot_seed(seat, place) for place in places),
            limits=conditions.limits,
            level=conditions.level,
        )
