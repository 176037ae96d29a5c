"""Files of leagues and of seasons, and the pages on ratings: what they may say, and how a mistake is told."""

import re
from datetime import date
from pathlib import Path

import pytest

from leagues import definition
from leagues.definition import EpochLeague, League
from leagues.errors import DefinitionError, unreadable
from leagues.ratings import control, elo, intervals, pairs, scores, sequential
from leagues.season import SeasonFile, load

MISTAKES = [  # text of the file, what the message says
    ('game = "flip7"\nplayers 4\n', "line 2, column 9"),
    ('game = "flip8"\n', "line 1: no game 'flip8'; did you mean flip7?"),
    ("deals = 5\n", "the key 'game' is missing"),
    ('game = "flip7"\ndeal = 5\n', "line 2: unknown key 'deal'; did you mean deals?"),
    ('game = "flip7"\n\ndeals = "many"\n', "line 3: deals = 'many' must be a whole number"),
    ('game = "flip7"\ndeals = true\n', "line 2: deals = True must be a whole number"),
    ('game = "flip7"\ndeals = 0\n', "line 2: deals = 0: allowed is 1 to"),
    ('game = "flip7"\nplayers = 11\n', "line 2: flip7 is for 2 to 10 players, not 11"),
    ('game = "flip7"\nentrants = ["a", "a"]\n', "line 2: entrants must be a list of different bot names"),
    ('game = "flip7"\n[options]\ngaol = 5\n', "line 3: flip7 has no option 'gaol'; did you mean goal?"),
    ('game = "flip7"\n[options]\ngoal = 0\n', "line 3: option goal = 0: allowed is 1 to 10000"),
    ('game = "flip7"\n[options]\ndeck = "old"\n', "line 3: option deck = 'old': allowed is keep or fresh"),
    ('game = "flip7"\nseed = -1\n', "line 2: seed = -1: allowed is 0 to 2**64 - 1"),
    ('game = "flip7"\naim = "money"\n', "line 2: aim = 'money': allowed is points, place"),
    ('game = "flip7"\nequal = 5\n', "line 2: equal = 5 is for until = 'best' or 'separated'"),
    ('game = "flip7"\nsubmitted = 1\n', "line 2: submitted = 1 must be true or false"),
    ('game = "flip7"\n[limits]\ncpu_ms = 5\n', "line 3: unknown key 'cpu_ms'; did you mean cpu_ms_per"),
    ('game = "flip7"\n[limits]\nprofile = "fast"\n', "line 3: profile = 'fast': allowed is numpy or threads"),
    ('game = "flip7"\n[limits]\nmemory_mib = true\n', "line 3: memory_mib = True must be a whole number"),
    ('game = "flip7"\n[limits]\ncpu_s_bank = "long"\n', "line 3: cpu_s_bank = 'long' must be a number"),
    ('game = "flip7"\n[limits]\ncpu_s_bank = nan\n', "line 3: cpu_s_bank = nan: allowed is 0 to 1e9"),
    (
        'game = "flip7"\n[limits]\nmemory_mib = 1\n',
        "line 3: memory_mib = 1: allowed is a whole number from 16",
    ),
]


@pytest.mark.parametrize("name", ["compare", "a#1", "a\nb", "x" * 65])
def test_a_file_whose_name_cannot_be_a_leagues_is_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.toml"
    path.write_text('game = "flip7"')
    with pytest.raises(DefinitionError, match="cannot be the name of a league, which is its file's"):
        definition.load(str(path))


@pytest.mark.parametrize("text, message", MISTAKES)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(DefinitionError) as error:
        definition.load(str(path))
    assert str(error.value).startswith(str(path)) and message in str(error.value)


def test_a_file_that_is_not_text_or_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DefinitionError, match="cannot be read: it is no text in UTF-8"):
        definition.load(str(tmp_path / "binary.toml"))
    with pytest.raises(DefinitionError, match=r"cannot be read: No such .* did you mean binary\.toml\?"):
        definition.load(str(tmp_path / "binry.toml"))
    assert unreadable(tmp_path / "none.**", FileNotFoundError(2, "none")).endswith("cannot be read: none")
    with pytest.raises(DefinitionError, match="did you mean flip7"):
        definition.load("flip8")


@pytest.mark.parametrize("name", definition.names())
def test_every_league_that_ships_can_be_loaded_and_has_entrants(name: str) -> None:
    league = definition.load(name)
    assert league.name == name and len(league.entrants) >= 2


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


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_on_the_numbers_gives_the_constants_of_the_code() -> None:
    page = (DOCS / "reference" / "numbers.md").read_text(encoding="utf-8")
    told = {name: value for value, name in re.findall(r"([\d.]+) \(`([A-Z_]+)`\)", page)}
    code = {name: value for module in (elo, intervals, scores) for name, value in vars(module).items()}
    assert {name: float(value) for name, value in told.items()} == {name: code[name] for name in told}
    assert len(told) == 5


def test_the_page_on_the_numbers_tells_every_estimate() -> None:
    page = (DOCS / "reference" / "numbers.md").read_text(encoding="utf-8")
    code = {name for module in (control, elo, pairs, scores, sequential) for name in vars(module)}
    estimates = {"bradley_terry", "carried_by_few", "fit_weights", "gsprt", "least_squares_scores"}
    estimates |= {"mean_scores", "pair_table", "rank_intervals", "without_luck"}
    assert estimates <= code & set(re.findall(r"`(\w+)`", page))
