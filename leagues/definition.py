"""Leagues: which game, under which options, who enters, how many deals, which limits.

`League` is the schema of a league file, what the Python API takes, and what a run stores.
`leagues/<name>.toml` ships one or more per game; `load` reads one, and every mistake names the file and the
line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Self

import pydantic
from pydantic import Field, ValidationInfo, field_validator

import engines
from engines import registry
from engines.errors import nearest

from .errors import DefinitionError, LeagueError, unreadable
from .limits import MATCH_GAMES, WITH_INTERPRETERS, Level, Limits

MAX_DEALS = 1_000_000
GOAL_DEALS = 10_000  # of an adaptive league that is to end when it is sure
AIMS = ("points", "place")
TOURNAMENTS = ("round-robin", "gauntlet", "swiss", "knockout", "adaptive")
GOALS = "best (the first place is sure), separated (all places are), ci=15 (all ratings to +-15 Elo)"
NAME = re.compile(r"[\w .-]{1,64}")
COMPARISON = "compare"  # the name of all runs that compare two bots
STORED = "a definition that was complete when it was stored"


def goal(until: str) -> tuple[str, float]:
    """Return the goal of an adaptive league: ("best", 0), ("separated", 0), ("ci", 15); ("", 0): its deals.

    Raises:
        LeagueError: anything else.
    """
    width = re.fullmatch(r"ci=(\d+(?:\.\d+)?)", until)
    if width and float(width[1]) > 0:
        return "ci", float(width[1])
    if until in ("", "best", "separated"):
        return until, 0.0
    raise LeagueError(f"until = {until!r}: allowed is {GOALS}")


class League(pydantic.BaseModel):
    """A league, checked and complete: all options of its game and all limits are written out.

    Made by `load` and `of`; without them a mistake is a `pydantic.ValidationError`. The table of
    docs/reference/league-file.md is compared with the descriptions.
    """

    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)
    reserved: ClassVar[tuple[str, ...]] = (COMPARISON,)  # names that it cannot have

    game: str = Field(description="the game's name, as in `engines.names()`")
    name: str = Field(
        None, validate_default=True, description="what its runs are called; default: the file's name"
    )
    players: int = Field(None, validate_default=True, description="seats at a table; default: the game's")
    options: dict[str, Any] = Field(
        {}, validate_default=True, description="options of the game that differ from its defaults"
    )
    entrants: tuple[str, ...] = Field((), strict=False, description="house bots that enter, by name")
    submitted: bool = Field(
        True,
        description="whether every submitted bot of the game enters too, in the newest version that the "
        "league allows; default true",
    )
    deals: int = Field(
        250,
        ge=1,
        le=MAX_DEALS,
        description="deals that every entrant plays, each of them once from every seat; default 250",
    )
    tournament: str = Field(
        "round-robin",
        description="who plays whom: round-robin, gauntlet, swiss, knockout or adaptive; default round-robin",
    )
    candidates: tuple[str, ...] = Field(
        (), strict=False, description="of a gauntlet: the bots that are measured against the entrants"
    )
    until: str = Field(
        "", description="of an adaptive league: best, separated or ci=15 (Elo); default: until `deals`"
    )
    equal: float = Field(
        0.0,
        ge=0,
        description="with until best or separated: bots that surely differ by no more Elo than this count as "
        "equal; default 0: they must be separated",
    )
    aim: str = Field(
        "",
        description="what the table is ordered by: points (a game, luck-adjusted where that is surer) or "
        "place (Elo); default: the game's aim",
    )
    same_owner: bool = Field(
        False, description="whether bots of one owner are seated together; default false"
    )
    bots_per_owner: int = Field(
        0,
        ge=0,
        description="how many submitted bots of one owner enter, the newest versions first; default 0: all",
    )
    seed: int | None = Field(
        None,
        ge=0,
        lt=2**64,
        description="a known seed, for repeatable runs; default: a fresh secret for every run",
    )
    beacon: str = Field(
        "", description="a public value that nobody knew when entries were closed; it is mixed into the deals"
    )
    level: Level = Field(
        Level.STRICT,
        strict=False,
        description="how bots are separated: "
        "strict, strict+ns, strict+interpreters or trusted; default strict",
    )
    repeatable: bool = Field(
        False,
        description="whether a bot must answer the same when it is asked again with the same views and seed; "
        "default false",
    )
    audit: float = Field(
        0.05,
        ge=0,
        le=1,
        description="of a repeatable league: share of the matches after which bots are asked again; default "
        "0.05",
    )
    limits: Limits = Field(Limits(), description="what a bot may use: CPU time, memory, output")

    @field_validator("game")
    @classmethod
    def _there(cls, game: str, info: ValidationInfo) -> str:
        if info.context is not STORED:
            engines.check_name(game)
        return game

    @field_validator("name", mode="before")
    @classmethod
    def _named(cls, name: Any, info: ValidationInfo) -> Any:
        name = info.data.get("game", "") if name is None else name
        if isinstance(name, str) and (name in cls.reserved or not NAME.fullmatch(name)):
            raise DefinitionError(
                f"{name!r} cannot be the name of a league, which is its file's unless the file says another: "
                f"letters, digits, spaces, _ - . and none of {', '.join(cls.reserved)}",
                "name",
            )
        return name

    @field_validator("players", mode="before")
    @classmethod
    def _seats(cls, players: Any, info: ValidationInfo) -> Any:
        return engines.load(info.data["game"]).players if players is None and "game" in info.data else players

    @field_validator("options")
    @classmethod
    def _complete(cls, options: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.context is STORED or not {"game", "players"} <= info.data.keys():
            return options
        game = engines.load(info.data["game"])
        for name, value in options.items():
            try:
                game.option(name).encode(value)
            except engines.GameError as error:
                raise DefinitionError(str(error), name, "options") from None
        try:
            return dict(game.check_options(info.data["players"], options)[1])
        except engines.GameError as error:
            raise DefinitionError(str(error), "players") from None

    @field_validator("entrants")
    @classmethod
    def _different(cls, entrants: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(entrants)) != len(entrants):
            raise ValueError("entrants must be a list of different bot names")
        return entrants

    @field_validator("tournament")
    @classmethod
    def _known(cls, tournament: str) -> str:
        if tournament not in TOURNAMENTS:
            hint = nearest(tournament, TOURNAMENTS, f"allowed is {', '.join(TOURNAMENTS)}")
            raise ValueError(f"tournament = {tournament!r}: {hint}")
        return tournament

    @field_validator("aim")
    @classmethod
    def _aimed(cls, aim: str) -> str:
        if aim and aim not in AIMS:
            raise ValueError(f"aim = {aim!r}: {nearest(aim, AIMS, 'allowed is points, place')}")
        return aim

    @field_validator("limits", mode="before")
    @classmethod
    def _limited(cls, limits: Any) -> Any:
        if not isinstance(limits, Mapping):
            return limits
        known = [one.name for one in fields(Limits)]
        for name in limits.keys() - set(known):
            raise DefinitionError(_unknown(name, known), name, "limits")
        try:
            return Limits(**limits)
        except ValueError as error:
            raise DefinitionError(str(error), str(error).partition(" ")[0], "limits") from None

    @pydantic.model_validator(mode="after")
    def _fitting(self) -> Self:
        goal(self.until)
        if self.until and self.tournament != "adaptive":
            raise ValueError(f"until = {self.until!r} is for tournament = 'adaptive'")
        if self.equal and self.until not in ("best", "separated"):
            raise DefinitionError(f"equal = {self.equal:g} is for until = 'best' or 'separated'", "equal")
        if self.candidates and self.tournament != "gauntlet":
            raise ValueError("candidates are for tournament = 'gauntlet'")
        if self.beacon and self.seed is not None:
            raise DefinitionError(
                f"league {self.name} has a known seed: a beacon would change nothing; leave one out", "beacon"
            )
        if self.limits.interpreters and self.level not in WITH_INTERPRETERS:
            raise DefinitionError(
                "interpreters are allowed at level strict+interpreters, where they can name files; the level "
                f"of league {self.name} is {self.level}",
                "interpreters",
                "limits",
            )
        if self.limits.granted_s > self.limits.cpu_s_match:
            raise DefinitionError(
                f"cpu_s_match = {self.limits.cpu_s_match:g}, but loading, bank and one decision in each of "
                f"{MATCH_GAMES} games come to {self.limits.granted_s:g} s: raise it, or lower "
                "cpu_ms_per_decision, cpu_s_bank or cpu_s_start",
                "cpu_s_match",
                "limits",
            )
        return self

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Make a league of some values; the others have their defaults.

        Raises:
            DefinitionError: the first mistake.
        """
        return cls._made(values, None)

    @classmethod
    def stored(cls, values: dict[str, Any]) -> League:
        """Read what a run stores; the game is not asked again whether it has these options.

        Raises:
            DefinitionError: these are not a league's values.
        """
        kind = Comparison if "question" in values else EpochLeague if "epoch" in values else League
        return kind._made(values, STORED)

    @classmethod
    def _made(cls, values: dict[str, Any], context: str | None) -> Self:
        try:
            return cls.model_validate(values, context=context)
        except pydantic.ValidationError as error:
            raise first_of(error, list(cls.model_fields)) from None

    def plain(self) -> dict[str, Any]:
        """All values as plain data, as a run stores them."""
        return self.model_dump(mode="json")

    def changed(self, **given: Any) -> Self:
        """Change what is given and not None, with what follows from it.

        Candidates make a gauntlet of it, and `until` makes a round-robin adaptive, with deals enough to reach
        a goal; a tournament that is given drops what only the old one had.

        Raises:
            DefinitionError: out of range, or things that do not go together.
        """
        changes = {name: value for name, value in given.items() if value is not None}
        if "tournament" in changes:
            changes = {"candidates": (), "until": "", "equal": 0.0} | changes
        elif changes.get("candidates"):
            changes |= {"tournament": "gauntlet", "until": changes.get("until", ""), "equal": 0.0}
        if "until" in given and given["until"] is not None:
            if "tournament" not in changes and self.tournament == "round-robin":
                changes["tournament"] = "adaptive"
            changes.setdefault("deals", max(self.deals, GOAL_DEALS))
        return self.of(**dict(self) | changes)


