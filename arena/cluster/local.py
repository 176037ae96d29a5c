"""A Ray of this machine alone, in a process of its own: the host. It starts while the command that wants it
still loads its libraries, has only what plays matches, and leaves nothing behind.

    driver --(stdin: ends when the driver does)--> host --(children)--> Ray's servers --> workers --> bots
           <--(stdout: one line of JSON, when Ray is up)--

The host adopts whatever outlives its parent below it. When its input ends, because the driver wants it or is
gone, or one of Ray's servers has ended, it kills all of them, removes their folder and ends. Ctrl-C in a
terminal does not reach it.

Of a Ray that `ray.init` starts, half of the time and of the CPU goes into processes that no match needs: the
dashboard's server, the autoscaler, the log monitor, and a node's two agents (metrics, and environments of
workers). `_lean` starts the rest, the servers of the cluster and of the node, with Ray's own code for it,
and has workers load what plays matches (`worker`) before anybody asks. That is Ray's inside, so it is done
for the versions that it was tried with; any other one, and any failure, gets the Ray of `ray.init`. Heavy
imports have no place outside the host's functions.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import RunError
from .cores import cores

LEAN = ("2.60.",)  # versions of Ray whose inside `_lean` knows
SERVERS = ("gcs_server", "raylet")  # programs without which no match can be played
STARTS = 3  # of Ray, before it is given up
OBJECT_STORE = 128 << 20  # bytes; bots and results are small, and what does not fit is spilled to disk
FOLDER = "arena-ray-"  # how the name of a local Ray's folder begins
ADDRESS = re.compile(rb"--gcs-address=([^\0 ]+)")
AUTH, TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_task_events_report_interval_ms": "0",  # a history of tasks costs a fifth of them
}
WITHOUT_AGENTS = {  # workers start with the node, not with its first driver, which need not wait for them
    "RAY_enable_metrics_collection": "0",
    "RAY_enable_worker_prestart": "1",
    "RAY_prestart_worker_first_driver": "0",
}
AGENTS = ("dashboard_agent", "runtime_env_agent")
# a node waits for its agents' ports, and ends when they do: these stay until the node closes their input
AGENT = "/bin/sh -c 'exec cat >/dev/null'"
PORTS = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
NO_PORT = "-1"  # what an agent that was installed without its libraries tells
WORKER = """\
import sys
sys.path[0] = {root!r}
from arena.cluster.worker import main
main(sys.argv[1:])
"""
BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from arena.cluster import local; local.main()"
END_S = 10.0  # for all that is killed to be gone
CLOSE_S = 5.0  # for a host to end, before it is killed
SUBREAPER = 36  # prctl: adopt what outlives its parent


class Host:
    """The process of a local Ray, from the driver's side; it starts at once.

    Args:
        cpus: matches at a time.
    """

    def __init__(self, cpus: int) -> None:
        self.cpus = cpus
        self.token = os.environ.get(TOKEN) or secrets.token_hex(32)
        self._address: str | None = None
        self._folder = tempfile.mkdtemp(prefix=FOLDER)
        root = str(Path(__file__).parents[2])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", BOOT, root, str(cpus), self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | QUIET | self.environment(),
            start_new_session=True,
        )

    def environment(self) -> dict[str, str]:
        """What whoever uses this Ray has in its environment: a token that nobody else has, unless tokens are
        switched off.
        """
        return {TOKEN: self.token, AUTH: os.environ.get(AUTH, "token")}

    def address(self) -> str:
        """HOST:PORT, as soon as it can be used.

        Raises:
            RunError: it does not start.
        """
        if self._address is None:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            told = json.loads(line) if line else {"error": "its process has ended"}
            if "error" in told:
                raise RunError(told["error"])
            self._address = str(told["address"])
        return self._address

    def ended(self) -> bool:
        """Whether it has ended, or is about to: it, or one of Ray's servers, was killed."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], 0)[0])  # nothing comes but the end

    def end(self) -> None:
        """Have it end, without waiting for it."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def close(self) -> None:
        """End it, and wait until nothing is left."""
        self.end()
        assert self._process.stdout is not None
        self._process.stdout.close()
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:  # it is stopped, or waits for a Ray that was cut off at its start
            os.killpg(self._process.pid, signal.SIGKILL)  # Ray's servers too; workers and bots end with them
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)  # a host that was killed has left it


_ahead: Host | None = None


@contextlib.contextmanager
def ahead(workers: int | None, address: str | None) -> Iterator[None]:
    """Start a local Ray before it is wanted, unless a cluster at an address is; `take` gives it."""
    global _ahead
    if address is not None:
        yield
        return
    host = _ahead = Host(workers or cores())
    try:
        yield
    finally:
        _ahead = None
        sys.stdout.flush()  # a table is there before all has ended
        host.close()


def take(cpus: int) -> Host | None:
    """The Ray that was started ahead, once, if it is as wanted."""
    global _ahead
    found, _ahead = _ahead, None
    if found is None or found.cpus == cpus:
        return found
    found.end()
    return None


def addresses() -> set[str]:
    """Addresses of all local Rays on this machine, of whatever command."""
    found = set()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and FOLDER.encode() in (line := (entry / "cmdline").read_bytes()):
                found |= {word.decode() for word in ADDRESS.findall(line)}
    return found


# --- in the host's process ----------------------------------------------------------------------------------


def main() -> None:
    """The host: start Ray, tell its address, and end everything when the input ends."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    answer = os.dup(1)
    os.dup2(2, 1)
    folder = Path(sys.argv[3])
    threading.Thread(target=_end_with_input, args=(folder,), daemon=True).start()
    try:
        told = _told(int(sys.argv[2]), folder)
        watched = [os.pidfd_open(pid) for pid in _children() if _program(pid) in SERVERS]
        os.write(answer, json.dumps(told).encode() + b"\n")
        select.select(watched, [], [])  # Ray's servers end with the thread that has started them
    finally:  # nobody may hear the answer, and a server may be gone before it is watched
        os.close(answer)  # the driver asks no more
        _end(folder)


