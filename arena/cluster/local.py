"""A Ray of this machine alone, below a process of its own: the host. It leaves nothing behind.

    driver --(stdin: ends when the driver does)--> host --> ray start --> Ray's servers --> workers --> bots
           <--(stdout: its end means that Ray has ended; why, if it did not start)--

The host runs `ray start --block` and adopts whatever outlives its parent below it. When its input ends,
because the driver closes it or is gone, or when `ray start` ends, because one of Ray's servers has, the host
kills all of them, removes their folder and exits. Ctrl-C in a terminal does not reach it.

If one of its processes is killed, Ray may end the driver before that can say why. Then the host says what is
known: a driver that ends of itself sends `BYE` before.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
import os
import resource
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ..errors import RunError, UsageError
from ..jail.outcomes import HostError
from ..jail.zygote import check_files
from ..places import age_s
from ..printable import LogFile
from .cores import cores

OBJECT_STORE = 128 << 20  # bytes; bots and results are small, and what does not fit is spilled to disk
FOLDER = "arena-ray-"  # how the name of a local Ray's folder begins
AUTH, TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # the driver says what was lost; Ray would print paragraphs among the output of the command
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
    "RAY_task_events_report_interval_ms": "0",  # a history of tasks costs a fifth of them
}
LOCAL = QUIET | {
    "RAY_worker_niceness": "0",  # Ray's own 15: any other program would starve the matches
    # Ray's own 5 misses call a node dead that only has much other work; the host sees one that has ended
    "RAY_health_check_failure_threshold": "20",
    # a server on this machine that refuses connections is gone; Ray's own 60 s would hold the driver up
    "RAY_gcs_rpc_server_reconnect_timeout_s": "10",
}
FEW_SERVERS = (  # of Ray's servers; no autoscaler (`monitor`), as there are no machines to start
    "--include-dashboard=false",
    "--include-log-monitor=false",
    "--no-monitor",
    "--disable-usage-stats",
)
BOOT = "import sys; sys.path.insert(0, sys.argv.pop(1)); from arena.cluster import local; local.main()"
RAY = """\
import ctypes
from importlib.metadata import entry_points
ctypes.CDLL(None).prctl(1, 15)
(ray,) = entry_points(group="console_scripts", name="ray")
ray.load()()
"""  # Ray's command line, wherever its script is; SIGTERM comes when the host is killed with the driver
THREADS = 200  # that a Ray with one worker has: with 150 it hangs, with 250 it plays
BYE = b"."
GOES_ON = "killed, by somebody or as memory ran out; the same command goes on with what was stored"
ENDED = f"the Ray of this command has ended: one of its processes was {GOES_ON}"
DIED = f"this command has ended without a word: it or a process of its Ray was {GOES_ON}"
CLOSE_S = 5.0  # for a host to end, before it is killed
LOOK_S = 0.02  # from one look whether Ray is up to the next
LOG_TAIL = 1000  # bytes at the end of Ray's output, which say why it did not start
SETTLED_S = 60.0  # age of a folder whose host must have locked it
SUBREAPER = 36  # prctl: adopt what outlives its parent


class Host:
    """The process of a local Ray, from the driver's side; it starts at once.

    The driver and Ray share a token from the environment, so that no other user of the machine can use this
    Ray. Ray reads its token once per process, hence the driver keeps one for all its hosts.

    Args:
        log: of the command, for the host's line if the command ends without a word.
    """

    def __init__(self, cpus: int, log: Path | None = None) -> None:
        check_files()
        check_threads()
        check_loopback()
        check_token()
        for name, value in {**LOCAL, AUTH: "token", TOKEN: secrets.token_hex(32)}.items():
            os.environ.setdefault(name, value)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.cpus = cpus
        # made by the host: it removes the folder even if this process is killed at once
        self._folder = str(Path(tempfile.gettempdir(), FOLDER + secrets.token_hex(4)))
        root = str(Path(__file__).parents[2])
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-c", BOOT, root, self._folder, str(self._port), str(cpus)),
                    str(log or ""),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(f"Ray cannot be started here: {error.strerror}") from None

    def address(self) -> str:
        """Return HOST:PORT, as soon as somebody answers there. Raises RunError: Ray does not start."""
        while not self.ended():
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
                return f"127.0.0.1:{self._port}"
            time.sleep(LOOK_S)
        assert self._process.stdout is not None
        raise RunError(
            self._process.stdout.read().decode(errors="replace").strip() or "its process has ended"
        )

    def ended(self) -> bool:
        """Tell whether it has ended or is about to: it, or one of Ray's servers, was killed."""
        assert self._process.stdout is not None
        return bool(_ready(0, self._process.stdout.fileno()))  # nothing comes but the end

    def answers(self) -> bool:
        """Tell whether Ray's first server can be asked.

        `ray start` sees up to a second later that the server was killed. A program that asks it meanwhile
        waits for a minute, and Ray then ends that program.
        """
        try:
            socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
        except OSError as error:  # another one: it is slow
            return not isinstance(error, ConnectionRefusedError)
        return True

    def close(self) -> None:
        """End it, and wait until nothing is left."""
        if self._process.returncode is not None:
            return
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):  # it is gone; a second Ctrl-C cut this off before
            self._process.stdin.write(BYE)
            self._process.stdin.close()
        ending = os.pidfd_open(self._process.pid)
        _ready(CLOSE_S, ending)
        os.close(ending)
        # a host that was killed or stopped has left its group: Ray's servers and workers; bots end with them.
        # Until it is waited for, nobody else can have its number
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def check_threads() -> None:
    """Make sure that this user may have the threads of a Ray: without them its processes abort or hang."""
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() != 0 and 0 <= most < THREADS:  # the kernel does not limit root
        raise HostError(f"a user may have only {most} threads here, Ray needs {THREADS}: see ulimit -u")


