"""A bot's trial before it enters: real games, in the same processes and under the same limits as in a
league; at every table size and under some other options too.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.errors import OptionError, nearest
from engines.option import Option, Value
from leagues.secret import Secret

from ..errors import UsageError
from ..jail import FaultKind, Level, Limits, Program
from ..jail.limits import WITH_INTERPRETERS
from ..match.play import play_match
from ..match.setup import GameSetup, MatchResult, MatchSetup
from ..player import GameZygote
from .registry import house_bots
from .source import Source, unpack

USUAL_DEALS = 64  # deals in a match of a league, for telling how far its CPU time would last
WARN_FROM = 0.7  # of a budget
OPTION_SETS = 3  # beside the default one
SMALL = 16  # an option with more values makes games longer, not different
HOPELESS = (FaultKind.IMPORT, FaultKind.CPU, FaultKind.WALL)  # it would go on like that for minutes
LEAST_BANK_S = 3.0  # of CPU time, and of sleep, however short the trial: a first call may compile
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
    limits: Limits = field(default_factory=Limits)
    level: str = "strict"
    match_deals: int = USUAL_DEALS
    thorough: bool = True  # from every seat in matches of its own, and once against itself
    bank_share: float = 1.0  # of the banks of CPU time and sleep, which a match of the trial has

    @classmethod
    def usual(
        cls, game: str, players: int | None = None, options: Mapping[str, Any] | None = None,
        level: str = "strict",
    ) -> Conditions:  # fmt: skip
        """A game's default table, options and limits, but for what is given.

        Raises:
            OptionError: no such option or number of players.
            UsageError: no such level.
        """
        if level not in list(Level):
            raise UsageError(f"no level {level!r}; {nearest(level, list(Level), ', '.join(Level))}")
        k, complete = engines.load(game).check_options(players, dict(options or {}))
        return cls(game, k, complete, level=level)

    def with_interpreters(self, allowed: Sequence[str]) -> Conditions:
        """The same where these programs may run a bot ("node=/usr/bin/node"), at the level that has them.

        Raises:
            UsageError: not a name and a path; or the level allows none.
        """
        level = str(Level.INTERPRETERS) if self.level == Level.STRICT else self.level
        if level not in WITH_INTERPRETERS:
            raise UsageError(
                f"at level {level} no interpreter is allowed; leave out --level or --interpreter"
            )
        try:
            limits = dataclasses.replace(self.limits, interpreters=tuple(allowed))
        except ValueError as error:
            raise UsageError(str(error)) from None
        return dataclasses.replace(self, limits=limits, level=level)

    def for_deals(self, deals: int) -> Conditions:
        """The same in matches of so many deals: they have their part of the banks, so a bot that is too slow
        is told so as soon as in a whole match, and one that never answers is stopped in seconds.
        """
        return dataclasses.replace(self, bank_share=min(1.0, deals / self.match_deals))

    @property
    def trial_limits(self) -> Limits:
        """The limits of a match of the trial."""
        banks = {name: getattr(self.limits, name) for name in ("cpu_s_bank", "sleep_s_bank")}
        shorter = {name: min(all_, max(all_ * self.bank_share, LEAST_BANK_S)) for name, all_ in banks.items()}
        return dataclasses.replace(self.limits, **shorter)

    @classmethod
    def varied(cls, usual: Conditions) -> Iterator[Conditions]:
        """Every other size of the table, and some other options; a game from every seat is enough there."""
        game = engines.load(usual.game)
        for players in range(game.min_players, game.max_players + 1):
            if players != usual.players:
                yield dataclasses.replace(usual, players=players, thorough=False)
        for number in range(OPTION_SETS):
            options = {option.name: _other_value(option, number) for option in game.options.values()}
            try:
                _, complete = game.check_options(usual.players, options)
            except OptionError:  # they do not go together
                continue
            if complete != usual.options:
                yield dataclasses.replace(usual, options=complete, thorough=False)

    @property
    def changed(self) -> str:
        """Table and options as text, as far as options are not the game's default."""
        options = engines.load(self.game).options
        some = [f"{name}={_written(v)}" for name, v in self.options.items() if v != options[name].default]
        return ", ".join([f"{self.players} players", *some])


