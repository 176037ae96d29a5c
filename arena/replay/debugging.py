"""A bot in this process on exactly the view of one decision of a played game, for a debugger."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import engines
from engines.view import View

from ..cell.loaded import Player
from ..errors import UsageError
from ..intake.debug import own_module
from .recorded import Recorded


def own_seat(game: Recorded, path: Path) -> int:
    """Return the seat whose decisions a bot is asked for: where one of its name sat, or the one that lost."""
    if len(game.lost) == 1 and path.stem not in {name.partition("@")[0] for name in game.names}:
        return next(iter(game.lost))
    return game.seat_of(path.resolve().stem)


def debug_decision(
    game: Recorded, path: Path, seat: int, decision: int | None = None, stops: bool = False
) -> Iterator[str]:
    """Ask a bot at every decision of a seat up to one, there under the debugger.

    Args:
        game: what was played.
        path: the bot.
        seat: whose decisions.
        decision: where to stop; None: where the seat lost, else its first.
        stops: whether the debugger stops there.

    Yields:
        What it sees there, and what it answers or raises, as text.

    Raises:
        UsageError: the seat has no such decision.
        BotError: the bot cannot be loaded.
    """
    own = game.asked(seat)
    if decision is None:
        decision = game.lost[seat].decision if seat in game.lost else (own or [-1])[0]
    if decision not in own:
        near = ", ".join(map(str, own[:8])) + (", ..." if len(own) > 8 else "")
        raise UsageError(
            f"{game.label}: decision {decision} is not one of seat {seat} ({game.names[seat]}); "
            f"its own: {near}"
        )
    seed, number = game.bot_seeds[seat] if game.bot_seeds else (0, 0)
    name = str(path) if "/" in str(path) or path.suffix == ".py" else f"./{path}"
    player = Player(own_module(name, game.game), engines.load(game.game), seed, print)
    for at, position in enumerate(game.positions()):
        if at not in own:
            continue
        seen = position.view()
        view = View(
            position.game, seen.state, seat, seen.legal, partial(player.rng, number), player.log, player.clock
        )
        player.clock.decisions += 1
        if at < decision:
            player.answer_rows([view], [number])
            continue
        yield f"{game.label}, decision {at}, seat {seat} ({game.names[seat]})"
        yield str(view)
        yield f"played then: {position.texts[game.moves[at]]}"
        if stops:
            import pdb

            print("the debugger stops before the call: s steps into it, n runs it, c goes on")
            pdb.set_trace()
        (action,), failed = player.answer_rows([view], [number])
        if failed:
            yield f"{failed[0][1].value}: {failed[0][2]}"
        else:
            verdict = "" if action in position.legal_numbers() else ", which is not legal"
            texts = position.texts
            yield f"now: {texts[action] if 0 <= action < len(texts) else action}{verdict}"
        return
