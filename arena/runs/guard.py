"""Whether a stored run may go on, or be replayed: nobody else plays it, and the code is what it was."""

from __future__ import annotations

from ..errors import RunError, RunTaken
from ..match import identity
from ..store import Store
from ..store.models import LeagueRun
from ..version import __version__

NOT_REPLAYED = ("arena/", "bots/")  # all else may change a replay: rules, also of packages, and schedules


def check_free(store: Store, run: LeagueRun) -> None:
    """Make sure that nobody plays a run. Raises RunTaken: says who does."""
    player = store.leases.player(run)
    if player:
        raise RunTaken(run.label, player)


def check_code(store: Store, run: LeagueRun) -> None:
    """Make sure that a run would be played as it was begun.

    Raises:
        RunError: names what changed and what to do.
    """
    reason = why_not(store, run)
    if reason:
        end = f", or end it: arena league abort {run.label}" if run.state == "playing" else ""
        raise RunError(f"{run.label} cannot go on: {reason}; go on where it was begun{end}")


def why_not(store: Store, run: LeagueRun, replayed: bool = False) -> str:
    """Why a run would not be played as it was begun; "" if it would.

    Args:
        replayed: ask only for files that matter when stored actions are replayed.
    """
    for stage in store.runs.stages(run):
        changed = identity.changes(stage.code)
        if replayed:
            changed = [path for path in changed if not path.startswith(NOT_REPLAYED)]
        if changed:
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            return f"{', '.join(changed[:3])}{more} changed since it was begun"
    return ""


def check_rules(store: Store, run: LeagueRun) -> None:
    """Make sure that stored games can be replayed. Raises RunError: names what changed."""
    reason = why_not(store, run, replayed=True)
    if reason:
        raise RunError(f"{run.label} cannot be replayed: {reason}; {_way_back(store, run)}")


def _way_back(store: Store, run: LeagueRun) -> str:
    """Return what installs the version of a run beside this one, from its checkout, and verifies there."""
    code = store.runs.stages(run)[0].code
    version, commit = code["versions"]["card-arena"], code["versions"].get("commit")
    if version == __version__:  # a commit between two versions
        mark = identity.digest_of(code["files"])[:12]
        return f"use commit {commit}" if commit else f"use the commit of {version} whose code is {mark}"
    place = f".venv-{version}"
    return (
        f"it was played with card-arena {version}: python -m venv {place} && {place}/bin/pip install "
        f"/path/to/card-arena-{version}, then {place}/bin/arena league verify {run.label} --db {store.name}"
    )
