"""Comparisons: played until known, resumed, in no rating; the exit code tells the answer."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arena.__main__ import app
from arena.api import extend_run, resume_comparison
from arena.cli.compare import print_answer
from arena.cli.output import Format
from arena.errors import RunError, UsageError
from arena.intake import registry
from arena.match.played import PlayedMatch
from arena.runs.comparing import look
from arena.runs.open import open_run, prepare
from arena.runs.pools import pools
from arena.runs.stages import setups
from arena.store import Store
from arena.store.models import LeagueRun
from leagues.definition import Comparison, Question

from .program import Head

POINTS = Question("effect", 0.0, 0.5)
NOBODY = ("--address", "127.0.0.1:9")  # no cluster is there: what is decided is not played


def opened(
    store: Store, question: Question = POINTS, players: int = 2, game: str = "flip7"
) -> tuple[LeagueRun, bool]:
    names = ("racer", "banker") if game == "flip7" else ("rock37", "random")
    bots = [registry.resolve(name, game, store) for name in names]
    comparison = Comparison.of(game=game, players=players, deals=1_000, seed=1, question=question)
    return open_run(store, prepare(store, comparison, bots))


def play_batches(store: Store, run: LeagueRun, gain: float, batches: int, mood: float = 0.0) -> None:
    """Store batches in which the first bot makes `gain` sds of a game more than the second, and in a whole match
    a random number more, whose sd is `mood`.
    """
    rng = np.random.default_rng(7)
    for setup in setups(store, run, store.runs.plans(run)[: 2 * batches]):  # two rotations of one line-up
        first = np.array(setup.plan.line_up)[setup.places] == 0
        gained = gain + mood * rng.standard_normal()
        scores = np.rint(100 * (rng.standard_normal(first.shape) + gained * first)).astype(np.int64)
        moves = [np.array([1], np.int16)] * len(first)
        store.matches.add(run, [PlayedMatch.of(setup, scores, moves, [0.0] * 2, [1] * 2)])


@pytest.mark.parametrize("gain, decision", [(2.0, "accepted"), (-1.0, "rejected"), (0.0, "rejected")])
def test_what_was_played_decides_between_the_two_hypotheses(store: Store, gain: float, decision: str) -> None:
    run, _ = opened(store)
    play_batches(store, run, gain, 20)
    answer = look(store, run)
    assert answer.decision == decision and answer.blocks >= 149
    assert answer.points_low < answer.points < answer.points_high
    assert answer.points == pytest.approx(100 * gain, abs=30)
    assert len(answer.worst) == 3 and answer.worst[0][1] <= answer.worst[1][1]


def store_games(store: Store, run: LeagueRun, first: int, second: int, batches: int = 20) -> None:
    """Store batches in which the first bot always makes so much and the second so much."""
    for setup in setups(store, run, store.runs.plans(run)[:batches]):
        mine = np.array(setup.plan.line_up)[setup.places] == 0
        scores, moves = np.where(mine, first, second), [np.array([1], np.int16)] * len(mine)
        store.matches.add(run, [PlayedMatch.of(setup, scores.astype(np.int64), moves, [0.0] * 2, [1] * 2)])


@pytest.mark.parametrize("question", [POINTS, Question("elo", 0.0, 10.0)])
def test_a_comparison_of_copies_ends_as_no_difference(
    store: Store, capsys: pytest.CaptureFixture[str], question: Question
) -> None:
    run, _ = opened(store, question)
    store_games(store, run, 0, 0)
    answer = look(store, run)
    assert print_answer(run, answer, Format.TABLE) == 3
    said = capsys.readouterr().out
    assert f"play alike: no difference in any of {answer.blocks} blocks" in said
    assert not any(word in said for word in ("evidence", "points per game", "Elo from places", "worst"))


@pytest.mark.parametrize("question", [POINTS, Question("elo", 0.0, 10.0), Question("elo", -1500.0, -500.0)])
@pytest.mark.parametrize("first, second, batches", [(9, 0, 20), (0, 9, 20), (9, 0, 1), (0, 0, 1)])
def test_a_sweep_is_printed_in_every_form(
    store: Store, question: Question, first: int, second: int, batches: int
) -> None:
    run, _ = opened(store, question)
    store_games(store, run, first, second, batches)
    answer = look(store, run)
    for how in ("table", "json"):
        command = ["--db", str(store.name), "league", "resume", run.label, "--format", how, *NOBODY]
        if answer.decision == "open":
            assert print_answer(run, answer, Format(how)) == 4
            continue
        shown = CliRunner().invoke(app, command)
        assert shown.exit_code == (0 if answer.decision == "accepted" else 3), shown.output
        assert "None" not in shown.output and "nan" not in shown.output.lower()
        assert ("too far apart to tell" in shown.output) == (how == "table")


def test_games_beyond_the_decision_change_nothing(store: Store) -> None:
    run, _ = opened(store)
    play_batches(store, run, 2.0, 12)
    first = look(store, run)
    play_batches(store, run, 2.0, 20)
    assert (later := look(store, run)) == first and first.blocks == 160
    assert first.games == later.games < first.stored < later.stored


def test_few_blocks_are_not_known_yet(store: Store) -> None:
    run, _ = opened(store)
    assert look(store, run).decision == "open" and look(store, run).points is None
    play_batches(store, run, 2.0, 5)
    assert (look(store, run).decision, look(store, run).blocks) == ("open", 80)


def test_dependent_games_are_judged_by_stretch(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    run, _ = opened(store)
    play_batches(store, run, 2.0, 20, mood=2.0)
    answer = look(store, run)
    assert (answer.decision, answer.blocks, answer.stretches, answer.least) == ("open", 320, 20, 32)
    assert print_answer(run, answer, Format.TABLE) == 4
    said = capsys.readouterr().out
    assert "20 stretches count, not blocks" in said and "nothing is decided before 32 stretches" in said
    play_batches(store, run, 2.0, 60, mood=2.0)
    later = look(store, run)
    assert later.decision == "accepted" and 32 <= (later.stretches or 0) == later.blocks / 16


def test_the_same_question_goes_on_and_another_one_starts_anew(store: Store) -> None:
    run, new = opened(store)
    again, anew = opened(store)
    assert new and not anew and again.label == run.label == "compare#1"
    assert opened(store, Question("elo", 0.0, 10.0))[1] and opened(store, players=3)[1]


def test_resuming_a_comparison_heeds_its_answer_and_it_is_not_extended(store: Store, ray_head: Head) -> None:
    run, _ = opened(store, game="tzogous37")  # its luck is not taken out, so these moves are never replayed
    play_batches(store, run, 2.0, 12)
    words = ["league", "resume", run.label, *ray_head, "--format", "json", "--db", store.name]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["decision"] == "accepted"
    count = store.matches.counts()[run.key]
    assert store.runs.find(run.label).state == "finished" and count.stored < count.planned
    with pytest.raises(RunError, match="compare#1 is a comparison"):
        extend_run(store, run.label, 10)
    with pytest.raises(UsageError, match="no run 'compare#2'"):
        resume_comparison(store, "compare#2")


def test_comparisons_are_in_no_rating(store: Store) -> None:
    run, _ = opened(store)
    play_batches(store, run, 1.0, 1)
    assert pools(store, store.runs.all(game="flip7")) == []


def arena(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["compare", *words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def test_a_comparison_is_played_until_known_and_then_shown(tmp_path: Path, ray_head: Head) -> None:
    words = ("racer", "random", "--game", "flip7", "--players", "2", "--effect", "0.5", "--seed", "3")
    words += ("--option", "goal=60", "--format", "json", *ray_head, "--db", str(tmp_path / "a.db"))
    code, out, err = arena(*words)
    answer = json.loads(out)
    assert (code, answer["decision"]) == (0, "accepted") and answer["points"] > 10 and "compare#1: new" in err
    assert arena(*words)[:2] == (0, out)
    assert arena(*("random", "racer", *words[2:]))[0] == 3
    stopped = (*words[:4], *ray_head, "--until", "0s", "--db", str(tmp_path / "b.db"))
    code, out, err = arena(*stopped)
    assert code == 4 and "not known yet" in out and "the same command goes on" in err


def test_against_a_field_luck_is_taken_out_also_after_a_stop(tmp_path: Path, ray_head: Head) -> None:
    words = ("racer", "random", "--game", "flip7", "--players", "2", "--bots", "field", "--effect", "1")
    words += ("--option", "goal=20", "--seed", "5", "--format", "json", *ray_head, "--db")
    code, out, _ = arena(*words, str(tmp_path / "one.db"))
    answer = json.loads(out)
    assert code == 0 and 0.1 < answer["luck_saved"] < 0.9 and answer["points"] != answer["raw_points"]
    assert answer["alarms"] == []
    stopped = (*words, str(tmp_path / "two.db"))
    code, early, _ = arena(*stopped, "--until", "0.1s")
    assert code == 4 and json.loads(early)["blocks"] < answer["blocks"]
    code, out, err = arena(*stopped, "--until", "10m")
    assert (code, json.loads(out) | {"stored": answer["stored"]}) == (0, answer) and "goes on" in err


WRONG = [
    (["racer", "racer", "--game", "flip7"], "a bot stands twice"),
    (["racer", "banker", "--game", "flip7", "--until", "soon"], "write a time as 90s, 10m or 4h"),
    (["oddsman", "racer", "--game", "flip7", "--bots", "racer"], "a bot stands twice"),
    (["racer", "banker", "--game", "flip7", "--level", "none"], "no level 'none'"),
    (["racer", "banker", "--game", "flip7", "--elo0", "20"], "--elo0 20 --elo1 10: what is accepted must"),
    (["racer", "banker", "--game", "flip7", "--option", "deck"], "write it as key=value"),
    (["racer", "banker", "--game", "flip7", "--deals", "148"], "before 149 deals; ask for 149 or more"),
]


@pytest.mark.parametrize("words, said", WRONG)
def test_a_wrong_call_says_what_to_do(tmp_path: Path, words: list[str], said: str) -> None:
    code, out, err = arena(*words, "--db", str(tmp_path / "wrong.db"))
    assert code == 2 and said in err and not out
