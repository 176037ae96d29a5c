"""Reaching a Ray cluster, or starting one of this machine alone (`local`), through Ray's public interface."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import RunError, Terminated, unstopped
from ..printable import Say, quiet
from .calls import RayCalls
from .cores import cores
from .driver import Cluster
from .local import AUTH, BYE, DIED, QUIET, Host, command_log, take
from .proof import reason

HOST = re.compile(r"[^\s/:]+|\[[0-9A-Fa-f:.]+\]")  # a name, or an address; of version 6 in brackets
PORTS = 65535  # of a machine
STARTS = 3  # of a local Ray, before its error is told: on a loaded machine Ray's own deadlines pass
FEW_TRIES = {
    "RAY_NUM_REDIS_GET_RETRIES": "2"
}  # to reach a cluster, of up to 40 s each; Ray's own 20 take minutes
LAST_WORDS = """\
read bye && exit
echo "arena: $0" >&2
test -z "$1" || printf '{"at": "%s", "text": "%s"}\\n' "$(date -u +%FT%T+00:00)" "$0" >> "$1"
"""
LEAVE_S = 3.0  # for a cluster to take leave of its driver
WATCH_S = 0.1  # from one look whether a local Ray lives, while it is connected, to the next


@contextlib.contextmanager
def cluster(
    workers: int | None,
    address: str | None = None,
    say: Say = quiet,
    meanwhile: Callable[[], object] = lambda: None,
) -> Iterator[Cluster]:
    """Connect to a Ray cluster, or start one of this machine alone, which ends with the block.

    A process that is connected to a Ray plays there, and stays connected: one league after another finds
    the workers ready.

    Args:
        address: HOST:PORT or auto, of a running cluster; None: the one that this process is
            connected to, else this machine alone.
        meanwhile: called once, while a local Ray starts in a process of its own.
    """
    with contextlib.ExitStack() as opened:
        answer_signals = opened.enter_context(_stops())
        ray, host = _joined(address), None
        if ray is not None:
            meanwhile()
        else:
            if address is None:
                ray, host = _own(workers or cores(), meanwhile, opened)
            else:
                _reach(address)
                meanwhile()
                opened.enter_context(_last_words())
                ray = connect(address)
            opened.callback(_disconnect, ray, host)
        answer_signals()

        def ended(asked: bool) -> bool:
            return host is not None and (host.ended() or (asked and not host.answers()))

        found = Cluster(RayCalls(ray, workers), workers, say, host is not None, ended)
        if not list(found.nodes):
            raise RunError(
                f"the Ray cluster at {address} has no CPU: start nodes with ray start --num-cpus N"
            )
        yield found


def _joined(address: str | None) -> Any:
    """Return Ray if this process is connected to it."""
    if (ray := sys.modules.get("ray")) is None or not ray.is_initialized():
        return None
    here = ray.get_runtime_context().gcs_address
    if address in (None, "auto", here):
        return ray
    raise RunError(
        f"this process is connected to the Ray cluster at {here}, not to {address}: call ray.shutdown() first"
    )


def _own(cpus: int, meanwhile: Callable[[], object], opened: contextlib.ExitStack) -> tuple[Any, Host]:
    """Connect to a Ray of this machine alone, which ends with `opened`; try again if it does not start."""
    host = opened.enter_context(contextlib.closing(take(cpus)))
    meanwhile()
    for _ in range(STARTS - 1):
        with contextlib.suppress(RunError):
            return connect(None, host), host
        host.close()
        host = opened.enter_context(contextlib.closing(Host(cpus)))
    return connect(None, host), host


def connect(address: str | None, host: Host | None = None) -> Any:
    """Import Ray and connect it. Raises RunError: it cannot be reached."""
    for name, value in (QUIET if host is not None else QUIET | FEW_TRIES).items():
        os.environ.setdefault(name, value)
    import ray

    heard = bytearray()
    try:
        found = host.address() if host is not None else address
        alive = contextlib.nullcontext() if host is None else _while_it_lives(host)
        # workers import from the folder in which Ray is connected: nobody can put a package `bots` into /proc
        with _unheard(heard), alive, contextlib.chdir("/proc"):
            ray.init(address=found, log_to_driver=False, logging_level=logging.ERROR)
    except KeyboardInterrupt:  # half of it is connected: without its first server Ray would end this process
        _disconnect(ray, host)
        raise
    except Exception as error:  # what Ray raises has no type of its own
        where = "Ray cannot be started here" if address is None else f"no Ray cluster at {address}"
        raise RunError(f"{where}: {_plain(error, heard.decode(errors='replace'))}") from None
    return ray


@contextlib.contextmanager
def _unheard(heard: bytearray) -> Iterator[None]:
    """Keep what Ray prints on stderr while it connects, such as warnings without a default route."""
    sys.stderr.flush()
    kept = os.dup(2)
    with os.fdopen(os.memfd_create("heard"), "w+b") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            heard += file.read()


@contextlib.contextmanager
def _while_it_lives(host: Host) -> Iterator[None]:
    """Raise an error in the block when a local Ray ends: Ray itself would look for its node for a minute.

    Python answers signals in the main thread only, so in another one that minute has to pass.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    here, over = threading.get_ident(), threading.Event()

    def watch() -> None:
        while not over.wait(WATCH_S):
            if host.ended():
                signal.pthread_kill(here, signal.SIGUSR1)
                return

    def end(number: int, frame: object) -> None:
        raise RunError("its process has ended")

    before, watcher = signal.signal(signal.SIGUSR1, end), threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        signal.signal(signal.SIGUSR1, before)


