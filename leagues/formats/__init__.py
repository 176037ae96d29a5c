"""Formats of a league: who plays whom next, as a pure function of the definition and of what was played.

    fixed      round-robin and gauntlet: one round, known from the start
    rounds     swiss and knockout: every round from the standing so far
    adaptive   rounds where ranks are least sure, until they are sure enough
    tables     line-ups that keep bots of one owner apart, and matches of line-ups

All of them have one interface: `next_round` gives the matches of the next round, none at the end. Nothing is
remembered but the games, so that a run can be stopped anywhere, go on and be verified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..plan import MatchPlan
from ..ratings.results import Results
from . import adaptive, fixed, rounds
from .tables import LeagueField, matches

Format = Callable[[LeagueField, Sequence[Sequence[MatchPlan]], Results], tuple[MatchPlan, ...]]

FORMATS: dict[str, Format] = {
    "round-robin": fixed.round_robin,
    "gauntlet": fixed.gauntlet,
    "swiss": rounds.swiss,
    "knockout": rounds.knockout,
    "adaptive": adaptive.adaptive,
}


def next_round(
    name: str, field: LeagueField, played: Sequence[Sequence[MatchPlan]], results: Results
) -> tuple[MatchPlan, ...]:
    """Return the matches of the next round, none at the end; matches and blocks are numbered from 0."""
    return FORMATS[name](field, played, results)


def newcomer_round(name: str, field: LeagueField) -> tuple[MatchPlan, ...]:
    """Plan the first matches of the newcomer that joined last.

    These are all its deals against those before it, or what it begins with in an adaptive league.
    """
    newcomer = field.joined[-1]
    deals = min(field.deals, adaptive.FIRST) if name == "adaptive" else field.deals
    tables = fixed.companies(field, newcomer, range(newcomer))[:deals]
    share, rest = divmod(deals, len(tables))
    return matches([((*company, newcomer), share + (at < rest)) for at, company in enumerate(tables)])


__all__ = ["FORMATS", "LeagueField", "newcomer_round", "next_round"]
