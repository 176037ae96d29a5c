"""What bots of two matches have in common in the machine's memory, which is what the processor's caches tell:
nothing. Bots of one match are forks of one process and have most of it in common: they are the control.
"""

import io
import mmap
import os
import platform
import random
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.cell import BotProcess, GameZygote
from arena.jail import Layer, Limits, Program

from .suite import GAME, first_decisions

HERE = Path(__file__).parent
LIMITS = Limits(cpu_s_bank=60, sleep_s_bank=60)
PAGE = 4096
BITS, TRIES = 60, 2
TOLD, NOTHING = 0.6, 0.4  # `told` where there is a channel, at least; where there is none, at most
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the attack is machine code of x86_64")


@pytest.fixture(scope="module")
def zygotes() -> Iterator[list[GameZygote]]:
    """The fork servers of two matches."""
    with GameZygote(GAME) as one, GameZygote(GAME) as other:
        yield [one, other]


def start(zygote: GameZygote, text: str, layers: tuple[Layer, ...] | None = None) -> BotProcess:
    core = min(os.sched_getaffinity(0))  # one for all: nothing is nearer to both than its caches
    limits = replace(LIMITS, profile=zygote.profile)
    bot = zygote.spawn(Program("bot", {"bot.py": text.encode()}), limits, 1, core, layers)
    assert bot.ready() is None, bot.fault
    return bot


# --- by the kernel's own tables -----------------------------------------------------------------------------

# all ways to get memory that nobody has written to, and to lose pages that are one's own
TAKE = """
import ctypes, mmap
GAMES = ["flip7"]
libc = ctypes.CDLL(None)
libc.syscall.restype = libc.mmap.restype = libc.sbrk.restype = libc.mremap.restype = libc.malloc.restype = ctypes.c_void_p
read, write, own = 1, 2, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
wanted, size = [], 1 << 20


def call(name, *arguments):
    return getattr(libc, name)(*(ctypes.c_void_p(argument) for argument in arguments))


def look(address):
    if address not in (None, ctypes.c_void_p(-1).value):
        for page in range(0, size, 4096):
            ctypes.string_at(address + page, 1)


for rights in (read, write | read):
    for flags in (own, own | 0x100, own | 0x4000, own | 0x8000, own | 0x10000):
        look(call("mmap", 0, size, rights, flags, -1, 0))
        look(call("syscall", 9, 0, size, rights, flags, -1, 0))
none = call("mmap", 0, size, 0, own, -1, 0)
if none != ctypes.c_void_p(-1).value and call("mprotect", none, size, read) == 0:
    look(none)
for advice in (4, 8, 24):
    again = call("mmap", 0, size, 3, own, -1, 0)
    call("madvise", again, size, advice)
    look(again)
    code = ctypes.cast(libc.getpid, ctypes.c_void_p).value & -4096
    call("madvise", code, 4096, advice)
    ctypes.string_at(code, 1)
look(call("sbrk", size))
look(call("syscall", 12, (call("sbrk", 0) or 0) + size))
look(call("mremap", call("mmap", 0, 4096, 3, own, -1, 0), 4096, size, 1))
look(call("malloc", size))
look(call("malloc", 100 * size))
for flags in (own, own | 0x20000):  # MAP_STACK
    again = call("mmap", 0, size, 0, flags, -1, 0)
    if again != ctypes.c_void_p(-1).value and call("mprotect", again, size, 3) == 0:
        look(again)
if THREADS:
    import threading

    def look_at_the_stack():
        # all of it, also what was never used
        known, begin, size = ctypes.create_string_buffer(64), ctypes.c_void_p(), ctypes.c_size_t()
        libc.pthread_getattr_np(ctypes.c_void_p(threading.get_ident()), known)
        libc.pthread_attr_getstack(known, ctypes.byref(begin), ctypes.byref(size))
        for page in range(0, size.value, 4096):
            ctypes.string_at(begin.value + page, 1)
        seen.append(size.value)
        ended.wait()

    seen, ended = [], threading.Event()
    for stack in (1 << 18, 8 << 20):
        threading.stack_size(stack)
        for _ in range(9):
            threading.Thread(target=look_at_the_stack).start()
    while len(seen) < 18:
        pass
    print(seen)
    ended.set()
import numpy
numpy.zeros(1 << 22).sum()
numpy.linalg.inv(numpy.eye(200))


def act(view):
    return view.legal[0]
"""

READ = """
import mmap
GAMES = ["flip7"]
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
page[0]


def act(view):
    return view.legal[0]
"""


