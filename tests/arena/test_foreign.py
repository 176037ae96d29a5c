"""Programs that are not Python, through the whole path of the jail: what they do wrong becomes the right fault, what
they attack is refused, and what they do right is played.
"""

import json
import os
import platform
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engines
from arena.cell import GameZygote
from arena.cell.foreign import ForeignBot, question_line
from arena.cell.manifest import BadManifest, parse, read
from arena.jail import FaultKind, Limits, Program, elf
from arena.jail.program import MANIFEST
from arena.match.batch import play_match
from arena.match.setup import MatchSetup

from .test_jail import request

HERE = Path(__file__).parent
CC = shutil.which("cc")
QUICK = Limits(
    cpu_ms_per_decision=1, cpu_s_bank=0.3, cpu_s_start=0.5, sleep_s_bank=0.3, memory_mib=64, log_kib=16
)
Spawn = Callable[..., ForeignBot]


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The test's program, linked statically."""
    return compiled((HERE / "data" / "foreign.c").read_text(encoding="utf-8"), tmp_path_factory.mktemp("c"))


def compiled(source: str, folder: Path) -> bytes:
    if CC is None:
        pytest.skip("there is no C compiler (cc) here")
    (folder / "bot.c").write_text(source, encoding="utf-8")
    command = [CC, "-static", "-O1", "-w", "-o", str(folder / "bot"), str(folder / "bot.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        pytest.skip(f"cc -static does not work here: {done.stderr.strip()[-200:]}")
    return (folder / "bot").read_bytes()


@pytest.fixture
def spawn(zygote: GameZygote, binary: bytes) -> Iterator[Spawn]:
    """A bot's process that misbehaves in one way."""
    bots: list[ForeignBot] = []

    def start(mode: str = "", limits: Limits = QUICK, zygote: GameZygote = zygote) -> ForeignBot:
        bot = zygote.spawn(folder(binary, [mode]), limits, 5)
        assert isinstance(bot, ForeignBot)
        bots.append(bot)
        return bot

    yield start
    for bot in bots:
        bot.close()


def folder(binary: bytes, arguments: list[str]) -> Program:
    """A bot's folder."""
    text = f'games = ["flip7"]\nprogram = "bot"\narguments = {json.dumps(arguments)}\n'
    return Program("foreign", {MANIFEST: text.encode(), "bot": binary})


# what it does, the fault, part of its text
WRONG = [
    ("exit at once", FaultKind.CRASH, "exit code 7"),
    ("loop at once", FaultKind.CPU, "to load the bot"),
    ("exit at a question", FaultKind.CRASH, "exit code 3"),
    ("crash", FaultKind.CRASH, "SIGSEGV"),
    ("loop", FaultKind.CPU, "CPU time in 1 decisions"),
    ("sleep", FaultKind.WALL, "slept for"),
    ("ptrace", FaultKind.FORBIDDEN, "SIGSYS"),
    ("unshare", FaultKind.FORBIDDEN, "SIGSYS"),
    ("garbage", FaultKind.PROTOCOL, "'garbage', which is no JSON"),
    ("half a line", FaultKind.WALL, "slept for"),
    ("half a line and exit", FaultKind.CRASH, "exit code 0"),
    ("no line", FaultKind.PROTOCOL, "closed its"),
    ("an endless line", FaultKind.PROTOCOL, "longer than an answer"),
    ("an empty line", FaultKind.PROTOCOL, "which is no JSON"),
    ("nul", FaultKind.PROTOCOL, "which is no JSON"),
    ("no utf-8", FaultKind.PROTOCOL, "utf-8"),
    ("deep", FaultKind.PROTOCOL, "no JSON"),
    ("no object", FaultKind.PROTOCOL, 'has "id": 1'),
    ("another id", FaultKind.PROTOCOL, 'has "id": 1'),
    ("true id", FaultKind.PROTOCOL, 'has "id": 1'),
    ("two lines", FaultKind.PROTOCOL, "more to its standard output than one line"),
    ("all memory", FaultKind.CRASH, "SIGABRT"),
    ("page tables", FaultKind.MEMORY, "with the kernel's page tables for it; the limit is 64 MiB"),
]
# these lose the game, and the process lives on
LIVES_ON = [
    ("no actions", FaultKind.TYPE, 'no list "actions" for 1 decisions'),
    ("too many actions", FaultKind.TYPE, "2 actions for 1 decisions"),
    ("null", FaultKind.TYPE, "answered null"),
    ("a half", FaultKind.TYPE, "answered 0.5"),
    ("not legal", FaultKind.ILLEGAL, "illegal action"),
    ("minus one", FaultKind.ILLEGAL, "answered -1: flip7 has actions 0 to"),
    ("a huge number", FaultKind.ILLEGAL, "answered 99999999999999999999"),
    ("unknown text", FaultKind.ILLEGAL, "\\x1b[2Jfold"),
]


@pytest.mark.parametrize("mode, kind, text", WRONG, ids=[mode for mode, _, _ in WRONG])
def test_who_breaks_a_rule_ends_with_its_fault(spawn: Spawn, mode: str, kind: FaultKind, text: str) -> None:
    bot = spawn(mode)
    if bot.ready() is None:
        reply = bot.ask(request(1))
        assert reply.fault is bot.fault and reply.actions.tolist() == [-1]
    assert bot.fault is not None and (bot.fault.kind, text in bot.fault.text) == (kind, True), bot.fault


@pytest.mark.parametrize("mode, kind, text", LIVES_ON, ids=[mode for mode, _, _ in LIVES_ON])
def test_a_wrong_answer_costs_one_game_alone(spawn: Spawn, mode: str, kind: FaultKind, text: str) -> None:
    bot = spawn(mode)
    assert bot.ready() is None
    reply = bot.ask(request(1))
    assert reply.faults[0].kind is kind and text in reply.faults[0].text, reply.faults
    assert bot.fault is None and reply.actions.tolist() == [-1]
    again = bot.ask(request(1))
    assert again.faults == {} and again.actions.tolist() == [request(1)[3][0]]


def test_a_program_that_answers_byte_by_byte_pays_for_its_sleep_on_a_busy_core_too(
    spawn: Spawn, zygote: GameZygote, binary: bytes
) -> None:
    """There bot and worker wait for the core at the same time, which is one wait and not two."""
    everywhere = os.sched_getaffinity(0)
    core = min(everywhere)
    spin = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    crowd = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(2)]
    limits = replace(QUICK, cpu_s_bank=9.0, sleep_s_bank=0.05)
    bot = zygote.spawn(folder(binary, ["byte by byte"]), limits, 5, core)
    try:
        os.sched_setaffinity(0, {core})
        assert bot.ready() is None
        fault = bot.ask(request(256)).fault
        assert fault is not None and fault.kind is FaultKind.WALL, fault
    finally:
        os.sched_setaffinity(0, everywhere)
        bot.close()
        for process in crowd:
            process.kill()
            process.wait()


def test_a_program_behind_the_wall_gets_nothing_and_plays_on(spawn: Spawn) -> None:
    bot = spawn("try all")
    assert bot.ready() is None and bot.ask(request(1)).faults == {}
    lines = bot.log().splitlines()
    assert len(lines) > 30 and all(line.startswith("refused: ") for line in lines), lines


def test_a_file_that_its_arguments_ask_for_is_open_to_be_read(binary: bytes, zygote: GameZygote) -> None:
    files = folder(binary, ["its file", "{open data/weights}"]).files
    bot = zygote.spawn(Program("foreign", {**files, "data/weights": b"0.25 0.5"}), QUICK, 5)
    try:
        assert bot.ready() is None and bot.ask(request(1)).faults == {}
        first, *others = bot.log().splitlines()
        assert first == "read 8: 0.25 0.5, mapped: 0.25"
        assert len(others) == 10 and all(line.startswith("refused: ") for line in others), others
    finally:
        bot.close()


def test_a_file_that_is_not_in_its_folder_is_told(binary: bytes) -> None:
    with pytest.raises(BadManifest, match=r"there is no file '\.\./weights' in the bot's folder"):
        read(folder(binary, ["{open ../weights}"]))


def test_the_process_has_no_privileges_two_filters_and_three_descriptors(spawn: Spawn) -> None:
    bot = spawn()
    assert bot.ready() is None
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{bot.pid}/status").read_text().splitlines())
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    limits = Path(f"/proc/{bot.pid}/limits").read_text()
    assert re.search(rf"Max address space +{64 << 20} +{64 << 20} ", limits)
    fds = Path(f"/proc/{bot.pid}/fd")
    if os.access(fds, os.R_OK):  # root's eyes: it may not be looked into
        assert {fd.name for fd in fds.iterdir()} == {"0", "1", "2"}
    assert bot.clock.read_memory() < 64


def test_a_program_that_lowers_its_own_limit_changes_nothing_that_is_told_of_it(spawn: Spawn) -> None:
    plain, lower = spawn(), spawn("less memory")
    for bot in (plain, lower):
        assert bot.ready() is None and not bot.ask(request(1)).faults
    told = [bot.clock.read_memory() for bot in (plain, lower)]
    assert 0 < min(told) <= max(told) < min(told) + 1


def test_many_games_are_asked_in_one_line_that_no_pipe_holds(spawn: Spawn) -> None:
    bot = spawn(limits=replace(QUICK, cpu_s_bank=5.0, sleep_s_bank=20.0))
    assert bot.ready() is None
    rows = request(1500)
    line = json.dumps(question_line(engines.load("flip7"), rows.part(0, 1024)), default=int)
    assert len(line) > 1 << 18
    reply = bot.ask(rows)
    assert reply.faults == {} and reply.fault is None
    assert reply.actions.tolist() == rows[3][rows[4][:-1]].tolist()


def test_an_action_may_be_named_by_its_text(spawn: Spawn) -> None:
    bot = spawn("by text")
    assert bot.ready() is None
    assert bot.ask(request(1)).actions.tolist() == [engines.load("flip7").action("hit")]


def test_what_it_prints_to_standard_error_is_its_log_which_has_an_end(spawn: Spawn) -> None:
    bot = spawn("a full log")
    assert bot.ready() is None and bot.ask(request(1)).faults == {}
    log = bot.log()
    assert log.startswith("a line of the log\n") and len(log) == 16 << 10


def test_a_program_ends_with_its_fork_server(binary: bytes) -> None:
    with GameZygote("flip7", tested=False) as zygote:
        bot = zygote.spawn(folder(binary, [""]), QUICK, 5)
        assert bot.ready() is None
        waiting = select.poll()
        gone = os.pidfd_open(bot.pid)
        waiting.register(gone, select.POLLIN)
        os.kill(zygote.pid, signal.SIGKILL)
        assert waiting.poll(60_000)
        os.close(gone)


def test_only_a_static_program_of_this_machine_is_started(binary: bytes, zygote: GameZygote) -> None:
    assert elf.wrong(binary) == ""
    assert elf.wrong(b"#!/bin/sh\n" + bytes(100)) == "is no ELF executable"
    assert elf.wrong(binary[:100]) == "is a damaged ELF executable"
    assert elf.wrong(binary[:18] + b"\x03\x00" + binary[20:]).startswith("is made for another machine")
    assert elf.wrong(Path(os.path.realpath("/bin/ls")).read_bytes()).startswith("needs a dynamic loader")
    bot = zygote.spawn(folder(b"#!/bin/sh\n" + bytes(100), []), QUICK, 5)
    try:
        bot.await_jail()  # as a match does first: the host has not failed
        fault = bot.ready()
        assert fault is not None and fault.kind is FaultKind.IMPORT and "is no ELF executable" in fault.text
    finally:
        bot.close()


# where a header of the file says what, and what it says instead
DAMAGE = [
    (24, "<Q", 2**47),  # first instruction
    (32, "<Q", 2**63),  # program headers
    (56, "<H", 2**16 - 1),  # their number
    (64 + 8, "<Q", 2**64 - 1),  # of the first one: place in the file
    (64 + 16, "<Q", 0),  # address
    (64 + 16, "<Q", 2**64 - 1),
    (64 + 32, "<Q", 2**63),  # bytes in the file
    (64 + 40, "<Q", 2**64 - 1),  # bytes in memory
]


@pytest.mark.parametrize("at, kind, value", DAMAGE)
def test_damage_is_the_bots_fault(binary: bytes, zygote: GameZygote, at: int, kind: str, value: int) -> None:
    damaged = bytearray(binary)
    struct.pack_into(kind, damaged, at, value)
    bot = zygote.spawn(folder(bytes(damaged), [""]), QUICK, 5)
    try:
        bot.await_jail()
        fault = bot.ready() or bot.ask(request(1)).fault
        assert fault is None or fault.kind in (FaultKind.IMPORT, FaultKind.CRASH)
    finally:
        bot.close()
    assert zygote.alive


MANIFESTS = [
    ("games = ['flip7']", "program is missing"),
    ("program = 'bot'", "games is missing"),
    ("program = 'bot'\ngames = 'flip7'", "games is a list of at most"),
    ("program = 3\ngames = ['flip7']", "program is one line of text"),
    ("program = 'bot'\ngames = ['flip7']\nprogramme = 'x'", "'programme', which nothing reads"),
    (f"{'k' * 3000} = 1", f"has '{'k' * 40}', which nothing reads"),
    ("program = 'bot", "bot.toml: Expected"),
    ("x = " + "[" * 2000, "bot.toml: "),
    ("#" * 5000, "may have 4096 bytes"),
    ("program = 'bot'\ngames = ['flip7']\narguments = [\"a\\u0000b\"]", "arguments is a list"),
]


@pytest.mark.parametrize("text, wrong", MANIFESTS)
def test_a_manifest_says_what_is_wrong_with_it(text: str, wrong: str) -> None:
    with pytest.raises(BadManifest, match=re.escape(wrong)):
        parse(text.encode())


# --- the bots of the page, and what went over their pipes ---------------------------------------------------------

PAGE = HERE.parents[1] / "docs" / "reference" / "protocol.md"


def shown(language: str) -> str:
    """The example's bot in a language; its manifest is the page's first block."""
    if language == "toml":
        return re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    name = "bot.pl" if language == "perl" else f"bot.{language}"
    return (HERE.parents[1] / "examples" / "other_languages" / name).read_text(encoding="utf-8")


def matched(game: str, bot: Program, level: str, limits: Limits, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A match against two random bots, and the lines that went over the pipes."""
    lines: list[str] = []
    exchange = ForeignBot.exchange

    def listened(self: ForeignBot, line: bytes, most: int) -> bytes:
        answer = exchange(self, line, most)
        lines.extend(("> " + line.decode().strip(), "< " + answer.decode()))
        return answer

    monkeypatch.setattr(ForeignBot, "exchange", listened)
    random = Program("random", {"random.py": (HERE.parents[1] / "bots" / "random.py").read_bytes()})
    options, places = engines.load(game).check_options(3, {})[1], [(0, 1, 2), (2, 0, 1)]
    own = {"bot_seeds": (5, 6, 7), "limits": limits, "level": level}
    setup = MatchSetup.of_games(game, [11, 12], places, options, **own)
    with GameZygote(game, level, limits.profile, tested=False) as zygote:
        return play_match(setup, [bot, random, random], zygote), lines


def test_the_bot_of_the_page_in_c_plays_a_match_which_went_as_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compiled(shown("c"), tmp_path)
    files = {MANIFEST: shown("toml").encode(), "bot": program}
    result, lines = matched("flip7", Program("hitter", files), "strict", Limits(), monkeypatch)
    assert result.forfeits == [] and result.decisions[0] > 20
    told = "\n".join(lines[:4])
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index("<!-- transcript -->\n") + 20, text.index("<!-- end -->")
    block = f"```\n{told}\n```\n"
    if os.environ.get("ARENA_WRITE_DOCS"):
        PAGE.write_text(text[:begin] + block + text[end:], encoding="utf-8")
    else:
        assert text[begin:end] == block, "ARENA_WRITE_DOCS=1 writes the page anew"


PERL = 'games = ["flip7"]\nprogram = "bot.pl"\ninterpreter = "perl"\n'
NODE = 'games = ["flip7"]\nprogram = "bot.js"\ninterpreter = "node"\narguments = ["-e", "{code}"]\n'
WITH_PERL = Limits(interpreters=["perl=/usr/bin/perl"])
WITH_NODE = Limits(interpreters=["node=/usr/bin/node"], profile="threads", memory_mib=2048)
INTERPRETED = [
    pytest.param("perl", "bot.pl", PERL, WITH_PERL, id="perl"),
    pytest.param("js", "bot.js", NODE, WITH_NODE, id="node", marks=pytest.mark.soak),
]


@pytest.mark.parametrize("language, file, manifest, limits", INTERPRETED)
def test_the_bots_of_the_page_that_need_an_interpreter_play_where_one_is_allowed(
    language: str, file: str, manifest: str, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = limits.interpreters[0].partition("=")[2]
    if not Path(path).exists():
        pytest.skip(f"there is no {path} here")
    bot = Program("hitter", {MANIFEST: manifest.encode(), file: shown(language).encode()})
    result, lines = matched("flip7", bot, "strict+interpreters", limits, monkeypatch)
    assert result.forfeits == [] and result.decisions[0] > 20 and lines


READS = {
    "perl": (
        'open(my $f, "<&=", $ARGV[0]) or die; print STDERR <$f>; $| = 1;\n'
        'while (<STDIN>) { /"id":(\\d+)/; print "{\\"id\\":$1}\\n"; }\n'
    ),
    "js": (
        'const fs = require("fs"), piece = Buffer.alloc(1 << 16), n = Number(process.argv[1]);\n'
        "fs.writeSync(2, piece.subarray(0, fs.readSync(n, piece, 0, 100, 0)));\n"
        "while (fs.readSync(0, piece) > 0) fs.writeSync(1, '{\"id\":0}\\n');\n"
    ),
}


@pytest.mark.parametrize("language, file, manifest, limits", INTERPRETED)
def test_a_script_reads_the_file_of_its_folder_that_its_arguments_ask_for(
    language: str, file: str, manifest: str, limits: Limits
) -> None:
    if not Path(limits.interpreters[0].partition("=")[2]).exists():
        pytest.skip("there is no such interpreter here")
    head, _, _ = manifest.partition("arguments")
    script = "{file}" if language == "perl" else "{code}"
    words = [*(["-e"] if language == "js" else []), script, "{open table.txt}"]
    text = f"{head}arguments = {json.dumps(words)}\n"
    files = {MANIFEST: text.encode(), file: READS[language].encode(), "table.txt": b"7 8 9"}
    with GameZygote("flip7", "strict+interpreters", limits.profile, tested=False) as zygote:
        process = zygote.spawn(Program("reader", files), limits, 5)
        assert process.ready() is None, process.fault
        assert process.log() == "7 8 9"


def test_an_interpreter_is_refused_where_the_organiser_allows_none(zygote: GameZygote) -> None:
    script = Program("hitter", {MANIFEST: PERL.encode(), "bot.pl": b"die"})
    bot = zygote.spawn(script, WITH_PERL, 5)  # but the level has none
    try:
        bot.await_jail()
        fault = bot.ready()
        assert fault is not None and fault.kind is FaultKind.IMPORT
        assert "the interpreter 'perl' is not allowed here" in fault.text
    finally:
        bot.close()


ATTACKS = r"""
$| = 1;
sub got { my ($what, $result) = @_; print STDERR ($result ? "GOT: $what\n" : "refused: $what\n"); }
my ($file, $folder);
got("read a file of the host", open($file, "<", "/etc/passwd"));
got("list a folder", opendir($folder, "/etc"));
got("write a file", open($file, ">", "/tmp/foreign"));
got("write in its libraries", open($file, ">", "/usr/lib/foreign"));
got("change the name of a file", rename("/tmp", "/tmp2"));
got("make a folder", mkdir("/tmp/foreign-folder"));
got("remove a file", unlink("/usr/bin/perl"));
got("a process", defined(my $pid = fork));
got("another program", exec {"/bin/true"} "true");
got("a command", system("/bin/true") == 0);
got("a socket", socket(my $socket, 2, 1, 0));
got("kill", kill(0, getppid()));
got("its own memory", open($file, "<", "/proc/self/mem"));
got("the worker's memory", open($file, "<", "/proc/" . getppid() . "/environ"));
my $place = "/tmp/foreign\0";
sub call { my ($what, @numbers) = @_; got($what, syscall(map { $_ } @numbers) != -1); }
if ($X86) {
    call("a pair of sockets", 53, 1, 1, 0, "\0" x 8);
    call("a file in memory", 319, $place, 0);
    call("pages that others have", 9, 0, 4096, 3, 0x21, -1, 0);
    call("huge pages", 9, 0, 1 << 21, 3, 0x40022, -1, 0);
    call("a watch on a folder", 294, 0);
    call("a handle of a file", 303, -100, $place, "\0" x 128, "\0" x 8, 0);
    call("shared memory", 29, 0, 4096, 0x3ff);
    call("a message queue", 68, 0, 0x3ff);
    call("a key", 248, "user\0", "foreign\0", "x", 1, -3);
    call("a timer", 222, 1, 0, "\0" x 8);
    call("a lock", 73, 2, 2);
    call("a copy of a descriptor", 72, 1, 0, 0);
    call("another's clock", 228, (~getppid() << 3) | 2, "\0" x 16);
    call("a raw clock", 228, 4, "\0" x 16);
    call("a priority", 141, 0, 0, 19);
    call("another core", 203, 0, 8, "\xff" x 8);
    call("to be readable", 157, 4, 1, 0, 0, 0);
    call("more memory", 302, 0, 9, "\xff" x 16, 0);
    call("a name of a process", 434, getppid(), 0);
    call("a thread", 56, 0x3d0f00, 0, 0, 0, 0);
    call("a child", 56, 17, 0, 0, 0, 0);
    call("a child that shares", 58);
    call("to write by openat2", 437, -100, $place, pack("QQQ", 0x42, 0x1ff, 0), 24);
    call("a file's mode", 90, $place, 0x1ff);
    call("a file's times", 280, -100, "/usr\0", 0, 0);
    call("an attribute", 191, "/usr\0", "user.x\0", "\0" x 8, 8);
    call("a link", 88, "/usr\0", $place);
    call("a device", 133, $place, 0x21ff, 0x103);
    call("a wall of its own", 317, 1, 0, "\0" x 16);
    call("another personality", 135, 0x40000);
}
while (<STDIN>) { /"id":(\d+)/; print "{\"id\":$1}\n"; }
"""


def test_an_interpreter_can_read_its_libraries_and_do_nothing_else() -> None:
    if not Path("/usr/bin/perl").exists():
        pytest.skip("there is no perl here")
    x86 = int(platform.machine() == "x86_64")
    bot = Program("attacker", {MANIFEST: PERL.encode(), "bot.pl": f"my $X86 = {x86};\n{ATTACKS}".encode()})
    with GameZygote("flip7", "strict+interpreters", tested=False) as zygote:
        process = zygote.spawn(bot, WITH_PERL, 5)
        assert process.ready() is None, process.fault
        lines = process.log().splitlines()
    assert len(lines) == 14 + 30 * x86, lines
    assert all(line.startswith("refused: ") for line in lines), lines
