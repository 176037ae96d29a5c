"""What a screen reader says during a game at a web table: `python -m tests.arena.spoken [GAME...]`.

A game is played to its end by keyboard, as a house bot advises. Printed is what Chromium's accessibility tree
has in live regions when it changes: the list of actions, turns, messages. The tree is what a screen reader gets.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engines
from arena.store import Store

from .played import BOTS, served
from .test_server import post
from .test_web import browser_of
from .test_web_table import SHORT

Node = dict[str, Any]
TURN = "#scores, .stage[data-last=yes] ~ .side .actions button"


class Listener:
    """Hears the live regions of a page."""

    def __init__(self, page: Any) -> None:
        self.session = page.context.new_cdp_session(page)
        self.before: list[str] = []

    def news(self) -> list[str]:
        """Return what is new in live regions: entries of the log, then all other texts that changed."""
        nodes = {one["nodeId"]: one for one in self.session.send("Accessibility.getFullAXTree")["nodes"]}
        now = list(_lines(nodes))
        known = list(self.before)
        self.before = now
        said = []
        for line in now:
            if line in known:
                known.remove(line)
            else:
                said.append(line)
        return said


def _lines(nodes: dict[str, Node]) -> Iterator[str]:
    """Yield the text of every entry of a log, then of every other live region."""
    for node in sorted(nodes.values(), key=lambda one: one.get("role", {}).get("value") != "log"):
        live = next(
            (one["value"]["value"] for one in node.get("properties", []) if one["name"] == "live"), ""
        )
        role = node.get("role", {}).get("value")
        if role == "log":
            yield from filter(None, (_text(nodes, one) for one in _entries(nodes, node)))
        elif live in ("polite", "assertive") and not _inside_log(nodes, node):
            root = next(
                (one["value"] for one in node["properties"] if one["name"] == "root"), {"relatedNodes": []}
            )
            related = root.get("relatedNodes", [])
            if not related or str(related[0].get("backendDOMNodeId")) == str(node.get("backendDOMNodeId")):
                text = _text(nodes, node)
                if text:
                    yield text


def _inside_log(nodes: dict[str, Node], node: Node) -> bool:
    while "parentId" in node and node["parentId"] in nodes:
        node = nodes[node["parentId"]]
        if node.get("role", {}).get("value") == "log":
            return True
    return False


def _entries(nodes: dict[str, Node], log: Node) -> Iterator[Node]:
    """Yield the items of a log: the highest nodes below it that are no lists."""
    for child in log.get("childIds", []):
        node = nodes[child]
        if node.get("role", {}).get("value") in ("list", "none", "generic") and len(node["childIds"]) != 1:
            yield from _entries(nodes, node)
        else:
            yield node


def _text(nodes: dict[str, Node], node: Node) -> str:
    """Return the words below a node, as they are read."""
    if node.get("role", {}).get("value") == "StaticText":
        return str(node["name"]["value"])
    parts = (_text(nodes, nodes[child]) for child in node.get("childIds", []) if child in nodes)
    return " ".join("".join(parts).split())


def spoken(page: Any, hinted: bool = True) -> Iterator[str]:
    """Play a table to its end, as a house bot advises or by the first action, and yield what is said."""
    listener = Listener(page)
    while True:
        page.wait_for_selector(TURN)
        yield from listener.news()
        if page.locator("#scores").count():
            return
        frame = page.locator(".stage").get_attribute("data-frame")
        if hinted and page.locator("#hint").count():
            page.keyboard.press("h")
            page.wait_for_selector("#hinted:not(:empty)")
        page.keyboard.press("Enter")
        page.wait_for_selector(f'#scores, .stage:not([data-frame="{frame}"])')


def main() -> None:
    """Print the transcripts of the games that are named, or of all."""
    with tempfile.TemporaryDirectory() as folder, browser_of() as browser:
        db = str(Path(folder) / "arena.db")
        Store(db, create=True)
        with served(db, Path(folder)) as address:
            for name in sys.argv[1:] or engines.names():
                players = max(engines.load(name).min_players, 3 if name in ("flip7", "zoliky") else 2)
                seats = ["person", *(BOTS[name][s % len(BOTS[name])] for s in range(1, players))]
                made = post(f"{address}/api/tables", {"game": name, "seats": seats, "options": SHORT[name]})[
                    1
                ]
                shown = browser.new_page()
                shown.add_init_script("localStorage.setItem('arena-table', '{\"speed\": 0}')")
                shown.goto(f"{address}/play/{made['table']}#key={made['keys'][0]}")
                print(f"== {name}")
                for line in spoken(shown):
                    print(line, flush=True)
                shown.close()


if __name__ == "__main__":
    main()
