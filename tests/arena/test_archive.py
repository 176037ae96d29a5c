"""Bots that are sent as archives: folders come through whole; nothing else comes out of an archive."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.archive import MAX_PACKED, suffix_of, unpack_folder
from arena.bots.source import MAX_FILES, MAX_FOLDERS, MAX_MIB
from arena.errors import BotError

FILES = {"__init__.py": b'GAMES = ["flip7"]\n', "data/weights.bin": bytes(range(256)), "data/more/x": b""}
Made = Callable[[dict[str, bytes]], bytes]


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(files: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            item = tarfile.TarInfo(name)
            item.type, item.linkname, item.size = kind, "/etc/passwd", len(content)
            archive.addfile(item, io.BytesIO(content))
    return buffer.getvalue()


def gzipped(files: dict[str, bytes]) -> bytes:
    return gzip.compress(tarred(files))


WAYS: list[tuple[str, Made]] = [
    ("mine.zip", zipped), ("mine.tar", tarred), ("mine.tar.gz", gzipped), ("mine.tgz", gzipped),
]  # fmt: skip


def read_back(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(("file", "made"), WAYS)
@pytest.mark.parametrize("top", ["", "mine-main/"])
def test_a_folder_comes_out_as_it_went_in_whatever_it_was_called(
    tmp_path: Path, file: str, made: Made, top: str
) -> None:
    beside = {f"{top}.git/config": b"x", f"{top}__pycache__/a.pyc": b"x", "__MACOSX/x": b"x"}
    folder = unpack_folder(
        file, made({f"{top}{name}": data for name, data in FILES.items()} | beside), tmp_path
    )
    assert folder == tmp_path / "mine" and read_back(folder) == FILES


@pytest.mark.parametrize(("file", "made"), WAYS)
@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"../out.py": b""}, "without .."),
        ({"a/../../out.py": b""}, "without .."),
        ({"/out.py": b""}, "are relative"),
        ({"a\\b.py": b""}, "without"),
        ({"c:evil.py": b""}, "without"),
        ({"a\x1b[2J.py": b""}, "control or invisible"),
        ({"a\u202e.py": b""}, "control or invisible"),
        ({"A.py": b"", "a.py": b""}, "one file on some systems"),
        ({"a": b"", "a/b": b""}, "lies in a file"),
        ({"/".join("a" * (MAX_FOLDERS + 2)): b""}, f"more than {MAX_FOLDERS} folders"),
        ({f"{n}.py": b"" for n in range(MAX_FILES + 1)}, f"more than {MAX_FILES} files"),
        ({"a" * 256: b""}, "more than 255 bytes"),
        ({}, "no file in it"),
        ({".hidden": b""}, "no file in it"),
    ],
)
def test_an_archive_with_odd_names_is_refused_and_writes_nothing(
    tmp_path: Path, file: str, made: Made, files: dict[str, bytes], why: str
) -> None:
    with pytest.raises(BotError, match=why) as refused:
        unpack_folder(file, made(files), tmp_path / "in")
    assert str(refused.value).startswith(f"{file}: ") and str(refused.value).isprintable()
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("file, made", [WAYS[0], WAYS[2]])
def test_no_more_is_unpacked_than_a_bot_may_have(tmp_path: Path, file: str, made: Made) -> None:
    packed = made({"zeros": bytes((MAX_MIB << 20) + 1)})
    assert len(packed) < MAX_PACKED
    with pytest.raises(BotError, match=f"more than {MAX_MIB} MiB"):
        unpack_folder(file, packed, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_zip_that_says_less_than_it_holds_is_refused(tmp_path: Path) -> None:
    packed = zipped({"zeros": bytes((MAX_MIB << 20) + 1)})
    lying = packed.replace(((MAX_MIB << 20) + 1).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    assert lying != packed
    with pytest.raises(BotError, match="cannot be unpacked"):
        unpack_folder("mine.zip", lying, tmp_path)


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE]
)
def test_links_devices_and_sparse_files_of_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(BotError, match=r"no plain file|cannot be unpacked"):
        unpack_folder("mine.tar", tarred({"link": b""}, kind), tmp_path)
    assert not list(tmp_path.iterdir())


def test_links_of_a_zip_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BotError, match="no plain file"):
        unpack_folder("mine.zip", buffer.getvalue(), tmp_path)


@pytest.mark.parametrize(("file", "made"), WAYS)
@pytest.mark.parametrize("cut", [0, 10, 60, -20])
def test_what_is_no_archive_or_half_of_one_is_told_in_a_sentence(
    tmp_path: Path, file: str, made: Made, cut: int
) -> None:
    packed = made({"__init__.py": bytes(range(256)) * 50})[:cut]
    if file == "mine.tar" and cut == -20:  # only the zeros at the end are missing
        return
    with pytest.raises(BotError, match=file):
        unpack_folder(file, packed, tmp_path)


def test_the_ending_says_what_is_an_archive() -> None:
    assert [suffix_of(name) for name in ("a.zip", "a.tar.gz", "a.tgz", "a.tar", "a.py", "zip")] == [
        ".zip", ".tar.gz", ".tgz", ".tar", "", "",
    ]  # fmt: skip
