# ruff: noqa: F401, F811
"""What a screen reader says during a game: whole sentences, from the accessibility tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.arena.spoken import spoken
from tests.arena.test_web import Watched, browser, watched
from tests.arena.test_web_acting import sat, server

pytestmark = pytest.mark.xdist_group("web")  # one browser
CODE = re.compile(r"\b(\d+[ocb]|[2-9TJQKRA][shdc]|JK|FZ|F3|SC|X2)\b|\?")


@pytest.mark.parametrize("name, options", [("julepe", {"rounds": 1}), ("flip7", {"goal": 20})])
def test_a_game_is_heard_in_sentences_without_codes_of_cards(
    watched: Watched, server: tuple[str, Path], name: str, options: dict[str, int]
) -> None:
    lines = list(spoken(sat(watched, server, name, bool, **options), hinted=False))
    log = [line for line in lines if not line.startswith("Your turn: ")]
    assert log and all(re.fullmatch(r"\S.*[.]", line) for line in log), log
    assert not [line for line in log if CODE.search(line)]
    assert any(line.startswith("You ") for line in log) and log[-1].startswith("The end: ")
    assert sum(" is over. " in line for line in log) >= 1
    tricks = [line for line in log if re.search(r"wins? trick \d", line)]
    assert len(tricks) == (5 if name == "julepe" else 0), tricks  # the last one, too
