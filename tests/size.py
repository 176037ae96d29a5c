"""The size of the project, beside the limits that it keeps: `python -m tests.size`.

It counts what git tracks. The exit code is 1 if a limit is passed. CONTRIBUTING names the figures.
"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.test_architecture import PAGE, ROOT

PRODUCT = ("arena", "engines", "leagues", "bots", "benchmarks")


@dataclass(frozen=True)
class Figure:
    """One figure: what is counted, how much there is, the most that there may be, and where it is found."""

    name: str
    value: int
    limit: int
    details: str = ""


def tracked(*places: str) -> list[Path]:
    """The files that git tracks in these folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *places], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def lines(paths: list[Path], *endings: str) -> int:
    """How many lines the files with these endings have."""
    return sum(path.read_bytes().count(b"\n") for path in paths if path.suffix in endings)


def modules() -> dict[str, Path]:
    """The product's modules by name."""
    found = {}
    for path in tracked(*PRODUCT):
        if path.suffix == ".py":
            name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            found[name.removesuffix(".__init__")] = path
    return found


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules that a module imports anywhere: at its top, in functions, for types."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            found |= {both if (both := f"{base}.{alias.name}") in known else base for alias in node.names}
    return (found & known.keys()) - {name}


def circles() -> list[set[str]]:
    """Groups of modules that import each other in a circle."""
    known = modules()
    arrows = {name: imported(name, path, known) for name, path in known.items()}
    reached = {name: _reached(name, arrows) for name in arrows}
    found: list[set[str]] = []
    for name in arrows:
        circle = {other for other in reached[name] if name in reached[other]}
        if circle and circle not in found:
            found.append(circle)
    return found


def _reached(start: str, arrows: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(arrows[start])
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += arrows[name]
    return found


def classes() -> Iterator[ast.ClassDef]:
    """The classes of the product."""
    for path in modules().values():
        yield from (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ClassDef))


def classes_twice() -> list[str]:
    """Class names that stand at two places."""
    return sorted(name for name, times in Counter(node.name for node in classes()).items() if times > 1)


def public_methods() -> tuple[int, str]:
    """The largest number of public methods that a class has, with those that it inherits, and its name."""
    own, bases = dict[str, int](), dict[str, list[str]]()
    for node in classes():
        functions = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
        own[node.name] = sum(not function.name.startswith("_") for function in functions)
        bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]

    def count(name: str) -> int:
        return own[name] + sum(count(base) for base in bases[name] if base in own)

    return max((count(name), name) for name in own)


def commands() -> tuple[int, int]:
    """How many commands there are, and options of all of them in the help, but `--help`."""
    import typer

    from arena.__main__ import app

    def leaves(command: object) -> Iterator[object]:
        if inner := getattr(command, "commands", None):
            for one in inner.values():
                yield from leaves(one)
        else:
            yield command

    found = list(leaves(typer.main.get_command(app)))
    options = [
        option
        for command in found
        for option in getattr(command, "params")  # noqa: B009
        if option.param_type_name == "option" and not option.hidden
    ]
    return len(found), len(options)


def shapes(thing: str) -> int:
    """How many shapes of a thing the architecture page names: in the tables' second column."""
    section = PAGE.read_text(encoding="utf-8").partition(f"### Shapes of a {thing}\n")[2].partition("\n#")[0]
    return sum(row.split("|")[2].count("`") // 2 for row in re.findall(r"^\|.*", section, re.MULTILINE))


def figures() -> list[Figure]:
    """Count all."""
    product, tests, pages = tracked(*PRODUCT), tracked("tests"), tracked("docs")
    loose = [
        path.stem for path in tracked("arena/*.py") if path.parent.name == "arena" and path.stem[0] != "_"
    ]
    most, largest = public_methods()
    n_commands, n_options = commands()
    twice, round_trips = classes_twice(), circles()
    return [
        Figure("lines of the product", lines(product, ".py", ".js", ".css"), 67_160),
        Figure("lines of the engines", lines(tracked("engines"), ".py"), 22_947),
        Figure("lines of the tests", lines(tests, ".py"), 34_971),
        Figure("lines of the tests' data", lines(tests, ".txt", ".c", ".json", ".toml", ".jsonl"), 1_800),
        Figure("lines of the pages", lines(pages, ".md"), 4_914),
        Figure("lines of the changelog", lines([ROOT / "CHANGELOG.md"], ".md"), 60),
        Figure("commands", n_commands, 46),
        Figure("options of commands", n_options, 250),
        Figure("public methods of the largest class", most, 30, largest),
        Figure("class names that stand twice", len(twice), 0, ", ".join(twice)),
        Figure(
            "circles of imports",
            len(round_trips),
            0,
            "; ".join(", ".join(sorted(one)) for one in round_trips),
        ),
        Figure("shapes of a match", shapes("match"), 8),
        Figure("shapes of a bot", shapes("bot"), 11),
        Figure("shapes of a played game", shapes("played game"), 5),
        Figure("modules loose in arena/", len(loose), 6, ", ".join(sorted(loose))),
    ]


if __name__ == "__main__":
    found = figures()
    for figure in found:
        mark = "" if figure.value <= figure.limit else "  TOO MUCH"
        print(
            f"{figure.name:36} {figure.value:7,}  at most {figure.limit:6,}{mark}  {figure.details}".rstrip()
        )
    sys.exit(any(figure.value > figure.limit for figure in found))
