"""Bots in this very process, without a jail: for `arena trace`, notebooks and debuggers. Never for somebody else's bot."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

import engines
from engines.position import Position
from engines.view import View

from ..errors import BotError
from ..jail import sdk
from ..records import Chooser
from ..store import Store
from . import registry, source


def choosers(names: Sequence[str], game: str, seed: int, db: str | None = None) -> list[Chooser]:
    """One chooser per name: house bots, stored ones (`my_bot@2`), paths. Each seat has an instance and a seed of its own.

    Raises:
        BotError: no such bot, it does not load, or it does not play this game.
    """
    loaded = engines.load(game)
    return [
        _chooser(sdk.Player(_module(name, game, db), loaded, sdk.derived_seed(seed, "trace", seat), _log), name)
        for seat, name in enumerate(names)
    ]


def _module(name: str, game: str, db: str | None) -> ModuleType:
    try:
        if "/" in name or name.endswith(".py"):
            source.read(Path(name))
            return sdk.load_module(Path(name))
        if name in registry.house_bots():
            return sdk.load_module(registry.HOUSE / f"{name}.py")
        store = Store(db)
        bot = registry.resolve(name, game, store)
        folder = tempfile.TemporaryDirectory(prefix="arena-bots-")
        _FOLDERS.append(folder)
        return sdk.load_module(source.unpack(bot.name, store.source(bot.hash), Path(folder.name)))
    except sdk.BadBot as error:
        raise BotError(f"{name}: {error}") from None
    except BotError:
        raise
    except Exception as error:
        raise BotError(f"{name} cannot be imported: {sdk.last_words(error).strip()}") from None


def _chooser(player: sdk.Player, name: str) -> Chooser:
    def choose(position: Position) -> int:
        legal = position.legal_numbers()
        if len(legal) == 1:  # as in a match, a forced decision never reaches a bot
            return legal[0]
        seen = position.view()
        view = View(position.game, seen.state, seen.seat, seen.legal, partial(player.rng, 0), player.log)
        (action,), failed = player.answer_rows([view], [0])
        if failed:
            raise BotError(f"{name}: {failed[0][2].strip()}")
        return action

    return choose


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []  # files of stored bots, which may read them until the end

_log = partial(print, file=sys.stderr)
