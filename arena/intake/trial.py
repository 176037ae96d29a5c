"""Try a bot before it enters.

The trial plays real games, in the same processes and under the same limits as in a league. The conditions of
the trial are in `conditions`, what becomes of the bot is in `entering`.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leagues.secret import Secret

from ..cell import GameZygote
from ..cell.log import FORBIDDEN, TRIED
from ..errors import BotError
from ..jail import FaultKind, Limits, Program
from ..match.batch import play_match
from ..match.played import PlayedMatch, parting
from ..match.setup import MatchSetup
from ..printable import count
from .conditions import Conditions
from .registry import house_bots
from .source import Source

WARN_FROM = 0.7  # of a budget
HOPELESS = (FaultKind.IMPORT, FaultKind.CPU, FaultKind.WALL)  # it would go on like that for minutes
LEAST_BANK_S = 3.0  # of CPU time, and of sleep, however short the trial: a first call may compile
BANKS = ("cpu_s_bank", "sleep_s_bank")
BUDGETS = {  # the limit that is near: what a person is told
    "cpu_s_match": "the CPU time that a match allows; a slower machine makes it more",
    "cpu_s_start": "the CPU time that loading may take (cpu_s_start); a slower machine makes it more",
    "memory_mib": "the memory that it may have (memory_mib)",
    "sleep_s_bank": "the time that it may sleep in a match (sleep_s_bank); bots need not sleep",
}
LOST_BY = {
    "cpu_s_match": FaultKind.CPU,
    "sleep_s_bank": FaultKind.WALL,
}  # budgets that a league's match spends


Servers = Callable[[Conditions, int], contextlib.AbstractContextManager[GameZygote]]
"""Gives the first or second of two fork servers for these conditions."""
Played = tuple[str, int, tuple[str, ...], MatchSetup, PlayedMatch]
"""Where it was played, how many places the bot had, who sat there, the match."""


@dataclass(frozen=True)
class TrialFault:
    """A rule that the bot broke: the kind, in which game, its last output and what it had printed there.

    `setup`, `result` and `game` are the match and the game in it, for a replay; `names` who sat where.
    """

    kind: str
    where: str
    text: str
    printed: str
    setup: MatchSetup
    result: PlayedMatch
    game: int
    seat: int
    decision: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """What a trial showed."""

    conditions: Conditions  # under what it was played
    games: int
    decisions: int
    cpu_s: float  # CPU seconds in all, loading included
    match_cpu_s: float  # CPU seconds that a match of a league would take, by what was seen
    allowed_cpu_s: float  # CPU seconds that such a match allows
    # of what a match of a league allows, how much the bot would use, by the name of the limit; above 1 it
    # forfeits
    shares: dict[str, float]
    faults: list[TrialFault]
    p99_us: float = 0.0  # CPU microseconds per decision that 99 % of the decisions do not exceed
    worst_us: float = 0.0  # the same of the slowest
    memory_mib: float = 0.0  # the most that a process took
    stopped: bool = False  # it is hopeless, so the rest was left out
    # how many games its opponents forfeited, by name and fault
    others_lost: Mapping[tuple[str, str], int] = field(default_factory=dict)
    differs: str = ""  # where the same match, played again, went another way; "" if it did not
    mixes: str = ""  # where a game went another way without the other games of its match; "" if it did not
    printed: int = 0  # the most characters of a match that would be kept
    bank_share: float = 1.0  # what part of the banks of CPU time and sleep a match of the trial had
    attempts: tuple[str, ...] = ()  # what it tried that no bot may do: fork, exec, socket

    @property
    def cpu_us(self) -> float:
        """CPU microseconds per decision, loading included."""
        return self.cpu_s / max(self.decisions, 1) * 1e6

    @property
    def losses(self) -> list[str]:
        """Why it would lose games in a league though it broke no rule here."""
        spent = [
            f"would lose by {kind}: a match would take {self.shares[name]:.0%} of {BUDGETS[name]}"
            for name, kind in LOST_BY.items()
            if not self.faults and self.shares[name] >= 1
        ]
        other = self.conditions.repeatable and self.differs
        return [*spent, *([f"would lose in a repeatable league: {self.differs}"] if other else [])]

    @property
    def warnings(self) -> list[str]:
        """What is not wrong yet, but near it."""
        near = [
            f"it uses {share:.0%} of {BUDGETS[name]}"
            for name, share in self.shares.items()
            if share >= WARN_FROM and not (share >= 1 and name in LOST_BY)
        ]
        other = self.differs and not self.conditions.repeatable  # there it is a loss
        most = self.conditions.limits.log_kib * 1024
        cut = (
            f"prints more than the {most >> 10} KiB a match that are kept (log_kib), and printing takes time"
        )
        return [
            *near,
            *([f"it {TRIED}{', '.join(self.attempts)}"] if self.attempts else []),
            *([f"not repeatable: {self.differs}"] if other else []),
            *([self.mixes] if self.mixes else []),
            *([cut] if self.printed >= most else []),
        ]


@dataclass
class Budget:
    """CPU seconds that a bot may take in all matches of a trial together."""

    limit_s: float
    spent_s: float = 0.0

    def spend(self, cpu_s: float) -> None:
        """Count a match.

        Raises:
            BotError: nothing is left.
        """
        self.spent_s += cpu_s
        if self.spent_s > self.limit_s:
            raise BotError(f"its trial took more than {self.limit_s:g} s of CPU time: make the bot faster")


def trial_limits(conditions: Conditions, bank_share: float) -> Limits:
    """Return the limits of a match of a trial.

    A short match has its part of the banks: a bot that is too slow is stopped as soon as in a whole match,
    and one that never answers is stopped in seconds.
    """
    whole = {name: getattr(conditions.limits, name) for name in BANKS}
    shorter = {name: min(bank, max(bank * bank_share, LEAST_BANK_S)) for name, bank in whole.items()}
    return dataclasses.replace(conditions.limits, **shorter)


@dataclass(frozen=True)
class Trying:
    """How a bot is tried, whatever the conditions."""

    deals: int | None = None  # from every seat; None: as many as a match of the league has
    # of the deals; None: nobody knows them, so no bot can tell this trial from a match
    seed: int | None = None
    # who sits beside it, in turn: name and files; default: the random bot
    beside: Sequence[tuple[str, Program]] = ()
    # in matches of its own from every seat, and twice at a table of its own kind; else one game from every
    # seat, in one match
    thorough: bool = True
    # of the banks of CPU time and sleep that a match has; default: by `deals`
    bank_share: float | None = None
    budget: Budget | None = None  # for all its matches and what else is to be tried
    servers: Servers | None = None  # where fork servers come from; default: new ones
    on_match: Callable[[int], None] = lambda n: None  # called after every match that lets the trial go on


def run(source: Source, conditions: Conditions, how: Trying = Trying()) -> Trial:
    """Play a bot under some conditions.

    Raises:
        BotError: it is over its budget after a match, which its limits bound.
        HostError: this host cannot separate bots so.
    """
    mine = source.program
    k, deals, servers = conditions.players, how.deals or conditions.match_deals, how.servers or new_server
    share = min(1.0, deals / conditions.match_deals) if how.bank_share is None else how.bank_share
    others = list(how.beside) or [("random", house_bots()["random"].program)]
    beside = [others[at % len(others)] for at in range(k - 1)]
    names = (source.name, *(name for name, _ in beside))
    played, stopped, differs, mixes = list[Played](), False, "", ""
    with servers(conditions, 0) as server:
        for where, places, setup in _matches(conditions, deals, how.seed, how.thorough, share):
            line_up = [mine] * k if places == k else [mine, *(program for _, program in beside)]
            at_table = (source.name,) * k if places == k else names
            result = play_match(setup, line_up, server)
            played.append((where, places, at_table, setup, result))
            if how.budget is not None:
                how.budget.spend(sum(result.cpu_s[:places]))
            mine_lost = [lost for lost in result.forfeits if lost.place < places]
            stopped = any(lost.kind in HOPELESS for lost in mine_lost)
            if stopped:
                break
            how.on_match(1)
            if places == 1 and len(setup.seeds) > 1 and not (result.forfeits or mixes):
                mixes = _mixture(result, play_match(_first_game(setup), line_up, server))
            if places == k and not mine_lost:
                with servers(conditions, 1) as other:  # what the forks of one have in common is no seed
                    differs = _difference(result, play_match(setup, line_up, other))
    mixes = "" if differs else mixes
    shown = _trial(conditions, deals, played)
    return dataclasses.replace(shown, stopped=stopped, differs=differs, mixes=mixes, bank_share=share)


def _first_game(setup: MatchSetup) -> MatchSetup:
    """Return the match with its first game alone."""
    plan = dataclasses.replace(setup.plan, blocks=1)
    blocks, seeds, places = setup.blocks[:1], setup.seeds[:1], setup.places[:1]
    return dataclasses.replace(setup, plan=plan, blocks=blocks, seeds=seeds, places=places)


def _mixture(match: PlayedMatch, alone: PlayedMatch) -> str:
    """Say that the first game of a match goes another way when it is played alone; "" if it does not."""
    at = parting(match.moves[0], alone.moves[0])
    if at is None:
        return ""
    return (
        f"keeps state between games: its first game went another way at decision {at} when it was played "
        f"alone; the games of a match are asked about in turn, so keep what belongs to one in `class Bot`, "
        f"and draw from view.rng (if it answers many views at once: the number of views changes its answers)"
    )


def _difference(first: PlayedMatch, again: PlayedMatch) -> str:
    """Where a match that was played twice went two ways; "" if nowhere."""
    for game, (one, other) in enumerate(zip(first.moves, again.moves, strict=True)):
        if (at := parting(one, other)) is not None:
            return (
                f"the same match played twice differs, in game {game + 1} at decision {at}; draw random "
                f"numbers from view.rng alone, give a search a number of playouts, not a time, and order "
                f"nothing by id() or by a set of objects of your own"
            )
    return ""


def fork_server(conditions: Conditions) -> GameZygote:
    """Return a fork server for a trial; it serves other tables and options of the game too.

    Raises:
        HostError: this host cannot separate bots so.
    """
    limits = conditions.limits
    return GameZygote(conditions.game, conditions.level, limits.profile, tuple(limits.preload))


def new_server(conditions: Conditions, which: int) -> GameZygote:
    """Return a fork server that ends with the trial."""
    return fork_server(conditions)


_kept: dict[tuple[object, ...], GameZygote] = {}


@contextlib.contextmanager
def kept_server(conditions: Conditions, which: int) -> Iterator[GameZygote]:
    """Give a fork server that stays for the next trial in this process.

    To start one costs more than all matches of a plain bot's trial.
    """
    limits = conditions.limits
    key = conditions.game, conditions.level, limits.profile, tuple(limits.preload), which
    found = _kept.get(key)
    if found is None or not found.alive:
        if found is not None:
            found.close()
        found = _kept[key] = fork_server(conditions)
        atexit.register(found.close)
    yield found


def matches(conditions: Conditions, thorough: bool = True) -> int:
    """How many matches a trial has."""
    return conditions.players + 1 if thorough else 1


def _matches(
    conditions: Conditions, deals: int, seed: int | None, thorough: bool, share: float
) -> Iterator[tuple[str, int, MatchSetup]]:
    """Yield what is played: where, how many places the bot has from place 0 on, and the match."""
    secret, k = Secret.fresh() if seed is None else Secret.of_seed(seed), conditions.players
    turned = [tuple((place - seat) % k for place in range(k)) for seat in range(k)]  # place 0 sits in `seat`
    if not thorough:
        yield "", 1, _setup(conditions, secret, 0, [(seat, turned[seat]) for seat in range(k)], share)
        return
    for seat in range(k):
        games = [(deal, turned[seat]) for deal in range(deals)]
        yield f"match {seat + 1}, ", 1, _setup(conditions, secret, seat, games, share)
    alike = Secret.fresh() if seed is None else Secret.of_seed(seed + 1)
    yield "against itself, ", k, _setup(conditions, alike, 0, [(0, turned[0])], share)


def _setup(
    conditions: Conditions, secret: Secret, number: int, games: Sequence[tuple[int, tuple[int, ...]]],
    share: float,
) -> MatchSetup:  # fmt: skip
    deals, places = zip(*games, strict=True)
    return MatchSetup.of_games(
        conditions.game,
        secret.deal_seeds(deals),
        places,
        conditions.options,
        number,
        bot_seeds=tuple(secret.bot_seed(number, place) for place in range(conditions.players)),
        limits=trial_limits(conditions, share),
        level=conditions.level,
    )


def _trial(conditions: Conditions, deals: int, played: Sequence[Played]) -> Trial:
    """Return what was shown, over all matches."""
    results = [result for *_, result in played]
    longer = conditions.match_deals / deals  # a match of the league is so many times as long
    limits = conditions.limits
    whole = limits.for_match(conditions.match_deals)
    taken = [(_cpu_of_match(result, longer), round(result.decisions[0] * longer)) for result in results]
    match_cpu_s, asked = max(taken, key=lambda one: one[0] / whole.cpu_s(one[1]))
    memory = max(result.memory_mib[0] for result in results)
    slept = max(result.slept_s[0] for result in results) * longer
    requests = np.concatenate(
        [result.requests[result.requests["place"] < places] for _, places, _, _, result in played]
    )
    return Trial(
        conditions=conditions,
        games=sum(len(result.moves) for result in results),
        decisions=sum(sum(result.decisions[:places]) for _, places, _, _, result in played),
        cpu_s=sum(sum(result.cpu_s[:places]) for _, places, _, _, result in played),
        match_cpu_s=match_cpu_s,
        allowed_cpu_s=whole.cpu_s(asked),
        shares={
            "cpu_s_match": _share(match_cpu_s, whole.cpu_s(asked)),
            "cpu_s_start": _share(max(result.load_s[0] for result in results), limits.cpu_s_start),
            "memory_mib": _share(memory, limits.memory_mib),
            "sleep_s_bank": _share(slept, limits.sleep_s_bank),
        },
        faults=[fault for one in played for fault in _faults(*one)],
        p99_us=_dearest_us(requests, 0.99),
        worst_us=_dearest_us(requests, 1.0),
        memory_mib=memory,
        printed=max(
            sum(len(one.text) for one in result.logs if one.place == place)
            for _, places, _, _, result in played
            for place in range(places)
        ),
        others_lost=_others_lost(played),
        attempts=_attempts(played),
    )


def _cpu_of_match(result: PlayedMatch, longer: float) -> float:
    """CPU seconds that the bot in place 0 would take in a match so many times as long.

    Loading, and what its first request took beyond the others (it may compile), do not grow with the match.
    """
    requests = result.requests[result.requests["place"] == 0]
    cpu_s, decisions = requests["cpu_s"], requests["decisions"]
    if len(requests) < 2:
        return result.load_s[0] + (result.cpu_s[0] - result.load_s[0]) * longer
    later = float(cpu_s[1:].sum())
    first = min(float(cpu_s[0]), later / max(int(decisions[1:].sum()), 1) * int(decisions[0]))
    return result.cpu_s[0] + (first + later) * (longer - 1)


def _others_lost(played: Sequence[Played]) -> Mapping[tuple[str, str], int]:
    """Games that opponents forfeited, by name and fault."""
    return Counter(
        (name, kind)
        for _, places, names, _, result in played
        for _, name, kind in {
            (lost.game, names[lost.place], str(lost.kind)) for lost in result.forfeits if lost.place >= places
        }
    )


def _attempts(played: Sequence[Played]) -> tuple[str, ...]:
    """Return what the bot's log says that it tried and no bot may do."""
    own = (one.text for _, places, _, _, result in played for one in result.logs if one.place < places)
    lines = {line for text in own for line in text.splitlines() if line.startswith(TRIED)}
    return tuple(sorted(word for line in lines if (word := line.removeprefix(TRIED)) in FORBIDDEN.values()))


