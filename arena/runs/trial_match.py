"""The trial before a run: every new entrant plays a match, and whoever cannot be loaded is left out.

A bot cannot tell its trial from a match of the run: it is as long, at a table of other entrants, under the
same limits, with deals and seeds that are drawn afresh. The trial may end before its last game, so that it
costs little; no bot is told.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from leagues.definition import League
from leagues.plan import MatchPlan
from leagues.secret import Secret

from ..cluster.driver import Cluster, MatchFailed
from ..errors import HostLacks, RunError
from ..intake.registry import not_passed, note_passed
from ..match import identity
from ..match.setup import MatchSetup
from ..printable import Say, count, first_line
from ..store.packing import unpack_schedule
from .open import LEAST, Prepared, prepare
from .stages import with_bots

if TYPE_CHECKING:
    from ..store import Store
    from ..store.models import Bot, Stage

TRIAL_S = 60.0  # of CPU time, and of wall time, for all entrants; then no match of a trial begins
MATCH_S = 10.0  # the same for the bots of one match; then no bot is asked any more


class EntrantFault(NamedTuple):
    """What an entrant did wrong in its trial."""

    bot: Bot
    kind: str
    text: str

    @property
    def line(self) -> str:
        """The kind of fault and the first line of its text."""
        return f"{self.kind}: {first_line(self.text)}"


@dataclass(frozen=True)
class Tried:
    """What a trial showed."""

    dead: tuple[EntrantFault, ...]  # entrants that cannot be loaded
    faults: tuple[EntrantFault, ...]  # entrants that were loaded and broke a rule: they may play on
    untried: tuple[Bot, ...]  # entrants whose turn did not come
    matches: int
    cpu_s: float
    wall_s: float

    def __str__(self) -> str:
        """Say what it has cost, and whose turn did not come."""
        told = f"trial: {count(self.matches, 'match')}, {self.cpu_s:.1f} s of CPU time, {self.wall_s:.1f} s"
        names = ", ".join(bot.label for bot in self.untried)
        return f"{told}; after {TRIAL_S:g} s the others enter without it: {names}" if names else told


def try_entrants(store: Store, league: League, bots: Sequence[Bot], stage: Stage, cluster: Cluster) -> Tried:
    """Let every entrant play a match before anything is stored."""
    secret, began, cpu_s = Secret.fresh(), time.monotonic(), 0.0
    line_ups = list(_line_ups(secret, len(bots), league.players))
    blocks = int(unpack_schedule(stage.schedule)[0, 2])
    found: dict[int, EntrantFault] = {}
    dead: set[int] = set()
    tried: set[int] = set()

    def setups() -> Iterator[MatchSetup]:
        for number, line_up in enumerate(line_ups):
            if max(cpu_s, time.monotonic() - began) < TRIAL_S:
                setup = _setup(secret, league, number, line_up, blocks)
                yield with_bots(setup, [bots[at] for at in line_up])

    matches = 0
    try:
        for played in cluster.play(setups(), store.bots.source):
            matches, cpu_s = matches + 1, cpu_s + sum(played.cpu_s)
            tried |= set(played.line_up)
            for lost in played.forfeits:
                at = played.line_up[lost.place]
                if not played.decisions[lost.place]:  # it was never asked
                    dead.add(at)
                found.setdefault(at, EntrantFault(bots[at], lost.kind, lost.text.strip()))
    except MatchFailed as error:
        if error.host and cluster.own:  # on a cluster it may be the nodes alone
            raise HostLacks(f"no match can be played at level {league.level}: {error}") from None
        raise
    return Tried(
        dead=tuple(found[at] for at in sorted(found) if at in dead),
        faults=tuple(found[at] for at in sorted(found) if at not in dead),
        untried=tuple(bot for at, bot in enumerate(bots) if at not in tried),
        matches=matches,
        cpu_s=cpu_s,
        wall_s=time.monotonic() - began,
    )


def try_new(
    store: Store, league: League, bots: Sequence[Bot], stage: Stage, cluster: Cluster, say: Say
) -> tuple[EntrantFault, ...]:
    """Try the entrants that were not tried under these conditions and by this code; return the dead.

    Who has passed a trial, on whatever machine, is remembered by the store.

    Raises:
        HostLacks, MatchFailed: as `try_entrants`.
    """
    bots = not_passed(store, bots, league)
    if not bots:
        return ()
    tried = try_entrants(store, league, bots, stage, cluster)
    say(str(tried))
    for fault in tried.dead:
        say(f"{fault.bot.label} is left out, it cannot be loaded: {fault.line}")
    for fault in tried.faults:
        say(f"{fault.bot.label} breaks a rule in its trial, {fault.line}")
    failed = {one.id for one in (*tried.untried, *(fault.bot for fault in (*tried.dead, *tried.faults)))}
    for bot in bots:
        if bot.id not in failed:
            note_passed(store, bot, [league])
    return tried.dead


def without_dead(
    store: Store, league: League, prepared: Prepared, cluster: Cluster, say: Say
) -> tuple[Prepared, tuple[EntrantFault, ...]]:
    """Try the new entrants of a run; return it without those that cannot be loaded, and who these are.

    Raises:
        HostLacks, MatchFailed: as `try_entrants`.
        RunError: too few entrants are left.
    """
    bots = [entry.bot for entry in prepared.entries]
    dead = try_new(store, league, bots, prepared.stage, cluster, say)
    if dead:
        gone = {fault.bot.id for fault in dead}
        rest = [bot for bot in bots if bot.id not in gone]
        if len(rest) < LEAST:
            raise RunError(f"{len(rest)} entrant(s) can be loaded; {LEAST} are needed: nothing was played")
        prepared = prepare(store, league, rest)
    return prepared, dead


def _line_ups(secret: Secret, entrants: int, seats: int) -> Iterator[tuple[int, ...]]:
    """As few tables as seat every entrant, at random; some sit at two if there are too few."""
    order = sorted(range(entrants), key=lambda at: secret.number("entrant", at))
    for first in range(0, entrants, seats):
        yield tuple(order[(first + seat) % entrants] for seat in range(seats))


def _setup(secret: Secret, league: League, number: int, line_up: tuple[int, ...], blocks: int) -> MatchSetup:
    """Return a match of the trial, made as those of the run are."""
    k = league.players
    rotation = secret.number("rotation", number) % k if len(set(line_up)) == k else 0
    plan = MatchPlan(number, line_up, rotation, number * blocks, blocks)
    conditions = league.limits, league.level, identity.playing(league.game)
    setup = MatchSetup.of_plan(plan, secret, league.game, league.options, *conditions)
    return replace(setup, ends_s=MATCH_S)
