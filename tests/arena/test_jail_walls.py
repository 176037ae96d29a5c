"""The walls one by one: what the system-call filter decides,
and what happens on hosts that lack something.
"""

import dataclasses
import errno
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.cell import GameZygote, frames
from arena.cli.league import answer_line
from arena.jail import FaultKind, HostError, Layer, Level, Limits, doctor, facts, seccomp
from arena.jail.process import MAX_TEXT, told
from arena.jail.seccomp import Instruction
from arena.match.played import Forfeited, PlayedMatch
from arena.match.setup import MatchSetup
from arena.printable import LINE, first_line, shortened
from arena.runs.drive import STORED_TEXT, with_short_texts
from engines import core
from tests.python import python

ROOT = Path(__file__).parents[2]
PID = 4321
ALLOW, KILL = 0x7FFF0000, 0x80000000


def refused(number: int) -> int:
    return 0x00050000 | number


def decide(code: list[Instruction], machine: str, number: int, *arguments: int) -> int:
    """What the kernel would do with a system call: the classic BPF machine in ten lines."""
    words = {0: number, 4: seccomp.AUDIT_ARCH[machine]}
    for i, argument in enumerate(arguments):
        words |= {16 + 8 * i: argument & 0xFFFFFFFF, 20 + 8 * i: argument >> 32 & 0xFFFFFFFF}
    at, loaded = 0, 0
    while True:
        kind, if_true, if_false, value = code[at]
        if kind == seccomp.RETURN:
            return value
        if kind == seccomp.LOAD:
            loaded, jump = words.get(value, 0), 0
        elif kind == seccomp.AND:
            loaded, jump = loaded & value, 0
        else:
            tests = {
                seccomp.IF_EQUAL: loaded == value,
                seccomp.IF_GREATER_EQUAL: loaded >= value,
                seccomp.IF_ANY_BIT: loaded & value,
            }
            jump = if_true if tests[kind] else if_false
        at += 1 + jump


@pytest.mark.parametrize("machine", seccomp.AUDIT_ARCH)
def test_only_programs_that_are_not_python_are_started_and_only_interpreters_name_files(machine: str) -> None:
    column = list(seccomp.AUDIT_ARCH).index(machine)
    codes = {kind: seccomp.program(machine, PID, threads=False, kind=kind) for kind in seccomp.Kind}

    def decided(name: str, *arguments: int) -> list[bool]:
        number = (seccomp.EXECUTED | seccomp.READING | seccomp.CONDITIONAL)[name][column]
        return [decide(code, machine, number, *arguments) == ALLOW for code in codes.values()]

    python, binary, interpreter = codes
    assert (python, binary, interpreter) == tuple(seccomp.Kind)
    assert decided("execveat", 8, 0, 0, 0, 0x1000) == [False, True, True]
    assert decided("prlimit64", 0, 9, 4096) == [False, True, True]  # address space
    assert decided("prlimit64", 0, 0, 4096) == [False, False, False]  # CPU time
    assert decided("prlimit64", 1, 9, 4096) == [False, False, False]  # of another process
    assert decided("openat", 0, 0, 0o2000000) == [False, False, True]  # O_CLOEXEC
    for flag in (1, 2, 0o100, 0o1000, 0o2000, 0o20200000):
        assert decided("openat", 0, 0, flag) == [False, False, False], oct(flag)
    for name in set(seccomp.READING) - {"open", "openat"}:
        if seccomp.READING[name][column] is not None:
            assert decided(name) == [False, False, True], name
    if machine == "x86_64":
        assert decided("arch_prctl", 0x1002) == [False, True, True]
        assert decided("arch_prctl", 0x1001) == [False, False, False]


