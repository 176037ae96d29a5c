"""Which runs are rated together, and which pool a person gets."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import UsageError
from arena.league.pools import choose, pools
from arena.store import LeagueRun
from leagues import definition


def made(number: int, matches: int = 10, seed: int | None = None, **changes: Any) -> LeagueRun:
    """A run of the Flip 7 league with other options, table size, level or limits."""
    league = definition.load("flip7")
    facts = league.resolved([]) | {"seed": seed} | {key: changes[key] for key in changes if key != "options"}
    facts["options"] = league.options | changes.get("options", {})
    return LeagueRun(
        name="flip7",
        number=number,
        game="flip7",
        definition=facts,
        fingerprint="",
        secret="",
        secret_hash="",
        matches=matches,
    )


def test_runs_of_equal_rules_are_rated_together_and_others_apart() -> None:
    alike = [made(1), made(2, deals=9)]
    others = [
        made(3, options={"goal": 100}),
        made(4, players=3),
        made(5, level="strict+ns"),
        made(6, limits={"memory_mib": 64}),
    ]
    found = pools([*alike, *others])
    assert [run.number for run in found[0].runs] == [1, 2] and len(found) == 5
    assert {pool.title for pool in found} == {
        "4 players",
        "4 players, goal = 100",
        "3 players",
        "4 players, level strict+ns",
        "4 players, memory_mib = 64",
    }
    assert len({pool.mark for pool in found}) == 5


def test_known_seeds_are_apart_and_last_and_trusted_runs_in_no_pool() -> None:
    found = pools([made(1, 500, seed=3), made(2), made(3, 999, level="trusted")])
    assert [pool.title for pool in found] == ["4 players", "4 players, known seeds"]


def test_the_pool_with_most_matches_is_the_main_one() -> None:
    assert pools([made(1), made(2, 20, players=3)])[0].title == "3 players"


def test_runs_are_chosen_by_name_table_size_and_options() -> None:
    runs = [made(1), made(2, players=3), made(3, options={"deck": "fresh"})]
    assert [run.number for run in choose(runs, ["flip7#2"])[0].runs] == [2]
    assert [run.number for run in choose(runs, options={"deck": "fresh"})[0].runs] == [3]
    assert [run.number for run in choose(runs, ["flip7"], players=3)[0].runs] == [2]
    assert choose(runs, players=9) == []
    with pytest.raises(UsageError, match="no run 'flip8'; runs: flip7#1, flip7#2"):
        choose(runs, ["flip8"])
