"""Tell addresses of events: a POST of JSON, signed, until it is answered by a status of 2xx."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ..errors import ArenaError
from ..printable import Say
from ..store import Store
from ..store.events import MOST_FAILED
from ..store.models import Event, Hook

LOOK_S = 5.0
TIMEOUT_S = 10.0
MOST_WAIT_S = 3600.0  # between two tries of an address that does not answer


class Hooks:
    """A thread that tells addresses of events. An address hears of each in order, and at least once.

    Args:
        store: where events and addresses are.
        say: hears which address does not answer.
    """

    def __init__(self, store: Store, say: Say) -> None:
        self._store, self._say = store, say
        self._due: dict[int | None, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="hooks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Tell nothing more."""
        self._over.set()
        self._thread.join(TIMEOUT_S)

    def _work(self) -> None:
        while not self._over.wait(LOOK_S):
            with contextlib.suppress(ArenaError):  # the database will be there again
                for hook in self._store.hooks():
                    if hook.failed < MOST_FAILED and time.monotonic() >= self._due.get(hook.id, 0.0):
                        self._tell(hook)

    def _tell(self, hook: Hook) -> None:
        for event in self._store.untold(hook):
            failed = post(hook, event)
            self._store.note_told(hook, None if failed else event)
            if failed:
                wait_s = min(LOOK_S * 2**hook.failed, MOST_WAIT_S)
                self._due[hook.id] = time.monotonic() + wait_s
                last = hook.failed + 1 >= MOST_FAILED
                then = "it hears no more; add it again" if last else f"again in {wait_s:.0f} s"
                with contextlib.suppress(OSError):  # nobody reads it
                    self._say(f"hook {hook.id}: {hook.url}: {failed}; {then}")
                return


def post(hook: Hook, event: Event) -> str:
    """Tell an address of an event; return why that failed, or "". Redirects are not followed."""
    told = {"event": event.key, "at": event.at.isoformat(), "kind": event.kind, "season": event.season}
    body = json.dumps(told | {"owner": event.owner, "text": event.text}).encode()
    headers = {"Content-Type": "application/json", "X-Arena-Signature": signature(hook.secret, body)}
    try:
        parts = urlsplit(hook.url)
        with _connected(parts, public=hook.owner != "") as connection:
            path = urlunsplit(("", "", parts.path or "/", parts.query, ""))
            connection.request("POST", path, body, headers)
            status = connection.getresponse().status
    except (OSError, ValueError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    return "" if 200 <= status < 300 else f"it answers {status}"


@contextlib.contextmanager
def _connected(parts: SplitResult, public: bool) -> Iterator[http.client.HTTPConnection]:
    """Connect to the host of an address, for `TIMEOUT_S` in all, however slowly it answers.

    Raises:
        OSError: it cannot be reached; or it is to be a public one and is not.
    """
    secure, host = parts.scheme == "https", parts.hostname or ""
    port = parts.port or (443 if secure else 80)
    raw = socket.create_connection(_address(host, port, public), TIMEOUT_S)
    connection = http.client.HTTPConnection(parts.netloc.rpartition("@")[2])
    connection.sock = raw
    over = threading.Timer(TIMEOUT_S, lambda: _cut(connection))
    over.start()
    try:
        if secure:
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(raw, server_hostname=host, do_handshake_on_connect=False)
            connection.sock.do_handshake()
        yield connection
    finally:
        over.cancel()
        connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    with contextlib.suppress(OSError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _address(host: str, port: int, public: bool) -> tuple[str, int]:
    """Return where a host is.

    Raises:
        OSError: nowhere; or it is to be a public address, so that nobody sends this server to its neighbours.
    """
    found = {str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    if public and not all(ipaddress.ip_address(one).is_global for one in found):
        raise OSError(f"{host} is not a public address")
    return sorted(found)[0], port


def signature(secret: str, body: bytes) -> str:
    """Return what shows that a body comes from here."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"