CALLS = [  # name, arguments, what happens in the profiles numpy and threads
    ("read", (0,), ALLOW, ALLOW),
    ("rseq", (), refused(errno.EPERM), ALLOW),
    ("set_robust_list", (), refused(errno.EPERM), ALLOW),
    ("mmap", (0, 4096, 3, 0x22 | 0x2000), refused(errno.EPERM), refused(errno.EPERM)),  # MAP_LOCKED
    ("mmap", (0, 4096, 3, 0x22 | 0x40000), refused(errno.EPERM), refused(errno.EPERM)),  # MAP_HUGETLB
    ("clock_gettime", (1,), ALLOW, ALLOW),
    ("clock_gettime", (7,), ALLOW, ALLOW),
    *(("clock_gettime", (clock,), *2 * (refused(errno.EPERM),)) for clock in (4, 8, 9, 10, 11, 12)),
    ("clock_gettime", ((~4000 << 3) | 2,), refused(errno.EPERM), refused(errno.EPERM)),  # another process's
    ("clock_getres", ((~4000 << 3) | 2,), refused(errno.EPERM), refused(errno.EPERM)),
    ("clock_nanosleep", ((~4000 << 3) | 2,), refused(errno.EPERM), refused(errno.EPERM)),
    ("clone3", (), refused(errno.ENOSYS), refused(errno.ENOSYS)),
    ("clone", (17,), refused(errno.EPERM), refused(errno.EPERM)),  # fork
    ("clone", (0x3D0F00,), refused(errno.EPERM), ALLOW),  # pthread_create
    ("clone", (0x3D0F00 | 0x10000000,), refused(errno.EPERM), refused(errno.EPERM)),
    ("clone", (0x3D0F00 | 0x1000,), refused(errno.EPERM), refused(errno.EPERM)),  # with a descriptor of it
    ("clone", (0x10000000,), refused(errno.EPERM), refused(errno.EPERM)),
    ("futex", (0, 128), ALLOW, ALLOW),
    ("futex", (0, 6 | 128), refused(errno.ENOSYS), refused(errno.ENOSYS)),  # that inherits a priority
    ("futex", (0, 0), refused(errno.EPERM), ALLOW),  # pthread_join
    ("futex", (0, 9 | 256), refused(errno.EPERM), ALLOW),
    ("futex", (0, 1), refused(errno.EPERM), refused(errno.EPERM)),
    ("ioctl", (1, 0x5401), refused(errno.ENOTTY), refused(errno.ENOTTY)),
    ("ioctl", (1, 0x5412), refused(errno.EPERM), refused(errno.EPERM)),
    ("fcntl", (1, 3), ALLOW, ALLOW),
    ("fcntl", (1, 0), refused(errno.EPERM), refused(errno.EPERM)),  # a copy
    ("fcntl", (1, 4), refused(errno.EPERM), refused(errno.EPERM)),
    ("kill", (PID, 15), ALLOW, ALLOW),
    ("kill", (PID, 9), refused(errno.EPERM), refused(errno.EPERM)),  # only others kill
    ("kill", (PID, 9 | 1 << 32), refused(errno.EPERM), refused(errno.EPERM)),
    ("tgkill", (PID, PID, 9), refused(errno.EPERM), refused(errno.EPERM)),
    ("kill", (PID + 1, 9), refused(errno.EPERM), refused(errno.EPERM)),
    ("kill", (2**64 - 1, 9), refused(errno.EPERM), refused(errno.EPERM)),
    ("kill", (PID, 34), refused(errno.EPERM), refused(errno.EPERM)),  # queued, and counted per user
    ("tgkill", (PID, PID, 6), ALLOW, ALLOW),
    ("tgkill", (PID, PID, 34), refused(errno.EPERM), refused(errno.EPERM)),
    ("tgkill", (1, PID, 6), refused(errno.EPERM), refused(errno.EPERM)),
    ("prlimit64", (0, 7, 0, 4096), ALLOW, ALLOW),
    ("prlimit64", (0, 7, 4096, 0), refused(errno.EPERM), refused(errno.EPERM)),
    ("prlimit64", (0, 7, 1 << 32, 0), refused(errno.EPERM), refused(errno.EPERM)),
    ("prlimit64", (1, 7, 0, 4096), refused(errno.EPERM), refused(errno.EPERM)),
    ("prctl", (15,), ALLOW, ALLOW),
    ("prctl", (38,), refused(errno.EPERM), refused(errno.EPERM)),
    ("madvise", (0, 0, 15), ALLOW, ALLOW),
    ("madvise", (0, 0, 3), refused(errno.EINVAL), refused(errno.EINVAL)),  # reads a file ahead
    ("madvise", (0, 0, 9), refused(errno.EINVAL), refused(errno.EINVAL)),
    ("ptrace", (), KILL, KILL),
    ("io_uring_setup", (), KILL, KILL),
]


