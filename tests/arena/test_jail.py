"""The jail from the worker's side: what a bot does wrong becomes the right fault, and never harms anybody
else. What the machine makes a process wait for is no sleep of its own.
"""

import contextlib
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engines
from arena.cell import BotProcess, GameZygote
from arena.cell.frames import Decisions
from arena.errors import Terminated
from arena.jail import Fault, FaultKind, HostError, Killed, Limits, Program, facts
from arena.jail.clock import Clock
from arena.jail.zygote import Server

from .program import until

GAME = "flip7"
HEAD = f'"""A bot."""\nGAMES = ["{GAME}"]\n'
Spawn = Callable[..., BotProcess]
QUICK = Limits(cpu_ms_per_decision=1, cpu_s_bank=0.2, cpu_s_start=0.5, sleep_s_bank=0.3, memory_mib=200)


@pytest.fixture(scope="module")
def zygotes(zygote: GameZygote) -> Iterator[dict[str, GameZygote]]:
    """A zygote of each profile."""
    with GameZygote(GAME, "trusted", "threads") as threads:
        yield {"numpy": zygote, "threads": threads}


@pytest.fixture
def spawn(zygotes: dict[str, GameZygote]) -> Iterator[Spawn]:
    """A bot's process from its source text (without the head)."""
    bots: list[BotProcess] = []

    def start(text: str, limits: Limits = QUICK, seed: int = 5, head: str = HEAD) -> BotProcess:
        bots.append(zygotes[limits.profile].spawn(program(head + text, f"bot{len(bots)}"), limits, seed))
        return bots[-1]

    yield start
    for bot in bots:
        bot.close()


def program(text: str, name: str = "bot") -> Program:
    """A bot of one file."""
    return Program(name, {f"{name}.py": text.encode()})


def request(n: int = 3, games: list[int] | None = None) -> Decisions:
    """The first decision of `n` games."""
    game = engines.load(GAME)
    return Decisions.of(game, game.new(n, seed=3), games)


def burns(seconds: float) -> str:
    """A bot that computes for so long at every decision."""
    now = "time.process_time()"
    return f"import time\ndef act(view):\n    t = {now}\n    while {now} < t + {seconds}: pass\n    return 0"


def outcome(bot: BotProcess) -> Fault | None:
    """The first fault of loading and one request."""
    reply = None if bot.ready() else bot.ask(request())
    if reply is not None and reply.faults:
        return reply.faults[0]
    return bot.fault


ACT = "def act(view):\n    "
ROW_FAULTS = [  # body of act, kind, words that the text holds
    ("return 1.5", FaultKind.TYPE, "answered 1.5 (float)"),
    ("return float('nan')", FaultKind.TYPE, "answered nan"),
    ("return None", FaultKind.TYPE, "NoneType"),
    ("return True", FaultKind.TYPE, "bool"),
    ("import numpy; return numpy.bool_(True)", FaultKind.TYPE, "bool"),
    ("return [0]", FaultKind.TYPE, "list"),
    ("return view", FaultKind.TYPE, "View"),
    ("return view.legal", FaultKind.TYPE, "ndarray"),
    ("return b'0'", FaultKind.TYPE, "bytes"),
    ("return -1", FaultKind.ILLEGAL, "answered -1"),
    ("return 10**6", FaultKind.ILLEGAL, "answered 1000000"),
    ("return 10**400", FaultKind.ILLEGAL, "bits"),
    ("return view.game_rules.n_actions - 1", FaultKind.ILLEGAL, "illegal action"),
    ("return '3'", FaultKind.ILLEGAL, "has no action '3'; did you mean 'give 3'?"),
    ("return 'no such action'", FaultKind.ILLEGAL, "no action"),
    ("return {}[7]", FaultKind.EXCEPTION, "KeyError: 7"),
    ("import sys; sys.exit(3)", FaultKind.EXCEPTION, "SystemExit: 3"),
    ("raise KeyboardInterrupt", FaultKind.EXCEPTION, "KeyboardInterrupt"),
    ("return act(view)", FaultKind.EXCEPTION, "RecursionError"),
    ("return view.no_such_field", FaultKind.EXCEPTION, "has no 'no_such_field'"),
    (
        "raise type('E', (Exception,), {'__str__': lambda s: __import__('sys').exit()})",
        FaultKind.EXCEPTION,
        "E",
    ),
    ("raise ValueError('\\x1b[31m\\r\\u202e')", FaultKind.EXCEPTION, r"\x1b[31m\r\u202e"),
    ("return type('I', (), {'__index__': lambda s: 1 / 0})()", FaultKind.EXCEPTION, "ZeroDivisionError"),
    (
        "return type('I', (), {'__index__': lambda s: __import__('sys').exit()})()",
        FaultKind.EXCEPTION,
        "SystemExit",
    ),
    ("return type('I', (), {'__index__': lambda s: 'x'})()", FaultKind.TYPE, "answered an object (I)"),
    ("return type('I', (int,), {'__index__': lambda s: 0})(77)", FaultKind.ILLEGAL, "number 77"),
]