@dataclass(frozen=True)
class Question:
    """What is asked of two bots: is the first `low` or `high` better than the second.

    `unit` is "elo" (by places at the table), "points" (per game) or "effect" (mean / sd of a block's points).
    """

    unit: str
    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05
    rare: float = 0.02


class Comparison(League):
    """Two bots that play until a question is answered: the first two entrants.

    The others are the field that they are measured against; without a field they play each other.
    `deals` are the most blocks.
    """

    reserved = ()

    name: str = COMPARISON
    question: Question

    @field_validator("question", mode="before")
    @classmethod
    def _asked(cls, question: Any) -> Any:
        return Question(**question) if isinstance(question, Mapping) else question


class EpochLeague(League):
    """One epoch of a season: its line-ups come from `leagues.pairing`, which looks at the epochs before it.

    The tournament is adaptive: nobody knows how long the season will be, so intervals hold at all looks.
    """

    epoch: int  # its number in the season


KEYS = {name: str(column.description) for name, column in League.model_fields.items()}


def names() -> list[str]:
    """Return the league definitions that ship with the project and with the packages of games."""
    return sorted(_shipped())


def _shipped() -> dict[str, Path]:
    """Return the files of these leagues by name; of two, the project's own."""
    own = [Path(str(item)) for item in resources.files(__package__).iterdir() if item.name.endswith(".toml")]
    theirs = [path for home in registry.packaged() for path in home.files("leagues", ".toml")]
    return {path.stem: path for path in (*theirs, *own)}


