"""Seat a person at the table with bots that run in this process.

The game has hints, rules and undo. Asking and printing are in `arena.cli.play`.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import engines
from engines import registry
from engines.position import Position
from engines.view import View

from .bots import debug
from .bots.conditions import typed
from .bots.registry import house_bots
from .errors import UsageError
from .games import rules_page
from .match.warm import warm_up
from .printable import Say, quiet
from .records import Chooser, Event

VALUE_WORLDS = 400  # in which each action is tried for its value

SLOW = ("random", "ismcts", "montecarlo")  # house bots that nobody meets unasked: no play, or long thought


@contextlib.contextmanager
def seated(
    game: str,
    bots: Sequence[str] = (),
    own: int | None = 0,
    players: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    db: str | None = None,
    say: Say = quiet,
) -> Iterator[tuple[Seat, int]]:
    """Seat a person and bots at a table.

    Args:
        game: its name.
        bots: the others, in turn; default: the quick house bots.
        own: the person's seat; None: only bots play.
        players: seats; default: the game's.
        seed: of the deal; default: a fresh one.
        options: those that differ from the game's defaults.
        db: the store that stored bots come from.
        say: hears that the game is compiled.

    Yields:
        The table, and the seed of its deal.

    Raises:
        GameError: no such game, option or number of players.
        UsageError: no such seat, or too many bots.
        BotError: a bot does not load.
    """
    engines.check_name(game)
    warm_up(game, say)
    loaded, chosen = engines.load(game), typed(game, options or {})
    k, _ = loaded.check_options(players, chosen)
    if own is not None and not 0 <= own < k:
        raise UsageError(f"the table has seats 0 to {k - 1}, not {own}")
    others = k - (own is not None)
    if len(bots) > others:
        raise UsageError(f"--bots names {len(bots)} bots, there is room for {others}")
    named = list(bots) or _house(game)[:others]
    playing = [named[at % len(named)] for at in range(others)]
    shown = list(playing)
    if own is not None:
        playing.insert(own, registry.home(game).words.get("hint", playing[0]))
        shown.insert(own, "you")
    number = secrets.randbits(32) if seed is None else seed
    with debug.choosers(playing, game, number, db) as choosers:
        yield Seat(loaded.position(seed=number, players=k, **chosen), own, choosers, shown), number


def _house(game: str) -> list[str]:
    """Return the quick house bots of a game."""
    bots = house_bots().items()
    return [name for name, source in bots if game in source.games and name not in SLOW]


class Seat:
    """One person against bots.

    Args:
        position: the game at its start, with `record`.
        own: the person's seat; None: only bots play.
        choosers: a bot for every seat; the person's own is asked for hints.
        names: who sits where.
    """

    def __init__(
        self, position: Position, own: int | None, choosers: Sequence[Chooser], names: Sequence[str]
    ) -> None:
        self.position = position
        self.own = own
        self.names = tuple(names)
        self.moves: list[tuple[int, str]] = []
        self._choosers = choosers
        self._before: list[tuple[Position, int]] = []  # at every decision of the person

    @property
    def asked(self) -> bool:
        """Whether the person has something to decide."""
        return self.position.seat == self.own and len(self.position.legal_numbers()) > 1

    def step(self) -> tuple[int, str]:
        """Let the seat to act play, if it is not the person who decides: a bot, or what is forced.

        Returns:
            The seat, and what the person is told of its action: a secret one is `"discard ?"`.
        """
        seat = self.position.seat
        assert seat is not None
        legal = self.position.legal_numbers()
        number = legal[0] if len(legal) == 1 else self._choosers[seat](self.position)
        return self._play(seat, number)

    def play(self, action: str | int) -> tuple[int, str]:
        """Play the person's action.

        Raises:
            GameError: it is not legal; nothing is changed.
        """
        assert self.own is not None
        before = self.position.copy(), len(self.moves)
        played = self._play(self.own, action)
        self._before.append(before)
        return played

    def _play(self, seat: int, action: str | int) -> tuple[int, str]:
        text = action if isinstance(action, str) else self.position.texts[action]
        told = text if self.own is None else self.position.told(action, self.own)
        self.position.play(action)
        self.moves.append((seat, text))
        return seat, told

    def undo(self) -> bool:
        """Go back to the person's last decision; False if there is none. Bots forget nothing."""
        if not self._before:
            return False
        self.position, kept = self._before.pop()
        del self.moves[kept:]
        return True

    def hint(self) -> str:
        """Return what a house bot would play."""
        assert self.own is not None
        answer = self._choosers[self.own](self.position.copy())
        return answer if isinstance(answer, str) else self.position.texts[answer]

    def values(self) -> list[tuple[str, float, float]]:
        """Return what `values_of` says of the person's actions."""
        return values_of(self.position.view(self.own), len(self.moves))

    def record(self, seed: int) -> list[Event]:
        """Return the finished game as a record that names the bots."""
        from .records import play

        game, rest = self.position.game, iter([text for _, text in self.moves])
        options = self.position.options
        events = list(
            play(game, self.position.players, options, seed, [lambda _: next(rest)] * len(self.names))
        )
        events[0] |= {"bots": list(self.names)}
        return events


