"""Runs: which one a command goes on with, what may join or be added, what counts in the table, and what a
run holds."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event

from arena import __version__, extend_run, resume_run, run_league
from arena.errors import RunError, UsageError
from arena.intake import registry
from arena.match import identity
from arena.match.played import Forfeited, PlayedMatch
from arena.runs.grow import extend, join, newcomers_of
from arena.runs.guard import check_code, check_rules, why_not
from arena.runs.open import closed, commit_league, enter, open_run, prepare
from arena.runs.pools import pools, pools_of
from arena.runs.report import report_of
from arena.runs.stages import check_beacon, deal_secret, setups, with_code
from arena.runs.standings import make_table, pool_table, run_table
from arena.store import Store
from arena.store.leases import Driver
from arena.store.models import Bot, LeagueRun
from leagues import definition
from leagues.definition import League
from leagues.errors import DefinitionError

from .program import Arena

BOTS = ("random", "banker", "oddsman", "racer")
SCORES = {"random": 10, "banker": 50, "oddsman": 100, "racer": 200}


def flip7(**changes: int | str) -> League:
    return definition.load("flip7", deals=6, **changes)


def opened(store: Store, league: League | None = None, bots: tuple[str, ...] = BOTS) -> LeagueRun:
    league = league or flip7(seed=1)
    return open_run(store, prepare(store, league, enter(store, league, bots)))[0]


def play_match(store: Store, run: LeagueRun, number: int, lost: str = "") -> None:
    """Store a match in which every bot always has its score; `lost` forfeits all its games."""
    (setup,) = setups(store, run, [store.runs.plans(run)[number]])
    names = [entry.bot.name for entry in store.runs.entries(run)]
    seated = [[names[setup.plan.line_up[place]] for place in places] for places in setup.places.tolist()]
    faults = [
        Forfeited(i, row.index(lost), int(setup.places[i, row.index(lost)]), 3, "cpu", "too slow")
        for i, row in enumerate(seated)
        if lost in row
    ]
    scores = np.array([[SCORES.get(name, 0) for name in row] for row in seated])
    moves, used = [np.array([1], np.int16)] * len(seated), [0.001] * setup.players
    match = PlayedMatch.of(setup, scores, moves, used, [10] * setup.players, wall_s=1.0, forfeits=faults)
    store.matches.add(run, [match])


def play_all(store: Store, run: LeagueRun, lost: str = "") -> None:
    for plan in store.runs.plans(run):
        play_match(store, run, plan.number, lost)


def finished(store: Store, *arguments: object, lost: str = "") -> LeagueRun:
    run = opened(store, *arguments)
    play_all(store, run, lost)
    store.runs.close(run)
    return run


def test_the_table_has_mean_scores_games_and_cpu_time(store: Store) -> None:
    rows = run_table(store, finished(store)).rows
    assert [row.bot for row in rows] == ["racer", "oddsman", "banker", "random"]
    assert [row.mean for row in rows] == [200, 100, 50, 10]
    assert {row.games for row in rows} == {24} and {row.cpu_us for row in rows} == {100.0}
    assert [row.perfect for row in rows] == [1, 0, 0, -1]
    assert sum(row.elo or 0 for row in rows) / 4 == pytest.approx(1500, abs=0.1)


def test_a_seat_that_forfeited_is_last_and_scores_the_lowest_at_its_table(store: Store) -> None:
    rows = run_table(store, finished(store, lost="racer")).rows
    assert [row.bot for row in rows] == ["oddsman", "banker", "random", "racer"]
    assert rows[-1].mean == 10 and rows[-1].forfeits == 24 and rows[-1].faults == "24 cpu"
    assert [row.mean for row in rows[:3]] == [100, 50, 10]


def test_runs_of_trusted_bots_are_shown_by_score_and_are_in_no_pool(store: Store) -> None:
    run = finished(store, flip7(seed=1, level="trusted"))
    rows = run_table(store, run).rows
    assert [row.mean for row in rows] == [200, 100, 50, 10]
    assert {row.elo for row in rows} == {row.rank for row in rows} == {None}
    assert pools(store, [run]) == []


def test_a_table_is_made_once_for_a_state_of_the_store_of_complete_blocks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(store)
    for number in range(3):  # three of four rotations
        play_match(store, run, number)
    made = []
    counted = lambda *words: made.append(1) or make_table(*words)
    monkeypatch.setattr("arena.runs.standings.make_table", counted)
    assert [len(run_table(store, run).rows) for _ in range(3)] == [0, 0, 0] and len(made) == 1
    play_match(store, run, 3)
    assert [len(run_table(store, run).rows) for _ in range(2)] == [4, 4] and len(made) == 2
    assert {row.games for row in run_table(store, run).rows} == {24}


def variant(tmp_path: Path, lines: str) -> League:
    path = tmp_path / "spring.toml"
    path.write_text(f'game = "flip7"\nentrants = ["random", "banker"]\ndeals = 6\n{lines}')
    return definition.load(str(path))


def test_the_unfinished_run_of_the_same_definition_goes_on_and_others_start_anew(store: Store) -> None:
    fresh = flip7()
    first = opened(store, fresh)
    assert opened(store, fresh).label == first.label == "flip7#1"
    assert opened(store, fresh, BOTS[:3]).label == "flip7#2"
    assert opened(store, fresh).label == "flip7#1"
    secret = store.runs.stages(first)[0].secret
    store.runs.close(first)
    again = opened(store, fresh)
    assert again.label == "flip7#3" and store.runs.stages(again)[0].secret != secret
    seeded = opened(store, flip7(seed=9))
    store.runs.close(seeded)
    assert opened(store, flip7(seed=9)).label == seeded.label


def test_submitted_bots_enter_unless_the_entrants_are_named(store: Store) -> None:
    for name, game in (("mine", "flip7"), ("other", "taroky")):
        store.bots.add(Bot(name=name, version=0, kind="submitted", games=[game], title="", hash=name), b"")
    assert [bot.name for bot in enter(store, flip7())] == sorted([*flip7().entrants, "mine"])
    assert [bot.name for bot in enter(store, flip7(), ("racer", "racer", "random"))] == ["racer", "random"]
    with pytest.raises(UsageError, match="two are needed"):
        enter(store, flip7(), ("racer",))


GOOD = 'GAMES = ["flip7"]\n\ndef act(view):\n    return view.legal[0]\n'
RULES_FILE = "engines/flip7/__init__.py"


def edit(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """From now on this file has other contents."""
    real = identity._digest
    monkeypatch.setattr(identity, "_digest", lambda file: "edited" if file == path else real(file))
    monkeypatch.setattr(identity, "_playing", identity._playing.__wrapped__)


def test_a_run_holds_complete_limits_its_schedule_and_what_code_plays_it(store: Store) -> None:
    run = opened(store)
    (stage,) = store.runs.stages(run)
    assert run.definition.limits.cpu_ms_per_decision > 0 and len(run.definition.plain()["limits"]) > 5
    files = stage.code["files"]
    assert {"engines/flip7/__init__.py", "arena/match/batch.py", "arena/cluster/task.py"} <= set(files)
    assert "leagues/plan.py" in files
    assert any(path.startswith("arena/jail/") for path in files)
    assert not any(path.startswith(("engines/taroky", "arena/store", "arena/cli", "tests")) for path in files)
    assert stage.code["versions"].keys() == {"card-arena", "python", "numpy", "numba", "ray", "commit"}
    assert stage.code["versions"]["card-arena"] == __version__
    assert all(entry.content for entry in store.runs.entries(run))


def test_a_bots_content_follows_its_imports_of_ours(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    helped = GOOD.replace("GAMES", "from engines.flip7 import GAME\n\nGAMES", 1)
    bots = []
    for name, source in (("alone", GOOD), ("helped", helped)):
        (tmp := store.file.parent / f"{name}.py").write_text(source)
        bots.append(registry.resolve(str(tmp), "flip7", store))
    before = [entry.content for entry in with_code(store, "flip7", bots)[0]]
    edit(monkeypatch, RULES_FILE)
    after = [entry.content for entry in with_code(store, "flip7", bots)[0]]
    assert before[0] == after[0] and before[1] != after[1]


@pytest.mark.parametrize(
    "commit, told", [("0123456789ab", "commit 0123456789ab"), ("", r"the commit of .* whose code is \w{12}$")]
)
def test_after_a_change_of_the_rules_a_run_says_what_changed_and_does_not_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, commit: str, told: str
) -> None:
    monkeypatch.setattr(identity, "commit", lambda: commit)
    run = opened(store, flip7())
    check_code(store, run)
    edit(monkeypatch, RULES_FILE)
    assert why_not(store, run) == f"{RULES_FILE} changed since it was begun"
    told_on = rf"flip7#1 cannot go on: {RULES_FILE} changed.*arena league abort flip7#1"
    with pytest.raises(RunError, match=told_on):
        check_code(store, run)
    with pytest.raises(RunError, match=f"flip7#1 cannot be replayed: .*; use {told}"):
        check_rules(store, run)
    monkeypatch.setattr("arena.runs.guard.__version__", "9.9")
    place = rf"\.venv-{__version__}"
    commands = rf"python -m venv {place} .*pip install /path/to/card-arena-{__version__}, "
    commands += f"then {place}/bin/arena league verify flip7#1 --db {store.name}"
    with pytest.raises(RunError, match=f"played with card-arena {__version__}: {commands}"):
        check_rules(store, run)
    assert opened(store, flip7()).label == "flip7#2"  # other rules: another run


def test_a_run_plays_the_schedule_it_was_begun_with(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = opened(store, flip7())
    before = store.runs.plans(run)
    monkeypatch.setattr("leagues.schedule.MATCH_DEALS", 2)
    assert store.runs.plans(run) == before
    other = store.runs.plans(opened(store, flip7(), BOTS[:3]))
    assert max(plan.blocks for plan in other) <= 2


def test_added_deals_are_new_blocks_under_a_new_secret(store: Store) -> None:
    run = finished(store, flip7())
    extend(store, run, 4)
    again = store.runs.find(run.label)
    one, two = store.runs.stages(again)
    assert again.state == "playing" and two.kind == "extend" and one.secret != two.secret
    assert one.commitment != two.commitment
    ready = list(setups(store, again))
    assert [setup.number for setup in ready] == list(range(8))
    assert [setup.plan.stage for setup in ready] == [0] * 4 + [1] * 4
    deals = {seed for setup in ready for seed in setup.seeds.tolist()}
    blocks = {block for setup in ready for block in setup.blocks.tolist()}
    assert len(deals) == 10 and blocks == set(range(10))
    with pytest.raises(RunError, match="only a finished run can be extended"):
        extend(store, again, 1)
    play_all(store, again)
    assert {row.games for row in run_table(store, again).rows} == {40}


def test_a_newcomer_plays_its_own_deals_against_the_field_and_old_games_keep_counting(store: Store) -> None:
    league = flip7()
    run = finished(store, league, BOTS[:3])
    newcomers = newcomers_of(store, run, league, enter(store, league, BOTS))
    assert [bot.name for bot in newcomers] == ["racer"]
    before = len(store.runs.plans(run))
    join(store, run, newcomers)
    again = store.runs.find(run.label)
    assert again.state == "playing"
    added = store.runs.plans(again)[before:]
    assert added and all(plan.line_up.count(3) == 1 for plan in added)
    # its deals, not a new round robin
    assert sum(plan.blocks for plan in added if plan.rotation == 0) == 6
    play_all(store, again)
    rows = {row.bot: row for row in run_table(store, again).rows}
    assert rows["racer"].games == 24 and rows["random"].games > 24
    assert newcomers_of(store, again, league, enter(store, league, BOTS)) == []


def test_nobody_joins_a_run_with_other_options(store: Store, tmp_path: Path) -> None:
    run = finished(store, variant(tmp_path, ""), BOTS[:2])
    other = variant(tmp_path, "[options]\ngoal = 50")
    with pytest.raises(RunError, match="spring#1 was played with other options"):
        newcomers_of(store, run, other, enter(store, other, BOTS))


def test_limits_that_can_never_be_used_are_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"cpu_s_match = 90, but .* come to 143 s: raise it"):
        variant(tmp_path, "[limits]\ncpu_ms_per_decision = 2000")  # 5 + 10 + 64 * 2 s
    opened(store, variant(tmp_path, "[limits]\ncpu_ms_per_decision = 2000\ncpu_s_match = 143"), BOTS[:2])


def test_one_newcomer_may_join_and_cannot_bring_own_deals_or_seed(store: Store, arena: Arena) -> None:
    league = flip7()
    run = finished(store, league, BOTS[:3])
    newcomers = newcomers_of(store, run, league, enter(store, league, ["racer"], least=1))
    assert [bot.name for bot in newcomers] == ["racer"]
    for own in (["--deals", "3"], ["--seed", "3"], ["--beacon", "x"]):
        words = ["league", "run", "flip7", "--bots", "racer", "--join", *own, "--db", store.name]
        assert "a newcomer plays the deals of the run: leave out" in arena.run(*words, code=2)[1]
    assert store.runs.find(run.label).state == "finished"


def test_deals_depend_on_the_secret_and_every_entrant(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leagues.secret.secrets.token_bytes", lambda n: b"x" * n)
    seeds, secrets = [], set()
    for bots in (BOTS, BOTS[:3]):
        run = opened(store, flip7(), bots)
        seeds.append(set(next(setups(store, run)).seeds.tolist()))
        secrets.add(store.runs.stages(run)[0].secret)
        store.runs.delete(run)  # a secret is for one run
    assert len(secrets) == 1 and seeds[0].isdisjoint(seeds[1])


def fingerprint_of(shown: dict[str, Any]) -> bytes:
    """What a stranger makes of what is published of the first stage of a run."""
    stage = shown["stages"][0]
    names = [[bot["bot"], bot["version"], bot["hash"], bot["content"]] for bot in shown["entrants"]]
    files = "\n".join(f"{path} {digest}" for path, digest in sorted(stage["code"]["files"].items()))
    code = hashlib.sha256(files.encode()).hexdigest()
    facts = [stage["kind"], 0, shown["definition"], names, code, stage["schedule"]]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).digest()


def test_a_secret_that_was_committed_to_before_the_bots_came_is_the_next_runs(store: Store) -> None:
    published = store.runs.commit("flip7")
    assert store.runs.commit("flip7") == published
    assert store.runs.stages(opened(store, flip7()))[0].secret_hash == published
    assert store.runs.commitments() == [] and store.runs.commit("flip7") != published


def test_a_secret_that_was_closed_for_a_beacon_is_not_used_up_without_one(store: Store) -> None:
    promise = commit_league(store, "flip7", close=True)
    with pytest.raises(UsageError, match="flip7 was closed for a beacon: give --beacon VALUE"):
        run_league(store, "flip7")
    assert store.runs.all() == [] and store.runs.commitments()[0].secret_hash == promise.secret_hash
    check_beacon(store, "flip7", "drand 1")
    assert commit_league(store, "flip7").secret_hash == promise.secret_hash
    check_beacon(store, "flip7")


def test_a_beacon_changes_the_deals_of_one_secret_and_what_was_closed_can_be_checked(store: Store) -> None:
    store.runs.commit("flip7")
    bots = enter(store, flip7(), BOTS)
    published = closed(store, flip7(), bots)
    seeds = []
    for beacon in ("drand 1", "drand 2"):
        prepared = prepare(store, flip7(beacon=beacon), bots)
        seeds.append(deal_secret(prepared.stage).deal_seed(0))
    run, _ = open_run(store, prepared)
    assert seeds[0] != seeds[1] and run.definition.beacon == "drand 2"
    store.runs.close(run)
    shown = report_of(store, store.runs.find(run.label))
    shown["definition"] |= {"beacon": ""}  # as it was when the entries were closed
    assert fingerprint_of(shown).hex() == published
    with pytest.raises(DefinitionError, match="known seed: a beacon would change nothing"):
        flip7(seed=3, beacon="x")


def test_a_run_that_is_played_is_refused_before_anything_is_tried(store: Store) -> None:
    run = opened(store, flip7())
    driver = Driver.this_process()
    store.leases.take(run, driver)
    ways = (
        lambda: newcomers_of(store, run, flip7(), []),
        lambda: run_league(store, flip7(), BOTS),
        lambda: resume_run(store, "flip7#1"),
        lambda: extend_run(store, "flip7#1", 1),
    )
    for refused in ways:
        with pytest.raises(RunError, match=f"flip7#1 is being played by {re.escape(driver.who)}"):
            refused()


def test_known_seeds_give_the_same_deals_whoever_plays(store: Store) -> None:
    deals = next(setups(store, opened(store, flip7(seed=3)))).seeds.tolist()
    other = opened(store, flip7(seed=3, level="trusted"))
    assert next(setups(store, other)).seeds.tolist() == deals


def test_nothing_that_a_worker_gets_leads_to_the_secret(store: Store) -> None:
    run = opened(store, flip7())
    (stage,) = store.runs.stages(run)
    for setup in setups(store, run):
        for secret in (stage.secret, stage.fingerprint):
            assert secret not in repr(setup) and bytes.fromhex(secret) not in repr(setup).encode()
        assert len({*setup.seeds.tolist(), *setup.bot_seeds}) == len(setup.seeds) + 4


def test_the_secret_is_shown_when_a_run_has_ended_and_not_before(store: Store) -> None:
    run = opened(store, flip7())
    assert [stage["secret"] for stage in report_of(store, run)["stages"]] == [None]
    store.runs.close(run, aborted=True)
    shown = report_of(store, store.runs.find(run.label))
    assert shown["state"] == "aborted" and shown["stages"][0]["secret"] == store.runs.stages(run)[0].secret
    assert shown["started"].endswith("+00:00") and shown["aborted"].endswith("+00:00")


def test_runs_are_rated_together_only_under_equal_conditions(store: Store, tmp_path: Path) -> None:
    leagues = {
        "4 players": flip7(),
        "4 players, level strict+ns": flip7(level="strict+ns"),
        "3 players": variant(tmp_path, "players = 3"),
        "4 players, deck = fresh": variant(tmp_path, '[options]\ndeck = "fresh"'),
        "4 players, cpu_ms_per_decision = 5.0": variant(tmp_path, "[limits]\ncpu_ms_per_decision = 5.0"),
        "4 players, known seeds": flip7(seed=1),
    }
    runs = [finished(store, league, BOTS[:2]) for league in leagues.values()]
    again = finished(store, flip7(), BOTS)
    found = pools(store, [*runs, again])
    assert [run.label for run in found[0].runs] == ["flip7#1", again.label]
    assert {pool.title for pool in found} == leagues.keys()
    # whatever its size: who knows the seed knows the cards
    assert found[-1].title == "4 players, known seeds"
    assert len({pool.mark for pool in found}) == 6


def test_games_under_other_rules_are_another_pool(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    one = finished(store, flip7())
    edit(monkeypatch, RULES_FILE)
    two = finished(store, flip7())
    assert [pool.runs for pool in pools(store, [one])] != [pool.runs for pool in pools(store, [two])]
    assert len(pools(store, [one, two])) == 2


def test_equal_deals_of_runs_with_one_known_seed_count_once(store: Store) -> None:
    one = finished(store, flip7(seed=7))
    two = finished(store, definition.load("flip7", deals=7, seed=7))
    (pool,) = pools(store, [one, two])
    table = pool_table(store, pool)
    assert {row.games for row in table.rows} == {7 * 4}  # six of the seven deals are the same games
    assert {row.blocks for row in table.rows} == {7}


def test_runs_with_secrets_are_added_up(store: Store) -> None:
    runs = [finished(store, flip7()), finished(store, flip7(), BOTS[:3])]
    (pool,) = pools(store, runs)
    rows = {row.bot: row for row in pool_table(store, pool).rows}
    assert rows["racer"].games == 24 and rows["banker"].games > 24


def test_a_pool_of_more_runs_takes_no_more_queries(store: Store) -> None:
    runs = [finished(store, flip7(), BOTS[:2]) for _ in range(6)]
    numbers = []
    for some in (runs[:2], runs):
        fresh, asked = Store(store.url), list[str]()
        event.listen(fresh.engine, "before_cursor_execute", lambda *what, to=asked: to.append(what[2]))
        (pool,) = pools(fresh, some)
        assert len(pool_table(fresh, pool).rows) == 2
        numbers.append(len(asked))
    assert numbers[0] == numbers[1] > 5


def test_bots_that_never_met_are_told_as_groups(store: Store) -> None:
    runs = [finished(store, flip7(), BOTS[:2]), finished(store, flip7(), BOTS[2:])]
    (pool,) = pools(store, runs)
    rows = pool_table(store, pool).rows
    assert [row.group for row in rows] == [1, 1, 2, 2] and [row.rank for row in rows] == [1, 2, 1, 2]


def test_the_pool_with_most_games_is_the_main_one(store: Store, tmp_path: Path) -> None:
    runs = [
        finished(store, flip7(), BOTS[:2]),
        *(finished(store, variant(tmp_path, "players = 3")) for _ in range(2)),
    ]
    assert [pool.title for pool in pools(store, runs)] == ["3 players", "4 players"]


def test_runs_are_chosen_by_name_table_size_and_options(store: Store, tmp_path: Path) -> None:
    finished(store, flip7(), BOTS[:2])
    finished(store, variant(tmp_path, 'players = 3\n[options]\ndeck = "fresh"'), BOTS[:2])
    labels = [run.label for run in store.runs.all()]
    assert labels == ["flip7#1", "spring#1"]
    for words in ({"runs": ["spring#1"]}, {"runs": ["spring"], "players": 3}, {"options": {"deck": "fresh"}}):
        assert [run.label for pool in pools_of(store, "flip7", **words) for run in pool.runs] == ["spring#1"]
    assert pools_of(store, "flip7", players=9) == []
    with pytest.raises(UsageError, match="no run 'flip8'; runs: flip7#1, spring#1"):
        pools_of(store, "flip7", ["flip8"])
