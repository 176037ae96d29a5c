"""Which bots have passed a trial, under which conditions and by which code: nobody is tried twice.

The store keeps it. A bot counts with all files of ours that it imports, the code with the versions of Python
and the libraries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from leagues.definition import League

from ..match import identity
from .conditions import Conditions

if TYPE_CHECKING:
    from ..store import Store
    from ..store.models import Bot


def note_passed(store: Store, bot: Bot, under: Iterable[Conditions | League]) -> None:
    """Remember that a bot has passed its trials under these conditions."""
    for one in under:
        store.runs.keep_standing(_subject(store, bot, one), _code(one.game), {})


def not_passed(store: Store, bots: Sequence[Bot], under: Conditions | League) -> list[Bot]:
    """Return those of these bots that have not passed a trial under these conditions by this code."""
    subjects = {bot.hash: _subject(store, bot, under) for bot in bots}
    passed = store.runs.standings(list(subjects.values()), _code(under.game))
    return [bot for bot in bots if subjects[bot.hash] not in passed]


def _subject(store: Store, bot: Bot, under: Conditions | League) -> str:
    options = sorted(under.options.items())
    conditions = repr((under.game, under.players, options, str(under.level), under.limits))
    imports = identity.imports_of(store.bots.source(bot.hash))
    return f"trial {identity.digest_of({**imports, bot.hash: conditions})}"


def _code(game: str) -> str:
    versions = identity.code_of(game)["versions"]
    return identity.digest_of({**versions, "playing": identity.playing(game)})
