"""One text that fixes a run for a paper: how to cite it, check it and play it again.

The text is a constraints file of pip, so `pip install --constraint` takes the file that is published.
Comments, `# key: value`, hold what people and programs read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from ..errors import RunError
from ..store import Store
from ..store.models import LeagueRun
from .report import RunReport, report_of

PACKAGE = "card-arena"


def citation_of(store: Store, run: LeagueRun | str) -> str:
    """Write what a paper has to publish of a run that has ended; the run may be named by its label.

    Returns:
        A constraints file of pip with comments. It holds nothing that changes when it is written again on the
        same installation.

    Raises:
        RunError: the run has not ended, so its secret and its seal are not known yet.
    """
    run = store.find_run(run)
    if run.state == "playing":
        raise RunError(f"{run.label} has not ended: cite it when it has (arena league resume {run.label})")
    report = report_of(store, run)
    try:
        pinned = constraints(report["stages"][0]["code"]["versions"])
    except metadata.PackageNotFoundError as error:
        raise RunError("card-arena is not installed in this Python: pip install the checkout") from error
    lines = [f"{key}: {value}" if key else "" for key, value in [*_facts(report), *_steps(report)]]
    return "\n".join([f"# {line}".rstrip() for line in lines] + pinned) + "\n"


def _facts(report: RunReport) -> list[tuple[str, Any]]:
    """Give what identifies a run, by key; whatever the commitment binds is a JSON value."""
    ended = report["finished"] or report["aborted"] or ""
    facts: list[tuple[str, Any]] = [
        ("cite as", f"card-arena {_played_with(report)}, run {report['label']}, seal {report['seal']}"),
        ("run", report["label"]),
        ("state", report["state"]),
        ("ended", ended),
        ("games", report["games"]),
        ("seal", report["seal"]),
        ("digest", report["digest"]),
        ("definition", _json(report["definition"])),
    ]
    for number, stage in enumerate(report["stages"]):
        bots = [
            [bot["bot"], bot["version"], bot["hash"], bot["content"]]
            for bot in report["entrants"]
            if bot["stage"] == number
        ]
        files = "\n".join(f"{path} {digest}" for path, digest in sorted(stage["code"]["files"].items()))
        facts += [
            ("", ""),
            (f"stage {number}", stage["kind"]),
            ("commitment", stage["commitment"]),
            ("secret", stage["secret"]),
            ("secret hash", stage["secret_hash"]),
            ("schedule", stage["schedule"]),
            ("code", hashlib.sha256(files.encode()).hexdigest()),
            ("versions", _json(stage["code"]["versions"])),
            ("bots", _json(bots)),
        ]
    return facts


def _steps(report: RunReport) -> list[tuple[str, Any]]:
    """Give the commands that check the run, and the one that plays it again if its seed was known."""
    definition, label = report["definition"], report["label"]
    steps = [
        ("", ""),
        ("install", "pip install --constraint THIS_FILE CHECKOUT"),
        ("check", f"arena league verify {label} --db COPY  (a copy made by `arena db backup COPY`)"),
    ]
    if definition["seed"] is not None:
        bots = ",".join(definition["entrants"])
        again = f"--bots {bots} --seed {definition['seed']} --deals {definition['deals']}"
        steps.append(("play again", f"arena league run {definition['name']} {again}"))
    return [*steps, ("", "")]


def _played_with(report: RunReport) -> str:
    """Give the version of this project under which the run was begun."""
    return str(report["stages"][0]["code"]["versions"][PACKAGE])


def _json(value: Any) -> str:
    """Write a value in one line, as the commitment does."""
    return json.dumps(value, sort_keys=True)


def constraints(versions: Mapping[str, str]) -> list[str]:
    """List this project's packages, and all that they need, as `name==version`.

    Args:
        versions: those with which the run was played; others are as installed here.
    """
    installed: dict[str, str] = {}
    waiting = [PACKAGE]
    while waiting:
        for needed in metadata.requires(waiting.pop()) or []:
            name = re.split(r"[^A-Za-z0-9._-]", needed, maxsplit=1)[0]
            if "extra ==" in needed or name.lower() in installed:
                continue
            try:
                installed[name.lower()] = f"{name}=={versions.get(name, metadata.version(name))}"
            except metadata.PackageNotFoundError:  # not for this Python or system
                continue
            waiting.append(name)
    return [installed[name] for name in sorted(installed)]
