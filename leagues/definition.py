"""League files: which game, under which options, who enters, how many deals, which limits.

`leagues/<name>.toml` ships one or more per game. `load` reads and checks one; every mistake names the file
and the line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any, get_type_hints

import pydantic
from pydantic import Field

import engines.option
from engines.errors import nearest

from .errors import DefinitionError, LeagueError

MAX_DEALS = 1_000_000
TOURNAMENTS = ("round-robin", "gauntlet", "swiss", "ladder", "knockout", "adaptive")
GOALS = "best (the first place is sure), separated (all places are), ci=15 (all ratings to +-15 Elo)"


def goal(until: str) -> tuple[str, float]:
    """What an adaptive league plays for: ("best", 0), ("separated", 0) or ("ci", 15); ("", 0): its deals.

    Raises:
        LeagueError: anything else.
    """
    width = re.fullmatch(r"ci=(\d+(?:\.\d+)?)", until)
    if width and float(width[1]) > 0:
        return "ci", float(width[1])
    if until in ("", "best", "separated"):
        return until, 0.0
    raise LeagueError(f"until = {until!r}: allowed is {GOALS}")


class _File(pydantic.BaseModel):
    """What a league file may say. The table of docs/leagues.md is compared with the descriptions."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)

    game: str = Field(description="the game's name, as in `engines.names()`")
    players: int | None = Field(None, description="seats at a table; default: the game's")
    entrants: list[str] = Field([], description="house bots that enter, by name")
    submitted: bool = Field(
        True,
        description="whether the newest version of every submitted bot of the game enters too; default true",
    )
    deals: int = Field(
        250,
        ge=1,
        le=MAX_DEALS,
        description="deals that every entrant plays, each of them once from every seat; default 250",
    )
    tournament: str = Field(
        "round-robin",
        description="who plays whom: round-robin, gauntlet, swiss, ladder, knockout or adaptive; default "
        "round-robin",
    )
    candidates: list[str] = Field(
        [], description="of a gauntlet: the bots that are measured against the entrants"
    )
    until: str = Field(
        "", description="of an adaptive league: best, separated or ci=15 (Elo); default: until `deals`"
    )
    same_owner: bool = Field(
        False, description="whether bots of one owner are seated together; default false"
    )
    seed: int | None = Field(
        None,
        ge=0,
        lt=2**64,
        description="a known seed, for repeatable runs; default: a fresh secret for every run",
    )
    level: str = Field(
        "strict",
        description="how bots are separated: "
        "strict, strict+ns, strict+interpreters or trusted; default strict",
    )
    options: dict[str, Any] = Field({}, description="options of the game that differ from its defaults")
    limits: dict[str, int | float | str | bool | list[str]] = Field(
        {}, description="what a bot may use: CPU time, memory, output"
    )

    @pydantic.field_validator("entrants")
    @classmethod
    def _different(cls, entrants: list[str]) -> list[str]:
        if len(set(entrants)) != len(entrants):
            raise ValueError("entrants must be a list of different bot names")
        return entrants

    @pydantic.field_validator("tournament")
    @classmethod
    def _known(cls, tournament: str) -> str:
        if tournament not in TOURNAMENTS:
            hint = nearest(tournament, TOURNAMENTS, f"allowed is {', '.join(TOURNAMENTS)}")
            raise ValueError(f"tournament = {tournament!r}: {hint}")
        return tournament

    @pydantic.model_validator(mode="after")
    def _fitting(self) -> _File:
        goal(self.until)
        if self.until and self.tournament != "adaptive":
            raise ValueError(f"until = {self.until!r} is for tournament = 'adaptive'")
        if self.candidates and self.tournament != "gauntlet":
            raise ValueError("candidates are for tournament = 'gauntlet'")
        return self


NAME = re.compile(r"[\w .-]{1,64}")
TAKEN = ("compare",)  # runs of this name compare two bots
KEYS = {name: str(column.description) for name, column in _File.model_fields.items()}


@dataclass(frozen=True)
class League:
    """A league definition, checked.

    `options` are complete; `limits` are what the file says, checked by the harness.
    """

    name: str
    game: str
    players: int
    options: dict[str, engines.option.Value] = field(hash=False)
    entrants: tuple[str, ...] = ()
    submitted: bool = True
    deals: int = 250
    tournament: str = "round-robin"
    candidates: tuple[str, ...] = ()
    until: str = ""
    same_owner: bool = False
    seed: int | None = None
    level: str = "strict"
    limits: dict[str, Any] = field(default_factory=dict, hash=False)

    def with_changes(
        self,
        deals: int | None = None,
        seed: int | None = None,
        level: str | None = None,
        tournament: str | None = None,
        candidates: Sequence[str] | None = None,
        until: str | None = None,
        same_owner: bool | None = None,
    ) -> League:
        """The definition with what a command line changes; `until` makes a round-robin adaptive.

        Raises:
            DefinitionError: out of range, or things that do not go together.
        """
        given: dict[str, Any] = {"deals": deals, "seed": seed, "level": level, "tournament": tournament}
        given |= {"candidates": candidates and tuple(candidates), "until": until, "same_owner": same_owner}
        changes = {key: value for key, value in given.items() if value is not None}
        if until is not None and tournament is None and self.tournament == "round-robin":
            changes["tournament"] = "adaptive"
        if tournament not in (None, "gauntlet"):  # what only the file's own tournament has
            changes.setdefault("candidates", ())
        if tournament not in (None, "adaptive"):
            changes.setdefault("until", "")
        changed = replace(self, **changes)
        now = {key: getattr(changed, key) for key in ("deals", "seed", "level", "tournament", "until")}
        try:
            _File.model_validate({"game": changed.game, **now, "candidates": list(changed.candidates)})
        except pydantic.ValidationError as error:
            raise DefinitionError(_sentence(error)) from None
        return changed


