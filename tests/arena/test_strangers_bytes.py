"""What strangers send, damaged with structure: it is read, or refused in a sentence, and nothing else is ever raised.

Damage at random alone finds little: 6 500 archives with random damage found none of the seven that are here.
"""

import io
import json
import platform
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from arena.cell.foreign import read_actions
from arena.cell.frames import MAX_REPLY, read_reply
from arena.cell.manifest import BadManifest, parse
from arena.errors import BotError, StoreError, UsageError
from arena.intake import reading, sent
from arena.intake.reading import Unreadable
from arena.intake.source import unpack_folder
from arena.jail import HostError, elf
from arena.jail.outcomes import Failed
from arena.match.records import RecordError, check, play
from arena.printable import quiet
from arena.store import Store
from arena.store.leases import Driver
from arena.store.submissions import MOST_TRIES
from arena.web.site import fields_of, whole
from leagues.definition import League
from leagues.errors import DefinitionError

DEEP = "[" * 2000  # deeper than the parsers of JSON go
EDGES = [0, 1, -1, 2**15, 2**16 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 2**64 - 1000, 10**400]
NUMBERS = st.sampled_from(EDGES) | st.integers()
TEXTS = st.text(max_size=8) | st.sampled_from(
    ["\0.py", "\ud800", "../x", "a" * 300, "1" * 5000, "=1+1", "seed"]
)
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | TEXTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=6,
)
DRIVER = Driver.this_process()
GAME = engines.load("flip7")
HEAD, *EVENTS = play(GAME, 3, {"goal": 50}, 5, [lambda position: position.legal()[0]] * 3)


def zipped(names: list[str]) -> bytes:
    """An archive; names that `zipfile` does not write are put in for others of the same length."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in dict.fromkeys(name.replace("\0", "\1") for name in names):
            archive.writestr(zipfile.ZipInfo(name), "x = 1\n" * 50)
    return buffer.getvalue().replace(b"\1", b"\0")


def patched(data: bytes, patches: list[tuple[int, int, int]]) -> bytes:
    """Bytes with whole fields of 2, 4 or 8 bytes changed, counted from a header's signature or from the end."""
    changed = bytearray(data)
    for at, size, value in patches:
        place = at % max(1, len(changed) - size)
        changed[place : place + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
    return bytes(changed)


PATCHES = st.lists(st.tuples(st.integers(-120, 400), st.sampled_from([2, 4, 8]), NUMBERS), max_size=3)
NAMES = st.lists(st.text(min_size=1, max_size=12) | TEXTS.filter(bool), min_size=1, max_size=3)
ARCHIVES = st.builds(
    lambda names, patches: patched(zipped(names), patches),
    NAMES.filter(lambda names: "\ud800" not in "".join(names)),
    PATCHES,
)


def archive(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        unpack_folder("mine.zip", data, Path(folder))


def actions(said: Any) -> None:
    decided, words = read_actions(said, GAME, GAME.new(2, seed=1))
    assert len(decided) == 2 and all(decided[one.first] == -1 for one in words)


def record(changes: list[tuple[int, str, Any]]) -> None:
    events = [dict(event) for event in (HEAD, *EVENTS)]
    for at, key, value in changes:
        events[at % len(events)][key] = value
    check([json.dumps(event) for event in events])


def as_json(plain: Any) -> bytes:
    return json.dumps(plain).encode()


def as_toml(plain: dict[str, Any]) -> bytes:
    """Values as TOML, where it has such values: JSON's texts, numbers and lists are TOML's."""
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in plain.items()).encode()


KEYS = st.sampled_from(
    ["game", "players", "options", "seed", "event", "seat", "legal", "action", "cards", "scores"]
)
CHANGES = st.lists(st.tuples(st.integers(0, 3), KEYS, PLAIN), min_size=1, max_size=2)
MANIFESTS = st.dictionaries(
    st.sampled_from(["title", "games", "program", "interpreter", "arguments", "x"]), PLAIN
)
LEAGUES = st.dictionaries(st.sampled_from([*League.model_fields]) | TEXTS, PLAIN, max_size=3)
MACHINE = {"x86_64": 62}.get(platform.machine(), 183)
ELF = elf.HEADER.pack(b"\x7fELF", 2, 1, 1, 0, 0, 2, MACHINE, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
REPLIES = st.tuples(NUMBERS, NUMBERS, NUMBERS, st.binary(max_size=40)).map(
    lambda parts: struct.pack("<QHHI", parts[0] % 2**64, parts[1] % 2**16, parts[2] % 2**16, 0) + parts[3]
)
FIELDS = st.binary(max_size=40) | PLAIN.map(as_json) | st.just(DEEP.encode())
READERS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], Any], tuple[type[Exception], ...]]] = {
    "an archive": (ARCHIVES, archive, (BotError,)),
    "bytes instead of an archive": (st.binary(max_size=200), archive, (BotError,)),
    "a manifest": (MANIFESTS, lambda plain: parse(as_toml(plain)), (BadManifest,)),
    "a program": (PATCHES.map(lambda patches: patched(ELF + bytes(64), patches)), elf.wrong, ()),
    "an answer of a native program": (PLAIN | st.lists(PLAIN, min_size=2, max_size=2), actions, ()),
    "a reply of a Python bot": (REPLIES, lambda data: read_reply(data[:MAX_REPLY], 3, 1), (Failed,)),
    "what the reader of sources replies": (PLAIN.map(as_json), reading._facts, (Unreadable, ValueError)),
    "a record": (CHANGES, record, (RecordError,)),
    "a record's line": (TEXTS | st.just(DEEP), lambda text: check([text]), (RecordError,)),
    "fields of a request": (FIELDS, fields_of, (UsageError,)),
    "a number of a request": (PLAIN, whole, (UsageError,)),
    "a league": (LEAGUES, lambda plain: League.of(**{"game": "flip7"} | plain), (DefinitionError,)),
}


