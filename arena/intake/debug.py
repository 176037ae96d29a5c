"""Load bots for `arena trace`, notebooks and debuggers.

One's own bots run in this very process, everybody else's in the sandbox.

In this process run house bots, a path that a person names, and bots that a person trusts by name. A stored
bot may be a stranger's: it gets a process of its own, as in a league.
"""

from __future__ import annotations

import atexit
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import engines
from engines.game import Game
from engines.position import Position
from engines.view import View
from leagues.limits import Level, Limits

from ..cell import BotProcess, GameZygote
from ..cell.frames import Decisions
from ..cell.loaded import BadBot, Player, check_games, derived_seed, load_from_disk
from ..cell.words import last_words
from ..errors import ArenaError, BotError, UsageError
from ..jail.program import MANIFEST, Program
from ..match.records import Chooser, Event, play
from . import registry, source
from .conditions import typed

if TYPE_CHECKING:
    from ..store import Store
    from ..store.models import Bot


@contextmanager
def choosers(
    names: Sequence[str | Bot],
    game: str,
    seed: int,
    db: str | None = None,
    level: str = Level.STRICT,
    own_seeds: Sequence[int] | None = None,
    number: int = 0,
) -> Iterator[list[Chooser]]:
    """One chooser per name: house bots, stored ones (`my_bot@2`), paths.

    Each seat has an instance and a seed of its own.

    Args:
        names: one per seat; the row of a stored bot instead of its name, where that is at hand.
        seed: of their own random numbers.
        level: how stored bots are separated; at "trusted" they run in this process all the same.
        own_seeds: of each bot's random numbers; default: made from `seed`.
        number: of the game in its match, which bots' random numbers depend on.

    Raises:
        BotError: no such bot, it does not load, or it does not play this game.
        HostError: this host cannot hold a stored bot apart.
    """
    loaded = engines.load(game)
    with ExitStack() as opened:

        def choose(bot: str | Bot, own_seed: int) -> Chooser:
            name = bot if isinstance(bot, str) else bot.label
            own = isinstance(bot, str) and _is_own(bot) and not _is_foreign(bot)
            if own or level == Level.TRUSTED:
                return _in_process(Player(_module(bot, game, db), loaded, own_seed, _log), name, number)
            program, needs = _stored(bot, game, db)
            limits = Limits(**needs.get("limits", {}))
            wall = needs.get("level", level) if level == Level.STRICT else level
            jail = _jail(game, wall, limits.profile, tuple(limits.preload))
            process = jail.spawn(program, limits, own_seed)
            opened.callback(process.close)
            if fault := process.ready():
                raise BotError(f"{name} cannot be loaded: {fault.text.strip()}")
            return _jailed(process, loaded, name, number)

        seeds = own_seeds or [derived_seed(seed, "trace", seat) for seat in range(len(names))]
        yield [choose(name, own) for name, own in zip(names, seeds, strict=True)]


def trace(
    game: str,
    bots: Sequence[str] = ("random",),
    *,
    players: int | None = None,
    seed: int = 0,
    games: int = 1,
    options: Mapping[str, Any] | None = None,
    legal: bool = True,
    level: str = Level.STRICT,
    db: str | None = None,
) -> Iterator[Event]:
    """Yield games of bots as records.

    House bots and paths run in this process, for a debugger; stored bots in processes of their own.

    Args:
        bots: one per seat, or one for all.
        players: seats; default: the game's.
        seed: of the first game; game i has seed + i.
        options: those that differ from the game's defaults.
        legal: whether decisions carry the legal actions.
        level: how stored bots are separated; at "trusted" they run in this process, too.

    Raises:
        GameError: no such game, option or number of players.
        UsageError: too many or too few bots.
        BotError: a bot does not load, or breaks a rule.
    """
    loaded = engines.load(game)
    k, complete = loaded.check_options(players, typed(game, options or {}))
    if len(bots) not in (1, k):
        raise UsageError(f"--bots names {len(bots)} bots, the table has {k} seats: name one, or one per seat")
    seated = list(bots) * k if len(bots) == 1 else list(bots)
    for number in range(games):
        with choosers(seated, game, seed + number, db, level) as seats:
            for event in play(loaded, k, complete, seed + number, seats, legal):
                yield event | ({"bots": seated} if event["event"] == "game" else {})


