"""The organiser's page: what goes on at this server, and the organiser's commands."""

from __future__ import annotations

import dataclasses
import hmac
import inspect
import secrets
import shutil
from pathlib import Path
from typing import Any

from starlette.requests import Request

from leagues.errors import unreadable

from ..errors import UsageError
from ..ladder.organising import DEEDS
from ..ladder.status import season_status
from ..places import write_whole
from ..store.models import age
from .account import token_of
from .site import Site, Unauthorised, fields_of

LATELY_MIN = 60.0  # what is called lately
SHOWN = 20  # acts, submissions, lines


def token_in(path: Path) -> str:
    """Return the organiser's token from a file, which is made if it is not there, for its owner alone.

    Raises:
        UsageError: it cannot be read or made, is empty, or others may read it.
    """
    try:
        if not path.exists():
            write_whole(path, secrets.token_urlsafe(24) + "\n")
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--organiser {unreadable(path, error)}") from None
    if path.stat().st_mode & 0o077:
        raise UsageError(f"--organiser {path}: others may read it: chmod 600 {path}")
    if not token:
        raise UsageError(f"--organiser {path}: it is empty: remove it, and a new token is made")
    return token


def overview(site: Site, request: Request, body: bytes) -> Any:
    """Return how the server, its seasons, drivers, owners and submissions are."""
    _check(site, request)
    store = site.store
    lately, epochs = store.whole.lately(LATELY_MIN), store.seasons.of_runs()
    runs = {run.key: run.label for run in store.runs.all()}
    driven: dict[str, Any] = {**store.leases.season_drivers()}
    driven |= {runs.get(key, "?"): one for key, one in store.leases.all().items() if key not in epochs}
    bots = {bot.id: bot.label for bot in store.bots.all(newest=False)}
    failing = store.submissions.failing()
    failed = [f"a match was called off: {why}" for why in lately.causes[-SHOWN:]]
    failed += [f"{one.file} of {one.owner}: {one.text}" for one in failing[-SHOWN:]]
    return {
        "seasons": [
            {
                "name": one.name,
                "state": one.state,
                "lasts": one.definition.lasts,
                "leagues": [
                    {"game": part["game"], "queue": len(part["queue"]), "last": part["epochs"][-1:]}
                    for part in season_status(store, one)
                ],
            }
            for one in reversed(store.seasons.all())
        ],
        "drivers": [
            {"run": name, "does": getattr(one, "does", "it plays")}
            | {"who": one.who, "heard_s": age(one.heartbeat)}
            for name, one in driven.items()
        ],
        "nodes": [{"node": node, "ago_s": age(at)} for node, at in sorted(lately.nodes.items())],
        "owners": [dataclasses.asdict(one) for one in store.owners.all()],
        "submissions": [
            one.model_dump(include={"owner", "file", "state", "text", "sent"})
            | {"bot": bots.get(one.bot_id, "")}
            for one in store.submissions.newest(SHOWN)
        ],
        "failing": len(failing),
        "disk": {
            "free": shutil.disk_usage(store.file.absolute().parent).free if store.file else None,
            "database": store.whole.facts()["bytes"],
            "games": lately.games,
            "tables": site.tables.taken(),
        },
        "errors": [*site.heard, *failed],
        "acts": [[one.at, one.who, one.what, one.owner, one.text] for one in store.owners.acts(limit=SHOWN)],
    }


def act(site: Site, request: Request, body: bytes) -> Any:
    """Do what a command of the organiser does; return what it says."""
    _check(site, request)
    wanted = fields_of(body)
    deed = DEEDS.get(str(wanted.pop("do", "")))
    if deed is None:
        raise UsageError(f"do: one of {', '.join(DEEDS)}")
    for key, value in wanted.items():
        if not isinstance(value, bool if key in ("again", "undo") else str):
            raise UsageError(f"{key}: send {'true or false' if key in ('again', 'undo') else 'a text'}")
    try:
        given = inspect.signature(deed).bind(site.store, "organiser (page)", **wanted)
    except TypeError as error:
        raise UsageError(str(error)) from None
    said = deed(*given.args, **given.kwargs)
    if site.sent is not None:
        site.sent()  # there may be something to try again
    return {"said": said}


def _check(site: Site, request: Request) -> None:
    """Raise Unauthorised unless the organiser asks."""
    if not site.organiser or not hmac.compare_digest(site.organiser.encode(), token_of(request).encode()):
        raise Unauthorised("This is not the organiser's token, which is in the file that the server names.")
