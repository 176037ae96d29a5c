"""From a file to a bot that may enter: the first bot, a check, a submission.

    from arena import check, open_store, submit
    checked = check("my_bot.py", league="taroky")
    if checked.fine:
        print(submit(open_store(), "my_bot.py", owner="ada").bot.label)

Nothing is printed: `say` hears what is going on, `watch` makes a progress bar.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import engines
from engines.registry import home

from ..cell import GameZygote
from ..errors import ArenaError, BotError, UsageError
from ..match.warm import warm_up
from ..places import user_name
from ..printable import Say, Watch, quiet, unwatched
from . import registry, trial
from .conditions import Conditions
from .source import Source, misnamed, read
from .trial import Trial, TrialFault, Trying

if TYPE_CHECKING:
    from ..store import Store
    from ..store.models import Bot

CHECK_DEALS = 4  # of a trial, each from every seat
MISSING = re.compile(r"(\w+)[\w.]* cannot be imported")
HINTS = {  # what to do about a usual fault, by what its text says
    "relative import": "only a folder with __init__.py has modules of its own: make the bot one",
    "FileNotFoundError": "a bot has its own files alone: make it a folder with __init__.py and this file",
    "PermissionError": "a bot reads its own files and those of Python, nothing else",
    "Read-only file system": "a bot writes no file: what it prints is in its log",
    "start new thread": "a bot has one thread and one process",
    "URLError|socket": "a bot has no network: put what it needs into its folder",
    "EOFError": "nobody answers input()",
    "MemoryError": "the memory that is allowed was not enough for this line",
    "answered None": "a way through act has no `return`",
    r"TypeError: (act|Bot|Bot\.\w+)\(\) ": "write act(view), or class Bot with __init__(self, seat, seed)",
}
TITLE = "Takes the first action that it may."
BODY = """\
    return view.texts[0]  # print(view) names the fields: view.phase, view.hand, ...
