"""Pages about who played whom, as plain HTML: a bot, an owner, a pair, a deal, and the queue of submissions.

They look at the newest finished epochs of a season. They are made when they are asked for.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from leagues.ratings.table import Row

from ..errors import UsageError
from ..ladder.status import LeagueStatus
from ..replay.listing import PlayedGame, games_of
from ..store import Store
from ..store.models import LeagueRun
from .markup import number, page, table

EPOCHS = 20  # newest finished ones that are looked at
SHOWN = 60  # games of a page
GAME = ("game", "deal", "bots, by seat", "scores", "")


class Faced(NamedTuple):
    """How a bot did against another at common tables: games, more points than it, fewer."""

    games: int
    above: int
    below: int


def bot_page(store: Store, season: str, leagues: Sequence[LeagueStatus], label: str) -> str:
    """Return the page of a version: its place, its opponents, its newest games.

    Raises:
        UsageError: it has no place in the season and played no game of it.
    """
    rows = [(league, row) for league in leagues for row in league["table"].rows if _label(row) == label]
    games = list(_games(store, season, label))
    if not rows and not games:
        raise UsageError(f"{label[:80]!r} has no place in season {season} yet")
    faced: dict[str, Faced] = {}
    for one in games:
        for seat, other in enumerate(one.names):
            if seat != one.seat:
                more = (one.scores[seat] < one.score) - (one.scores[seat] > one.score)
                had = faced.get(other, Faced(0, 0, 0))
                faced[other] = Faced(had.games + 1, had.above + (more > 0), had.below + (more < 0))
    owner = _owners(store).get(label)
    parts = [_standing(league, row) for league, row in rows]
    parts += [f"<p>Owner: {_link(season, 'owner', owner)}</p>"] if owner else []
    parts.append("<h2>Against whom</h2>")
    parts.append(
        table(
            "opponents",
            ("opponent", "games", "more points", "fewer points"),
            (
                [_pair(season, label, other), str(one.games), str(one.above), str(one.below)]
                for other, one in sorted(faced.items(), key=lambda item: -item[1].games)
            ),
        )
    )
    parts += ["<h2>Newest games</h2>", _list(season, games)]
    return page(f"{label} in season {season}", "\n".join(parts), _nav(season))


def owner_page(store: Store, season: str, leagues: Sequence[LeagueStatus], owner: str) -> str:
    """Return the page of an owner: the bots and their places.

    Raises:
        UsageError: no bot of the owner has a place in the season.
    """
    owners = _owners(store)
    rows = [
        (league, row)
        for league in leagues
        for row in league["table"].rows
        if owners.get(_label(row)) == owner
    ]
    if not rows:
        raise UsageError(f"{owner[:80]!r} has no bot with a place in season {season} yet")
    made = (
        [
            html.escape(f"{league['game']}, {league['players']} players"),
            number(row.rank, 0),
            f"{number(row.rank_low, 0)}–{number(row.rank_high, 0)}",
            _link(season, "bot", _label(row)),
            number(row.elo, 0),
            str(row.games),
        ]
        for league, row in rows
    )
    waiting = sum(one.owner == owner for one in store.queue())
    body = table("bots", ("league", "#", "ranks", "bot", "Elo", "games"), made)
    body += f'<p class="note">{waiting} of this owner wait in the <a href="/queue">queue</a>.</p>'
    return page(f"{owner} in season {season}", body, _nav(season))


def pair_page(store: Store, season: str, one: str, other: str) -> str:
    """Return the page of two versions: how often each made more points, and the newest games.

    Raises:
        UsageError: they did not meet.
    """
    met = [game for game in _games(store, season, one) if other in game.names]
    games = list({game.game: game for game in met}.values())  # a bot may have several seats
    if not games:
        raise UsageError(f"{one[:80]!r} and {other[:80]!r} did not meet in the newest epochs of {season}")
    made = Counter[str]()
    for game in games:
        ours, theirs = (_best(game, name) for name in (one, other))
        made[one if ours > theirs else other if theirs > ours else "equal"] += 1
    said = ", ".join(f"{html.escape(who)}: {n}" for who, n in made.most_common())
    body = f'<p class="say">Who made more points in {len(games)} games: {said}.</p>{_list(season, games)}'
    return page(f"{one} against {other} in season {season}", body, _nav(season))


def deal_page(store: Store, season: str, run: LeagueRun, deal: int) -> str:
    """Return the page of a deal: every game that was played with its cards.

    Raises:
        UsageError: the run is being played, or has no such deal.
    """
    games = [game for game in games_of(store, run) if game.deal == deal]
    if not games:
        raise UsageError(f"{run.label} has no deal {deal}")
    return page(f"Deal {deal} of {run.label}", _list(season, games), _nav(season))


def queue_page(store: Store) -> str:
    """Return the page of the queue: what is tried, what waits, and how many were tried before."""
    rows = store.queue()
    place = 0
    made = []
    for one in rows:
        place += one.state == "waiting"
        where = "being tried" if one.state == "trying" else str(place)
        made.append([where, html.escape(one.owner), f"{one.sent:%Y-%m-%d %H:%M} UTC"])
    counts = store.count_submissions()
    told = (
        f"{counts.get('accepted', 0)} submissions were accepted so far, {counts.get('refused', 0)} refused."
    )
    body = table("queue", ("place", "owner", "sent"), made) if made else "<p>Nothing waits.</p>"
    return page("Queue of submissions", f'<p class="say">{told}</p>{body}', (("/", "Leagues"),))


def _games(store: Store, season: str, label: str) -> Iterator[PlayedGame]:
    """Yield the games of a version in the newest finished epochs, newest first."""
    ended = [one.run for one in store.epochs(season) if one.run.state == "finished"][-EPOCHS:]
    for run in reversed(ended):
        if any(entry.bot.label == label for entry in store.entries(run)):
            yield from reversed(games_of(store, run, label))


def _best(game: PlayedGame, label: str) -> int:
    """Return the most points of a bot's seats."""
    return max(score for name, score in zip(game.names, game.scores, strict=True) if name == label)


