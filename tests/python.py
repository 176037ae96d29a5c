"""A Python program of its own, which is run to its end."""

import subprocess
import sys
from typing import Any


def python(*words: str, check: bool = False, **given: Any) -> subprocess.CompletedProcess[str]:
    """What became of a Python program, and what it printed; `given` is for `subprocess.run`."""
    usual: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 900}
    return subprocess.run([sys.executable, *words], check=check, **usual | given)
