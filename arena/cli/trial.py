"""What `arena bot check` and `submit` show of a trial: figures, faults, and how to repeat them."""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.output import note
from arena.cli.progress import Progress, watching
from arena.errors import BotError, UsageError

if TYPE_CHECKING:
    from arena.bots.source import Source
    from arena.bots.trial import Conditions, Trial, TrialFault

FAULTS = 3  # that are shown
BANKS = {"cpu": "cpu_s_bank", "wall": "sleep_s_bank"}  # by the fault that an empty one is


@dataclass(frozen=True)
class Wanted:
    """What a person wants to be tried."""

    league: str | None = None
    deals: int | None = None
    seed: int = 1
    players: int | None = None
    options: tuple[str, ...] = ()
    level: str | None = None
    opponents: str = "random"
    interpreters: tuple[str, ...] = ()  # "node=/usr/bin/node"
    short: bool = False  # only the usual table and options


def try_out(source: Source, path: Path, wanted: Wanted) -> None:
    """Play the trial of every game of the bot, or of a league's; print what it showed.

    Raises:
        BotError: it broke a rule.
    """
    from arena.bots import trial
    from arena.bots.registry import program_of
    from arena.match import warm

    failed = False
    names = [name.strip() for name in wanted.opponents.split(",")]
    if not all(names):
        raise UsageError(f"--opponents {wanted.opponents!r} names nobody at one place")
    for usual, varied in _conditions(source, wanted):
        deals = wanted.deals or (usual.match_deals if wanted.league else 4)
        first, *others = (one.for_deals(deals) for one in (usual, *varied))
        warm.warm_up(first.game, note)
        beside = [(name, program_of(name, first.game)) for name in names]
        total = sum(trial.matches(one) for one in (first, *others))
        faults: list[tuple[Conditions, TrialFault]] = []
        with trial.fork_server(first) as server, watching(Progress.AUTO)(total, 0, "matches") as add:
            shown = trial.run(source, first, deals, wanted.seed, beside, add, server)
            faults += [(first, fault) for fault in shown.faults]
            others_lost = Counter(shown.others_lost)
            games = []
            for one in [] if shown.stopped else others:
                more = trial.run(source, one, 1, wanted.seed, beside, add, server)
                faults += [(one, fault) for fault in more.faults]
                others_lost.update(more.others_lost)
                games.append(more.games)
                if more.stopped:
                    break
        _print(shown, first, wanted, games, len(faults))
        for (name, kind), lost in others_lost.items():
            note(f"{first.game}: games that its opponent {name} forfeited: {lost} ({kind})")
        _say_faults(faults, path)
        failed |= bool(faults)
    if failed:
        raise BotError(f"{source.name} broke a rule: in a league it would lose these games")


def _print(shown: Trial, conditions: Conditions, wanted: Wanted, others: list[int], faults: int) -> None:
    """The figures of a game, against what is allowed."""
    limits = conditions.limits
    more = f" and {sum(others)} under {len(others)} other tables and options" if others else ""
    print(
        f"{shown.game}, {conditions.changed}: {shown.games} games{more}, {shown.decisions} decisions, "
        f"{faults} faults; seed {wanted.seed}, against {wanted.opponents}"
    )
    if shown.stopped:
        _say_stopped(shown, conditions)
        return
    print(
        f"  CPU: {shown.cpu_us:.0f} us a decision of {shown.allowed_us:.0f} in a match of "
        f"{conditions.match_deals} deals, 99 % below {shown.p99_us:.0f}, worst {shown.worst_us:.0f}"
    )
    print(f"  memory: {shown.memory_mib:.0f} MiB of {limits.memory_mib}")
    for warning in shown.warnings:
        note(f"{shown.game}: {warning}")


