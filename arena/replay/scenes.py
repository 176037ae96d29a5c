"""What lies on the table, as plain text by place: `scene(game, row, viewer)`.

A scene is a flat dict. Its keys say where something is and what it is:

    "head"                   a line about the whole position
    "rules"                  the section of the rules page about what is decided now
    "table/text/pot"         a fact of the table             "table/cards/trick"     cards on the table
    "seat/2/text/chips"      a fact of a seat                "seat/2/cards/hand"     cards before a seat

Cards are words: a card as its game writes it, `?` for a back, `3:Ks` for a card that seat 3 played, `|` for a
gap. Everything comes from the fields of the view, so a scene shows what the viewer's row holds and no more.
A game that is not in the table below is shown by its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import takewhile
from typing import Any

from engines import core
from engines.game import Game
from engines.position import Position

from .settlement import in_words, settlement

Scene = dict[str, str]
Read = Callable[..., Any]
BACK = "?"
FLIP7_DECISIONS = ("hit", "stay", "save", "bust", "give")
OPEN = -1
"""The viewer who sees all that the row holds."""


def scene(game: Game, states: core.States, viewer: int = OPEN) -> Scene:
    """Return what a seat sees on the table.

    Args:
        game: the game.
        states: a one-row batch, redacted for the viewer; the full state if all cards are to lie open.
        viewer: a seat, or OPEN.

    Returns:
        Only places where something is.
    """
    row = core.PlainRow(states[0])

    @cache  # places ask for the same field again and again
    def read(name: str, seat: int = viewer) -> Any:
        return game.fields[name].of(row, seat)

    made = SCENES.get(game.name, _fields)(read, int(row.players), viewer, game)
    made.setdefault("table/text/settled", in_words(settlement(game, row, read)))
    if "phase" in game.fields:
        made["rules"] = game.sections.get(str(read("phase")).partition(" ")[0], "")
    return {key: text for key, text in made.items() if text}


def deal_of(scene: Scene) -> str:
    """Return the deal that a position belongs to, by the first words of its head: `hand 3`, `round 2`."""
    return scene.get("head", "").partition(",")[0]


def closing(position: Position, seat: int, action: str, before: Scene, after: Scene) -> Scene:
    """Return the last trick of a round of Taroky, for the scene after it: its row holds the next round alone.

    Args:
        position: of any game; nothing is returned for the others, whose rows hold the trick.
        seat: who acted.
        action: what it did, which led from one scene to the other.
        before: what anybody sees before it.
        after: what is seen after it.
    """
    trick = [*before.get("table/cards/trick", "").split(), f"{seat}:{action.removeprefix('play ')}"]
    if position.game.name != "taroky" or len(trick) < 4 or after.get("table/cards/last trick"):
        return {}
    best = trick[0]
    for played in trick[1:]:
        if _beats(played, best, bool(position.options["ace_high"])):
            best = played
    return {
        "table/cards/last trick": " ".join(trick),
        "table/text/last trick": f"seat {best.partition(':')[0]}",
    }


def _beats(played: str, best: str, ace_high: bool) -> bool:
    """Whether a card of Taroky takes the trick from the best one so far."""
    from engines.taroky.state import BEATEN_BY, CARDS

    number, held = (CARDS.index(one.partition(":")[2]) for one in (played, best))
    return bool(int(BEATEN_BY[int(ace_high), held]) >> number & 1)


def backs(n: int) -> str:
    """Cards that lie face down."""
    return " ".join([BACK] * n)


def _hand(cards: Sequence[str], n: int) -> str:
    """Return a hand as far as it is seen: the cards, or as many backs."""
    return " ".join(cards) or backs(n)


def _played(cards: Iterable[tuple[Any, str]]) -> str:
    return " ".join(f"{who}:{card}" for who, card in cards)


def _seat(who: Any) -> str:
    return str(who) if who == "house" else f"seat {who}"


def _counts(counts: dict[str, int]) -> str:
    return " ".join(f"{card} x{n}" for card, n in counts.items())


def _fields(read: Read, players: int, viewer: int, game: Game) -> Scene:
    """Any game: its fields as text."""
    return {f"table/text/{name}": _plain(read(name)) for name in game.fields}


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value))
    return str(value)


def _flip7(read: Read, players: int, viewer: int, game: Game) -> Scene:
    scene = {
        "head": f"round {read('round')}, {read('phase')}",
        "table/text/draw pile": f"{read('left')} cards",
        "table/text/dealer": f"seat {read('dealer')}",
        "table/cards/to decide": read("card"),
        "table/text/discards": _counts(read("discards")),
        "table/text/unseen": _counts(read("unseen")),
        "table/text/drawn": _drawn(read("history")),
    }
    for seat, left, aside in read("flips"):
        scene[f"seat/{seat}/text/flip three"] = f"{left} to draw"
        scene[f"seat/{seat}/cards/set aside"] = " ".join(aside)
    for p in range(players):
        scene[f"seat/{p}/text/total"] = str(read("totals")[p])
        scene[f"seat/{p}/text/status"] = read("status")[p]
        scene[f"seat/{p}/text/row"] = f"{read('points')[p]} points"
        scene[f"seat/{p}/cards/row"] = " ".join(read("rows")[p])
        scene[f"seat/{p}/text/bust"] = (
            _bust(read("rows")[p], read("unseen")) if read("status")[p] == "active" else ""
        )
    return scene


def _drawn(events: Sequence[tuple[int, str]]) -> str:
    """Return who drew what since the last decision of the round: `2:8 2:FZ`."""
    decided = [at for at, (_, text) in enumerate(events) if text.partition(" ")[0] in FLIP7_DECISIONS]
    since = (
        [] if not decided else list(takewhile(lambda one: one[1][:6] != "scores", events[decided[-1] + 1 :]))
    )
    return " ".join(f"{seat}:{text[6:]}" for seat, text in since if text.startswith("draws "))


def _bust(row: Sequence[str], unseen: dict[str, int]) -> str:
    """Return how likely the next card ends a row."""
    left = sum(unseen.values())
    if not row or not left or "SC" in row:
        return ""
    return f"{100 * sum(unseen.get(card, 0) for card in set(row) if card.isdigit()) / left:.0f} %"


def _taroky(read: Read, players: int, viewer: int, game: Game) -> Scene:
    trick, leaders, tricks = read("trick"), read("leaders"), read("tricks")
    scene = {
        "head": f"round {read('round')}, {read('phase')}",
        "table/cards/talon": " ".join(_taroky_talon(read, read("phase"))),
        "table/cards/rest of the talon": " ".join(_taroky_rest(read, read("phase"))),
        "table/cards/trick": _played(((leaders[-1] + k) % 4, card) for k, card in enumerate(trick)),
        "table/cards/last trick": _played(
            ((leaders[len(tricks) - 1] + k) % 4, card) for k, card in enumerate(tricks[-1] if tricks else ())
        ),
        "table/cards/shown": " ".join(read("shown")),
        "table/cards/called": read("called"),
        "table/text/calls": _taroky_calls(read),
        "table/text/settled": _taroky_settled(read),
        "table/text/last trick": f"seat {leaders[len(tricks)]}" if 0 < len(tricks) < len(leaders) else "",
    }
    for p in range(players):
        scene |= {
            f"seat/{p}/text/chips": f"{read('totals')[p]:+d}",
            f"seat/{p}/text/role": ", ".join(
                word
                for word, there in (
                    ("dealer", read("dealer") == p),
                    ("Povinnost", read("povinnost") == p),
                    ("Prever", read("prever") == p),
                    (read("sides")[p], bool(read("sides")[p])),
                )
                if there
            ),
            f"seat/{p}/text/said": ", ".join(filter(None, [read("bids")[p], *read("money")[p]])),
            f"seat/{p}/cards/hand": _hand(
                read("hand", p) if viewer in (OPEN, p) else (), read("hand_sizes")[p]
            ),
            f"seat/{p}/cards/laid away": " ".join(read("discards")[p])
            + " "
            + backs(read("discard_counts")[p] - len(read("discards")[p])),
            f"seat/{p}/cards/won": " ".join(read("won")[p]),
        }
    return {key: text.strip() for key, text in scene.items()}


def _taroky_talon(read: Read, phase: str) -> list[str]:
    """Return the cards that nobody has taken yet, while they are dealt with; a back where none is seen."""
    first = {"bid": 0, "talon": 0, "draw": 4, "offer": 4}.get(phase, 6)
    if first == 4 and read("offers") and read("offers")[0] != "offer":
        first = 5  # the fifth card is taken, and the sixth is due
    return [card or BACK for card in read("talon")[first:]]


def _taroky_rest(read: Read, phase: str) -> list[str]:
    """Return the half that Prever has not looked at; it counts for the opponents. A refused one is shown."""
    unseen = read("prever") >= 0 and read("rejections") == 0 and phase not in ("bid", "talon", "over")
    return [card or BACK for card in read("talon")[3:]] if unseen else []


def _taroky_calls(read: Read) -> str:
    said = [(read("valat"), "Valat"), (read("pagat"), "Pagat")]
    said += zip(read("contras"), ("contra", "rhea", "supra"))
    return ", ".join(f"{word} by seat {seat}" for seat, word in said if seat >= 0)


def _taroky_settled(read: Read) -> str:
    """Return how the chips of the last finished round came about."""
    finished = read("history")
    if not finished:
        return ""
    past = finished[-1]
    who, bonus = " and ".join(map(str, past["declarers"])), past["bonus"]
    said = f"seat {who} {'won' if past['won'] else 'lost'} with {past['points']} points ({past['kind']})"
    paid = f"{past['pay'] - bonus:+d} a head" + (f", {bonus:+d} for the Pagat" if bonus else "")
    return f"{said}: {paid}; the rest is money cards"


def _julepe(read: Read, players: int, viewer: int, game: Game) -> Scene:
    tricks, winners, over = read("tricks"), read("winners"), read("phase") == "over"
    past, won = tricks[-2:-1], winners
    if not any(read("statements")) and read("history"):  # nobody has seen yet how the round before ended
        past, won = read("history")[-1]["tricks"][-1:], read("history")[-1]["winners"]
    scene = {
        "head": f"round {read('round')}, {read('phase')}" + (", house" if read("house_round") else ""),
        "table/text/pot": f"{read('pot')} cents",
        "table/text/stock": f"{read('leftovers')} leftovers, {read('pile')} pile",
        "table/text/last trick": _seat(won[-1]) if won else "",
        "table/cards/face-up": read("face_up"),
        "table/cards/trick": _played(tricks[-1] if tricks else ()),
        "table/cards/last trick": _played(past[0] if past else ()),
    }
    for p in range(players):
        out, played = read("statements")[p] == "out", sum(who == p for trick in tricks for who, _ in trick)
        holds = 0 if over or (out and read("phase") in ("exchange", "down", "tricks")) else 5 - played
        if read("dealer") == p and holds and read("phase") in ("statements", "house", "exchange", "down"):
            holds += 1  # the face-up card is its sixth
        wins = sum(who == p for who in winners)
        exchanged = read("exchanged")[p]
        mine = viewer in (OPEN, p)
        scene |= {
            f"seat/{p}/text/net": f"{read('totals')[p]:+d}",
            f"seat/{p}/text/role": "dealer" if read("dealer") == p else "",
            f"seat/{p}/text/says": read("statements")[p],
            f"seat/{p}/text/exchanged": str(exchanged) if exchanged >= 0 else "",
            f"seat/{p}/text/tricks": str(wins) if tricks else "",
            f"seat/{p}/cards/hand": _hand(read("hand", p) if mine else (), holds) if not over else "",
            f"seat/{p}/cards/given up": " ".join(read("given_up", p)) if mine else "",
            f"seat/{p}/cards/thrown": " ".join(read("thrown", p)) if mine else "",
        }
    return scene


def _zoliky(read: Read, players: int, viewer: int, game: Game) -> Scene:
    scene = {
        "head": f"deal {read('deal') + 1}, round {read('round')}, {read('phase')}",
        "table/text/stock": f"{read('stock_size')} cards",
        "table/cards/Jolly card": read("jolly"),
        "table/cards/must be placed": " ".join(read("owed")),
        "table/cards/melds": " | ".join(" ".join(meld) for meld in read("table")),
        "table/cards/pile": " ".join(read("pile")),
    }
    for p in range(players):
        scene |= {
            f"seat/{p}/text/total": str(read("totals")[p]),
            f"seat/{p}/text/role": ", ".join(
                word
                for word, there in (("leader", read("leader") == p), ("open", p in read("opened")))
                if there
            ),
            f"seat/{p}/cards/hand": _hand(read("hand", p) if viewer in (OPEN, p) else (), read("sizes")[p]),
        }
    if viewer != OPEN:
        scene["table/cards/seen at the cut"] = " ".join(read("seen"))
    return scene


def _tzogous37(read: Read, players: int, viewer: int, game: Game) -> Scene:
    scene = {
        "head": f"hand {read('hand_number') + 1}, round {read('round')}, {read('phase')}",
        "table/text/pot": f"{read('pot')} chips",
        "table/text/deck": f"{read('deck_size')} cards",
        "table/cards/community": read("community"),
    }
    for k, slots in enumerate(read("earlier"), 1):
        pairs = (" ".join(f"{p}:{card}" for card in pair if card) for p, pair in enumerate(slots))
        scene[f"table/cards/round {k}"] = " | ".join(filter(None, pairs))
    for p in range(players):
        score, in_round = read("scores")[p], p in read("in_round")
        scene |= {
            f"seat/{p}/text/chips": str(read("chips")[p]),
            f"seat/{p}/text/bet": str(read("bets")[p] or ""),
            f"seat/{p}/text/total": f"{read('totals')[p]:+d}",
            f"seat/{p}/text/is": ("" if p in read("alive") else "folded") if in_round else "",
            f"seat/{p}/text/score": "" if score is None else str(score),
            f"seat/{p}/cards/hand": _hand(
                read("hand", p) if viewer in (OPEN, p) else (), read("hand_sizes")[p]
            ),
            f"seat/{p}/cards/slots": " ".join(filter(None, read("table")[p])),
        }
    return scene


SCENES: dict[str, Callable[[Read, int, int, Game], Scene]] = {
    "flip7": _flip7,
    "julepe": _julepe,
    "taroky": _taroky,
    "tzogous37": _tzogous37,
    "zoliky": _zoliky,
}
