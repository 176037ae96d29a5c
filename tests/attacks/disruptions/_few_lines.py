"""Disruptions of a few lines.

Each function is a bot of its own (`suite.attacks`): its defaults say what must become of it. Without a parameter
it is all of the bot (`act` plays on if it has none); `view` is the parameter of `act`, and `views` of `act_batch`.
"""

import atexit
import builtins
import contextlib
import ctypes
import itertools
import mmap
import os
import re
import resource
import signal
import struct
import sys
import threading
import time

import numpy

import engines
from engines import core

from .aim import play


def abort_for_a_core_dump(VERDICT="crash", WORDS="SIGABRT"):
    """Raises its limit of core dumps, makes its memory readable, and ends by abort: the dump would lie on the host."""
    DUMPABLE = 4  # prctl

    def act(view):
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            print("GOT: a limit of core dumps")
        if ctypes.CDLL(None).prctl(DUMPABLE, 1) == 0:
            print("GOT: memory that others may read")
        if most != 1:  # a handler on the host gets dumps at every other limit, also at 0
            print("GOT: a dump for the host's handler")
        os.abort()


def answer_a_text_that_lies(VERDICT="illegal", WORDS="no action 'win'"):
    """Answers with a text that equals every action."""

    class Text(str):
        def __eq__(self, other):
            return True

        def __hash__(self):
            return hash("hit")

        def __str__(self):
            return "win"

    def act(view):
        return Text("win")


def answer_an_object_that_hides_its_class(VERDICT=("exception", "type")):
    """Answers an object whose class has terminal codes for a name, and which ends the process when asked for it."""
    Coded = type("\x1b[31m\u202e" + "A" * 100_000, (), {})

    class Hidden(Coded):
        @property
        def __class__(self):
            raise SystemExit

        def __repr__(self):
            raise KeyboardInterrupt

    def act(view):
        return Coded() if view.seat else Hidden()


def answer_garbage(view, VERDICT="protocol", WORDS="wrote to the reply channel"):
    """Writes garbage to the reply channel."""
    os.write(3, b"\xff" * 999)


def answer_half(view, VERDICT="protocol"):
    """Sends half an answer and waits."""
    os.write(3, bytes(10))
    os.read(3, 99)


def answer_in_advance(VERDICT="protocol", WORDS="wrote to the reply channel"):
    """Answers a question that has not been asked, while it is imported."""
    os.write(3, struct.pack("<QHHIhhh", 0, 3, 0, 0, 0, 0, 0))


def answer_something_pickled(VERDICT="type", WORDS="an object (Pickle)"):
    """Answers with an object that would run code where it is unpickled."""

    class Pickle:
        def __reduce__(self):
            return os.system, ("touch /tmp/unpickled",)

    def act(view):
        return Pickle()


def answer_the_next_question_too(view, VERDICT="protocol", WORDS="wrote"):
    """Answers the next question together with this one."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    answer = struct.pack("<QHHIhhh", frame.f_locals["nonce"], 3, 0, 0, 0, 0, 0)
    os.write(3, answer + answer)
    return 0


def answer_too_few(views, VERDICT="type", WORDS="1 answers for 3 views"):
    """Answers a batch of views with one action."""
    return [0]


def answer_without_end(views, VERDICT=("cpu", "memory")):
    """Answers a batch of views with an endless list."""
    return itertools.repeat(0)


def ask_for_too_much_memory(view, VERDICT="memory", WORDS="MemoryError"):
    """Asks for more memory than it may have."""
    return bytearray(1 << 30)


def blame_a_row_that_has_an_action(view, VERDICT="protocol", WORDS="about a row that has an action"):
    """Answers, and sends last words about a row that it has answered."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<QHHIhhhHHHH", frame.f_locals["nonce"], 3, 0, 0, 0, 0, 0, 1, 1, 2, 0))
    return 0


def break_the_builtins(VERDICT="crash", WORDS="exit code 1"):
    """Removes built-in functions."""
    builtins.len = builtins.print = builtins.isinstance = None


def break_the_engines():
    """Replaces the rules in its own process."""
    engines.load = core.legal_row = core.redact_rows = None


def burn_in_a_finalizer(VERDICT="cpu", WORDS="budget"):
    """Computes while its objects are freed, after the answer."""

    class Slow:
        def __del__(self):
            end = time.process_time() + 0.3
            while time.process_time() < end:
                pass

    def act(view):
        Slow()
        return view.legal[0]


