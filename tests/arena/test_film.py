"""A film of a game shows at every decision what the engine shows every seat."""

import random
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import engines
from arena.replay.film import Film, film
from arena.replay.scenes import scene, told
from engines import registry
from engines.core import States
from engines.position import Position
from engines.scene import room
from tests.engines.short import SHORT


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
            assert shown.get(f"seat/{viewer}/cards/{place}", "").replace("?", "").split() == list(
                getattr(view, place)
            ), (frame, viewer)
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
def test_the_last_trick_of_a_round_of_taroky_is_shown_after_it_with_its_winner(
    cards: str, ace_high: bool, winner: int
) -> None:
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
