"""What README and pages show is run: Python blocks, bots, and that every command shown exists. Tables of the rules
pages are those of the code.
"""

import dataclasses
import pkgutil
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.main import get_command

import engines
from arena.__main__ import app
from arena.cli.league import print_run
from arena.cli.output import Format
from arena.intake import debug
from arena.jail import Limits
from arena.match import records
from arena.replay.decisions import export_decisions
from arena.runs.duelling import play
from arena.runs.report import report_of
from arena.runs.stages import setups
from arena.store import Store
from engines import pages
from engines.search import Settings
from leagues import definition
from leagues.definition import KEYS

from . import played
from .test_league import finished
from .test_places import with_run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EVERY_PAGE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]
BLOCKS = [
    (page.name, block)
    for page in EVERY_PAGE
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
]
COMMANDS = sorted(
    {
        line.partition("#")[0].strip() if "#N" not in line else line.strip()
        for page in EVERY_PAGE
        for line in re.findall(r"^ {4}(arena (?!.*->).*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
)


@pytest.mark.parametrize("page, block", [b for b in BLOCKS if "GAMES" in b[1]])
def test_every_bot_shown_plays_a_game_to_its_end(page: str, block: str, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(block)
    name = re.search(r'GAMES = \["(\w+)"', block)
    game = engines.load(name[1])
    others = ["random"] * (game.players - 1)
    with debug.choosers([str(tmp_path / "shown.py"), *others], game.name, seed=1) as seats:
        events = list(records.play(game, game.players, {}, 1, seats))
    assert events[-1]["event"] == "end" and sum(event["event"] == "decision" for event in events) > 20


@pytest.mark.parametrize(
    "block", [block for page, block in BLOCKS if page == "AGENTS.md" and "GAMES" in block]
)
def test_every_bot_for_assistants_beats_the_house_bot_of_its_row(block: str, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(block)
    (name,) = re.findall(r'GAMES = \["(\w+)"', block)
    table = table_with(ROOT / "AGENTS.md", "game", "house bot")
    rows = {row[0].strip("`"): row[1].strip("`") for row in table}
    games = play([str(tmp_path / "shown.py"), rows[name]], name, deals=40, seed=3, level="trusted")
    assert games.means[0] > games.means[1] and not games.faults
    assert sorted(rows) == engines.names()


@pytest.mark.parametrize("page, block", [b for b in BLOCKS if "GAMES" not in b[1]])
def test_every_other_python_block_runs(page: str, block: str) -> None:
    exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_link_to_another_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]*(?:#[^)]*)?)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        path = (page.parent / name) if name else page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in headings}


def test_the_limits_of_a_league_with_torch_are_limits() -> None:
    text = (DOCS / "guides" / "bots.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    limits = Limits(**tomllib.loads(block)["limits"])
    assert limits.preload == ("torch",) and limits.profile == "threads"


def test_the_table_of_search_settings_is_what_the_code_has() -> None:
    rows = table_with(DOCS / "guides" / "search.md", "setting", "default")
    usual = {key: str(value) for key, value in dataclasses.asdict(Settings()).items()}
    assert {row[0].strip("`"): row[1] for row in rows} == usual


@cache
def commands() -> Any:
    """The whole command line, built once: that takes longer than all that is looked up in it."""
    return get_command(app)


def check_exists(line: str) -> None:
    """Whether there is such a command, with these options; a sentence may name a group, too: `arena league`."""
    words = line.split()[1:]
    command = commands()
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    if hasattr(command, "commands") and words and not words[0].startswith("--"):
        assert set(words.pop(0).split("|")) <= set(command.commands) and not words, line
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= options_of(command), line


def options_of(command: Any) -> set[str]:
    """The options of a command."""
    return {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}


def every_command(command: Any) -> Iterator[Any]:
    """A command and all below it."""
    yield command
    for below in getattr(command, "commands", {}).values():
        yield from every_command(below)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_shown_exists_with_its_options(line: str) -> None:
    check_exists(" ".join(shlex.split(re.split(r" {2,}#| > ", line)[0])))


def test_every_command_in_a_sentence_exists_with_its_options() -> None:
    found = 0
    for page in EVERY_PAGE:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for span in re.findall(r"`([^`]+)`", text):
            if span.startswith("arena "):
                check_exists(span)
                found += 1
    assert found > 50


def test_every_command_in_help_and_messages_exists() -> None:
    for command in every_command(commands()):
        for line in re.findall(r"^ *(arena .*)$", command.help or "", re.MULTILINE):
            check_exists(re.split(r" > | {2,}#", line)[0])
    found = 0
    for path in sorted((ROOT / "arena").rglob("*.py")):
        for line in re.findall(r"`(arena [a-z][^`\n\"]*)`", path.read_text(encoding="utf-8")):
            check_exists(line)
            found += 1
    assert found > 30


def tables(page: Path) -> list[list[list[str]]]:
    """The tables of a page: rows of cells, the heading first, without the rule below it."""
    found: list[list[list[str]]] = [[]]
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))])
        elif found[-1]:
            found.append([])
    return [[table[0], *table[2:]] for table in found if table]


def table_with(page: Path, *heading: str) -> list[list[str]]:
    """The rows of the one table that begins with these headings."""
    (found,) = [table[1:] for table in tables(page) if tuple(table[0][: len(heading)]) == heading]
    return found


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_row_of_a_table_has_a_cell_for_every_column(page: Path) -> None:
    for table in tables(page):
        assert [len(row) for row in table] == [len(table[0])] * len(table), table[0]


def test_the_table_of_games_has_every_game_with_its_seats_and_its_rules_page() -> None:
    rows = {row[0].strip("`"): row for row in table_with(DOCS / "games.md", "game", "seats")}
    assert sorted(rows) == engines.names()
    for name, (_, seats, line, page) in rows.items():
        game = engines.load(name)
        assert seats == "-".join(map(str, sorted({game.min_players, game.max_players})))
        assert page == f"[rules](rules/{name}.md)" and (DOCS / "rules" / f"{name}.md").is_file()
        assert re.search(r"[a-z]{4}", line)


@pytest.mark.parametrize("page", ["../README.md", "guides/tables.md"])
def test_the_rating_table_shown_has_the_columns_and_the_games_of_the_command(
    page: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    shown = re.findall(r"^ {4}(#  ranks.*|[1-4]  .*)$", text, re.MULTILINE)
    print_run(store, played.finished(store, "taroky", deals=1), Format.TABLE)
    assert re.split(" {2,}", shown[0]) == re.split(" {2,}", capsys.readouterr().out.splitlines()[0])
    league = definition.load("taroky")
    rows = [re.split(" {2,}", line) for line in shown[1:]]
    assert sorted(row[2] for row in rows) == sorted(f"{name}@1" for name in league.entrants)
    assert {row[-3] for row in rows} == {str(league.deals * league.players)}


def test_the_table_of_speed_has_every_game_and_only_numbers() -> None:
    rows = table_with(DOCS / "explanation" / "performance.md", "game", "playouts, M decisions/s")
    assert sorted(row[0].strip("`") for row in rows) == engines.names()
    assert all(re.fullmatch(r"[\d.]+( / [\d.]+)?", cell) for row in rows for cell in row[1:])


def test_the_table_of_league_keys_is_what_a_league_file_may_say() -> None:
    rows = table_with(DOCS / "reference" / "league-file.md", "key", "meaning")
    assert {row[0].strip("`"): row[1] for row in rows} == KEYS


def test_the_table_of_json_keys_is_what_a_run_prints(store: Store) -> None:
    rows = table_with(DOCS / "reference" / "json.md", "JSON key", "meaning")
    shown = report_of(store, finished(store, definition.load("flip7", deals=2)))
    assert [row[0].strip("`") for row in rows] == list(shown)


def test_the_stranger_of_the_page_on_leagues_can_check_a_real_run(tmp_path: Path) -> None:
    (block,) = [block for page, block in BLOCKS if "def check(run)" in block]
    space: dict[str, Any] = {}
    exec(block, space)
    store = Store(str(tmp_path / "arena.db"), create=True)
    run = finished(store, definition.load("flip7", deals=2))
    setup = next(setups(store, run))
    (first,) = setup.seeds[setup.blocks == 0].tolist()
    assert space["check"](report_of(store, run)) == first


def test_every_word_of_the_glossary_is_used_in_the_code() -> None:
    words = [row[0] for row in table_with(DOCS / "glossary.md", "word", "means")]
    files = [path for name in ("arena", "leagues") for path in (ROOT / name).rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert len(words) > 10
    assert [word for word in words if not re.search(rf"\b{word}", code, re.IGNORECASE)] == []


def test_a_policy_imitates_a_bot_by_its_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = (ROOT / "examples" / "imitate.py").read_text(encoding="utf-8")
    store = with_run(tmp_path / "arena.db", 1, deals=25)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="no decisions of racer@1 in decisions"):
        exec(compile(block, "imitate.py", "exec"), {})
    export_decisions(store, store.runs.find("flip7"), Path("decisions"), workers=1)
    (path,) = Path("decisions").glob("*.npz")
    path.rename("decisions/autumn-1-0.npz")  # as the run of a season is called
    space: dict[str, Any] = {}
    exec(compile(block, "imitate.py", "exec"), space)
    assert space["loss"](space["held_back"]) < 0.8 * space["before"]


OTHERS = re.compile(
    r"python -m|examples/|ray |node|docker|systemctl|journal|chromium|curl|pip |pytest|hypothesis|systemd"
)


def test_no_page_names_an_option_that_no_command_has() -> None:
    known = set(re.findall(r"--[a-z][a-z0-9-]*", (ROOT / "tests/arena/data/cli.txt").read_text()))
    for page in [ROOT / "README.md", ROOT / "AGENTS.md", *DOCS.rglob("*.md")]:
        lines = [line for line in page.read_text(encoding="utf-8").splitlines() if not OTHERS.search(line)]
        named = {option for line in lines for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", line)}
        assert named <= known | {"--table"}, page


def test_every_name_that_a_page_has_explained_is_there() -> None:
    pages = "\n".join(page.read_text() for page in DOCS.rglob("*.md"))
    named = re.findall(r"^::: ([\w.]+)$", pages, re.MULTILINE)
    assert len(named) > 20 and all(pkgutil.resolve_name(name) is not None for name in named)


@pytest.mark.parametrize("name", engines.names())
def test_tables_of_a_rules_page_are_those_of_the_code(name: str) -> None:
    page = (DOCS / "rules" / f"{name}.md").read_text(encoding="utf-8")
    assert all(page.count(f"<!-- {table} -->") == 1 for table in ("options", "fields", "record", "encoding"))
    assert page == pages.filled(page, engines.load(name)), "run: python -m engines.pages docs/rules"


def test_a_fields_comment_is_on_its_lines_or_above_and_a_heading_ends_with_a_colon(tmp_path: Path) -> None:
    module = ModuleType("module")
    module.__file__ = str(tmp_path / "module.py")
    text = 'STATE = record([\n    ("left", int),  # cards, 0 | 1\n    # by round:\n'
    text += '    (\n        "pot",\n        int,\n    ),  # chips\n'
    text += '    # chips of all rounds\n    ("net", int),\n])\n'
    Path(module.__file__).write_text(text)
    told = {"left": ("", "cards, 0 \\| 1"), "pot": ("by round", "chips"), "net": ("", "chips of all rounds")}
    assert pages.field_comments(module) == told
