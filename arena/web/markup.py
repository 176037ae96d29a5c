"""Plain HTML without a script, for pages that the server makes: a frame, tables, numbers."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from datetime import datetime

from .page import asset


def page(title: str, body: str, nav: Iterable[tuple[str, str]], head: str = "") -> str:
    """Return a page.

    Args:
        title: text.
        body: markup.
        nav: address and text of the links at the top.
        head: further markup of the head.
    """
    links = "".join(f'<a href="{html.escape(where)}">{html.escape(text)}</a>' for where, text in nav)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="og:title" content="{html.escape(title)}">
<title>{html.escape(title)} · arena</title>
<link rel="icon" href="data:,">
{head}<style>{asset("page.css")}</style>
</head>
<body>
<main>
<header class="top"><h1>{html.escape(title)}</h1>
<nav>{links}</nav></header>
{body}
</main>
</body>
</html>
"""


def table(label: str, heads: Sequence[str], rows: Iterable[list[str]]) -> str:
    """Return a table; the cells are markup."""
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' if text else "<td></td>" for text in heads)
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table aria-label="{label}">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def number(value: float | None, digits: int) -> str:
    """Return a number with a real minus sign; a dash for none."""
    return "–" if value is None else f"{value:z.{digits}f}".replace("-", "−")


def moment(at: datetime) -> str:
    """Return a time."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
