"""A film of a game shows what the engine shows every seat and what was settled; lessons are films with notes."""

import random
import re
import tomllib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import engines
from arena.errors import UsageError
from arena.games import lesson, lesson_file, rules_page
from arena.replay.film import Film, film
from arena.replay.scenes import in_words, outcome, scene, settlement, told
from engines import core, registry
from engines.core import States
from engines.position import Position
from engines.scene import room
from tests.engines.short import SHORT
from tests.models.tzogous37 import score


def at(made: Film, frame: int, viewer: int) -> dict[str, str]:
    """A frame put together again, as a page does it."""

    def last(track: list[list[Any]]) -> Any:
        return next((text for number, text in reversed(track) if number <= frame), None)

    shown = {key: last(track) or "" for key, track in made["open"].items()}
    if viewer >= 0:
        seen = {key: last(track) for key, track in made["views"][viewer].items()}
        shown |= {key: text for key, text in seen.items() if text is not None}
    return shown


@pytest.mark.parametrize("name", engines.names())
def test_every_frame_shows_a_seat_its_own_cards_and_backs_for_those_of_the_others(name: str) -> None:
    game, rng = engines.load(name), random.Random(5)
    position, moves, views = game.position(seed=11, **SHORT[name]), [], []
    while not position.over:
        views.append([position.view(seat) for seat in range(position.players)])
        moves.append(rng.choice(position.legal_numbers()))
        position.play(moves[-1])
    made = film(game.position(seed=11, **SHORT[name]), moves)
    assert made["frames"] == len(moves) + 1 and made["scores"] == position.scores()
    place = "row" if name == "flip7" else "hand"
    for frame, seen in enumerate(views):
        to_act = made["seat"][frame]
        assert [made["texts"][i] for i in made["legal"][frame]] == seen[to_act].texts
        for viewer, view in enumerate(seen):
            shown = at(made, frame, viewer)
            own = shown.get(f"seat/{viewer}/cards/{place}", "").replace("?", "").split()
            assert own == list(getattr(view, place)), (frame, viewer)
            if name == "flip7":
                continue
            for other in set(range(position.players)) - {viewer}:
                hidden = shown.get(f"seat/{other}/cards/{place}", "")
                assert set(hidden.split()) <= {"?"}, (frame, viewer, other)
                if ", exchange" not in shown["head"]:  # a hand in exchange is seen when it is done
                    there = at(made, frame, -1).get(f"seat/{other}/cards/{place}", "")
                    assert len(hidden.split()) == len(there.split()), (frame, viewer, other)


def after(position: Position, action: int, seat: int) -> States:
    """What a seat sees when an action was played."""
    copied = position.copy()
    copied.play(action)
    return position.game.views(copied.states, seat)


@pytest.mark.parametrize("name", engines.names())
def test_what_a_seat_is_told_does_not_differ_between_worlds_that_it_cannot_tell_apart(name: str) -> None:
    options = SHORT[name] | ({"jokers": 2} if name == "tzogous37" else {})
    game, rng, secret, other = engines.load(name), random.Random(3), set(), 0
    hides = registry.home(name).words["secret"]
    position = game.position(seed=12, **options)
    while not position.over:
        number = rng.choice(position.legal_numbers())
        text, verb = position.texts[number], position.texts[number].split()[0]
        for seat in set(range(position.players)) - {position.seat}:
            view, seen = game.views(position.states, seat), after(position, number, seat)
            before, now = scene(game, view, seat), scene(game, seen, seat)
            words = told(name, text, before, now)
            if verb not in hides:
                assert words == text  # public, also where a new round clears it away at once
                continue
            secret.add(words == text)
            for world in game.determinize(np.repeat(view, 8), seed=len(secret)).reshape(8, 1):
                like = Position.of(game, world)
                for action in like.legal_numbers():
                    if after(like, action, seat).tobytes() == seen.tobytes():
                        assert told(name, like.texts[action], before, now) == words
                        other += action != number
        position.play(number)
    assert not hides or (other and False in secret)