@pytest.mark.parametrize("body, kind, words", ROW_FAULTS)
def test_a_wrong_answer_costs_its_row_alone(spawn: Spawn, body: str, kind: FaultKind, words: str) -> None:
    bot = spawn(ACT + body)
    assert bot.ready() is None
    for _ in range(2):
        reply = bot.ask(request())
        assert reply.fault is None and reply.actions.tolist() == [-1, -1, -1]
        assert sorted(reply.faults) == [0, 1, 2]
        assert {fault.kind for fault in reply.faults.values()} == {kind}
        assert words in reply.faults[2].text


DEATHS = [  # source, kind, words that the text holds
    ("def act(view)\n    return 0", FaultKind.IMPORT, 'File "bot0.py", line 3'),
    ("raise RuntimeError('not today')", FaultKind.IMPORT, "raised RuntimeError: not today (bot0.py, line 3)"),
    ("act = 7", FaultKind.IMPORT, "act is an object of int, which cannot be called"),
    (
        "GAMES = ['whist']\ndef act(view): return 0",
        FaultKind.IMPORT,
        "does not play flip7: GAMES = ['whist']",
    ),
    ("GAMES = 'flip7'\ndef act(view): return 0", FaultKind.IMPORT, "add GAMES = ['flip7']"),
    ("nothing = None", FaultKind.IMPORT, "no act(view)"),
    ("import sys; sys.exit()", FaultKind.IMPORT, "SystemExit"),
    ("import os; os._exit(0)", FaultKind.CRASH, "exit code 0"),
    ("import time; time.sleep(9999)", FaultKind.WALL, "the bank is"),
    ("import numpy; numpy.zeros(1 << 30, numpy.uint8)", FaultKind.MEMORY, "Unable to allocate"),
    ("while True: pass", FaultKind.CPU, "to load the bot; the budget is 0.500 s"),
    (ACT + "while True: pass", FaultKind.CPU, "in 3 decisions; the budget is 0.703 s"),
    (ACT + "import ctypes; print('last words'); ctypes.string_at(0)", FaultKind.CRASH, "last words"),
    (ACT + "import ctypes; ctypes.string_at(0)", FaultKind.CRASH, "line 4 in act"),
]


@pytest.mark.parametrize("source, kind, words", DEATHS)
def test_an_end_is_told_with_the_last_words(spawn: Spawn, source: str, kind: FaultKind, words: str) -> None:
    bot, witness = spawn(source), spawn(ACT + "return view.legal[0]")
    fault = outcome(bot)
    assert fault is not None and (fault.kind, words in fault.text) == (kind, True), fault
    assert bot.ask(request(5)).actions.tolist() == [-1] * 5 and bot.ask(request(5)).fault == fault
    assert outcome(witness) is None


ANSWERS = [
    "return 0", "return 'ACTION'", "return view.legal[0]", "import numpy; return numpy.int64(0)",
    "import numpy; return numpy.array(0)", "return type('I', (), {'__index__': lambda s: 0})()",
    "return type('I', (int,), {})(0)",
]  # fmt: skip


