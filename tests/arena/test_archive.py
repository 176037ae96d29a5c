"""Bots that are sent as archives: folders come through whole; nothing else comes out of an archive."""

import io
import stat
import zipfile
from pathlib import Path

import pytest

from arena.errors import BotError
from arena.intake.archive import MAX_MIB, MAX_PACKED, unpack_folder
from arena.intake.source import MAX_FILES, MAX_FOLDERS

FILES = {"__init__.py": b'GAMES = ["flip7"]\n', "data/weights.bin": bytes(range(256)), "data/more/x": b""}
FILE = "mine.zip"


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read_back(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("top", ["", "mine-main/"])
def test_a_folder_comes_out_as_it_went_in_whatever_it_was_called(tmp_path: Path, top: str) -> None:
    beside = {f"{top}.git/config": b"x", f"{top}__pycache__/a.pyc": b"x", "__MACOSX/x": b"x"}
    folder = unpack_folder(
        FILE, zipped({f"{top}{name}": data for name, data in FILES.items()} | beside), tmp_path
    )
    assert folder == tmp_path / "mine" and read_back(folder) == FILES


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
        ({"\u00e9.py": b"", "e\u0301.py": b""}, "one file on some systems"),
        ({"a": b"", "a/b": b""}, "lies in a file"),
        ({"A": b"", "a/b": b""}, "lies in a file"),
        ({"/".join("a" * (MAX_FOLDERS + 2)): b""}, f"more than {MAX_FOLDERS} folders"),
        ({f"{n}.py": b"" for n in range(MAX_FILES + 1)}, f"more than {MAX_FILES} files"),
        ({"a" * 256: b""}, "more than 255 bytes"),
        ({}, "no file in it"),
        ({".hidden": b""}, "no file in it"),
    ],
)
def test_an_archive_with_odd_names_is_refused_and_writes_nothing(
    tmp_path: Path, files: dict[str, bytes], why: str
) -> None:
    with pytest.raises(BotError, match=why) as refused:
        unpack_folder(FILE, zipped(files), tmp_path / "in")
    assert str(refused.value).startswith(f"{FILE}: ") and str(refused.value).isprintable()
    assert not list(tmp_path.rglob("*"))


def test_no_more_is_unpacked_than_a_bot_may_have(tmp_path: Path) -> None:
    packed = zipped({"zeros": bytes((MAX_MIB << 20) + 1)})
    assert len(packed) < MAX_PACKED
    with pytest.raises(BotError, match=f"more than {MAX_MIB} MiB"):
        unpack_folder(FILE, packed, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_zip_that_says_less_than_it_holds_is_refused(tmp_path: Path) -> None:
    packed = zipped({"zeros": bytes((MAX_MIB << 20) + 1)})
    lying = packed.replace(((MAX_MIB << 20) + 1).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    assert lying != packed
    with pytest.raises(BotError, match="cannot be unpacked"):
        unpack_folder("mine.zip", lying, tmp_path)


def test_links_of_a_zip_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BotError, match="no plain file"):
        unpack_folder("mine.zip", buffer.getvalue(), tmp_path)


@pytest.mark.parametrize("cut", [0, 10, 60, -20])
def test_what_is_no_archive_or_half_of_one_is_told_in_a_sentence(tmp_path: Path, cut: int) -> None:
    packed = zipped({"__init__.py": bytes(range(256)) * 50})[:cut]
    with pytest.raises(BotError, match=FILE):
        unpack_folder(FILE, packed, tmp_path)
