"""Bots as files: reading, checking without running, packing for the store, unpacking in a worker.

Nothing here executes a bot: what is needed of it is read from its syntax tree, a stranger's in a process of
its own (`reading`). A folder that an owner sends is a zip archive, read under limits and never trusted: of it
only plain files and folders are taken, with plain names. Nothing is written before all names and sizes are
known to be within the limits, and no more is unpacked than they allow, whatever the archive says of itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import engines
from engines.errors import nearest
from leagues.parameter import Parameter

from ..cell.manifest import BadManifest
from ..cell.manifest import read as read_manifest
from ..errors import ArenaError, BotError, UsageError
from ..jail import elf
from ..jail.outcomes import HostError
from ..jail.program import MANIFEST, TUNED, Program
from ..printable import LINE, printable
from .reading import Facts, Unreadable, inspect, inspect_jailed

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
EVERY_GAME = "*"  # in place of the names of games
MAX_FILES = 1000
MAX_FOLDERS = 16  # in each other
MAX_MIB = 64
MAX_SOURCE = 1 << 20  # bytes
SUFFIX = ".zip"
MAX_PACKED = 4 << 20
"""Bytes of an archive."""
MAX_SENT_MIB = 16
"""Of its files unpacked: every match of a stranger's bot unpacks them, and copies them for its process."""
IGNORED = ("__pycache__", "__MACOSX")
MAX_NAME, MAX_PATH = 255, 512
"""Bytes of one part of a name, than which no file system takes more, and of a whole one."""


def misnamed(name: str) -> str:
    """Return which rule of a bot's name a name breaks, and one that breaks none; "" if it is well."""
    if NAME.fullmatch(name):
        return ""
    near = re.sub("[^a-z0-9_]+", "_", name.lower()).strip("_")
    near = (near if near[:1].isalpha() else f"bot_{near}".rstrip("_"))[:32]
    strange = re.search("[^a-z0-9_]", name)
    why = (
        "it is empty"
        if not name
        else f"{strange[0]!r} is none of small letters, digits and _"
        if strange
        else "it has more than 32 characters"
        if name[0].isalpha()
        else "it does not begin with a letter"
    )
    return f"{name!r} cannot be a bot's name: {why}; call it {near}"


@dataclass(frozen=True)
class Source:
    """A bot as it came: what its syntax tree says (`tune`: the values it uses), its files, their hash."""

    title: str
    games: tuple[str, ...]
    program: Program
    hash: str
    tune: tuple[Parameter, ...] = ()

    def with_values(self, values: Sequence[float]) -> Source:
        """Return this bot with other values of its parameters, which are in the order of `tune`."""
        tune = tuple(one._replace(value=value) for one, value in zip(self.tune, values, strict=True))
        tuned = json.dumps({one.name: one.value for one in tune}, indent=1) + "\n"
        files = {**self.program.files, self.program.tuned: tuned.encode()}
        return replace(self, program=replace(self.program, files=files), hash=_hash(files), tune=tune)

    @property
    def name(self) -> str:
        """The bot's name."""
        return self.program.name

    @property
    def packed(self) -> bytes:
        """Its files as one, for the store."""
        return pack(self.program.files)


def read(path: Path, own: bool = False) -> Source:
    """Read a bot from a `.py` file, a folder with `__init__.py`, or one with `bot.toml`.

    Args:
        path: of the bot.
        own: it is no stranger's, so its source is parsed in this process.

    Raises:
        HostError: there is no process to parse a stranger's source in.
        UsageError: there is no such file.
        BotError: names the file, the line and what is wrong there.
    """
    path = path.resolve() if path.name in ("", ".", "..") else path
    files = _files(path)
    name = path.name if path.is_dir() else path.stem
    if wrong := misnamed(name):
        raise BotError(f"{path}: {wrong}{'' if path.is_dir() else '.py'}")
    program = Program(name, files)
    facts, main = _facts(path, program, own)
    games = tuple(engines.names()) if facts.games == (EVERY_GAME,) else facts.games
    _check_games(main, games, facts.line)
    tuned = _checked_tuned(path, program, facts.tune)
    tune = tuple(one._replace(value=tuned.get(one.name, one.value)) for one in facts.tune)
    return Source(facts.title, games, program, _hash(files), tune)


def tuned_values(program: Program) -> dict[str, Any]:
    """Return the parameters that a bot plays with instead of its source's; empty if there are none.

    Raises:
        ValueError: the file that holds them is no table in JSON.
    """
    if program.tuned not in program.files:
        return {}
    values = json.loads(program.files[program.tuned])
    if not isinstance(values, dict):
        raise ValueError("no table")
    return values


