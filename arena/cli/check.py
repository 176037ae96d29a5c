"""What `arena bot check` and `submit` show of a trial: figures, faults, and how to repeat them."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.output import count, kin, note, put

if TYPE_CHECKING:
    from arena.intake.conditions import Conditions
    from arena.intake.entering import Checked, GameCheck
    from arena.intake.trial import Trial, TrialFault
    from arena.replay.recorded import Recorded

FAULTS, GAMES = 3, 3  # that are shown: faults that differ, and games of those like one
BANKS = {"cpu": "cpu_s_bank", "wall": "sleep_s_bank"}  # by the fault that an empty one is
RECORDS = "arena-check-"  # folders with the games that a bot lost
KEPT_S = 24 * 3600  # how long they are kept


def print_checked(checked: Checked, seed: int | None, bots: str) -> None:
    """Print what a check showed, game by game."""
    for game in checked.games:
        _print_game(game, seed, bots)
        _say_faults(game.faults, checked)


def _print_game(game: GameCheck, seed: int | None, bots: str) -> None:
    """Print the figures of a game, against what is allowed."""
    shown, conditions = game.first, game.first.conditions
    others = sum(one.games for one in game.others)
    more = f" and {others} at other tables and under other options" if others else ""
    put(
        f"{conditions.game}, {conditions.changed}: {count(shown.games, 'game')}{more}, "
        f"{count(shown.decisions, 'decision')}, {count(len(game.faults), 'fault')}; "
        f"{'fresh seeds' if seed is None else f'seed {seed}'}, against {bots}"
    )
    if shown.stopped:
        _say_stopped(shown)
    else:
        _print_use(shown)
    for line in (*shown.losses, *shown.warnings):
        note(f"{conditions.game}: {line}", always=line in shown.losses)
    for (name, kind), lost in game.others_lost.items():
        note(f"{conditions.game}: games that its opponent {name} forfeited: {lost} ({kind})")


def _print_use(shown: Trial) -> None:
    """CPU time and memory, and what part of the limits they are."""
    conditions = shown.conditions
    part = shown.match_cpu_s / shown.allowed_cpu_s
    put(
        f"  CPU time a decision: {shown.cpu_us:.0f} us on average; 99 % took at most {shown.p99_us:.0f} us, "
        f"the slowest {shown.worst_us:.0f} us"
    )
    limits = conditions.limits
    put(
        f"  CPU time a match of {count(conditions.match_deals, 'deal')}: {shown.match_cpu_s:.1f} s of "
        f"{shown.allowed_cpu_s:.1f} s ({part:.0%}): {limits.cpu_s_bank:g} s and "
        f"{limits.cpu_ms_per_decision:g} ms a decision, at most {limits.cpu_s_match:g} s"
    )
    memory = f"{shown.memory_mib:.0f}" if shown.memory_mib >= 1 else "less than 1"
    put(f"  memory: {memory} MiB of the {conditions.limits.memory_mib} MiB that are allowed")


def _say_stopped(shown: Trial) -> None:
    """Why there are no figures: it was ended in the midst of a decision, or before the first."""
    conditions = shown.conditions
    asked = f"in {count(shown.decisions, 'decision')}" if shown.decisions else "before its first decision"
    put(f"  CPU time: {shown.cpu_s:.1f} s {asked}; then the check stopped it and skipped the rest")
    banks = {fault.kind: BANKS[fault.kind] for fault in shown.faults if fault.kind in BANKS}
    for name in banks.values() if shown.bank_share < 1 else ():
        from arena.intake.trial import trial_limits

        had, whole = (
            getattr(trial_limits(conditions, shown.bank_share), name),
            getattr(conditions.limits, name),
        )
        note(
            f"{conditions.game}: a short check has {had:g} s of a match's {name} of {whole:g} s; "
            f"--deals {conditions.match_deals} has all of it"
        )


def _say_faults(faults: list[tuple[Conditions, TrialFault]], checked: Checked) -> None:
    """Print the first faults that differ, each with what repeats it; also with `-q`."""
    from arena.intake.entering import advice

    groups: dict[tuple[str, ...], list[tuple[Conditions, TrialFault]]] = {}
    for one in faults:
        groups.setdefault(kin(one[1].kind, one[1].text), []).append(one)
    lines, folder = list[str](), _new_folder() if set(groups) - {("import",)} else None
    for at, ((conditions, fault), *others) in enumerate(list(groups.values())[:FAULTS], 1):
        lines.append(f"{fault.kind} ({fault.where}; {conditions.changed})")
        lines += [f"    {line}" for line in fault.text.strip().splitlines()]
        lines += [f"    | {line}" for line in fault.printed.strip().splitlines()[-10:]]
        if hint := advice(checked.path, fault):
            lines.append(f"    {hint}")
        if folder and fault.kind != "import":
            record = folder / f"{at}-{fault.kind}.jsonl"
            played = _write_record(fault, record)
            lines.append(f"    again, for a day: {_again(checked, fault, record, played)}")
        if others:
            games = list(dict.fromkeys(other.where.split(", seat")[0] for _, other in others))
            named = "; ".join(games[:GAMES]) + ("; ..." if len(games) > GAMES else "")
            lines.append(f"    and {len(others)} more like it ({named})")
    if len(groups) > FAULTS:
        lines.append(f"... and faults of {len(groups) - FAULTS} more kinds")
    for line in lines:
        note(line, always=True)


def _again(checked: Checked, fault: TrialFault, record: Path, played: Recorded) -> str:
    """Return the command that repeats a fault; a program in another language can only be looked at."""
    if checked.source.program.is_foreign:
        return f"arena replay {shlex.quote(str(record))} --seat {fault.seat} --format text"
    bot = shlex.quote(str(checked.path))
    words = f"arena replay {shlex.quote(str(record))} --debug {bot} --seat {fault.seat}"
    own = fault.decision < len(played.moves) and played.at(fault.decision).seat == fault.seat
    return f"{words} --at {fault.decision}" if own else words


def _new_folder() -> Path:
    """Return a folder for records; those of earlier checks end after a day."""
    from arena.intake.sent import tidy

    tidy(RECORDS, KEPT_S)
    return Path(tempfile.mkdtemp(prefix=RECORDS))


def _write_record(fault: TrialFault, path: Path) -> Recorded:
    """Write the game of a fault; returns it."""
    from arena.match import records
    from arena.replay.recorded import Recorded

    setup, at = fault.setup, fault.game
    game = Recorded(
        label=path.name,
        game=setup.game,
        players=setup.players,
        options=setup.options,
        seed=int(setup.seeds[at]),
        shuffles=None,
        moves=tuple(fault.result.moves[at].tolist()),
        names=fault.names,
        scores=(),
        bot_seeds=tuple((setup.bot_seeds[place], at) for place in setup.places[at]),
    )
    lines = (records.line(event) + "\n" for event in game.events(legal=False))
    path.write_text("".join(lines), encoding="utf-8")
    return game
