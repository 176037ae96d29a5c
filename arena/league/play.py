"""Playing the matches that a run still misses, and storing each as it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leagues.schedule import MatchPlan

from ..cluster import driver
from ..match.setup import MatchResult, MatchSetup
from ..store import LeagueRun, Match, Store, pack_moves
from .open import plans, setup_of
from .table import run_table


def play(
    store: Store,
    run: LeagueRun,
    workers: int,
    address: str | None = None,
    on_match: Callable[[MatchSetup, MatchResult], None] = lambda setup, result: None,
) -> None:
    """Play and store the matches that are missing; then rate and mark the run as finished.

    Raises:
        RunError: a match could not be played; what was finished is stored.
        StoreError: the database failed.
    """
    entrants = store.entrants(run)
    by_number = {plan.number: plan for plan in plans(run)}
    missing = [by_number[number] for number in sorted(by_number.keys() - store.finished_matches(run))]

    def todo() -> Iterator[tuple[MatchSetup, list[tuple[str, str, bytes]]]]:
        for plan in missing:
            setup = setup_of(run, plan)
            if setup.games:
                line_up = [entrants[place] for place in plan.line_up]
                yield setup, [(bot.name, bot.hash, bot.source) for bot in line_up]
            else:  # every rotation of this pass would repeat a seating
                store.add_match(_match_row(run, plan, MatchResult(np.zeros((0, 0), np.int64), [], [], [], [], 0.0, {})), [], [])

    if missing:
        for setup, result in driver.play_all(todo(), workers, address):
            store_match(store, run, by_number[setup.number], setup, result)
            on_match(setup, result)
    if run.finished is None:
        store.finish_run(run, run_table(store, run).plain())


def _match_row(run: LeagueRun, plan: MatchPlan, result: MatchResult) -> Match:
    assert run.id is not None
    return Match(
        run_id=run.id,
        number=plan.number,
        line_up=list(plan.line_up),
        turn=plan.rotation,
        cpu_s=result.cpu_s,
        decisions=result.decisions,
        wall_s=result.wall_s,
        host=result.host | ({"repeated": list(result.repeated)} if result.repeated else {}),
    )


def store_match(store: Store, run: LeagueRun, plan: MatchPlan, setup: MatchSetup, result: MatchResult) -> None:
    """Store a played match, whole; harmless if it is there already."""
    games = [
        {
            "run_id": run.id,
            "number": game.number,
            "match": plan.number,
            "block": game.block,
            "entrants": [plan.line_up[place] for place in game.places],
            "places": list(game.places),
            "scores": result.scores[i].tolist(),
            "moves": pack_moves(result.moves[i]),
        }
        for i, game in enumerate(setup.games)
    ]
    forfeits = [
        {
            "run_id": run.id,
            "game": setup.games[lost.game].number,
            "seat": lost.seat,
            "entrant": plan.line_up[lost.place],
            "decision": lost.decision,
            "kind": lost.kind,
            "text": lost.text,
        }
        for lost in result.forfeits
    ]
    store.add_match(_match_row(run, plan, result), games, forfeits)
