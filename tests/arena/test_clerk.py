"""Between driver and store: what is played first, who is named when games differ, what the trial says."""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from arena.cluster import nodes
from arena.cluster.driver import Cluster, who_differs
from arena.cluster.jobs import MatchFailed
from arena.errors import HostLacks
from arena.league import clerk, trial
from arena.league.clerk import Clerk, Work
from arena.league.open import enter, open_run, prepare
from arena.league.play import play
from arena.league.ready import Ready
from arena.league.trial import try_entrants
from arena.match.played import REQUEST, Forfeited, PlayedMatch
from arena.match.setup import MatchSetup
from arena.places import data_folder
from arena.recheck import Outcome
from arena.store import Store
from arena.store.leases import Driver
from arena.store.models import LeagueRun
from leagues import definition

from .program import Arena
from .scripted import Node, Scripted

ROOT = Path(__file__).parents[2]
Chooser = Callable[[list[int]], int]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "arena.db"), create=True)


def opened(store: Store, bots: list[str], deals: int) -> LeagueRun:
    league = definition.load("flip7", deals=deals, seed=5)
    return open_run(store, prepare(store, league, enter(store, league, bots))).run


def lowest(legal: list[int]) -> int:
    return legal[0]


def result_of(setup: MatchSetup, choosers: list[Chooser], cpu_s: list[float] | None = None) -> PlayedMatch:
    """A match played here; by place, how it chooses and what it is said to have used."""
    moves, scores = [], []
    for seed, places in zip(setup.seeds.tolist(), setup.places.tolist()):
        position = engines.load(setup.game).position(seed=seed, players=setup.players, **setup.options)
        made = []
        while not position.over:
            made.append(choosers[places[position.seat]](position.legal_numbers()))
            position.play(made[-1])
        moves.append(np.array(made, np.int16))
        scores.append(position.scores())
    n = len(choosers)
    requests = np.array([(place, 1, 0.001) for place in range(n)], REQUEST)
    return PlayedMatch.of(setup, np.array(scores), moves, cpu_s or [0.1] * n, [1] * n, requests=requests)


# --- games that differ ------------------------------------------------------------------------------------

SETUP = MatchSetup.of_games("flip7", [7, 8], [(2, 0, 3, 1), (1, 3, 0, 2)], {})


@pytest.mark.parametrize("moody", range(4))
def test_the_place_that_moved_otherwise_first_is_the_one_that_differs(moody: int) -> None:
    """All cards that come later depend on the first other move, so all others seem to differ too."""
    choosers: list[Chooser] = [lowest] * 4
    choosers[moody] = random.Random(3).choice
    one, two = result_of(SETUP, [lowest] * 4), result_of(SETUP, choosers)
    assert any(not np.array_equal(first, second) for first, second in zip(one.moves, two.moves))
    assert who_differs(SETUP, one, two) == who_differs(SETUP, two, one) == moody


def test_games_that_are_equal_but_for_a_forfeit_name_who_lost_it() -> None:
    one, two = result_of(SETUP, [lowest] * 4), result_of(SETUP, [lowest] * 4)
    two.forfeits.append(Forfeited(1, 2, 3, 5, "cpu", "too slow"))
    assert who_differs(SETUP, one, two) == 3


def test_a_bot_that_is_not_repeatable_is_named_in_what_is_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "LOOK_S", 0.0)
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=8)
    labels = [entry.bot.label for entry in store.entries(run)]
    rng = random.Random(1)

    def moody(setup: MatchSetup) -> Any:
        names = [labels[place] for place in setup.plan.line_up]
        return result_of(setup, [rng.choice if name == "racer@1" else lowest for name in names])

    calls = Scripted({"one": Node(moody), "two": Node(moody)})
    assert play(store, run, Cluster(calls), recheck=1.0)
    found = list(store.rechecked(run).values())
    assert found and {(one.outcome, one.blamed) for one in found} == {(Outcome.BOT, "racer@1")}
    assert str(found[0]).endswith(": racer@1 is the first that plays otherwise")


# --- sleep ------------------------------------------------------------------------------------------------


