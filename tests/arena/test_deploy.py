"""Files in deploy/ can be read, and call commands and options that exist."""

import json
import re
import shlex
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from arena.__main__ import app
from arena.store import Store
from tests.arena.played import finished, served

yaml = pytest.importorskip("yaml")

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))


def check_words(words: list[str]) -> None:
    """Parse `arena ...` as the program does, and run nothing."""
    assert Path(words[0]).name == "arena"
    command: Any = get_command(app)
    context, words = None, words[1:]
    while hasattr(command, "commands"):
        context = command.context_class(command, context)
        command, words = command.commands[words[0]], words[1:]
    command.make_context(command.name, words, parent=context)


def test_words_that_do_not_exist_are_found() -> None:
    with pytest.raises(Exception, match=r"[Nn]o such option"):
        check_words(["arena", "ladder", "run", "autumn", "--nosuch"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_calls_a_command_that_exists(unit: Path) -> None:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
    check_words(shlex.split(line.replace("%i", "autumn").replace("${ARENA_NAME}", "arena.example")))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_no_fault_in_a_unit(unit: Path, tmp_path: Path) -> None:
    text = re.sub(r"(?<=ExecStart=)\S+", "/bin/true", unit.read_text())  # the program is not installed there
    name = unit.name.replace("@", "@autumn")
    (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / name)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0 and name not in done.stderr, done.stderr


def test_the_containers_of_a_season_call_commands_that_exist_and_reach_each_other() -> None:
    made = yaml.safe_load((DEPLOY / "ladder" / "compose.yaml").read_text())
    services = made["services"]
    # what ends is started again, so the driver may not end when a season is paused
    assert all(one["restart"] == "unless-stopped" for one in services.values())
    assert "--stay" in services["ladder"]["command"]
    for name in ("ladder", "serve"):
        check_words([re.sub(r"\$\{.*\}", "autumn", word) for word in services[name]["command"]])
        assert services[name]["depends_on"]["database"]["condition"] == "service_healthy"
    proxy, serve = (services[name]["networks"]["front"]["ipv4_address"] for name in ("proxy", "serve"))
    words = services["serve"]["command"]
    assert words[words.index("--proxy") + 1] == proxy and f"{serve}:8237" in services["proxy"]["command"]
    used = {volume.partition(":")[0] for one in services.values() for volume in one.get("volumes", ())}
    assert used == set(made["volumes"])
    assert (DEPLOY / "ladder" / services["serve"]["build"] / "Dockerfile").exists()


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"]
    return list(group["rules"])


def board_asks() -> list[str]:
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    return [str(target["expr"]) for panel in panels for target in panel["targets"]]


def test_alerts_and_the_board_ask_for_figures_that_a_server_gives(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
    store = Store(str(tmp_path / "arena.db"), create=True)
    finished(store, "flip7")
    store.owners.invite("ada", "test")
    store.submissions.add("ada", "late.py", "", b"")
    with served(store.url, tmp_path, "--backup", "copies") as address:
        ready = json.load(urllib.request.urlopen(f"{address}/readyz", timeout=60))
        text = urllib.request.urlopen(f"{address}/metrics", timeout=60).read().decode()
    figures = {line.split("{")[0].split()[0] for line in text.splitlines() if not line.startswith("#")}
    board = json.loads((DEPLOY / "grafana.json").read_text())
    asked = [rule["expr"] for rule in alerts()] + board_asks()
    assert set(re.findall(r"arena_\w+", " ".join(asked))) <= figures
    given = set(re.findall(r'(\w+)="', text))  # labels; the board also names them in its legends
    named = re.findall(r"by \((\w+)\)", " ".join(asked)) + re.findall(r"\{\{(\w+)\}\}", json.dumps(board))
    assert "status" in named and set(named) <= given
    chosen = re.findall(r'arena_\w+\{\w+="\w+"\}', " ".join(asked))
    assert chosen and all(f"{one} " in text for one in chosen)
    assert 'arena_answers_total{status="5xx"} 0' in text and 'arena_answers_total{status="2xx"} 1' in text
    for name in ("newest_match", "oldest_submission", "newest_backup"):
        assert f"arena_{name}_age_seconds" in figures and ready[f"{name}_age_seconds"] >= 0, name
    assert ready["disk_free_bytes"] > 0 and ready["seasons_due"] == ready["seasons_playing"] == 0


def test_the_runbook_says_of_each_alert_what_to_do() -> None:
    page = (DEPLOY.parent / "docs" / "guides" / "runbook.md").read_text()
    named = re.findall(r"^### (Arena\w+)$", page, re.MULTILINE)
    assert named == [rule["alert"] for rule in alerts()]
    for rule in alerts():
        assert rule["annotations"]["summary"] and rule["expr"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_raises_every_alert_and_finds_no_fault_in_what_the_board_asks(tmp_path: Path) -> None:
    rules = [{"record": f"asked:{number}", "expr": one} for number, one in enumerate(board_asks())]
    (tmp_path / "board").write_text(yaml.safe_dump({"groups": [{"name": "board", "rules": rules}]}))
    raised = Path(__file__).parent / "data" / "alerts_test.yml"  # each alert, then a service that is well
    assert all(raised.read_text().count(f"alertname: {rule['alert']}, ") == 2 for rule in alerts())
    for words in (["check", "rules", DEPLOY / "alerts.yml", tmp_path / "board"], ["test", "rules", raised]):
        subprocess.run(["promtool", *map(str, words)], check=True)