def _other_value(option: Option, number: int) -> Value:
    """The next values after the default one, in turn; the default where others make games longer."""
    values: list[Value] = [False, True] if isinstance(option.default, bool) else list(option.choices)
    if not values:
        if option.high - option.low > SMALL:
            return option.default
        values = list(range(option.low, option.high + 1))
    return values[(values.index(option.default) + 1 + number) % len(values)]


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class TrialFault:
    """A rule that the bot broke: the kind, in which game, its last words and what it had printed there.

    `setup`, `result` and `game` are the match and the game in it, for a replay; `names` who sat where.
    """

    kind: str
    where: str
    text: str
    printed: str
    setup: MatchSetup
    result: MatchResult
    game: int
    seat: int
    decision: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """What a trial showed.

    Attributes:
        cpu_s: CPU seconds in all, loading included.
        cpu_us: CPU microseconds per decision, loading included.
        allowed_us: CPU microseconds per decision that a match of a league allows.
        shares: of what a match of a league allows, how much the bot would use, by the name of the limit;
            above 1 it forfeits.
        p99_us: CPU microseconds per decision that 99 % of the decisions do not exceed.
        worst_us: the same of the slowest.
        memory_mib: the most that a process took.
        stopped: it is hopeless, so the rest was left out.
        others_lost: how many games its opponents forfeited, by name and fault.
    """

    game: str
    games: int
    decisions: int
    cpu_s: float
    cpu_us: float
    allowed_us: float
    shares: dict[str, float]
    faults: list[TrialFault]
    p99_us: float = 0.0
    worst_us: float = 0.0
    memory_mib: float = 0.0
    stopped: bool = False
    others_lost: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """What is not wrong yet, but near it."""
        return [
            f"it uses {share:.0%} of {BUDGETS[name]}"
            for name, share in self.shares.items()
            if share >= WARN_FROM
        ]


def run(
    source: Source,
    conditions: Conditions,
    deals: int | None = None,
    seed: int = 1,
    opponents: Sequence[tuple[str, Program]] = (),
    on_match: Callable[[int], None] = lambda n: None,
    zygote: GameZygote | None = None,
) -> Trial:
    """Play a bot from every seat, and once at a table of its own kind.

    Args:
        source: the bot.
        conditions: game, options, limits, level.
        deals: deals to play, each from every seat; default: as many as a match of the league has.
        seed: of the deals.
        opponents: who sits beside it, in turn: name and files; default: the random bot.
        on_match: called after every match that lets the trial go on, with how many were played.
        zygote: a fork server for these conditions (`fork_server`); default: one for this trial.

    Raises:
        HostError: this host cannot separate bots so.
    """
    k, deals = conditions.players, deals or conditions.match_deals
    mine = unpack(source.name, source.packed)
    others = list(opponents) or [("random", unpack("random", house_bots()["random"].packed))]
    beside = [others[at % len(others)] for at in range(k - 1)]
    names = (source.name, *(name for name, _ in beside))
    played: list[tuple[str, int, tuple[str, ...], MatchSetup, MatchResult]] = []
    stopped = False
    with contextlib.nullcontext(zygote) if zygote is not None else fork_server(conditions) as server:
        for where, places, setup in _matches(conditions, deals, seed):
            line_up = [mine] * k if places == k else [mine, *(program for _, program in beside)]
            at_table = (source.name,) * k if places == k else names
            result = play_match(setup, line_up, server)
            played.append((where, places, at_table, setup, result))
            mine_lost = [lost for lost in result.forfeits if lost.place < places]
            stopped = any(lost.kind in HOPELESS for lost in mine_lost)
            if stopped:
                break
            on_match(1)
    return _trial(conditions, deals, played, stopped)


def fork_server(conditions: Conditions) -> GameZygote:
    """A fork server for a trial; it serves other tables and options of the game too.

    Raises:
        HostError: this host cannot separate bots so.
    """
    profile, preload = conditions.limits.profile, tuple(conditions.limits.preload)
    return GameZygote(conditions.game, conditions.level, profile, preload)


def matches(conditions: Conditions) -> int:
    """How many matches a trial has."""
    return conditions.players + 1 if conditions.thorough else 1


def _matches(conditions: Conditions, deals: int, seed: int) -> Iterator[tuple[str, int, MatchSetup]]:
    """What is played: where, how many places the bot has from place 0 on, and the match."""
    secret, k = Secret.of_seed(seed), conditions.players
    turned = [tuple((place - seat) % k for place in range(k)) for seat in range(k)]  # place 0 sits in `seat`
    if not conditions.thorough:
        yield "", 1, _setup(conditions, secret, 0, [(seat, turned[seat]) for seat in range(k)])
        return
    for seat in range(k):
        games = [(deal, turned[seat]) for deal in range(deals)]
        yield f"match {seat + 1}, ", 1, _setup(conditions, secret, seat, games)
    alike = Secret.of_seed(seed + 1)
    yield "against itself, ", k, _setup(conditions, alike, 0, [(0, turned[0])])


