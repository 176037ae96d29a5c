"""Draw the rating table as one picture, SVG or PNG, for a README.

It shows Elo and points with their intervals. It is drawn by matplotlib (the extra `charts`).
"""

from __future__ import annotations

from pathlib import Path

from leagues.ratings.table import RatingTable, Row, label

from ..errors import UsageError, needs_extra

KINDS = (".svg", ".png")
DOT, BAR = "#123e73", "#9dbfe3"


def check_path(path: Path) -> None:
    """Make sure that a chart can be written there.

    Raises:
        UsageError: another ending, or no such folder.
    """
    if path.suffix.lower() not in KINDS:
        raise UsageError(f"--out {path}: a chart is a file that ends in {' or '.join(KINDS)}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}")


def draw(table: RatingTable, title: str, path: Path) -> None:
    """Draw a table into a file; its ending says what kind.

    Raises:
        UsageError: another ending, nobody to draw, matplotlib is not installed, the file cannot be written.
    """
    check_path(path)
    if not table.rows:
        raise UsageError(f"{title}: no rated games yet, nothing to draw")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(needs_extra("a chart", "charts")) from None
    figure = Figure(figsize=(9, 1.1 + 0.32 * len(table.rows)), layout="constrained", facecolor="white")
    figure.suptitle(title, fontsize=12, parse_math=False)
    left, right = figure.subplots(1, 2, sharey=True)
    rows = table.rows
    elo = [(row.elo, row.elo_low, row.elo_high) for row in rows]
    points = [(row.score, row.score_low, row.score_high) for row in rows]
    for axes, values, name in ((left, elo, "Elo"), (right, points, "points per game")):
        for y, (middle, low, high) in enumerate(values):
            if low is not None and high is not None:
                axes.plot([low, high], [y, y], color=BAR, linewidth=7, solid_capstyle="round")
            if middle is not None:
                axes.plot(middle, y, "o", color=DOT, markersize=6)
        axes.set_xlabel(f"{name} (bars: 95 %)")
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.tick_params(axis="y", length=0)
    left.set_yticks(range(len(rows)), [_name(row) for row in rows], parse_math=False)
    left.set_ylim(len(rows) - 0.4, -0.6)
    try:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def _name(row: Row) -> str:
    return f"{row.rank}. {label(row)}" if row.rank else row.bot