def _checked_tuned(path: Path, program: Program, tune: Sequence[Parameter]) -> dict[str, Any]:
    """Return the values of a bot's file, once it is sure that they are for its `TUNE`, and in the bounds."""
    known = {one.name: one for one in tune}
    where = path.with_name(program.tuned) if not path.is_dir() else path / program.tuned
    try:
        values = tuned_values(program)
    except (ValueError, RecursionError):
        raise BotError(f'{where}: it must be a table in JSON, such as {{"limit": 20}}') from None
    for name, value in values.items():
        wrong = known[name].wrong(value) if name in known else f"{name} is not in TUNE of the bot"
        if wrong:
            raise BotError(f"{where}: {wrong}")
    return values


def _files(path: Path) -> dict[str, bytes]:
    """Return the bot's files by their names inside its folder.

    Only plain files count, no links, and only within the limits.
    """
    try:
        there = path.exists()
    except OSError as error:
        raise BotError(f"{path.name[:80]}...: {error.strerror}") from None
    if not there:
        hint = nearest(path.name, [one.name for one in path.parent.glob("*.py")], "")
        raise UsageError(f"{path}: no such file or folder" + (hint and f"; {hint}"))
    if not path.is_dir():
        if path.suffix != ".py":
            raise BotError(f"{path}: a bot is a .py file or a folder with __init__.py or {MANIFEST}")
        beside = path.with_suffix(f".{TUNED}")
        return {
            one.name: _read_plain(one, MAX_MIB << 20) for one in (path, beside) if one == path or one.exists()
        }
    if not (path / "__init__.py").is_file() and not (path / MANIFEST).is_file():
        raise BotError(f"{path}: a bot folder needs an __init__.py, or a {MANIFEST} that names its program")
    files: dict[str, bytes] = {}
    left = MAX_MIB << 20
    for item in _walk(path, MAX_FOLDERS):
        if len(files) >= MAX_FILES:
            raise BotError(f"{path}: more than {MAX_FILES} files")
        files[item.relative_to(path).as_posix()] = data = _read_plain(item, left)
        left -= len(data)
    return files


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Yield files below a folder by name, but no hidden or compiled ones.

    At most `depth` folders may be nested in each other.
    """
    if depth == 0:
        raise BotError(f"{folder}: more than {MAX_FOLDERS} folders in each other")
    try:
        names = sorted(item.name for item in folder.iterdir())
    except OSError as error:
        raise BotError(f"{folder}: cannot be read: {error.strerror}") from None
    for name in names:
        item = folder / name
        if name.startswith(".") or name == "__pycache__":
            continue
        # bytes that are no UTF-8, among others: the hash and the archive want text
        if not name.isprintable():
            raise BotError(f"{folder}: a file's name is text without control characters; {name!r} is not")
        if item.is_symlink():
            raise BotError(f"{item}: links cannot be submitted; copy the file into the bot's folder")
        if item.is_dir():
            yield from _walk(item, depth - 1)
        else:
            yield item


def _read_plain(path: Path, most: int) -> bytes:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise BotError(f"{path}: not a plain file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BotError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise BotError(f"{path}: a bot may have {MAX_MIB} MiB in all")
    return data


def _facts(path: Path, bot: Program, own: bool) -> tuple[Facts, Path]:
    """Return what a bot says of itself, and the file that says it."""
    if bot.is_foreign:
        return _facts_of_program(path, bot), path / MANIFEST
    main = path / "__init__.py" if path.is_dir() else path
    data = bot.files[main.name]
    if len(data) > MAX_SOURCE:
        raise BotError(f"{main}: a source file may have {MAX_SOURCE >> 20} MiB; keep tables in a data file")
    try:
        return (inspect(data) if own else inspect_jailed(data)), main
    except Unreadable as error:
        line = f", line {error.line}" if error.line else ""
        raise BotError(f"{main}{line}: {error}") from None


def _facts_of_program(path: Path, bot: Program) -> Facts:
    """Return what the manifest of a program that is not Python says; the program could be started here."""
    try:
        manifest = read_manifest(bot)
    except BadManifest as error:
        raise BotError(f"{path}: {error}") from None
    if not manifest.interpreter and (what := elf.wrong(bot.files[manifest.program])):
        raise BotError(f"{path / manifest.program} {what}")
    return Facts(manifest.title, manifest.games, 0)


def _check_games(path: Path, games: tuple[str, ...], number: int) -> None:
    for game in games:
        if game not in engines.names():
            hint = nearest(game, engines.names(), f"games: {', '.join(engines.names())}")
            line = f", line {number}" if number else ""
            raise BotError(f"{path}{line}: no game {game!r}; {hint}")


def _hash(files: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{len(name.encode())} {name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a bot's files as one, the same bytes for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpacked_bytes(packed: bytes) -> int:
    """Return how large a packed bot's files are."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return sum(item.file_size for item in archive.infolist())