@pytest.mark.parametrize("machine", seccomp.AUDIT_ARCH)
@pytest.mark.parametrize("name, arguments, plain, threads", CALLS)
def test_a_system_call_is_decided_by_its_number_and_arguments(
    machine: str, name: str, arguments: tuple[int, ...], plain: int, threads: int
) -> None:
    numbers = seccomp.ALLOWED | seccomp.CONDITIONAL | seccomp.HOSTILE
    number = numbers[name][list(seccomp.AUDIT_ARCH).index(machine)]
    for profile, expected in ((False, plain), (True, threads)):
        code = seccomp.program(machine, PID, threads=profile)
        assert decide(code, machine, number, *arguments) == expected


# memory that could be read before it is written to, or given back: name, arguments, what happens where `pages`
# has taken the page of zeros away
UNWRITTEN = [
    ("brk", (), refused(0)),
    ("mremap", (), refused(errno.ENOMEM)),
    ("madvise", (0, 0, 4), refused(errno.EINVAL)),  # MADV_DONTNEED
    ("madvise", (0, 0, 8), refused(errno.EINVAL)),  # MADV_FREE
    ("mmap", (0, 4096, 3, 0x22), refused(errno.EPERM)),  # without MAP_POPULATE
    ("mmap", (0, 4096, 1, 0x8022), refused(errno.EPERM)),  # that cannot be written
    ("mmap", (0, 4096, 0, 0x8022), refused(errno.EPERM)),
    ("mmap", (0, 4096, 3, 0x18022), refused(errno.EPERM)),  # MAP_NONBLOCK undoes MAP_POPULATE
    ("mmap", (0, 4096, 3, 0x8122), refused(errno.EPERM)),  # MAP_GROWSDOWN
    ("mmap", (0, 4096, 3, 0x8028), refused(errno.EPERM)),  # MAP_DROPPABLE
    ("mmap", (0, 4096, 3, 0x8002), refused(errno.EPERM)),  # of a file
]


@pytest.mark.parametrize("name, arguments, expected", UNWRITTEN)
def test_memory_is_written_to_before_it_can_be_read_where_every_page_can_be_ones_own(
    name: str, arguments: tuple[int, ...], expected: int
) -> None:
    number = seccomp.CONDITIONAL[name][0]
    for kind in seccomp.Kind:
        for threads in (False, True):
            code = seccomp.program("x86_64", PID, threads, kind)
            closed = kind is seccomp.Kind.PYTHON
            assert decide(code, "x86_64", number, *arguments) == (expected if closed else ALLOW)


# address, rights, flags and descriptor of mmap; whether one thread, and many, may have such memory
NEW_MEMORY = [
    (0, 3, 0x8022, -1, True, False),  # the kernel writes to it, but another thread may be sooner
    (0, 3, 0x2, 4, False, True),  # of the file of zeros
    (0, 1, 0x2, 4, False, True),
    (0, 3, 0x2, 3, False, False),  # of another file
    (0, 3, 0x21, -1, False, False),  # MAP_SHARED: kept whole as long as a piece of it is mapped
    (0, 3, 0x1, 4, False, False),
    (0, 3, 0x102, 4, False, False),  # MAP_GROWSDOWN
    (0, 3, 0x2002, 4, False, False),  # MAP_LOCKED
    (4096, 3, 0x8022, -1, False, False),  # where it likes
    (1 << 40, 3, 0x2, 4, False, False),
]


