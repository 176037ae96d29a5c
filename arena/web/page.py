"""One self-contained HTML file: the page's own script and style, and the data packed beside them.

The page loads nothing: its Content-Security-Policy allows the one script and the one style that stand in it,
by their hashes, and no request at all; markup can be made from text nowhere (trusted types). Data are blocks
of zlib in base64, which the page unpacks when it needs them.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from engines import registry

from ..errors import UsageError
from ..games import rules_page
from ..places import write_text
from ..printable import Say, Watch, quiet, unwatched
from ..replay.analysis import saved_costs
from ..replay.film import Film, film_of
from ..replay.listing import same_deal
from ..replay.recorded import Recorded, stored
from ..store import Store
from .figures import EXTREMES, Subject, extremes, figures_of, game_name, subject_of

SHOWN = "dom cards sketch table words log scores rules beside costs replay"
GAME = tuple(f"{name}.js" for name in SHOWN.split())
"""What shows a game."""
REPORT = ("charts.js", "report.js")
MOST_BYTES = 150_000
"""A page of one game takes other games of its deal along as long as it is no larger."""
FILMS = 60
"""Games that a report lets people watch, unless they ask for more or fewer."""


def asset(name: str) -> str:
    """Return the text of a file of the page, without comments and indents."""
    text = (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return "".join(line + "\n" for line in lines if line and not line.startswith("//"))


@cache
def script(*more: str) -> str:
    """Return the script of a page that shows games (and more), in one function of its own."""
    parts = "\n".join(asset(name) for name in (*GAME, *more, "main.js"))
    known = {name: home.words for name, home in registry.homes().items()}
    games = json.dumps(known, separators=(",", ":")).replace("<", "\\u003c")
    return f"(() => {{\n'use strict';\nconst GAMES = {games};\n{parts}\n}})();\n"


def policy(code: str, style: str, connect: str = "'none'") -> str:
    """Return the Content-Security-Policy of a page with this script and style."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (code, style)]
    return (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        f"img-src data:; connect-src {connect}; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )


def pack(data: bytes | Mapping[str, Any]) -> str:
    """Bytes, or plain data as JSON, as text that may stand in a page."""
    raw = data if isinstance(data, bytes) else json.dumps(data, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(raw, 9)).decode()


def page(
    title: str, blocks: Mapping[str, str], *more: str, connect: str = "'none'", root: str = "",
    top: str = "", content: str = "",
) -> str:  # fmt: skip
    """Return the page.

    Args:
        blocks: of data, by name.
        more: scripts besides those that show a game.
        connect: whom the page may ask for more.
        root: the way from the page's address to that of the first page, on a server.
        top: markup of the header, on a server.
        content: markup that stands there until the script has drawn the page; without a script, for good.
    """
    code, style = script(*more), asset("page.css")
    data = "\n".join(
        f'<script type="text/plain" id="{html.escape(name)}">{text}</script>' for name, text in blocks.items()
    )
    return f"""<!DOCTYPE html>
<html lang="en" data-root="{html.escape(root)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(code, style, connect)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{top}
<main id="page" aria-live="off">
{content}
<noscript>This page draws its tables and games with a script of its own; please allow it.</noscript>
</main>
{data}
<script>{code}</script>
</body>
</html>
"""


def report_page(
    store: Store, subject: Subject, films: int = FILMS, words: bool = True, logs: Sequence[str] = (),
    watch: Watch = unwatched,
) -> str:  # fmt: skip
    """Return a report as one file."""
    figures, games = figures_of(store, subject, words)
    figures["films"] = _to_watch(store, subject, films)
    made: list[Film] = []
    with watch(len(figures["films"]), 0, "games to watch") as ready:
        for label in figures["films"]:
            made.append(film_of(stored(store, label), words, logs) | {"costs": saved_costs(store, label)})
            others = same_deal(store, label)
            made[-1]["same"] = [other for other in others if other["label"] in figures["films"]]
            ready(1)
    figures["notes"] += _unwatchable(store, subject)
    blocks = {"data": pack(dict(figures)), "games": pack(games), **_rules(subject.game)}
    blocks |= {f"film-{at}": pack(dict(one)) for at, one in enumerate(made)}
    return page(f"{subject.title} · arena", blocks, *REPORT)


def write_report(
    store: Store,
    subject: str,
    out: Path | None = None,
    *,
    films: int = FILMS,
    words: bool = True,
    logs: Sequence[str] = (),
    say: Say = quiet,
    watch: Watch = unwatched,
) -> Path:
    """Write a report as one HTML file; return its path.

    Args:
        store: where the games are.
        subject: a game (all its leagues), or a run: taroky#2.
        out: the file; default: NAME.html here.
        films: how many games can be watched.
        words: with the last output of bots that forfeited.
        logs: bots whose log is shown in the games.
        say: hears how many games are read.
        watch: shows how many of the games to watch are made.

    Raises:
        UsageError: no such subject or bot, or it cannot be written.
    """
    chosen = subject_of(store, subject, say)
    for bot in logs:
        if not any(bot in (one.label, one.name) for one in chosen.pool.bots):
            known = ", ".join(one.label for one in chosen.pool.bots) or "none yet"
            raise UsageError(f"no bot {bot!r} in these games; bots: {known}")
    path = out or Path(subject.replace("#", "-") + ".html")
    write_text(path, report_page(store, chosen, films, words, logs, watch))
    return path


def game_page(game: Recorded, logs: Sequence[str] = (), store: Store | None = None) -> str:
    """Return one game as one file."""
    made, blocks, title = film_of(game, logs=logs), _rules(game.game), f"{game.label} · arena"
    blocks["film-0"] = pack(dict(made))
    room = MOST_BYTES - len(page(title, blocks).encode())
    if store is not None:
        made["costs"] = saved_costs(store, game.label)
        for at, one in enumerate(same_deal(store, game.label), 1):
            packed = pack(dict(film_of(stored(store, one["label"]), logs=logs)))
            room -= len(packed) + 200  # what stands around it, and its row in the list
            if room < 0:
                break
            blocks[f"film-{at}"] = packed
            made["same"].append(one)
    blocks["film-0"] = pack(dict(made))
    return page(title, blocks)


def _rules(game: str) -> dict[str, str]:
    """Return a game's rules page as a block; nothing if it is not installed."""
    text = rules_page(game)
    return {"rules": pack({"text": text})} if text else {}


def _to_watch(store: Store, subject: Subject, most: int) -> list[str]:
    """Choose games of finished runs: the most telling ones of every bot, then some in between."""
    from ..runs.guard import why_not

    runs = [part.run for part in subject.pool.parts]
    over = [run for run in runs if run.state != "playing"]
    playable = {run.label for run in over if not why_not(store, run, replayed=True)}
    wanted: dict[str, list[int]] = {}
    for name in _telling(subject)[: 4 * most]:
        label, _, text = name.partition("/")
        if label in playable and sum(map(len, wanted.values())) < most:
            wanted.setdefault(label, []).append(int(text))
    return [f"{label}/{number}" for label, numbers in wanted.items() for number in sorted(numbers)]


def _unwatchable(store: Store, subject: Subject) -> list[str]:
    """Why games of some runs cannot be watched."""
    from ..runs.guard import why_not

    over = [run for run in subject.runs if run.state != "playing"]
    reasons = [(run.label, why_not(store, run, replayed=True)) for run in over]
    return [f"games of {label} cannot be watched: {reason}" for label, reason in reasons if reason]


def _telling(subject: Subject) -> Sequence[str]:
    """Return games by how much they tell.

    Each bot's best, each bot's worst, its second best, ...; then forfeits and games spread over all.
    """
    deals, bots = subject.deals, range(len(subject.pool.bots))
    ends = [extremes(deals, bot, EXTREMES, best) for bot in bots for best in (True, False)]
    rows = [found[k][0] for k in range(EXTREMES) for found in ends if k < len(found)]
    rows += np.flatnonzero(deals.lost.any(axis=1))[:10].tolist()
    rows += [int(at * len(deals) / 20) for at in range(20)] if len(deals) else []
    return [game_name(subject, row) for row in dict.fromkeys(rows)]
