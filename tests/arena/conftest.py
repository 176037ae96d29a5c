"""What many tests need: the program in a folder of its own, one Ray cluster for all that play leagues, and databases (a
SQLite file, and a PostgreSQL server where Debian's is installed).
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from arena.cell import GameZygote
from arena.cluster import local, start
from arena.errors import RunError
from arena.intake import trial
from arena.store import Store

from .program import ENDS_WITH_US, Arena

# Ray reads its token once in a process: this one and all clusters that the tests start have the same
os.environ |= {local.AUTH: "token", local.TOKEN: secrets.token_hex(32)}
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
NUMBERS = count()


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    """The program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    # as in a checkout: results lie beside it
    (tmp_path / "pyproject.toml").write_text('name = "card-arena"\n')
    arena = Arena(tmp_path)
    yield arena
    for process in arena.started:  # a test that failed may have left some
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A new database."""
    return Store(str(tmp_path / "arena.db"), create=True)


@pytest.fixture
def short_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary directory with a name that is short enough for Ray's sockets."""
    with tempfile.TemporaryDirectory(prefix="a-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.fixture(scope="session", autouse=True)
def kept_fork_servers() -> Iterator[None]:
    """Trials of bots share two fork servers, as in a worker: to start one is most of what a trial costs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "new_server", trial.kept_server)
        yield


@pytest.fixture(scope="session")
def zygote() -> Iterator[GameZygote]:
    """A fork server of Flip 7 that the tests of a worker share: none of them ends or stops it."""
    with GameZygote("flip7") as zygote:
        yield zygote


@pytest.fixture(autouse=True)
def no_ray_of_others(request: pytest.FixtureRequest) -> None:
    """Leave the shared Ray before a test that may start or reach another one from this process."""
    if not shares_ray(request) and "ray" in sys.modules:
        sys.modules["ray"].shutdown()


def shares_ray(request: pytest.FixtureRequest) -> bool:
    """Whether all leagues that a test plays in this process are played on the shared Ray."""
    return "ray_head" in request.fixturenames and "raylets" not in request.fixturenames


@pytest.fixture
def ray_head(shared_ray: str, request: pytest.FixtureRequest) -> tuple[str, str]:
    """The option with the address of a Ray cluster of one core, to which this process stays connected.

    To start one for every league, or its worker, would be most of the work of the suite.
    """
    if not shares_ray(request):
        return "--address", shared_ray
    import ray

    if not ray.is_initialized():
        start.connect(shared_ray)
    return "--address", ray.get_runtime_context().gcs_address


@pytest.fixture(scope="session")
def shared_ray() -> Iterator[str]:
    """The address of a Ray cluster of one core."""
    for left in reversed(range(start.STARTS)):  # a machine with much other work may be too slow for Ray
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        ray = [*ENDS_WITH_US, sys.executable, "-c", local.RAY]
        small = ["--num-cpus", "1", "--object-store-memory", str(local.OBJECT_STORE)]
        with tempfile.TemporaryFile() as log:
            head = subprocess.Popen(
                [*ray, "start", "--head", "--block", "--port", port, *small, *local.FEW_SERVERS],
                env=os.environ | local.QUIET,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                if is_up(head, f"127.0.0.1:{port}"):
                    yield f"127.0.0.1:{port}"
                    return
                log.seek(0)
                assert left, log.read().decode()
            finally:
                if "ray" in sys.modules:
                    sys.modules["ray"].shutdown()
                head.terminate()
                head.wait(timeout=300)


def is_up(head: subprocess.Popen[bytes], address: str) -> bool:
    """Wait until a cluster can be used; false if its process ends before."""
    deadline = time.monotonic() + 600
    while head.poll() is None and time.monotonic() < deadline:
        if answers(address):
            return True
        time.sleep(0.5)
    return False


def answers(address: str) -> bool:
    """Whether a cluster can be used."""
    try:
        with start.cluster(1, address):
            return True
    except RunError:
        return False


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The folder of the socket of a PostgreSQL server that lives as long as the tests."""
    found = shutil.which("initdb") or next((str(path / "initdb") for path in BINARIES), None)
    if found is None:
        pytest.skip("no PostgreSQL on this machine: its Debian package is `postgresql`")
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    binaries = Path(found).resolve().parent if "/postgresql/" in str(Path(found).resolve()) else BINARIES[0]
    user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name  # it refuses to run as root
    with tempfile.TemporaryDirectory(prefix="arena-pg-", ignore_cleanup_errors=True) as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, user)
        data = Path(folder) / "data"

        given = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        told = {"cwd": folder, "capture_output": True, "text": True, "timeout": 120}

        def run(*words: str) -> None:
            done = subprocess.run(words, check=False, **told, **given if os.geteuid() == 0 else {})
            assert done.returncode == 0, done.stderr + done.stdout

        run(str(binaries / "initdb"), "-D", str(data), "-U", "arena", "--auth", "trust", "--no-sync")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        control = str(binaries / "pg_ctl")
        run(control, "-D", str(data), "-w", "-l", str(Path(folder) / "log"), "-o", settings, "start")
        try:
            yield folder
        finally:
            run(control, "-D", str(data), "-m", "immediate", "stop")


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """A fresh database on the server."""
    import psycopg

    name = f"arena{next(NUMBERS)}"
    with psycopg.connect(f"host={postgres} user=arena dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql://arena:s3cret@/{name}?host={postgres}"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is not there yet, of both kinds."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return str(tmp_path / "new" / "arena.db")