@pytest.mark.parametrize("address, rights, flags, fd, one, many", NEW_MEMORY)
def test_new_memory_has_pages_of_its_own_for_one_thread_and_for_many(
    address: int, rights: int, flags: int, fd: int, one: bool, many: bool
) -> None:
    for threads, expected in ((False, one), (True, many)):
        code = seccomp.program("x86_64", PID, threads)
        decided = decide(code, "x86_64", 9, address, 4096, rights, flags, fd)
        assert decided == (ALLOW if expected else refused(errno.EPERM))


@pytest.mark.parametrize("machine", seccomp.AUDIT_ARCH)
def test_what_is_not_named_is_refused(machine: str) -> None:
    column = list(seccomp.AUDIT_ARCH).index(machine)
    tables = seccomp.ALLOWED | seccomp.CONDITIONAL | seccomp.HOSTILE
    known = {numbers[column]: name for name, numbers in tables.items()}
    code = seccomp.program(machine, PID, threads=False)
    for number in range(600):
        if number not in known:
            assert decide(code, machine, number) == refused(errno.EPERM)
        elif known[number] in seccomp.ALLOWED:
            assert decide(code, machine, number) == ALLOW
    assert len(code) < 4096


TAKES_A_PATH = set(
    """
access acct chdir chmod chown chroot creat execve execveat faccessat faccessat2 fanotify_mark fchmodat fchownat fstatfs fsconfig
fspick futimesat getcwd getdents getdents64 getxattr inotify_add_watch lchown lgetxattr link linkat listxattr llistxattr
lookup_dcookie lremovexattr lsetxattr lstat mkdir mkdirat mknod mknodat mount move_mount name_to_handle_at newfstatat open openat
openat2 open_tree pivot_root quotactl readlink readlinkat removexattr rename renameat renameat2 rmdir setxattr stat statfs statx
swapon symlink symlinkat truncate umount2 unlink unlinkat uselib utime utimensat utimes bind connect sendto sendmsg sendmmsg
""".split()  # noqa: SIM905
)


def test_no_call_that_takes_a_path_is_allowed() -> None:
    """A name that is looked up stays in the kernel, where every later process can time it."""
    assert not TAKES_A_PATH & (set(seccomp.ALLOWED) | set(seccomp.CONDITIONAL))


def test_no_call_counts_what_other_processes_do() -> None:
    """Their clocks, the machine's load and pages, their number, and what the kernel has done for them."""
    tells = "getrusage times sysinfo mincore cachestat getcpu getpriority sched_getscheduler uname"
    assert not set(tells.split()) & (set(seccomp.ALLOWED) | set(seccomp.CONDITIONAL))


def test_another_architecture_or_table_of_numbers_ends_the_process() -> None:
    code = seccomp.program("x86_64", PID, threads=False)
    assert decide(code, "aarch64", 63) == KILL
    assert decide(code, "x86_64", 0x40000000) == KILL


HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_tables_of_numbers_are_the_kernels(machine: str) -> None:
    if not Path(HEADERS[machine]).exists():
        pytest.skip(f"this machine has no {HEADERS[machine]}")
    text = Path(HEADERS[machine]).read_text()
    theirs = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    theirs = {"newfstatat": theirs.get("fstatat"), **theirs}
    column = list(seccomp.AUDIT_ARCH).index(machine)
    for name, numbers in (seccomp.ALLOWED | seccomp.CONDITIONAL | seccomp.HOSTILE).items():
        assert numbers[column] == theirs.get(name), name