def _say_stopped(shown: Trial, conditions: Conditions) -> None:
    """Why there are no figures: it was ended in the midst of a decision, or before the first."""
    asked = f"in {shown.decisions} decisions" if shown.decisions else "before its first decision"
    print(f"  CPU: {shown.cpu_s:.1f} s {asked}, then it was ended and the rest left out")
    banks = {fault.kind: BANKS[fault.kind] for fault in shown.faults if fault.kind in BANKS}
    for name in banks.values() if conditions.bank_share < 1 else ():
        had, whole = getattr(conditions.trial_limits, name), getattr(conditions.limits, name)
        note(
            f"{shown.game}: a short check has {had:g} s of a match's {name} of {whole:g} s; "
            f"--deals {conditions.match_deals} has all of it"
        )


def _say_faults(faults: list[tuple[Conditions, TrialFault]], path: Path) -> None:
    """The first faults that differ, each with what repeats it."""
    seen: set[tuple[str, str]] = set()
    folder: Path | None = None
    for conditions, fault in faults:
        if (fault.kind, fault.text) in seen or len(seen) == FAULTS:
            continue
        seen.add((fault.kind, fault.text))
        note(f"{fault.kind} ({fault.where}; {conditions.changed})")
        for line in fault.text.strip().splitlines():
            note(f"    {line}")
        for line in fault.printed.strip().splitlines()[-10:]:
            note(f"    | {line}")
        if fault.kind != "import":
            folder = folder or Path(tempfile.mkdtemp(prefix="arena-check-"))
            record = folder / f"{len(seen)}-{fault.kind}.jsonl"
            _write_record(fault, record)
            words = f"{shlex.quote(str(path))} --game {shlex.quote(str(record))} --seat {fault.seat}"
            note(f"    again: arena bot debug {words} --decision {fault.decision}")
    if len(faults) > len(seen):
        note(f"... and {len(faults) - len(seen)} more, most of them alike")


def _write_record(fault: TrialFault, path: Path) -> None:
    from arena import records
    from arena.replay.recorded import Recorded

    setup, at = fault.setup, fault.game
    places = setup.games[at].places
    game = Recorded(
        label=path.name,
        game=setup.game,
        players=setup.players,
        options=setup.options,
        seed=setup.games[at].seed,
        shuffles=None,
        moves=tuple(fault.result.moves[at].tolist()),
        names=fault.names,
        scores=(),
        bot_seeds=tuple((setup.bot_seeds[place], at) for place in places),
    )
    lines = (records.line(event) + "\n" for event in game.events(legal=False))
    path.write_text("".join(lines), encoding="utf-8")


def _conditions(source: Source, wanted: Wanted) -> list[tuple[Conditions, list[Conditions]]]:
    """What the bot is tried under: for each of its games the usual conditions and others, or those of a
    league, or those that are named.

    Raises:
        BotError: it does not play the league's game.
    """
    import engines
    from arena.bots.trial import Conditions
    from arena.cli.game import options_of
    from leagues import definition
    from leagues.schedule import schedule

    if wanted.league is not None:
        if wanted.players is not None or wanted.options or wanted.interpreters or wanted.level is not None:
            raise UsageError(
                "--league says players, options, level and interpreters: leave out --players, --option, "
                "--level and --interpreter"
            )
        defined = definition.load(wanted.league)
        if defined.game not in source.games:
            raise BotError(f"{source.name} plays {', '.join(source.games)}, not {defined.game}")
        most = max(match.blocks for match in schedule(defined.players, defined.players, defined.deals))
        shared = (defined.game, defined.players, defined.options, defined.limits, defined.level)
        return [(Conditions(*shared, most), [])]
    found = []
    for name in source.games:
        options = options_of(engines.load(name), wanted.options)
        first = Conditions.usual(name, wanted.players, options, wanted.level or "strict")
        if wanted.interpreters:
            first = first.with_interpreters(wanted.interpreters)
        alone = wanted.short or wanted.players is not None or bool(wanted.options)
        found.append((first, [] if alone else list(Conditions.varied(first))))
    return found