@pytest.mark.parametrize("body", ANSWERS)
def test_an_answer_is_a_number_or_the_text_of_an_action(spawn: Spawn, body: str) -> None:
    bot = spawn(ACT + body.replace("ACTION", engines.load(GAME).actions()[0]))
    assert bot.ready() is None
    reply = bot.ask(request())
    assert reply.actions.tolist() == [0, 0, 0] and not reply.faults


STYLES = {
    "act": ACT + "return view.rng.choice(view.legal.tolist())",
    "class": "class Bot:\n    def __init__(self, seat, seed): self.seed = seed\n"
    "    def act(self, view):\n        self.seed = self.seed * 5 % 997\n        return "
    "view.legal[self.seed % len(view.legal)]",
    "batch": "def act_batch(views): return [view.rng.choice(view.texts) for view in views]",
}


@pytest.mark.parametrize("style", STYLES)
def test_answers_depend_on_seed_and_game_but_not_on_batches_and_order(spawn: Spawn, style: str) -> None:
    def answers(bot: BotProcess, batches: list[list[int]]) -> dict[int, list[int]]:
        got: dict[int, list[int]] = {}
        assert bot.ready() is None
        for _ in range(3):
            for batch in batches:
                reply = bot.ask(request(len(batch), batch))
                assert not reply.faults
                for game, action in zip(batch, reply.actions.tolist()):
                    got.setdefault(game, []).append(action)
        return got

    text = STYLES[style]
    first = answers(spawn(text), [list(range(12))])
    for batches in ([[i] for i in reversed(range(12))], [[3, 1, 2], [0], list(range(4, 12))]):
        assert answers(spawn(text), batches) == first
    assert first != answers(spawn(text, seed=6), [list(range(12))])
    assert len({tuple(moves) for moves in first.values()}) > 1


def test_a_request_of_many_rows_is_split(spawn: Spawn) -> None:
    bot = spawn(ACT + "return view.legal[-1] if view.state['seat'][0] == view.seat else 99")
    assert bot.ready() is None
    asked = request(3000)
    reply = bot.ask(asked)
    assert not reply.faults and reply.actions.tolist() == asked.legal[asked.offsets[1:] - 1].tolist()


def test_a_bot_may_spoil_its_own_rows_without_any_effect(spawn: Spawn) -> None:
    bot = spawn(ACT + "a = view.legal[0]; view.state.view('u1')[:] = 255; view.legal[:] = 7; return a")
    assert bot.ready() is None
    asked = request()
    before = [part.view(np.uint8).tobytes() for part in asked]
    for _ in range(2):
        assert bot.ask(asked).actions.tolist() == asked[3][asked[4][:-1]].tolist()
    assert [part.view(np.uint8).tobytes() for part in asked] == before


def test_printing_is_kept_up_to_a_limit_and_a_flood_harms_nobody(spawn: Spawn) -> None:
    bot = spawn("print('hello')\n" + ACT + "view.log('seat', view.seat); return 0")
    assert outcome(bot) is None
    assert bot.log().splitlines() == ["hello", *(f"seat {seat}" for seat in request()[2])]
    bot.close()
    assert bot.log().startswith("hello")
    text = ACT + "\n    for _ in range(20): print('x' * (1 << 20))\n    return 0"
    flood = spawn(text, Limits(cpu_s_bank=5))
    assert outcome(flood) is None
    assert 60_000 < len(flood.log()) <= 64 * 1024


def test_a_bot_may_not_make_more_threads_than_its_limit(spawn: Spawn) -> None:
    many = "[threading.Thread(target=time.sleep, args=(99,)).start() for _ in range(9)]; return 0"
    text = f"import threading, time\n{ACT}{many}"
    bot = spawn(text, Limits(threads=20, profile="threads", memory_mib=1024))
    assert bot.ready() is None and bot.ask(request(2)).fault is None
    fault = bot.ask(request(2)).fault or bot.ask(request(2)).fault
    assert fault is not None and "threads; the limit is 20" in fault.text


def test_a_process_cannot_name_itself_so_that_it_seems_to_have_taken_memory(spawn: Spawn) -> None:
    lies = "import ctypes\nctypes.CDLL(None).prctl(15, b'VmPeak: 99999 kB', 0, 0, 0)\n"
    bot = spawn(lies + ACT + "return 0")
    honest = spawn(ACT + "return 0")
    assert bot.ready() is None and honest.ready() is None
    assert abs(bot.clock.read_memory() - honest.clock.read_memory()) < 32


