"""The system-call wall: a seccomp-BPF program that lets a bot compute, read what Landlock shows it, and answer.

What is not named here fails with EPERM. Calls that only an attack makes end the process (SIGSYS: the verdict `forbidden`). The
program looks at numbers and arguments in registers only; calls whose arguments are behind pointers (openat2, clone3) do not exist
for the bot (ENOSYS), and the C library then uses the older call, which can be judged.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from . import linux

# --- system calls by number: (x86_64, aarch64); None: that architecture has no such call --------------------------------------

Numbers = dict[str, tuple[int | None, int | None]]

ALLOWED: Numbers = {
    # the hot ones first
    "read": (0, 63),
    "write": (1, 64),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "brk": (12, 214),
    "mremap": (25, 216),
    "clock_gettime": (228, 113),
    # files: reading, and what there is
    "access": (21, None),
    "close": (3, 57),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fstat": (5, 80),
    "getcwd": (79, 17),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "lseek": (8, 62),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "poll": (7, None),
    "ppoll": (271, 73),
    "pread64": (17, 67),
    "pselect6": (270, 72),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "select": (23, None),
    "stat": (4, None),
    "statx": (332, 291),
    "writev": (20, 66),
    # itself
    "exit": (60, 93),
    "exit_group": (231, 94),
    "getcpu": (309, 168),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "rseq": (334, 293),
    "sched_yield": (24, 124),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "uname": (63, 160),
    # clocks and signals
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "nanosleep": (35, 101),
    "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "time": (201, None),
    "times": (100, 153),
}

CONDITIONAL: Numbers = {
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
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

NO_OPEN = [
    "access",
    "dup",
    "dup2",
    "dup3",
    "faccessat",
    "faccessat2",
    "getcwd",
    "getdents",
    "getdents64",
    "lstat",
    "newfstatat",
    "open",
    "openat",
    "readlink",
    "readlinkat",
    "stat",
    "statx",
]  # what the level strict-noopen refuses as well

SECCOMP = {"x86_64": 317, "aarch64": 277}
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000  # x86_64 only: another table of numbers under the same architecture

# --- arguments ------------------------------------------------------------------------------------------------------------------

WRITES = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE
TCGETS, TCGETS2, FIOCLEX = 0x5401, 0x802C542A, 0x5451  # every open() of a text file asks whether it is a terminal
FCNTL = (0, 1030, 1, 2, 3)  # F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL: no locks, leases, owners or seals
MADVISE = (3, 4, 8, 14, 15)  # WILLNEED, DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE
PR_SET_NAME = 15
THREAD = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000  # CLONE_VM, FS, FILES, SIGHAND, THREAD
NEW_NAMESPACE = 0x7E020000  # every CLONE_NEW*
FUTEX_PRIVATE = 128
FUTEX_COMMAND = 127
FUTEX_WAIT, FUTEX_WAIT_BITSET = 0, 9

# --- the program ----------------------------------------------------------------------------------------------------------------
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


EPERM, EACCES, ENOSYS, EINVAL, ENOTTY = (
    refuse(number) for number in (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL, errno.ENOTTY)
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


def read_only(flags: int) -> list[Instruction]:
    """Opening a file, with the open flags in this argument."""
    return [low(flags), (IF_ANY_BIT, 0, 1, WRITES), EACCES, ALLOW]


def only(argument: int, values: tuple[int, ...], otherwise: Instruction = EPERM) -> list[Instruction]:
    """Allowed if the argument has one of these values."""
    return [low(argument), *if_in(values, ALLOW), otherwise]


def new_thread() -> list[Instruction]:
    """`clone` that makes a thread and nothing else."""
    return [
        low(0),
        (IF_ANY_BIT, 0, 1, NEW_NAMESPACE),
        EPERM,
        (AND, 0, 0, THREAD),
        (IF_EQUAL, 0, 1, THREAD),
        ALLOW,
        EPERM,
    ]


def private_futex(threads: bool) -> list[Instruction]:
    """Futexes of this process only: on a file that two bots have mapped, they could wake each other.

    With threads, pthread_join waits on a shared one that the kernel wakes: waiting alone tells nobody anything.
    """
    waits = if_in((FUTEX_WAIT, FUTEX_WAIT_BITSET), ALLOW) if threads else []
    return [low(1), (IF_ANY_BIT, 0, 1, FUTEX_PRIVATE), ALLOW, (AND, 0, 0, FUTEX_COMMAND), *waits, EPERM]


def conditions(pid: int, threads: bool) -> dict[str, list[Instruction]]:
    """For every conditional call, what decides about it."""
    return {
        "open": read_only(1),
        "openat": read_only(2),
        "openat2": [ENOSYS],
        "clone": new_thread() if threads else [EPERM],
        "clone3": [ENOSYS],
        "fcntl": only(1, FCNTL),
        "futex": private_futex(threads),
        "ioctl": [low(1), *if_in((TCGETS, TCGETS2), ENOTTY), *if_in((FIOCLEX,), ALLOW), EPERM],
        "kill": only(0, (pid,)),
        "madvise": only(2, MADVISE, otherwise=EINVAL),
        "prctl": only(0, (PR_SET_NAME,)),
        "prlimit64": [
            low(0),
            (IF_EQUAL, 1, 0, 0),
            EPERM,
            low(2),
            (IF_EQUAL, 1, 0, 0),
            EPERM,
            high(2),
            (IF_EQUAL, 1, 0, 0),
            EPERM,
            ALLOW,
        ],
        "sched_getaffinity": only(0, (0, pid)),
        "tgkill": only(0, (pid,)),
    }


def program(machine: str, pid: int, threads: bool, may_open: bool) -> list[Instruction]:
    """The filter of one bot's process.

    Args:
        machine: "x86_64" or "aarch64".
        pid: the process; it may signal itself.
        threads: whether it may make threads.
        may_open: whether files may be opened (for reading) and looked at.
    """
    column = list(AUDIT_ARCH).index(machine)
    code: list[Instruction] = [(LOAD, 0, 0, ARCHITECTURE), (IF_EQUAL, 1, 0, AUDIT_ARCH[machine]), KILL, (LOAD, 0, 0, NUMBER)]
    if machine == "x86_64":
        code += [(IF_GREATER_EQUAL, 0, 1, X32_BIT), KILL]
    rules = {name: [ALLOW] for name in ALLOWED} | conditions(pid, threads) | {name: [KILL] for name in HOSTILE}
    numbers = ALLOWED | CONDITIONAL | HOSTILE
    for name, body in rules.items():
        number = numbers[name][column]
        if number is not None and (may_open or name not in NO_OPEN):
            code += [(IF_EQUAL, 0, len(body), number), *body]
    return [*code, EPERM]


def supported() -> bool:
    """Whether there is a table for this machine."""
    return platform.machine() in AUDIT_ARCH


def install(steps: list[Instruction]) -> None:
    """Put a filter on this process, for ever. Needs no_new_privs.

    Raises:
        OSError: the kernel refuses.
    """
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    set_mode_filter, all_threads = 1, 1
    if linux.syscall(SECCOMP[platform.machine()], set_mode_filter, all_threads, header):
        raise OSError(errno.EBUSY, "a thread could not be put behind the seccomp filter")