LACKING = """
import sys
import os
from arena.jail import HostError, doctor, linux, seccomp
from arena.cell import GameZygote
number, error = int(sys.argv[1]), int(sys.argv[2])
linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
steps = [(seccomp.LOAD, 0, 0, 0), (seccomp.IF_EQUAL, 0, 1, number), seccomp.refuse(error), seccomp.ALLOW]
seccomp.install(b"".join(seccomp.struct.pack("HBBI", *step) for step in steps), os.getpid())
report = doctor.examine(lambda level: GameZygote("flip7", level, tested=False), sys.argv[3])
print(report.works, sorted(level for level, reason in report.levels.items() if not reason))
print(report.reason)
try:
    GameZygote("flip7", sys.argv[3])
except HostError as refused:
    print("refused:", refused)
"""
LANDLOCK = dict.fromkeys(seccomp.AUDIT_ARCH, 444)
UNSHARE = dict(zip(seccomp.AUDIT_ARCH, seccomp.HOSTILE["unshare"], strict=True))
LESS = ["strict", "strict+interpreters", "trusted"]
NO_LANDLOCK = "no Landlock (Linux 5.13), or a container's profile blocks system call 444"
HOSTS = [  # missing call, its error there, level, levels that work, words of the reason
    (LANDLOCK, errno.ENOSYS, "strict", ["trusted"], NO_LANDLOCK),
    (LANDLOCK, errno.EOPNOTSUPP, "strict", ["trusted"], "boot parameter lsm="),
    (UNSHARE, errno.EPERM, "strict+ns", LESS, "Operation not permitted"),
    (seccomp.SECCOMP, errno.ENOSYS, "strict", ["trusted"], "Function not implemented"),
]


@pytest.mark.parametrize("call, error, level, working, words", HOSTS)
def test_a_host_that_lacks_a_layer_is_refused_with_the_reason_and_what_would_work(
    call: dict[str, int], error: int, level: str, working: list[str], words: str
) -> None:
    """As in a container: a system call that its profile does not let through."""
    number = call[facts.host_facts()["machine"]]
    environment = {"PYTHONPATH": str(ROOT), "ARENA_CACHE": str(core.CACHE_FOLDER)}
    result = python("-c", LACKING, str(number), str(error), level, cwd=ROOT, env=environment)
    assert result.returncode == 0, result.stderr
    first, reason, last = result.stdout.splitlines()
    assert first == f"False {working}"
    assert words in reason and last.startswith("refused:") and words in last


def test_an_unknown_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert "no table of system calls for riscv64" in facts.missing(["calls"])


