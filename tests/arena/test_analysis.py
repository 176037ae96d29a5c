"""`arena analyse`: what decisions of stored games, of records and of a run cost, and how honest that is."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import engines
from arena.intake.debug import choosers
from arena.replay.analysis import analyse, costliest, seats_in, totals
from arena.replay.recorded import from_file, stored
from arena.store import Store
from engines.search.judge import SURE, Verdict, judge, trifle

from .program import cli as arena
from .test_replay import db as db

BEST = {"flip7": "racer", "julepe": "reckoner", "taroky": "rule", "tzogous37": "odds37", "zoliky": "tallyman"}
"""The best house bot without search."""


def test_every_choice_of_a_game_is_judged_and_told_alike_again(db: str) -> None:
    game = stored(Store(db), "flip7#1/0")
    found = list(analyse(game))
    lost = game.seat_of("talker")
    expected = sorted(
        at for seat in range(4) for at in game.asked(seat)
        if seat not in game.lost or at < game.lost[seat].decision
    )  # fmt: skip
    assert lost in game.lost and [one.decision for one in found] == expected
    printed = json.loads(arena("analyse", "flip7#1/0", "--format", "json", "--db", db).stdout)
    assert printed == [one.plain() for one in found]
    seat = json.loads(arena("analyse", "flip7#1/0", "--seat", "1", "--format", "json", "--db", db).stdout)
    assert seat == [one for one in printed if one["seat"] == 1]
    sums = totals(found)
    assert sum(one.decisions for one in sums) == len(found)
    assert sum(one.cost * one.decisions for one in sums) == pytest.approx(sum(one.cost for one in found))


def test_the_costliest_decisions_of_a_bot_in_a_run_are_shown_as_it_saw_them(db: str) -> None:
    every = json.loads(
        arena("analyse", "--bots", "talker", "--workers", "2", "--format", "json", "--db", db).stdout
    )
    assert {one["bot"] for one in every} == {"talker@1"} and len({one["game"] for one in every}) > 6
    out = arena("analyse", "flip7#1", "--bots", "talker", "--workers", "1", "--limit", "1", "--db", db).stdout
    costly = [one for one in every if one["verdict"] == "costly"]
    most = max(costly, key=lambda one: one["cost"] - 1.96 * one["error"])
    assert f"{most['game']}, decision {most['decision']}, seat {most['seat']} (talker@1), turn" in out
    played = f"played {most['played']}; {most['best']} is better: cost {100 * most['cost']:.2f}"
    assert played in out and out.count("is better") == 1


def test_bots_of_a_game_are_judged_in_all_their_seats(db: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    lines = arena("replay", "flip7#1/0", "--format", "jsonl", "--db", db).stdout.splitlines()
    head = json.loads(lines[0]) | {"bots": ["racer@1", "other@1", "racer@1", "draft (guest 01)"]}
    path.write_text("\n".join([json.dumps(head), *lines[1:]]) + "\n")
    game = from_file(path)
    assert seats_in(game, ["racer"]) == [0, 2] and seats_in(game, ["./draft.py", "other"]) == [1, 3]
    assert seats_in(game, []) == []
    printed = json.loads(
        arena(
            "analyse", str(path), "--bots", "racer", "--worlds", "64", "--format", "json", "--db", db
        ).stdout
    )
    assert {one["seat"] for one in printed} == {0, 2}
    error = arena("analyse", str(path), "--bots", "racer,nobody", "--db", db, code=2).stderr
    assert "nobody did not play" in error
    both = arena("analyse", str(path), "--bots", "racer", "--seat", "1", "--db", db, code=2).stderr
    assert "not both" in both


def test_a_record_is_analysed_and_one_against_the_rules_is_refused(db: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(arena("replay", "flip7#1/1", "--format", "jsonl", "--db", db).stdout)
    ours = [(one.decision, one.cost, one.error) for one in analyse(from_file(path))]
    theirs = {
        one.decision: (one.decision, one.cost, one.error) for one in analyse(stored(Store(db), "flip7#1/1"))
    }
    assert set(theirs.values()) <= set(ours)
    path.write_text(path.read_text().replace('"action": "hit"', '"action": "stay"', 1))
    assert str(path) in arena("analyse", str(path), "--db", db, code=1).stderr


@pytest.mark.soak
@pytest.mark.parametrize("game", BEST)
def test_planted_blunders_are_found_and_the_judges_own_choice_is_not_blamed(game: str) -> None:
    """In games of the best house bot one action in ten is another one; the truth is told by 20 times the worlds."""
    real = found = right = called = own = blamed = 0
    rng = random.Random(1)
    for seed in range(6):
        position = engines.load(game).position(seed=seed)
        with choosers([BEST[game]] * position.players, game, seed, None, "trusted") as asked:
            number = 0
            while not position.over:
                view, number = position.view(), number + 1
                action = int(view.legal[0])
                if len(view.legal) > 1:
                    answer = asked[view.seat](position)
                    action = (
                        position.game.action(answer, dict(position.options))
                        if isinstance(answer, str)
                        else answer
                    )
                    if rng.random() < 0.1:
                        action = int(rng.choice(view.legal.tolist()))
                        mine, truth = (
                            judge(view, action, number),
                            judge(view, action, 9**9 + number, worlds=10_240),
                        )
                        costly = truth.cost > max(trifle(game), SURE * mine.error, SURE * truth.error)
                        real += costly
                        found += costly and mine.verdict == Verdict.COSTLY
                        called += mine.verdict == Verdict.COSTLY
                        right += mine.verdict == Verdict.COSTLY and truth.cost > 0
                        best = truth.actions[np.argmax(truth.values)]
                        own += 1
                        blamed += judge(view, int(best), number).verdict == Verdict.COSTLY
                position.play(action)
    print(f"{game}: found {found} of {real}, right {right} of {called}, own choice blamed {blamed} of {own}")
    assert found >= 0.9 * real and right >= 0.95 * called and blamed <= 0.05 * own


def test_the_costliest_come_first_and_only_costly_ones(db: str) -> None:
    found = list(analyse(stored(Store(db), "flip7#1/2"), worlds=64))
    listed = costliest(found)
    assert {one.verdict for one in listed} <= {"costly"}
    assert len(listed) == sum(one.verdict == "costly" for one in found)