def test_a_game_without_a_scene_of_its_own_is_shown_by_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.Home, "room", lambda home, name: None)
    room.cache_clear()
    game = engines.load("flip7")
    shown, text = scene(game, game.new(1, 3)), str(game.position(3))
    room.cache_clear()
    assert "\nround 1\n" in text and re.search(r"^seat 0: row \w+", text, re.MULTILINE)
    assert shown["table/text/round"] == "1" and shown["table/text/phase"] == "turn"


def test_the_end_of_a_round_of_taroky_says_what_was_paid() -> None:
    game, rng, told = engines.load("taroky"), random.Random(1), set()
    for seed in range(4):
        position, moves = game.position(seed, rounds=1), []
        while not position.over:
            moves.append(rng.choice(position.legal_numbers()))
            position.play(moves[-1])
        (past,) = position.view().history
        made = film(game.position(seed, rounds=1), moves)
        said = at(made, made["frames"] - 1, -1)["table/text/settled"]
        assert all(f"seat {seat}" in said for seat in past["declarers"])
        assert ("Valat was called" in said) == (past["kind"] == "valat")
        assert (f"with {past['points']} points" in said) == (past["kind"] != "uncalled valat")
        assert f"{past['pay'] - past['bonus']:+d} a head" in said and ("lost" in said) == (not past["won"])
        assert "table/text/settled" not in {key for key, text in at(made, 0, -1).items() if text}
        told.add(said)
    assert len(told) > 1


TRICKS = [  # of Taroky: cards in the order of play from seat 0 on, option ace_high, who takes the trick (rules 4.12)
    ("7s Ks 4h 8s", False, 1),
    ("7s Ks I Js", False, 2),
    ("XX XXI Sk Kd", False, 2),
    ("4h 1h 2h Js", False, 0),
    ("4h 1h 2h Js", True, 1),
    ("1h Jd Kd Qd", False, 0),
]


@pytest.mark.parametrize(("cards", "ace_high", "winner"), TRICKS)
def test_the_last_trick_of_taroky_is_shown_with_its_winner(cards: str, ace_high: bool, winner: int) -> None:
    from arena.replay.scenes import closing

    position = engines.load("taroky").position(1, ace_high=ace_high)
    played = [f"{seat}:{card}" for seat, card in enumerate(cards.split())]
    before, last = {"table/cards/trick": " ".join(played[:3])}, "play " + cards.split()[3]
    shown = closing(position, 3, last, before, {})
    assert shown == {"table/cards/last trick": " ".join(played), "table/text/last trick": f"seat {winner}"}
    assert closing(position, 3, last, before, {"table/cards/last trick": "the fifth"}) == {}


@pytest.mark.parametrize(("name", "tricks"), [("taroky", 12), ("julepe", 5)])
def test_every_trick_of_every_round_is_on_the_table_when_it_is_over(name: str, tricks: int) -> None:
    game, rng, moves = engines.load(name), random.Random(3), []
    position = game.position(3, rounds=2)
    while not position.over:
        moves.append(rng.choice(position.legal_numbers()))
        position.play(moves[-1])
    made = film(game.position(3, rounds=2), moves)
    shown = [at(made, frame, -1).get("table/cards/last trick", "") for frame in range(made["frames"])]
    ended = [now for before, now in pairwise(shown) if now and now != before]
    assert len(ended) == 2 * tricks
    assert all(at(made, frame, -1)["table/text/last trick"] for frame, now in enumerate(shown) if now)