def physical(pid: int) -> set[int]:
    """The numbers of the machine's pages that a process has mapped."""
    found: set[int] = set()
    with Path(f"/proc/{pid}/pagemap").open("rb") as table:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            begin, end = (int(text, 16) for text in line.split()[0].split("-"))
            if begin < 1 << 47:
                table.seek(begin // PAGE * 8)
                entries = np.frombuffer(table.read((end - begin) // PAGE * 8), np.uint64)
                present = entries[entries >> np.uint64(63) == 1]
                found |= set((present & np.uint64((1 << 55) - 1)).tolist())
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may ask where pages are")
def test_two_matches_have_no_page_of_memory_in_common(zygotes: list[GameZygote]) -> None:
    have_nothing_in_common(zygotes)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may ask where pages are")
def test_two_matches_with_threads_have_no_page_of_memory_in_common() -> None:
    with GameZygote(GAME, profile="threads") as one, GameZygote(GAME, profile="threads") as other:
        have_nothing_in_common([one, other])


# memory is made again and again, and another thread looks at its last page before the kernel has written to it
CATCH = """
import ctypes, mmap, threading
GAMES = ["flip7"]
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
new = (None, ctypes.c_size_t(SIZE), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
place = libc.mmap(*new)
print(place)


def make_for_ever():
    while True:
        libc.munmap(ctypes.c_void_p(place), ctypes.c_size_t(SIZE))
        libc.mmap(*new)


def look_for_ever():
    while True:  # by a call that reads there, and fails
        libc.syscall(14, 99, ctypes.c_void_p(place + SIZE - 4096), None, ctypes.c_long(8))


def act(view):
    for look in (make_for_ever, look_for_ever):
        threading.Thread(target=look, daemon=True).start()
    threading.Event().wait(2)
    return view.legal[0]
"""
SIZE = 128 << 20


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may ask where pages are")
def test_no_thread_reads_the_page_of_zeros_before_new_memory_is_written_to() -> None:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    with mmap.mmap(-1, PAGE, flags=flags) as unwritten:
        assert unwritten[0] == 0
        place = np.frombuffer(unwritten, np.uint8).ctypes.data
        with Path("/proc/self/pagemap").open("rb", 0) as table:
            zeros = physical_page(table, place)
    with GameZygote(GAME, profile="threads") as zygote:
        pages, control = caught(zygote, None), caught(zygote, ())
    assert zeros in control
    assert pages and zeros not in pages


def caught(zygote: GameZygote, layers: tuple[Layer, ...] | None) -> set[int]:
    """The physical pages that a thread is seen to read where another makes memory."""
    bot = start(zygote, f"SIZE = {SIZE}\n{CATCH}", layers)
    found, place = set(), int(bot.log())
    with ThreadPoolExecutor(1) as pool, Path(f"/proc/{bot.pid}/pagemap").open("rb", 0) as table:
        asked = pool.submit(bot.ask, first_decisions(zygote.game, 1))
        while not asked.done():
            found.add(physical_page(table, place + SIZE - PAGE))
    bot.close()
    return found - {0}


def physical_page(table: io.FileIO, address: int) -> int:
    """The number of the machine's page at an address, by the process's pagemap; 0: there is none.

    A process that has just ended, as one that was too slow, has none.
    """
    table.seek(address // PAGE * 8)
    (entry,) = struct.unpack("<Q", table.read(8) or bytes(8))
    return entry & (1 << 55) - 1 if entry >> 63 else 0


def have_nothing_in_common(zygotes: list[GameZygote]) -> None:
    """Compare what bots of two fork servers have mapped, after they took memory in every way."""
    take = f"THREADS = {zygotes[0].profile == 'threads'}\n{TAKE}"
    bots = [start(zygote, take) for zygote in zygotes]
    one, other = (physical(bot.pid) | physical(zygote.pid) for bot, zygote in zip(bots, zygotes))
    assert len(one) > 10_000 and not one & other
    beside = start(zygotes[0], take)
    assert len(physical(beside.pid) & one) > 10_000  # as in one match
    without = [start(zygote, READ, layers=()) for zygote in zygotes]
    assert physical(without[0].pid) & physical(without[1].pid)  # the page of zeros
    for bot in [*bots, beside, *without]:
        bot.close()


# --- by the clock -------------------------------------------------------------------------------------------


def told(
    sender: GameZygote, hearer: GameZygote, place: str, layers: tuple[Layer, ...] | None = None
) -> float:
    """How much more often a bot of one fork server finds lines in a cache after a 1 than after a 0 that a bot of
    the other sends: 1 is a perfect channel, 0 is none.
    """
    bits = [0, *(random.randrange(2) for _ in range(BITS))]
    known = f"PLACE, BITS = {place!r}, {bits}\n"
    attack = (HERE / "caches" / "flush_and_reload.py").read_text()
    bots = [
        start(zygote, f"ROLE = {role!r}\n{known}{attack}", layers)
        for role, zygote in (("sender", sender), ("hearer", hearer))
    ]
    try:
        for _ in bits:
            for bot in bots:
                reply = bot.ask(first_decisions(sender.game, 1))
                assert reply.fault is None and not reply.faults, reply
        lines = [line.split() for line in bots[1].log().splitlines()]
        hot = np.array([float(words[1]) for words in lines if words[:1] == ["HEARD"]])
    finally:
        for bot in bots:
            bot.close()
    ones = np.array(bits) == 1
    return float(hot[ones].mean() - hot[1:][~ones[1:]].mean())


def nothing_is_told(between: tuple[GameZygote, GameZygote], place: str) -> None:
    assert all(abs(told(*between, place)) < NOTHING for _ in range(TRIES))


def something_is_told(
    between: tuple[GameZygote, GameZygote], place: str, layers: tuple[Layer, ...] | None = None
) -> None:
    """The control: the same code where there is a channel. Other processes empty the caches, too."""
    if not any(told(*between, place, layers) > TOLD for _ in range(3 * TRIES)):
        pytest.skip("this machine is too busy to hear anything through its caches")


def test_a_bit_gets_through_the_caches_to_another_seat_and_not_to_another_match(
    zygotes: list[GameZygote],
) -> None:
    one, other = zygotes
    nothing_is_told((one, other), "library")
    something_is_told((one, one), "library")


def test_a_bit_gets_through_the_page_of_zeros_only_where_there_is_no_wall(zygotes: list[GameZygote]) -> None:
    one, other = zygotes
    nothing_is_told((one, other), "zeros")
    something_is_told((one, other), "zeros", layers=())
