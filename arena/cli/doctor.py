"""`arena doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.options import LEVELS, FormatOption
from arena.cli.output import Format, note, print_json, table
from arena.errors import HostLacks

if TYPE_CHECKING:
    from arena.jail.doctor import Report


def doctor(
    level: Annotated[
        str, typer.Option("--level", metavar="LEVEL", help=f"The level to try: {LEVELS}.")
    ] = "strict",
    profile: Annotated[
        str, typer.Option("--profile", help="What bots may use: numpy, or threads (for torch).")
    ] = "numpy",
    how: FormatOption = Format.TABLE,
) -> None:
    """Try on this machine everything that a bot must not do. Exit code 5 if the sandbox does not hold.

    Examples:
        arena doctor
        arena doctor --level strict+ns --format json
    """
    from arena.cell.game_zygote import examine

    report, worst_wall_s = examine(level, profile)
    _print(report, worst_wall_s, how)
    if not report.works:
        raise HostLacks(report.reason)


def _print(report: Report, worst_wall_s: float, how: Format) -> None:
    """Print what was tried, and what the host has."""
    rows: list[dict[str, Any]] = [
        {"act": check.act, "held": check.held, "detail": check.detail} for check in report.checks
    ]
    if how is Format.JSON:
        facts = {"level": report.level, "works": report.works, "reason": report.reason}
        facts |= {"facts": report.facts, "levels": report.levels, "control_groups": report.groups}
        facts["clocks"] = report.clocks
        print_json(facts | {"worst_wall_s": worst_wall_s, "checks": rows})
    else:
        cells = {
            "a bot tries to": lambda r: r["act"],
            "result": lambda r: "blocked" if r["held"] else "OPEN",
            "what it got": lambda r: r["detail"],
        }
        table(rows, ("act", "held", "detail"), how, cells)
    note(_machine(report.facts))
    note(f"with the default limits a bot can make a match of 64 deals at most {worst_wall_s:.0f} s longer")
    note(f"control groups: {report.groups}")
    note(f"clocks: {report.clocks}")
    for name, reason in report.levels.items():
        note(f"level {name}: {reason or 'works here'}")


def _machine(facts: dict[str, Any]) -> str:
    """Return what the report says of this machine, in words."""
    landlock = f"Landlock ABI {facts['landlock_abi']}" if facts["landlock_abi"] else "no Landlock"
    user = "run by root" if facts["root"] else "not run by root"
    system = f"Linux {facts['kernel']}, Python {facts['python']}"
    return f"this machine: {facts['machine']}, {system}, {landlock}, {user}"
