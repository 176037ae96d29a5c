"""Send a bot to a server and wait for its outcome; the token is in a file that its owner alone can read."""

from __future__ import annotations

import http.client
import io
import json
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from leagues.errors import unreadable

from ..errors import ArenaError, BotError, UsageError
from ..intake.source import MAX_PACKED, MAX_SOURCE, SUFFIX
from ..places import user_folder, write_whole

TOKENS = "tokens.json"
LOOK_S = 1.0  # between two looks for the outcome
PATIENCE_S = 60.0  # for an answer


def login(url: str, token: str) -> str:
    """Keep the token of a server; return its owner.

    Raises:
        UsageError: it is no token, or the server does not know it.
        ArenaError: the server does not answer, or the token cannot be kept.
    """
    url = url.rstrip("/")
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError(f"{token[:80]!r} is no token: copy all of it, and nothing else")
    owner = str(_ask(url, token, "/api/bots")["owner"])
    path, kept = user_folder() / TOKENS, _tokens() | {url: token}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(kept))
    except OSError as error:
        raise ArenaError(f"{path}: cannot be written: {error.strerror}") from None
    return owner


def push(path: Path, url: str = "", note: str = "") -> Iterator[str]:
    """Send a bot; yield what becomes of it, until it is accepted.

    Args:
        path: a .py file, or a folder, which is sent as an archive.
        url: of the server; default: the only one that the user has a token of.
        note: what is new in this version.

    Raises:
        UsageError: no such file, no token, or several servers.
        BotError: the server refused the bot; says why.
        ArenaError: the server does not answer.
    """
    kept, url = _tokens(), url.rstrip("/")
    if not url and len(kept) != 1:
        known = f"--to one of {', '.join(sorted(kept))}" if kept else "arena login URL keeps your token"
        raise UsageError(f"which server? {known}")
    url = url or next(iter(kept))
    if url not in kept:
        raise UsageError(f"no token of {url} is kept: arena login {url}")
    try:
        body = _zipped(path) if path.is_dir() else path.read_bytes()
    except OSError as error:
        raise UsageError(unreadable(path, error)) from None
    name = path.resolve().name + ".zip" * path.is_dir()
    if len(body) > (most := MAX_PACKED if name.endswith(SUFFIX) else MAX_SOURCE):
        raise BotError(f"{name} has {len(body)} bytes; a server takes {most} at most")
    sent = _ask(url, kept[url], f"/api/bots?{urlencode({'name': name, 'note': note})}", body, "number")
    said = ""
    while True:
        if sent["text"] != said and sent["state"] != "refused":
            said = sent["text"]
            yield f"{name}: {sent['state']}{': ' if said else ''}{said}"
        if sent["state"] == "refused":
            raise BotError(f"{name} was refused: {sent['text']}")
        if sent["state"] == "accepted":
            return
        time.sleep(LOOK_S)
        try:
            mine = _ask(url, kept[url], "/api/bots", key="submissions")["submissions"]
        except UsageError:
            raise
        except ArenaError as error:
            kept_there = f"{name} is stored there and waits for its trial. To see the outcome, repeat:"
            raise ArenaError(f"{error}; {kept_there} arena push {path} --to {url}") from None
        sent = next((one for one in mine if one["number"] == sent["number"]), sent)


def _zipped(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(folder))
    return packed.getvalue()


def _tokens() -> dict[str, str]:
    """Return the tokens that are kept, by the server's address."""
    try:
        return dict(json.loads((user_folder() / TOKENS).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise ArenaError(f"{unreadable(user_folder() / TOKENS, error)}; remove it") from None


def _ask(url: str, token: str, path: str, body: bytes | None = None, key: str = "owner") -> Any:
    """Return what a server answers: an object that has `key`.

    Raises:
        BotError: it refuses a file.
        UsageError: it refuses anything else, or is no such server.
        ArenaError: it does not answer, or something is wrong there.
    """
    headers = {"Authorization": f"Bearer {token}", "X-Arena": "1"}
    try:
        if not url.startswith(("http://", "https://")) or not urlsplit(url).hostname:
            raise UsageError(f"{url!r}: a server's address is http:// or https:// and its name")
        with urllib.request.urlopen(
            urllib.request.Request(url + path, body, headers), timeout=PATIENCE_S
        ) as reply:
            found = json.load(reply)
            if not isinstance(found, dict) or key not in found:
                raise ValueError(path)
            return found
    except urllib.error.HTTPError as error:
        try:
            why = str(json.load(error)["error"])
        except (ValueError, KeyError, TypeError):
            why = f"the server answers {error.code}: is {url} the address of its first page?"
        refused = BotError if body is not None and error.code == 400 else UsageError
        raise (ArenaError if error.code >= 500 else refused)(why) from None
    except (ValueError, http.client.HTTPException) as error:
        if isinstance(error, ConnectionError | http.client.IncompleteRead):
            raise ArenaError(
                f"{url} ended the connection before its answer was complete: try again"
            ) from None
        raise UsageError(f"{url} is no server of card-arena") from None
    except OSError as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        strerror = cause.strerror if isinstance(cause, OSError) else None
        raise ArenaError(f"{url} does not answer: {strerror or cause}") from None