def change_the_signal_mask(VERDICT="cpu"):
    """Blocks all signals and then thinks for ever."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

    def act(view):
        while True:
            pass


def claim_endless_words(view, VERDICT="protocol", WORDS="wrote to the reply channel"):
    """Says that more last words follow than it sends."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<QHHIhhhHHHH", frame.f_locals["nonce"], 3, 0, 0, -1, -1, -1, 0, 3, 2, 2**16 - 1))


def close_its_channel(view, VERDICT="protocol", WORDS="closed its channel"):
    """Closes the channel and stays."""
    os.close(3)
    time.sleep(9999)


def compute_for_ever_in_numpy(view, VERDICT="cpu", WORDS="CPU time"):
    """Never answers, inside compiled code."""
    while True:
        numpy.arange(10**6).sum()


def dribble(view, VERDICT="protocol", WORDS="wrote to the reply channel"):
    """Writes its answer byte by byte, with pauses."""
    for byte in bytes(30):
        os.write(3, bytes([byte]))
        time.sleep(0.01)
    return 0


def end_for_no_reason(view, VERDICT="protocol", WORDS="ends for no known reason"):
    """Says that it cannot go on, for a reason that there is not."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<QHHIHHHH", frame.f_locals["nonce"], 0, 1, 0, 0, 0, 99, 0))
    return 0


def flood_the_channel(view, VERDICT="protocol", WORDS="wrote more to its channel than an answer"):
    """Writes more to the reply channel than it holds."""
    os.write(3, bytes(200_000))


def flood_the_log_from_below(view, VERDICT="exception", WORDS="File too large"):
    """Writes to the log past Python, for ever."""
    while True:
        os.write(1, b"x" * 4096)


def hoard_memory(VERDICT=("cpu", "memory")):
    """Takes memory and ignores that there is none left."""
    hoard = []

    def act(view):
        while True:
            try:
                hoard.append(bytearray(1 << 20))
            except MemoryError:
                pass


def ignore_the_signal_of_the_clock(VERDICT="cpu", WORDS="budget"):
    """Never answers, and ignores what would end it."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)

    def act(view):
        while True:
            pass


def keep_its_views():
    """Keeps all views and their rows for ever."""
    kept = []

    def act(view):
        kept.append((view, view.state))
        return view.legal[0]


