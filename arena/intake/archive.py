"""Folders that owners send as one file: a zip archive, read under limits and never trusted.

Only plain files and folders are taken, with plain names. Nothing is written before all names and sizes are
known to be within the limits, and no more is unpacked than they allow, whatever the archive says of itself.
"""

from __future__ import annotations

import contextlib
import io
import stat
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..errors import ArenaError, BotError
from ..jail.outcomes import HostError
from ..printable import LINE, printable
from .source import MAX_FILES, MAX_FOLDERS

SUFFIX = ".zip"
MAX_PACKED = 4 << 20
"""Bytes of an archive."""
MAX_MIB = 16
"""Of its files unpacked: every match of a stranger's bot unpacks them, and copies them for its process."""
IGNORED = ("__pycache__", "__MACOSX")
MAX_NAME, MAX_PATH = 255, 512
"""Bytes of one part of a name, than which no file system takes more, and of a whole one."""


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
    left = MAX_MIB << 20
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
                raise BotError(f"{file}: more than {MAX_MIB} MiB unpacked")
            yield item.filename, content