def find(name: str) -> Path:
    """Return the file of a league: a path that ends in `.toml`, or the name of a shipped one.

    Raises:
        DefinitionError: there is none; says the nearest.
    """
    path = Path(name)
    if path.suffix == ".toml":
        return path
    _, mark, number = name.rpartition("#")
    if mark and number.isdecimal():
        raise DefinitionError(f"{name} is a run, not a league: `arena league resume {name}` goes on")
    if name not in names():
        hint = nearest(name, names(), f"leagues: {', '.join(names())}, or the path of a .toml file")
        if Path(f"{name}.toml").is_file():
            hint = f"did you mean ./{name}.toml?"
        raise DefinitionError(f"no league {name!r}; {hint}")
    return _shipped()[name]


def load(name: str, **changes: Any) -> League:
    """Read and check a league by name or path, and change it as `League.changed` does.

    Args:
        name: of a league that ships, or the path of a `.toml` file.
        changes: values other than the file's; None: the file's.

    Raises:
        DefinitionError: file, line and what is wrong there; or what is wrong with a change.
    """
    path = find(name)
    text, values = read(path)
    try:
        league = League.of(**{"name": path.stem} | values)
        _check_name(league, path)
    except DefinitionError as error:
        raise DefinitionError(f"{path}{line_of(text, error.key, error.table)}: {error}") from None
    return league.changed(**changes) if changes else league


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text and the values of a file of a league or a season.

    Raises:
        DefinitionError: it cannot be read; says where it is no TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        told = re.sub(r"(.*) \(at (line \d+, column \d+)\)", r"\2: \1", str(error))
        raise DefinitionError(f"{path}: {told}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(unreadable(path, error)) from None


def _check_name(league: League, path: Path) -> None:
    """Make sure that a file has no name of a shipped league of another game: their runs would be mixed."""
    if league.name in names() and path.resolve() != find(league.name).resolve():
        shipped = tomllib.loads(find(league.name).read_text(encoding="utf-8"))["game"]
        if shipped != league.game:
            what = f"{league.name} is a shipped league of {shipped}; give this file another name"
            raise DefinitionError(what, "game")


MUST_BE = {  # pydantic's name of a mistake: what a person is told
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "tuple_type": "must be a list",
    **dict.fromkeys(("dict_type", "dataclass_exact_type"), "must be a table"),
}


ALLOWED = {
    "equal": "0 or more",
    "bots_per_owner": "0 (all) or more",
    "deals": f"1 to {MAX_DEALS}",
    "seed": "0 to 2**64 - 1",
    "audit": "0 to 1",
}


def first_of(error: pydantic.ValidationError, known: Sequence[str]) -> DefinitionError:
    """Return the first mistake in words, with the key that it is about."""
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, DefinitionError):
        return cause
    key, kind, value = ".".join(map(str, first["loc"])), first["type"], first["input"]
    if cause is not None:
        text = str(cause)
    elif kind == "missing":
        games = f"; games: {', '.join(engines.names())}" if key == "game" else ""
        text = f"the key {key!r} is missing{games}"
    elif kind == "extra_forbidden":
        text = _unknown(key, known)
    elif kind in MUST_BE:
        text = f"{key} = {value!r} {MUST_BE[kind]}"
    elif key in ALLOWED:
        text = f"{key} = {value!r}: allowed is {ALLOWED[key]}"
    elif kind == "enum":
        text = f"{key} {value!r}: allowed is {', '.join(Level)}"
    else:
        text = f"{key} = {value!r}: {first['msg'][0].lower()}{first['msg'][1:]}"
    return DefinitionError(text, str(first["loc"][0]) if first["loc"] else "tournament")


def _unknown(key: str, known: Sequence[str]) -> str:
    hint = nearest(key, known, f"keys: {', '.join(known)}")
    return f"unknown key {key!r}; {hint}"


def line_of(text: str, key: str, table: str = "") -> str:
    """`, line N` of a key in a TOML text ("" where it cannot be found, as in an inline table)."""
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        if header:
            inside = header[1]
            if not table and inside == key:
                return f", line {number}"
        elif inside == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return f", line {number}"
    return ""