def test_an_open_wall_is_never_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one act succeeds, there is no zygote."""
    monkeypatch.setattr(doctor, "LAYERS", {**doctor.LAYERS, Level.STRICT: doctor.LAYERS[Level.TRUSTED]})
    with pytest.raises(HostError, match="the sandbox does not hold: a bot can read a file, list a folder"):
        GameZygote("flip7")


def test_the_doctor_reports_every_act_and_level() -> None:
    report = doctor.examine(lambda level: GameZygote("flip7", level, tested=False))
    assert report.works and not report.reason and set(report.levels) == set(Level)
    assert len(report.checks) >= 30 and all(check.held and check.detail for check in report.checks)
    assert report.facts["landlock_abi"] >= 1 and report.facts["level"] == "strict"


def test_the_wall_imports_nothing_of_the_engines_and_of_the_leagues_only_what_limits_are() -> None:
    code = (
        "import sys, arena.jail.doctor, arena.jail.forkserver\n"
        "print([n for n in sys.modules if n.split('.')[0] in sys.argv[1:]])"
    )
    heavy = ["engines", "leagues", "bots", "numpy", "numba", "ray", "pydantic", "sqlmodel"]
    assert python("-c", code, *heavy, cwd=ROOT, check=True).stdout == "['leagues', 'leagues.limits']\n"


def test_last_words_fit_their_frame_and_keep_every_kind() -> None:
    failures = [(row, FaultKind.EXCEPTION, f"{row}" * 999) for row in range(frames.MAX_ROWS)]
    actions = np.full(frames.MAX_ROWS, -1, np.int16)
    message = frames.reply(7, actions.tobytes(), failures)
    assert len(message) <= frames.MAX_REPLY
    _, words = frames.read_reply(message, frames.MAX_ROWS, 7)
    assert [(said.first, said.rows, said.kind) for said in words] == [
        (row, 1, kind) for row, kind, _ in failures
    ]
    assert words[0].text == "0" * 999 and words[-1].text == frames.UNSAID


def test_what_a_fault_says_is_bounded_and_its_terminal_codes_are_made_visible() -> None:
    fault = told(FaultKind.EXCEPTION, "begin " + "\x1b[31m" * 100_000 + " end")
    assert len(fault.text) == MAX_TEXT and fault.text.replace("\n", "").isprintable()
    assert fault.text.startswith("begin \\x1b[31m") and fault.text.endswith(" end")
    assert shortened("0123456789" * 2, 20) == "0123456789" * 2
    assert shortened("0123456789" * 3, 20) == "0123456789 [...] 789"


def test_what_a_bot_says_of_itself_cannot_look_like_a_line_about_another_bot() -> None:
    """It stands in a line of the notes; many blanks reach the edge of a terminal, and go on as a new line."""
    forged = "raised ValueError: x\nbanker@1 has lost all its games of flip7#1"
    assert first_line(forged) == "raised ValueError: x" and first_line(" \n") == ""
    assert first_line("raised it" + " " * 200 + "banker@1 has lost") == "raised it banker@1 has lost"
    assert len(first_line("x" * 999)) == LINE
    run: Any = SimpleNamespace(label="flip7#1")
    for game, then in ((-1, ""), (3, "hit")):
        answer: Any = SimpleNamespace(
            match=0, game=game, decision=5, then=then, now=f"fault exception: {forged}"
        )
        line = answer_line(run, answer)
        assert "fault exception: raised ValueError: x" in line and "banker" not in line


def test_the_store_keeps_the_begin_and_the_end_of_what_a_forfeit_says() -> None:
    words = "raised KeyError: 7 (bot.py, line 3)\n" + "  traceback\n" * 500 + "KeyError: 7"
    lost = [Forfeited(game, 0, 0, 5, "exception", words) for game in range(3)]
    setup = MatchSetup.of_games("flip7", range(3), (0, 1), {})
    match = PlayedMatch.of(setup, np.zeros((3, 2), np.int64), [], forfeits=lost)
    (((_, _, text), seats),) = with_short_texts(match).faults.items()
    assert len(text) == STORED_TEXT and seats == [(0, 0, 5), (1, 0, 5), (2, 0, 5)]
    assert text.startswith("raised KeyError: 7 (bot.py, line 3)\n") and text.endswith("KeyError: 7")


def first_cells(page: str) -> list[str]:
    """The first cell of each row of a page's tables."""
    return [line.strip("|").split("|")[0].strip() for line in page.splitlines() if line.startswith("|")]


def test_the_page_on_the_jail_has_the_limits_levels_and_layers_of_the_code() -> None:
    page = (ROOT / "docs" / "explanation" / "jail.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
    limits = [(f"`{field.name}`", str(field.default)) for field in dataclasses.fields(Limits)]
    assert [tuple(row[:2]) for row in rows if tuple(row[:2]) in limits] == limits
    assert {*(f"`{level}`" for level in Level), *map(str, Layer)} <= set(first_cells(page))
    assert f"{Limits().worst_wall_s():.0f} s by default" in page


def test_the_guide_for_authors_has_every_fault_of_the_code() -> None:
    page = (ROOT / "docs" / "guides" / "bots.md").read_text(encoding="utf-8")
    assert {f"`{kind}`" for kind in FaultKind} <= set(re.findall(r"`\w+`", " ".join(first_cells(page))))
