"""Bots as files, folders and archives: what is read of them without running them, how a mistake is told, and that a
stored bot is a stranger's wherever it plays.
"""

import ast
import dataclasses
import gc
import io
import os
import re
import shutil
import signal
import stat
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.errors import BotError, UsageError
from arena.intake import debug, reading, registry, trial
from arena.intake import source as sources
from arena.intake.conditions import Conditions
from arena.intake.source import MAX_FILES, MAX_FOLDERS, MAX_PACKED, MAX_SENT_MIB, unpack_folder
from arena.intake.trial import Trial
from arena.jail import Limits
from arena.match import identity, records
from arena.runs.open import enter
from arena.store import Store
from engines import load
from leagues.definition import League

from .played import submitted

GOOD = '"""Plays low.\n\nMore.\n"""\nGAMES = ["flip7"]\n\ndef act(view):\n    return view.legal[0]\n'

MISTAKES = [  # source, what the message says
    ('GAMES = ["flip7"]\n\ndef act(view)\n    return 0\n', "mine.py, line 3: syntax error"),
    ('GAMES = ["flip7"]\n', "needs a function `act(view)`"),
    ('GAMES = ["flip7"]\nasync def act(view):\n    return 0\n', "line 2: `act` is async: write `def act`"),
    ("def act(view):\n    return 0\n", "the line `GAMES ="),
    ('GAMES = ["flip8"]\n\ndef act(view):\n    return 0\n', "line 1: no game 'flip8'; did you mean flip7?"),
    ("\nGAMES = games()\n\ndef act(view):\n    return 0\n", "line 2: GAMES must be a plain list of names"),
    ("GAMES = []\n\ndef act(view):\n    return 0\n", "line 1: GAMES must be a plain list of names"),
    ("GAMES = ['flip7']\ndef act(view):\n    return 0\n\0", "source code string cannot contain null bytes"),
    ("(" * 5000, "mine.py"),
    ("GAMES = [{[]: 1}]\n\ndef act(view):\n    return 0\n", "line 1: GAMES must be a plain list of names"),
    ("a," * 500_000, "cannot be read as Python"),  # takes 800 MiB to parse
    ("-" * 1_000_000 + "1", "cannot be read as Python"),
    ("#" * (1 << 20) + "\n", "a source file may have 1 MiB"),
    (f"GAMES = ['{'x' * 900_000}']\ndef act(view): pass\n", f"line 1: no game '{'x' * 64}'; games: "),
]


@pytest.mark.parametrize("source, message", MISTAKES)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)
    with pytest.raises(BotError) as error:
        sources.read(path)
    assert str(path) in str(error.value) and message in str(error.value)


def test_a_good_file_is_read_without_being_run(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(GOOD + "\nraise SystemExit('this must never run')\n")
    source = sources.read(path)
    assert (source.name, source.title, source.games) == ("mine", "Plays low.", ("flip7",))


def test_sources_are_read_by_several_threads_at_once() -> None:
    usual, pause = gc.get_threshold(), lambda *_: time.sleep(0)
    gc.callbacks.append(pause)  # another thread's turn comes while a tree is made
    gc.set_threshold(50, 1000, 1000)
    try:
        with ThreadPoolExecutor(8) as threads:
            read = list(threads.map(reading.inspect, [f"{GOOD}{'x = 1; ' * 400}".encode()] * 200))
    finally:
        gc.set_threshold(*usual)
        gc.callbacks.remove(pause)
    assert {facts.games for facts in read} == {("flip7",)}


def test_title_has_no_control_characters_and_an_end(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        '"""\\x1b[2J\\x07' + "x" * 5000 + '"""\nGAMES = ["flip7"]\n\ndef act(view):\n    return 0\n'
    )
    title = sources.read(path).title
    assert title.isprintable() and title.startswith("[2Jxxx") and len(title) <= 200


@pytest.mark.parametrize("name", ["Mine", "1st", "a-b", "a b", "x" * 33, "ä"])
def test_a_name_that_would_be_trouble_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(GOOD)
    with pytest.raises(BotError, match=r"cannot be a bot's name: .*; call it [a-z]"):
        sources.read(path)


def folder_bot(tmp_path: Path) -> Path:
    folder = tmp_path / "deep"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text(GOOD)
    (folder / "data" / "weights.bin").write_bytes(bytes(range(256)))
    return folder


def test_a_folder_is_packed_unpacked_and_written_as_it_was(tmp_path: Path) -> None:
    folder = folder_bot(tmp_path)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"stale")
    source = sources.read(folder)
    program = sources.unpack(source.name, source.packed)
    assert program.name == "deep" and program.is_folder
    assert program.files["data/weights.bin"] == bytes(range(256))
    assert not [name for name in program.files if "__pycache__" in name]
    assert sources.pack(dict(program.files)) == source.packed
    path = sources.write(program, tmp_path / "out")
    assert path == tmp_path / "out" / "deep" and sources.read(path).hash == source.hash