def _told(cpus: int, folder: Path) -> dict[str, str]:
    """Start Ray; what the driver is to know."""
    try:
        return {"address": started(cpus, folder)}
    except Exception as error:  # what Ray raises has no type of its own
        return {"error": str(error) or type(error).__name__}


def _end_with_input(folder: Path) -> None:
    while os.read(0, 4096):
        pass
    _end(folder)


_ending = threading.Lock()


def _end(folder: Path) -> None:
    """Kill all that is below this process, remove its folder, and end."""
    _ending.acquire()  # once, and for good
    deadline = time.monotonic() + END_S
    while True:
        killed = _kill_children()
        with contextlib.suppress(OSError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        shutil.rmtree(folder, ignore_errors=True)  # the main thread may still be starting what is killed here
        if not (killed or folder.exists()) or time.monotonic() > deadline:
            break
        time.sleep(0.005)
    os._exit(0)


def _program(pid: int) -> str:
    """The name of a process's program; "" if it is gone."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def _children() -> list[int]:
    """Processes whose parent is this one: its own, and those that it has adopted."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal():
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                found += [int(entry.name)] if int(parent) == os.getpid() else []
    return found


def started(cpus: int, folder: Path, ways: Sequence[Callable[[int, Path], str]] | None = None) -> str:
    """Start Ray; on a machine with much other work it may need more than the half minute that it gives
    itself.

    Args:
        cpus: that it has.
        folder: for its files.
        ways: to start it, one after another until it is up.

    Returns:
        The address.

    Raises:
        Exception: what the last way has raised.
    """
    if ways is None:
        import ray

        ways = [_lean] if ray.__version__.startswith(LEAN) else []
        ways = [*ways, *[_whole] * STARTS]
    for way in ways[:-1]:
        try:
            return way(cpus, folder)
        except Exception:
            _kill_children()
    return ways[-1](cpus, folder)


def _kill_children() -> bool:
    """Kill what is directly below this process; whether there was anything."""
    left = _children()
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return bool(left)


def _whole(cpus: int, folder: Path) -> str:
    """Ray as it starts itself, but for its dashboard."""
    import ray

    ray.init(
        address="local",
        num_cpus=cpus,
        include_dashboard=False,
        object_store_memory=OBJECT_STORE,
        log_to_driver=False,
        logging_level=logging.ERROR,
        _temp_dir=str(folder),
    )
    return str(ray.get_runtime_context().gcs_address)


def _lean(cpus: int, folder: Path) -> str:
    """Ray's two servers and its workers."""
    from ray._private import services
    from ray._private.node import Node
    from ray._private.parameter import RayParams

    os.environ.update(WITHOUT_AGENTS)
    worker = folder / "worker.py"
    worker.write_text(WORKER.format(root=str(Path(__file__).parents[2])))
    params = RayParams(
        setup_worker_path=str(worker),
        num_cpus=cpus,
        object_store_memory=OBJECT_STORE,
        temp_dir=str(folder),
        include_dashboard=False,
        include_log_monitor=False,
        no_monitor=True,
    )
    whole = services.start_ray_process, Node.start_api_server

    def without_agents(command: list[str], kind: str, *rest: Any, **given: Any) -> Any:
        return whole[0](_without_agents(command) if kind == "raylet" else command, kind, *rest, **given)

    def no_dashboard(node: Any, **given: Any) -> None:
        node._webui_url = ""

    try:
        services.start_ray_process, Node.start_api_server = without_agents, no_dashboard
        return str(Node(params, head=True, shutdown_at_exit=False, spawn_reaper=True).address)
    finally:
        services.start_ray_process, Node.start_api_server = whole
        for name in WITHOUT_AGENTS:
            del os.environ[name]


def _without_agents(command: Sequence[str]) -> list[str]:
    """The command of a node's server with processes that only wait in the place of its agents, and ports for
    it to find that say that there are none.
    """
    given = dict(word.removeprefix("--").split("=", 1) for word in command if "=" in word)
    for name in PORTS:
        (Path(given["session_dir"]) / f"{name}_{given['node_id']}").write_text(NO_PORT)
    agents = {f"--{name}_command": f"--{name}_command={AGENT}" for name in AGENTS}
    return [agents.get(word.split("=", 1)[0], word) for word in command]