def test_with_namespaces_the_kernel_makes_no_more_threads_than_the_limit() -> None:
    """Its count is per user, and there every bot's process has a count of its own, root's too."""
    text = "import threading, time\nmade = []\ntry:\n    for _ in range(500):\n"
    text += "        thread = threading.Thread(target=time.sleep, args=(9,), daemon=True); thread.start(); made.append(thread)\n"
    text += "except RuntimeError: pass\nprint(len(made))\n" + ACT + "return 0"
    with GameZygote(GAME, "strict+ns", "threads", tested=False) as zygote:
        bot = zygote.spawn(program(HEAD + text), Limits(profile="threads", memory_mib=8192, threads=20), 1)
        if bot.ready() is None:
            assert bot.log() == "19\n"  # and the first one
        else:  # in a container whose users are all the host's root
            assert "threads; the limit is 20" in bot.fault.text and not _is_a_user_of_the_host()
        bot.close()


def _is_a_user_of_the_host() -> bool:
    """Whether this user's number is the same outside of all namespaces."""
    return Path("/proc/self/uid_map").read_text().split()[:2] == ["0", "0"]


def test_threads_that_wait_for_each_other_do_not_pay_for_sleep(spawn: Spawn) -> None:
    work = (
        "import hashlib, threading, time\ndone = []\ndef work():\n"
        "    hashlib.pbkdf2_hmac('sha256', b'', b'', 100_000); done.append(1); time.sleep(99)\n"
    )
    crowd = (
        "began = time.monotonic()\n    for _ in range(24): threading.Thread(target=work).start()\n"
        "    while len(done) < 24: time.sleep(0.01)\n    time.sleep(2 * (time.monotonic() - began) + 1.5); "
        "return 0"
    )
    bot = spawn(work + ACT + crowd, Limits(profile="threads", memory_mib=4096, sleep_s_bank=1, cpu_s_bank=60))
    assert bot.ready() is None
    fault = bot.ask(request(1)).fault
    assert fault is not None and fault.kind is FaultKind.WALL


def test_a_process_whose_first_thread_has_left_is_ended_at_once(spawn: Spawn) -> None:
    """The kernel says of its first thread that it is ending, and of the process that it is not gone, for as
    long as it likes.
    """
    leave = "import ctypes, os, threading, time\ndef late():\n    time.sleep(0.2); os.close(3); time.sleep(99); os._exit(7)\n"
    exit_thread = 60 if os.uname().machine == "x86_64" else 93
    body = f"threading.Thread(target=late).start(); ctypes.CDLL(None).syscall({exit_thread}, 0)"
    bot = spawn(leave + ACT + body, Limits(profile="threads", memory_mib=1024))
    assert bot.ready() is None
    fault = bot.ask(request(1)).fault
    assert fault is not None and fault.kind is FaultKind.CRASH and "SIGKILL" in fault.text


def test_cpu_time_of_many_decisions_is_averaged(spawn: Spawn) -> None:
    bot = spawn(burns(0.004))
    assert bot.ready() is None
    replies = 0
    while bot.ask(request(10)).fault is None:
        replies += 1
    # 0.7 s + 10 * n * 1 ms of budget against 10 * n * 4 ms of use, and what the questions cost beside that
    assert 10 <= replies <= 24
    assert bot.fault is not None and bot.fault.kind is FaultKind.CPU


PACKED = """import os
from .helper import pick
from packed import helper
print(open('weights.txt').read(), dict(os.environ), __name__)
def act(view): return pick(view)
"""
FILES = {
    "__init__.py": HEAD + PACKED,
    "helper.py": "def pick(view): return view.legal[0]",
    "weights.txt": "0.5",
}


def test_a_bot_has_its_own_folder_as_working_directory_and_no_environment(zygote: GameZygote) -> None:
    bot = zygote.spawn(Program("packed", {name: text.encode() for name, text in FILES.items()}), QUICK, 1)
    assert outcome(bot) is None
    assert bot.log() == "0.5 {} packed\n"
    bot.close()