def _dearest_us(requests: NDArray[np.void], share: float) -> float:
    """Return CPU microseconds that this share of decisions does not exceed.

    See `store.packing` on what a decision of a request costs.
    """
    each = requests["cpu_s"] / requests["decisions"]
    order = np.argsort(each)
    until = np.cumsum(requests["decisions"][order])
    return float(each[order][np.searchsorted(until, share * until[-1])]) * 1e6 if len(each) else 0.0


def _share(used: float, allowed: float) -> float:
    """How much of a limit is used; a limit of nothing that is not needed is not near."""
    return used / allowed if allowed else float(used > 0)


def _faults(
    where: str, places: int, names: tuple[str, ...], setup: MatchSetup, result: PlayedMatch
) -> Iterator[TrialFault]:
    for lost in result.forfeits:
        if lost.place < places:
            at = f"{where}game {lost.game + 1}, seat {lost.seat}, after {count(lost.decision, 'decision')}"
            printed = "".join(
                one.text
                for one in result.logs
                if (one.place, one.game, one.decision) == (lost.place, lost.game, lost.decision)
            )
            seated = tuple(names[place] for place in setup.places[lost.game])
            yield TrialFault(
                lost.kind, at, lost.text, printed, setup, result, lost.game, lost.seat, lost.decision, seated
            )
