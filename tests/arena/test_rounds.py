"""Tournaments in rounds, played for real: they go on where they stopped, and every round is verified."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arena import api
from arena.__main__ import app
from arena.runs.grow import round_differences, why_open
from arena.runs.open import enter, open_run, prepare
from arena.store import Store
from arena.store.packing import pack_schedule
from leagues import definition
from leagues.errors import DefinitionError
from leagues.formats.adaptive import unsure
from leagues.ratings.elo import bradley_terry
from leagues.ratings.results import Results

from .program import Head, without_clocks

LEAGUE = """game = "flip7"
players = 2
entrants = ["banker", "oddsman", "racer", "random"]
submitted = false
deals = 40
[options]
goal = 50
"""


def arena(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["league", *words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


Play = Callable[..., tuple[int, str, str]]


@pytest.fixture
def play(ray_head: Head) -> Play:
    """`arena league run` on the suite's Ray."""
    return lambda *words: arena("run", *words, *ray_head)


def file_of(tmp_path: Path, more: str = "") -> str:
    path = tmp_path / "quick.toml"
    path.write_text(LEAGUE.replace("[options]", f"{more}\n[options]"))
    return str(path)


def rounds_in(store: Store, label: str) -> list[list[tuple[tuple[int, ...], int]]]:
    run = store.runs.find(label)
    rounds: dict[int, list[tuple[tuple[int, ...], int]]] = {}
    for plan in store.runs.plans(run):
        rounds.setdefault(plan.stage, []).append((plan.line_up, plan.blocks))
    return list(rounds.values())


def test_an_adaptive_league_stops_goes_on_and_is_verified(tmp_path: Path, play: Play) -> None:
    league, one, two = file_of(tmp_path), str(tmp_path / "one.db"), str(tmp_path / "two.db")
    code, out, err = play(league, "--until", "best", "--deals", "40", "--seed", "3", "--db", one)
    assert code == 0 and "round 2" in err and "best is" in err and "oddsman@1" in out
    code, out, _ = arena("verify", "quick#1", "--workers", "1", "--db", one)
    assert code == 0 and out.startswith("quick#1: 160 games, no difference;")
    code, _, err = play(league, "--until", "best,0s", "--deals", "40", "--seed", "3", "--db", two)
    assert code == 0 and "round 2" not in err  # time is up after the first round
    first, second = rounds_in(Store(one), "quick#1"), rounds_in(Store(two), "quick#1")
    assert len(first) > 1 and second == first[:1]


def test_a_goal_that_is_not_reached_says_who_is_in_its_way() -> None:
    lost = np.tile([-np.inf, -np.inf, 0.0], (40, 1))
    results = Results(np.tile([0, 1, 2], (40, 1)), np.zeros((40, 3)), np.arange(40), lost)
    labels, fit = ["ann@1", "bob@1", "cid@1"], bradley_terry(results, 3)
    told = why_open(unsure("separated", fit), labels, results)
    assert told.count("are not separated") == 2  # two that lost every game are equal
    assert told.endswith("; ann@1 forfeited every game; bob@1 forfeited every game")
    assert why_open([(0, 1)] * 5, labels, results.rows(slice(0, 0))).endswith("; 2 more")
    assert why_open(unsure("ci=1", fit), labels, results) == "cid@1 has too wide an interval"


def test_an_adaptive_league_counts_deals_and_not_matches(tmp_path: Path, play: Play) -> None:
    db = str(tmp_path / "ci.db")
    words = "--until ci=300 --deals 300 --seed 4 --format json --db"
    code, out, err = play(file_of(tmp_path), *words.split(), db)
    assert code == 0 and "ci=300 is reached" in err
    assert all(32 <= row["blocks"] < 150 for row in json.loads(out))  # 32 matches would be some 500 deals


def test_a_league_that_was_stopped_in_a_round_goes_on_to_the_same_end(tmp_path: Path, ray_head: Head) -> None:
    league, ends = file_of(tmp_path, 'tournament = "swiss"'), []

    @contextlib.contextmanager
    def impatient(total: int, done: int, unit: str) -> Iterator[Callable[..., None]]:
        seen = []

        def add(more: int, **facts: int) -> None:
            seen.append(more)
            if stops and len(seen) > 2:
                raise KeyboardInterrupt

        yield add

    for name, times in (("one", 0), ("two", 2)):
        stops = times
        store = Store(str(tmp_path / f"{name}.db"), create=True)
        shorter = definition.load(league, deals=6, seed=9)
        options = api.PlayOptions(address=ray_head[1], watch=impatient)
        while True:
            try:
                run = api.run_league(store, shorter, options=options)
            except KeyboardInterrupt:
                stops -= 1
                continue
            break
        ends.append((rounds_in(store, run.label), without_clocks(api.report(store, run)["table"])))
    assert ends[0] == ends[1] and len(ends[0][0]) == 3


