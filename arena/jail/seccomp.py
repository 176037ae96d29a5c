"""The system-call wall: a seccomp-BPF program that lets a program compute and answer.

No call that takes a path is in the tables (but in that of interpreters, `READING`): a name that is looked up
leaves a trace in the kernel which every later process can time, so a path is a memory that all bots of the
machine share. What is not named here fails with EPERM. Calls that only an attack makes end the process
(SIGSYS: the fault `forbidden`). The filter looks at numbers and arguments in registers only; clone3, whose
arguments are behind a pointer, does not exist (ENOSYS): the C library then uses the older call, which can be
judged.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from enum import StrEnum
from functools import cache

from . import linux

# --- system calls by number: (x86_64, aarch64); None: that architecture has no such call --------------------

Numbers = dict[str, tuple[int | None, int | None]]


class Kind(StrEnum):
    """What is behind the filter."""

    PYTHON = "python"  # a module in the harness's own Python
    BINARY = "binary"  # a static program that has taken its place
    INTERPRETER = "interpreter"  # an interpreter of the host's that has: it can name files


ALLOWED: Numbers = {
    # the hot ones first
    "read": (0, 63),
    "write": (1, 64),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    # the descriptors that it has
    "close": (3, 57),
    "lseek": (8, 62),
    "poll": (7, None),
    "ppoll": (271, 73),
    "pread64": (17, 67),
    "pselect6": (270, 72),
    "readv": (19, 65),
    "select": (23, None),
    "writev": (20, 66),
    # itself
    "exit": (60, 93),
    "exit_group": (231, 94),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "sched_yield": (24, 124),
    # clocks and signals
    "gettimeofday": (96, 169),
    "nanosleep": (35, 101),
    "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "time": (201, None),
}

CONDITIONAL: Numbers = {
    "brk": (12, 214),
    "mremap": (25, 216),
    "rseq": (334, 293),
    "set_robust_list": (273, 99),
    "mmap": (9, 222),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fcntl": (72, 25),
    "futex": (202, 98),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "madvise": (28, 233),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "sched_getaffinity": (204, 123),
    "tgkill": (234, 131),
}

# of programs that take a process's place: what starting one takes
EXECUTED: Numbers = {
    "execveat": (322, 281),  # once: `gate` decides
    "arch_prctl": (158, None),  # where the C library keeps what belongs to a thread
}

# what an interpreter of the host's needs beyond that: to read files, which takes paths, and to wait
READING: Numbers = {
    "access": (21, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_pwait": (281, 22),
    "epoll_wait": (232, None),
    "eventfd2": (290, 19),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fstat": (5, 80),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "pipe2": (293, 59),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "set_tid_address": (218, 96),
    "stat": (4, None),
    "statx": (332, 291),
    "uname": (63, 160),
}

HOSTILE: Numbers = {
    "bpf": (321, 280),
    "chroot": (161, 51),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "reboot": (169, 142),
    "setns": (308, 268),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}

SECCOMP = {"x86_64": 317, "aarch64": 277}
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLOSED = ("x86_64",)  # machines for which `pages` has the code that it takes
SELF = 0x5E1F5E1F  # stands for the process id until there is one
X32_BIT = 0x40000000  # x86_64 only: another table of numbers under the same architecture

# --- arguments ----------------------------------------------------------------------------------------------

TCGETS, TCGETS2, FIOCLEX = 0x5401, 0x802C542A, 0x5451  # every text stream asks whether it is a terminal
FCNTL = (1, 2, 3)  # F_GETFD, F_SETFD, F_GETFL: no copies, locks, leases, owners or seals
# DONTNEED, FREE, NOHUGEPAGE: nothing that moves pages of files or asks for the machine's huge ones
MADVISE = (4, 8, 15)
# MAP_LOCKED, MAP_HUGETLB: counted per user, taken from what the whole machine has
MAP_FROM_A_POOL = 0x2000 | 0x40000
# of mmap's flags: kind, ANONYMOUS, GROWSDOWN, POPULATE, NONBLOCK (which undoes the one before); and what
# they must be for memory that is written to before its owner can read it
MAP_MASK, MAP_WRITTEN = 0xF | 0x20 | 0x100 | 0x8000 | 0x10000, 0x2 | 0x20 | 0x8000
# kind, ANONYMOUS, GROWSDOWN; what they must be for memory whose pages are its own also for who only reads:
# a private copy of a file, of the one that is open for this
MAP_KIND, MAP_OF_A_FILE, OWN_ZEROS = 0xF | 0x20 | 0x100, 0x2, 4
PROT_WRITE = 2
MADV_NOHUGEPAGE = 15
MAP_SHARED = 1  # without a file it takes the next inode number, which the next new file of any process tells
# REALTIME, MONOTONIC, PROCESS_CPUTIME, THREAD_CPUTIME, the coarse ones, BOOTTIME. Not MONOTONIC_RAW and TAI,
# whose distance to the others tells machines apart; negative numbers are other processes'
CLOCKS = (0, 1, 2, 3, 5, 6, 7)
SIGKILL = 9
FIRST_QUEUED_SIGNAL = 32  # real-time signals are queued, and the queue is counted per user
PR_SET_NAME = 15
ARCH_SET_FS = 0x1002
RLIMIT_AS = 9
# O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE's own bit
OPEN_TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
THREAD = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000  # CLONE_VM, FS, FILES, SIGHAND, THREAD
# CLONE_SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, DETACHED, CHILD_SETTID: C libraries ask for them, too
OF_THREADS = 0x40000 | 0x80000 | 0x100000 | 0x200000 | 0x400000 | 0x1000000
FUTEX_PRIVATE = 128
FUTEX_COMMAND = 127
FUTEX_WAIT, FUTEX_WAIT_BITSET = 0, 9
# and wake, requeue: not those that inherit priorities
FUTEX_COMMANDS = (FUTEX_WAIT, 1, 3, 4, 5, FUTEX_WAIT_BITSET, 10)

# --- the program --------------------------------------------------------------------------------------------
# An instruction is (code, jump if true, jump if false, k). Jumps count the instructions to skip.

Instruction = tuple[int, int, int, int]
LOAD, AND, RETURN = 0x20, 0x54, 0x06
IF_EQUAL, IF_GREATER_EQUAL, IF_ANY_BIT = 0x15, 0x35, 0x45
NUMBER, ARCHITECTURE = 0, 4

ALLOW: Instruction = (RETURN, 0, 0, 0x7FFF0000)
KILL: Instruction = (RETURN, 0, 0, 0x80000000)


def refuse(number: int) -> Instruction:
    """Let the call fail with this errno."""
    return (RETURN, 0, 0, 0x00050000 | number)


EPERM, ENOSYS, EINVAL, ENOTTY, ENOMEM = map(
    refuse, (errno.EPERM, errno.ENOSYS, errno.EINVAL, errno.ENOTTY, errno.ENOMEM)
)


def low(argument: int) -> Instruction:
    """Load the low half of an argument (0 to 5): all that the kernel reads of an int."""
    return (LOAD, 0, 0, 16 + 8 * argument)


def high(argument: int) -> Instruction:
    """Load the high half of an argument."""
    return (LOAD, 0, 0, 20 + 8 * argument)


def if_in(values: tuple[int, ...], then: Instruction) -> list[Instruction]:
    """If what was loaded is one of the values: `then`; else go on."""
    return [step for value in values for step in ((IF_EQUAL, 0, 1, value), then)]


def only(argument: int, values: tuple[int, ...], otherwise: Instruction = EPERM) -> list[Instruction]:
    """Allow the call if the argument has one of these values."""
    return [low(argument), *if_in(values, ALLOW), otherwise]


def new_thread() -> list[Instruction]:
    """`clone` that makes a thread and nothing else."""
    return [
        low(0),
        (IF_ANY_BIT, 0, 1, ~(THREAD | OF_THREADS) & 0xFFFFFFFF),
        EPERM,
        (AND, 0, 0, THREAD),
        (IF_EQUAL, 0, 1, THREAD),
        ALLOW,
        EPERM,
    ]


def private_futex(threads: bool) -> list[Instruction]:
    """Futexes of this process only: on a page that two processes have mapped, they could wake each other.

    With threads, pthread_join waits on a shared one that the kernel wakes.
    """
    private = [low(1), (AND, 0, 0, FUTEX_COMMAND), *if_in(FUTEX_COMMANDS, ALLOW), ENOSYS]
    waits = [(AND, 0, 0, FUTEX_COMMAND), *if_in((FUTEX_WAIT, FUTEX_WAIT_BITSET), ALLOW)] if threads else []
    return [low(1), (IF_ANY_BIT, 0, len(private), FUTEX_PRIVATE), *private, *waits, EPERM]


def own_clock() -> list[Instruction]:
    """Allow a clock of the caller, or one that says the same on every machine."""
    return only(0, CLOCKS)


def own_signal(pid: int, signal: int) -> list[Instruction]:
    """Return an ordinary signal to itself; `signal`: the argument with its number.

    Not the one that nobody can catch: a process that was ended by it was ended by somebody else.
    """
    refused = [(IF_GREATER_EQUAL, 0, 1, FIRST_QUEUED_SIGNAL), EPERM, *if_in((SIGKILL,), EPERM)]
    return [low(signal), *refused, *only(0, (pid,))]


def written_memory(threads: bool) -> dict[str, list[Instruction]]:
    """Return which memory may be had where `pages` took shared pages away.

    The kernel's page of zeros is what every page reads as that was never written to. So new memory is written
    to by the kernel (MAP_POPULATE), nothing grows, and no page is given back but with its address. With
    threads it is a copy of a file of zeros, since another thread can be there before the kernel.
    Nobody asks for an address: pages far from each other cost the kernel a page of its own tables each.
    """
    no_heap = refuse(0)  # an address below every heap: the C library takes it for "no more"
    mask, wanted = (MAP_KIND, MAP_OF_A_FILE) if threads else (MAP_MASK, MAP_WRITTEN)
    anywhere = [step for half in (low(0), high(0)) for step in (half, (IF_EQUAL, 1, 0, 0), EPERM)]
    writable = [low(2), (IF_ANY_BIT, 1, 0, PROT_WRITE), EPERM]
    of_zeros = [low(4), (IF_EQUAL, 1, 0, OWN_ZEROS), EPERM]
    return {
        "mmap": [
            low(3),
            (AND, 0, 0, mask | MAP_FROM_A_POOL),
            (IF_EQUAL, 1, 0, wanted),
            EPERM,
            *anywhere,
            *(of_zeros if threads else writable),
            ALLOW,
        ],
        "brk": [no_heap],
        "mremap": [ENOMEM],
        "madvise": only(2, (MADV_NOHUGEPAGE,), otherwise=EINVAL),
    }


def own_limits() -> list[Instruction]:
    """`prlimit64` that only asks, and about the caller."""
    nought = (IF_EQUAL, 1, 0, 0)
    return [low(0), nought, EPERM, low(2), nought, EPERM, high(2), nought, EPERM, ALLOW]


def to_read(flags: int) -> list[Instruction]:
    """`open` for reading only; `flags`: the argument with its flags."""
    return [low(flags), (IF_ANY_BIT, 0, 1, OPEN_TO_WRITE), EPERM, ALLOW]


def more(kind: Kind) -> dict[str, list[Instruction]]:
    """Return what decides about the calls that only programs of a kind have."""
    if kind is Kind.PYTHON:
        return {}
    rules = {
        "execveat": [ALLOW],
        "arch_prctl": only(0, (ARCH_SET_FS,)),
        "prlimit64": [*lower_memory(), *own_limits()],
    }
    if kind is Kind.INTERPRETER:
        rules |= {name: [ALLOW] for name in READING} | {"open": to_read(1), "openat": to_read(2)}
    return rules


def lower_memory() -> list[Instruction]:
    """Allow a process to lower the limit of its own address space.

    Without privileges that limit can only be made lower. The limit of CPU time may not be set: it would make
    the worker's clock coarse.
    """
    return [low(0), (IF_EQUAL, 0, 3, 0), low(1), (IF_EQUAL, 0, 1, RLIMIT_AS), ALLOW]


def conditions(pid: int, threads: bool) -> dict[str, list[Instruction]]:
    """For every conditional call, what decides about it."""
    return {
        "brk": [ALLOW],
        "mremap": [ALLOW],
        # the C library ends the process if a new thread cannot register
        "rseq": [ALLOW if threads else EPERM],
        "set_robust_list": [ALLOW if threads else EPERM],
        "mmap": [low(3), (IF_ANY_BIT, 0, 1, MAP_FROM_A_POOL | MAP_SHARED), EPERM, ALLOW],
        "clock_gettime": own_clock(),
        "clock_getres": own_clock(),
        "clock_nanosleep": own_clock(),
        "clone": new_thread() if threads else [EPERM],
        "clone3": [ENOSYS],
        "fcntl": only(1, FCNTL),
        "futex": private_futex(threads),
        "ioctl": [low(1), *if_in((TCGETS, TCGETS2), ENOTTY), *if_in((FIOCLEX,), ALLOW), EPERM],
        "kill": own_signal(pid, 1),
        "madvise": only(2, MADVISE, otherwise=EINVAL),
        "prctl": only(0, (PR_SET_NAME,)),
        "prlimit64": own_limits(),
        "sched_getaffinity": only(0, (0, pid)),
        "tgkill": own_signal(pid, 2),
    }


def program(machine: str, pid: int, threads: bool, kind: Kind = Kind.PYTHON) -> list[Instruction]:
    """Return the filter of one process."""
    column = list(AUDIT_ARCH).index(machine)
    code: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IF_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        KILL,
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        code += [(IF_GREATER_EQUAL, 0, 1, X32_BIT), KILL]
    rules = (
        {name: [ALLOW] for name in ALLOWED}
        | conditions(pid, threads)
        | (written_memory(threads) if is_closed(machine, kind) else {})
        | more(kind)
        | {name: [KILL] for name in HOSTILE}
    )
    numbers = ALLOWED | CONDITIONAL | EXECUTED | READING | HOSTILE
    for name, body in rules.items():
        number = numbers[name][column]
        if number is not None:
            code += [(IF_EQUAL, 0, len(body), number), *body]
    return [*code, EPERM]


def is_closed(machine: str, kind: Kind = Kind.PYTHON) -> bool:
    """Tell whether a process finds no page at all that others have, too.

    It may find one in a program that brings a C library of its own.
    """
    return machine in CLOSED and kind is Kind.PYTHON


def supported() -> bool:
    """Whether there is a table for this machine."""
    return platform.machine() in AUDIT_ARCH


@cache
def packed(machine: str, threads: bool, kind: Kind = Kind.PYTHON) -> bytes:
    """Return a filter as the kernel reads it, with `SELF` where the process id goes."""
    return b"".join(struct.pack("HBBI", *step) for step in program(machine, SELF, threads, kind))


def install(code: bytes, pid: int) -> None:
    """Put a filter on this process, for ever. Needs no_new_privs."""
    code = code.replace(SELF.to_bytes(4, sys.byteorder), pid.to_bytes(4, sys.byteorder))
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    set_mode_filter, all_threads = 1, 1
    if linux.syscall(SECCOMP[platform.machine()], set_mode_filter, all_threads, header):
        raise OSError(errno.EBUSY, "a thread could not be put behind the seccomp filter")
