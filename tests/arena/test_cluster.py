"""What the driver decides: which nodes get work, what is tried again and where, what is set aside and told."""

import itertools
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from arena.cluster import calls, driver, nodes, proof, task
from arena.cluster.driver import WORKER_MIB, Cluster, MatchFailed, memory_of
from arena.cluster.relay import NODE_GONE, Failure, failure_of
from arena.cluster.start import cluster
from arena.errors import RunError
from arena.intake.source import pack
from arena.jail.outcomes import COPIED_MIB, Killed
from arena.match.played import PlayedMatch, Recheck
from arena.match.setup import MatchSetup

from .program import Head
from .scripted import GIB, NEVER, Node, Scripted, dies, flip7, low, refuses, result, setup_of, well

FILES = low("")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "BACK_OFF_S", 0.0)
    monkeypatch.setattr(driver, "PACE_S", 0.0)
    monkeypatch.setattr(nodes, "LOOK_S", 0.0)


def load(digest: str) -> bytes:
    return FILES


def play(
    calls: Scripted, setups: list[MatchSetup], most: int | None = None
) -> tuple[list[PlayedMatch], list[str]]:
    """What comes of playing, and what was said."""
    said: list[str] = []
    return list(Cluster(calls, most, said.append).play(setups, load)), said


def test_every_node_proves_itself_before_it_gets_work_and_one_that_cannot_is_told_once() -> None:
    calls = Scripted({"good": Node(), "bad": Node(lacks="level strict cannot be had: no Landlock")})
    played, said = play(calls, [setup_of(number) for number in range(20)])
    assert sorted(one.number for one in played) == list(range(20))
    assert {name for name, _ in calls.played} == {"good"} and calls.proofs.count("bad") == 1
    assert said == ["node bad gets no work: level strict cannot be had: no Landlock"]


def test_a_node_with_another_python_plays_unless_its_games_are_others() -> None:
    python = {"versions": proof.versions() | {"python": "3.99.1"}}
    calls = Scripted({"same": Node(facts=python), "other": Node(facts=python | {"games": "0" * 64})})
    played, said = play(calls, [setup_of(number) for number in range(20)])
    assert len(played) == 20 and {name for name, _ in calls.played} == {"same"}
    here = proof.versions()["python"]
    assert said == [
        f"node other gets no work: it plays other games than this machine: python 3.99.1, here {here}"
    ]


def test_a_node_that_fails_at_once_does_not_eat_the_tries_of_a_match() -> None:
    """It is always the free one: before nodes were asked again, it took every match three times."""
    hole = Node(refuses)

    def spoils(setup: MatchSetup) -> Failure:
        hole.lacks = "its Landlock is gone"  # its proof had been good
        return refuses(setup)

    hole.play = spoils
    calls = Scripted({"hole": hole, "good": Node()})
    played, said = play(calls, [setup_of(number) for number in range(20)])
    assert len(played) == 20 and said == ["node hole gets no work: its Landlock is gone"]
    spoilt = {number for name, number in calls.played if name == "hole"}
    assert {one.number for one in played if one.repeated == ["no Landlock"]} == spoilt
    assert len(calls.played) == 20 + len(spoilt)


def test_tries_of_a_match_go_to_different_nodes_and_each_is_in_the_result() -> None:
    calls = Scripted({"one": Node(dies), "two": Node(dies), "three": Node()})
    calls.nodes_by_name["three"].cpus = 1
    played, _ = play(calls, [setup_of(1), setup_of(2), setup_of(3)])
    for one in played:
        where = [name for name, number in calls.played if number == one.number]
        assert len(where) == len(set(where)) and where[-1] == "three"
        assert one.repeated == ["its worker died"] * (len(where) - 1)


def test_a_match_that_fails_on_three_good_nodes_is_set_aside_and_the_others_are_played_to_their_end() -> None:
    def poison(setup: MatchSetup) -> Any:
        return dies(setup) if setup.number == 3 else well(setup)

    calls = Scripted({name: Node(poison) for name in ("one", "two", "three", "four")})
    playing = Cluster(calls).play([setup_of(number) for number in range(10)], load)
    played = []
    told = r"^match 3 \(low, high\) failed 3 times, on good nodes: its worker died$"
    with pytest.raises(MatchFailed, match=told):
        for one in playing:
            played.append(one.number)
    assert sorted(played) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert [number for _, number in calls.played].count(3) == 3
    assert len({name for name, number in calls.played if number == 3}) == 3