def _disconnect(ray: Any, host: Host | None) -> None:
    """Leave a cluster; one that does not answer, because a process of it is stopped, is not waited for."""
    with unstopped():
        leaving = threading.Thread(target=ray.shutdown, daemon=True)
        leaving.start()
        leaving.join(LEAVE_S)
        if leaving.is_alive():
            atexit.unregister(ray.shutdown)  # it would wait for this one
            if host is not None:
                host.close()
                leaving.join(LEAVE_S)


@contextlib.contextmanager
def _last_words() -> Iterator[None]:
    """Have another process print a line, and write it to the log, if this one ends within the block.

    Ray ends the driver when its node or the cluster's first server is gone. `local.Host` does the same.
    """
    words = subprocess.Popen(
        ["sh", "-c", LAST_WORDS, DIED, command_log()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        words.communicate(BYE + b"\n")


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


def _reach(address: str) -> None:
    """Connect once: Ray itself would try for minutes. `auto` without RAY_ADDRESS is left to Ray."""
    named = address if address != "auto" else os.environ.get("RAY_ADDRESS", "auto")
    if named == "auto":
        return
    shown = address if address.strip() else repr(address)
    where = f"no Ray cluster at {shown}" + ("" if named == address else f": RAY_ADDRESS is {named}")
    host, _, port = named.rpartition(":")
    if not HOST.fullmatch(host) or not re.fullmatch("[0-9]+", port) or int(port) > PORTS:
        client = "; Ray's client cannot play a league: run it on a node" if named.startswith("ray:") else ""
        raise RunError(f"{where}: an address is HOST:PORT or auto{client}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except OSError as error:
        why = error.strerror or "timed out"
        raise RunError(
            f"{where}: nobody answers there ({why}); ray start --head prints the address"
        ) from None


def _plain(error: Exception, heard: str = "") -> str:
    """Return what Ray says, in one line that helps; `heard`: what it has printed before."""
    text = str(error)
    if "AF_UNIX path length" in text:
        folder = tempfile.gettempdir()
        return f"the name of the temporary folder, {folder}, is too long: set TMPDIR to another one"
    if "ersion mismatch" in text:
        there, here = re.findall(r"Ray: (\S+)\s+Python: (\S+)", text)
        told = "it has Ray {} and Python {}, this process Ray {} and Python {}".format(*there, *here)
        return f"{told}: install the same on both"
    if "No node info" in str(error.__cause__):
        there = text.rpartition(" ")[2]
        return (
            f"this machine is no node of it: ray start --address {there} --num-cpus 0, or run this on a node"
        )
    if "InvalidAuthToken" in heard:
        return f"{reason(error)}: it wants its token: export {AUTH}=token, and copy its ~/.ray/auth_token"
    if "waiting for GCS" in heard:
        return f"{reason(error)}: what listens there is no Ray, or hangs: ray start --head prints the address"
    return reason(error)
