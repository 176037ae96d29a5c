"""League files: what they may say, and how a mistake is told."""

from pathlib import Path

import pytest

from leagues import definition
from leagues.errors import DefinitionError, unreadable

MISTAKES = [  # text of the file, what the message says
    ('game = "flip7"\nplayers 4\n', "line 2, column 9"),
    ('game = "flip8"\n', "line 1: no game 'flip8'; did you mean flip7?"),
    ("deals = 5\n", "the key 'game' is missing"),
    ('game = "flip7"\ndeal = 5\n', "line 2: unknown key 'deal'; did you mean deals?"),
    ('game = "flip7"\n\ndeals = "many"\n', "line 3: deals = 'many' must be a whole number"),
    ('game = "flip7"\ndeals = true\n', "line 2: deals = True must be a whole number"),
    ('game = "flip7"\ndeals = 0\n', "line 2: deals = 0: allowed is 1 to"),
    ('game = "flip7"\nplayers = 11\n', "line 2: flip7 is for 2 to 10 players, not 11"),
    ('game = "flip7"\nentrants = ["a", "a"]\n', "line 2: entrants must be a list of different bot names"),
    ('game = "flip7"\n[options]\ngaol = 5\n', "line 3: flip7 has no option 'gaol'; did you mean goal?"),
    ('game = "flip7"\n[options]\ngoal = 0\n', "line 3: option goal = 0: allowed is 1 to 10000"),
    ('game = "flip7"\n[options]\ndeck = "old"\n', "line 3: option deck = 'old': allowed is keep or fresh"),
    ('game = "flip7"\nseed = -1\n', "line 2: seed = -1: allowed is 0 to 2**64 - 1"),
    ('game = "flip7"\naim = "money"\n', "line 2: aim = 'money': allowed is points, place"),
    ('game = "flip7"\nequal = 5\n', "line 2: equal = 5 is for until = 'best' or 'separated'"),
    ('game = "flip7"\nsubmitted = 1\n', "line 2: submitted = 1 must be true or false"),
    ('game = "flip7"\n[limits]\ncpu_ms = 5\n', "line 3: unknown key 'cpu_ms'; did you mean cpu_ms_per"),
    ('game = "flip7"\n[limits]\nprofile = "fast"\n', "line 3: profile = 'fast': allowed is numpy or threads"),
    ('game = "flip7"\n[limits]\nmemory_mib = true\n', "line 3: memory_mib = True must be a whole number"),
    ('game = "flip7"\n[limits]\ncpu_s_bank = "long"\n', "line 3: cpu_s_bank = 'long' must be a number"),
    (
        'game = "flip7"\n[limits]\nmemory_mib = 1\n',
        "line 3: memory_mib = 1: allowed is a whole number from 16 on",
    ),
]


@pytest.mark.parametrize("name", ["compare", "a#1", "a\nb", "x" * 65])
def test_a_file_whose_name_cannot_be_a_leagues_is_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.toml"
    path.write_text('game = "flip7"')
    with pytest.raises(DefinitionError, match="cannot be the name of a league, which is its file's"):
        definition.load(str(path))


@pytest.mark.parametrize("text, message", MISTAKES)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(DefinitionError) as error:
        definition.load(str(path))
    assert str(error.value).startswith(str(path)) and message in str(error.value)


def test_a_file_that_is_not_text_or_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DefinitionError, match="cannot be read: it is no text in UTF-8"):
        definition.load(str(tmp_path / "binary.toml"))
    with pytest.raises(DefinitionError, match=r"cannot be read: No such .* did you mean binary\.toml\?"):
        definition.load(str(tmp_path / "binry.toml"))
    assert unreadable(tmp_path / "none.**", FileNotFoundError(2, "none")).endswith("cannot be read: none")
    with pytest.raises(DefinitionError, match="did you mean flip7"):
        definition.load("flip8")


@pytest.mark.parametrize("name", definition.names())
def test_every_league_that_ships_can_be_loaded_and_has_entrants(name: str) -> None:
    league = definition.load(name)
    assert league.name == name and len(league.entrants) >= 2
