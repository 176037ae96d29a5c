"""Matches on Ray: what is tried again, what is told, and how Ray is started."""

from __future__ import annotations

from typing import Any

import pytest

from arena.bots import source
from arena.cluster import driver
from arena.cluster.driver import BotName, Job, cluster
from arena.errors import RunError
from arena.match.setup import GameSetup, MatchSetup


def jobs(goal: int = 50, **limits: object) -> list[Job]:
    """One match of two bots."""
    setup = MatchSetup(3, "flip7", 2, {"goal": goal}, (GameSetup(0, 0, 5, (0, 1)),), (1, 2), dict(limits))
    return [Job(setup, (BotName("low", "hash"),) * 2)]


def low(digest: str) -> bytes:
    return source.pack({"low.py": b"GAMES = ['flip7']\ndef act(view): return view.legal[0]\n"})


def test_a_failure_of_the_host_is_tried_again_and_told_when_all_others_are_played(
    ray_head: tuple[str, str],
) -> None:
    bad, good = jobs(preload=["no_such_module"]), jobs()
    with cluster(1, ray_head[1]) as ready:
        playing = ready.play([*bad, *good], low)
        assert next(playing).setup == good[0].setup
        with pytest.raises(
            driver.MatchFailed, match=r"match 3 could not be played in 3 tries: .*no_such_module"
        ) as error:
            next(playing)
        assert error.value.host
        with pytest.raises(driver.MatchFailed, match=r"match 3 could not be played: OptionError: .*goal"):
            list(ready.play(jobs(goal=-1), low))  # a mistake of ours is told at once


def test_a_match_whose_worker_is_lost_is_played_again_and_the_result_says_so() -> None:
    task = driver._Task(jobs()[0])
    lost = ConnectionError("The worker died unexpectedly")
    task = driver._again(driver._again(task, lost, raised=False), lost, raised=False)
    assert task.causes == ("The worker died unexpectedly",) * 2
    with pytest.raises(driver.MatchFailed, match="in 3 tries"):
        driver._again(task, lost, raised=False)


def test_a_match_reserves_the_memory_that_its_bots_may_use() -> None:
    assert driver.memory_of(jobs(memory_mib=300)[0].setup) == (2 * 300 + driver.WORKER_MIB) << 20


def test_a_ray_that_was_too_slow_to_start_is_started_again(
    monkeypatch: pytest.MonkeyPatch, ray_head: tuple[str, str]
) -> None:
    import ray

    started, real = [], ray.init

    def slow(**given: Any) -> Any:
        started.append(given["address"])
        if len(started) == 1:
            raise Exception("The current node timed out during startup. This could happen ...")
        return real(address=ray_head[1])

    monkeypatch.setattr(ray, "init", slow)
    with cluster(1) as ready:
        assert started == ["local", "local"] and ready.workers == 1


def test_a_ray_that_cannot_be_started_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def never(**given: Any) -> Any:
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray, "init", never)
    with (
        pytest.raises(RunError, match=r"^Ray cannot be started here: The current node timed out"),
        cluster(1),
    ):
        pass