def unpack(name: str, packed: bytes) -> Program:
    """Return a packed bot as its files, which stay in memory.

    Only called with what `read` packed; names are checked all the same, as the store may have come from
    elsewhere.

    Raises:
        BotError: a name that leads outside, or more than the limits.
    """
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        items = archive.infolist()
        if len(items) > MAX_FILES or sum(item.file_size for item in items) > MAX_MIB << 20:
            raise BotError(f"bot {name}: more than {MAX_FILES} files or {MAX_MIB} MiB")
        for item in items:
            inside = PurePosixPath(item.filename)
            if inside.is_absolute() or ".." in inside.parts or item.is_dir():
                raise BotError(f"bot {name}: a file named {item.filename!r}")
        return Program(name, {item.filename: archive.read(item) for item in items})


def write(program: Program, folder: Path) -> Path:
    """Write a bot's files into a folder; returns its path: a file, or a folder."""
    root = folder / program.name if program.is_folder else folder
    for name, data in program.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root if program.is_folder else root / f"{program.name}.py"


# --- folders that owners send as one file -------------------------------------------------------------------


def unpack_folder(file: str, data: bytes, to: Path) -> Path:
    """Write a bot that came as an archive into a folder below `to`; return that folder.

    The bot's name is the archive's. Its files lie at the top of the archive, or together in one folder of any
    name.

    Raises:
        BotError: what is wrong with the archive, and where.
    """
    with strangers_fault(file):
        folder = to / file.removesuffix(SUFFIX)
        for path, content in _without_top(_read(file, data)).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return folder


@contextlib.contextmanager
def strangers_fault(file: str) -> Iterator[None]:
    """Make a BotError of whatever is raised here: libraries promise no list of it."""
    try:
        yield
    except (ArenaError, HostError):
        raise
    except Exception as error:
        why = printable(f"{type(error).__name__}: {error}")[:LINE]
        raise BotError(f"{file}: it cannot be unpacked or read: {why}") from None


def _read(file: str, data: bytes) -> dict[PurePosixPath, bytes]:
    """Return the files of an archive, none of which can lie in another or outside."""
    files: dict[PurePosixPath, bytes] = {}
    seen: dict[str, str] = {}
    for name, content in _zipped(file, data):
        path = _plain(file, name)
        if any(part.startswith(".") or part in IGNORED for part in path.parts):
            continue
        if (other := seen.setdefault(_folded(path), name)) != name or path in files:
            raise BotError(f"{file}: {other!r} and {name!r} are one file on some systems")
        files[path] = content
    if not files:
        raise BotError(f"{file}: there is no file in it")
    for path in files:
        if any(_folded(parent) in seen for parent in path.parents):
            raise BotError(f"{file}: {str(path)!r} lies in a file")
    return files


def _folded(path: PurePosixPath) -> str:
    """Return what is equal for two names that some file systems take for one."""
    return unicodedata.normalize("NFC", str(path).casefold())


def _without_top(files: dict[PurePosixPath, bytes]) -> dict[PurePosixPath, bytes]:
    """Leave out the one folder in which all lie, if they do."""
    tops = {path.parts[0] for path in files}
    if len(tops) > 1 or any(len(path.parts) == 1 for path in files):
        return files
    return {PurePosixPath(*path.parts[1:]): content for path, content in files.items()}


def _plain(file: str, name: str) -> PurePosixPath:
    """Return a name as a path that cannot lead outside."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise BotError(f"{file}: a file named {name!r}: names are relative, without .., \\ and :")
    if not name.isprintable():
        raise BotError(f"{file}: a file named {name!r}: names have no control or invisible characters")
    if len(name.encode()) > MAX_PATH or any(len(part.encode()) > MAX_NAME for part in path.parts):
        raise BotError(
            f"{file}: a name of more than {MAX_NAME} bytes, a path of {MAX_PATH}: {name[:40]!r}..."
        )
    if len(path.parts) > MAX_FOLDERS + 1:
        raise BotError(f"{file}: more than {MAX_FOLDERS} folders in each other")
    return path


def _zipped(file: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of every file, no more than a bot may have."""
    left = MAX_SENT_MIB << 20
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        items = [item for item in archive.infolist() if not item.is_dir()]
        if len(items) > MAX_FILES:
            raise BotError(f"{file}: more than {MAX_FILES} files")
        for item in items:
            if stat.S_IFMT(item.external_attr >> 16) not in (0, stat.S_IFREG):
                raise BotError(
                    f"{file}: {item.filename!r} is no plain file; copy what a link names into the folder"
                )
            if item.flag_bits & 1 or item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BotError(
                    f"{file}: {item.filename!r} is encrypted or packed in a rare way; use plain zip"
                )
            with archive.open(item) as packed:
                content = packed.read(left + 1)
            left -= len(content)
            if left < 0:
                raise BotError(f"{file}: more than {MAX_SENT_MIB} MiB unpacked")
            yield item.filename, content
