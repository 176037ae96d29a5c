"""Other work than matches for the workers of a cluster: a function of the project, where a CPU is free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import NodeGone, RunError, Terminated
from .relay import TASK, failure_of

LOOK_S = 0.5  # between two looks whether nobody waits any more


def run_elsewhere(function: Callable[..., Any], *given: Any, over: Callable[[], bool]) -> Any:
    """Run a function in a worker of the cluster that this process is connected to, and wait for it.

    Any thread may wait here, also while the driver hands out matches: Ray gives the CPU to either in turn.

    Args:
        function: of a module of the project.
        given: what it gets; like its result, it must be picklable.
        over: whether nobody waits any more. Then the work goes on, and its result is forgotten.

    Raises:
        Terminated: it is over.
        NodeGone: its node has left.
        RunError: the worker was lost, or the function raised something; says what.
    """
    import ray

    reference = ray.remote(_begun).options(**TASK).remote(function, *given)
    while not ray.wait([reference], timeout=LOOK_S)[0]:
        if over():
            raise Terminated
    try:
        return ray.get(reference)
    except Exception as error:  # what Ray raises has no type of its own
        failure = failure_of(error)
        raise (NodeGone if failure.gone else RunError)(failure.text) from None


def _begun(function: Callable[..., Any], *given: Any) -> Any:
    """Run a function in a worker that may have done nothing yet."""
    from .worker import begin

    begin()
    return function(*given)