def test_a_bot_named_like_a_library_hides_nothing(zygote: GameZygote) -> None:
    text = (
        f"{HEAD}import random, numpy, engines\nrandom.random(), numpy.zeros(1), engines.load\n{ACT}return 0"
    )
    for name in ("random", "numpy", "engines", "two words"):
        bot = zygote.spawn(program(text, name), QUICK, 1)
        assert outcome(bot) is None
        bot.close()


def test_a_traceback_shows_the_bots_own_lines_and_no_path_of_the_host(spawn: Spawn) -> None:
    fault = outcome(spawn("def deep(view): return view.hand[99]\n" + ACT + "return deep(view)"))
    assert "in deep" in fault.text and "in act" in fault.text and "bot0.py" in fault.text
    for place in ("sdk.py", str(Path(__file__).parents[2]), "/tmp"):
        assert place not in fault.text


def open_files() -> list[Path]:
    return sorted(Path("/proc/self/fd").iterdir())


def ends_of_every_kind() -> tuple[list[Path], list[Path]]:
    """What is open before and after a zygote whose bots end in every way; no process lives on."""
    before, pids = open_files(), []
    with GameZygote(GAME) as zygote:
        for text in ("return 0", "import os; os._exit(1)", "while True: pass"):
            bot = zygote.spawn(program(HEAD + ACT + text), QUICK, 1)
            outcome(bot)
            pids.append(bot.pid)
    assert not zygote.alive
    after = open_files()
    until(lambda: not any(map(lives, pids)))  # the kernel ends them with their zygote
    return before, after


def test_nothing_is_left_after_the_end_whatever_the_bots_did() -> None:
    # in a process of its own: here other tests' files are open until the garbage collector closes them
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        before, after = pool.submit(ends_of_every_kind).result()
    assert after == before


def test_how_a_bot_ended_lies_in_memory_of_the_zygote_that_no_later_bot_gets() -> None:
    """Else the exit code would be a memory between matches: a fork has all that its zygote ever knew."""
    with GameZygote(GAME, tested=False) as zygote:
        bot = zygote.spawn(program("import os; os._exit(77)"), QUICK, 1)
        fault = bot.ready()
        assert fault is not None and "exit code 77" in fault.text
        assert [status >> 8 for status in _not_inherited(zygote.pid)] == [77]


def _not_inherited(pid: int) -> list[int]:
    """The first number in each piece of a process's memory that the kernel leaves out of a fork (`dc` in
    smaps).
    """
    areas = re.findall(
        r"^([0-9a-f]+)-[0-9a-f]+ [^|]*?^VmFlags:(.*)$", Path(f"/proc/{pid}/smaps").read_text(), re.MULTILINE
    )
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        places = [int(area, 16) for area, flags in areas if "dc" in flags.split()]
        return [int.from_bytes(os.pread(memory.fileno(), 4, place), sys.byteorder) for place in places]


WORKER = f"""
import time
from arena.jail import Limits, Program
from arena.cell import GameZygote
zygote = GameZygote({GAME!r})
bot = zygote.spawn(Program("bot", {{"bot.py": b"import time; time.sleep(99)"}}), Limits(), 1)
print(zygote.pid, bot.pid, flush=True)
time.sleep(99)
"""


def test_bots_and_zygote_end_with_a_worker_that_is_killed() -> None:
    words, root = [sys.executable, "-c", WORKER], Path(__file__).parents[2]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=root) as process:
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 2
        process.kill()
    until(lambda: not any(map(lives, pids)))


