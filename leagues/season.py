"""Seasons: competitions that stay open while bots come and go, played in epochs.

`SeasonFile` is the schema of a season file, and what the store keeps of it. What an epoch plays is an
`EpochLeague` of `leagues.definition`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Self

import pydantic
from pydantic import Field

from .definition import EpochLeague, League, first_of, line_of, read
from .errors import DefinitionError
from .limits import Level
from .pairing import Rules

NAME = re.compile(r"[\w.-]{1,32}")
EPOCH = re.compile(r"(\d+) (block|minute)s?")
MOST_BLOCKS = 100_000
MOST_MINUTES = 24 * 60
OF_SEASON = {"name", "submitted", "deals", "tournament", "candidates", "until", "equal"}
OF_SEASON |= {"bots_per_owner", "seed", "beacon"}
"""Keys of a league that a season decides itself."""


class SeasonFile(pydantic.BaseModel):
    """A season, checked and complete."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)

    name: str = Field(description="what the season is called; default: the file's name")
    epoch: str = Field(
        "5 minutes", description='how long an epoch is: "512 blocks" or "5 minutes"; default "5 minutes"'
    )
    starts: date | None = Field(None, strict=False, description="first day, UTC; default: at once")
    ends: date | None = Field(
        None, strict=False, description="last day, UTC: then the season closes; default: never"
    )
    versions_per_owner: int = Field(
        3, ge=0, description="active versions of an owner, the newest first; default 3; 0: any number"
    )
    retire_days: int = Field(
        0, ge=0, description="days without a new version after which a bot is archived; default 0: never"
    )
    leagues: tuple[League, ...] = Field(
        strict=False,
        min_length=1,
        description="what is played: a table `[[leagues]]` with keys of a league file for each",
    )

    @pydantic.field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        if not NAME.fullmatch(name):
            raise ValueError(f"name = {name!r}: allowed are 1 to 32 letters, digits, _ - .")
        return name

    @pydantic.field_validator("epoch")
    @classmethod
    def _long(cls, epoch: str) -> str:
        found = EPOCH.fullmatch(epoch)
        most = {"block": MOST_BLOCKS, "minute": MOST_MINUTES}
        if not found or not 1 <= int(found[1]) <= most[found[2]]:
            raise ValueError(
                f'epoch = {epoch!r}: write it as "512 blocks" or "5 minutes", at most {MOST_BLOCKS} blocks '
                f"or {MOST_MINUTES} minutes"
            )
        return epoch

    @pydantic.field_validator("leagues")
    @classmethod
    def _rated(cls, leagues: tuple[League, ...]) -> tuple[League, ...]:
        for league in leagues:
            if league.level == Level.TRUSTED:
                raise ValueError(
                    "level trusted: bots that share a process are not rated; choose another level"
                )
        return leagues

    @pydantic.model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.starts and self.ends and self.ends < self.starts:
            raise ValueError(f"ends = {self.ends} is before starts = {self.starts}")
        names = [self.run_name(at) for at in range(len(self.leagues))]
        if len(set(names)) < len(names):
            raise ValueError("leagues: two are of one game and table size; make two seasons of them")
        return self

    @property
    def blocks(self) -> int | None:
        """Blocks of an epoch, if they are given."""
        return int(self.epoch.split()[0]) if "block" in self.epoch else None

    @property
    def minutes(self) -> int | None:
        """Minutes of an epoch, if they are given."""
        return int(self.epoch.split()[0]) if "minute" in self.epoch else None

    def run_name(self, league: int) -> str:
        """Return what the runs of a league are called: as the season, with the game if there are several."""
        one = self.leagues[league]
        return self.name if len(self.leagues) == 1 else f"{self.name}-{one.game}-{one.players}"

    def rules(self, league: int) -> Rules:
        """Return what the pairing must know of a league."""
        one = self.leagues[league]
        return Rules(
            seats=one.players,
            owners_apart=not one.same_owner,
            versions=self.versions_per_owner,
            retire_days=self.retire_days,
        )

    def epoch_league(self, league: int, number: int, labels: list[str], blocks: int) -> EpochLeague:
        """Return what one epoch plays, with these bots and so many blocks."""
        one = self.leagues[league]
        deals = max(1, round(blocks * one.players / max(len(labels), 1)))
        changes = {"name": self.run_name(league), "entrants": tuple(labels), "submitted": False}
        return EpochLeague.of(
            **dict(one) | changes | {"deals": deals, "tournament": "adaptive", "epoch": number}
        )

    @property
    def lasts(self) -> str:
        """How long it runs, for people."""
        return f"until the end of {self.ends} (UTC)" if self.ends else "without an end"

    def differences(self, other: SeasonFile) -> list[str]:
        """Return the keys in which another file differs, those of a league with the league's number."""
        keys = [key for key in SeasonFile.model_fields if dict(self)[key] != dict(other)[key]]
        if len(self.leagues) != len(other.leagues) or "leagues" not in keys:
            return keys
        keys.remove("leagues")
        for at, pair in enumerate(zip(self.leagues, other.leagues, strict=True), 1):
            one, two = map(dict, pair)
            keys += [f"{key} of league {at}" for key in one if one[key] != two[key]]
        return keys

    def plain(self) -> dict[str, Any]:
        """All values as plain data, as the store keeps them."""
        return self.model_dump(mode="json")

    @classmethod
    def stored(cls, values: dict[str, Any]) -> SeasonFile:
        """Read what the store keeps."""
        leagues = [League.stored(league) for league in values["leagues"]]
        return cls.model_validate(values | {"leagues": leagues})


def load(path: Path) -> SeasonFile:
    """Read and check a season file. Raises DefinitionError: file, line and what is wrong there."""
    text, values = read(path)
    leagues = values.get("leagues")
    if not isinstance(leagues, list) or not leagues or not all(isinstance(one, Mapping) for one in leagues):
        raise DefinitionError(f'{path}: write what is played as a table [[leagues]] with game = "..."')
    made = [_league(path, text, at, dict(one)) for at, one in enumerate(leagues, 1)]
    try:
        return SeasonFile(**{"name": path.stem} | values | {"leagues": made})
    except pydantic.ValidationError as error:
        raise DefinitionError(_told(path, text, error)) from None


def _league(path: Path, text: str, number: int, values: dict[str, Any]) -> League:
    """Read one table `[[leagues]]`."""
    for key in values:
        if key in OF_SEASON:
            told = f"leagues, table {number}: {key} is decided by the season: leave it out"
            raise DefinitionError(f"{path}{line_of(text, key, '[leagues')}: {told}")
    try:
        return League.of(**values)
    except DefinitionError as error:
        raise DefinitionError(f"{path}: leagues, table {number}: {error}") from None


def _told(path: Path, text: str, error: pydantic.ValidationError) -> str:
    """Return the first mistake in words, with its line."""
    wrong, given = first_of(error, list(SeasonFile.model_fields)), error.errors()[0]
    if given["type"].startswith("date_"):  # not as a library says it
        told = f"{wrong.key} = {given['input']}: write a day as 2026-12-20, without an hour: days are of UTC"
        wrong = DefinitionError(told, wrong.key)
    elif given["type"] == "extra_forbidden" and wrong.key in League.model_fields:
        where = f"[leagues.{wrong.key}]" if isinstance(given["input"], Mapping) else "[[leagues]]"
        wrong = DefinitionError(f"{wrong.key} is a key of a league: did you mean {where}?", wrong.key)
    return f"{path}{line_of(text, wrong.key)}: {wrong}"
