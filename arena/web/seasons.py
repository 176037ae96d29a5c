"""Pages of seasons, made here as plain HTML: they need no script, and many viewers cost as much as one.

A page is made anew when an epoch begins or ends, a bot comes or leaves, or the season's state changes. One
thread makes it, together with reports, and meanwhile everybody gets the last one. With it come a feed of its
epochs (Atom, RFC 4287) and a badge of a bot's place.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

import engines
from leagues.ratings.table import HEADLINES, RatingTable, Row

from .. import identity
from ..errors import StoreError, UsageError
from ..ladder.status import EpochStatus, LeagueStatus, season_status
from ..store import Store
from ..store.models import Event, Season
from .background import Background, Marks
from .markup import moment, number, page, table
from .page import asset

SHOWN = 40  # newest epochs on a page, and in a feed
STANDING = ("#", "ranks", "bot", "Elo", "95 %", "score/game", "95 %", "games")
EPOCH = ("epoch", "run", "state", "blocks", "for new bots", "secret, or its hash while it is played")
BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{text}">
<rect width="{width}" height="20" rx="3" fill="#1f5fa8"/>
<text x="8" y="14" fill="#fff" font-family="DejaVu Sans, Verdana, sans-serif" font-size="11">{text}</text>
</svg>
"""


@dataclass(frozen=True)
class Made:
    """The pages of a season as they were made; `etag` changes with them."""

    html: str
    feed: str
    places: Mapping[str, str]  # text of the badge, by bot
    etag: str
    leagues: list[LeagueStatus]

    def plain(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return vars(self) | {"leagues": [dict(one) | {"table": one["table"].plain()} for one in self.leagues]}

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> Made:
        """Return the pages from plain data."""
        leagues = [one | {"table": RatingTable.of_plain(one["table"])} for one in plain["leagues"]]
        return cls(**plain | {"leagues": cast(list[LeagueStatus], leagues)})


class SeasonPages:
    """The pages of all seasons of a store.

    Args:
        store: where the seasons are.
        worker: makes the pages.
    """

    def __init__(self, store: Store, worker: ThreadPoolExecutor) -> None:
        self._store = store
        self._marks = Marks(store.season_mark)
        self._pages = Background[Made](worker, self._make, self._last)

    def of(self, name: str) -> Made:
        """Return the pages of a season: as they are now, or as they were until the next ones are made.

        Raises:
            UsageError: there is no such season.
        """
        return self._pages.of(name, self._marks.of(name))

    def _make(self, name: str, mark: str) -> Made:
        season = self._store.season(name)
        happened = self._store.events(name, limit=SHOWN)
        made = _make(season, season_status(self._store, season), happened)
        with contextlib.suppress(StoreError):
            self._store.keep_standing(f"page {name}", _version(), made.plain())
        return made

    def _last(self, name: str) -> Made | None:
        """Return the pages that the last server kept, if this one has its style and rates as it did."""
        kept = self._store.standing(f"page {name}", _version())
        return None if kept is None else Made.of_plain(kept)

    def badge(self, name: str, bot: str) -> str:
        """Return the badge of a bot: the place of its best version, in the first league that it plays in.

        Raises:
            UsageError: no such season, or the bot has no place in it.
        """
        place = self.of(name).places.get(bot)
        if place is None:
            raise UsageError(f"{bot[:80]!r} has no place in season {name} yet")
        return BADGE.format(text=html.escape(place), width=16 + 7 * len(place))


def _version() -> str:
    return hashlib.sha256(f"{season_policy()} {identity.rating()}".encode()).hexdigest()


def season_policy() -> str:
    """Return the Content-Security-Policy of these pages: one style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(asset("page.css").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )


def _make(season: Season, leagues: list[LeagueStatus], happened: list[Event]) -> Made:
    text, feed = _page(season, leagues), _feed(season, leagues, happened)
    places: dict[str, str] = {}
    for league in leagues:
        for row in league["table"].rows:
            if row.rank is not None:
                bots = f"of {len(league['table'].rows)} in {season.name}"
                places.setdefault(row.bot, f"{row.bot}: place {row.rank} {bots}")
    etag = hashlib.sha256((text + feed).encode(errors="replace")).hexdigest()[:16]
    return Made(text, feed, places, f'"{etag}"', leagues)


# --- the page -----------------------------------------------------------------------------------------------


def _page(season: Season, leagues: list[LeagueStatus]) -> str:
    name = html.escape(season.name)
    feed = f"/season/{quote(season.name)}/feed"
    lead = f"Opened on {moment(season.opened)}. It is {season.state}"
    lead += f" since {moment(season.closed)}." if season.closed else "."
    sections = [_league(season.name, league, over=season.closed is not None) for league in leagues]
    body = "\n".join([f'<p class="lead">{html.escape(lead)}</p>', *sections])
    head = f'''<meta name="description" content="Standings of the season {name}">
<link rel="alternate" type="application/atom+xml" title="{name}" href="{feed}">
'''
    nav = (("/", "Leagues"), ("/play", "Play"), ("/queue", "Queue"), (feed, "Feed"))
    return page(f"Season {season.name}", body, nav, head)


def _league(season: str, league: LeagueStatus, over: bool) -> str:
    title = html.escape(f"{engines.load(league['game']).title}, {league['players']} players")
    rated, epochs = league["table"], league["epochs"][-SHOWN:][::-1]
    parts = [f"<section><h2>{title}</h2>"]
    if rated.rows:
        parts.append(f'<p class="say">Ranks are by {html.escape(HEADLINES[rated.headline])}.</p>')
        parts.append(table("standings", STANDING, (_standing(season, row) for row in rated.rows)))
    else:
        parts.append('<p class="say">No games yet.</p>')
    parts += [f'<p class="note">{html.escape(note)}</p>' for note in rated.notes]
    if league["queue"]:
        waiting = ", ".join(map(html.escape, league["queue"]))
        parts.append(f"<h3>New bots, next first</h3><p>{waiting}</p>")
    if league["archived"]:
        rows = ([html.escape(bot), html.escape(why)] for bot, why in sorted(league["archived"].items()))
        parts += ["<h3>Archive</h3>", table("archive", ("bot", "why it does not play"), rows)]
    parts.append("<h3>Epochs</h3>")
    if league["next_secret_hash"] and not over:
        parts.append(f'<p class="say">Hash of the next secret: {league["next_secret_hash"]}</p>')
    parts += [table("epochs", EPOCH, map(_epoch, epochs)), "</section>"]
    return "\n".join(parts)


def _standing(season: str, row: Row) -> list[str]:
    return [
        number(row.rank, 0),
        f"{number(row.rank_low, 0)}–{number(row.rank_high, 0)}",
        _bot(season, f"{row.bot}@{row.version}"),
        number(row.elo, 0),
        f"{number(row.elo_low, 0)} .. {number(row.elo_high, 0)}",
        number(row.score, 2),
        f"{number(row.score_low, 2)} .. {number(row.score_high, 2)}",
        str(row.games),
    ]


def _bot(season: str, label: str) -> str:
    return f'<a href="/season/{quote(season)}/bot/{quote(label, safe="")}">{html.escape(label)}</a>'


def _epoch(one: EpochStatus) -> list[str]:
    label = html.escape(one["run"])
    link = f'<a href="/report/{quote(one["run"], safe="")}">{label}</a>'
    known = one["secret"] or one["secret_hash"]
    return [
        *(str(one["epoch"]), link, html.escape(one["state"])),
        *(str(one["blocks"]), str(one["newcomer_blocks"]), known),
    ]


# --- the feed -----------------------------------------------------------------------------------------------


def _feed(season: Season, leagues: list[LeagueStatus], happened: list[Event]) -> str:
    """Return an entry for each epoch that has ended and each new first place, and one for the end."""
    ended = [one for league in leagues for one in league["epochs"] if one["secret"]]
    ended = sorted(ended, key=lambda one: -one["epoch"])[:SHOWN]
    first = [_first(league) for league in leagues if league["table"].rows]
    entries = [
        _entry(season, f"epoch-{one['epoch']}", f"Epoch {one['epoch']} {one['state']}", one["ended"], one)
        for one in ended
    ]
    for event in reversed(happened):
        if event.kind == "first":
            entries.append(_entry(season, f"event-{event.id}", event.text, event.at.isoformat(), {}))
    if season.closed:
        text = f"Season {season.name} is closed. {' '.join(first)}".strip()
        entries.insert(0, _entry(season, "closed", text, season.closed.isoformat(), {}))
    newest = ended[0]["ended"] if ended else season.opened.isoformat()
    told = " ".join(first) or "No games yet."
    return f"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:card-arena:season:{quote(season.name)}</id>
<title>Season {html.escape(season.name)}</title>
<subtitle>{html.escape(told)}</subtitle>
<updated>{season.closed.isoformat() if season.closed else newest}</updated>
<author><name>card-arena</name></author>
<link rel="alternate" href="/season/{quote(season.name)}"/>
{"".join(entries)}</feed>
"""


def _first(league: LeagueStatus) -> str:
    row = league["table"].rows[0]
    return f"{row.bot}@{row.version} is first in {league['game']} at {league['players']} seats."


def _entry(season: Season, key: str, title: str, at: str, facts: Mapping[str, Any]) -> str:
    words = f"{facts['run']}: secret {facts['secret']}, seal {facts['seal']}" if facts else title
    return f"""<entry>
<id>urn:card-arena:season:{quote(season.name)}:{key}</id>
<title>{html.escape(title)}</title>
<updated>{at}</updated>
<link rel="alternate" href="/season/{quote(season.name)}"/>
<summary>{html.escape(words)}</summary>
</entry>
"""


__all__ = ["Made", "SeasonPages", "season_policy"]