def test_a_bot_that_sleeps_in_every_match_is_left_out_of_the_rest_of_the_run(
    arena: Arena, ray_head: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps while it is loaded, less than a match allows. A run that goes on knows what it slept before."""
    monkeypatch.setattr(clerk, "SLEEP_S", 1.0)
    monkeypatch.setattr(clerk, "SLEEP_MATCH_S", 0.1)
    arena.write("sleepy", "import time\ntime.sleep(0.5)\n\ndef act(view):\n    return view.legal[-1]\n")
    arena.write("awake", "def act(view):\n    return view.legal[-1]\n")
    (arena.folder / "naps.toml").write_text(
        'game = "flip7"\nentrants = ["banker", "racer", "oddsman"]\nsubmitted = false\ndeals = 16\n'
    )
    bots = "./sleepy.py,./awake.py,banker,racer,oddsman"
    err = arena.run("league", "run", "./naps.toml", "--bots", bots, *ray_head)[1]
    assert re.search(
        r"sleepy \(guest \w+\) slept for [1-9]\.\d s in \d+ matches of this run, of \d\.\d s: left out", err
    ), err
    lost = {(one["bot"], one["kind"]): one for one in arena.json("league", "show", "naps#1")["forfeits"]}
    ((name, kind), found), *others = lost.items()
    assert name.startswith("sleepy ") and kind == "stalled" and found["matches"] >= 4 and not others
    store = Store(str(data_folder() / "arena.db"))
    run = store.find_run("naps#1")
    (sleepy,) = (at for at, entry in enumerate(store.entries(run)) if entry.bot.name == "sleepy")
    again = clerk.Sleepers(store.slept(run))
    assert again.left_out([sleepy]) and not again.left_out([at for at in range(5) if at != sleepy])
    assert "no difference" in arena.run("league", "verify", "naps#1", "--workers", "1")[0]


# --- order and trial --------------------------------------------------------------------------------------


def test_matches_of_bots_that_were_slow_so_far_are_played_first(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "fifth.py").write_text("GAMES = ['flip7']\ndef act(view): return view.legal[0]\n")
    run = opened(store, [str(tmp_path / "fifth.py"), "banker", "oddsman", "racer", "random"], deals=80)
    plans = store.plans(run)
    line_ups = [plan.line_up for plan in plans]
    monkeypatch.setattr(Clerk, "_deals", lambda self, number: number)  # the deals do not matter here
    (slow,) = {0, 1, 2, 3, 4} - set(line_ups[4])  # not at the fifth table, so at all others
    assert slow in line_ups[0]
    driver, workers, claimed = Driver.this_process(), [4], list[list[int]]()
    assert store.take_lease(run, driver, shares=False) is None
    real = store.claim
    monkeypatch.setattr(store, "claim", lambda *given: claimed.append(real(*given)) or list(claimed[-1]))
    work = Work(store, run, plans, driver, lambda: workers[0], lambda match: None, lambda: False)
    order: list[int] = []
    with Clerk(work) as keeper:
        for setup in keeper.setups():
            if setup is None:
                time.sleep(0.01)
                continue
            order.append(setup.number)
            if len(order) <= 4:
                used = [5.0 if place == slow else 0.001 for place in line_ups[order[-1]]]
                keeper.keep(result_of(setup, [lowest] * 4, used))
            if len(order) == 4:
                wait_for(lambda: len(store.stored_matches(run)) == 4)
                workers[0] = 10_000  # all others are claimed at once
    last = [batch for batch in claimed if batch][-1]
    seats_slow = [slow in line_ups[number] for number in order if number in last]
    assert sorted(order) == list(range(len(plans))) and set(seats_slow) == {True, False}
    assert seats_slow == sorted(seats_slow, reverse=True)


def test_matches_with_the_same_deals_are_not_played_at_the_same_time_or_one_after_the_other(
    store: Store,
) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=64 * 4)
    driver, plans, workers = Driver.this_process(), store.plans(run), 2
    deals = [plan.first_block for plan in plans]
    assert len(set(deals)) == 4 and len(plans) == 16
    assert store.take_lease(run, driver, shares=False) is None
    work = Work(store, run, plans, driver, lambda: workers, lambda match: None, lambda: False)
    order: list[int] = []
    playing: list[MatchSetup] = []
    with Clerk(work) as keeper:
        for setup in keeper.setups():
            if setup is None:
                time.sleep(0.01)
                continue
            order.append(deals[setup.number])
            playing.append(setup)
            if len(playing) == workers:
                keeper.keep(result_of(playing.pop(0), [lowest] * 4))
    near = [order[at : at + 3] for at in range(len(order) - 5)]  # of the last ones there is no choice
    assert len(order) == 16 and all(len(set(some)) == len(some) for some in near)


def test_more_matches_are_claimed_while_the_driver_chooses_the_next_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=64 * 4)
    plans, claims, given = store.plans(run), list[int](), list[MatchSetup]()
    real, chosen = store.claim, Ready.next
    monkeypatch.setattr(store, "claim", lambda *given: claims.append(len(given)) or real(*given))

    def slowly(self: Ready, lately: int) -> MatchSetup:
        if (len(given), len(claims)) == (4, 1):
            wait_for(lambda: len(claims) > 1)  # four are left of eight, so the thread claims more ...
            time.sleep(0.1)  # ... and hands over what it has claimed
        return chosen(self, lately)

    monkeypatch.setattr(Ready, "next", slowly)
    driver = Driver.this_process()
    assert store.take_lease(run, driver, shares=False) is None
    work = Work(store, run, plans, driver, lambda: 4, lambda match: None, lambda: False)
    with Clerk(work) as keeper:
        for setup in keeper.setups():
            if setup is None:
                time.sleep(0.1)  # until the thread has claimed
            else:
                given.append(setup)
        for setup in given:
            keeper.keep(result_of(setup, [lowest] * 4))
    assert sorted(setup.number for setup in given) == list(range(len(plans)))
    assert len(claims) > 1 and len(plans) > 8


def wait_for(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not done() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert done()


def test_a_result_that_comes_alone_is_stored_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clerk, "GATHER_S", 600.0)
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=8)
    driver, plans = Driver.this_process(), store.plans(run)
    assert store.take_lease(run, driver, shares=False) is None
    work = Work(store, run, plans, driver, lambda: 4, lambda match: None, lambda: False)
    with Clerk(work) as keeper:
        setups = [setup for setup in keeper.setups() if setup is not None]
        keeper.keep(result_of(setups[0], [lowest] * 4))
        wait_for(lambda: len(store.stored_matches(run)) == 1)
        for setup in setups[1:]:
            keeper.keep(result_of(setup, [lowest] * 4))
        assert len(store.stored_matches(run)) == 1  # these wait for the next transaction
    assert len(store.stored_matches(run)) == len(setups) == len(plans) > 1


def test_results_that_come_together_share_a_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clerk, "GATHER_S", 600.0)  # until the end is told
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=80)
    written: list[int] = []
    real = store.add_matches
    monkeypatch.setattr(
        store, "add_matches", lambda run, matches: written.append(len(matches)) or real(run, matches)
    )
    assert play(
        store, run, Cluster(Scripted({"one": Node(lambda setup: result_of(setup, [lowest] * 4), cpus=64)}))
    )
    assert sum(written) == len(store.plans(run)) > len(written)


# a driver in a process of its own, on nodes that play a match in some time
DRIVES = """
import sys, time
from pathlib import Path
from tests.arena.scripted import Node, Scripted
from tests.arena.test_clerk import lowest, result_of
from arena.cluster.driver import Cluster
from arena.league.play import play
from arena.league.ready import Ready
from arena.store import Store

def slowly(setup):
    ends = time.monotonic() + float(sys.argv[3])
    while time.monotonic() < ends and not Path(sys.argv[4]).exists():
        time.sleep(0.01)
    return result_of(setup, [lowest] * 4)

store = Store(sys.argv[1])
print("starts", flush=True)
print(play(store, store.find_run(sys.argv[2]), Cluster(Scripted({"one": Node(slowly)})), shares=True))
"""


def driving(store: Store, run: LeagueRun, seconds: float, hurry: str = "") -> subprocess.Popen[str]:
    """A driver that shares a run, and has begun; matches take no time any more when a file is there."""
    url = str(store.file or store.engine.url.render_as_string(hide_password=False))
    words = [sys.executable, "-c", DRIVES, url, run.label, str(seconds), hurry or "/nowhere"]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "starts\n"
    return process


def rows(store: Store, table: str) -> int:
    with store.reading() as session:
        return int(session.connection().exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())


def test_what_a_killed_driver_had_claimed_is_played_by_the_others(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clerk, "AGAIN_S", 0.05)
    store = Store(url, create=True)
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=64 * 6)
    planned = set(range(len(store.plans(run))))
    killed = driving(store, run, 600.0)
    wait_for(lambda: rows(store, "claim") > 0)
    held: list[int] = []

    def plays(setup: MatchSetup) -> PlayedMatch:
        if len(held) == 3:  # nobody waits for it: it is left as a zombie
            killed.kill()
        held.append(setup.number)
        return result_of(setup, [lowest] * 4)

    assert play(store, run, Cluster(Scripted({"one": Node(plays)})), shares=True)
    killed.wait()
    assert store.stored_matches(run) == planned and len(held) == len(planned)
    assert rows(store, "claim") == rows(store, "lease") == 0 and store.finish_run(run)


def test_of_two_drivers_one_is_killed_three_times_and_every_match_is_stored_once(url: str) -> None:
    store = Store(url, create=True)
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=64 * 8)
    planned = set(range(len(store.plans(run))))
    survivor = driving(store, run, 0.2)
    for _ in range(3):
        victim, before = driving(store, run, 0.2), rows(store, "match")
        wait_for(lambda seen=before: rows(store, "match") > seen + 1 or survivor.poll() is not None)
        victim.kill()
    out, _ = survivor.communicate(timeout=600)
    assert out == "True\n" and store.stored_matches(run) == planned
    assert rows(store, "match") == len(planned) and rows(store, "claim") == 0


@pytest.mark.soak
def test_of_two_to_four_drivers_one_is_killed_every_ten_seconds_and_every_match_is_stored_once(
    url: str, tmp_path: Path
) -> None:
    store, draw, hurry = Store(url, create=True), random.Random(30), tmp_path / "hurry"
    run = opened(store, ["banker", "oddsman", "racer", "random", "collector"], deals=64 * 80)
    planned = set(range(len(store.plans(run))))
    drivers: list[subprocess.Popen[str]] = []
    with contextlib.ExitStack() as started:
        for kill in range(10):
            while len(drivers) < 2 + kill % 3:
                drivers.append(started.enter_context(driving(store, run, 5.0, str(hurry))))
                started.callback(drivers[-1].kill)
            time.sleep(10.0)
            assert all(driver.poll() is None for driver in drivers), "it was over before the last kill"
            drivers.pop(draw.randrange(len(drivers))).kill()
        played = rows(store, "match")
        hurry.touch()
        assert [driver.communicate(timeout=1200)[0] for driver in drivers] == ["True\n"] * len(drivers)
    assert 0 < played < len(planned) and store.stored_matches(run) == planned
    assert rows(store, "match") == len(planned) and store.finish_run(run)
    assert rows(store, "claim") == rows(store, "lease") == 0


def test_a_trial_says_whether_this_machine_or_the_nodes_of_a_cluster_cannot_play(store: Store) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=8)
    bots, (stage,) = [entry.bot for entry in store.entries(run)], store.stages(run)
    calls = Scripted({"one": Node(lacks="no Landlock")})
    with pytest.raises(HostLacks, match="no match can be played at level strict: no node can play: node one"):
        try_entrants(store, run.definition, bots, stage, Cluster(calls, own=True))
    with pytest.raises(MatchFailed, match=r"^no node can play: node one: no Landlock$") as error:
        try_entrants(store, run.definition, bots, stage, Cluster(calls))
    assert error.value.exit_code == 1


def test_a_trial_is_as_long_as_a_match_at_mixed_tables_under_the_limits_of_the_league(store: Store) -> None:
    names = ["banker", "oddsman", "racer", "random", "collector"]
    run = opened(store, names, deals=128)
    bots, (stage,) = [entry.bot for entry in store.entries(run)], store.stages(run)
    seen: list[MatchSetup] = []

    def noted(setup: MatchSetup) -> PlayedMatch:
        seen.append(setup)
        return result_of(setup, [lowest] * 4)

    drawn = []
    for _ in range(2):
        seen.clear()
        calls = Scripted({"one": Node(noted)})
        tried = try_entrants(store, run.definition, bots, stage, Cluster(calls))
        assert not tried.dead and not tried.faults and not tried.untried and tried.matches == len(seen) == 2
        assert {len(setup.seeds) for setup in seen} == {store.plans(run)[0].blocks}
        assert all(setup.limits == run.definition.limits for setup in seen)
        drawn.append({seed for setup in seen for seed in [*setup.bot_seeds, *setup.seeds.tolist()]})
    assert not drawn[0] & drawn[1] and min(drawn[0]) > 1000  # known to nobody


def test_a_trial_ends_when_its_time_for_all_entrants_is_over(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random", "collector"], deals=8)
    bots, (stage,) = [entry.bot for entry in store.entries(run)], store.stages(run)
    monkeypatch.setattr(trial, "TRIAL_S", 0.0)
    tried = try_entrants(store, run.definition, bots, stage, Cluster(Scripted({"one": Node()})))
    assert tried.matches == 0 and [bot.name for bot in tried.untried] == sorted(bot.name for bot in bots)
    assert "the others enter without it: banker@1, collector@1" in str(tried)


def test_whatever_waits_the_next_match_is_the_first_whose_deals_are_known_least() -> None:
    """Against a plain model that looks at everything."""
    draw, ready = random.Random(3), Ready()
    waiting, playing, lately = list[tuple[MatchSetup, int]](), dict[int, int](), list[int]()
    for number in range(3000):
        setup, deals = replace(SETUP, plan=replace(SETUP.plan, number=number)), draw.randrange(40)
        ready.add(setup, deals)
        waiting.append((setup, deals))
        while waiting and draw.random() < 0.5:
            del lately[: max(0, len(lately) - 6)]
            known = [2 if of in playing.values() else 1 if of in lately else 0 for _, of in waiting]
            expected, of = waiting.pop(known.index(min(known)))
            assert ready.next(6) is expected and len(ready) == len(waiting)
            playing[expected.number] = of
        while playing and draw.random() < 0.5:
            ended = draw.choice(list(playing))
            lately.append(playing.pop(ended))
            ready.ended(ended)
    assert len(waiting) > 20
