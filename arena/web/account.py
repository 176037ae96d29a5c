"""What owners ask for by their tokens: to send bots, to retire them, and to see why they lose."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from starlette.requests import Request

from ..errors import BotError, TooMany, UsageError
from ..intake.reading import Facts, Unreadable, inspect_jailed
from ..intake.registry import house_source
from ..intake.sent import check_games, taken, waits_in_vain
from ..intake.source import EVERY_GAME, MAX_PACKED, MAX_SOURCE, SUFFIX, misnamed, unpack
from ..replay.listing import games_of, latest_run
from ..replay.losses import logs
from ..store.models import Bot, LeagueRun, Owner, Submission
from ..store.owners import mark_of
from .site import PER_MINUTE, Denied, Site, Unauthorised, fields_of, network_of

LATER_S = 60.0  # until a bot may be sent again for which too many of its owner wait
MOST_GAMES = 500  # of an answer
MOST_LINES = 5000  # of what a bot printed


def submit(site: Site, request: Request, body: bytes) -> Any:
    """Store a bot that waits for its trial."""
    owner = owner_of(site, request)
    file, note = request.query_params.get("name", ""), request.query_params.get("note", "")
    ending = SUFFIX if file.endswith(SUFFIX) else ".py"
    if not file.endswith(ending):
        raise BotError(f"{file[:80]!r}: send one .py file, or a folder as {SUFFIX}")
    if wrong := misnamed((name := file.removesuffix(ending))[:80]):
        raise BotError(f"{wrong}{ending}")
    if house_source(name) and all(bot.kind != "submitted" for bot in site.store.bots.versions(name)):
        raise BotError(f"{name!r} is the name of a house bot; call it my_{name}{ending}")
    games: Sequence[str] = [EVERY_GAME]  # those of an archive are read in its trial
    if ending == ".py":
        games = site.reading.submit(_facts, file, body).result().games
    check_games(file, games, taken(site.store, site.conditions))
    if not site.conditions and (why := waits_in_vain(site.store, owner.name, file)):
        raise TooMany(why, LATER_S)
    one = site.store.submissions.add(owner.name, file, note[:200], body)
    assert site.sent is not None  # else nobody is an owner here
    site.sent()
    return next(
        _plain(*known) for known in site.store.submissions.of_owner(owner.name) if known[0].id == one.id
    )


def room(request: Request) -> tuple[int, str]:
    """Return how many bytes a bot's file may have, and what kind of file it is."""
    archive = request.query_params.get("name", "").endswith(SUFFIX)
    return (MAX_PACKED, f"a {SUFFIX} archive") if archive else (MAX_SOURCE, "a .py file")


def _facts(file: str, body: bytes) -> Facts:
    """Read a source in the sandbox.

    Raises:
        BotError: a mistake in it, with its line.
    """
    try:
        return inspect_jailed(body)
    except Unreadable as error:
        where = f"{file}, line {error.line}" if error.line else file
        raise BotError(f"{where}: {error}") from None


def register(site: Site, request: Request, body: bytes) -> Any:
    """Make an owner of who asks; the answer has the token, which is kept nowhere."""
    if not site.registration or site.sent is None:
        raise Denied("this server registers nobody: ask the organiser for a token")
    name = str(fields_of(body).get("name", ""))
    return {"owner": name, "token": site.store.owners.register(name, network_of(request))}


def mine(site: Site, request: Request, body: bytes) -> Any:
    """Return an owner's bots and the newest submissions."""
    owner = owner_of(site, request).name
    return {
        "owner": owner,
        "bots": [_of_bot(bot) for bot in site.store.owners.bots_of(owner)],
        "submissions": [_plain(*one) for one in site.store.submissions.of_owner(owner)],
        "left": site.store.submissions.left(owner),
    }


def retire(site: Site, request: Request, body: bytes) -> Any:
    """Retire or restore a version."""
    owner, retired = owner_of(site, request), fields_of(body).get("retired")
    if not isinstance(retired, bool):
        raise UsageError('send {"retired": true} or {"retired": false}')
    return _of_bot(site.store.owners.set_retired(owner.name, request.path_params["label"], retired))


def export(site: Site, request: Request, body: bytes) -> Any:
    """Return all that is stored about an owner: bots with their files, submissions, acts, marks of tokens."""
    site.check_rate(request, PER_MINUTE)
    owner, store = owner_of(site, request), site.store
    bots = []
    for bot in store.owners.bots_of(owner.name):
        files = unpack(bot.name, store.bots.source(bot.hash)).files.items()
        contents = {name: _content(data) for name, data in files}
        bots.append(_of_bot(bot) | {"conditions": bot.conditions, "files": contents})
    return {
        "owner": owner.name,
        "invited": owner.invited.isoformat(),
        "bots": bots,
        "submissions": [_plain(*one) for one in store.submissions.of_owner(owner.name, limit=None)],
        "tokens": tokens(site, request, body)["tokens"],
        "acts": [
            {"at": act.at.isoformat(), "who": act.who, "what": act.what, "text": act.text}
            for act in store.owners.acts(owner.name)
        ],
    }


