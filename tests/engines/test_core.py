"""The core: randomness against published vectors, bit helpers against Python, compiled code against the same
code in Python.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engines
from engines import core
from engines.core.compile import TRIED, versions
from tests.python import python

ROOT = Path(__file__).parents[2]
MASKS = st.integers(0, 2**63 - 1)

# counter, key, result: the known answers for threefry2x64 with 20 rounds that Random123 publishes
THREEFRY = [
    ((0, 0), (0, 0), (0xC2B6E3A8C2C69865, 0x6F81ED42F350084D)),
    ((2**64 - 1, 2**64 - 1), (2**64 - 1, 2**64 - 1), (0xE02CB7C4D95D277A, 0xD06633D0893B8B68)),
    (
        (0x243F6A8885A308D3, 0x13198A2E03707344),
        (0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x263C7D30BB0F0AF1, 0x56BE8361D3311526),
    ),
]


@pytest.mark.parametrize("counter, key, result", THREEFRY)
def test_threefry_gives_the_published_answers(
    counter: tuple[int, int], key: tuple[int, int], result: tuple[int, int]
) -> None:
    words = core.threefry(*map(np.uint64, key), *map(np.uint64, counter))
    assert tuple(int(word) for word in words) == result


def test_splitmix_gives_the_published_answers() -> None:
    # the first outputs of splitmix64 for this seed, as its author's C code gives them
    rng = np.array([1234567], np.uint64)
    first = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(core.next_word(rng)) for _ in range(3)] == first


def shuffled(n: int, seed: int, shuffle: int) -> list[int]:
    cards = core.work(n)
    for i in range(n):
        cards[i] = i
    core.shuffle_cards(cards, np.uint64(seed), np.int32(shuffle))
    return cards.tolist()


def test_a_shuffle_draws_every_place_from_its_word_of_the_cipher() -> None:
    """Fisher & Yates in whole numbers: from the last place down, word by word, two a block; an odd place and
    the last one begin the block of their number.
    """
    for n in (0, 1, 2, 3, 5, 16, 17, 18, 32, 33, 54, 94, 108, core.MOST_CARDS):
        cards, spare = list(range(n)), 0
        for place in range(n - 1, 0, -1):
            word = spare
            if place % 2 or place == n - 1:
                block = core.threefry(*map(np.uint64, (2**64 - 1 - n, 65, place, 0)))
                word, spare = (int(half) for half in block)
            j = word % (place + 1)
            cards[place], cards[j] = cards[j], cards[place]
        assert shuffled(n, 2**64 - 1 - n, 65) == cards, n


@given(value=st.integers(0, 2**64 - 1), n=st.integers(2, core.MOST_CARDS))
def test_remainders_are_exact(value: int, n: int) -> None:
    for one in (value, value // n * n, max(value // n * n - 1, 0), 2**64 - 1, 2**64 // n * n - 1):
        assert core.remainder(np.uint64(one), n) == one % n


def test_a_shuffle_depends_on_seed_and_number_only_and_every_place_gets_every_card() -> None:
    assert shuffled(54, 7, 64) == shuffled(54, 7, 64)
    assert len({tuple(shuffled(54, seed, number)) for seed in range(5) for number in range(5)}) == 25
    places = Counter((place, card) for seed in range(4000) for place, card in enumerate(shuffled(5, seed, 0)))
    assert len(places) == 25 and all(700 < n < 900 for n in places.values())
    orders = Counter(tuple(shuffled(3, seed, 1)) for seed in range(6000))
    assert len(orders) == 6 and all(880 < n < 1120 for n in orders.values())


@given(mask=MASKS)
def test_bit_helpers_agree_with_python(mask: int) -> None:
    cards = [i for i in range(63) if mask >> i & 1]
    assert core.count(mask) == len(cards)
    assert [card for card in range(63) if core.has(mask, card)] == cards
    out = core.work(63)
    assert core.cards_into(out, 0, 100, mask) == len(cards)
    assert out[: len(cards)].tolist() == [100 + card for card in cards]
    if cards:
        assert (core.lowest(mask), core.highest(mask)) == (cards[0], cards[-1])
        assert [core.nth(mask, n) for n in range(len(cards))] == cards


@given(mask=MASKS, seed=st.integers(0, 2**64 - 1), data=st.data())
def test_a_random_subset_has_the_wanted_size(mask: int, seed: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, mask.bit_count()))
    drawn = int(core.draw_from(mask, n, np.array([seed], np.uint64)))
    assert drawn & ~mask == 0 and drawn.bit_count() == n


def test_every_card_of_a_mask_is_drawn_equally_often() -> None:
    rng = np.array([7], np.uint64)
    drawn = Counter()
    for _ in range(3000):
        mask = int(core.draw_from(0b101101, 2, rng))
        drawn.update(card for card in range(6) if mask >> card & 1)
    assert set(drawn) == {0, 2, 3, 5} and all(1380 < n < 1620 for n in drawn.values())


def test_two_games_of_one_layout_are_refused() -> None:
    game = engines.load("flip7")
    with pytest.raises(ValueError, match="same state layout"):
        core.bind(game.state, "flop7", game.rules, game.record.blanks)


SAMPLE = """
import hashlib, engines
from engines import core
for name in engines.names():
    game = engines.load(name)
    states = game.new(2, seed=11)
    for _ in range(6):
        game.step(states, game.legal_mask(states).argmax(axis=1))
    views = game.views(states)
    worlds = game.determinize(views, seed=5)
    game.playout(worlds, seed=3)
    decisions = game.playout(states, seed=4)
    parts = [views, worlds, states, game.scores(states)]
    print(name, decisions, *[hashlib.sha256(part.tobytes()).hexdigest()[:12] for part in parts])
