"""Under what bots play: a game, its table and options, limits and level; a league's, or the usual ones.

`check`, `submit`, `duel`, `compare` and `serve` take the same conditions, and the store keeps what a bot
needs of them with its version.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import engines
from engines.declaration import Option, Value
from engines.errors import OptionError, nearest
from leagues import definition
from leagues.limits import WITH_INTERPRETERS, Level, Limits
from leagues.schedule import schedule

from ..errors import UsageError
from ..printable import setting

USUAL_DEALS = 64  # deals in a match of a league, for telling how far its CPU time would last
OPTION_SETS = 3  # beside the default one
SMALL = 16  # an option with more values makes games longer, not different


@dataclass(frozen=True)
class Conditions:
    """Under what bots play."""

    game: str
    players: int  # seats at a table
    options: dict[str, Any]  # all of them, by name
    limits: Limits = field(default_factory=Limits)  # of every bot
    level: str = "strict"  # how bots are separated
    match_deals: int = USUAL_DEALS  # deals in a match of a league
    league: str = ""  # whose conditions these are; "" for the usual ones
    repeatable: bool = False  # whether a bot that answers otherwise when it is asked again loses

    @classmethod
    def of(
        cls,
        game: str | None,
        league: str | None = None,
        *,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        level: str | None = None,
        interpreters: Sequence[str] = (),
    ) -> Conditions:
        """Return a league's conditions, or a game's usual ones with what is given.

        Args:
            game: its name; None: the league's.
            league: name or file; it says all the rest.
            players: seats; default: the game's.
            options: those that differ from the game's defaults; texts are read as values.
            level: how bots are separated; default: strict.
            interpreters: programs that may run a bot, as "node=/usr/bin/node".

        Raises:
            UsageError: things that do not go together, or a level that does not exist.
            DefinitionError: the league's file is wrong; says where.
            GameError: no such game, option or number of players.
        """
        if league is None:
            if game is None:
                raise UsageError("say which game: --game NAME, or --league NAME|FILE")
            usual = cls.usual(game, players, options, level or Level.STRICT)
            return usual.with_interpreters(interpreters) if interpreters else usual
        if players is not None or options or level is not None or interpreters:
            raise UsageError(
                "--league says players, options, level and interpreters: leave out --players, --option, "
                "--level and --interpreter"
            )
        theirs = cls.of_league(league)
        if game not in (None, theirs.game):
            raise UsageError(f"league {league} plays {theirs.game}, not {game}: leave out --game")
        return theirs

    @classmethod
    def of_league(cls, name: str) -> Conditions:
        """Return the conditions of a league, by its name or file.

        Raises:
            DefinitionError: there is none, or it is wrong; says where.
        """
        return cls.of_definition(definition.load(name), name)

    @classmethod
    def of_definition(cls, league: definition.League, name: str) -> Conditions:
        """Return the conditions of a league that people know by this name."""
        matches = schedule(league.players, league.players, league.deals)
        longest = max(match.blocks for match in matches)
        shared = league.game, league.players, dict(league.options), league.limits, str(league.level)
        return cls(*shared, longest, name, league.repeatable)

    @classmethod
    def usual(
        cls, game: str, players: int | None = None, options: Mapping[str, Any] | None = None,
        level: str = "strict",
    ) -> Conditions:  # fmt: skip
        """Return a game's default table, options and limits, but for what is given.

        Raises:
            OptionError: no such option or number of players.
            UsageError: no such level.
        """
        k, complete = engines.load(game).check_options(players, typed(game, options or {}))
        if level not in list(Level):
            raise UsageError(f"no level {level!r}; {nearest(level, list(Level), ', '.join(Level))}")
        return cls(game, k, complete, level=str(level))

    def with_interpreters(self, allowed: Sequence[str]) -> Conditions:
        """Allow programs that run a bot ("node=/usr/bin/node"), at the level that has them.

        Raises:
            UsageError: not a name and a path, or no program there; or the level allows none.
        """
        level = str(Level.INTERPRETERS) if self.level == Level.STRICT else self.level
        if level not in WITH_INTERPRETERS:
            raise UsageError(
                f"at level {level} no interpreter is allowed; leave out --level or --interpreter"
            )
        try:
            limits = dataclasses.replace(self.limits, interpreters=tuple(allowed))
        except ValueError as error:
            raise UsageError(str(error)) from None
        for one in allowed:
            if not os.access(path := one.partition("=")[2], os.X_OK):
                raise UsageError(f"--interpreter {one}: {path} is no program on this machine")
        return dataclasses.replace(self, limits=limits, level=level)

    def varied(self) -> Iterator[Conditions]:
        """Yield every other size of the table, and some other options."""
        game = engines.load(self.game)
        for players in range(game.min_players, game.max_players + 1):
            if players != self.players:
                yield dataclasses.replace(self, players=players)
        for number in range(OPTION_SETS):
            options = {option.name: _other_value(option, number) for option in game.options.values()}
            try:
                _, complete = game.check_options(self.players, options)
            except OptionError:  # they do not go together
                continue
            if complete != self.options:
                yield dataclasses.replace(self, options=complete)

    @property
    def changed(self) -> str:
        """Table and options as text, as far as options are not the game's default."""
        options = engines.load(self.game).options
        some = [f"{name}={setting(v)}" for name, v in self.options.items() if v != options[name].default]
        return ", ".join([f"{self.players} players", *some])

    @property
    def needs(self) -> dict[str, Any]:
        """What not every league allows, as the store keeps it with a bot: {} for the usual conditions."""
        usual, some = Limits(), ("profile", "preload", "interpreters")
        limits = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self.limits).items()
            if value != getattr(usual, name)
        }
        if not limits.keys() & set(some) and self.level not in WITH_INTERPRETERS:
            return {}
        return {"league": self.league, "level": self.level, "limits": limits}


def typed(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a game with the values that their texts mean: {"goal": "5"} is {"goal": 5}.

    Raises:
        GameError: no such game, no such option, not a value of it.
    """
    loaded = engines.load(game)
    return {
        key: loaded.option(key).parse(value) if isinstance(value, str) else value
        for key, value in options.items()
    }


def missing(needs: Mapping[str, Any], limits: Limits) -> list[str]:
    """Name what a bot needs and these limits do not allow.

    Args:
        needs: as the store keeps it (`Conditions.needs`).
    """
    wanted: Mapping[str, Any] = needs.get("limits", {})
    lacks = [f"preload {name}" for name in wanted.get("preload", ()) if name not in limits.preload]
    if wanted.get("profile", "numpy") not in ("numpy", limits.profile):
        lacks.append(f"profile {wanted['profile']}")
    allowed = {one.partition("=")[0] for one in limits.interpreters}
    names = (one.partition("=")[0] for one in wanted.get("interpreters", ()))
    return [*lacks, *(f"interpreter {name}" for name in names if name not in allowed)]


def _other_value(option: Option, number: int) -> Value:
    """Return the next values after the default one, in turn; the default where others make games longer."""
    values: list[Value] = [False, True] if isinstance(option.default, bool) else list(option.choices)
    if not values:
        if option.high - option.low > SMALL:
            return option.default
        values = list(range(option.low, option.high + 1))
    return values[(values.index(option.default) + 1 + number) % len(values)]
