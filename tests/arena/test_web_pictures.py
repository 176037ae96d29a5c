# ruff: noqa: F401, F811
"""What the pictures in the docs show is what a table looks like: a layout cannot break unseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from tests.arena.pictures import FOLDER, shots
from tests.arena.test_web import browser
from tests.arena.test_web_table import SCREENS

pytestmark = pytest.mark.xdist_group("web")  # one browser
BLOCK = 10  # pixels; letters may differ by a font, what is in a block on the whole may not
FAR = 40  # of 255
SHARE = 0.02  # of blocks that may be far


def coarse(picture: Any) -> Any:
    """Mean colours of blocks."""
    size = picture.width // BLOCK, picture.height // BLOCK
    return np.asarray(picture.resize(size, 4), np.int64)  # 4: the mean over a box


def far(one: Any, other: Any) -> float:
    """Return the share of blocks whose colours are far apart."""
    return float((np.abs(coarse(one) - coarse(other)).max(axis=2) > FAR).mean())


def test_tables_look_as_in_the_docs(browser: Any, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    seen = {name: far(shot, image.open(FOLDER / f"{name}.webp").convert("RGB"))
            for name, shot in shots(browser, tmp_path, engines.names())}  # fmt: skip
    assert len(seen) == len(SCREENS) * len(engines.names())
    assert {name: share for name, share in seen.items() if share > SHARE} == {}


def test_a_table_that_moved_by_some_pixels_is_seen() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    for path in sorted(FOLDER.glob("*.webp")):
        picture = image.open(path).convert("RGB")
        moved = image.new("RGB", picture.size)
        moved.paste(picture, (0, 14))
        assert far(picture, picture) == 0 and far(picture, moved) > 2 * SHARE, path.name