def keep_pages_far_apart(VERDICT=("cpu", "memory")):
    """Has the kernel keep a page of its own tables for every page that it has: twice its memory at no cost to it."""
    LIBC = ctypes.CDLL(None)
    LIBC.mmap.restype = ctypes.c_void_p
    TABLE = 2 << 20  # bytes that one page of a table maps

    def act(view):
        size = 24 * TABLE
        while True:
            place = LIBC.mmap(None, ctypes.c_size_t(size), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
            for begin in range(-place % TABLE, size - TABLE, TABLE):
                LIBC.munmap(
                    ctypes.c_void_p(place + begin + mmap.PAGESIZE), ctypes.c_size_t(TABLE - mmap.PAGESIZE)
                )


def leave_at_once(view, VERDICT="crash", WORDS="exit code 3"):
    """Ends its process without a word."""
    os._exit(3)


def leave_much_to_clean_up(VERDICT=("crash", "cpu")):
    """Makes as many mappings as the kernel lets it, then dies: taking it apart must not hold up the worker."""
    LIBC = ctypes.CDLL(None)
    LIBC.mmap.restype = ctypes.c_void_p

    def act(view):
        kinds = (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)  # neighbours of one kind would become one
        for i in range(70_000):
            LIBC.mmap(None, ctypes.c_size_t(4096), kinds[i % 2], mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        os._exit(1)


def lie_about_its_stack(VERDICT="cpu"):
    """Asked for its stack before it is ended, it writes numbers and lines without end."""

    def lie(*_):
        os.write(2, b'  File "/bot/a.py", line ' + b"9" * 5000 + b" in act\n" + b'  File "/bot/' * 4000)
        while True:
            pass

    def act(view):
        signal.signal(signal.SIGUSR1, lie)
        while True:
            pass


def make_a_huge_number(view, VERDICT=("cpu", "memory")):
    """Computes a power that never ends, inside one operation."""
    return 3 ** (10**9)


def match_for_ever(view, VERDICT="cpu"):
    """Loses itself in a regular expression."""
    re.match(r"(a+)+$", "a" * 40 + "b")


def print_to_a_closed_log():
    """Closes its log and prints."""
    os.close(1)
    os.close(2)

    def act(view):
        print("nobody hears this")
        view.log("nor this")
        return view.legal[0]


def raise_a_tree_of_exceptions(view, VERDICT="cpu", WORDS="it was at:"):
    """Raises a group of groups of groups, whose text has a million million lines."""
    error = ValueError("a leaf")
    for _ in range(40):
        error = ExceptionGroup("a branch", [error, error])
    raise error


def raise_an_endless_text(view, VERDICT="exception", WORDS="ValueError: xxx"):
    """Raises an exception with a text of 5 MB."""
    raise ValueError("x" * 5_000_000)


def raise_between_rows(view, VERDICT="exception", WORDS="RuntimeError: in this game"):
    """Fails in one game and plays on in the others."""
    if view.seat >= 0 and view.rng.random() >= 0:
        raise RuntimeError("in this game")


def raise_with_a_hostile_class(VERDICT=("exception", "crash")):
    """Raises an exception whose class will not tell its name."""

    class Nameless(type):
        def __getattribute__(cls, name):
            if name in ("__name__", "__qualname__", "__module__"):
                raise KeyboardInterrupt
            return type.__getattribute__(cls, name)

    class Strange(Exception, metaclass=Nameless):
        pass

    def act(view):
        raise Strange("x")


def recurse_without_limit(VERDICT=("cpu", "memory", "crash")):
    """Calls itself for ever, with Python's limit off."""
    sys.setrecursionlimit(10**9)

    def act(view):
        return act(view)


def say_that_true_is_a_row(view, VERDICT="protocol", WORDS="wrote to the reply channel"):
    """Sends last words in JSON, about the row `true`."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(
        3,
        struct.pack("<QHHIhhh", frame.f_locals["nonce"], 3, 0, 0, -1, -1, -1) + b'[true, "exception", "x"]\n',
    )
    return 0


def say_the_same_row_twice(view, VERDICT="protocol", WORDS="wrote to the reply channel"):
    """Sends two last words for the same row."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    words = struct.pack("<HHHH", 1, 1, 2, 0)
    os.write(3, struct.pack("<QHHIhhh", frame.f_locals["nonce"], 3, 0, 0, -1, -1, -1) + words + words)
    return 0


def send_an_empty_message(view, VERDICT="protocol", WORDS="closed its channel"):
    """Sends a message of no bytes, which looks like the end of the channel."""
    os.write(3, b"")
    return 0


def shadow_libraries():
    """Brings modules named like libraries, and a sitecustomize."""
    sys.path.insert(0, "")
    sys.modules["random"] = sys
    sys.modules["numpy.random"] = sys


def sleep_at_exit(VERDICT="exception", WORDS="SystemExit"):
    """Leaves, and would sleep on the way out."""
    atexit.register(time.sleep, 9999)

    def act(view):
        sys.exit()


def stop_itself(view, VERDICT="wall"):
    """Stops its own process."""
    os.kill(os.getpid(), signal.SIGSTOP)


def swap_its_channels(view, VERDICT=("protocol", "wall", "exception")):
    """Puts its log in the place of its reply channel."""
    os.dup2(1, 3)
    return 0


def take_views_off_the_list(views):
    """Empties the list of views that it was given, as one does with a stack, and answers for all of them."""
    answers = []
    while views:
        answers.append(views.pop().legal[0])
    return answers


def trace_the_harness(VERDICT=("exception", "crash")):
    """Watches every line of the harness around it, and lets each raise."""

    def trace(frame, event, argument):
        if "arena" in frame.f_globals.get("__name__", ""):
            raise SystemExit("not in my process")
        return trace

    def act(view):
        frame = sys._getframe(1)
        while frame is not None:
            frame.f_trace = trace
            frame = frame.f_back
        sys.settrace(trace)
        return view.legal[0]


def wait_for_a_lock(VERDICT="wall"):
    """Waits for a lock that it holds."""
    lock = threading.Lock()
    lock.acquire()

    def act(view):
        lock.acquire()


def wait_for_a_question_itself(view, VERDICT="wall"):
    """Reads the next question from the channel, which never comes."""
    os.read(3, 99)
