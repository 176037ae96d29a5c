"""How each game is played: the lessons are whole games by the rules, with notes about what happens there."""

import re
import tomllib

import pytest

import engines
from arena.errors import UsageError
from arena.games import lesson, lesson_file, rules_page


@pytest.mark.parametrize("name", engines.names())
def test_a_lesson_is_a_whole_game_with_notes_from_its_beginning_to_its_end(name: str) -> None:
    made = lesson(name)
    assert made["seat"][-1] == -1 and len(made["scores"]) == made["players"] == len(made["seats"])
    assert made["seats"].count("you") == 1
    frames = [int(frame) for frame in made["notes"]]
    assert frames == sorted(set(frames)) and frames[0] == 0 and frames[-1] == made["frames"] - 1
    assert 10 <= len(frames) <= 20 and max(len(text) for text in made["notes"].values()) < 420


@pytest.mark.parametrize("name", engines.names())
def test_a_note_names_a_section_of_the_rules_page_and_cards_that_the_game_has(name: str) -> None:
    path = lesson_file(name)
    assert path is not None
    notes = tomllib.loads(path.read_text(encoding="utf-8"))["notes"]
    sections = set(re.findall(r"^#+ (\d[\d.]*)", rules_page(name), re.MULTILINE))
    assert {note["section"] for note in notes} <= sections
    game, written = engines.load(name), r"\b(?:\d{1,2}[shdcob]|[TJQRKA][shdc])\b"
    if game.suits:
        assert {card for note in notes for card in re.findall(written, note["text"])} <= set(game.cards)


def test_a_game_without_a_lesson_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.games.lesson_file", lambda name: None)
    with pytest.raises(UsageError, match="read its rules page"):
        lesson("flip7")
