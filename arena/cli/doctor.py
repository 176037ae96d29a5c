"""`arena doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import Format, FormatOption, note, table
from arena.errors import ArenaError, UsageError

if TYPE_CHECKING:
    from arena.jail.doctor import Report

SUITE = Path(__file__).parents[2] / "tests" / "attacks"


class NoWall(ArenaError):
    """The wanted level cannot be had on this host."""

    code = 5


def doctor(
    level: Annotated[str, typer.Option(help="The level to try: strict, strict-noopen, strict+ns, trusted.")] = "strict",
    profile: Annotated[str, typer.Option(help="What bots may use: numpy, or threads (for torch).")] = "numpy",
    attack: Annotated[bool, typer.Option("--attack", help="Run the whole attack suite (from a source checkout).")] = False,
    how: FormatOption = Format.TABLE,
) -> None:
    """Try on this machine what no bot may do, and say whether the wall holds. Exit code 5 if it does not.

    Examples:
        arena doctor
        arena doctor --level strict+ns --format json
        arena doctor --attack
    """
    from arena.jail.limits import PROFILES, HostError, Level

    if level not in list(Level):
        raise UsageError(f"level {level!r}: allowed is {', '.join(Level)}")
    if profile not in PROFILES:
        raise UsageError(f"profile {profile!r}: allowed is {' or '.join(PROFILES)}")
    try:
        if attack:
            _attack(level, how)
        else:
            _examine(level, profile, how)
    except HostError as error:
        raise NoWall(str(error)) from None


def _examine(level: str, profile: str, how: Format) -> None:
    from arena.jail import doctor as jail_doctor

    report = jail_doctor.examine(level, profile=profile)
    rows: list[dict[str, Any]] = [{"act": check.act, "held": check.held, "detail": check.detail} for check in report.checks]
    if how is Format.JSON:
        _print_json(report, rows)
    else:
        cells = {"a bot may not": lambda r: r["act"], "": lambda r: "held" if r["held"] else "OPEN", "how": lambda r: r["detail"]}
        table(rows, ("act", "held", "detail"), how, cells)
    note(", ".join(f"{name} {value}" for name, value in report.facts.items()))
    for name, reason in report.levels.items():
        note(f"level {name}: {reason or 'works here'}")
    if not report.works:
        raise NoWall(report.reason)


def _print_json(report: Report, rows: list[dict[str, Any]]) -> None:
    import json

    facts = {
        "level": report.level,
        "works": report.works,
        "reason": report.reason,
        "facts": report.facts,
        "levels": report.levels,
    }
    print(json.dumps(facts | {"checks": rows}, indent=2))


def _attack(level: str, how: Format) -> None:
    """Run every attack; exit code 1 if one got something."""
    from arena.jail import suite

    if not SUITE.is_dir():
        raise UsageError("the attack suite is in tests/attacks of a source checkout; run arena doctor --attack from one")
    rows: list[dict[str, Any]] = []
    for outcome, wrong in suite.run_all([SUITE / "breakouts", SUITE / "disruptions"], level):
        name = f"{outcome.attack.path.parent.name}/{outcome.attack.name}"
        rows.append({"attack": name, "verdict": outcome.verdict or "plays on", "stopped": not wrong, "wrong": wrong})
    cells = {
        "attack": lambda r: r["attack"],
        "": lambda r: "stopped" if r["stopped"] else "FAILED",
        "verdict": lambda r: r["verdict"],
        "what is wrong": lambda r: "; ".join(r["wrong"]),
    }
    table(rows, ("attack", "stopped", "verdict", "wrong"), how, cells)
    failed = [row["attack"] for row in rows if not row["stopped"]]
    note(f"{len(rows) - len(failed)} of {len(rows)} attacks stopped at level {level}")
    if failed:
        raise ArenaError(f"level {level} does not stop: {', '.join(failed)}")
