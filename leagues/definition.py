"""League files: which game, under which options, who enters, how many deals, which limits.

`leagues/<name>.toml` ships one or more per game. `load` reads and checks one; every mistake names the file and the line.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import engines.option

from .errors import DefinitionError

MAX_DEALS = 1_000_000

# key: (type, meaning). The table of docs/leagues.md is compared with this one.
KEYS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "game": (str, "the game's name, as in `engines.names()`"),
    "players": (int, "seats at a table; default: the game's"),
    "entrants": (list, "house bots that enter, by name"),
    "submitted": (bool, "whether the newest version of every submitted bot of the game enters too; default true"),
    "deals": (int, "deals that every entrant plays, each of them once from every seat; default 250"),
    "seed": (int, "a known seed, for repeatable runs; default: a fresh secret for every run"),
    "level": (str, "how bots are separated: strict, strict-noopen, strict+ns or trusted; default strict"),
    "options": (dict, "options of the game that differ from its defaults"),
    "limits": (dict, "what a bot may use: CPU time, memory, output"),
}


@dataclass(frozen=True)
class League:
    """A league definition, checked. `options` are complete; `limits` are what the file says, checked by the harness."""

    name: str
    game: str
    players: int
    options: dict[str, engines.option.Value] = field(hash=False)
    entrants: tuple[str, ...] = ()
    submitted: bool = True
    deals: int = 250
    seed: int | None = None
    level: str = "strict"
    limits: dict[str, Any] = field(default_factory=dict, hash=False)

    def resolved(self, entrants: list[dict[str, Any]]) -> dict[str, Any]:
        """The definition as it is stored: complete, with the entrants' versions and hashes."""
        return {
            "name": self.name,
            "game": self.game,
            "players": self.players,
            "options": self.options,
            "entrants": entrants,
            "deals": self.deals,
            "seed": self.seed,
            "level": self.level,
            "limits": self.limits,
        }

    def with_changes(self, deals: int | None = None, seed: int | None = None, level: str | None = None) -> League:
        """The definition with what a command line changes.

        Raises:
            DefinitionError: out of range.
        """
        changed = replace(
            self,
            deals=self.deals if deals is None else deals,
            seed=self.seed if seed is None else seed,
            level=self.level if level is None else level,
        )
        if not 1 <= changed.deals <= MAX_DEALS:
            raise DefinitionError(f"deals = {changed.deals}: allowed is 1 to {MAX_DEALS}")
        if changed.seed is not None and not 0 <= changed.seed < 2**64:
            raise DefinitionError(f"seed = {changed.seed}: allowed is 0 to 2**64 - 1")
        return changed


def fingerprint(resolved: dict[str, Any]) -> str:
    """Hash of a resolved definition: two runs with the same one are runs of the same league."""
    return hashlib.sha256(json.dumps(resolved, sort_keys=True).encode()).hexdigest()


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
    if name not in names():
        near = difflib.get_close_matches(name, names(), 1)
        hint = f"did you mean {near[0]}?" if near else f"leagues: {', '.join(names())}, or the path of a .toml file"
        raise DefinitionError(f"no league {name!r}; {hint}")
    return Path(str(resources.files(__package__) / f"{name}.toml"))


def load(name: str) -> League:
    """Read and check a league definition by name or path.

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
    return _checked(path, text, values)


def _checked(path: Path, text: str, values: dict[str, Any]) -> League:
    def wrong(key: str, what: str, table: str = "") -> DefinitionError:
        return DefinitionError(f"{path}{_line_of(text, key, table)}: {what}")

    for key, value in values.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            raise wrong(key, f"unknown key {key!r}; " + (f"did you mean {near[0]}?" if near else f"keys: {', '.join(KEYS)}"))
        wanted = KEYS[key][0]
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            raise wrong(key, f"{key} = {value!r} must be {_type_name(wanted)}")
    if "game" not in values:
        raise DefinitionError(f"{path}: the key 'game' is missing; games: {', '.join(engines.names())}")
    try:
        game = engines.load(values["game"])
    except engines.GameError as error:
        raise wrong("game", str(error)) from None
    options = values.get("options", {})
    for option, value in options.items():
        try:
            game.option(option).encode(value)
        except engines.GameError as error:
            raise wrong(option, str(error), "options") from None
    try:
        players, complete = game.check_options(values.get("players"), options)
    except engines.GameError as error:
        raise wrong("players", str(error)) from None
    entrants = values.get("entrants", [])
    if not all(isinstance(entrant, str) for entrant in entrants) or len(set(entrants)) != len(entrants):
        raise wrong("entrants", "entrants must be a list of different bot names")
    league = League(
        name=path.stem,
        game=game.name,
        players=players,
        options=complete,
        entrants=tuple(entrants),
        submitted=values.get("submitted", True),
        limits=values.get("limits", {}),
    )
    for key in ("deals", "seed", "level"):
        try:
            league = league.with_changes(**{key: values.get(key)})
        except DefinitionError as error:
            raise wrong(key, str(error)) from None
    return league


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


def _type_name(wanted: type | tuple[type, ...]) -> str:
    return {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}[wanted]  # type: ignore[index]