def test_the_hash_follows_names_and_contents(tmp_path: Path) -> None:
    folder = folder_bot(tmp_path)
    before = sources.read(folder).hash
    (folder / "data" / "weights.bin").rename(folder / "data" / "weights2.bin")
    assert sources.read(folder).hash != before


def test_links_devices_and_too_much_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_bot(tmp_path)
    (folder / "link").symlink_to("/etc/hostname")
    with pytest.raises(BotError, match="links cannot be submitted"):
        sources.read(folder)
    (folder / "link").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(BotError, match="not a plain file"):
        sources.read(folder)
    (folder / "pipe").unlink()
    with (folder / "zeros").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(BotError, match="64 MiB in all"):
        sources.read(folder)
    (folder / "zeros").unlink()
    os.close(os.open(os.fsencode(folder) + b"/\xff\xfe", os.O_CREAT))
    with pytest.raises(BotError, match=r"name is text .*'\\udcff\\udcfe' is not"):
        sources.read(folder)
    os.unlink(os.fsencode(folder) + b"/\xff\xfe")  # noqa: PTH108 - no text
    (folder / "/".join("d" * 600)).mkdir(parents=True)
    with pytest.raises(BotError, match="more than 16 folders in each other"):
        sources.read(folder)
    shutil.rmtree(folder / "d")
    monkeypatch.setattr(sources, "MAX_FILES", 3)
    for n in range(3):
        (folder / f"f{n}").touch()
    with pytest.raises(BotError, match="more than 3 files"):
        sources.read(folder)


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil.py", "a/../../evil.py"])
def test_a_packed_name_that_leads_outside_is_refused(name: str) -> None:
    with pytest.raises(BotError, match="a file named"):
        sources.unpack("mine", zipped({name: b"x"}))