def _setup(
    conditions: Conditions, secret: Secret, number: int, games: Sequence[tuple[int, tuple[int, ...]]]
) -> MatchSetup:
    return MatchSetup(
        number=number,
        game=conditions.game,
        players=conditions.players,
        options=conditions.options,
        games=tuple(
            GameSetup(at, deal, secret.deal_seed(deal), places) for at, (deal, places) in enumerate(games)
        ),
        bot_seeds=tuple(secret.bot_seed(number, place) for place in range(conditions.players)),
        limits=conditions.trial_limits,
        level=conditions.level,
    )


def _trial(
    conditions: Conditions,
    deals: int,
    played: Sequence[tuple[str, int, tuple[str, ...], MatchSetup, MatchResult]],
    stopped: bool,
) -> Trial:
    """What was shown, over all matches."""
    results = [result for *_, result in played]
    decisions = sum(sum(result.decisions[:places]) for _, places, _, _, result in played)
    cpu_s = sum(sum(result.cpu_s[:places]) for _, places, _, _, result in played)
    longer = conditions.match_deals / deals  # a match of the league is so many times as long
    asked = max(result.decisions[0] for result in results) * longer
    limits = conditions.limits
    each = cpu_s / max(decisions, 1)
    allowed = limits.for_match(conditions.match_deals).cpu_s(round(asked)) / max(asked, 1)
    memory = max(result.memory_mib[0] for result in results)
    asked_of_it = np.concatenate(
        [result.requests[result.requests["place"] < places] for _, places, _, _, result in played]
    )
    return Trial(
        game=conditions.game,
        games=sum(len(result.moves) for result in results),
        decisions=decisions,
        cpu_s=cpu_s,
        cpu_us=each * 1e6,
        allowed_us=allowed * 1e6,
        shares={
            "cpu_s_match": _share(each, allowed),
            "cpu_s_start": _share(max(result.load_s[0] for result in results), limits.cpu_s_start),
            "memory_mib": _share(memory, limits.memory_mib),
            "sleep_s_bank": _share(
                max(result.slept_s[0] for result in results) * longer, limits.sleep_s_bank
            ),
        },
        faults=[
            fault
            for where, places, names, setup, result in played
            for fault in _faults(where, places, names, setup, result)
        ],
        p99_us=_dearest_us(asked_of_it, 0.99),
        worst_us=_dearest_us(asked_of_it, 1.0),
        memory_mib=memory,
        stopped=stopped,
        others_lost=Counter(
            (name, kind)
            for _, places, names, _, result in played
            for _, name, kind in {
                (lost.game, names[lost.place], str(lost.kind))
                for lost in result.forfeits
                if lost.place >= places
            }
        ),
    )


def _dearest_us(requests: NDArray[np.void], share: float) -> float:
    """CPU microseconds per decision that this share of the decisions does not exceed; see `store.clocks` on
    what a decision of a request costs.
    """
    each = requests["cpu_s"] / requests["decisions"]
    order = np.argsort(each)
    until = np.cumsum(requests["decisions"][order])
    return float(each[order][np.searchsorted(until, share * until[-1])]) * 1e6 if len(each) else 0.0


def _share(used: float, allowed: float) -> float:
    """How much of a limit is used; a limit of nothing that is not needed is not near."""
    return used / allowed if allowed else float(used > 0)


def _faults(
    where: str, places: int, names: tuple[str, ...], setup: MatchSetup, result: MatchResult
) -> Iterator[TrialFault]:
    for lost in result.forfeits:
        if lost.place < places:
            at = f"{where}game {lost.game + 1}, seat {lost.seat}, after {lost.decision} decisions"
            printed = "".join(
                one.text
                for one in result.logs
                if (one.place, one.game, one.decision) == (lost.place, lost.game, lost.decision)
            )
            seated = tuple(names[place] for place in setup.games[lost.game].places)
            yield TrialFault(
                lost.kind, at, lost.text, printed, setup, result, lost.game, lost.seat, lost.decision, seated
            )