def test_a_mistake_of_ours_is_not_tried_again_and_many_in_a_row_end_the_run() -> None:
    calls = Scripted({"one": Node(lambda setup: Failure("OptionError: goal"))})
    with pytest.raises(MatchFailed, match="could not be played: OptionError: goal"):
        play(calls, [setup_of(1)])
    with pytest.raises(MatchFailed, match="matches in a row cannot be played"):
        play(calls, [setup_of(number) for number in range(100)])
    assert len(calls.played) < 20


def test_a_node_that_joins_gets_work_and_one_that_leaves_costs_no_try() -> None:
    calls = Scripted({"old": Node()})
    seen: list[str] = []

    def leaves(setup: MatchSetup) -> Any:
        if setup.number == 10:
            del calls.nodes_by_name["old"]
            calls.nodes_by_name["new"] = Node()
            return dies(setup)
        return well(setup)

    calls.nodes_by_name["old"].play = leaves
    played = list(Cluster(calls, None, seen.append).play([setup_of(number) for number in range(40)], load))
    assert len(played) == 40 and calls.played[-1][0] == "new"
    assert any("node old has left" in line for line in seen)
    assert any("node new has joined, 2 CPUs" in line for line in seen)


def test_what_is_on_a_node_that_is_gone_is_called_off_at_once_though_the_cluster_still_lists_it() -> None:
    def lost(setup: MatchSetup) -> Any:
        return NODE_GONE if len(calls.played) > 9 else NEVER

    calls = Scripted({"killed": Node(lost, cpus=5), "good": Node(cpus=1)})
    played, said = play(calls, [setup_of(number) for number in range(40)])
    assert sorted(one.number for one in played) == list(range(40))
    assert said == ["node killed has left; its matches are played elsewhere"]
    on_killed = [number for name, number in calls.played if name == "killed"]
    assert len(on_killed) > 5 and calls.proofs.count("killed") == 1
    gone = {one.number: one.repeated for one in played if one.repeated}
    assert gone == {number: ["its node is gone"] for number in on_killed}


def test_a_cluster_that_loses_all_nodes_ends_the_run_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "NO_NODES_S", 0.05)
    calls = Scripted({"one": Node(dies)})
    playing = Cluster(calls)
    calls.nodes_by_name.clear()
    with pytest.raises(MatchFailed, match="the cluster has had no node"):
        list(playing.play([setup_of(1)], load))


