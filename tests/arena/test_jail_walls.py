"""The walls one by one: what the system-call filter decides, and what happens on hosts that lack something."""

from __future__ import annotations

import dataclasses
import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.jail import FaultKind, HostError, Layer, Level, Limits, doctor, files, landlock, seccomp, suite, wire
from arena.jail.seccomp import Instruction

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


CALLS = [  # name, arguments, what happens in the profiles numpy and threads
    ("read", (0,), ALLOW, ALLOW),
    ("openat", (0, 0, 0), ALLOW, ALLOW),
    ("openat", (0, 0, 0o2000000), ALLOW, ALLOW),  # O_CLOEXEC
    ("openat", (0, 0, 0o1), refused(errno.EACCES), refused(errno.EACCES)),
    ("openat", (0, 0, 0o2), refused(errno.EACCES), refused(errno.EACCES)),
    ("openat", (0, 0, 0o100), refused(errno.EACCES), refused(errno.EACCES)),
    ("openat", (0, 0, 0o1000), refused(errno.EACCES), refused(errno.EACCES)),
    ("openat", (0, 0, 0o20200002), refused(errno.EACCES), refused(errno.EACCES)),
    ("openat2", (), refused(errno.ENOSYS), refused(errno.ENOSYS)),
    ("clone3", (), refused(errno.ENOSYS), refused(errno.ENOSYS)),
    ("clone", (17,), refused(errno.EPERM), refused(errno.EPERM)),  # fork
    ("clone", (0x3D0F00,), refused(errno.EPERM), ALLOW),  # pthread_create
    ("clone", (0x3D0F00 | 0x10000000,), refused(errno.EPERM), refused(errno.EPERM)),
    ("clone", (0x10000000,), refused(errno.EPERM), refused(errno.EPERM)),
    ("futex", (0, 128), ALLOW, ALLOW),
    ("futex", (0, 0), refused(errno.EPERM), ALLOW),  # pthread_join
    ("futex", (0, 9 | 256), refused(errno.EPERM), ALLOW),
    ("futex", (0, 1), refused(errno.EPERM), refused(errno.EPERM)),
    ("ioctl", (1, 0x5401), refused(errno.ENOTTY), refused(errno.ENOTTY)),
    ("ioctl", (1, 0x5412), refused(errno.EPERM), refused(errno.EPERM)),
    ("fcntl", (1, 3), ALLOW, ALLOW),
    ("fcntl", (1, 4), refused(errno.EPERM), refused(errno.EPERM)),
    ("kill", (PID, 9), ALLOW, ALLOW),
    ("kill", (PID + 1, 9), refused(errno.EPERM), refused(errno.EPERM)),
    ("kill", (2**64 - 1, 9), refused(errno.EPERM), refused(errno.EPERM)),
    ("tgkill", (1, PID), refused(errno.EPERM), refused(errno.EPERM)),
    ("prlimit64", (0, 7, 0, 4096), ALLOW, ALLOW),
    ("prlimit64", (0, 7, 4096, 0), refused(errno.EPERM), refused(errno.EPERM)),
    ("prlimit64", (0, 7, 1 << 32, 0), refused(errno.EPERM), refused(errno.EPERM)),
    ("prlimit64", (1, 7, 0, 4096), refused(errno.EPERM), refused(errno.EPERM)),
    ("prctl", (15,), ALLOW, ALLOW),
    ("prctl", (38,), refused(errno.EPERM), refused(errno.EPERM)),
    ("madvise", (0, 0, 4), ALLOW, ALLOW),
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
    assert number is not None
    for profile, expected in ((False, plain), (True, threads)):
        code = seccomp.program(machine, PID, threads=profile, may_open=True)
        assert decide(code, machine, number, *arguments) == expected


@pytest.mark.parametrize("machine", seccomp.AUDIT_ARCH)
def test_what_is_not_named_is_refused_and_no_file_can_be_named_without_open(machine: str) -> None:
    column = list(seccomp.AUDIT_ARCH).index(machine)
    tables = seccomp.ALLOWED | seccomp.CONDITIONAL | seccomp.HOSTILE
    known = {numbers[column]: name for name, numbers in tables.items()}
    code = seccomp.program(machine, PID, threads=False, may_open=True)
    closed = seccomp.program(machine, PID, threads=False, may_open=False)
    for number in range(600):
        if number not in known:
            assert decide(code, machine, number) == refused(errno.EPERM)
        elif known[number] in seccomp.NO_OPEN:
            assert decide(code, machine, number) == ALLOW and decide(closed, machine, number) == refused(errno.EPERM)
        elif known[number] in seccomp.ALLOWED:
            assert decide(code, machine, number) == decide(closed, machine, number) == ALLOW
    assert len(code) < 4096


def test_another_architecture_or_table_of_numbers_ends_the_process() -> None:
    code = seccomp.program("x86_64", PID, threads=False, may_open=True)
    assert decide(code, "aarch64", 63) == KILL
    assert decide(code, "x86_64", 0x40000000) == KILL


HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}


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


