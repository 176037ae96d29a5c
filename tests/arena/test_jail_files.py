"""What a bot has without any file: its own files through Python's ordinary functions, imports from memory, and what a
trained network needs.
"""

import io
import mmap
from pathlib import Path

import numpy as np
import pytest

import engines
from arena.cell import BotProcess, GameZygote
from arena.jail import HostError, Limits, Program
from engines.learn.__main__ import BOT
from engines.learn.network import Network

from .test_jail import request

HEAD = 'GAMES = ["flip7"]\n'
PAGE = mmap.PAGESIZE
TAIL = "\n\ndef act(view):\n    return view.legal[0]\n"


def npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, w=np.arange(3))
    return buffer.getvalue()


FILES = {"note.txt": "größe\nzwei\n".encode(), "data/weights.npz": npz()}
FILES |= {"sub/__init__.py": b"x = 7", "sub/deep.py": b"y = 8"}


def said(zygote: GameZygote, text: str, **limits: object) -> str:
    """What a bot with these lines and files prints while it is loaded, or why it cannot be loaded."""
    program = Program("mine", {"__init__.py": (HEAD + text + TAIL).encode(), **FILES})
    bot: BotProcess = zygote.spawn(program, Limits(**limits), 1)
    try:
        fault = bot.ready()
        return bot.log().strip() if fault is None else fault.text.splitlines()[0]
    finally:
        bot.close()


HERE = "from pathlib import Path; import os, numpy; here = Path(__file__).parent; "
RESOURCES = "import importlib.resources as r\n"
READS = [
    ("print(open('note.txt').read().split())", "['größe', 'zwei']"),
    ("print(open(here / 'note.txt', 'rb').read()[-5:])", r"b'zwei\n'"),
    ("print([line for line in open('note.txt')])", r"['größe\n', 'zwei\n']"),
    ("print((here / 'note.txt').read_text(), end='')", "größe\nzwei"),
    ("print(numpy.load(here / 'data' / 'weights.npz')['w'])", "[0 1 2]"),
    ("print(numpy.load('data/weights.npz')['w'].sum())", "3"),
    ("import pkgutil; print(len(pkgutil.get_data(__package__, 'note.txt')))", "13"),
    (RESOURCES + "print(r.files(__package__).joinpath('note.txt').read_text()[:5])", "größe"),
    (RESOURCES + "with r.as_file(r.files('mine') / 'note.txt') as f: print(f.name)", "note.txt"),
    ("import zipfile; print(zipfile.ZipFile('data/weights.npz').namelist())", "['w.npy']"),
    ("print(sorted(os.listdir(here)))", "['__init__.py', 'data', 'note.txt', 'sub']"),
    ("print(os.listdir() == os.listdir('/bot/mine') == os.listdir('../mine'))", "True"),
    ("print(sorted(p.name for p in here.rglob('*.py')))", "['__init__.py', '__init__.py', 'deep.py']"),
    ("print([(a, b) for _, a, b in os.walk('sub')])", "[([], ['__init__.py', 'deep.py'])]"),
    ("print(os.path.exists('note.txt'), os.path.isdir('data'))", "True True"),
    ("print(os.path.isfile('data'), (here / 'no').exists())", "False False"),
    ("print(os.path.getsize('note.txt'), os.path.abspath('x'), here.resolve())", "13 /bot/mine/x /bot/mine"),
    ("import glob; print(glob.glob('*.txt'))", "['note.txt']"),
    ("from . import sub; from .sub.deep import y; import mine.sub; print(sub.x + y)", "15"),
    ("import linecache; print(linecache.getline(__file__, 1), end='')", HEAD.strip()),
    ("import tokenize; print(tokenize.open('sub/deep.py').read())", "y = 8"),
]


@pytest.mark.parametrize("line, printed", READS)
def test_a_bots_own_files_are_read_as_usual(zygote: GameZygote, line: str, printed: str) -> None:
    assert said(zygote, HERE + line) == printed


REFUSED = [
    ("open('no.txt')", "FileNotFoundError"),
    ("open('data')", "IsADirectoryError"),
    ("open('new.txt', 'w')", "Read-only file system"),
    ("open('note.txt', 'r+')", "Read-only file system"),
    ("open('/etc/passwd')", "PermissionError"),
    ("open('../../etc/passwd')", "PermissionError"),
    ("open('/bot/mine/../../etc/passwd')", "PermissionError"),
    ("import os; os.listdir('/')", "PermissionError"),
    ("import os; os.listdir('note.txt')", "NotADirectoryError"),
    ("import os; os.stat('/bot/other')", "FileNotFoundError"),
    ("import os; os.readlink('note.txt')", "Invalid argument"),
    ("open('note.txt', 'rb').write(b'x')", "not writable"),
    ("import os; os.open('note.txt', 0)", "PermissionError"),
]


@pytest.mark.parametrize("line, error", REFUSED)
def test_everything_else_is_refused(zygote: GameZygote, line: str, error: str) -> None:
    assert error in said(zygote, line)


