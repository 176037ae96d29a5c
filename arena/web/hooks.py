"""Tell addresses of events: a POST of JSON, signed, until it is answered by a status of 2xx."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import threading
import time
import urllib.error
import urllib.request

from ..errors import ArenaError
from ..printable import Say
from ..store import Store
from ..store.events import MOST_FAILED
from ..store.models import Event, Hook

LOOK_S = 5.0
TIMEOUT_S = 10.0
MOST_WAIT_S = 3600.0  # between two tries of an address that does not answer


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given: object) -> None:
        """Follow nowhere: the address was chosen by the organiser."""


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
    """Tell an address of an event; return why that failed, or ""."""
    told = {"event": event.key, "at": event.at.isoformat(), "kind": event.kind, "season": event.season}
    body = json.dumps(told | {"owner": event.owner, "text": event.text}).encode()
    headers = {"Content-Type": "application/json", "X-Arena-Signature": signature(hook.secret, body)}
    request = urllib.request.Request(hook.url, body, headers, method="POST")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=TIMEOUT_S):
            return ""
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__


def signature(secret: str, body: bytes) -> str:
    """Return what shows that a body comes from here."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"
