"""Options with which a random game of each game is soon over, as its facts say."""

from importlib import import_module
from typing import Any

import engines

SHORT: dict[str, dict[str, Any]] = {
    name: import_module(f"tests.engines.{name}.facts").SHORT for name in engines.names()
}
