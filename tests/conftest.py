"""Set-up for all tests: compile every game once before the workers start, so that they load it instead of
each compiling it.
"""

import gc
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import engines
from arena.__main__ import LITTLE_GARBAGE, ONE_THREAD

ROOT = Path(__file__).parents[1]
COLLECT = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0"]
# the same examples on every machine and at any load; other ones with --hypothesis-profile=random
UNTIMED = settings(deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("random", UNTIMED)
settings.register_profile("same", UNTIMED, derandomize=True)
settings.load_profile("same")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
os.environ.pop("ARENA_DB", None)
os.environ.setdefault(*ONE_THREAD)  # as the program itself: NumPy is loaded in the workers, which start later
# programs that tests start keep their byte code, as they do for a person: a hundred of them would else read our
# sources anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Ray lets its workers run at niceness 15: beside other work they would hardly run at all, and the tests wait for them
os.environ.setdefault("RAY_worker_niceness", "0")
# a shell ignores Ctrl-C for what it runs in the background, and all that the tests start would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--shuffle 7`: files, and tests within a file, in an order drawn from that number."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """No test may count on what ran before it; a file stays whole, for its fixtures are dear.

    In a file the tests that play on the shared Ray come first: a test that does not leaves it, and the next one
    that does has to wait for a new worker.
    """
    if (seed := config.getoption("shuffle")) is None:
        places = {path: at for at, path in enumerate(dict.fromkeys(item.path for item in items))}
        items.sort(key=lambda item: (places[item.path], "ray_head" not in getattr(item, "fixturenames", ())))
        return
    draw = random.Random(seed)
    files = {item.path: draw.random() for item in items}
    items.sort(key=lambda item: (files[item.path], draw.random()))


def pytest_sessionstart(session: pytest.Session) -> None:
    """In the process that starts the workers: a process a game, as many at a time as there are cores.

    One more collects the tests, so that the workers find them compiled, too.
    """
    if not session.config.getoption("numprocesses", None) or hasattr(session.config, "workerinput"):
        return
    games = engines.names()[::-1]  # Žolíky takes longest
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        codes = pool.map(compile_game, games)
        collected = pool.submit(
            subprocess.run, [*COLLECT, *session.config.args], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
        )
        failed = [name for name, code in zip(games, codes, strict=True) if code]
        collected.result()  # what is wrong with a test the workers say
    if failed:
        pytest.exit(f"compiling failed: {', '.join(failed)}", returncode=1)


def pytest_collection_finish() -> None:
    """What is loaded now stays: the garbage collector need not walk through it a thousand times more.

    As in a command it looks seldom, which is a fifth of the time in which Numba compiles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(LITTLE_GARBAGE)


def compile_game(name: str) -> int:
    """Compile a game in a process of its own; its exit code."""
    # without looks for garbage, which take a fifth of the time: what a compilation makes stays
    code = "import gc, sys; gc.disable(); from arena.match.warm import warm_up; warm_up(sys.argv[1], print)"
    return subprocess.run([sys.executable, "-c", code, name], cwd=ROOT, check=False).returncode