def test_the_talon_of_taroky_lies_closed_until_it_is_taken_and_its_rest_until_the_end() -> None:
    game, seen = engines.load("taroky"), set[tuple[str, int, int]]()
    for seed in range(8):
        position = game.position(seed, 4, None, False)
        while not position.over and (phase := str(position.view(0).phase)) != "play":
            scenes = [scene(game, one) for one in (game.views(position.states, -1), position.states)]
            zones = ("table/cards/talon", "table/cards/rest of the talon")
            shown = [[one.get(zone, "").split() for zone in zones] for one in scenes]
            for closed, opened in zip(*shown, strict=True):
                assert set(closed) <= {"?"} and len(closed) == len(opened) and "?" not in opened
            seen.add((phase, *map(len, shown[1])))  # type: ignore[arg-type]
            legal = {position.texts[number]: number for number in position.legal_numbers()}
            wanted = "keep" if "keep" in legal else "prever" if seed % 2 else "pass"
            position.play(legal.get(wanted, next(iter(legal.values()))))
    assert {("bid", 6, 0), ("talon", 6, 0), ("draw", 2, 0), ("draw", 1, 0), ("call", 0, 0)} <= seen
    assert ("discard", 0, 3) in seen and ("discard", 0, 0) in seen


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


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "flip7": [{"goal": 60}, {"goal": 40, "players": 2, "flip_three": "after", "second_chance": "ask"}],
    "julepe": [{"rounds": 6}, {"rounds": 4, "nobody_safe": "pay", "stake": 20}],
    "zoliky": [{"max_rounds": 6}, {"max_rounds": 9, "joker_penalty": 5, "winner_pot": True}],
}


NAMES = [name for name in engines.names() if hasattr(registry.home(name).room("scene"), "settlement")]


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_every_part_add_up_to_the_change_of_the_totals(name: str) -> None:
    game, rng, labels = engines.load(name), random.Random(4), set()
    for seed in range(12):
        options = OPTIONS.get(name, [{}, {}])[seed % 2]
        position = game.position(seed, **options)
        before, said = [0] * position.players, in_words(settlement(game, core.PlainRow(position.states[0])))
        last = None
        assert name == "julepe" or not said
        while not position.over:
            then, actor = scene(game, position.states), position.seat or 0
            position.play(rng.choice(position.legal_numbers()))
            row = core.PlainRow(position.states[0])
            view = position.view()
            part = (getattr(view, "round", 0), getattr(view, "hand_number", 0), getattr(view, "deal", 0))
            if (part == last and not position.over) or (name == "zoliky" and not position.over):
                continue
            if last is not None or name == "zoliky":
                lines = settlement(game, row)
                for seat in range(position.players):
                    assert settlement(game, core.PlainRow(game.views(position.states, seat)[0])) == lines
                totals = list(view.totals)
                changes = [now - old for now, old in zip(totals, before, strict=True)]
                sums = [sum(column) for column in zip(*(c for _, c in lines))] or [0] * len(changes)
                assert sums == changes, (seed, last, lines, changes)
                told_of = outcome(position, actor, "", then, scene(game, position.states))
                headline = " ".join(re.findall(r"(?m)^ .* ends: (.*)$", told_of))
                assert [int(one) for one in re.findall(r"[+-]\d+", headline)] == changes * any(changes)
                labels |= {label.partition(",")[0] for label, _ in lines}
                before = totals
            last = part
        assert before == position.scores()
    assert len(labels) > 1, labels


def test_the_end_of_a_round_of_betting_is_told_with_the_cards_that_were_shown_and_who_won() -> None:
    game, rng, heads = engines.load("tzogous37"), random.Random(3), set()
    for seed in range(6):
        position = game.position(seed, 3, hands=2, joker_use=("swap", "lay")[seed % 2])
        told, totals = "", position.view().totals
        while not position.over:
            legal = [text for text in position.legal() if text != "fold" or rng.random() < 0.3]
            position.play(rng.choice(legal))
            now = scene(game, game.views(position.states, 0), 0)
            if (said := now.get("table/text/settled", "")) == told:
                continue
            cards = re.findall(r"seat (\d) showed (\S+) (\S+) for (\d+)", said)
            shown, won = {p: int(n) for p, *_, n in cards}, re.findall(r"(\d)[^;]* won \d", said)
            assert all(score(first, second) == shown[p] for p, first, second, _ in cards)
            assert not shown or {shown[p] for p in won} == {max(shown.values())}
            assert bool(shown) != ("as all others folded" in said)
            gained = [new - old for new, old in zip(position.view().totals, totals, strict=True)]
            assert {str(p) for p, change in enumerate(gained) if change > 0} <= {*won}
            told, totals = said, position.view().totals
            heads.add((now["head"], len(shown)))
    assert {"hand 2, round 4, over"} <= {head for head, _ in heads} and {0, 2, 3} <= {n for _, n in heads}
