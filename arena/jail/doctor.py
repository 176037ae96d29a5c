"""Does the wall hold on this machine? Found out by trying, in a process that is jailed like any other.

`self_test` runs before the first program of every zygote and refuses a host where anything is open: no
program ever runs behind less than its level says. `examine` makes the long report of `arena doctor`. The
attacks of `tests/attacks` try far more.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leagues.limits import Level, Limits

from . import cgroups, namespaces, probe, seccomp
from .facts import host_facts, missing
from .outcomes import LAYERS, Failed, Fault, FaultKind, HostError, Layer
from .process import Process
from .program import Program
from .zygote import Zygote

PROBE_MIB = 64
PROBE = Program("probe", {"probe.py": b""})
SHORT = ("trace its parent",)  # of the acts that need a process each, what the short self-test tries


@dataclass(frozen=True, slots=True)
class Check:
    """One act that no program may do: whether the wall held, and what the kernel said."""

    act: str
    held: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """What `arena doctor` shows."""

    level: str
    works: bool
    reason: str  # why not; empty if they can
    checks: list[Check] = field(default_factory=list)  # every act that was tried at this level
    # why each level cannot be had here; empty text: it can
    levels: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    groups: str = ""  # what control groups do here
    clocks: str = ""  # whether a bot sees when this machine was started


def self_test(zygote: Zygote) -> list[Check]:
    """Try the forbidden acts behind the zygote's wall.

    Raises:
        HostError: an act succeeded, what programs need does not work, or the wall cannot be built.
    """
    if zygote.level is Level.TRUSTED:
        return []
    checks = _try_level(zygote, zygote.level, SHORT)
    _refuse_open(zygote.level, checks)
    return checks


def _refuse_open(level: Level, checks: list[Check]) -> None:
    open_acts = [check.act for check in checks if not check.held]
    if open_acts:
        raise HostError(
            f"level {level}: the sandbox does not hold: a bot can {', '.join(open_acts)}; see `arena doctor "
            f"--level {level}`"
        )


def examine(start: Callable[[Level], Zygote], level: str = Level.STRICT) -> Report:
    """Try all acts at a level, and whether the other levels can be had.

    Args:
        start: starts a zygote of a level, without its self-test.

    Raises:
        HostError: not even a plain process can be started.
    """
    wanted = Level(level)
    found: dict[tuple[Layer, ...], tuple[list[Check], str]] = {}  # two levels may have one wall
    with start(Level.TRUSTED) as zygote:
        for each in Level:
            if LAYERS[each] not in found:
                found[LAYERS[each]] = _held(zygote, each)
    checks, reason = found[LAYERS[wanted]]
    levels = {str(each): found[LAYERS[each]][1] for each in Level}
    found_out = levels, host_facts(wanted), control_groups(), clocks()
    return Report(str(wanted), not reason, reason, checks, *found_out)


def _held(zygote: Zygote, level: Level) -> tuple[list[Check], str]:
    """All acts at a level, and why it cannot be had here; empty text: it can."""
    tried: list[Check] = []
    try:
        tried = _try_level(zygote, level, tuple(probe.FATAL)) if level is not Level.TRUSTED else []
        _refuse_open(level, tried)
    except HostError as error:
        return tried, str(error)
    return tried, ""


def clocks() -> str:
    """Return what clocks tell a bot of this machine, in words."""
    if namespaces.may_start_clocks():
        return "a bot's begin with it"
    return "a bot can see when this machine was started; hiding it takes root's rights (a time namespace)"


def control_groups() -> str:
    """Return what control groups do here, in words."""
    try:
        return f"each bot gets its own below {cgroups.find()}, with limits on threads and memory"
    except cgroups.NoGroups as reason:
        return f"not used, because no cgroup v2 is writable here: {reason}"


def _try_level(zygote: Zygote, level: Level, fatal: Iterable[str]) -> list[Check]:
    """All acts that a process survives, in one; then each of `fatal` in a process of its own."""
    if lacks := missing(LAYERS[level]):
        raise HostError(f"level {level} does not work here: {lacks}; `arena doctor` lists the levels that do")
    open_to_it = set(probe.WITH_THREADS if zygote.profile == "threads" else ())
    if platform.machine() not in seccomp.CLOSED:
        open_to_it.add(probe.ZEROS)
    acts = [name for name in probe.ACTS if name not in open_to_it]
    checks = _probe(zygote, LAYERS[level], acts)
    for name in fatal:
        checks += _probe(zygote, LAYERS[level], [name])
    return checks


def _probe(zygote: Zygote, layers: tuple[Layer, ...], acts: list[str]) -> list[Check]:
    """Let a process try these acts behind these layers."""
    with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        (Path(folder) / "secret").write_text("secret")
        limits = Limits(memory_mib=PROBE_MIB, profile=zygote.profile)
        process = Process(zygote, PROBE, limits, 0, 4096, layers=layers, probe=_targets(folder, acts))
        try:
            process.await_jail()
            process.run()
            process.hear(1)
            fault = Fault(FaultKind.PROTOCOL, "it answered")
        except Failed as failed:
            fault = process.end(failed)
        finally:
            process.close()
    checks = [Check(*json.loads(line)) for line in process.log().splitlines() if line.startswith("[")]
    if len(acts) == 1 and fault.kind is FaultKind.FORBIDDEN:
        return [Check(acts[0], True, "the process was ended")]
    if len(checks) < len(acts):
        told = f"{fault.kind}: {fault.text.splitlines()[0]}"
        if not checks:
            raise HostError(f"a probe process cannot work: {fault.kind}: {fault.text}")
        return [*checks, Check(acts[len(checks)], False, f"what it did instead: {told}")]
    return checks


def _targets(folder: str, acts: list[str]) -> dict[str, Any]:
    """Return what a probe is told: what to try, and where things are that it must not get."""
    column = list(seccomp.AUDIT_ARCH).index(platform.machine()) if seccomp.supported() else 0
    numbers = seccomp.HOSTILE | seccomp.CONDITIONAL
    targets: dict[str, Any] = {name: numbers[name][column] for name in ("ptrace", "unshare", "futex", "mmap")}
    return targets | {
        "acts": acts,
        "memory": 2 * PROBE_MIB << 20,
        "worker": os.getpid(),
        "secret": f"{folder}/secret",
    }
