"""The next epoch of a season: its bots, how they stand, and the run that is stored before the first deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from leagues.definition import League
from leagues.formats.tables import matches
from leagues.pairing import Cast, Contender, PlannedTable, Role, cast, pair, queue
from leagues.ratings.dependence import as_it_depends
from leagues.ratings.elo import Ratings, bradley_terry
from leagues.ratings.results import NO_GAMES, Results
from leagues.season import SeasonFile

from ..cluster.driver import Cluster
from ..intake import registry
from ..intake.conditions import missing
from ..printable import Say, count
from ..runs.pools import RunPool, pools
from ..runs.stages import check_beacon, new_stage, with_code
from ..runs.standings import Pool, load_pool
from ..runs.trial_match import EntrantFault, try_new
from ..store import Store
from ..store.models import Bot, Entrant, Epoch, LeagueRun, Season, Stage, now
from ..store.seasons import PlayedEpoch

FIRST_BLOCKS = 64  # of an epoch that is given in minutes, while no speed is known
FASTER = 4  # an epoch has at most so many times the blocks of the one before it
DAY_S = 86_400


class Chosen(NamedTuple):
    """One league of a season."""

    season: Season
    file: SeasonFile
    league: int

    @property
    def plays(self) -> League:
        """The league."""
        return self.file.leagues[self.league]


@dataclass(frozen=True)
class EpochField:
    """All versions that play or have played in a league of a season; lists have one item for each."""

    bots: list[Bot]  # who they are
    players: list[Contender]  # what the pairing knows of them
    roles: list[Cast]  # what they are in the next epoch
    ratings: Ratings  # over all complete blocks
    appeared: frozenset[int]  # ids of those that were entrants of an epoch

    def queue(self) -> list[Bot]:
        """Return the newcomers, next first."""
        return [self.bots[at] for at in queue(self.players, self.roles)]


def bots_of(store: Store, league: League) -> list[Bot]:
    """Return the house bots of a league and every submitted version that it allows and nobody retired."""
    house = [registry.resolve(name, league.game, store) for name in league.entrants]
    submitted = [
        bot
        for bot in store.bots.all(game=league.game, newest=False)
        if bot.kind == "submitted" and bot.retired is None and not missing(bot.conditions, league.limits)
    ]
    return list({bot.id: bot for bot in (*house, *submitted)}.values())


def season_pool(store: Store, chosen: Chosen) -> RunPool | None:
    """Return the epochs that are rated together; None before the first game.

    Those are the epochs under the rules of the newest one that has games: an update may change rules.
    """
    runs = [one.run for one in store.seasons.epochs(chosen.season.name, chosen.league)]
    found = pools(store, runs)
    if not found:
        return None
    newest = max(found, key=lambda pool: max(run.key for run in pool.runs))
    mark = f"{chosen.season.name} {chosen.league} {newest.mark}"
    return replace(newest, mark=mark, without=tuple(chosen.season.without))


def field_of(store: Store, chosen: Chosen, pool: RunPool | None = None) -> EpochField:
    """Return how the bots of a league stand now, by the epochs of `season_pool` (None: look them up)."""
    pool = pool or season_pool(store, chosen)
    played = load_pool(store, pool.runs, without=pool.without) if pool else Pool(NO_GAMES, (), (), ())
    present = [bot for bot in bots_of(store, chosen.plays) if bot.id not in chosen.season.without]
    there = {bot.id for bot in present}
    bots = [*present, *(bot for bot in played.bots if bot.id not in there)]
    ratings = _ratings(played, bots)
    players = _players(store, chosen, bots, played, ratings)
    roles = cast(players[: len(present)], chosen.file.rules(chosen.league))
    roles += [Cast(Role.ARCHIVED, "retired")] * (len(bots) - len(present))
    appeared = frozenset(store.seasons.appearances(chosen.season.name, chosen.league))
    return EpochField(bots, players, roles, ratings, appeared)


def _ratings(played: Pool, bots: Sequence[Bot]) -> Ratings:
    """Rate these bots, numbered as they stand here."""
    place = {bot.id: at for at, bot in enumerate(bots)}
    to = np.array([*(place[bot.id] for bot in played.bots), -1])
    games: Results = replace(played.results, entrant=to[played.results.entrant])
    entrants = len(bots) or 1  # where all bots are still to come: nobody's rating
    return bradley_terry(as_it_depends(games, entrants), entrants)


def _players(
    store: Store, chosen: Chosen, bots: Sequence[Bot], played: Pool, ratings: Ratings
) -> list[Contender]:
    """Return what the pairing knows of these bots."""
    numbers = [one.epoch.number for one in store.seasons.epochs(chosen.season.name, chosen.league)]
    seen = store.seasons.appearances(chosen.season.name, chosen.league)
    missed, lost = store.seasons.failed_trials(chosen.season.name), _lost(played)
    newest: dict[str, float] = {}
    for bot in bots:
        newest[bot.name] = max(newest.get(bot.name, 0.0), bot.created.timestamp())
    half = (ratings.elo_high - ratings.elo_low) / 2
    time = now().timestamp()
    return [
        Contender(
            name=bot.name,
            version=bot.version,
            owner="" if bot.kind != "submitted" else bot.owner or f"/{bot.name}",
            entered=bot.id or 0,
            blocks=int(ratings.blocks[at]),
            half=float(half[at]),
            idle=sum(number > seen[bot.id][1] for number in numbers) if bot.id in seen else len(numbers),
            age=sum(number >= seen[bot.id][0] for number in numbers) if bot.id in seen else 0,
            lost=lost.get(bot.id, 0.0),
            missed=missed[bot.id or 0],
            days=(time - newest[bot.name]) / DAY_S,
        )
        for at, bot in enumerate(bots)
    ]


def _lost(played: Pool) -> dict[int | None, float]:
    """Return by bot the share of its seats that it forfeited."""
    seats, gone = Counter[int | None](), Counter[int | None]()
    for part in played.parts:
        for at, bot in enumerate(part.bots):
            mine = part.entrant == at
            seats[bot.id] += int(mine.sum())
            gone[bot.id] += int(part.lost[mine].sum())
    return {bot: gone[bot] / max(seats[bot], 1) for bot in seats}


def begin(store: Store, chosen: Chosen, ready: Cluster, say: Say) -> PlayedEpoch | None:
    """Store the next epoch of a league; None if fewer than two bots can play, or the season was stopped.

    New bots are tried first. One that cannot be loaded is left out, and the epoch notes why.

    Raises:
        HostLacks, MatchFailed: as `arena.runs.trial_match.try_entrants`.
    """
    check_beacon(store, chosen.file.run_name(chosen.league))
    number = max((one.epoch.number for one in store.seasons.epochs(chosen.season.name)), default=0) + 1
    blocks = blocks_of(store, chosen, ready.workers)
    field, rules = field_of(store, chosen), chosen.file.rules(chosen.league)
    tried, dead = set(field.appeared), list[EntrantFault]()
    while True:
        rng = np.random.default_rng([number, chosen.league])
        tables = pair(field.players, field.roles, field.ratings, rules, blocks, rng)
        if not tables:
            return None
        run, stage, entries = prepared(store, chosen, number, field, tables)
        fresh = [entry.bot for entry in entries if entry.bot.id not in tried]
        if not fresh:
            break
        tried |= {bot.id or 0 for bot in fresh}
        dead += try_new(store, chosen.plays, fresh, stage, ready, say)
        gone = {fault.bot.id for fault in dead}
        for at, bot in enumerate(field.bots):
            if bot.id in gone:
                field.roles[at] = Cast(Role.ARCHIVED, "it could not be loaded")
    new = sum(table.blocks for table in tables if table.newcomer)
    epoch = Epoch(
        season=chosen.season.name,
        number=number,
        league=chosen.league,
        run_id=0,
        blocks=blocks,
        newcomer_blocks=new,
    )
    added = store.seasons.add_epoch(epoch, run, stage, entries, dead)
    if added is not None:
        who = f"{count(len(entries), 'bot')}, {count(blocks, 'block')}, {new} of these blocks for newcomers"
        say(f"{chosen.season.name}: epoch {added.epoch.number} is {added.run.label}: {who}")
    return added


def prepared(
    store: Store, chosen: Chosen, number: int, field: EpochField, tables: Sequence[PlannedTable]
) -> tuple[LeagueRun, Stage, list[Entrant]]:
    """Return the run of an epoch with its start and its entrants; nothing is stored."""
    there = sorted({at for table in tables for at in table.line_up})
    place = {at: entrant for entrant, at in enumerate(there)}
    plans = matches([(tuple(place[at] for at in table.line_up), table.blocks) for table in tables])
    bots = [field.bots[at] for at in there]
    blocks = sum(table.blocks for table in tables)
    league = chosen.file.epoch_league(chosen.league, number, [bot.label for bot in bots], blocks)
    entered = with_code(store, league.game, bots)
    stage = new_stage(store, league, 0, "start", entered, league.deals, plans)
    run = LeagueRun(name=league.name, number=0, game=league.game, definition=league)
    return run, stage, entered.entries


def blocks_of(store: Store, chosen: Chosen, workers: int) -> int:
    """Return the blocks of the next epoch: as given, or as many as were played lately in the time given."""
    file = chosen.file
    if file.blocks is not None:
        return file.blocks
    for epoch, run in reversed(store.seasons.epochs(chosen.season.name, chosen.league)):
        far, spent = store.matches.counts()[run.key], store.matches.wall_s(run)
        if run.state == "finished" and spent > 0:
            minutes = file.minutes or 1
            wanted = epoch.blocks * (far.stored / far.planned) * minutes * 60 * workers / spent
            return max(1, min(int(wanted), FASTER * epoch.blocks))
    return FIRST_BLOCKS