print("linking" if core.LINKING else "njit" if core.JIT else "python")
"""


def run_python(
    code: str, folder: Path = ROOT, prefix: Sequence[str] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    command, env = (
        [*prefix, sys.executable, "-c", code],
        {**os.environ, **environment, "PYTHONPATH": str(folder)},
    )
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)


def run_sample(**environment: str) -> list[str]:
    return run_python(SAMPLE, **environment).stdout.splitlines()


def test_compiled_code_plays_as_the_same_code_in_python_and_as_it_does_from_the_cache() -> None:
    first, again, plain = run_sample(), run_sample(), run_sample(NUMBA_DISABLE_JIT="1")
    way = "linking" if core.LINKING else "njit"
    assert (first.pop(), again.pop(), plain.pop()) == (way, way, "python")
    assert first == again == plain


@pytest.mark.soak
@pytest.mark.skipif(not core.LINKING, reason="the quick way to compile is off")
def test_plain_njit_plays_the_same_games_and_finds_its_code_again(tmp_path: Path) -> None:
    plain = {"ARENA_PLAIN_NJIT": "1", "ARENA_CACHE": str(tmp_path)}
    compiled = run_sample(**plain)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb[ic]")}
    from_the_cache, quick = run_sample(**plain), run_sample()
    assert (compiled.pop(), from_the_cache.pop(), quick.pop()) == ("njit", "njit", "linking")
    assert compiled == from_the_cache == quick
    assert kept == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb[ic]")} != {}


PLACE = """
import os, sys
from engines import core
print(core.CACHE_FOLDER, flush=True)
if len(sys.argv) < 2:  # in a process of its own too, which prints the folder, and no line
    os.execv(sys.executable, [sys.executable, "-c", sys.orig_argv[2], "again"])
