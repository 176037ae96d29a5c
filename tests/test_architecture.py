"""The picture of who imports whom in docs/explanation/architecture.md is what the code does, and imports point one
way."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
OURS = ("arena", "bots", "engines", "leagues")
HEAVY = ("ray", "sqlmodel", "sqlalchemy", "typer", "rich", "arena", "leagues")


def group(module: str) -> str:
    """The box of the picture that a module is in: its package; for `arena` the folder or module below it."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "arena" and len(parts) > 1 else parts[0]


def imports(path: Path) -> Iterator[str]:
    """Modules of ours that a file imports, also inside functions and for types only."""
    package = path.relative_to(ROOT).parent.as_posix().split("/")
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield f"{base}.{alias.name}" if base == "arena" else base


@cache
def drawn_from_code() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(path for name in OURS for path in (ROOT / name).rglob("*.py")):
        module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        mine = found.setdefault(group(module), set())
        mine |= {group(name) for name in imports(path) if name.split(".")[0] in OURS} - {group(module)}
    return found


def drawn_in_page() -> dict[str, set[str]]:
    arrows = re.findall(r"^    ([\w.]+) +->(.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {one: set(others.replace(",", " ").split()) for one, others in arrows}


def picture() -> str:
    """The picture as text: who imports most stands highest."""
    arrows = drawn_from_code()

    def height(one: str) -> int:
        return 1 + max((height(other) for other in arrows[one]), default=0)

    width = max(map(len, arrows))
    order = sorted(arrows, key=lambda one: (-height(one), one))
    return (
        "\n".join(f"    {one.ljust(width)} -> {', '.join(sorted(arrows[one]))}".rstrip() for one in order)
        + "\n"
    )


def test_the_picture_shows_exactly_the_imports_of_the_code() -> None:
    assert drawn_in_page() == drawn_from_code(), (
        "if these imports are wanted, `make docs` draws the picture anew"
    )


def test_imports_point_one_way() -> None:
    arrows, below = drawn_from_code(), dict[str, set[str]]()

    def reached(one: str, trail: tuple[str, ...]) -> set[str]:
        assert one not in trail, f"imports in a circle: {' -> '.join([*trail, one])}"
        if one not in below:
            below[one] = arrows[one].union(*(reached(other, (*trail, one)) for other in arrows[one]))
        return below[one]

    for one in arrows:
        reached(one, ())
    assert below["engines"] == set() and below["leagues"] == {"engines"} and below["bots"] <= {"engines"}


def test_every_file_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:arena|engines|leagues|bots)/[\w./<>]*)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 15
    for name in named:
        assert (ROOT / name.replace("<game>", "flip7")).exists(), name


@pytest.mark.parametrize("folder", [*OURS, "tests"])
def test_every_file_says_at_its_top_what_it_is_for(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not text or ast.get_docstring(ast.parse(text)), path


def test_styles_and_scripts_can_be_read_and_compared_line_by_line() -> None:
    """No line has more than 300 characters."""
    lines = [
        line for path in ROOT.glob("arena/web/assets/*.*s*") for line in path.read_text("utf-8").splitlines()
    ]
    assert len(lines) > 2000 and max(map(len, lines)) <= 300


def test_the_engines_load_nothing_of_the_harness() -> None:
    code = f"import sys, engines; engines.load('flip7'); print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page[: page.index("\n    arena")] + "\n" + picture(), encoding="utf-8")
