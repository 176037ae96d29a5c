"""What README and pages show is run: Python blocks, bots, and that every command shown exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

import engines
from arena import records
from arena.__main__ import app
from arena.bots import debug

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "bots.md", ROOT / "docs" / "leagues.md"]
BLOCKS = [
    (page.name, block)
    for page in PAGES
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
]
COMMANDS = sorted(
    {
        line.partition("#")[0].strip() if "#N" not in line else line.strip()
        for page in PAGES
        for line in re.findall(r"^ {4}(arena .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
)


@pytest.mark.parametrize("page, block", [b for b in BLOCKS if "GAMES" in b[1]])
def test_every_bot_shown_plays_a_game_to_its_end(page: str, block: str, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(block)
    name = re.search(r'GAMES = \["(\w+)"\]', block)
    assert name is not None
    game = engines.load(name[1])
    others = ["random"] * (game.players - 1)
    with debug.choosers([str(tmp_path / "shown.py"), *others], game.name, seed=1) as seats:
        events = list(records.play(game, game.players, {}, 1, seats))
    assert events[-1]["event"] == "end" and sum(event["event"] == "decision" for event in events) > 20


@pytest.mark.parametrize("page, block", [b for b in BLOCKS if "GAMES" not in b[1]])
def test_every_other_python_block_runs(page: str, block: str) -> None:
    exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_shown_exists_with_its_options(line: str) -> None:
    words = shlex.split(re.split(r" {2,}#| > ", line)[0])[1:]
    command = get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
    assert not hasattr(command, "commands"), line
    known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
    assert {word for word in words if word.startswith("--")} <= known
