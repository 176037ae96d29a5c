"""The notebooks run from their first cell to their last: here with the Ray and the fork servers of the other tests,
and as a soak test each in a kernel of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"
EXECUTE = """
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(book, timeout=1200, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(book, sys.argv[3])
"""


@pytest.mark.parametrize("name", ["first_bot", "reading_a_league"])
def test_the_cells_of_a_notebook_run_in_their_order(
    name: str, ray_head: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a notebook makes a folder there, and goes to it
    book, space = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")), dict[str, object]()
    for at, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}, cell {at}", "exec"), space)
    assert "run" in space  # of a league


@pytest.mark.soak
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_end(path: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-c", EXECUTE, str(path), str(NOTEBOOKS), str(tmp_path / path.name)]
    with tempfile.TemporaryDirectory() as short:  # Ray's sockets need a short name
        environment = os.environ | {"IPYTHONDIR": str(tmp_path), "TMPDIR": short}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
