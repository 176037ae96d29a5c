"""Does the wall hold on this machine? Found out by trying, in a process that is started like a bot's.

`self_test` runs before the first bot of every zygote and refuses a host where anything is open: no bot ever runs behind less
than its level says. `examine` makes the long report of `arena doctor`.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import landlock, probe, seccomp
from .limits import LAYERS, Fault, FaultKind, HostError, Layer, Level, Limits

if TYPE_CHECKING:
    from .worker import Zygote

PROBE_MIB = 64
SHORT = ("trace its parent",)  # of the acts that need a process each, what the short self-test tries


@dataclass(frozen=True, slots=True)
class Check:
    """One act that no bot may do: whether the wall held, and what the kernel said."""

    act: str
    held: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """What `arena doctor` shows.

    Attributes:
        level: the wanted one.
        works: whether bots can be run at this level here.
        reason: why not; empty if they can.
        checks: every act that was tried at this level.
        levels: why each level cannot be had here; empty text: it can.
        facts: of the host.
    """

    level: str
    works: bool
    reason: str
    checks: list[Check] = field(default_factory=list)
    levels: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


# --- facts -----------------------------------------------------------------------------------------------------------------


def host_facts(level: str = Level.STRICT) -> dict[str, Any]:
    """What a result should say about the machine that it was made on and the wall that it was made behind."""
    return {
        "level": str(level),
        "landlock_abi": landlock_abi(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "root": os.geteuid() == 0,
    }


def landlock_abi() -> int:
    """The kernel's Landlock ABI; 0: none."""
    try:
        return landlock.abi()
    except OSError:
        return 0


def missing(layers: Iterable[Layer]) -> str:
    """What this host lacks for these layers, as far as it can be known without trying; empty: nothing."""
    if not sys.platform.startswith("linux"):
        return f"{platform.system()} has none of the walls; on it only the level 'trusted' runs, for your own bots"
    if Layer.CALLS in layers and not seccomp.supported():
        return f"there is no table of system calls for {platform.machine()}; there are tables for {', '.join(seccomp.AUDIT_ARCH)}"
    if Layer.FILES in layers:
        try:
            landlock.abi()
        except OSError as error:
            return f"Landlock: {error.strerror}"
    return ""


# --- trying ------------------------------------------------------------------------------------------------------------------


def self_test(zygote: Zygote) -> list[Check]:
    """Try the forbidden acts behind the zygote's wall.

    Raises:
        HostError: an act succeeded, NumPy does not work, or the wall cannot be built.
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
            f"level {level}: the wall does not hold, a bot can {', '.join(open_acts)}; see `arena doctor --level {level}`"
        )


def examine(level: str = Level.STRICT, game: str = "flip7", profile: str = "numpy") -> Report:
    """Try all acts at a level, and whether the other levels can be had.

    Raises:
        HostError: not even a plain process can be started.
    """
    from .worker import Zygote

    wanted = Level(level)
    checks: list[Check] = []
    levels: dict[str, str] = {}
    with Zygote(game, Level.TRUSTED, profile) as zygote:
        for each in Level:
            try:
                tried = _try_level(zygote, each, tuple(probe.FATAL)) if each is not Level.TRUSTED else []
                if each is wanted:
                    checks = tried
                _refuse_open(each, tried)
                levels[str(each)] = ""
            except HostError as error:
                levels[str(each)] = str(error)
    reason = levels[str(wanted)]
    return Report(str(wanted), not reason, reason, checks, levels, host_facts(wanted))


def _try_level(zygote: Zygote, level: Level, fatal: Iterable[str]) -> list[Check]:
    """All acts that a process survives, in one; then each of `fatal` in a process of its own."""
    lacks = missing(LAYERS[level])
    if lacks:
        raise HostError(f"level {level} cannot be had here: {lacks}; `arena doctor` tells which levels can")
    acts = [name for name in probe.ACTS if zygote.profile != "threads" or name not in probe.WITH_THREADS]
    checks = _probe(zygote, level, acts)
    for name in fatal:
        checks += _probe(zygote, level, [name])
    return checks


def _probe(zygote: Zygote, level: Level, acts: list[str]) -> list[Check]:
    """Run a probe that tries these acts."""
    limits = Limits(memory_mib=PROBE_MIB, profile=zygote.profile)
    with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        source = _write_probe(Path(folder), acts, zygote.game.name)
        bot = zygote.spawn(source, limits, 0, layers=LAYERS[level])
        try:
            fault = bot.ready()
        finally:
            bot.close()
    checks = [Check(*json.loads(line)) for line in bot.log().splitlines() if line.startswith("[")]
    if fault is not None and len(acts) == 1 and fault.kind is FaultKind.FORBIDDEN:
        return [Check(acts[0], True, "the process was ended")]
    if len(checks) < len(acts) and fault is not None and fault.kind in (FaultKind.CRASH, FaultKind.FORBIDDEN):
        return [*checks, Check(acts[len(checks)], False, f"what it did instead: {_told(fault)}")]
    if fault is not None or len(checks) != len(acts):
        raise HostError(f"level {level}: a probe process cannot work: {_told(fault)}")
    return checks


def _told(fault: Fault | None) -> str:
    return f"{fault.kind}: {fault.text.splitlines()[0]}" if fault else "it did not try everything"


def _write_probe(folder: Path, acts: list[str], game: str) -> Path:
    """A bot's folder with the probe, and beside it a secret that it must not see."""
    source = folder / "probe"
    source.mkdir()
    secret = folder / "secret"
    secret.write_text("secret")
    column = list(seccomp.AUDIT_ARCH).index(platform.machine()) if seccomp.supported() else 0
    targets: dict[str, Any] = {
        name: (seccomp.HOSTILE | seccomp.CONDITIONAL)[name][column] for name in ("ptrace", "unshare", "futex")
    }
    targets |= {"acts": acts, "game": game, "memory": 2 * PROBE_MIB << 20, "worker": os.getpid()}
    targets |= {"secret": str(secret), "folder": str(folder), "new": str(folder / "new")}
    text = Path(probe.__file__).read_text()
    (source / "__init__.py").write_text(f"{text}\n\nrun({targets!r})\n")
    return source
