"""A course's own package `bots` (or `engines`, `leagues`) never takes the place of the project's in silence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["bots", "engines", "leagues"])
def test_a_package_of_somebody_else_with_our_name_is_refused_with_both_places(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=path, capture_output=True, text=True, check=False
        )

    told = (
        f"Python finds the package {name!r} in {tmp_path / name}, but that of card-arena is {ROOT / name}: "
    )
    script = tmp_path / "arena"
    script.write_text("from arena.__main__ import main\nmain()\n")
    for program in (ran("-m", "arena", "games"), ran("-P", str(script), "games")):
        assert program.returncode == 1 and program.stderr.startswith(f"arena: {told}"), program.stderr
        assert len(program.stderr.splitlines()) == 1
    assert ran("-c", "import arena").stderr.splitlines()[-1].startswith(f"ImportError: {told}")
