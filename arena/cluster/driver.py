"""Hand out matches: a bounded number in flight on every node.

Results are taken as they come. Nothing is stored here.

A match is played again only if its worker was lost or its host failed (`HostError`), never for anything that
a bot has done: the deals are the same, and who knows them wins. Each repetition is in the result with its
cause. It is played on another node if there is one, after a while. A try counts against the match only if
the node can still give its proof; a match that fails so `TRIES` times is set aside, and the others go on.

A share of the matches is played a second time on another node. If the games differ, this is told and noted
at the match, and the games of the first node are kept: a bot may be not repeatable, or play by what it sees
of its machine, or one of the nodes is wrong. A person finds out which.

An answer can be lost on its way, and Ray says nothing of that. So a node that has given no result for a while
is asked whether it plays anything. If it does not, or gives no answer, what it has is played again; an answer
that comes late is dropped. A node that goes on giving results is asked for a late match that others which
were sent after it have overtaken.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from ..errors import RunError
from ..intake.source import unpacked_bytes
from ..jail.outcomes import COPIED_MIB
from ..match.played import PlayedMatch, Recheck
from ..match.setup import MatchSetup
from ..printable import Say, quiet
from .calls import Calls
from .local import ENDED
from .nodes import IN_FLIGHT, Node, Nodes
from .proof import Needs
from .relay import NODE_GONE, Failure

TRIES = 3  # of a match, on nodes that are good
IN_A_ROW = 5  # so many matches that are set aside, and none played between them, end a run
BACK_OFF_S = 0.5  # before the second try; twice that before the third
NO_NODES_S = 60.0  # without any node, after which a run ends
SILENT_S, ANSWER_S, SLOW, ROUND_S = 60.0, 120.0, 3, 1.0
"""How long a node without a result is waited for.