"""
"""The plain one."""
TEMPLATE = '''"""{title}"""

GAMES = ["{game}"]


def act(view):
    """Answer with one of view.texts, or with its number from view.legal."""
    # print(view) shows all that you see; view.log(...) writes to the log: arena replay GAME --logs {name}
{body}'''


def new_bot(name: str, game: str, folder: Path | str = ".") -> Path:
    """Write a first bot for a game; return its path.

    Args:
        name: of the bot: small letters, digits and _.
        game: that it plays.
        folder: where `NAME.py` goes.

    Raises:
        UsageError: no name for a bot, or it is taken; says by what.
        GameError: no such game.
        ArenaError: it cannot be written.
    """
    source, path = first_bot(name, game), Path(folder) / f"{name}.py"
    if wrong := misnamed(name):
        raise UsageError(wrong)
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise UsageError(f"{name!r} is a word of the Python language; choose another name")
    if name in registry.house_bots():
        raise UsageError(f"{name!r} is the name of a house bot; choose another")
    if path.exists():
        raise UsageError(f"{path} is there already; choose another name or remove it")
    if importlib.util.find_spec(name) is not None:
        raise UsageError(f"{name!r} is a module that programs import: {path} would hide it; choose another")
    try:
        path.write_text(source, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def first_bot(name: str, game: str) -> str:
    """Return the source of a first bot, which plays legally and calmly, and shows how to look at a hand.

    A random one would spoil the tables that it enters: what it calls costs everybody at the table. A game
    without a first bot in its words gets the plain one.

    Raises:
        GameError: no such game.
    """
    engines.check_name(game)
    bot = {"title": TITLE, "act": BODY, **home(game).words.get("bot", {})}
    return TEMPLATE.format(name=name, game=game, title=bot["title"], body=bot["act"])


@dataclass(frozen=True)
class GameCheck:
    """What a check showed in one game."""

    first: Trial  # the trial under the usual conditions, or those that were asked for
    others: tuple[Trial, ...] = ()  # trials at other tables and under other options, a game from every seat

    @property
    def faults(self) -> list[tuple[Conditions, TrialFault]]:
        """Rules that it broke, and under what."""
        return [(one.conditions, fault) for one in (self.first, *self.others) for fault in one.faults]

    @property
    def others_lost(self) -> Mapping[tuple[str, str], int]:
        """How many games its opponents forfeited, by name and fault."""
        return sum(
            (Counter(one.others_lost) for one in (self.first, *self.others)), Counter[tuple[str, str]]()
        )


@dataclass(frozen=True)
class Checked:
    """What a check showed."""

    source: Source
    path: Path
    games: tuple[GameCheck, ...]

    @property
    def wrong(self) -> str:
        """Why it may not enter, in a line; "" if it may."""
        if any(game.faults for game in self.games):
            return f"{self.source.name} broke a rule: in a league it would lose these games"
        losses = [loss for game in self.games for loss in game.first.losses]
        return f"{self.source.name} {losses[0]}" if losses else ""

    @property
    def fine(self) -> bool:
        """Whether it may enter."""
        return not self.wrong


class Submitted(NamedTuple):
    """A stored bot, whether it is new, and what its trial showed; the same files again are not tried."""

    bot: Bot
    new: bool
    checked: Checked | None


class Refused(BotError):
    """A bot that may not enter; `checked` says what its trial showed."""

    def __init__(self, checked: Checked) -> None:
        super().__init__(checked.wrong)
        self.checked = checked


def check(
    path: Path | str,
    *,
    league: str | None = None,
    deals: int | None = None,
    seed: int = 1,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    level: str | None = None,
    interpreters: Sequence[str] = (),
    bots: Sequence[str] = ("random",),
    db: str | None = None,
    say: Say = quiet,
    watch: Watch = unwatched,
) -> Checked:
    """Read a bot and play some games of it under a league's limits.

    Args:
        path: a .py file, or a folder with __init__.py or bot.toml.
        league: as this league plays; name or file.
        deals: from every seat; default: 4, with `league` those of a match.
        seed: of the deals.
        players: only this size of the table.
        options: only under these options of the game.
        level: how it is separated; default: strict.
        interpreters: programs that may run it, as "node=/usr/bin/node".
        bots: who sits beside it: house bots, paths, stored bots.
        db: the store that stored bots come from.
        say: hears what is going on.
        watch: makes a progress bar of (total, done, unit).

    Returns:
        What it showed; `fine` says whether it may enter.

    Raises:
        BotError: it cannot be read, has the name of a house bot, or does not play the league's game.
        UsageError: things that do not go together.
        HostError: this host cannot separate bots so.
    """
    path = Path(path)
    source = read(path)
    registry.check_free(source)
    if not bots or not all(bots):
        raise UsageError(f"--bots {','.join(bots)!r} names nobody at one place")
    given = {"players": players, "options": options, "level": level, "interpreters": interpreters}
    conditions = _conditions(source, league, given)
    alone = league is not None or players is not None or bool(options)
    games = []
    for first in conditions:
        beside = [(name, registry.program_of(name, first.game, db)) for name in bots]
        how = Trying(deals or (None if league else CHECK_DEALS), seed, beside)
        others = () if alone else tuple(first.varied())
        games.append(_check_game(source, first, others, how, say, watch))
    return Checked(source, path, tuple(games))


def submit(
    store: Store,
    path: Path | str,
    *,
    owner: str = "",
    note: str = "",
    deals: int = CHECK_DEALS,
    league: str | None = None,
    level: str | None = None,
    interpreters: Sequence[str] = (),
    say: Say = quiet,
    watch: Watch = unwatched,
) -> Submitted:
    """Try a bot in a short trial and store it; it enters the next league of its games.

    What it needs of a league is kept with its version: it enters the leagues that allow that.

    Args:
        store: where it goes; made when the trial is passed, if it was opened without being there.
        path: a .py file, or a folder with __init__.py or bot.toml.
        owner: whose it is; default: the login name.
        note: what is new in this version.
        deals: of the trial, from every seat.
        league: as this league plays; name or file.
        level: how it is separated; default: strict.
        interpreters: programs that may run it, as "node=/usr/bin/node".
        say: hears what is going on.
        watch: makes a progress bar of (total, done, unit).

    Returns:
        The stored bot, whether it is new, and its trial: the same files again are neither tried nor stored.

    Raises:
        Refused: it broke a rule in its trial, or would lose by its CPU time.
        BotError: it cannot be read, its name belongs to somebody else, or is a house bot's.
        UsageError: things that do not go together.
    """
    path, owner = Path(path), owner or user_name()
    source = read(path)
    store.check_writable()
    registry.check_owner(source.name, owner, store)
    registry.check_free(source, store)
    tried = _conditions(source, league, {"level": level, "interpreters": interpreters})
    row = registry.as_row(source, "submitted", owner, note, needs_of(tried))
    if store.bots.same(row) is not None:
        return Submitted(*store.bots.add(row, source.packed), None)
    checked = examine(source, path, tried, Trying(deals), say, watch)
    store.make()
    added = store.bots.add(row, source.packed)
    registry.note_passed(store, added.bot, tried)
    return Submitted(*added, checked)


def examine(
    source: Source, path: Path, tried: Sequence[Conditions], how: Trying, say: Say = quiet,
    watch: Watch = unwatched,
) -> Checked:  # fmt: skip
    """Play the trial that decides whether a bot may enter.

    Raises:
        Refused: it broke a rule, or would lose by its CPU time.
        BotError: its trial took more CPU time than its budget.
    """
    checked = Checked(source, path, tuple(_check_game(source, one, (), how, say, watch) for one in tried))
    if not checked.fine:
        raise Refused(checked)
    return checked


def needs_of(tried: Sequence[Conditions]) -> dict[str, Any]:
    """Return what a bot that was tried under these conditions needs of a league."""
    return next((one.needs for one in tried if one.needs), {})


def _conditions(source: Source, league: str | None, given: Mapping[str, Any]) -> list[Conditions]:
    """Under what a bot is tried: a league's conditions, or those of each of its games.

    Raises:
        BotError: it does not play the league's game.
    """
    if league is None:
        return [Conditions.of(name, **given) for name in source.games]
    theirs = Conditions.of(None, league, **given)
    registry.check_plays(source.name, source.games, theirs.game)
    return [theirs]


def _check_game(
    source: Source, first: Conditions, others: Sequence[Conditions], how: Trying, say: Say, watch: Watch
) -> GameCheck:
    """Play the trials of one game, all with the banks of the first; after a hopeless one no more."""
    warm_up(first.game, say)
    servers = how.servers or trial.new_server
    with servers(first, 0) as server, watch(trial.matches(first) + len(others), 0, "matches") as add:

        def lent(conditions: Conditions, which: int) -> AbstractContextManager[GameZygote]:
            return servers(conditions, which) if which else nullcontext(server)

        how = replace(how, servers=lent, on_match=add)
        trials = [trial.run(source, first, how)]
        how = replace(how, deals=1, thorough=False, bank_share=trials[0].bank_share)
        for one in others:
            if trials[-1].stopped:
                break
            trials.append(trial.run(source, one, how))
    return GameCheck(trials[0], tuple(trials[1:]))


def advice(path: Path, fault: TrialFault) -> str:
    """Say what to do about a usual fault, such as a module of one's own that was not found; "" of others."""
    missing_module = MISSING.search(fault.text)
    if missing_module is None:
        first = fault.text.partition("\n")[0]
        return next((hint for said, hint in HINTS.items() if re.search(said, first)), "")
    name = missing_module[1]
    if path.is_dir():
        there = (path / f"{name}.py").is_file() or (path / name / "__init__.py").is_file()
        return f"{name} is in the bot's own folder: write `from . import {name}`" if there else ""
    beside = path.parent / f"{name}.py"
    if not beside.is_file():
        return ""
    return (
        f"{beside.name} is a file of yours: make the bot a folder {path.stem}/ with __init__.py and "
        f"{beside.name}, and write `from . import {name}`"
    )