def lives(pid: int) -> bool:
    """Whether a process is there and no zombie (whoever adopts it may be slow to reap)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_dead_zygote_is_the_hosts_failure_and_no_bots_fault() -> None:
    honest = program(HEAD + ACT + "return 0")
    with GameZygote(GAME) as zygote:
        bot = zygote.spawn(honest, QUICK, 1)
        assert outcome(bot) is None
        os.kill(zygote.pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        with pytest.raises(HostError, match="fork server"):
            while time.monotonic() < deadline:
                bot.ask(request())
                time.sleep(0.02)
        with pytest.raises(HostError, match="fork server"):
            zygote.spawn(honest, QUICK, 1)
        assert bot.fault is None


def test_who_is_asked_to_end_in_the_middle_of_a_question_takes_no_late_answer_for_the_next() -> None:
    """Else all that follows is out of step: bots are blamed, and the wish to end is lost."""
    before = signal.signal(signal.SIGALRM, Terminated.by_signal)
    try:
        with GameZygote(GAME) as zygote:
            bot = zygote.spawn(Program("bot", {"bot.py": b""}), Limits(), 1)
            os.kill(zygote.pid, signal.SIGSTOP)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(Terminated):
                try:
                    zygote.spawn(Program("bot", {"bot.py": b""}), Limits(), 1)
                finally:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(zygote.pid, signal.SIGCONT)
                    bot.close()
            assert not zygote.alive
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_fork_server_that_still_prepares_ends_with_its_worker(tmp_path: Path) -> None:
    """It may compile for minutes; once it is ready it hears that its socket has ended."""
    busy = "PACKAGES = ()\ndef load(): pass\ndef prepare(argument):\n    print('begun', flush=True)\n    while 1: pass\n"
    (tmp_path / "busy_hook.py").write_text(busy)
    server = Server("busy_hook", [str(tmp_path)])
    server.socket.send(server.order(argument="", profile="numpy", preload=()))
    until(lambda: os.pread(server.errors.fileno(), 100, 0).endswith(b"begun\n"), server.process)
    server.socket.close()  # as the kernel does for a worker that is dead
    assert server.process.wait(60) == -signal.SIGIO
    server.close()


@pytest.mark.parametrize("loaded", [True, False])
def test_a_bot_killed_from_outside_is_the_hosts_failure(zygote: GameZygote, loaded: bool) -> None:
    honest = program(HEAD + "import time; time.sleep(1)\n" * (not loaded) + ACT + "return 0")
    bot = zygote.spawn(honest, QUICK, 1)
    bot.await_jail()
    if loaded:
        assert bot.ready() is None
    os.kill(bot.pid, signal.SIGKILL)
    with pytest.raises(Killed, match="from outside"):
        bot.ask(request()) if loaded else bot.ready()
    assert bot.fault is None
    bot.close()
    next_one = zygote.spawn(program(HEAD + ACT + "return 0"), QUICK, 1)
    assert outcome(next_one) is None
    next_one.close()


def test_a_bot_over_its_memory_that_the_kernel_kills_first_has_lost_by_itself(spawn: Spawn) -> None:
    """Judged by what it had when it was last seen, since the kernel says nothing of who is dead."""
    bot = spawn("hoard = bytes(range(256)) * (100 << 12)\n" + ACT + "return 0")
    assert outcome(bot) is None and 100 < bot.clock.read_memory() < 110
    bot.clock.limits = replace(QUICK, memory_mib=60)
    os.kill(bot.pid, signal.SIGKILL)
    fault = bot.ask(request()).fault
    assert fault is not None and fault.kind is FaultKind.MEMORY
    told = r"^the kernel ended it: it has 10\d MiB of memory with .* the limit is 60 MiB$"
    assert re.search(told, fault.text)


def test_a_worker_without_descriptors_is_the_hosts_failure(zygote: GameZygote) -> None:
    honest = program(HEAD + ACT + "return 0")
    hoard, allowed = [], resource.getrlimit(resource.RLIMIT_NOFILE)
    few = min(1024, allowed[1])  # elsewhere it may be millions
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, allowed[1]))
    try:
        with pytest.raises(OSError):
            while True:
                hoard.append(os.dup(0))
        with pytest.raises(HostError, match="cannot start a bot's process"):
            zygote.spawn(honest, QUICK, 1)
        failures = list[str]()
        for _ in range(40):  # one more descriptor each time, until there are enough
            try:
                zygote.spawn(honest, QUICK, 1).close()
                break
            except HostError as error:
                failures.append(str(error))
                os.close(hoard.pop())
        assert 5 < len(failures) < 40, failures
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, allowed)
        for fd in hoard:
            os.close(fd)


def test_a_busy_bot_is_not_asleep_and_one_that_sleeps_empties_its_bank(spawn: Spawn) -> None:
    bot = spawn(burns(0.3), Limits(sleep_s_bank=0.3))  # of the 0.6 s that it computes
    assert bot.ready() is None and bot.ask(request(2)).fault is None
    asleep = spawn("import time\n" + ACT + "time.sleep(9)", Limits(sleep_s_bank=0.3))
    assert asleep.ready() is None
    fault = asleep.ask(request(2)).fault
    assert fault is not None and fault.kind is FaultKind.WALL


def test_sleep_adds_up_over_all_requests_of_a_match(spawn: Spawn) -> None:
    bot = spawn("import time\n" + ACT + "time.sleep(0.02); return 0", Limits(sleep_s_bank=0.5))
    assert bot.ready() is None
    answered = 0
    while (fault := bot.ask(request(1)).fault) is None:
        answered += 1
    assert fault.kind is FaultKind.WALL and "the bank is 0.5 s" in fault.text
    # each sleeps 20 ms, of which 2 are free; longer where the machine wakes it late, and what a late worker
    # does not see is free too
    assert 2 <= answered < 1000


def test_all_cpu_time_together_has_a_limit(spawn: Spawn) -> None:
    bot = spawn(burns(0.05), Limits(cpu_s_match=0.4))
    assert bot.ready() is None
    while (fault := bot.ask(request(1)).fault) is None:
        pass
    assert fault.kind is FaultKind.CPU and "the budget is 0.400 s" in fault.text


def test_no_bot_runs_before_the_worker_says_so(spawn: Spawn) -> None:
    """All processes of a match are jailed first; then each is loaded while the worker waits for it, so
    nothing is free.
    """
    bot = spawn("print('here')\n" + ACT + "return 0")
    bot.await_jail()
    assert bot.log() == "" and bot.ready() is None and bot.log() == "here\n"


def test_a_bot_that_burns_out_of_its_turn_is_ended_while_another_is_asked(spawn: Spawn) -> None:
    text = "import threading\ndef burn():\n    while True: pass\nthreading.Thread(target=burn, daemon=True).start()\n"
    burner = spawn(text + ACT + "return 0", Limits(cpu_s_bank=0.2, cpu_s_start=0.2, profile="threads"))
    patient = spawn(ACT + "return 0", Limits(profile="threads", cpu_s_bank=1e6, cpu_s_match=1e6))
    assert burner.ready() is None and patient.ready() is None
    while burner.fault is None:
        assert patient.ask(request(1)).fault is None
    assert burner.fault.kind is FaultKind.CPU


def test_the_worst_that_one_bot_adds_to_a_match_is_under_two_minutes() -> None:
    assert Limits().worst_wall_s() < 120 and Limits().cpu_s(10**6) == Limits().cpu_s_match


def test_where_no_descriptor_is_left_nothing_is_said_of_the_kernel() -> None:
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, usual[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            facts.missing(())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)


def test_a_process_that_gets_no_core_is_not_asleep() -> None:
    """The kernel counts a wait for a core when it is over."""
    core = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{core}}})\n"
    crowd = [subprocess.Popen([sys.executable, "-c", spin + "while True: pass"]) for _ in range(4)]
    idle = spin + "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\n"
    idle += "print(flush=True)\nwhile True: pass"
    starved = subprocess.Popen([sys.executable, "-c", idle], stdout=subprocess.PIPE)
    try:
        assert starved.stdout is not None and starved.stdout.readline()
        clock = Clock(starved.pid, Limits(sleep_s_bank=0.0))
        clock.begin_wait()
        for _ in range(50):
            time.sleep(0.01)
            clock.check_sleep(over=False)
    finally:
        for process in (*crowd, starved):
            process.kill()
            process.communicate()


def test_what_came_before_the_first_look_at_a_request_is_not_billed_as_sleep() -> None:
    """A short wait is not looked into, so nobody knows what a process did until then."""
    clock = Clock(os.getpid(), Limits())
    time.sleep(0.5)
    clock.begin_wait()
    assert clock.asleep() < 0.5
