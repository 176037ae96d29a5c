"""The core: randomness against published vectors, bit helpers against Python, compiled code against the same code in Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines import core, helpers

ROOT = Path(__file__).parents[2]
MASKS = st.integers(0, 2**63 - 1)

THREEFRY = [  # counter, key, result: the known answers for threefry2x64 with 20 rounds that Random123 publishes
    ((0, 0), (0, 0), (0xC2B6E3A8C2C69865, 0x6F81ED42F350084D)),
    ((2**64 - 1, 2**64 - 1), (2**64 - 1, 2**64 - 1), (0xE02CB7C4D95D277A, 0xD06633D0893B8B68)),
    (
        (0x243F6A8885A308D3, 0x13198A2E03707344),
        (0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x263C7D30BB0F0AF1, 0x56BE8361D3311526),
    ),
]


@pytest.mark.parametrize("counter, key, result", THREEFRY)
def test_threefry_gives_the_published_answers(counter: tuple[int, int], key: tuple[int, int], result: tuple[int, int]) -> None:
    words = core.threefry(*map(np.uint64, key), *map(np.uint64, counter))
    assert tuple(int(word) for word in words) == result


def test_splitmix_gives_the_published_answers() -> None:
    rng = np.array([1234567], np.uint64)  # the first outputs of splitmix64 for this seed, as its author's C code gives them
    assert [int(core.next_word(rng)) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def shuffled(n: int, seed: int, shuffle: int) -> list[int]:
    cards = core.work(n)
    for i in range(n):
        cards[i] = i
    core.shuffle_cards(cards, np.uint64(seed), np.int32(shuffle))
    return cards.tolist()


def test_a_shuffle_depends_on_seed_and_number_only_and_every_place_gets_every_card() -> None:
    assert shuffled(54, 7, 64) == shuffled(54, 7, 64)
    assert len({tuple(shuffled(54, seed, number)) for seed in range(5) for number in range(5)}) == 25
    places = Counter((place, card) for seed in range(4000) for place, card in enumerate(shuffled(5, seed, 0)))
    assert len(places) == 25 and all(700 < n < 900 for n in places.values())
    orders = Counter(tuple(shuffled(3, seed, 1)) for seed in range(6000))
    assert len(orders) == 6 and all(880 < n < 1120 for n in orders.values())


@given(mask=MASKS)
@settings(deadline=None)
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
@settings(deadline=None)
def test_a_random_subset_has_the_wanted_size(mask: int, seed: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, mask.bit_count()))
    drawn = int(core.draw_from(mask, n, np.array([seed], np.uint64)))
    assert drawn & ~mask == 0 and drawn.bit_count() == n


def test_every_card_of_a_mask_is_drawn_equally_often() -> None:
    rng = np.array([7], np.uint64)
    drawn = Counter(card for _ in range(3000) for card in range(6) if int(core.draw_from(0b101101, 2, rng)) >> card & 1)
    assert set(drawn) == {0, 2, 3, 5} and all(1380 < n < 1620 for n in drawn.values())


def test_two_games_of_one_layout_are_refused() -> None:
    game = engines.load("flip7")
    with pytest.raises(ValueError, match="same state layout"):
        core.bind(game.state, "flop7", game.rules)
    with pytest.raises(ValueError, match="exactly the functions"):
        core.bind(game.state, "flip7", {})


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
print(core.JIT)
"""


def run_sample(**environment: str) -> list[str]:
    command = [sys.executable, "-c", SAMPLE]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout.splitlines()


def test_compiled_code_plays_as_the_same_code_in_python_and_as_it_does_from_the_cache() -> None:
    first, again, plain = run_sample(), run_sample(), run_sample(NUMBA_DISABLE_JIT="1")
    assert (first.pop(), again.pop(), plain.pop()) == ("True", "True", "False")
    assert first == again == plain


def test_without_a_writable_folder_compiled_code_is_not_kept_and_a_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code = "import warnings; warnings.simplefilter('always'); from engines import core; print(core.CACHE_FOLDER)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "ARENA_CACHE": str(tmp_path / "file" / "below")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "None" and "no writable folder" in done.stderr


def test_an_edit_of_the_engines_changes_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = core._source_hash()
    (tmp_path / "core.py").write_text("# another source")
    monkeypatch.setattr(core, "__file__", str(tmp_path / "core.py"))
    assert core._source_hash() != before


def test_every_module_of_helpers_with_compiled_functions_can_be_loaded_ahead_of_the_bots() -> None:
    """A helper that is not would be compiled anew in every bot's process, which can store nothing."""
    used = {name: helpers.use_all(engines.load(name)) for name in engines.names()}
    assert (used["tzogous37"], used["zoliky"]) == (["tzogous37_tools"], ["zoliky_tools"])
    for names in used.values():
        for name in names:
            found = [f for f in vars(import_module(f"engines.{name}")).values() if hasattr(f, "signatures")]
            compiled = [f for f in found if f.py_func.__module__ == f"engines.{name}"]
            assert compiled or not core.JIT
            inside = {called for f in compiled for called in f.py_func.__code__.co_names}  # these come with their callers
            assert all(f.signatures for f in compiled if f.__name__ not in inside) or not core.JIT
