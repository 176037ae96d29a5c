"""`arena doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import Format, FormatOption, note, table
from arena.errors import ArenaError, UsageError

if TYPE_CHECKING:
    from arena.jail.doctor import Report


class NoWall(ArenaError):
    """The wanted level cannot be had on this host."""

    code = 5


def doctor(
    level: Annotated[str, typer.Option(help="The level to try: strict, strict+ns, trusted.")] = "strict",
    profile: Annotated[str, typer.Option(help="What bots may use: numpy, or threads (for torch).")] = "numpy",
    how: FormatOption = Format.TABLE,
) -> None:
    """Try on this machine what no bot may do. Says whether the wall holds; exit code 5 if it does not.

    Examples:
        arena doctor
        arena doctor --level strict+ns --format json
    """
    from arena.jail.limits import PROFILES, HostError, Level

    if level not in list(Level):
        raise UsageError(f"level {level!r}: allowed is {', '.join(Level)}")
    if profile not in PROFILES:
        raise UsageError(f"profile {profile!r}: allowed is {' or '.join(PROFILES)}")
    try:
        _examine(level, profile, how)
    except HostError as error:
        raise NoWall(str(error)) from None


def _examine(level: str, profile: str, how: Format) -> None:
    from arena.jail import Limits
    from arena.jail import doctor as jail_doctor
    from arena.player import GameZygote

    report = jail_doctor.examine(lambda each: GameZygote("flip7", each, profile, tested=False), level)
    rows: list[dict[str, Any]] = [
        {"act": check.act, "held": check.held, "detail": check.detail} for check in report.checks
    ]
    worst = Limits(profile=profile).worst_wall_s()
    if how is Format.JSON:
        _print_json(report, rows, worst)
    else:
        cells = {
            "a bot may not": lambda r: r["act"],
            "": lambda r: "held" if r["held"] else "OPEN",
            "how": lambda r: r["detail"],
        }
        table(rows, ("act", "held", "detail"), how, cells)
    note(", ".join(f"{name} {value}" for name, value in report.facts.items()))
    note(f"by the default limits the most wall time that a bot can add to a match of 64 deals: {worst:.0f} s")
    note(f"control groups: {report.groups}")
    for name, reason in report.levels.items():
        note(f"level {name}: {reason or 'works here'}")
    if not report.works:
        raise NoWall(report.reason)


def _print_json(report: Report, rows: list[dict[str, Any]], worst_wall_s: float) -> None:
    import json

    facts = {
        "level": report.level,
        "works": report.works,
        "reason": report.reason,
        "facts": report.facts,
        "levels": report.levels,
        "control_groups": report.groups,
        "worst_wall_s": worst_wall_s,
    }
    print(json.dumps(facts | {"checks": rows}, indent=2))
