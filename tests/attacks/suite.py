"""Runs bots that attack, and says what each of them got. Used by the tests and by `python -m tests.attacks`.

Each attack is one file, or one function of `_few_lines.py`: a bot whose docstring says what it tries to get.
It prints `GOT: ...` for all that it got and `refused: ...` for the rest. Constants at its top, or the defaults of
the function, say what must become of it:

    VERDICT   kinds of fault, any of which may end it; "" if it plays on (default)
    WORDS     what the text of the fault must contain
    LEAKS     levels at which it is known to succeed
    WALL      False: a plain process stops it too, so trying it without the wall shows nothing
    SAFE      False: never tried without the wall
    ASROOT    True: known to succeed where the fork server has not root's rights

Beside every attack lie `aim.py` (what attacks share) and `targets.json`: the attacker is told where
everything is that it wants. After each one the suite looks for traces, and whether a bot that plays beside
all of them still answers.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import gc
import hashlib
import json
import os
import platform
import secrets
import shutil
import socket
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from arena.cell import BotProcess, GameZygote
from arena.cell.frames import Decisions
from arena.jail import Fault, Layer, Level, Limits, Program, files, namespaces, seccomp
from arena.match.warm import warm_up
from engines.game import Game

LIMITS = Limits(cpu_ms_per_decision=1, cpu_s_bank=0.3, cpu_s_start=0.6, sleep_s_bank=0.3, memory_mib=128)
HONEST = 'GAMES = ["flip7"]\n\n\ndef act(view):\n    return view.legal[-1]\n'
GAME = "flip7"
ROWS = 3
TRIES = 4
PLACES = ("/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp")


@dataclass(frozen=True, slots=True)
class Attack:
    """One attacking bot, as its file describes it."""

    path: Path
    name: str
    source: str
    title: str
    verdicts: tuple[str, ...] = ("",)
    words: str = ""
    leaks: tuple[str, ...] = ()
    wall: bool = True
    safe: bool = True
    as_root: bool = False


@dataclass(slots=True)
class Outcome:
    """What became of one attack."""

    attack: Attack
    fault: Fault | None
    loot: list[str]  # what it says that it got
    refused: list[str]  # what it was refused
    damage: list[str] = field(default_factory=list)  # what others suffered, and what was left behind

    @property
    def verdict(self) -> str:
        """Kind of the fault; empty if the bot played on."""
        return str(self.fault.kind) if self.fault else ""


def attacks(folder: Path) -> list[Attack]:
    """The attacks of a folder, by name: one a file, and one a function of `_few_lines.py`."""
    paths = [path for path in folder.glob("*.py") if not path.name.startswith(("_", "test_", "aim"))]
    found = [_read(path, path.stem, path.read_text()) for path in paths]
    found += [_read(path, *bot) for path in folder.glob("_few_lines.py") for bot in few_lines(path)]
    return sorted(found, key=lambda attack: attack.name)


def few_lines(path: Path) -> Iterator[tuple[str, str]]:
    """The names and sources of the bots of a file in which each function is one."""
    tree = ast.parse(path.read_bytes())
    acts = {"view": "act", "views": "act_batch"}
    for bot in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        given = [one.arg for one in bot.args.args]
        constants = dict(zip(given[::-1], bot.args.defaults[::-1]))
        asked = next((acts[one] for one in given if one in acts), "")
        used = {node.id for node in ast.walk(bot) if isinstance(node, ast.Name)}
        own = asked or any(isinstance(node, ast.FunctionDef) and node.name == "act" for node in bot.body)
        if not own:
            used.add("play")
        lines = [repr(ast.get_docstring(bot)), 'GAMES = ["flip7"]']
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [one for one in node.names if (one.asname or one.name) in used]
                from_module = isinstance(node, ast.ImportFrom)
                kept = ast.ImportFrom(node.module, names, node.level) if from_module else ast.Import(names)
                lines += [ast.unparse(kept)] * bool(names)
        lines += [f"{name} = {ast.unparse(value)}" for name, value in constants.items()]
        body = "\n".join(map(ast.unparse, bot.body[1:]))
        if asked:
            lines.append(f"def {asked}({given[0]}):\n{textwrap.indent(body, '    ')}")
        else:
            lines += [body, *["act = play"] * (not own)]
        yield bot.name.rstrip("_"), "\n".join(lines) + "\n"


def _read(path: Path, name: str, source: str) -> Attack:
    tree = ast.parse(source)
    given = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in _CONSTANTS
    }
    title = (ast.get_docstring(tree) or "").splitlines()[0]
    return Attack(
        path,
        name,
        source,
        title,
        **{_CONSTANTS[name]: value for name, value in given.items()} | _listed(given),
    )


_CONSTANTS = {"VERDICT": "verdicts", "WORDS": "words", "LEAKS": "leaks", "WALL": "wall", "SAFE": "safe"}
_CONSTANTS["ASROOT"] = "as_root"


def _listed(given: dict[str, Any]) -> dict[str, Any]:
    """A single text where a list of texts is meant."""
    return {
        _CONSTANTS[name]: (given[name],) for name in ("VERDICT", "LEAKS") if isinstance(given.get(name), str)
    }


def first_decisions(game: Game, n: int, seeds: Any = 1) -> Decisions:
    """The first decisions of `n` games."""
    return Decisions.of(game, game.new(n, seeds))


class Suite:
    """A worker with secrets, a zygote, an honest bot, and attackers one after the other.

    A context manager.
    """

    def __init__(self, level: str = Level.STRICT, profile: str = "numpy") -> None:
        self.level = Level(level)
        self.token = f"arena-{secrets.token_hex(6)}"
        self.secret = f"secret-{secrets.token_hex(12)}"
        self._open = contextlib.ExitStack()
        try:
            self._set_up(profile)
        except BaseException:
            self._open.close()
            raise

    def __enter__(self) -> Suite:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End everything and remove every trace."""
        self._open.close()

    def _set_up(self, profile: str) -> None:
        self.folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix=self.token)))
        os.environ["ARENA_SECRET"] = self.secret
        self._open.callback(os.environ.pop, "ARENA_SECRET", None)
        self.store = self.folder / "store" / "results.sqlite"
        self.other = self.folder / "other" / "other.py"
        for path, text in ((self.store, self.secret), (self.other, HONEST + f"# {self.secret}\n")):
            path.parent.mkdir()
            path.write_text(text)
        self.listeners = [
            self._listen(socket.AF_INET, ("127.0.0.1", 0)),
            self._listen(socket.AF_UNIX, str(self.folder / "socket")),
        ]
        self.listeners.append(self._listen(socket.AF_UNIX, f"\0{self.token}"))
        warm_up(GAME)  # as a league does: a fork server that compiles has more memory that bots can copy
        self.zygote = self._open.enter_context(GameZygote(GAME, self.level, profile))
        self.deal([secrets.randbits(64) for _ in range(ROWS)])
        gc.collect()
        gc.freeze()  # or each of the many collections goes through all that is loaded: most of the suite's time
        self.victim = self._new_victim()
        gc.collect()
        gc.freeze()  # what is here stays: `_world` need not walk through it twice an attack

    def _listen(self, family: int, address: Any) -> socket.socket:
        """A server of the worker's that nobody may reach."""
        listener = self._open.enter_context(socket.socket(family))
        listener.bind(address)
        listener.listen()
        listener.setblocking(False)
        return listener

    def deal(self, seeds: Sequence[int]) -> None:
        """Let attackers be asked for the first decisions of the games of these seeds."""
        self.seeds = list(seeds)
        self.request = first_decisions(self.zygote.game, ROWS, np.array(seeds, np.uint64))

    def _new_victim(self) -> BotProcess:
        other = Program("other", {self.other.name: self.other.read_bytes()})
        limits = Limits(cpu_s_bank=60, sleep_s_bank=60, profile=self.zygote.profile)
        victim = self.zygote.spawn(other, limits, 1)
        if fault := victim.ready():
            raise AssertionError(f"the honest bot cannot be loaded: {fault.text}")
        return victim

    # --- one attack -----------------------------------------------------------------------------------------

    def run(self, attack: Attack, layers: Sequence[Layer] | None = None, requests: int = 2) -> Outcome:
        """Let an attacker load, and ask it; then see what it got and what it did to others.

        Args:
            attack: the attack.
            layers: behind these parts of the wall only; default: all of the level.
            requests: how often to ask.
        """
        files = _open_files()
        outcome = self._run(attack, layers, requests)
        for _ in range(TRIES - 1):  # what leaves files open does so every time, other threads here do not
            if len(now := _open_files()) <= len(files):
                return outcome
            files = now
            outcome = self._run(attack, layers, requests)
        if left := sorted(_open_files() - files):
            outcome.damage.append(f"leaves files open in the worker, the last ones {left}")
        return outcome

    def _run(self, attack: Attack, layers: Sequence[Layer] | None, requests: int) -> Outcome:
        """`run` once."""
        attacker = self._prepare(attack)
        before, shared = self._world(), _shared_memory()
        bot = self.zygote.spawn(attacker, replace(LIMITS, profile=self.zygote.profile), 1, layers=layers)
        fault = bot.ready()
        for _ in range(requests):
            if fault is None:
                reply = bot.ask(self.request)
                fault = reply.fault or next(iter(reply.faults.values()), None)
        bot.close()
        lines = bot.log().splitlines()
        loot = [line.removeprefix("GOT: ") for line in lines if line.startswith("GOT: ")]
        loot += [f"the secret, in: {line}" for line in lines if self.secret in line]
        outcome = Outcome(attack, fault, loot, [line for line in lines if line.startswith("refused: ")])
        outcome.damage = self._damage(before, self._world())
        if bot.pid in [maker for number, maker in _shared_memory().items() if number not in shared]:
            outcome.damage.append("left shared memory behind")
        return outcome

    def _prepare(self, attack: Attack) -> Program:
        """The attacker's files."""
        targets = {
            "token": self.token,
            "worker": os.getpid(),
            "victim": self.victim.pid,
            "started": time.time() - time.clock_gettime(time.CLOCK_BOOTTIME),
            "folder": str(self.folder),
            "store": str(self.store),
            "other": str(self.other),
            "port": self.listeners[0].getsockname()[1],
            "socket": str(self.folder / "socket"),
            "mine": f"{files.ROOT}/{attack.name}",
            "threads": self.zygote.profile == "threads",
            "unnamed": _unnamed_calls(),
            "seeds": [hashlib.blake2b(f"{self.token} {seed}".encode()).hexdigest() for seed in self.seeds],
        }
        aim = attack.path.with_name("aim.py")
        return Program(
            attack.name,
            {
                "__init__.py": attack.source.encode(),
                "aim.py": (aim if aim.exists() else attack.path.parents[1] / "aim.py").read_bytes(),
                "targets.json": json.dumps(targets).encode(),
            },
        )

    # --- what others see of it ------------------------------------------------------------------------------

    def _world(self) -> dict[str, Any]:
        """Everything that an attack must not change."""
        places = [Path(place) for place in PLACES]
        return {
            "the store": _state(self.store),
            "files": sorted(str(path) for path in self.folder.rglob("*")),
            "files elsewhere": sorted(
                str(path) for place in places for path in place.glob(f"*{self.token}*")
            ),
            "processes": sorted(self._children()),
        }

    def _children(self) -> Iterator[int]:
        """The processes of the zygote, but those that are ending."""
        own = Path(f"/proc/{self.zygote.pid}/task/{self.zygote.pid}/children")  # it has one thread
        for pid in own.read_text().split():
            with contextlib.suppress(OSError, IndexError):
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                    yield int(pid)

    def _damage(self, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
        damage = [
            f"{what} changed: {before[what]} -> {after[what]}"
            for what in before
            if before[what] != after[what]
        ]
        damage += [
            f"connected to {listener.getsockname()!r}" for listener in self.listeners if _accepts(listener)
        ]
        legal, offsets = self.request[3:]
        reply = self.victim.ask(self.request)
        if reply.fault or reply.faults or reply.actions.tolist() != legal[offsets[1:] - 1].tolist():
            damage.append(f"the honest bot does not answer: {reply}")
            self.victim.close()
            self.victim = self._new_victim()
        return damage

    def clean(self) -> None:
        """Remove what an attack without a wall has left, so that the next one is not helped or hindered by
        it.
        """
        with contextlib.suppress(AttributeError):  # the C library of an older system has it elsewhere
            ctypes.CDLL(None).mq_unlink(f"/{self.token}".encode())
        for place in PLACES:
            for path in Path(place).glob(f"*{self.token}*"):
                if path != self.folder:
                    path.unlink(missing_ok=True)
        for path in self.folder.glob("*"):
            if path not in (self.store.parent, self.other.parent, self.folder / "socket"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.rmtree(self.store.parent, ignore_errors=True)
        self.store.parent.mkdir()
        self.store.write_text(self.secret)


def _unnamed_calls() -> list[int]:
    """The numbers of system calls that no table of the filter has, but for two that the kernel keeps to itself
    (a process that makes them without its order is ended, before any filter).
    """
    machine = platform.machine()
    column = list(seccomp.AUDIT_ARCH).index(machine)
    named = {
        numbers[column] for numbers in (seccomp.ALLOWED | seccomp.CONDITIONAL | seccomp.HOSTILE).values()
    }
    return sorted(set(range(1024)) - named - ({335, 336} if machine == "x86_64" else set()))


def _state(path: Path) -> tuple[Any, ...]:
    """What a file is; empty if it is gone."""
    try:
        return path.read_text(), path.stat().st_mtime_ns, path.stat().st_mode
    except OSError:
        return ()


def _open_files() -> set[str]:
    """The descriptors of this process. What others left to the garbage collector is closed first."""
    gc.collect()
    return set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the names are wanted


def _shared_memory() -> dict[int, int]:
    """The System V memory of this machine and which process has made it; empty where the kernel has none."""
    try:
        lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    except OSError:
        return {}
    number, maker = map(lines[0].split().index, ("shmid", "cpid"))
    rows = [[int(word) for word in line.split()] for line in lines[1:]]
    return {row[number]: row[maker] for row in rows}


def _accepts(listener: socket.socket) -> bool:
    """Whether somebody has connected."""
    try:
        listener.accept()[0].close()
        return True
    except BlockingIOError:
        return False


def failures(outcome: Outcome, level: str) -> list[str]:
    """What is wrong with an outcome at a level; empty: the wall held, and the fault is the right one."""
    attack = outcome.attack
    wrong = list(outcome.damage)
    if str(level) in attack.leaks or (attack.as_root and not namespaces.may_start_clocks()):
        wrong += (
            []
            if outcome.loot
            else ["is known to succeed, and did not: mend its LEAKS and the page on the jail"]
        )
    else:
        wrong += [f"got {loot}" for loot in outcome.loot]
    if level == Level.STRICT and (
        outcome.verdict not in attack.verdicts
        or attack.words not in (outcome.fault.text if outcome.fault else "")
    ):
        told = f"{outcome.fault.kind}: {outcome.fault.text}" if outcome.fault else "it played on"
        wrong.append(
            f"the fault must be {' or '.join(map(repr, attack.verdicts))} with {attack.words!r}, and is: "
            f"{told}"
        )
    return wrong


# --- all of them --------------------------------------------------------------------------------------------


def all_attacks() -> list[Attack]:
    """The attacks of this folder: those that want what is not theirs, and those that want trouble."""
    here = Path(__file__).parent
    return attacks(here / "breakouts") + attacks(here / "disruptions")


def run_all(level: str = Level.STRICT) -> Iterator[tuple[Outcome, list[str]]]:
    """Every attack at a level, with what is wrong about it (nothing, if the wall holds).

    Raises:
        HostError: the level cannot be had here.
    """
    with Suite(level) as suite:
        for attack in all_attacks():
            outcome = suite.run(attack)
            yield outcome, failures(outcome, level)


def stopped_by(suite: Suite, attack: Attack) -> dict[Layer, bool]:
    """For each layer, whether it stops this attack when it is all the wall there is.

    Empty if that cannot be tried.
    """
    if not (attack.wall and attack.safe):
        return {}
    held = {}
    for layer in SINGLE:
        held[layer] = not suite.run(attack, layers=(layer,)).loot
        suite.clean()
    return held


TOGETHER = "all together"
SINGLE = (Layer.LIMITS, Layer.PRIVILEGES, Layer.FILES, Layer.CALLS, Layer.NAMESPACES)


def table(folder: Path) -> str:
    """The attacks of a folder, grouped by the layers of which each alone stops them; a fault stands behind."""
    groups: dict[str, list[str]] = {}
    with Suite(Level.STRICT) as suite:
        for attack in attacks(folder):
            alone = stopped_by(suite, attack)
            outcome = suite.run(attack)
            end = " (succeeds)" if outcome.loot else f" ({outcome.verdict})" if outcome.fault else ""
            layers = ", ".join(layer for layer in SINGLE if alone[layer]) if alone else TOGETHER
            groups.setdefault(layers, []).append(attack.name.replace("_", " ") + end)
    return "\n".join(
        textwrap.fill(f"{layers}: {', '.join(names)}", 150, subsequent_indent="    ", break_on_hyphens=False)
        for layers, names in sorted(groups.items())
    )


def channels() -> list[Path]:
    """The ways in which two bots of one author may try to tell each other something (`test_channels`)."""
    return sorted((Path(__file__).parent / "channels").glob("*.py"))


def channel_table() -> str:
    """The channels as a Markdown table."""
    lines = ["| channel | by what |", "| --- | --- |"]
    for path in channels():
        title = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split())
        lines.append(f"| {path.stem.replace('_', ' ')} | {title} |")
    return "\n".join(lines)
