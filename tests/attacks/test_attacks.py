"""Every attack, against the wall and without it: what it wants it must not get, and the others must not
notice.

The attacks are the bots in `breakouts` (they want what is not theirs) and `disruptions` (they want the match
to suffer).
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines import core

from . import suite
from .suite import Attack, Outcome, Suite, failures

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BREAKOUTS = suite.attacks(HERE / "breakouts")
DISRUPTIONS = suite.attacks(HERE / "disruptions")
NOBODY = 65534


@pytest.fixture(scope="module")
def strict() -> Iterator[Suite]:
    with Suite("strict") as opened:
        yield opened


@pytest.mark.parametrize("attack", BREAKOUTS + DISRUPTIONS, ids=lambda attack: attack.name)
def test_an_attack_gets_nothing_and_ends_with_the_right_verdict(strict: Suite, attack: Attack) -> None:
    outcome = strict.run(attack)
    assert not failures(outcome, "strict")


def test_the_attacks_work_where_there_is_no_wall(strict: Suite) -> None:
    """Else a mistake in an attack would look like a wall that holds."""
    for attack in BREAKOUTS:
        if attack.wall and attack.safe:
            outcome = strict.run(attack, layers=())
            strict.clean()
            assert outcome.loot, f"{attack.name} gets nothing even without a wall: {outcome.refused}"


def test_seeds_that_can_be_guessed_are_guessed(strict: Suite) -> None:
    """The attack on the deals' seeds is a real one: only random seeds stand against it."""
    guess = next(attack for attack in BREAKOUTS if attack.name == "guess_the_deals_seed")
    random_seeds = strict.seeds
    strict.deal([5, 17, 101])
    try:
        assert {"[5]", "[17]", "[101]"} <= set(strict.run(guess).loot)
    finally:
        strict.deal(random_seeds)


def test_no_attack_gets_anything_at_the_other_level() -> None:
    with Suite("strict+ns") as opened:
        wrong = {attack.name: failures(opened.run(attack), "strict+ns") for attack in BREAKOUTS}
    assert not {name: texts for name, texts in wrong.items() if texts}


def test_the_threads_profile_gives_threads_and_nothing_else() -> None:
    with Suite("strict", profile="threads") as opened:
        outcomes = {attack.name: opened.run(attack) for attack in BREAKOUTS}
    assert outcomes.pop("think_in_a_thread").loot == ["'a thread'"]
    assert outcomes.pop("read_the_counter_of_cycles").loot or platform.machine() != "x86_64"  # torch needs it
    assert not {name: outcome.loot + outcome.damage for name, outcome in outcomes.items() if _leaked(outcome)}


def _leaked(outcome: Outcome) -> bool:
    known = "strict" in outcome.attack.leaks or outcome.attack.as_root
    return bool(outcome.damage or (outcome.loot and not known))


WITHOUT_RIGHTS = """
import json, os, sys
from pathlib import Path
from tests.attacks.suite import Suite, attacks, failures
wrong = {}
with Suite("strict") as opened:
    for attack in attacks(Path(sys.argv[1])):
        wrong[attack.name] = failures(opened.run(attack), "strict")
print(json.dumps({"user": os.geteuid(), "tried": len(wrong), "wrong": {name: texts for name, texts in wrong.items() if texts}}))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests above have run as an ordinary user already")
def test_no_attack_gets_anything_from_an_ordinary_user() -> None:
    result = as_ordinary_user([sys.executable, "-c", WITHOUT_RIGHTS, str(HERE / "breakouts")])
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told.pop("user") != 0
    assert told == {"tried": len(BREAKOUTS), "wrong": {}}


def as_ordinary_user(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command without root's rights: as a user who owns nothing, or, where Python is in root's own
    folder, as user 1000 of a user namespace, who owns what root owns and may do nothing but what every user
    may.
    """

    def run(command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    if core.CACHE_FOLDER is not None:
        environment["ARENA_CACHE"] = str(core.CACHE_FOLDER)
    nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    mapped = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    # `env` starts it as that user: the file was found with root's rights where `setpriv` starts it
    kept = "import sys, engines.core as core; sys.exit(str(core.CACHE_FOLDER) != sys.argv[1])"
    reaches = run([*nobody, "env", sys.executable, "-c", kept, str(core.CACHE_FOLDER)]).returncode == 0
    return run([*(nobody if reaches else mapped), *command])
