"""The notebooks run from their first cell to their last, each in a kernel of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[1] / "examples" / "notebooks"
EXECUTE = """
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(book, timeout=1200, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(book, sys.argv[3])
"""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.soak] if path.stem == "train_a_network" else [], id=path.stem)
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
    ],
)
def test_a_notebook_runs_to_its_end(path: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-c", EXECUTE, str(path), str(NOTEBOOKS), str(tmp_path / path.name)]
    with tempfile.TemporaryDirectory() as short:  # Ray's sockets need a short name
        environment = os.environ | {"IPYTHONDIR": str(tmp_path), "TMPDIR": short}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