def _list(season: str, games: Iterable[PlayedGame]) -> str:
    """Return a table of the first games of some, each once though a bot may have several seats."""
    once = {game.game: game for game in games}
    return table("games", GAME, (_game(season, game) for game in list(once.values())[:SHOWN]))


def _game(season: str, one: PlayedGame) -> list[str]:
    run = one.game.partition("/")[0]
    named = quote(one.game, safe="")
    deal = f'<a href="/season/{quote(season)}/deal/{quote(run, safe="")}/{one.deal}">{one.deal}</a>'
    watch = f'<a href="/report/{quote(run, safe="")}#game={named}">watch</a>'
    save = f'<a href="/api/game?game={named}">save</a>'
    scores = ", ".join(map(str, one.scores))
    return [html.escape(one.game), deal, ", ".join(map(html.escape, one.names)), scores, f"{watch} {save}"]


def _standing(league: LeagueStatus, row: Row) -> str:
    where = html.escape(f"{league['game']}, {league['players']} players")
    if row.rank is None:
        return f'<p class="say">{where}: no place yet, {row.games} games.</p>'
    ranks = f"ranks {number(row.rank_low, 0)}–{number(row.rank_high, 0)}"
    elo = f"Elo {number(row.elo, 0)} ({number(row.elo_low, 0)} to {number(row.elo_high, 0)})"
    return f'<p class="say">{where}: place {row.rank}, {ranks}, {elo}, {row.games} games.</p>'


def _owners(store: Store) -> dict[str, str]:
    """Return who submitted what, by label."""
    return {bot.label: bot.owner for bot in store.bots(newest=False) if bot.kind == "submitted"}


def _label(row: Row) -> str:
    return f"{row.bot}@{row.version}"


def _link(season: str, kind: str, name: str) -> str:
    return f'<a href="/season/{quote(season)}/{kind}/{quote(name, safe="")}">{html.escape(name)}</a>'


def _pair(season: str, one: str, other: str) -> str:
    where = f"/season/{quote(season)}/pair/{quote(one, safe='')}/{quote(other, safe='')}"
    return f'<a href="{where}">{html.escape(other)}</a>'


def _nav(season: str) -> tuple[tuple[str, str], ...]:
    return (("/", "Leagues"), (f"/season/{quote(season)}", f"Season {season}"), ("/queue", "Queue"))


__all__ = ["bot_page", "deal_page", "owner_page", "pair_page", "queue_page"]