"""


@pytest.mark.parametrize("how", ["a file", "below a file", "mode 000", "read-only", "old code only"])
def test_code_that_cannot_be_kept_goes_to_a_temporary_folder_with_a_line(tmp_path: Path, how: str) -> None:
    chosen, temporary = tmp_path / "chosen", tmp_path / f"card-arena-{os.getuid()}"
    if how.endswith("file"):
        chosen.touch()
    else:
        chosen.mkdir()
        if how == "old code only":
            (chosen / versions() / "core-old").mkdir(parents=True)
            (chosen / versions()).chmod(0o555)
        chosen.chmod(0o000 if how == "mode 000" else 0o555)
    named = chosen / "below" if how == "below a file" else chosen
    prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = run_python(PLACE, prefix=prefix, ARENA_CACHE=str(named), TMPDIR=str(tmp_path))
    assert done.stdout.split() == [str(temporary)] * 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert f"it is kept in {temporary}" in line and "ARENA_CACHE" in line
    assert temporary.stat().st_mode & 0o777 == 0o700


def test_a_temporary_folder_that_others_may_write_to_gets_no_compiled_code(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / f"card-arena-{os.getuid()}").mkdir()
    done = run_python(PLACE, ARENA_CACHE=str(tmp_path / "file"), TMPDIR=str(tmp_path))
    assert done.stdout.split() == ["None", "None"] and "every start compiles again" in done.stderr


CUTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "noise": lambda data: bytes(at * 7 % 256 for at in range(len(data))),
}


def test_compiled_code_that_was_cut_or_damaged_is_made_and_kept_anew(tmp_path: Path) -> None:
    """Of a function its index alone, its data alone, and both: an index that is whole may name data that is not."""
    damages = {f"{cut}_{ends}": (CUTS[cut], f"*.nb[{ends}]") for cut in CUTS for ends in ("i", "c", "ic")}
    functions = [f"\n\n@entry\ndef {name}(x):\n    return 2 * x\n" for name in damages]
    (tmp_path / "twice.py").write_text("".join(["from engines.core.compile import entry\n", *functions]))
    code = f"import sys; sys.path.append({str(tmp_path)!r}); import twice; "
    code += f"print([getattr(twice, name)(21) for name in {[*damages]}])"
    place, told = {"ARENA_CACHE": str(tmp_path / "kept")}, f"{[42] * len(damages)}\n"
    assert run_python(code, **place).stdout == told
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").rglob("twice.*.nb[ic]")}
    for name, (cut, ends) in damages.items():
        damaged = [path for path in files if f".{name}-" in path.name and path.match(ends)]
        assert damaged
        for path in damaged:
            path.write_bytes(cut(path.read_bytes()))
    assert run_python(code, **place).stdout == told
    made = {path: path.stat().st_mtime_ns for path in files}
    assert all(made[path] != files[path] for path in files if path.suffix == ".nbc")
    assert run_python(code, **place).stdout == told
    assert {path: path.stat().st_mtime_ns for path in files} == made  # it was found again


def test_a_user_without_a_home_has_no_cache_folder_there() -> None:
    code = (
        "import os; os.environ.pop('HOME', None); os.environ.pop('XDG_CACHE_HOME', None); "
        "os.environ.pop('ARENA_CACHE', None); os.getuid = lambda: 2**31 - 7; "  # nobody has this number
        "from engines.core import compile; print(*compile._cache_parents())"
    )
    assert run_python(code).stdout.strip() == str(ROOT / "engines" / "__pycache__")


PARTS = ("core", "flip7", "taroky", "search-flip7", "learn-flip7")
EDITS = {
    "flip7/rules.py": ["flip7", "search-flip7", "learn-flip7"],
    "flip7/deeper/new.py": ["flip7", "search-flip7", "learn-flip7"],
    "core/deeper/new.py": [*PARTS],
    "flip7/policy.py": ["search-flip7", "learn-flip7"],
    "flip7/encoding.py": ["learn-flip7"],
    "flip7/text.py": [],
    "pages.py": [],
}
HASHES = f"""
from engines.core.compile import ENGINES, source_hash
print(*[source_hash(part) for part in {PARTS}])
for edited in {[*EDITS]}:
    path = ENGINES / edited
    before = path.read_bytes() if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    path.write_bytes((before or b"") + b"# an edit\\n")
    source_hash.cache_clear()
    print(*[source_hash(part) for part in {PARTS}])
    path.unlink() if before is None else path.write_bytes(before)