def names() -> list[str]:
    """The league definitions that ship with the project."""
    folder = resources.files(__package__)
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def find(name: str) -> Path:
    """The file of a league: a path that ends in `.toml`, or the name of a shipped one.

    Raises:
        DefinitionError: there is none; says the nearest.
    """
    path = Path(name)
    if path.suffix == ".toml":
        if not path.is_file():
            raise DefinitionError(f"no league file {name}")
        return path
    _, mark, number = name.rpartition("#")
    if mark and number.isdecimal():
        raise DefinitionError(f"{name} is a run, not a league: `arena league resume {name}` goes on")
    if name not in names():
        hint = nearest(name, names(), f"leagues: {', '.join(names())}, or the path of a .toml file")
        raise DefinitionError(f"no league {name!r}; {hint}")
    return Path(str(resources.files(__package__) / f"{name}.toml"))


def load(name: str, limits: type | None = None) -> League:
    """Read and check a league definition by name or path.

    Args:
        name: of a league that ships, or the path of a `.toml` file.
        limits: the dataclass that the table [limits] must fit; without it that table is taken as it is.

    Raises:
        DefinitionError: file, line and what is wrong there.
    """
    path = find(name)
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(f"{path}: {_as_sentence(error)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}: cannot be read: {error}") from None
    return _checked(path, text, values, limits)


def check_limits(values: Mapping[str, Any], limits: type) -> None:
    """Check values against a dataclass of limits: known names, types as annotated, what its `__post_init__`
    refuses.

    Raises:
        DefinitionError: the first mistake.
    """
    try:
        _fit(values, limits)
    except pydantic.ValidationError as error:
        raise DefinitionError(_sentence(error, _names(limits))) from None


def _fit(values: Mapping[str, Any], limits: type) -> None:
    columns: dict[str, Any] = {
        name: (kind, ...) for name, kind in get_type_hints(limits).items() if name in values
    }
    config = pydantic.ConfigDict(strict=True, extra="forbid")

    def whole(model: Any) -> Any:
        limits(**values)
        return model

    after: dict[str, Any] = {"whole": pydantic.model_validator(mode="after")(whole)}
    pydantic.create_model("Limits", __config__=config, __validators__=after, **columns).model_validate(
        dict(values)
    )


def _names(limits: type) -> list[str]:
    return [column.name for column in fields(limits)]


def _checked(path: Path, text: str, values: dict[str, Any], limits: type | None) -> League:
    def wrong(key: str, what: str, table: str = "") -> DefinitionError:
        return DefinitionError(f"{path}{_line_of(text, key, table)}: {what}")

    try:
        file = _File.model_validate(values)
    except pydantic.ValidationError as error:
        place = error.errors()[0]["loc"]
        raise wrong(str(place[0]) if place else "tournament", _sentence(error, list(KEYS))) from None
    try:
        game = engines.load(file.game)
    except engines.GameError as error:
        raise wrong("game", str(error)) from None
    for option, value in file.options.items():
        try:
            game.option(option).encode(value)
        except engines.GameError as error:
            raise wrong(option, str(error), "options") from None
    try:
        players, complete = game.check_options(file.players, file.options)
    except engines.GameError as error:
        raise wrong("players", str(error)) from None
    if path.stem in names() and path.resolve() != find(path.stem).resolve():
        shipped = tomllib.loads(find(path.stem).read_text(encoding="utf-8"))["game"]
        if shipped != game.name:
            raise wrong("game", f"{path.stem} is a shipped league of {shipped}; give this file another name")
    if limits is not None:
        try:
            _fit(file.limits, limits)
        except pydantic.ValidationError as error:
            place = error.errors()[0]["loc"]
            key, table = (str(place[0]), "limits") if place else ("limits", "")
            raise wrong(key, _sentence(error, _names(limits)), table) from None
    same = {"submitted", "deals", "tournament", "until", "same_owner", "seed", "level", "limits"}
    if not NAME.fullmatch(path.stem) or path.stem in TAKEN:
        raise DefinitionError(
            f"{path}: a league has its file's name, and {path.stem!r} cannot be one: letters, digits, "
            f"spaces, _ - . and none of {', '.join(TAKEN)}"
        )
    plain = file.model_dump(include=same)
    named = tuple(file.entrants), tuple(file.candidates)
    return League(path.stem, game.name, players, complete, named[0], candidates=named[1], **plain)


MUST_BE = {  # pydantic's name of a mistake: what a person is told
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be a table",
}


ALLOWED = {"deals": f"1 to {MAX_DEALS}", "seed": "0 to 2**64 - 1"}


def _sentence(error: pydantic.ValidationError, known: Sequence[str] = ()) -> str:
    """The first mistake in words."""
    first = error.errors()[0]
    key, kind, value = ".".join(map(str, first["loc"])), first["type"], first["input"]
    if kind == "missing":
        return f"the key {key!r} is missing" + (
            f"; games: {', '.join(engines.names())}" if key == "game" else ""
        )
    if kind == "extra_forbidden":
        hint = nearest(key, known, f"keys: {', '.join(known)}")
        return f"unknown key {key!r}; {hint}"
    if kind in MUST_BE:
        return f"{key} = {value!r} {MUST_BE[kind]}"
    if kind == "value_error":
        return str(first["ctx"]["error"])
    if key in ALLOWED:
        return f"{key} = {value!r}: allowed is {ALLOWED[key]}"
    return f"{key} = {value!r}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _line_of(text: str, key: str, table: str = "") -> str:
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


def _as_sentence(error: tomllib.TOMLDecodeError) -> str:
    match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
    return f"line {match[2]}, column {match[3]}: {match[1]}" if match else str(error)