@cache
def _jail(game: str, level: str, profile: str, preload: tuple[str, ...]) -> GameZygote:
    """Return the fork server for stored bots; ends with this process."""
    zygote = GameZygote(game, level, profile, preload)
    atexit.register(zygote.close)
    return zygote


def _store(db: str | None) -> Store:
    from ..store import Store  # takes its time to import

    return Store(db)


def _is_own(name: str) -> bool:
    """Whether a name is a path or a house bot."""
    return registry.is_path(name) or registry.house_source(name) is not None


def _is_foreign(name: str) -> bool:
    """Whether a path leads to a program in another language, which always plays behind the wall."""
    path = Path(name)
    return registry.is_path(name) and (path / MANIFEST).is_file() and not (path / "__init__.py").is_file()


def own_module(name: str, game: str) -> ModuleType:
    """Return a house bot, or a path, as a module of this process.

    Raises:
        BotError: no such bot, it cannot be imported, or it does not play this game.
        UsageError: it is a stored bot, which may be a stranger's.
    """
    if not _is_own(name):
        raise UsageError(
            f"{name!r} is no house bot and no path; stored bots may be strangers' and play jailed"
        )
    return _module(name, game, None)


@cache
def _house(name: str, game: str) -> ModuleType:
    """`own_module`, loaded once."""
    return own_module(name, game)


def house_chooser(name: str, game: str, seed: int) -> Chooser:
    """Return a house bot for one game in this process, for servers.

    However many games it plays, its module is loaded once.

    Raises:
        BotError: it does not load, or does not play this game.
    """
    return _in_process(Player(_house(name, game), engines.load(game), seed, _log), name, 0)


def _stored(bot: str | Bot, game: str, db: str | None) -> tuple[Program, Mapping[str, Any]]:
    """Return the files of a stored bot, or of a program that a path leads to, and what it needs."""
    if isinstance(bot, str):
        if _is_own(bot):
            return registry.program_of(bot, game, db), {}
        bot = registry.resolve(bot, game, _store(db))
    return source.unpack(bot.name, _store(db).bots.source(bot.hash)), bot.conditions


def _module(bot: str | Bot, game: str, db: str | None) -> ModuleType:
    name = bot if isinstance(bot, str) else bot.label
    try:
        module = load_from_disk(_file(bot, game, db))
        check_games(module, game)
        return module
    except BadBot as error:
        raise BotError(f"{name}: {error}") from None
    except ArenaError:
        raise
    except Exception as error:
        raise BotError(f"{name} cannot be imported: {last_words(error).strip()}") from None


def _file(bot: str | Bot, game: str, db: str | None) -> Path:
    if isinstance(bot, str) and registry.is_path(bot):
        source.read(Path(bot), own=True)
        return Path(bot)
    if isinstance(bot, str) and (house := registry.house_source(bot)) is not None:
        return house
    return _on_disk(_stored(bot, game, db)[0])


def _on_disk(program: Program) -> Path:
    """Write a stored bot's files to a folder and return the folder.

    The folder is there until this process ends: the bot may read its files and import late.
    """
    folder = tempfile.TemporaryDirectory(prefix="arena-bot-")
    _folders.append(folder)
    return source.write(program, Path(folder.name))


def _in_process(player: Player, name: str, number: int) -> Chooser:
    def choose(position: Position) -> int:
        legal = position.legal_numbers()
        if len(legal) == 1:  # as in a match, a forced decision never reaches a bot
            return legal[0]
        seen = position.view()
        view = View(position.game, seen.state, seen.seat, seen.legal, partial(player.rng, number), player.log)
        (action,), failed = player.answer_rows([view], [number])
        if failed:
            raise BotError(f"{name}: {failed[0][2].strip()}")
        return action

    return choose


def _jailed(process: BotProcess, game: Game, name: str, number: int) -> Chooser:
    def choose(position: Position) -> int:
        legal = position.legal_numbers()
        if len(legal) == 1:
            return legal[0]
        reply = process.ask(Decisions.of(game, position.states, [number]))
        fault = reply.fault or reply.faults.get(0)
        if fault is not None:
            raise BotError(f"{name}: {fault.text.strip()}")
        return int(reply.actions[0])

    return choose


_folders: list[tempfile.TemporaryDirectory[str]] = []
_log = partial(print, file=sys.stderr)
