"""Wants to change what it can only read, its questions and libraries: has system calls put their results there."""

import contextlib
import ctypes
import mmap
import sys

import numpy
from llvmlite.binding import ffi

from .aim import LIBC, attempt, play

GAMES = ["flip7"]
SAFE = False
WALL = False


def questions():
    """The map that the harness reads its questions from, found in the frames above this one."""
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if isinstance(found := getattr(value, "requests", None), mmap.mmap):
                return int(numpy.frombuffer(found, numpy.uint8).ctypes.data)
        frame = frame.f_back
    raise LookupError("no questions")


def calls(at):
    """Numbers and arguments of calls that write to an address (x86_64; elsewhere other calls, which is as well)."""
    yield 318, at, 8, 0  # getrandom
    yield 228, 1, at  # clock_gettime
    yield 0, 0, at, 8  # read
    yield 17, 0, at, 8, 0  # pread64
    yield 302, 0, 7, 0, at  # prlimit64
    yield 131, 0, at  # sigaltstack
    yield 14, 0, 0, at, 8  # rt_sigprocmask
    yield 13, 10, 0, at, 8  # rt_sigaction
    yield 204, 0, 128, at  # sched_getaffinity
    yield 96, at, 0  # gettimeofday


def change(at):
    before = ctypes.string_at(at, 128)
    changed = []
    for number, *arguments in calls(at):
        LIBC.syscall(number, *map(ctypes.c_long, arguments))
        if ctypes.string_at(at, 128) != before:
            changed.append(number)
    return changed or None


with contextlib.suppress(OSError):
    attempt(change, questions())
attempt(change, ctypes.cast(ffi.lib.LLVMPY_AddSymbol._cfn, ctypes.c_void_p).value & -4096)

act = play
