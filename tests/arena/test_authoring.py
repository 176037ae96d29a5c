"""`arena game new` and `arena game check`, and the guide that writes a game with them, played line by line."""

import os
import re
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.games import check_game, new_game
from tests.python import python

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "write-a-game.md"
BROKEN = {"--law model": (True, False), "--law happened": (True,)}
"""Checks of the guide that find something, in the order in which they stand there."""


def run(folder: Path, *words: str, plain: bool = True) -> tuple[int, str]:
    """Exit code and output of a Python program; by default rules run as plain Python."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **({"NUMBA_DISABLE_JIT": "1"} if plain else {})}
    done = python(*words, cwd=folder, env=environment)
    return done.returncode, done.stdout + done.stderr


def edit(package: Path, block: str) -> None:
    """Apply a diff of the guide: each `--- FILE`, and below it runs of old lines with the new ones after them."""
    for part in re.split(r"^--- ", block, flags=re.MULTILINE)[1:]:
        name, _, lines = part.partition("\n")
        text = (package / name).read_text()
        for old, new in re.findall(r"((?:^[ -].*\n|^\n)*)((?:^\+.*\n)*)", lines, re.MULTILINE):
            before = re.sub(r"^[ -]", "", old, flags=re.MULTILINE)
            kept = re.sub(r"^ ", "", re.sub(r"^-.*\n", "", old, flags=re.MULTILINE), flags=re.MULTILINE)
            if old or new:
                assert text.count(before) == 1, f"{name}: not exactly once:\n{before}"
                text = text.replace(before, kept + re.sub(r"^\+", "", new, flags=re.MULTILINE))
        (package / name).write_text(text)


def steps() -> list[tuple[str, str]]:
    """Diffs and commands of the guide up to the installation, in order."""
    text = GUIDE.read_text(encoding="utf-8").partition("## 7. Install it")[0]
    return re.findall(r"^```diff\n(.*?)^```$|^    (arena [^\n]*)$", text, re.MULTILINE | re.DOTALL)


def test_the_guide_builds_its_game_and_its_checks_find_what_it_says(tmp_path: Path) -> None:
    found = {words: iter(broken) for words, broken in BROKEN.items()}
    guide = steps()
    for at, (block, command) in enumerate(guide):
        if block:
            edit(tmp_path / "trumps" / "card_arena_trumps", block)
            continue
        whole = command == "arena game check ./trumps" and at == len(guide) - 1
        less = ["--examples", "2"] if "check" in command else []
        if command == "arena game check ./trumps" and not whole:  # of the game as it was made
            less += ["--law", "options"]
        code, told = run(tmp_path, "-m", *command.split(), *less, plain=not whole)
        broken = next((next(it) for words, it in found.items() if command.endswith(words)), False)
        assert (code == 1) == broken == ("BROKEN" in told), f"{command}\n{told}"
    assert all(next(it, None) is None for it in found.values())
    assert told.count(": holds") == 19, told


def test_a_new_game_is_hearts_by_another_name(tmp_path: Path) -> None:
    package = new_game("whist", tmp_path) / "card_arena_whist"
    assert "breaks hearts" in (package / "state.py").read_text()  # the suit keeps its name
    assert not [path for path in package.rglob("*") if "hearts" in path.name]


IN_ORDER = """

@jit
def in_order(unseen: int, room: Any, put: Any) -> None:
    for p in range(SEATS):
        for _ in range(room[p]):
            put[p] |= unseen & -unseen
            unseen &= unseen - 1
"""


def test_worlds_that_favour_cards_break_the_law_of_twins_alone(tmp_path: Path) -> None:
    file = new_game("whist", tmp_path) / "card_arena_whist" / "worlds.py"
    place = " " * 8 + "place_cards(unseen, room, may, put, rng)"  # as far in: the other call stays
    file.write_text(file.read_text().replace(place, " " * 8 + "in_order(unseen, room, put)") + IN_ORDER)
    code, told = run(tmp_path, "-m", "arena", "game", "check", "./whist", "--examples", "3", plain=False)
    assert code == 1 and told.count("BROKEN") == 1, told
    assert "Worlds are as likely as the true row: BROKEN\n    worlds are biased: bit" in told


@pytest.mark.parametrize(
    "module, before, after, said",
    [
        ("rules", "s.whist_round * HAND_SHUFFLES", "0", "two shuffles have one number in s.shuffle: [0, 0"),
        ("text", "name)[seat], CARDS", "name)[(seat + 1) % 4], CARDS", "of seat"),
        ("text", '"total")', "lambda s: tuple(s.total.tolist()[::-1]))", "view.totals of seat -1"),
    ],
)
def test_the_law_on_models_finds_a_mistake_that_no_other_law_finds(
    module: str, before: str, after: str, said: str, tmp_path: Path
) -> None:
    new_game("whist", tmp_path)
    file = tmp_path / "whist" / "card_arena_whist" / f"{module}.py"
    assert file.read_text().count(before) == 1
    file.write_text(file.read_text().replace(before, after))
    code, told = run(tmp_path, "-m", "arena", "game", "check", "whist", "--law", "model", "--examples", "3")
    assert code == 1 and "A game is played as its model plays it: BROKEN" in told and said in told, told


@pytest.mark.parametrize(
    "name, said", [("Whist", "small letters"), ("flip7", "there is a game"), ("class", "small letters")]
)
def test_a_name_that_cannot_be_is_refused(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        new_game(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    new_game("whist", tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        new_game("whist", tmp_path)


def test_a_check_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no module facts"):
        next(check_game("flip7"))
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(UsageError, match="names no game"):
        next(check_game(str(tmp_path)))