def test_missing_files_and_other_kinds_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        sources.read(tmp_path / "none.py")
    with pytest.raises(BotError, match="too long"):
        sources.read(tmp_path / ("x" * 300 + ".py"))
    (tmp_path / "bot.txt").write_text(GOOD)
    with pytest.raises(BotError, match=r"a \.py file or a folder"):
        sources.read(tmp_path / "bot.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BotError, match=r"needs an __init__\.py"):
        sources.read(tmp_path / "empty")


def test_names_are_resolved_to_house_bots_versions_and_guests(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    for text in (GOOD, GOOD + "\n# changed\n"):
        submitted(store, path, text)
    assert registry.resolve("random", "flip7", store).label == "random@1"
    assert registry.resolve("mine", "flip7", store).version == 2
    assert registry.resolve("mine@1", "flip7", store).version == 1
    assert re.fullmatch(r"mine \(guest [0-9a-f]{6}\)", registry.resolve(str(path), "flip7", store).label)
    with pytest.raises(UsageError, match="did you mean random"):
        registry.resolve("randm", "flip7", store)
    with pytest.raises(UsageError, match="there is mine@1, mine@2"):
        registry.resolve("mine@3", "flip7", store)
    with pytest.raises(UsageError, match="version number"):
        registry.resolve("mine@x", "flip7", store)
    for name in ("mine", str(path)):
        with pytest.raises(BotError, match="plays flip7, not taroky; house bots: "):
            registry.resolve(name, "taroky", store)


def test_a_retired_bot_plays_only_when_its_version_is_named(store: Store, tmp_path: Path) -> None:
    store.bots.retire(submitted(store, tmp_path / "mine.py", GOOD))
    with pytest.raises(BotError, match="mine@1 was retired"):
        registry.resolve("mine", "flip7", store)
    assert registry.resolve("mine@1", "flip7", store).label == "mine@1"


IMPORTS = [  # a bot's source, files of ours that count as its contents
    ("import engines.flip7.rules as r", {"engines/flip7/rules.py"}),
    ("from engines.flip7 import (\n    rules,\n)", {"engines/flip7/rules.py", "engines/flip7/__init__.py"}),
    ("def act(view):\n    from engines.core import masks", {"engines/core/masks.py"}),
    ("import numpy, engines.declaration", {"engines/declaration.py"}),
]


@pytest.mark.parametrize("source, files", IMPORTS)
def test_what_a_bot_imports_of_ours_is_found_without_parsing_it(source: str, files: set[str]) -> None:
    found = identity.imports_of(sources.pack({"mine.py": source.encode()}))
    assert files <= set(found) and "engines/__init__.py" in found
    hostile = source + "\n" + "(" * 1_000_000
    assert identity.imports_of(sources.pack({"mine.py": hostile.encode()})).keys() == found.keys()


def parsed_imports(path: str) -> set[str]:
    """The modules that a file of ours imports when it runs, by Python's parser."""
    package, found = list(Path(path).parent.parts), set[str]()

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            found.update([base, *(f"{base}.{alias.name}" for alias in node.names)])
        for inner in ast.iter_child_nodes(node):
            walk(inner)

    walk(ast.parse((identity.ROOT / path).read_bytes()))
    return found & identity._modules().keys()


def test_the_imports_of_our_files_are_those_that_python_parses() -> None:
    paths = list(identity._modules().values())
    told = {path: identity._imports_of_file(path) & identity._modules().keys() for path in paths}
    assert len(paths) > 300 and told == {path: parsed_imports(path) for path in paths}


@pytest.mark.parametrize("name", sorted(trial.BUDGETS))
@pytest.mark.parametrize("share, warned", [(0.69, False), (0.7, True), (1.2, True)])
def test_a_bot_that_uses_most_of_a_budget_is_warned(name: str, share: float, warned: bool) -> None:
    used = {"cpu_s": 0.001, "match_cpu_s": 0.001, "allowed_cpu_s": 1.0, "faults": []}
    shares = dict.fromkeys(trial.BUDGETS, 0.0) | {name: share}
    shown = Trial(Conditions.usual("flip7"), games=4, decisions=100, shares=shares, **used)
    told = [line for line in (*shown.losses, *shown.warnings) if trial.BUDGETS[name] in line]
    assert [f"{share:.0%}" in line for line in told] == [True] * warned
    loses = share >= 1 and name in trial.LOST_BY
    assert bool(shown.losses) == loses
    assert not loses or shown.losses == [one for one in told if f"would lose by {trial.LOST_BY[name]}" in one]


GREEDY = """
import time
GAMES = ["flip7"]
HOARD = bytearray(80 << 20)
def act(view, naps=[0.4]):
    time.sleep(naps.pop() if naps else 0)
    return view.legal[0]
"""


def test_memory_and_sleep_of_a_trial_are_told_before_they_are_lost(tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY)
    source, usual = sources.read(tmp_path / "greedy.py"), Conditions.usual("flip7")
    limits = Limits(memory_mib=100, sleep_s_bank=0.5)
    shown = trial.run(source, dataclasses.replace(usual, players=2, limits=limits, match_deals=1))
    assert shown.faults == []
    assert 0.8 <= shown.shares["memory_mib"] < 1 and 0.7 < shown.shares["sleep_s_bank"] < 1
    said = " ".join(shown.warnings)
    assert "memory_mib" in said and "sleep_s_bank" in said


def test_a_longer_match_has_more_cpu_time_and_a_shorter_one_no_less() -> None:
    usual = Limits(cpu_s_match=90)
    assert [usual.for_match(games).cpu_s_match for games in (1, 64, 96, 256)] == [90, 90, 135, 360]
    assert usual.for_match(256).cpu_s(10**6) == 360


def test_a_bot_is_read_again_after_its_fork_server_was_killed() -> None:
    """As the kernel does for want of memory."""
    source = b"GAMES = ['flip7']\ndef act(view): return 0\n"
    assert reading.inspect_jailed(source).games == ("flip7",)
    os.kill(reading._zygote().pid, signal.SIGKILL)
    assert reading.inspect_jailed(source).games == ("flip7",) and reading._zygote().alive


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
    files = {f"{top}{name}": data for name, data in FILES.items()}
    files |= {f"{top}.git/config": b"x", f"{top}__pycache__/a.pyc": b"x", "__MACOSX/x": b"x"}
    folder = unpack_folder(FILE, zipped(files), tmp_path)
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
def test_an_archive_with_odd_names_is_refused(tmp_path: Path, files: dict[str, bytes], why: str) -> None:
    with pytest.raises(BotError, match=why) as refused:
        unpack_folder(FILE, zipped(files), tmp_path / "in")
    assert str(refused.value).startswith(f"{FILE}: ") and str(refused.value).isprintable()
    assert not list(tmp_path.rglob("*"))


def test_no_more_is_unpacked_than_a_bot_may_have(tmp_path: Path) -> None:
    packed = zipped({"zeros": bytes((MAX_SENT_MIB << 20) + 1)})
    assert len(packed) < MAX_PACKED
    with pytest.raises(BotError, match=f"more than {MAX_SENT_MIB} MiB"):
        unpack_folder(FILE, packed, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_zip_that_says_less_than_it_holds_is_refused(tmp_path: Path) -> None:
    packed = zipped({"zeros": bytes((MAX_SENT_MIB << 20) + 1)})
    lying = packed.replace(((MAX_SENT_MIB << 20) + 1).to_bytes(4, "little"), (5).to_bytes(4, "little"))
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


NOSY = f'{GOOD}open("/etc/passwd").read()\n'
LAZY = GOOD.replace("    return", '    open("/etc/passwd")\n    return')


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A store with two submitted bots."""
    path = str(tmp_path / "arena.db")
    store = Store(path, create=True)
    for name, text in (("nosy", NOSY), ("lazy", LAZY)):
        submitted(store, tmp_path / f"{name}.py", text)
    return path


def test_a_submitted_bot_is_traced_behind_the_wall(db: str) -> None:
    game = load("flip7")
    opened = debug.choosers(["nosy", "random"], "flip7", 1, db)
    with pytest.raises(BotError, match=r"nosy cannot be loaded.*PermissionError"), opened:
        pass
    refused = pytest.raises(BotError, match=r"lazy.*PermissionError")
    with debug.choosers(["random", "lazy"], "flip7", 1, db) as seats, refused:
        list(records.play(game, 2, {"goal": 50}, 1, seats))


def test_a_submitted_bot_at_level_trusted_runs_in_this_process(db: str) -> None:
    with debug.choosers(["nosy", "lazy"], "flip7", 1, db, level="trusted") as seats:
        assert list(records.play(load("flip7"), 2, {"goal": 50}, 1, seats))[-1]["event"] == "end"


def test_without_a_wall_only_those_submitted_bots_play_that_are_named(db: str) -> None:
    store = Store(db)
    house = League.of(name="own", game="flip7", entrants=("random", "banker"))
    league = house.changed(level="trusted")
    assert {bot.name for bot in enter(store, league)} == {"random", "banker"}
    assert {bot.name for bot in enter(store, league, ["random", "nosy"])} == {"random", "nosy"}
    assert {bot.name for bot in enter(store, house)} == {"random", "banker", "nosy", "lazy"}
    with pytest.raises(UsageError):
        enter(store, league.changed(entrants=("random",)))