def values_of(view: View, number: int) -> list[tuple[str, float, float]]:
    """Estimate each action of a seat: its text, its points and their standard error, best first.

    Mean points of the seat when the round is over, in random worlds that its view allows, if all seats then
    play as the search's rollout policy does.

    Args:
        view: of the seat to act.
        number: of the decision; the worlds are drawn from it.
    """
    from dataclasses import replace

    from engines.search import action_values
    from engines.search.presets import preset

    settings = replace(preset(view.game)[1], places=False, cut=True)
    means, errors = action_values(view, VALUE_WORLDS, number, settings=settings)
    order = sorted(range(len(means)), key=lambda k: (-means[k], k))
    return [(view.texts[k], float(means[k]), float(errors[k])) for k in order]


def rules_of(game: str, phase: str) -> str:
    """Return the section of the rules page about what is decided now.

    A section has a number and a title in its heading: `### 4.2 Turns`, or `## 4. A round`. Where the page is
    not installed, return the number of the section.
    """
    number = engines.load(game).sections.get(phase.split(maxsplit=1)[0], "4")
    text = rules_page(game)
    if not text:
        return f"section {number} of the rules page of {game}"
    section = re.search(rf"^#+ {re.escape(number)}\.? .*?(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    return section[0].strip() if section else f"section {number} of the rules page of {game}"


def pretty(text: str, game: str, symbols: bool, colours: bool) -> str:
    """Text with suit symbols and red suits, in games that have them (`Game.suits`)."""
    rules = engines.load(game)
    if not rules.suits or not (symbols or colours):
        return text
    cards = {card for card in rules.cards if len(card) > 1 and card[-1] in rules.suits}

    def card(found: re.Match[str]) -> str:
        name = found[0]
        if name not in cards:
            return name
        suit = rules.suits[name[-1]]
        shown = name[:-1] + suit.symbol if symbols else name
        return f"\x1b[31m{shown}\x1b[0m" if colours and suit.red else shown

    return re.sub(r"\b\w{2,4}\b", card, text)


KEPT = "\xa0"  # a space at which no line is broken
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def wrapped(text: str, columns: int) -> str:
    """Return text whose lines have at most so many columns.

    Lines are broken between words, and what goes on is indented. A word that is longer stays whole. Codes of
    colours take no room.
    """
    return "\n".join(_broken(line, columns) for line in text.split("\n")).replace(KEPT, " ")


def _broken(line: str, columns: int) -> str:
    if len(STYLE.sub("", line)) <= columns:
        return line
    indent = line[: len(line) - len(line.lstrip(" "))]
    lines, now = list[str](), indent
    for gap, word in re.findall(r"( *)([^ ]+)", line[len(indent) :]):
        longer = now + gap + word
        if len(STYLE.sub("", longer)) > columns and now.strip():
            lines.append(now)
            longer = f"{indent}    {word}"
        now = longer
    return "\n".join([*lines, now])
