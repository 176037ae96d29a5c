"""Season files: what they say, and what is told about mistakes."""

from datetime import date
from pathlib import Path

import pytest

from leagues.definition import EpochLeague, League
from leagues.errors import DefinitionError
from leagues.season import SeasonFile, load

WHOLE = """
epoch = "128 blocks"
starts = 2026-12-01
ends = 2027-03-01
versions_per_owner = 2
[[leagues]]
game = "flip7"
entrants = ["racer"]
[leagues.limits]
cpu_ms_per_decision = 20
[[leagues]]
game = "taroky"
"""


def test_a_season_names_its_leagues_and_comes_back_from_the_store_as_it_was(tmp_path):
    (tmp_path / "spring.toml").write_text(WHOLE)
    season = load(tmp_path / "spring.toml")
    assert (season.name, season.blocks, season.minutes) == ("spring", 128, None)
    assert season.ends == date(2027, 3, 1) and season.leagues[0].limits.cpu_ms_per_decision == 20
    assert [season.run_name(at) for at in range(2)] == ["spring-flip7-4", "spring-taroky-4"]
    assert SeasonFile.stored(season.plain()) == season
    (tmp_path / "short.toml").write_text(WHOLE.replace("128 blocks", "1 minute"))
    assert (load(tmp_path / "short.toml").blocks, load(tmp_path / "short.toml").minutes) == (None, 1)


def test_an_epoch_is_a_league_that_the_store_gives_back_as_an_epoch(tmp_path):
    (tmp_path / "spring.toml").write_text(WHOLE)
    epoch = load(tmp_path / "spring.toml").epoch_league(0, 7, ["racer@1", "mine@2"], 16)
    assert isinstance(League.stored(epoch.plain()), EpochLeague) and League.stored(epoch.plain()) == epoch
    assert (epoch.epoch, epoch.deals, epoch.submitted) == (7, 32, False)


def test_the_guide_lists_the_keys_as_they_are_described_here():
    guide = (Path(__file__).parents[2] / "docs/guides/ladder.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ", 1) for line in guide.splitlines() if line.startswith("| `")]
    described = {f"`{key}`": one.description for key, one in SeasonFile.model_fields.items()}
    assert dict(rows) == described


@pytest.mark.parametrize(
    "old, other, told",
    [
        ("ends = 2027-03-01", 'ends = "1.3.2027"', "ends = 1.3.2027: write a day as 2026-12-20"),
        ("ends = 2027-03-01", "ends = 2027-03-01T18:00:00", "ends = 2027-03-01 18:00:00: write a day as"),
        (
            "ends = 2027-03-01",
            "[limits]\ncpu_s_bank = 9",
            "line 4: limits is a key of a league: did you mean",
        ),
        ("ends = 2027-03-01", "players = 3", "line 4: players is a key of a league: did you mean [[leag"),
        ('epoch = "128 blocks"', 'epoch = "2 hours"', "spring.toml, line 2: epoch = '2 hours': write it as"),
        ("ends = 2027", "ends = 2025", "ends = 2025-03-01 is before starts = 2026-12-01"),
        ("versions_per", "version_per", "unknown key 'version_per_owner'; did you mean versions_per_owner"),
        ('game = "taroky"', 'game = "tarok"', "leagues, table 2: no game 'tarok'; did you mean taroky?"),
        ('game = "taroky"', 'game = "taroky"\ndeals = 9', "leagues, table 2: deals is decided by the season"),
        ('game = "taroky"', 'game = "flip7"', "two are of one game and table size"),
        ('game = "taroky"', 'game = "taroky"\nlevel = "trusted"', "bots that share a process are not rated"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_is_allowed(tmp_path, old, other, told):
    assert old in WHOLE
    (tmp_path / "spring.toml").write_text(WHOLE.replace(old, other))
    with pytest.raises(DefinitionError) as error:
        load(tmp_path / "spring.toml")
    assert told in str(error.value) and "spring.toml" in str(error.value)