# --- hosts that lack something -----------------------------------------------------------------------------------------------

LACKING = """
import sys
from arena.jail import HostError, Zygote, doctor, linux, seccomp
number, error = int(sys.argv[1]), int(sys.argv[2])
linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
seccomp.install([(seccomp.LOAD, 0, 0, 0), (seccomp.IF_EQUAL, 0, 1, number), seccomp.refuse(error), seccomp.ALLOW])
report = doctor.examine(sys.argv[3])
print(report.works, sorted(level for level, reason in report.levels.items() if not reason))
print(report.reason)
try:
    Zygote("flip7", sys.argv[3])
except HostError as refused:
    print("refused:", refused)
"""
LANDLOCK, UNSHARE = 444, seccomp.HOSTILE["unshare"]
HOSTS = [  # missing call, its error there, level, levels that work, words of the reason
    (
        LANDLOCK,
        errno.ENOSYS,
        "strict",
        ["strict-noopen", "trusted"],
        "no Landlock (Linux 5.13), or a container's profile blocks system call 444",
    ),
    (LANDLOCK, errno.EOPNOTSUPP, "strict", ["strict-noopen", "trusted"], "boot parameter lsm="),
    (UNSHARE, errno.EPERM, "strict+ns", ["strict", "strict-noopen", "trusted"], "Operation not permitted"),
    (seccomp.SECCOMP, errno.ENOSYS, "strict", ["trusted"], "Function not implemented"),
]


@pytest.mark.parametrize("call, error, level, working, words", HOSTS)
def test_a_host_that_lacks_a_layer_is_refused_with_the_reason_and_what_would_work(
    call: int | tuple[int | None, int | None] | dict[str, int], error: int, level: str, working: list[str], words: str
) -> None:
    """As in a container: a system call that its profile does not let through."""
    machine = doctor.host_facts()["machine"]
    number = (
        call
        if isinstance(call, int)
        else call[machine]
        if isinstance(call, dict)
        else call[list(seccomp.AUDIT_ARCH).index(machine)]
    )
    command = [sys.executable, "-c", LACKING, str(number), str(error), level]
    result = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    first, reason, last = result.stdout.splitlines()
    assert first == f"False {working}"
    assert words in reason and last.startswith("refused:") and words in last


def test_an_unknown_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert "no table of system calls for riscv64" in doctor.missing(["calls"])  # type: ignore[list-item]


