"""One person in a terminal: seated with bots that run in this process, the rules of now, text for a screen.

Asking and printing are in `arena.cli.at_table`.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import engines
from engines import registry
from engines.errors import nearest
from engines.scene import OPEN, Scene

from ..errors import UsageError
from ..games import rules_page
from ..intake import debug
from ..intake.conditions import typed
from ..intake.registry import house_of, program_of
from ..match.records import Chooser
from ..match.warm import warm_up
from ..printable import Say, quiet
from ..replay.scenes import outcome, scene, told
from .table import InPlay


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
) -> Iterator[OwnSeat]:
    """Seat a person and bots at a table.

    Args:
        bots: the others, in turn, by name or level ("club"); default: those of all levels but the strongest.
        own: the person's seat; None: only bots play.
        players: seats; default: the game's.
        seed: of the deal; default: a fresh one.
        options: those that differ from the game's defaults.
        say: hears that the game is compiled.

    Raises:
        GameError: no such game, option or number of players.
        UsageError: no such seat, or too many bots.
        BotError: a bot does not load.
    """
    engines.check_name(game)
    loaded, chosen = engines.load(game), typed(game, options or {})
    k, _ = loaded.check_options(players, chosen)
    if own is not None and not 0 <= own < k:
        raise UsageError(f"the table has seats 0 to {k - 1}, not {own}")
    others = k - (own is not None)
    if len(bots) > others:
        raise UsageError(f"--bots names {len(bots)} bots, there is room for {others}")
    levels: dict[str, str] = registry.home(game).words.get("levels", {})
    named = [levels.get(bot, bot) for bot in bots] or list(levels.values())[:-1] or ["random"]
    playing = [named[at % len(named)] for at in range(others)]
    shown = list(playing)
    if own is not None:
        playing.insert(own, "random")  # who is never asked
        shown.insert(own, "you")
    for bot in named:
        try:
            program_of(bot, game, db)
        except UsageError as error:
            unknown, strengths = str(error).partition("; ")[0], f"by strength: {', '.join(levels)}"
            hint = nearest(bot, [*levels, *house_of(game)], strengths)  # not a bot of another game
            raise UsageError(f"{unknown}; {hint}" if levels else str(error)) from None
    warm_up(game, say)
    number = secrets.randbits(32) if seed is None else seed
    with debug.choosers(playing, game, number, db) as choosers:
        seats: list[Chooser | None] = [None if at == own else one for at, one in enumerate(choosers)]
        position = loaded.position(seed=number, players=k, **chosen)
        yield OwnSeat(position=position, seed=number, names=shown, bots=seats, own=own)


@dataclass(eq=False, kw_only=True)
class OwnSeat(InPlay):
    """A game in play with one person, as this person hears of it."""

    own: int | None  # the person's seat; None: only bots play

    @property
    def asked(self) -> bool:
        """Whether the person has something to decide."""
        return self.position.seat == self.own and len(self.position.legal_numbers()) > 1

    def step(self, action: str | int | None = None) -> str:
        """Play the person's action; None: what is forced, or what a bot chooses.

        Returns:
            A line of what the person is told of it (a secret action is `"discard ?"`) and of what it led to.

        Raises:
            GameError: the action is not legal; nothing is changed.
        """
        seat, texts, before = self.position.seat, self.position.texts, self._seen()
        only = " (nothing else is possible)" * (action is None and seat == self.own)
        action = self.choice() if action is None else action
        assert seat is not None
        self.play(action)
        text = action if isinstance(action, str) else texts[action]
        after, hears = self._seen(), self.own not in (None, seat)
        said = told(self.game.name, text, before, after) if hears else text
        return f"  seat {seat}: {said}{only}{outcome(self.position, seat, text, before, after)}"

    def _seen(self) -> Scene:
        """Return what the person sees; with all cards open where there is none."""
        states, viewer = self.position.states, OPEN if self.own is None else self.own
        return scene(self.game, states if viewer == OPEN else self.game.views(states, viewer), viewer)


def rules_of(game: str, phase: str) -> str:
    """Return the section of the rules page about what is decided now.

    A section has a number and a title in its heading: `### 4.2 Turns`, or `## 4. A round`. Where the page is
    not installed, return the number of the section.
    """
    number = engines.load(game).sections.get(phase.split(maxsplit=1)[0], "4")
    section = re.search(
        rf"^#+ {re.escape(number)}\.? .*?(?=^#|\Z)", rules_page(game), re.DOTALL | re.MULTILINE
    )
    return section[0].strip() if section else f"section {number} of the rules page of {game}"


def pretty(text: str, game: str, symbols: bool, colours: bool) -> str:
    """Text with suit symbols, 10♥ for `Th`, and red suits, in games that have them (`Game.suits`)."""
    rules = engines.load(game)
    cards = {card for card in rules.cards if len(card) > 1 and card[-1] in rules.suits}
    cards |= {card.replace("T", "10") for card in cards}
    if symbols and (letters := "".join(rules.suits)):  # suits alone, as in the goal: `s h d c`
        for alone in re.findall(rf"\b[{letters}](?: [{letters}])+\b", text):
            text = text.replace(alone, " ".join(rules.suits[one].symbol for one in alone.split()))

    def card(found: re.Match[str]) -> str:
        name = found[0]
        if name not in cards:
            return name
        suit = rules.suits[name[-1]]
        shown = name[:-1].replace("T", "10") + suit.symbol if symbols else name
        return f"\x1b[31m{shown}\x1b[0m" if colours and suit.red else shown

    return re.sub(r"\b\w{2,4}\b", card, text)