@pytest.mark.parametrize("what", READERS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_what_a_stranger_sends_is_read_or_refused_in_a_sentence(what: str, data: st.DataObject) -> None:
    strategy, read, refusals = READERS[what]
    try:
        read(data.draw(strategy))
    except refusals as refused:
        assert str(refused).strip()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A database with one owner."""
    opened = Store(str(tmp_path / "arena.db"), create=True)
    opened.owners.invite("bob", "test")
    return opened


def send(store: Store, data: bytes) -> None:
    store.submissions.add("bob", "mine.zip" if data.startswith(b"PK") else "mine.py", "", data)


@pytest.mark.parametrize(
    "archive",
    [
        zipped(["\0.py"]),
        zipped(["/".join(["a" * 255] * 16) + "/a.py"]),
        patched(zipped(["a.py"]), [(-6, 4, 2**32 - 1000)]),  # where the list of the files begins
    ],
    ids=["a name that begins with NUL", "a path of 4 KiB", "a list beyond the end"],
)
def test_an_unreadable_archive_is_refused_and_the_next_bot_has_its_turn(store: Store, archive: bytes) -> None:
    send(store, archive)
    said: list[str] = []
    assert sent.try_next(store, DRIVER, {}, said.append, sent.try_here)
    ((one, _),) = store.submissions.of_owner("bob")
    assert one.state == "refused" and one.text.startswith("mine.zip: ") and one.text.isprintable()
    assert said == [f"submission 1 of bob: {one.text}"]


def test_a_trial_that_raises_anything_does_not_end_the_loop_and_is_tried_five_times(store: Store) -> None:
    def fails(*_: Any) -> str:
        raise LookupError("a mistake of ours")

    send(store, b"GAMES = ['flip7']")
    said: list[str] = []
    while sent.try_next(store, DRIVER, {}, said.append, fails):
        pass
    told = "its trial failed: LookupError: a mistake of ours; it waits for another"
    assert said == [f"submission 1 of bob: {told}"] * MOST_TRIES
    ((one, _),) = store.submissions.of_owner("bob")
    assert one.state == "waiting" and one.text.endswith("an hour: LookupError: a mistake of ours")


@pytest.mark.parametrize("error", [HostError("no Landlock"), StoreError("the disk is full")])
def test_a_host_that_cannot_try_bots_is_told_and_the_bot_waits(store: Store, error: Exception) -> None:
    def fails(*_: Any) -> str:
        raise error

    send(store, b"GAMES = ['flip7']")
    with pytest.raises(type(error)):
        sent.try_next(store, DRIVER, {}, quiet, fails)
    assert [one.state for one, _ in store.submissions.of_owner("bob")] == ["waiting"]