def test_a_round_that_the_games_do_not_give_is_found(tmp_path: Path, play: Play) -> None:
    league, db = file_of(tmp_path, 'tournament = "swiss"'), str(tmp_path / "swiss.db")
    code, _, err = play(league, "--deals", "3", "--seed", "5", "--format", "json", "--db", db)
    assert code == 0 and "round 3" in err
    store = Store(db, create=True)
    run = store.runs.find("quick")
    rounds = rounds_in(store, "quick")
    assert len(rounds) == 3 and all(len({line for line, _ in some}) == 2 for some in rounds)
    assert round_differences(store, run) == []
    changed = store.runs.stages(run)[2]
    plans = [plan for plan in store.runs.plans(run) if plan.stage == 2]
    swapped = sorted(plans, key=lambda plan: (-plan.first_block, plan.number))
    with store.writing() as session:
        both = zip(plans, swapped)
        changed.schedule = pack_schedule(
            [[old.rotation, old.first_block - 4, old.blocks, *new.line_up] for old, new in both]
        )
        session.merge(changed)
    assert round_differences(store, run) == ["stage 2: not the round that the games before it give"]
    assert arena("verify", "quick", "--workers", "1", "--db", db)[0] == 1


def test_a_knockout_names_who_won_the_final(tmp_path: Path, play: Play) -> None:
    league, db = file_of(tmp_path), str(tmp_path / "a.db")
    code, _, err = play(league, "--tournament", "knockout", "--deals", "8", "--seed", "1", "--db", db)
    assert code == 0 and "has won the final" in err
    assert [len({line for line, _ in some}) for some in rounds_in(Store(db), "quick")] == [6, 2, 1]


def test_bots_of_one_owner_are_seated_together_only_where_it_is_allowed(store: Store, tmp_path: Path) -> None:
    league = definition.load(file_of(tmp_path)).changed(deals=12)
    bots = enter(store, league)
    for bot in bots[:2]:
        bot.owner = "ada"
    run = open_run(store, prepare(store, league, bots))[0]
    assert {0, 1} not in [set(plan.line_up) for plan in store.runs.plans(run)]
    allowed = league.changed(same_owner=True)
    run = open_run(store, prepare(store, allowed, bots))[0]
    assert {0, 1} in [set(plan.line_up) for plan in store.runs.plans(run)]


def test_candidates_play_the_field_and_not_each_other(tmp_path: Path, play: Play) -> None:
    db = str(tmp_path / "arena.db")
    words = (file_of(tmp_path), "--candidates", "random,banker", "--deals", "8", "--seed", "2")
    code, out, _ = play(*words, "--format", "json", "--db", db)
    games = {row["bot"]: row["games"] for row in json.loads(out)}
    assert code == 0 and games == {"random": 16, "banker": 16, "oddsman": 16, "racer": 16}
    names = [entry.bot.name for entry in Store(db).runs.entries(Store(db).runs.find("quick"))]
    met = {frozenset(names[one] for one in line) for line, _ in rounds_in(Store(db), "quick")[0]}
    assert frozenset(("random", "banker")) not in met and len(met) == 4


@pytest.mark.parametrize(
    "words, said",
    [
        ("--tournament swis", "did you mean swiss?"),
        ("--until soon", "until = 'soon': allowed is best"),
        ("--until 1h,2h", "one goal and one time"),
        ("--until best --tournament swiss", "is for tournament = 'adaptive'"),
        ("--tournament gauntlet", "needs candidates and a field"),
    ],
)
def test_a_wrong_call_says_what_to_do(tmp_path: Path, words: str, said: str) -> None:
    code, _, err = arena("run", file_of(tmp_path), *words.split(), "--db", str(tmp_path / "wrong.db"))
    assert code in (1, 2) and said in err


def test_a_file_with_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="candidates are for tournament = 'gauntlet'"):
        definition.load(file_of(tmp_path, 'candidates = ["racer"]'))
    with pytest.raises(DefinitionError, match="line 6: tournament = 'cup': allowed is round-robin"):
        definition.load(file_of(tmp_path, 'tournament = "cup"'))


def test_rounds_after_a_join_are_under_a_secret_that_was_not_shown_before(tmp_path: Path, play: Play) -> None:
    league, db = file_of(tmp_path, 'tournament = "adaptive"\nuntil = "ci=1"'), str(tmp_path / "joined.db")
    begun = ("--bots", "banker,oddsman,racer", "--deals", "60")
    assert play(league, *begun, "--db", db)[0] == 0
    store = Store(db)
    (shown,) = {stage.secret for stage in store.runs.stages(store.runs.find("quick"))}
    assert play(league, "--join", "--bots", "random", "--db", db)[0] == 0
    every = store.runs.stages(store.runs.find("quick"))
    later = every[[stage.kind for stage in every].index("join") :]
    assert len(later) > 1 and {stage.kind for stage in later[1:]} == {"round"}
    assert len({stage.secret for stage in later}) == 1 and shown not in {stage.secret for stage in later}