def games(site: Site, request: Request, body: bytes) -> Any:
    """Return the games of a version in a run (its latest one), newest last, or those that others played best.

    With `worst=1` come the games in which others with the same cards in the same seat made most more.
    """
    bot, run = _own(site, request)
    played = games_of(site.store, run, bot.label)
    if request.query_params.get("worst"):
        played = sorted((one for one in played if one.margin is not None), key=lambda one: one.margin or 0.0)
    shown = played[:MOST_GAMES] if request.query_params.get("worst") else played[-MOST_GAMES:]
    return {"bot": bot.label, "run": run.label, "games": [one.plain() for one in shown]}


def printed(site: Site, request: Request, body: bytes) -> Any:
    """Return what a version printed in a run (its latest one) or in a game of it, and its last output."""
    bot, run = _own(site, request)
    game = request.query_params.get("game", "")
    lines = islice(logs(site.store, bot.label, f"{run.label}/{game}" if game else run.label), MOST_LINES)
    labels = [entry.bot.label for entry in site.store.runs.entries(run)]
    mine = [one for one in site.store.matches.forfeits(run) if labels[one.entrant] == bot.label]
    faults = ("kind", "seats", "matches", "text")
    return {
        "bot": bot.label,
        "run": run.label,
        "lines": [asdict(one) for one in lines],
        "forfeits": [{name: getattr(one, name) for name in faults} for one in mine],
    }


def tokens(site: Site, request: Request, body: bytes) -> Any:
    """Return the marks of an owner's tokens, oldest first, and with which of them this was asked."""
    owner, used = owner_of(site, request), mark_of(token_of(request))
    return {
        "tokens": [
            {"token": one.mark, "made": one.made.isoformat(timespec="seconds"), "used": one.mark == used}
            for one in site.store.owners.tokens_of(owner.name)
        ]
    }


def add_token(site: Site, request: Request, body: bytes) -> Any:
    """Make one more token for who asks; the answer has it, this once."""
    name = owner_of(site, request).name
    return {"owner": name, "token": site.store.owners.new_token(name, name)}


def remove_token(site: Site, request: Request, body: bytes) -> Any:
    """End a token of who asks, by its mark."""
    name = owner_of(site, request).name
    return {"revoked": site.store.owners.revoke(name, request.path_params["mark"], name)}


def _own(site: Site, request: Request) -> tuple[Bot, LeagueRun]:
    """Return the version that a request names, which must be the owner's, and the run that it asks about.

    Raises:
        UsageError: the owner has no such bot, or it has played no such run.
    """
    site.check_rate(request, PER_MINUTE)
    owner, label = owner_of(site, request), request.path_params["label"]
    bot = next((one for one in site.store.owners.bots_of(owner.name) if one.label == label), None)
    if bot is None:
        raise UsageError(f"{owner.name} has no bot {label[:80]!r}")
    named = request.query_params.get("run", "")
    run = site.store.runs.find(named[:80]) if named else latest_run(site.store, label)
    if run.state == "playing":
        raise UsageError(f"{run.label} is not finished: its games are shown when nobody can learn from them")
    return bot, run


def _content(data: bytes) -> str | dict[str, str]:
    """Return a file's text, or what is no text in base 64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _of_bot(bot: Bot) -> dict[str, Any]:
    return {
        "bot": bot.label,
        "games": bot.games,
        "title": bot.title,
        "note": bot.note,
        "created": bot.created.isoformat(timespec="seconds"),
        "retired": bot.retired and bot.retired.isoformat(timespec="seconds"),
    }


def _plain(one: Submission, place: int) -> dict[str, Any]:
    """Return what the owner may know; `place` in the queue, 0: it is not in it."""
    text = one.text or (f"place {place} in the queue" if place else "")
    told = {"number": one.key, "file": one.file, "note": one.note, "state": one.state}
    times = {"sent": one.sent.isoformat(), "ended": one.ended and one.ended.isoformat()}
    return told | times | {"text": text, "place": place}


def token_of(request: Request) -> str:
    """Return the token that a request has; "" without one."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else ""


def owner_of(site: Site, request: Request) -> Owner:
    """Return who asks.

    Raises:
        Unauthorised: no token of an owner.
        Denied: the owner is banned, or no bots are taken.
    """
    if site.sent is None:
        raise Denied("this server takes no submissions: it was started without --allow-submissions")
    owner = site.store.owners.of_token(token_of(request))
    if owner is None:
        raise Unauthorised(
            "This token is not known: it is mistyped, or was changed or revoked. Ask whoever invited you."
            if token_of(request)
            else "This needs a token, which the organiser gives you: Authorization: Bearer TOKEN"
        )
    if owner.banned is not None:
        raise Denied(f"{owner.name} is banned: {owner.reason}".removesuffix(": "))
    return owner


def some_owner(site: Site, request: Request) -> Owner | None:
    """Return who asks, or None: no token, or one that does not hold."""
    try:
        return owner_of(site, request)
    except Denied:
        return None
