"""Reaching a Ray cluster, or one of this machine alone (`local`): silent, with the token that it wants, and
ended with all that belongs to it.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import RunError, Terminated
from . import local
from .calls import RayCalls
from .cores import cores
from .driver import Cluster
from .jobs import reason
from .local import AUTH, QUIET, TOKEN

HOST = re.compile(r"[^\s/:]+|\[[0-9A-Fa-f:.]+\]")  # a name, or an address; of version 6 in brackets
PORTS = 65535  # of a machine
ANSWER_S = 3.0  # for a cluster to take leave of its driver
PRINTS = "print_to_stdstream"  # the function of Ray's inside, where there is one


@contextlib.contextmanager
def cluster(
    workers: int | None, address: str | None = None, say: Callable[[str], None] = lambda line: None
) -> Iterator[Cluster]:
    """A Ray of this machine alone with `workers` CPUs (default: `cores`), the one that was started ahead if
    there is one; or a running cluster at `address`, of which `workers` are used (default: all).

    Raises:
        RunError: it cannot be started or reached, or has no CPU.
    """
    with _stops() as answer_signals, _same_environment(AUTH, *QUIET):
        os.environ.update(QUIET)
        with contextlib.ExitStack() as opened:
            host = None
            try:
                if address is not None:
                    ray = _connected(address)
                else:
                    ray, host = _own(workers or cores(), opened)
            except Exception as error:  # what Ray raises has no type of its own
                where = "Ray cannot be started here"
                if address is not None:
                    where = f"no Ray cluster at {address if address.strip() else repr(address)}"
                raise RunError(f"{where}: {_plain(error)}") from None
            opened.enter_context(_no_paragraphs())
            opened.callback(_disconnect, ray, host)
            answer_signals()
            ended = host.ended if host is not None else opened.enter_context(_own_node_watched())
            found = Cluster(RayCalls(ray, workers), workers, say, address is None, ended)
            if not list(found.nodes):
                raise RunError(
                    f"the Ray cluster at {address} has no CPU: start nodes with ray start --num-cpus N"
                )
            yield found


def _connected(address: str) -> Any:
    """Ray, connected to a running cluster."""
    found = _running_here() if address == "auto" else address
    try:
        _reach(found)
    except (OSError, ValueError) as error:
        if address == found:
            raise
        where = "RAY_ADDRESS names" if os.environ.get("RAY_ADDRESS") else "it runs at"
        raise ValueError(f"{where} {found}: {_plain(error)}") from None
    _choose_mode(found)
    return _init(found)


def _own(cpus: int, opened: contextlib.ExitStack) -> tuple[Any, local.Host]:
    """Ray, connected to one of this machine alone, which ends with `opened`."""
    host = local.take(cpus)
    if host is None:
        host = local.Host(cpus)
        opened.callback(host.close)
    else:
        opened.callback(host.end)
    import ray  # noqa: F401  # before anything is to be undone: a Ctrl-C that cuts this off leaves half of it

    opened.callback(forget_token)
    opened.enter_context(_same_environment(AUTH, TOKEN))
    os.environ.update(host.environment())
    forget_token()
    return _init(host.address()), host


def _disconnect(ray: Any, host: local.Host | None) -> None:
    """Leave a cluster. Of one that does not answer, as a process of it is stopped, nobody takes leave; if it
    is of this machine alone, it is ended.
    """
    leaving = threading.Thread(target=ray.shutdown, daemon=True)
    leaving.start()
    leaving.join(ANSWER_S)
    if leaving.is_alive():
        atexit.unregister(ray.shutdown)  # it would wait for this one
        if host is not None:
            host.end()
            leaving.join()


@contextlib.contextmanager
def _own_node_watched() -> Iterator[Callable[[], bool]]:
    """Yields whether the node of this machine, through which a driver reaches a cluster, has ended: Ray would
    end its driver some 15 s later, in words of its own.
    """
    from ray._private import worker

    inner: Any = worker
    name, server = getattr(inner._global_node, "raylet_socket_name", None), None
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as line:
        if name:
            line.connect(name)
            (pid,) = struct.unpack("i8x", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            server = os.pidfd_open(pid)
    try:
        yield lambda: server is not None and bool(select.select([server], [], [], 0)[0])
    finally:
        if server is not None:
            os.close(server)


def _init(address: str) -> Any:
    import ray

    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    return ray


def forget_token() -> None:
    """Have Ray look into the environment again for how it tells who it is."""
    import ray

    inner: Any = ray._raylet
    if hasattr(inner, "AuthenticationTokenLoader"):  # else it is a Ray that knows no tokens
        inner.AuthenticationTokenLoader.instance().reset_cache()
        inner.Config.initialize("")


@contextlib.contextmanager
def _same_environment(*names: str) -> Iterator[None]:
    """Put variables back that are changed for Ray, or by it."""
    before = {name: os.environ[name] for name in names if name in os.environ}
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(before)


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
    """Connect once: Ray itself would try for many minutes.

    Raises:
        OSError: nobody answers there.
        ValueError: not HOST:PORT.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not HOST.fullmatch(host) or not re.fullmatch("[0-9]+", port) or int(port) > PORTS:
        raise ValueError("an address is HOST:PORT, ray://HOST:PORT or auto")
    socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()