def test_an_open_wall_is_never_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one act succeeds, there is no zygote."""
    monkeypatch.setattr(landlock, "restrict", lambda *_: None)
    monkeypatch.setattr(doctor, "LAYERS", {**doctor.LAYERS, Level.STRICT: doctor.LAYERS[Level.TRUSTED]})
    from arena.jail import Zygote

    with pytest.raises(HostError, match="the wall does not hold, a bot can read a file, list a folder"):
        Zygote("flip7", "strict")


def test_the_doctor_reports_every_act_and_level() -> None:
    report = doctor.examine("strict")
    assert report.works and not report.reason and set(report.levels) == set(Level)
    assert len(report.checks) >= 25 and all(check.held and check.detail for check in report.checks)
    assert report.facts["landlock_abi"] >= 1 and report.facts["level"] == "strict"


# --- small parts -------------------------------------------------------------------------------------------------------------


def test_bots_may_read_python_and_the_libraries_but_nothing_of_this_checkout_but_the_engines() -> None:
    readable = files.readable(None, threads=False)
    assert Path(sys.modules["os"].__file__ or "").resolve().is_relative_to(next(p for p in readable if (p / "os.py").exists()))
    inside = [path for path in readable if path.is_relative_to(ROOT) and not path.is_relative_to(sys.prefix)]  # .venv may be here
    assert inside == [ROOT / "engines"]
    for private in (ROOT / "results", ROOT / "arena", ROOT / "bots", Path("/etc/passwd"), Path.home() / "x", Path("/tmp/x")):
        assert not any(private.is_relative_to(path) for path in readable)


def test_paths_below_others_are_left_out() -> None:
    paths = [Path("/a/b"), Path("/a"), Path("/ab"), Path("/a/b/c"), Path("/c")]
    assert files.outermost(paths) == [Path("/a"), Path("/ab"), Path("/c")]


def test_last_words_fit_their_frame_and_keep_every_kind() -> None:
    entries = [(row, "exception", "é" * 5000) for row in range(wire.MAX_ROWS)]
    packed = wire.pack_words(entries)
    assert len(packed) <= wire.MAX_WORDS
    back = wire.unpack_words(packed)
    assert [entry[:2] for entry in back] == [entry[:2] for entry in entries]
    assert {entry[2] for entry in back} == {"é" * wire.MAX_TEXT}


def test_words_that_do_not_fit_are_missing_for_the_later_rows() -> None:
    entries = [(row, "exception", f"{row}" * 999) for row in range(wire.MAX_ROWS)]
    packed = wire.pack_words(entries)
    assert len(packed) <= wire.MAX_WORDS
    back = wire.unpack_words(packed)
    assert [entry[:2] for entry in back] == [entry[:2] for entry in entries]
    assert back[0] == entries[0] and back[-1][2] == wire.UNSAID


def test_words_that_are_no_words_are_left_out() -> None:
    junk = (
        b'[1]\n{"a": 1}\n[0, "exception", "x"]\n\xff\xfe\n[1, 2, 3]\n' + b"[" * 100_000 + b'\n[true, 1, null]\n[3, "type", 9]\n'
    )
    assert wire.unpack_words(junk) == [(0, "exception", "x"), (3, "type", wire.UNSAID)]


def test_the_page_on_the_jail_has_the_limits_levels_faults_and_attacks_of_the_code() -> None:
    page = (ROOT / "docs" / "jail.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    limits = [(f"`{field.name}`", str(field.default)) for field in dataclasses.fields(Limits)]
    assert [tuple(row[:2]) for row in rows if tuple(row[:2]) in limits] == limits
    first = [row[0] for row in rows]
    assert {f"`{level}`" for level in Level} <= set(first) and {f"`{kind}`" for kind in FaultKind} <= set(first)
    assert {str(layer) for layer in Layer} - {"no-open"} <= set(first)
    shown = page.partition("<!-- attacks -->")[2].partition("<!-- end -->")[0].splitlines()[3:]
    attacks = suite.attacks(ROOT / "tests" / "attacks" / "breakouts")
    assert [line.split("|")[1].strip() for line in shown] == [attack.name.replace("_", " ") for attack in attacks]
    assert [line for line in shown if "succeeds" in line] == [line for line in shown if "see whether the store grows" in line]
