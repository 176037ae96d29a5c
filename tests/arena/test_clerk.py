"""Between driver and store: what is played first, who plays, what the trial says."""

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engines
from arena.cluster.driver import Cluster, MatchFailed
from arena.errors import HostLacks, RunError
from arena.match.played import REQUEST, PlayedMatch
from arena.match.setup import MatchSetup
from arena.places import data_folder
from arena.runs import drive
from arena.runs import trial_match as trial
from arena.runs.drive import Clerk, Ready, Work, play
from arena.runs.open import enter, open_run, prepare
from arena.runs.trial_match import try_entrants
from arena.store import Store
from arena.store.leases import Driver
from arena.store.models import LeagueRun, Lease
from leagues import definition
from leagues.plan import MatchPlan

from .program import Arena, Head, until
from .scripted import Node, Scripted
from .test_jail import lives

ROOT = Path(__file__).parents[2]
Chooser = Callable[[list[int]], int]


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


SETUP = MatchSetup.of_games("flip7", [7, 8], [(2, 0, 3, 1), (1, 3, 0, 2)], {})

# --- sleep ------------------------------------------------------------------------------------------------


def test_a_bot_that_sleeps_in_every_match_is_left_out_of_the_rest_of_the_run(
    arena: Arena, ray_head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps while it is loaded, less than a match allows. A run that goes on knows what it slept before."""
    monkeypatch.setattr(drive, "SLEEP_S", 1.0)
    monkeypatch.setattr(drive, "SLEEP_MATCH_S", 0.1)
    arena.write("sleepy", "import time\ntime.sleep(0.5)\n\ndef act(view):\n    return view.legal[-1]\n")
    arena.write("awake", "def act(view):\n    return view.legal[-1]\n")
    text = 'game = "flip7"\nentrants = ["banker", "racer", "oddsman"]\nsubmitted = false\ndeals = 16\n'
    (arena.folder / "naps.toml").write_text(text)
    bots = "./sleepy.py,./awake.py,banker,racer,oddsman"
    err = arena.run("league", "run", "./naps.toml", "--bots", bots, *ray_head)[1]
    told = r"sleepy \(guest \w+\) slept for [1-9]\.\d s in \d+ matches of this run, of \d\.\d s: left out"
    assert re.search(told, err), err
    lost = {(one["bot"], one["kind"]): one for one in arena.json("league", "show", "naps#1")["forfeits"]}
    ((name, kind), found), *others = lost.items()
    assert name.startswith("sleepy ") and kind == "stalled" and found["matches"] >= 4 and not others
    store = Store(str(data_folder() / "arena.db"))
    run = store.runs.find("naps#1")
    (sleepy,) = (at for at, entry in enumerate(store.runs.entries(run)) if entry.bot.name == "sleepy")
    again = drive.Spent(played=store.matches.spent(run))
    assert again.left_out([sleepy]) and not again.left_out([at for at in range(5) if at != sleepy])
    assert "no difference" in arena.run("league", "verify", "naps#1", "--workers", "1")[0]


def test_a_bot_that_computes_more_than_a_run_allows_is_left_out_of_it(arena: Arena, ray_head: Head) -> None:
    arena.write("slow", "def act(view):\n    sum(range(2_000_000))\n    return view.legal[-1]\n")
    (arena.folder / "short.toml").write_text(
        'game = "flip7"\nentrants = ["banker", "racer"]\nsubmitted = false\ndeals = 8\nplayers = 3\n'
        "[limits]\ncpu_s_run = 1.5\n"
    )
    err = arena.run("league", "run", "./short.toml", "--bots", "./slow.py,banker,racer", *ray_head)[1]
    told = r"slow \(guest \w+\) used \d+\.\d s of CPU time in \d+ match(es)? of this run, of 1\.5 s: left out"
    assert re.search(told, err), err


def noted(monkeypatch: pytest.MonkeyPatch, batches: list[list[int]]) -> None:
    """From now on the numbers of matches that are made ready together are noted."""
    real = drive.setups

    def made(store: Store, run: LeagueRun, plans: list[MatchPlan]) -> Iterator[MatchSetup]:
        batches.append([plan.number for plan in plans])
        return real(store, run, plans)

    monkeypatch.setattr(drive, "setups", made)


def test_matches_of_bots_that_were_slow_so_far_are_played_first(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "fifth.py").write_text("GAMES = ['flip7']\ndef act(view): return view.legal[0]\n")
    run = opened(store, [str(tmp_path / "fifth.py"), "banker", "oddsman", "racer", "random"], deals=80)
    plans = store.runs.plans(run)
    line_ups = [plan.line_up for plan in plans]
    monkeypatch.setattr(Clerk, "_deals", lambda self, number: number)  # the deals do not matter here
    (slow,) = {0, 1, 2, 3, 4} - set(line_ups[4])  # not at the fifth table, so at all others
    assert slow in line_ups[0]
    driver, workers, batches = Driver.this_process(), [4], list[list[int]]()
    assert store.leases.take(run, driver) is None
    noted(monkeypatch, batches)
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
                until(lambda: len(store.matches.stored(run)) == 4)
                workers[0] = 10_000  # all others are made ready at once
    last = batches[-1]
    seats_slow = [slow in line_ups[number] for number in order if number in last]
    assert sorted(order) == list(range(len(plans))) and set(seats_slow) == {True, False}
    assert seats_slow == sorted(seats_slow, reverse=True)


def test_a_result_that_comes_alone_is_stored_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "GATHER_S", 600.0)
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=8)
    driver, plans = Driver.this_process(), store.runs.plans(run)
    assert store.leases.take(run, driver) is None
    work = Work(store, run, plans, driver, lambda: 4, lambda match: None, lambda: False)
    with Clerk(work) as keeper:
        setups = [setup for setup in keeper.setups() if setup is not None]
        keeper.keep(result_of(setups[0], [lowest] * 4))
        until(lambda: len(store.matches.stored(run)) == 1)
        for setup in setups[1:]:
            keeper.keep(result_of(setup, [lowest] * 4))
        assert len(store.matches.stored(run)) == 1  # these wait for the next transaction
    assert len(store.matches.stored(run)) == len(setups) == len(plans) > 1


# a driver in a process of its own, on nodes that play a match in a fifth of a second
DRIVES = """
import sys, time
from tests.arena.scripted import Node, Scripted
from tests.arena.test_clerk import lowest, result_of
from arena.cluster.driver import Cluster
from arena.runs.drive import play
from arena.store import Store

def slowly(setup):
    time.sleep(0.2)
    return result_of(setup, [lowest] * 4)

store = Store(sys.argv[1])
play(store, store.runs.find(sys.argv[2]), Cluster(Scripted({"one": Node(slowly)})))
"""


def driving(store: Store, run: LeagueRun) -> subprocess.Popen[bytes]:
    url = str(store.file or store.engine.url.render_as_string(hide_password=False))
    return subprocess.Popen([sys.executable, "-c", DRIVES, url, run.label], cwd=ROOT)


def rows(store: Store, table: str) -> int:
    with store.reading() as session:
        return int(session.connection().exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())


def test_a_run_whose_driver_is_killed_twice_is_taken_over_and_every_match_is_stored_once(url: str) -> None:
    store = Store(url, create=True)
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=64 * 8)
    planned = set(range(len(store.runs.plans(run))))
    quick = Cluster(Scripted({"one": Node(lambda setup: result_of(setup, [lowest] * 4))}))
    victims: list[subprocess.Popen[bytes]] = []
    for _ in range(2):
        before = rows(store, "match")
        victims.append(driving(store, run))
        until(lambda seen=before: rows(store, "match") > seen + 1)
        with pytest.raises(RunError, match="is being played by"):
            play(store, run, quick)
        victims[-1].kill()
        until(lambda: not lives(victims[-1].pid))  # nobody takes its exit code yet: it is left as a zombie
    assert rows(store, "match") < len(planned)
    assert play(store, run, quick)
    for victim in victims:
        victim.wait()
    assert store.matches.stored(run) == planned and rows(store, "match") == len(planned)
    assert rows(store, "lease") == 0 and store.runs.finish(run)


def test_a_driver_whose_run_was_taken_over_while_it_was_silent_stops(store: Store) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=64 * 6)

    def taken_over(setup: MatchSetup) -> PlayedMatch:
        with store.writing() as session:
            session.get_one(Lease, run.id).driver = "elsewhere/1/1/x"
        return result_of(setup, [lowest] * 4)

    with pytest.raises(RunError, match="its lease has ended, since it was silent for too long"):
        play(store, run, Cluster(Scripted({"one": Node(taken_over)})))
    assert rows(store, "match") < len(store.runs.plans(run)) and rows(store, "lease") == 1


def test_a_trial_says_whether_this_machine_or_the_nodes_of_a_cluster_cannot_play(store: Store) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random"], deals=8)
    bots, (stage,) = [entry.bot for entry in store.runs.entries(run)], store.runs.stages(run)
    calls = Scripted({"one": Node(lacks="no Landlock")})
    with pytest.raises(HostLacks, match="no match can be played at level strict: no node can play: node one"):
        try_entrants(store, run.definition, bots, stage, Cluster(calls, own=True))
    with pytest.raises(MatchFailed, match=r"^no node can play: node one: no Landlock$") as error:
        try_entrants(store, run.definition, bots, stage, Cluster(calls))
    assert error.value.exit_code == 1


def test_a_trial_is_as_long_as_a_match_at_mixed_tables_under_the_limits_of_the_league(store: Store) -> None:
    names = ["banker", "oddsman", "racer", "random", "collector"]
    run = opened(store, names, deals=128)
    bots, (stage,) = [entry.bot for entry in store.runs.entries(run)], store.runs.stages(run)
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
        assert {len(setup.seeds) for setup in seen} == {store.runs.plans(run)[0].blocks}
        assert all(setup.limits == run.definition.limits for setup in seen)
        drawn.append({seed for setup in seen for seed in [*setup.bot_seeds, *setup.seeds.tolist()]})
    assert not drawn[0] & drawn[1] and min(drawn[0]) > 1000  # known to nobody


def test_a_trial_ends_with_its_time_for_all_entrants(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = opened(store, ["banker", "oddsman", "racer", "random", "collector"], deals=8)
    bots, (stage,) = [entry.bot for entry in store.runs.entries(run)], store.runs.stages(run)
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