def test_workers_cap_a_cluster_and_memory_caps_a_node() -> None:
    calls = Scripted({"one": Node(cpus=64), "two": Node(cpus=64)})
    played, _ = play(calls, [setup_of(number) for number in range(300)], most=3)
    assert len(played) == 300 and calls.most == 3
    calls = Scripted({"small": Node(cpus=64, memory=4 * GIB)})
    play(calls, [setup_of(number, memory_mib=512) for number in range(300)])
    assert calls.most <= nodes.IN_FLIGHT * (4 * 1024 // (2 * (512 + 66 + COPIED_MIB) + WORKER_MIB + 16))


def test_the_files_of_a_bot_travel_once() -> None:
    calls = Scripted({"one": Node(), "two": Node()})
    play(calls, [setup_of(number) for number in range(50)])
    assert calls.put_bytes == [FILES]


def test_a_match_reserves_the_memory_that_its_bots_may_use() -> None:
    """Its address space, page tables of 32 MiB and a 256th of that, 32 MiB for mappings; its files twice."""
    most = (2 * (300 + 33 + 32 + COPIED_MIB) + WORKER_MIB) << 20
    assert memory_of(setup_of(1, memory_mib=300)) == most
    assert memory_of(setup_of(1, memory_mib=300), files=9 << 20) == most + (32 << 20)  # in steps of 16 MiB
    calls = Scripted({"one": Node(memory=12 * GIB, cpus=64)})
    play(calls, [setup_of(number) for number in range(40)])
    large = Scripted({"one": Node(memory=12 * GIB, cpus=64)})
    weights = pack({"low.py": b"", "weights": bytes(GIB // 4)})
    list(Cluster(large).play([setup_of(number) for number in range(40)], lambda digest: weights))
    assert 0 < large.most < calls.most


def test_a_match_that_is_called_off_as_memory_ran_out_is_told_at_once() -> None:
    calls = Scripted({"one": Node(lambda setup: Failure("b0 was killed", host=True, memory=True))})
    said: list[str] = []
    with pytest.raises(MatchFailed):
        list(Cluster(calls, say=said.append).play([setup_of(1)], load))
    assert said == ["match 1 waits for another try: b0 was killed"] * 3


def test_a_node_with_less_memory_than_strangers_may_take_is_told_once() -> None:
    calls = Scripted({"small": Node(memory=1 * GIB), "large": Node()})
    assert play(calls, [setup_of(number) for number in range(20)])[1] == []
    played, said = play(calls, [replace(setup_of(number), strangers=True) for number in range(40)])
    assert len(played) == 40 and len(said) == 1
    assert said[0].startswith("node small has 1.0 GiB of memory for matches, and one may take 2.0 GiB")


def rechecked(calls: Scripted) -> tuple[PlayedMatch, list[str]]:
    """What comes of one match that is compared, after others have shown which nodes are good."""
    said: list[str] = []
    ready = Cluster(calls, None, said.append)
    assert len(list(ready.play([setup_of(number) for number in range(1, 41)], load))) == 40
    (match,) = ready.play([setup_of(100)], load, recheck=1.0)
    return match, said


def test_a_match_that_is_played_on_another_node_too_says_whether_the_games_are_the_same() -> None:
    made = itertools.count(-2)

    def otherwise(setup: MatchSetup) -> Any:
        return result(setup, next(made)) if setup.number == 100 else well(setup)

    for plays, same, score in ((well, True, 100), (otherwise, False, -2)):
        calls = Scripted({"one": Node(plays), "two": Node(plays)})
        found, said = rechecked(calls)
        first, second = [name for name, number in calls.played if number == 100]
        assert first != second and found.host["node"] == first and found.scores[0, 0] == score
        assert found.recheck == Recheck(first, second, same)
        assert said == ([] if same else [f"match 100 had other games on {second} than on {first}"])


def test_on_one_node_nothing_is_compared() -> None:
    calls = Scripted({"one": Node()})
    found, _ = rechecked(calls)
    assert found.recheck is None and calls.played.count(("one", 100)) == 1


def test_a_node_whose_proof_fails_is_asked_again_until_it_has_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "AGAIN_S", (0.0, 0.0, 3600.0))
    monkeypatch.setattr(nodes, "LOOK_S", 0.0)
    bad = Node(lacks="no Landlock")
    calls, said = Scripted({"bad": bad, "good": Node()}), list[str]()
    cluster, number = Cluster(calls, say=said.append), itertools.count()

    def some() -> None:
        assert len(list(cluster.play([setup_of(next(number)) for _ in range(20)], load))) == 20

    while calls.proofs.count("bad") < 3:
        some()
    bad.lacks = ""
    some()
    assert said == ["node bad gets no work: no Landlock"] and calls.proofs.count("bad") == 3
    later = time.monotonic() + 3600
    monkeypatch.setattr(nodes.time, "monotonic", lambda: later)
    some()
    assert said[1:] == ["node bad gets work from now on"] and calls.proofs.count("bad") == 4
    assert "bad" in {name for name, _ in calls.played}


@pytest.mark.parametrize("failure", [NODE_GONE, Failure("its worker died", lost=True)])
def test_a_match_whose_second_play_is_lost_is_that_of_the_first_node(failure: Failure) -> None:
    turns = iter([result(setup_of(100), 100), failure])

    def fails_at_last(setup: MatchSetup) -> Any:
        return next(turns) if setup.number == 100 else well(setup)

    found, said = rechecked(Scripted({"one": Node(fails_at_last), "two": Node(fails_at_last)}))
    assert found.recheck is None and found.scores[0, 0] == 100 and found.repeated == []
    assert any("has left" in line for line in said) == failure.gone


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SILENT_S", "ANSWER_S", "ROUND_S"):
        monkeypatch.setattr(driver, name, 0.0)


@pytest.mark.parametrize("plays", [False, NEVER])
@pytest.mark.usefixtures("impatient")
def test_a_match_whose_result_never_comes_is_played_elsewhere_and_a_late_one_is_dropped(plays: Any) -> None:
    calls, said = Scripted({"deaf": Node(lambda setup: NEVER, plays), "good": Node()}), list[str]()
    found = {}
    for one in Cluster(calls, say=said.append).play([setup_of(number) for number in range(20)], load):
        assert one.number not in found
        found[one.number] = one
        for late in [late for late, number in calls.matches.items() if number == one.number]:
            calls.ready[late] = result(setup_of(one.number), 999)
    lost = {number for name, number in calls.played if name == "deaf"}
    assert sorted(found) == list(range(20)) and lost
    assert all(found[number].scores[0, 0] == number for number in found)
    cause = "its node is gone" if plays is NEVER else "its result did not come, and its node does not play it"
    assert {cause for number in lost for cause in found[number].repeated} == {cause}
    assert ("node deaf has left; its matches are played elsewhere" in said) == (plays is NEVER)
    assert any(line.startswith("waits for match 0 on node deaf for ") for line in said)


def test_a_lost_result_of_a_node_is_noticed_while_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Match 1 is lost, match 3 is slow. Time goes a second on with every match that is sent."""
    turns = {1: iter([NEVER]), 3: iter([NEVER])}
    told = list[tuple[str, int | None]]()

    def play(setup: MatchSetup) -> Any:
        return next(turns.get(setup.number, iter(())), result(setup, setup.number))

    def plays(number: int | None) -> bool:
        told.append(("asked", number))
        return number == 3

    calls = Scripted({"busy": Node(play, plays, cpus=4)})
    monkeypatch.setattr(driver.time, "monotonic", lambda: float(len(calls.played)))
    monkeypatch.setattr(driver.time, "sleep", lambda seconds: None)
    found = []
    for one in Cluster(calls).play(map(setup_of, range(400)), load):
        found.append(one)
        if one.number == 390:  # the slow one comes
            for late in [late for late in calls.matches if calls.ready.get(late) is NEVER]:
                calls.ready[late] = result(setup_of(3), 3)
    at = {one.number: place for place, one in enumerate(found)}
    assert sorted(at) == list(range(400)) and ("asked", 1) in told and ("asked", 3) in told
    lost = ["its result did not come, and its node does not play it"]
    assert [one.repeated for one in found if one.number in turns] == [lost, []]
    assert at[1] < 120 and at[3] > 380


@pytest.mark.usefixtures("impatient")
def test_a_slow_match_is_left_to_its_node_for_three_times_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = iter([NEVER, result(setup_of(1), 1)])
    calls = Scripted({"slow": Node(lambda setup: next(turns) if setup.number == 1 else well(setup))})
    clock, worst_s = time.monotonic, driver.worst_s(setup_of(1))
    jump_s = driver.SLOW * nodes.IN_FLIGHT * worst_s
    monkeypatch.setattr(driver.time, "monotonic", lambda: clock() + jump_s * (len(calls.asked) > 5))
    found = {one.number: one for one in Cluster(calls).play(map(setup_of, range(4)), load)}
    assert len(calls.asked) > 5 and sorted(found) == list(range(4)) and worst_s > 300
    assert [cause.partition(" in ")[0] for cause in found[1].repeated] == ["gave no result"]


@pytest.fixture
def zygotes_of_this_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A worker keeps its fork servers for life; this process does not end with the test."""
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(task, "_zygotes", kept)
    monkeypatch.setattr(task, "_own_core", lambda: None)
    yield
    for zygote in kept.values():
        zygote.close()


@pytest.mark.usefixtures("zygotes_of_this_test")
def test_the_short_match_is_the_same_behind_the_wall_and_in_this_process() -> None:
    facts = proof.prove("flip7", "strict", "numpy", (), "")
    assert facts["games"] == proof.known_games("flip7") and proof.verdict(facts, facts["games"]) == ""
    assert "no_such_module" in proof.prove("flip7", "strict", "numpy", ("no_such_module",), "")["lacks"]
    assert "another version" in proof.prove("flip7", "strict", "numpy", (), "0" * 64)["lacks"]


@pytest.mark.usefixtures("zygotes_of_this_test")
def test_a_killed_fork_server_does_not_cost_its_node_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    found, killed = task._zygote, list[int]()

    def kills_the_first(setup: MatchSetup) -> Any:
        server = found(setup)
        if not killed:
            killed.append(server.pid)
            os.kill(server.pid, signal.SIGKILL)
        return server

    monkeypatch.setattr(task, "_zygote", kills_the_first)
    facts = proof.prove("flip7", "trusted", "numpy", (), "")
    assert proof.verdict(facts, proof.known_games("flip7")) == "" and len(killed) == 1


def test_what_a_node_cannot_do_and_what_we_do_wrong_is_told_in_a_line(ray_head: Head) -> None:
    with cluster(1, ray_head[1]) as ready:
        assert [one.number for one in ready.play(flip7(), low)] == [3]
        with pytest.raises(MatchFailed, match=r"match 3 \(low\) could not be played: OptionError: .*goal"):
            list(ready.play(flip7(goal=-1), low))
        with pytest.raises(MatchFailed, match=r"no node can play: node .*no_such_module") as error:
            list(ready.play(flip7(preload=["no_such_module"]), low))
        assert error.value.host


def test_a_task_whose_files_do_not_come_is_lost_and_not_a_mistake_of_ours(ray_head: Head) -> None:
    """Ray tells it as an error of the task, though the task has not begun."""

    def begins() -> None:
        import ray

        raise ray.exceptions.OwnerDiedError("00" * 28, b"", "")

    def killed() -> None:
        raise Killed("b0 was killed")

    with cluster(None, ray_head[1]):
        import ray

        for function, failure in (
            (begins, Failure("its result was lost with its node", lost=True)),
            (killed, Failure("b0 was killed", host=True, memory=True)),
        ):
            with pytest.raises(ray.exceptions.RayError) as error:
                ray.get(ray.remote(max_retries=0)(function).remote())
            assert failure_of(error.value) == failure


def test_matches_through_a_relay_are_those_without_and_one_that_dies_loses_none(
    ray_head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    setups = [replace(one, plan=replace(one.plan, number=at)) for at in range(30) for one in flip7()]
    with cluster(None, ray_head[1]) as direct:
        digests = {one.number: one.games_digest() for one in direct.play(setups, low)}
    monkeypatch.setattr(calls, "RELAYED_CPUS", 0)
    with cluster(None, ray_head[1]) as ready:
        assert isinstance(ready.calls, calls.RayCalls)
        played, killed = [], 0
        for one in ready.play(setups, low):
            played.append(one)
            if not killed:
                (one_relay,) = ready.calls._relays.values()
                killed = len(one_relay.numbers)
                ready.calls._ray.kill(one_relay.actor)
        with pytest.raises(MatchFailed, match=r"match 3 \(low\) could not be played: OptionError: .*goal"):
            list(ready.play(flip7(goal=-1), low))
    assert {one.number: one.games_digest() for one in played} == digests and len(played) == 30
    again = [one.repeated for one in played if one.repeated]
    assert killed and 1 <= len(again) <= nodes.IN_FLIGHT and again[0] == ["the relay of its node died"]


def test_a_process_that_is_connected_to_ray_plays_there_and_stays_connected(ray_head: Head) -> None:
    import ray

    for address in (ray_head[1], None, "auto"):
        with cluster(1, address) as ready:
            assert not ready.own and [one.number for one in ready.play(flip7(), low)] == [3]
        assert ray.is_initialized()
    here = re.escape(ray_head[1])
    told = rf"connected to the Ray cluster at {here}, not to 10\.0\.0\.5:6379"
    with pytest.raises(RunError, match=told), cluster(1, "10.0.0.5:6379"):
        pass