def _choose_mode(address: str) -> None:
    """Have Ray use a token if the cluster wants one, and only then.

    A local start leaves a token in the home folder. Who uses it for a cluster that has none is not understood
    by the nodes, so the cluster is asked first, without.
    """
    import ray

    inner: Any = ray._raylet
    if address.startswith("ray://") or not hasattr(inner, "AuthenticationError"):  # it knows no tokens
        return
    tokens, given = inner.AuthenticationTokenLoader.instance(), os.environ.get(AUTH)
    there = tokens.has_token(ignore_auth_mode=True)
    tokens.reset_cache()  # else this process wants the token that it has seen, and no other node gets files
    modes = [given] if given is not None else ["disabled", "token"]
    for mode in modes if there else ({*modes} & {"disabled"}):  # without one Ray would end this process
        os.environ[AUTH] = mode
        inner.Config.initialize("")
        try:
            with _silent_errors():
                inner.GcsClient(address=address).internal_kv_keys(b"arena", None)
        except inner.AuthenticationError:
            continue
        except Exception:
            pass  # not about tokens: Ray itself will say what it is
        return
    unset = f", and unset {AUTH}" if given == "disabled" else ""
    raise RunError(
        f"it takes only whoever has its token: copy ~/.ray/auth_token from its head to this machine{unset}"
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


@contextlib.contextmanager
def _no_paragraphs() -> Iterator[None]:
    """Drop what Ray prints among a command's results when a node ends: whole paragraphs, on the stream that
    a table or its JSON goes to. The driver tells the same in a line.
    """
    from ray._private import worker

    inner: Any = worker
    prints = getattr(inner, PRINTS, None)
    if prints is None:
        yield
        return
    setattr(inner, PRINTS, lambda data, ignore_prefix: None)
    try:
        yield
    finally:
        setattr(inner, PRINTS, prints)


def _running_here() -> str:
    """HOST:PORT of the cluster that `auto` means: RAY_ADDRESS, or that of which this machine is a node; of
    several, the one that `ray start --head` has begun last here. Those that leagues have started for
    themselves do not count.

    Raises:
        RunError: none, or it cannot be told which.
    """
    if named := os.environ.get("RAY_ADDRESS", "").removeprefix("auto"):
        return named
    from ray._private import services

    services.find_gcs_addresses.cache_clear()
    found = set(services.find_gcs_addresses()) - local.addresses()
    last = services.find_bootstrap_address(None)
    if len(found) > 1 and last not in found:
        raise RunError(f"several run on this machine; name one of {', '.join(sorted(found))}")
    if not found:
        raise RunError("none is running on this machine; start one with ray start --head, or name HOST:PORT")
    return str(last if last in found else found.pop())


def _plain(error: Exception) -> str:
    """What Ray says, in one line that helps."""
    text = str(error)
    if isinstance(error, OSError) and (error.strerror or isinstance(error, TimeoutError)):
        return f"nobody answers there ({error.strerror or 'timed out'}); ray start --head prints the address"
    if "AF_UNIX path length" in text:
        folder = tempfile.gettempdir()
        return f"the name of the temporary folder, {folder}, is too long: set TMPDIR to another one"
    if "ersion mismatch" in text:
        there, here = re.findall(r"Ray: (\S+)\s+Python: (\S+)", text)
        told = "it has Ray {} and Python {}, this process Ray {} and Python {}".format(*there, *here)
        return f"{told}: install the same on both"
    return reason(error)