After SILENT_S, and SLOW times the median of the last matches, it is asked whether it plays, and again every
SILENT_S. After ANSWER_S without an answer, as its machine may be busy, it counts as gone. After SLOW times
the worst that its limits allow, a match is called off whatever its node answers. ROUND_S is from one look to
the next.
"""
WAIT_S = 0.25  # at most, before the driver looks round
SHORT_S = 0.01  # that, while workers could be given more
ANSWER_LOST = Failure("its result did not come, and its node does not play it", lost=True)
PACE_S = (
    0.02  # from one look to the next while every worker has a match waiting: what comes is taken together
)

START_S = 120.0  # until a worker has started, and a game is compiled
WORKER_MIB = 512  # of memory for a worker and its fork server
FILES_STEP = 16 << 20  # bytes in which memory for files is reserved


class MatchFailed(RunError):
    """Matches that could not be played; `host` says that a host could not separate bots."""

    def __init__(self, text: str, host: bool) -> None:
        super().__init__(text)
        self.host = host


@dataclass(eq=False)
class _Pending:
    """A match that is to be played: how often it was called off, and where."""

    setup: MatchSetup
    needs: Needs
    again: bool  # whether it is played on a second node too, to compare them
    tries: int = 0  # that count: the node was good afterwards
    causes: list[str] = field(default_factory=list)
    failed_on: list[str] = field(default_factory=list)
    blamed: Node | None = None  # the node of the last try, until it is known whether it is good
    ready_at: float = 0.0
    # of a match that is played again, to compare: its node and result
    first: tuple[Node, PlayedMatch] | None = None
    on: Node | None = None  # the node that it is played on again
    sent: float = 0.0
    waited_for: bool = False
    asked: float = 0.0  # when its node was asked last whether it plays this match


class Cluster:
    """A cluster that is ready; see `start.cluster`.

    Args:
        own: whether it is this machine alone, with a Ray that this process has started.
        ended: whether that Ray is no more there; given whether it is about to be asked for its nodes.

    Attributes:
        repeated: matches that were called off and played again so far.
    """

    def __init__(
        self,
        calls: Calls,
        most: int | None = None,
        say: Say = quiet,
        own: bool = False,
        ended: Callable[[bool], bool] = lambda asked: False,
    ) -> None:
        self.own, self._ended = own, ended
        self.calls, self.nodes = calls, Nodes(calls, most, say)
        self.repeated = 0
        # by hash: one copy of a bot's files in the object store, and how many bytes they are unpacked
        self._packed: dict[str, tuple[Any, int]] = {}
        self._running: dict[Any, tuple[_Pending, Node]] = {}
        self._waiting: list[_Pending] = []
        self._aside: list[MatchFailed] = []
        self._in_a_row = 0
        self._starved = False  # there is room, and a match is being made ready
        self._collected = 0.0  # when
        # nodes that are to tell whether they play (this match), and since when
        self._asked: dict[Any, tuple[Node, float, _Pending | None]] = {}
        self._lasted_s: deque[float] = deque(maxlen=256)  # the last matches
        self._next_round = 0.0
        self.nodes.look()

    @property
    def workers(self) -> int:
        """Matches that can be played at a time."""
        return self.nodes.workers

    def play(
        self, setups: Iterable[MatchSetup | None], load: Callable[[str], bytes], recheck: float = 0.0
    ) -> Iterator[PlayedMatch]:
        """Play matches; yields each as it ends, in no particular order.

        Args:
            recheck: share of the matches that are played on a second node too.

        Raises:
            MatchFailed: after all others, if matches were set aside; or nobody can play, or Ray is gone.
        """
        self._running, self._waiting, self._aside, self._in_a_row = {}, [], [], 0
        todo, more = iter(setups), True
        while more or self._waiting or self._running:
            if self._ended(self.nodes.due):
                raise MatchFailed(ENDED, False)
            self.nodes.look()
            yield from self._call_off_what_is_lost()
            yield from self._recall()
            if more:
                more = self._fill(todo, load, recheck)
            else:
                self._send_waiting(load)
            yield from self._collect()
            self._end_if_hopeless()
        if self._aside:
            texts = "; ".join(str(one) for one in self._aside[:3])
            rest = f" (and {len(self._aside) - 3} more)" if len(self._aside) > 3 else ""
            raise MatchFailed(f"{texts}{rest}", self._aside[0].host)

    # --- handing out --------------------------------------------------------------------------------------

    def _fill(self, todo: Iterator[MatchSetup | None], load: Callable[[str], bytes], recheck: float) -> bool:
        """Send out as much as there is room for; False if no more matches come."""
        self._starved = False
        while self._send_waiting(load):
            try:
                setup = next(todo)
            except StopIteration:
                return False
            if setup is None:
                self._starved = True
                return True
            self._waiting.append(_Pending(setup, Needs.of(setup), chosen(setup.number, recheck)))
        return True

    def _send_waiting(self, load: Callable[[str], bytes]) -> bool:
        """Send out what waits; whether there may be room for more."""
        now, room = time.monotonic(), True
        for match in list(self._waiting):
            if self._judge_node(match) and match.ready_at <= now and not self._send(match, load):
                room = False
        return room

    def _send(self, match: _Pending, load: Callable[[str], bytes]) -> bool:
        """Send out a match; False if there is no room for it now."""
        for _, digest in match.setup.bots:
            if digest not in self._packed:
                files = load(digest)
                self._packed[digest] = self.calls.put(files), unpacked_bytes(files)
        bots = [self._packed[digest] for _, digest in match.setup.bots]
        memory = memory_of(match.setup, sum(size for _, size in bots))
        node = match.on or self.nodes.free(match.needs, memory, match.failed_on)
        if node is None:
            self.nodes.ask_for_proofs(match.needs)
            return False
        if match.setup.strangers:
            self.nodes.warn_of_memory(node, memory)
        memory = min(memory, node.alive.memory)
        reference = self.calls.play(node.alive, memory, match.setup, [packed for packed, _ in bots])
        self._running[reference] = match, node
        match.sent = time.monotonic()
        node.running += 1
        self._waiting.remove(match)
        return True

    def _judge_node(self, match: _Pending) -> bool:
        """Whether a match may be sent out: of one that failed, it must be known whether its node is good."""
        node = match.blamed
        if node is None:
            return True
        if self.nodes.holds(node):
            if match.needs not in node.verdicts:
                self.nodes.ask_for_proofs(match.needs)
                return False
            if node.verdicts[match.needs] == "":
                match.tries += 1
        match.blamed = None
        if match.tries >= TRIES:
            self._set_aside(match, f"failed {TRIES} times, on good nodes: {match.causes[-1]}", True)
            return False
        return True

    def _recall(self) -> Iterator[PlayedMatch]:
        """Give up what is on nodes that have left: the cluster may take long to say that it is lost."""
        while self.nodes.gone:
            yield from self._call_off(self.nodes.gone.pop(), NODE_GONE)

    def _call_off(self, node: Node, why: Failure) -> Iterator[PlayedMatch]:
        """Give up all that a node has."""
        self.calls.forget(node.alive)
        for reference in [one for one, (_, at) in self._running.items() if at is node]:
            match, _ = self._running.pop(reference)
            node.running -= 1
            yield from self._failed(match, node, why)

    # --- waiting ------------------------------------------------------------------------------------------

    def _call_off_what_is_lost(self) -> Iterator[PlayedMatch]:
        """Ask silent nodes whether they play; give up what they do not, and what lasts far too long."""
        now = time.monotonic()
        if now < self._next_round:
            return
        self._next_round = now + ROUND_S
        for reference, (match, node) in list(self._running.items()):
            if now - match.sent > SLOW * IN_FLIGHT * worst_s(match.setup):
                del self._running[reference]
                node.running -= 1
                hung = Failure(f"gave no result in {now - match.sent:.0f} s", lost=True)
                yield from self._failed(match, node, hung)
        late = self._late()
        for reference, (node, when, _) in list(self._asked.items()):
            if now - when > ANSWER_S:
                del self._asked[reference]
                if node in late:
                    self.nodes.leave(node)
        asked = {node for node, *_ in self._asked.values()}
        for node, match in late.items():
            if node not in asked and now - node.asked > SILENT_S:
                node.asked = now
                self._ask(node, match, None)
        for match, node in list(self._running.values()):
            lasts_s = now - max(match.sent, match.asked)
            if match.sent < node.past and lasts_s > SILENT_S + self._usual_s() and node not in late:
                match.asked = now
                self._ask(node, match, match)

    def _ask(self, node: Node, late: _Pending, about: _Pending | None) -> None:
        """Ask a node whether it plays a match, or any (None); say of the late one that it is waited for."""
        number, now = about.setup.number if about else None, time.monotonic()
        self._asked[self.calls.ask(node.alive, number)] = node, now, about
        if not late.waited_for:
            late.waited_for = True
            since = f"for {now - late.sent:.0f} s, and asks it whether it plays"
            self.nodes.say(f"waits for match {late.setup.number} on node {node.name} {since}")

    def _usual_s(self) -> float:
        """Return within how long a match is not late."""
        return SLOW * statistics.median(self._lasted_s) if self._lasted_s else float("inf")

    def _late(self) -> dict[Node, _Pending]:
        """Return the nodes that have given nothing for too long, with what they have had longest."""
        now, oldest = time.monotonic(), dict[Node, _Pending]()
        for match, node in self._running.values():  # in the order of sending
            oldest.setdefault(node, match)
        usual_s = self._usual_s()
        return {
            node: match
            for node, match in oldest.items()
            if now - max(node.heard, match.sent) > SILENT_S
            and now - match.sent > min(usual_s, IN_FLIGHT * worst_s(match.setup))
        }

    def _told(self, reference: Any, plays: Any) -> Iterator[PlayedMatch]:
        """Handle what a node tells: whether it plays a match, or any."""
        node, _, about = self._asked.pop(reference)
        if isinstance(plays, Failure):
            if plays.gone:
                self.nodes.leave(node)
        elif about is not None:
            for one in [one for one, (match, _) in self._running.items() if match is about and not plays]:
                del self._running[one]  # no result has come meanwhile
                node.running -= 1
                yield from self._failed(about, node, ANSWER_LOST)
        elif not plays and node in self._late():
            yield from self._call_off(node, ANSWER_LOST)

    # --- collecting ---------------------------------------------------------------------------------------

    def _collect(self) -> Iterator[PlayedMatch]:
        """Take all that is ready."""
        if not self._running and not self.nodes.proving:
            time.sleep(SHORT_S)  # a match is being made ready, or a match waits for its next try
            return
        if not self._starved and not self.nodes.capped:
            time.sleep(max(0.0, self._collected + PACE_S - time.monotonic()))
        came = self.calls.collect(SHORT_S if self._starved else WAIT_S)
        self._collected = time.monotonic()
        for reference, value in came:
            if reference not in self._running:
                self.nodes.proved(reference, value)
                continue
            match, node = self._running.pop(reference)
            node.running, node.heard = node.running - 1, self._collected
            node.past = max(node.past, match.sent)
            self._lasted_s.append(self._collected - match.sent)
            if isinstance(value, Failure):
                yield from self._failed(match, node, value)
            else:
                self._in_a_row = 0
                yield from self._played(match, node, value)
        for reference, value in came:
            if reference in self._asked:
                yield from self._told(reference, value)

    def _failed(self, match: _Pending, node: Node, failure: Failure) -> Iterator[PlayedMatch]:
        """Handle a match that gave no result."""
        if failure.gone:
            self.nodes.leave(node)
        if match.first is not None:  # only the comparison is lost
            yield self._result(match, *match.first)
            return
        if not failure.host and not failure.lost:
            self._set_aside(match, f"could not be played: {failure.text}", False)
            return
        self.repeated += 1
        match.causes.append(failure.text)
        match.failed_on.append(node.alive.id)
        match.blamed, match.ready_at = node, time.monotonic() + BACK_OFF_S * 2 ** (len(match.causes) - 1)
        self.nodes.doubt(node, match.needs)
        self._waiting.append(match)
        if failure.memory:
            self.nodes.say(f"match {match.setup.number} waits for another try: {failure.text}")

    def _set_aside(self, match: _Pending, why: str, host: bool) -> None:
        if match in self._waiting:
            self._waiting.remove(match)
        names = ", ".join(dict.fromkeys(name for name, _ in match.setup.bots))
        self._aside.append(MatchFailed(f"match {match.setup.number} ({names}) {why}", host))
        self._in_a_row += 1

    def _end_if_hopeless(self) -> None:
        if self._in_a_row >= IN_A_ROW:
            raise MatchFailed(f"{self._in_a_row} matches in a row cannot be played: {self._aside[-1]}", True)
        for match in self._waiting:
            if told := self.nodes.nobody(match.needs):
                raise MatchFailed(f"no node can play: {told}", True)
        if self.nodes.silence_s > NO_NODES_S:
            raise MatchFailed(f"the cluster has had no node for {NO_NODES_S:.0f} s", False)

    # --- comparing ----------------------------------------------------------------------------------------

    def _played(self, match: _Pending, node: Node, result: PlayedMatch) -> Iterator[PlayedMatch]:
        """Handle the result of a match: pass it on, unless it is to be compared."""
        if match.first is not None:
            yield self._compared(match, *match.first, node, result)
            return
        others = [other for other in self.nodes.good(match.needs) if other is not node] if match.again else []
        if others:
            match.first, match.on = (node, result), min(others, key=lambda other: other.running)
            self._waiting.insert(0, match)
        else:
            yield self._result(match, node, result)

    def _compared(
        self, match: _Pending, first: Node, kept: PlayedMatch, second: Node, again: PlayedMatch
    ) -> PlayedMatch:
        """Return the first result of a match that was played again, and whether the second is the same."""
        found = Recheck(first.name, second.name, kept.games_digest() == again.games_digest())
        if not found.same:
            self.nodes.say(f"match {match.setup.number} had {found}")
        return replace(self._result(match, first, kept), recheck=found)

    def _result(self, match: _Pending, node: Node, result: PlayedMatch) -> PlayedMatch:
        return replace(result, repeated=match.causes, host=result.host | {"node": node.name})


def chosen(number: int, share: float) -> bool:
    """Whether a match is among those that are played twice: the same ones whoever plays."""
    drawn = int.from_bytes(blake2b(str(number).encode(), digest_size=8).digest(), "big")
    return drawn < share * 2**64


def memory_of(setup: MatchSetup, files: int = 0) -> int:
    """Bytes that a match may use: its bots and the kernel for them, the worker and its fork server.

    Args:
        files: bytes of its bots' files, all places together: the worker has them, and the bots' processes.
    """
    place = COPIED_MIB + setup.limits.memory_mib + setup.limits.kernel_mib
    pieces = -(-2 * files // FILES_STEP)  # few different amounts, since Ray keeps something for each
    return ((WORKER_MIB + len(setup.bot_seeds) * place) << 20) + pieces * FILES_STEP


def worst_s(setup: MatchSetup) -> float:
    """Return the seconds after which a match has ended whatever its bots do, on a machine of its own."""
    return START_S + len(setup.bot_seeds) * setup.limits.for_match(len(setup.seeds)).worst_wall_s()