LATE = """
sqlite3 asyncio xml.etree.ElementTree email.message concurrent.futures http.client tomllib configparser cProfile curses ssl wave
zoneinfo numpy.f2py numpy.polynomial.chebyshev numpy.testing numba.typed engines.zoliky.tools
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", LATE)
def test_standard_library_numpy_numba_and_engines_are_imported(zygote: GameZygote, name: str) -> None:
    assert said(zygote, f"import {name}; print('there')") == "there"


def test_a_module_that_is_not_there_says_what_is_and_how_a_league_names_more(zygote: GameZygote) -> None:
    told = said(zygote, "import scipy")
    assert "scipy cannot be imported" in told and 'preload = ["scipy"]' in told.replace("'", '"')
    assert said(zygote, "import importlib.util as u; print(u.find_spec('scipy'))") == "None"
    assert "No module named 'numpy.nothing'" in said(zygote, "import numpy.nothing")


def test_a_league_names_modules_that_are_loaded_for_its_bots() -> None:
    pytest.importorskip("scipy")
    with GameZygote("flip7", preload=("scipy",)) as zygote:
        text = "from scipy.optimize import linear_sum_assignment as best\nprint(best([[1, 2], [2, 1]])[1])"
        assert said(zygote, text, preload=("scipy",)) == "[0 1]"


def test_limits_that_need_another_zygote_are_refused(zygote: GameZygote) -> None:
    with pytest.raises(ValueError, match="scipy"):
        said(zygote, "", preload=("scipy",))


def test_a_module_that_cannot_be_preloaded_is_the_hosts_failure() -> None:
    with pytest.raises(HostError, match="no_such_module"):
        GameZygote("flip7", preload=("no_such_module",))


def test_no_page_of_a_library_is_missing_from_memory(zygote: GameZygote) -> None:
    """One that was would be a bit that a bot can set by touching it, and any later bot could read by the time
    that takes.
    """
    found = 0
    with Path(f"/proc/{zygote.pid}/pagemap").open("rb") as pagemap:
        for line in Path(f"/proc/{zygote.pid}/maps").read_text().splitlines():
            span, rights, offset, _, _, *names = line.split(maxsplit=5)
            if rights[0] != "r" or not names or ".so" not in names[0]:
                continue
            found += "llvmlite" in names[0]
            begin, end = (int(text, 16) for text in span.split("-"))
            in_file = -(-(Path(names[0]).stat().st_size - int(offset, 16)) // PAGE)  # a mapping may be longer
            pagemap.seek(begin // PAGE * 8)
            pages = np.frombuffer(pagemap.read((end - begin) // PAGE * 8), np.uint64)[:in_file]
            assert (pages >> np.uint64(63)).all(), names[0]  # bit 63: the page is in memory
    assert found


COLUMNS = engines.load("flip7").encoding_size
ONE_BY_ONE = f"""
GAMES = ["flip7"]
def act(view):
    numbers, mask = view.encode(), view.legal_mask()
    assert numbers.shape == ({COLUMNS},) and str(numbers.dtype) == "float32"
    return int(view.legal[int(round(float(numbers.sum()) * 1000)) % int(mask.sum())])
""".encode()


def answers(zygote: GameZygote, files: dict[str, bytes], n: int) -> list[int]:
    """What a bot says to the first decision of `n` games; it has made no fault."""
    bot = zygote.spawn(Program("net", files), Limits(), 1)
    try:
        assert bot.ready() is None
        reply = bot.ask(request(n))
        assert not reply.faults and bot.fault is None
        return reply.actions.tolist()
    finally:
        bot.close()


def test_a_view_in_the_jail_encodes_as_outside(zygote: GameZygote) -> None:
    rows, _, _, legal, offsets = request(5)
    sums = engines.load("flip7").encode(rows).sum(axis=1)
    both = zip(np.split(legal, offsets[1:-1]), sums)
    wanted = [int(some[round(float(total) * 1000) % len(some)]) for some, total in both]
    assert answers(zygote, {"net.py": ONE_BY_ONE}, 5) == wanted


def test_a_bot_that_training_wrote_plays_with_its_weights(tmp_path: Path, zygote: GameZygote) -> None:
    """Its weights say `stay` (1) to every row, then `hit` (0)."""
    for action in (0, 1):
        network = Network.new([COLUMNS + 14, 4, 4, 14], np.random.default_rng(1))
        for array in network.parameters():
            array[:] = 0
        network.biases[-1][action] = 1
        network.save(tmp_path / "weights.npz")
        weights = (tmp_path / "weights.npz").read_bytes()
        said = answers(zygote, {"__init__.py": BOT.format(game="flip7").encode(), "weights.npz": weights}, 3)
        _, _, _, legal, offsets = request(3)
        may = [action in some for some in np.split(legal, offsets[1:-1])]
        assert [one == action for one in said] == may