"""


def test_an_edit_throws_away_the_compiled_code_that_it_can_touch(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "engines", tmp_path / "engines", ignore=shutil.ignore_patterns("__pycache__"))
    before, *after = [line.split() for line in run_python(HASHES, tmp_path).stdout.splitlines()]
    changed = [[part for part, a, b in zip(PARTS, hashes, before) if a != b] for hashes in after]
    assert dict(zip(EDITS, changed, strict=True)) == EDITS


SCORED = """
import numpy as np
import engines
from engines import core
game = engines.load("flip7")
states = game.blank(1, 4)  # only what scores a game is compiled
states["seat"], states["total"] = core.OVER, 50
points = np.zeros((1, 4), np.int64)
core.score_rows(core.rows(states), points)
print(points.sum())
"""


@pytest.mark.parametrize("plain", ["0", "1"])
def test_an_edited_rule_is_played_and_never_its_compiled_form_from_before(tmp_path: Path, plain: str) -> None:
    """`score` is called by a function of the core, which Numba keeps compiled when only a game's file has
    changed.
    """
    shutil.copytree(ROOT / "engines", tmp_path / "engines", ignore=shutil.ignore_patterns("__pycache__"))
    kept = {"ARENA_CACHE": str(tmp_path / "compiled"), "ARENA_PLAIN_NJIT": plain}
    before = int(run_python(SCORED, tmp_path, **kept).stdout)
    rules = tmp_path / "engines" / "flip7" / "rules.py"
    text = rules.read_text()
    assert "out[seat] = s.total[seat]" in text
    rules.write_text(text.replace("out[seat] = s.total[seat]", "out[seat] = s.total[seat] + 1000"))
    assert int(run_python(SCORED, tmp_path, **kept).stdout) == before + 4000


@pytest.mark.skipif(not core.LINKING, reason="the quick way to compile is off")
@pytest.mark.parametrize(
    "other_numba",
    [
        "import numba.core.codegen; del numba.core.codegen.JITCodeLibrary",
        "import numba; numba.version_info = numba.version_info._replace(short=(0, 99))",
    ],
    ids=["name-gone", "newer"],
)
def test_another_numba_plays_by_plain_njit_and_a_line_says_so(tmp_path: Path, other_numba: str) -> None:
    done = run_python(other_numba + SCORED, ARENA_CACHE=str(tmp_path))
    assert done.stdout == "200\n"
    told = "UserWarning: games compile with plain numba.njit.*; install numba>="
    assert len(re.findall(told, done.stderr)) == 1


def test_the_versions_that_linking_was_tried_with_are_those_that_the_package_asks_for() -> None:
    (low, high) = (".".join(map(str, version)) for version in TRIED)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert f"numba>={low},<{high}" in needed


def test_only_old_code_is_dropped_and_only_of_the_same_versions(tmp_path: Path) -> None:
    mine = tmp_path / versions()
    other = tmp_path / "numba-0.1-other" / "flip7-1"
    other.mkdir(parents=True)
    for i in range(8):
        (mine / f"flip7-{i}").mkdir(parents=True)
        os.utime(mine / f"flip7-{i}", (i, i))
    (mine / "taroky-0").mkdir()
    run_python("from engines.core import cache_folder; cache_folder('flip7')", ARENA_CACHE=str(tmp_path))
    kept = {path.name for path in mine.iterdir()}  # the fifth has the hash of today's sources in its name
    assert kept > {"flip7-5", "flip7-6", "flip7-7", "taroky-0"} and len(kept) == 5
    assert other.exists()


def test_a_rule_that_compiled_code_calls_can_be_called_from_python_too() -> None:
    assert [core.has(0b101, card) for card in range(3)] == [True, False, True]


NESTED = """
from engines.core import entry, jit, jit_with_heap

@jit_with_heap
def told(x):
    if x > 2:
        raise ValueError("too much", x)
    print("told", x)
    return x + 1

@jit
def between(x):
    return told(x) * 2

@entry
def asked(x):
    return between(x)

@entry
def asked_again(x):
    return between(x) + told(x)

