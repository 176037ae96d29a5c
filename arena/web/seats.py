"""What people at tables ask over HTTP: set one up, join, look, act, be advised, play the deal again.

The key of a seat comes in a header, never in an address: logs of proxies keep addresses.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from ..errors import UsageError
from ..intake.debug import house_chooser
from ..printable import printable
from ..replay.analysis import values
from ..replay.recorded import Recorded
from .account import some_owner
from .live_table import PERSON, WebTable, house_names
from .site import PER_MINUTE, Site, fields_of, network_of, whole

KEY = "x-arena-key"
MOST_NAME = 16  # characters of a person's name
PACE_S = 1.0  # between two actions of a table of bots


def begin(site: Site, request: Request, body: bytes) -> Any:
    """Set up a table. Its keys are those of the seats of who asks; others get invitations."""
    wanted = fields_of(body)
    seats, options = _seats_of(wanted), wanted.get("options", {})
    if not isinstance(options, dict):
        raise UsageError("options: an object")
    watched = wanted.get("watched") is True
    game = str(wanted.get("game", ""))
    name, table = site.tables.begin(game, seats, options, network_of(request), watched)
    invited = table.invitations
    keys = ["" if invitation else key for key, invitation in zip(table.keys, invited, strict=True)]
    return {"table": name, "keys": keys, "invitations": invited, "watch": table.watch}


def onward(site: Site, request: Request, body: bytes) -> Any:
    """Set up a table that plays on from a position of a stored game, or of a game at a table that is over."""
    wanted = fields_of(body)
    seats, decision = _seats_of(wanted), whole(wanted.get("decision"))
    game = _finished(site, request, wanted)
    name, table = site.tables.onward(game, decision, seats, network_of(request))
    return {"table": name, "keys": table.keys}


def join(site: Site, request: Request, body: bytes) -> Any:
    """Exchange an invitation for the key of a seat."""
    name = request.path_params["table"]
    table = site.tables.find(name)
    with table.lock:
        key = table.join(str(fields_of(body).get("invitation", "")))
        site.tables.keep(name, table)
        return {"key": key}


def rename(site: Site, request: Request, body: bytes) -> Any:
    """Let the person of a seat be called by a name; without one the seat is a person's again."""
    table, seat = _seated(site, request)
    given = " ".join(printable(str(fields_of(body).get("name", ""))[:MOST_NAME]).split())
    with table.lock:
        table.called[seat] = "" if given in (*house_names(table.game.name), "you") else given
        site.tables.keep(request.path_params["table"], table)
        return {"seats": table.shown}


def look(site: Site, request: Request, body: bytes) -> Any:
    """Return what happened at a table, as a seat sees it."""
    table, seat = _seated(site, request)
    with table.lock:
        return table.show(seat, whole(request.query_params.get("since", "0")))


def watch(site: Site, request: Request, body: bytes) -> Any:
    """Return what happened at a table, as one who looks on sees it."""
    table, asked = site.tables.find(request.path_params["table"]), request.query_params
    with table.lock:
        since, opened = whole(asked.get("since", "0")), whole(asked.get("opened", "0"))
        found = table.show_onlooker(request.headers.get(KEY, ""), since, opened)
        if PERSON not in table.names and time.monotonic() - table.used > PACE_S and not table.position.over:
            table.advance()  # bots alone go on while somebody looks on
            site.tables.keep(request.path_params["table"], table)
        return found


def act(site: Site, request: Request, body: bytes) -> Any:
    """Play a person's action, take it back, or let a bot play on for another who is away."""
    (table, seat), wanted = _seated(site, request), fields_of(body)
    with table.lock:
        if wanted.get("stand_in") is True:
            table.stand_in()
        elif wanted.get("undo") is True:
            table.undo(seat)
        else:
            table.act(seat, str(wanted.get("action", "")), whole(wanted.get("at")))
        site.tables.keep(request.path_params["table"], table)
        return table.show(seat, whole(wanted.get("since", 0)))


def hint(site: Site, request: Request, body: bytes) -> Any:
    """Return what actions are worth, and a bot's; an owner may ask one of his own, in the sandbox."""
    (table, seat), bot = _seated(site, request), str(fields_of(body).get("bot", ""))
    owner = some_owner(site, request)
    with table.lock:
        if table.position.seat != seat:
            raise UsageError("it is not your turn")
        chosen = site.advisers.bot(bot, table.game.name, owner.name if owner else None)
        at, game = len(table.moves), table.so_far()
        if isinstance(chosen, str):
            action = table.advice(house_chooser(chosen, game.game, secrets.randbits(63)))
            return {"at": at, "bot": action} | values(game, at)
    said = site.advisers.ask(game, chosen, seat, network_of(request))
    if said["until"] != at:
        raise UsageError(said["failed"] or "there is nothing to decide here")
    return {"at": at, "bot": said["choices"][-1][1]} | values(game, at)


def asked(site: Site, request: Request, body: bytes) -> Any:
    """Return what a bot would have played in a game that is over, or what actions were worth.

    It is asked for with `bot` and `seat`, or with `decision`; with `seat` alone what its decisions cost. An
    owner may name one of the own bots.
    """
    wanted = fields_of(body)
    game = _finished(site, request, wanted)
    if wanted.keys() & {"bot", "decision"} == set():
        return site.advisers.costs(game, whole(wanted.get("seat")), network_of(request))
    if "decision" in wanted:
        return values(game, whole(wanted["decision"]))
    owner = some_owner(site, request)
    bot = site.advisers.bot(str(wanted.get("bot", "")), game.game, owner.name if owner else None)
    return site.advisers.ask(game, bot, whole(wanted.get("seat")), network_of(request))


def rematch(site: Site, request: Request, body: bytes) -> Any:
    """Set up the next table, or return the one that another person of this table has set up."""
    table, key = request.path_params["table"], request.headers.get(KEY, "")
    name, _, mine = site.tables.rematch(table, key, network_of(request))
    return {"table": name, "key": mine}


def film(site: Site, request: Request, body: bytes) -> Any:
    """Return a game that is over, with open cards."""
    table, _ = _seated(site, request)
    with table.lock:
        site.check_rate(request, PER_MINUTE)
        site.tables.keep(request.path_params["table"], table)  # if there was no room before
        return table.film() | {"bots": house_names(table.game.name), "title": table.game.title}


def _seats_of(wanted: Mapping[str, Any]) -> list[str]:
    """Return who is wanted in the seats."""
    seats = wanted.get("seats")
    if not isinstance(seats, list) or not all(isinstance(one, str) for one in seats):
        raise UsageError(
            'seats: a list of house bots, levels (easy, club, strong, strongest), "person" and "invited"'
        )
    return seats


def _finished(site: Site, request: Request, wanted: Mapping[str, Any]) -> Recorded:
    """Return a stored game, or that of a table.

    Raises:
        UsageError: it is still played.
    """
    if "table" not in request.path_params:
        return site.played(str(wanted.get("game", "")))
    table, _ = _seated(site, request)
    with table.lock:
        table.check_over()
        return table.so_far()


def _seated(site: Site, request: Request) -> tuple[WebTable, int]:
    """Return the table that is asked about, and the seat of who asks."""
    table = site.tables.find(request.path_params["table"])
    return table, table.seat_of(request.headers.get(KEY, ""))
