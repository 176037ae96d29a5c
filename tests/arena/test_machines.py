"""A league on two machines with namespaces of their own, while their network and their workers fail."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cluster import local
from arena.cluster.start import STARTS
from arena.store import Store

from .machines import Machine, Switch, two_machines
from .program import Arena
from .test_cli_stops import rows_of, stored_matches, until
from .test_faults import nodes_of, until_there

pytestmark = pytest.mark.soak
PORT = "6379"
LEAGUE = 'game = "flip7"\nsubmitted = false\nseed = 5\n'
WORDS = ("league", "run", "./two.toml", "--bots", "banker,oddsman,racer,random", "--deals", "3000")


@pytest.fixture
def machines(short_tmp: Path) -> Iterator[tuple[Machine, Machine, Switch]]:
    """Two machines with a Ray cluster of one CPU each; the first is its head."""
    try:
        with two_machines(short_tmp) as (alpha, beta, switch):
            joins = {
                alpha: ["--head", "--include-dashboard=false", "--port", PORT],
                beta: ["--address", f"{alpha.address}:{PORT}"],
            }
            for machine, how in joins.items():
                up(machine, *how)
            yield alpha, beta, switch
    except OSError as error:
        pytest.skip(str(error))


def up(machine: Machine, *how: str) -> None:
    """Start Ray on a machine, and wait for it."""
    log = machine.folder.parent / f"{machine.name}.log"
    words = [sys.executable, "-c", local.RAY, "start", *how, "--block"]
    words += ["--node-ip-address", machine.address, "--num-cpus", "1"]
    words += ["--object-store-memory", str(local.OBJECT_STORE)]
    for _ in range(STARTS):  # on a loaded machine Ray's own deadlines pass
        with log.open("w") as output:
            ray = machine.start(*words, stdout=output, stderr=output)
        until_there(lambda ray=ray: ray.poll() is not None or "runtime started" in log.read_text())
        if ray.poll() is None:
            return
    pytest.fail(log.read_text())


def test_delay_loss_partitions_and_kills_change_no_game_of_two_machines(
    arena: Arena, ray_head: tuple[str, str], machines: tuple[Machine, Machine, Switch]
) -> None:
    alpha, beta, switch = machines
    (arena.folder / "two.toml").write_text(LEAGUE)
    db = arena.folder / "two.db"
    driver = alpha.start(
        *(sys.executable, "-m", "arena", *WORDS, "--progress", "plain"),
        *("--db", str(db), "--address", f"{alpha.address}:{PORT}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )

    def stored(more: int) -> None:
        seen = stored_matches(db)
        until(lambda: stored_matches(db) >= seen + more, driver)

    try:
        until(lambda: nodes_of(db) == {"alpha", "beta"}, driver)
        switch.delay_s = 0.2
        stored(10)
        switch.delay_s, switch.loss = 0.1, 0.05
        stored(10)
        switch.delay_s = switch.loss = 0.0
        until(lambda: beta.kill("ray::_run_match"), driver)
        stored(10)
        switch.cut, passed = True, switch.passed
        time.sleep(20.0)
        assert switch.passed - passed < 5, "something has passed"
        switch.cut = False
        stored(10)
        assert driver.poll() is None, "it was over before the last fault"
        told = driver.communicate(timeout=1800)[0]
    finally:
        driver.kill()
    assert driver.returncode == 0, told
    store = Store(str(db))
    (run,) = store.runs()
    planned = len(store.plans(run))
    assert rows_of(db, "match") == planned and len(store.stored_matches(run)) == planned
    assert rows_of(db, "lease") == 0
    assert all(one.same for one in store.rechecked(run).values()) and store.repeated(run), told
    arena.run(*WORDS, "--db", "one.db", *ray_head)
    one = Store(str(arena.folder / "one.db"))
    assert store.games_digest(run) == one.games_digest(one.find_run("two#1"))
