"""Reaching a Ray cluster, or starting one on this machine: silent, with the token that the cluster wants, and
ended with all that belongs to it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import RunError, Terminated
from .calls import RayCalls
from .driver import Cluster
from .jobs import reason

STARTS = 3  # of an embedded Ray, before it is given up
OBJECT_STORE = 128 << 20  # bytes; bots and results are small, and what does not fit is spilled to disk
AUTH = "RAY_AUTH_MODE"


@contextlib.contextmanager
def cluster(
    workers: int | None, address: str | None = None, say: Callable[[str], None] = lambda line: None
) -> Iterator[Cluster]:
    """Ray, embedded with `workers` CPUs (default: `cores`), or a running cluster at `address`, of which
    `workers` are used (default: all); without dashboard and usage reports.

    Raises:
        RunError: it cannot be started or reached, or has no CPU.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    with _stops() as answer_signals, _same_environment(AUTH):
        try:
            if address is not None:
                _reach(address)
                _choose_mode(address)
            import ray

            if address is not None:
                ray.init(address=address, **quiet)
            else:
                small: dict[str, Any] = {"include_dashboard": False, "object_store_memory": OBJECT_STORE}
                _start(lambda: ray.init(address="local", num_cpus=workers or cores(), **small, **quiet))
        except Exception as error:  # what Ray raises has no type of its own
            there = f"no Ray cluster at {address or repr(address)}"
            where = "Ray cannot be started here" if address is None else there
            raise RunError(f"{where}: {_plain(error)}") from None
        answer_signals()
        try:
            found = Cluster(RayCalls(ray), workers, say, own=address is None)
            if not list(found.nodes):
                raise RunError(
                    f"the Ray cluster at {address} has no CPU: start nodes with ray start --num-cpus N"
                )
            yield found
        finally:
            ray.shutdown()


def cores() -> int:
    """CPU cores that this process may use: those that it may run on, and no more than its control group's
    quota.
    """
    quota = min((_quota(folder) for folder in _groups()), default=float("inf"))
    return max(1, int(min(len(os.sched_getaffinity(0)), quota)))


def _groups(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> list[Path]:
    """The folders of this process's control group and of those around it, of both versions."""
    found = []
    with contextlib.suppress(OSError):
        for line in own.read_text().splitlines():
            _, names, path = line.split(":", 2)
            if names and "cpu" not in names.split(","):
                continue
            base = root / "cpu" if names else root
            inside = base / path.strip("/")
            found += [folder for folder in (inside, *inside.parents) if folder.is_relative_to(base)]
    return found


def _quota(folder: Path) -> float:
    """Cores that a control group may use; infinite without a limit."""
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        most, period = (folder / "cpu.max").read_text().split()
        return int(most) / int(period) if most != "max" else float("inf")
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        most = (folder / "cpu.cfs_quota_us").read_text()
        return int(most) / int((folder / "cpu.cfs_period_us").read_text()) if int(most) > 0 else float("inf")
    return float("inf")


@contextlib.contextmanager
def _same_environment(name: str) -> Iterator[None]:
    """Put a variable back that Ray may change."""
    before = os.environ.get(name)
    try:
        yield
    finally:
        os.environ.pop(name, None)
        if before is not None:
            os.environ[name] = before


@contextlib.contextmanager
def _stops() -> Iterator[Callable[[], None]]:
    """Answer SIGTERM as Ctrl-C; yields what is to be called when Ray has put its own answer."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return

    asked = False

    def stop(number: int, frame: object) -> None:
        nonlocal asked
        asked = True
        raise Terminated

    def answer() -> None:
        signal.signal(signal.SIGTERM, stop)

    before = signal.getsignal(signal.SIGTERM)
    answer()
    try:
        yield answer
    except KeyboardInterrupt:
        if asked:
            raise Terminated from None  # while Ray waits, it makes a Ctrl-C of it
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _start(init: Callable[[], object]) -> None:
    """Start Ray; on a machine with much other work it may need more than the half minute that it gives
    itself.
    """
    for left in reversed(range(STARTS)):
        try:
            init()
        except Exception as error:
            if not left or type(error) is not Exception:  # "the current node timed out during startup"
                raise
        else:
            return


def _reach(address: str) -> None:
    """Connect once: Ray itself would try for many minutes.

    Raises:
        OSError: nobody answers there.
        ValueError: not HOST:PORT.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto":
        return
    if not colon or not port.isdecimal():
        raise ValueError("an address is HOST:PORT, ray://HOST:PORT or auto")
    socket.create_connection((host, int(port)), timeout=5).close()


def _choose_mode(address: str) -> None:
    """Have Ray use a token if the cluster wants one, and only then.

    A local start leaves a token in the home folder. Who uses it for a cluster that has none is not understood
    by the nodes, so the cluster is asked first, without.
    """
    if AUTH in os.environ or address.startswith("ray://"):
        return
    import ray

    inner: Any = ray._raylet

    found = _bootstrap(address)
    if found is None or not hasattr(inner, "AuthenticationError"):  # a Ray that knows no tokens
        return
    tokens = inner.AuthenticationTokenLoader.instance()
    there = tokens.has_token(ignore_auth_mode=True)
    tokens.reset_cache()  # else this process wants the token that it has seen, and no other node gets files
    for mode in ("disabled", "token") if there else ("disabled",):  # without one Ray would end this process
        os.environ[AUTH] = mode
        inner.Config.initialize("")
        try:
            with _silent_errors():
                inner.GcsClient(address=found).internal_kv_keys(b"arena", None)
        except inner.AuthenticationError:
            continue
        except Exception:
            pass  # not about tokens: Ray itself will say what it is
        return
    raise RunError(
        "it takes only whoever has its token: copy ~/.ray/auth_token from its head to this machine"
    )


@contextlib.contextmanager
def _silent_errors() -> Iterator[None]:
    """Drop what is written to the stream of errors below Python: Ray's client warns there of every answer."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _bootstrap(address: str) -> str | None:
    """HOST:PORT of the cluster that `auto` means."""
    if address != "auto":
        return address
    from ray._private import services

    with contextlib.suppress(Exception):
        return str(services.canonicalize_bootstrap_address_or_die("auto"))
    return None


def _plain(error: Exception) -> str:
    """What Ray says, in one line that helps."""
    text = str(error)
    if isinstance(error, OSError) and (error.strerror or isinstance(error, TimeoutError)):
        return f"nobody answers there ({error.strerror or 'timed out'}); ray start --head prints the address"
    if (
        isinstance(error, ConnectionError) and "auto" in text
    ) or "Could not find any running Ray instance" in text:
        return "none is running on this machine; start one with ray start --head, or name HOST:PORT"
    if "AF_UNIX path length" in text:
        folder = tempfile.gettempdir()
        return f"the name of the temporary folder, {folder}, is too long: set TMPDIR to another one"
    if "ersion mismatch" in text:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " ".join(lines[:3])
    return reason(error)