def check_loopback() -> None:
    """Make sure that this machine can reach itself: Ray's processes talk over the network."""
    try:
        with socket.socket(type=socket.SOCK_DGRAM) as nothing:
            nothing.connect(("127.0.0.1", 1))  # sends nothing
    except OSError as error:
        raise HostError(f"127.0.0.1 cannot be used here ({error.strerror}): ip link set lo up") from None


def check_token() -> None:
    """Make sure that Ray can get a token in this process: it looks for that when it is imported."""
    if "ray" in sys.modules and AUTH not in os.environ:
        raise RunError(
            "Ray was imported before it could get a token for a Ray of its own: call ray.init() first, or "
            "import Ray later"
        )


_early: Host | None = None
_log = ""


def start_early(workers: int | None, address: str | None, log: Path | None = None) -> None:
    """Start a local Ray for a command whose arguments are right, before that imports what it needs.

    Args:
        workers: matches at a time. Default: `cores`.
        address: of a running cluster, if one is used: then nothing is started.
        log: of the command, see `Host` and `command_log`.
    """
    global _early, _log
    _log = str(log or "")
    if address is None:
        _early = Host(workers or cores(), log)
        atexit.register(_early.close)


def end_early() -> None:
    """End the Ray that was started early, if nobody has taken it: a command ends with all that it started."""
    global _early
    found, _early = _early, None
    if found is not None:
        found.close()


def command_log() -> str:
    """Return the log of the command that `start_early` was told; "" without one."""
    return _log


def take(cpus: int) -> Host:
    """Give the Ray that was started early, once and if it has as many CPUs; else start one."""
    global _early
    if _early is not None and _early.cpus != cpus:
        end_early()
    found, _early = _early, None
    return found or Host(cpus)


def _ready(seconds: float | None, *files: int) -> list[int]:
    """Wait until something comes from files or they end; `select` would not take a number above 1 023."""
    waiting = select.poll()
    for file in files:
        waiting.register(file, select.POLLIN)
    return [file for file, _ in waiting.poll(None if seconds is None else seconds * 1000)]


# --- in the host's process ----------------------------------------------------------------------------------


def main() -> None:
    """Run Ray until it ends or the input does; then end all that is below this process."""
    folder, port, cpus, told = sys.argv[1:]
    sweep(Path(folder).parent)
    Path(folder).mkdir(mode=0o700)
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)  # as long as this process lives
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    words = [
        *("start", "--head", "--block", "--node-ip-address=127.0.0.1", f"--port={port}"),
        *(f"--temp-dir={folder}", f"--num-cpus={cpus}", f"--object-store-memory={OBJECT_STORE}"),
        *FEW_SERVERS,
    ]
    log = Path(folder, "start.log")
    with log.open("wb") as output:
        ray = subprocess.Popen(
            [sys.executable, "-P", "-c", RAY, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    ready = _ready(None, 0, os.pidfd_open(ray.pid))
    heard = os.read(0, 1) if 0 in ready else None
    if heard is None:
        with contextlib.suppress(OSError):  # the driver may be gone
            os.write(1, log.read_bytes()[-LOG_TAIL:])
    os.close(1)
    while left := _children():
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        os.wait()
    shutil.rmtree(folder, ignore_errors=True)
    if not (os.read(0, 1) if heard is None else heard):
        with contextlib.suppress(OSError):
            os.write(2, f"arena: {DIED}\n".encode())
        if told:
            with contextlib.suppress(UsageError):
                LogFile(Path(told), "--log").write(text=DIED)


def sweep(temporary: Path) -> None:
    """Remove the folders of hosts that were killed at the same moment as their drivers."""
    for old in temporary.glob(f"{FOLDER}*"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
            if age_s(old) > SETTLED_S:
                folder = os.open(old, os.O_RDONLY)  # not another person's
                opened.callback(os.close, folder)
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # its host does not live
                shutil.rmtree(old)


def _children() -> list[int]:
    """Return the children of this process, its own and adopted ones."""
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