print(asked(1))
print(asked_again(2))
try:
    asked_again(3)
except ValueError as error:
    print(error.args)
print(told(0))
"""


@pytest.mark.skipif(not core.JIT, reason="nothing is compiled")
def test_compiled_functions_print_and_raise_wherever_they_are_called_new_or_kept(tmp_path: Path) -> None:
    """`told` has no machine code of its own; what it prints and raises is a Python object that the code of
    its callers must find, also where `told` comes from the cache and the caller does not.
    """
    (tmp_path / "nested.py").write_text(NESTED)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "ARENA_CACHE": str(tmp_path / "cache")}

    def run() -> list[str]:
        result = python("nested.py", cwd=tmp_path, env=env, check=True)
        assert not result.stderr
        return result.stdout.split("\n")[:-1]

    expected = ["told 1", "4", "told 2", "told 2", "9", "('too much', 3)", "told 0", "1"]
    assert run() == expected
    kept = list((tmp_path / "cache").rglob("__main__*asked*"))
    assert len(kept) >= 4
    assert run() == expected
    for path in kept:
        path.unlink()
    assert run() == expected


OWN_LOOP = """
import numpy as np
from numba import njit
import engines
from engines import core

game = engines.load("flip7")

@njit
def first_actions(states):
    out, cards = np.zeros(200, np.int16), np.zeros(200, np.int16)
    for i in range(len(states)):
        core.legal(states[i], out)
        core.step(states[i], np.int64(out[0]))
        core.settle(states[i], cards)

states, own = game.new(8, seed=1), game.new(8, seed=1)
game.step(states, game.legal_mask(states).argmax(axis=1))
first_actions(core.rows(own))
print(own.tobytes() == states.tobytes())
"""


@pytest.mark.skipif(not core.JIT, reason="nothing is compiled")
def test_a_program_with_a_compiled_loop_of_its_own_plays_as_the_game_does() -> None:
    """Numba's loader takes a function that is there already for one of the same name: the game's own code,
    loaded before, must have none to offer, since arguments that nobody uses are left out in it.
    """
    assert run_python(OWN_LOOP).stdout == "True\n"


HEAP = re.compile(
    r"^@jit_with_heap\ndef (\w+)\([^)]*\) -> (.*):$|^@overload_with_heap\((\w+)\)$", re.MULTILINE
)


def test_no_function_that_counts_no_references_gets_an_array_from_one_that_makes_it() -> None:
    """Nobody would free the array: a leak that no result shows."""
    files = {path: path.read_text() for path in (ROOT / "engines").rglob("*.py")}
    found = [match for text in files.values() for match in HEAP.findall(text)]
    makers = {name or overloaded for name, given, overloaded in found if given not in ("bool", "int", "None")}
    assert makers == {"search", "with_room"}
    nodes = [(path, node) for path, text in files.items() for node in ast.walk(ast.parse(text))]
    for path, node in nodes:
        if path.parent.name == "search" or not isinstance(node, ast.FunctionDef):
            continue
        called = {one.func for one in ast.walk(node) if isinstance(one, ast.Call)}
        if {one.id for one in called if isinstance(one, ast.Name)} & makers:
            assert [ast.unparse(one) for one in node.decorator_list] == ["jit_with_heap"], (path, node.name)


@pytest.mark.skipif(not core.JIT, reason="nothing is compiled")
def test_all_compiled_helpers_of_bots_are_loaded_ahead() -> None:
    """A helper that is not would be compiled anew in every bot's process, which can store nothing."""
    for name in engines.names():
        game = engines.load(name)
        game.use_everything()
        for module in game.tools:
            compiled = [f for f in vars(module).values() if hasattr(f, "signatures")]
            found = [f for f in compiled if f.py_func.__module__ == module.__name__]
            assert found
            inside = {called for f in found for called in f.py_func.__code__.co_names}  # come with callers
            for f in found:
                known = f.signatures or (getattr(f, "_entry", None) and f._entry.signatures)
                assert known or f.__name__ in inside, (name, f)
