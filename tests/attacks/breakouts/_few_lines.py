"""Breakouts of a few calls.

Each function is a bot of its own (`suite.attacks`): its defaults say what must become of it. Without a parameter
it is all of the bot (`act` plays on if it has none); `view` is the parameter of `act`, and `views` of `act_batch`.
"""

import ctypes
import errno
import fcntl
import gc
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from multiprocessing import shared_memory
from pathlib import Path

import numpy

import engines
from engines import core

from .aim import LIBC, TARGET, attempt, libc, play, syscall


def advise_the_workers_memory(VERDICT="forbidden", WALL=False):
    """Wants to slow the worker down by pushing its memory out."""
    buffer = ctypes.create_string_buffer(8)
    attempt(syscall, 440, 0, struct.pack("PN", ctypes.addressof(buffer), 8), 1, 21, 0)


def ask_for_the_systems_state():
    """Wants free memory and uptime, as signs of what others do."""
    attempt(libc, "sysinfo", ctypes.create_string_buffer(256))
    attempt(libc, "getloadavg", ctypes.create_string_buffer(24), 3)


def be_a_server():
    """Wants to be called from outside."""
    attempt(lambda: socket.create_server(("127.0.0.1", 0)))


def become_more_important():
    """Wants a better priority, another core, real time."""
    attempt(lambda: os.nice(1))
    attempt(lambda: os.setpriority(os.PRIO_PROCESS, 0, 0) or "set")
    attempt(lambda: os.sched_setaffinity(0, range(os.cpu_count())) or "all cores")
    attempt(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)) or "batch")
    attempt(syscall, (251, 30), 1, 0, 0)


def boot_another_kernel(VERDICT="forbidden", WALL=False, SAFE=False):
    """Wants another kernel at the next start."""
    attempt(syscall, (246, 104), 0, 0, None, 0)


def build_a_wall_of_its_own():
    """Wants a filter or a rule set on top that changes what the first one does."""
    attempt(syscall, (317, 277), 1, 0, struct.pack("HxxxxxxP", 0, 0))
    attempt(syscall, 444, None, 0, 1)


def call_every_number(SAFE=False):
    """Wants any system call that nobody has named: tries every number with arguments that mean nothing."""
    NOTHING = [ctypes.c_long(-1)] * 6

    def answers(number):
        ctypes.set_errno(0)
        return LIBC.syscall(number, *NOTHING) != -1 or ctypes.get_errno() != errno.EPERM

    attempt(lambda: [number for number in TARGET.unnamed if answers(number)] or None)


def change_its_identity():
    """Wants to be another user."""
    attempt(lambda: os.setuid(os.getuid()) or "set")
    attempt(lambda: os.setgroups([]) or "no groups")
    attempt(lambda: os.setresgid(-1, -1, -1) or "set")
    attempt(lambda: os.setsid())


def change_the_root(VERDICT="forbidden", SAFE=False):
    """Wants a root folder of its own."""
    attempt(os.chroot, TARGET.mine)


def change_the_stores_attributes():
    """Wants to change the store's times, mode, owner and attributes."""
    attempt(lambda: os.utime(TARGET.store) or "touched")
    attempt(lambda: os.chmod(TARGET.store, 0o777) or "everybody's")
    attempt(lambda: os.chown(TARGET.store, os.getuid(), os.getgid()) or "mine")
    attempt(lambda: os.setxattr(TARGET.store, "user.x", b"1") or "marked")


def choose_where_its_memory_is():
    """Wants memory at addresses of its choice, far from each other: each piece costs the kernel four pages of tables."""
    OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    POPULATE = 0x8000

    def pieces(flags):
        for number in range(1, 9):
            syscall(
                (9, 222), (number << 40) - mmap.PAGESIZE, 2 * mmap.PAGESIZE, 3, OWN | POPULATE | flags, -1, 0
            )
        return "memory where it likes"

    for fixed in (0, 0x10, 0x100000):
        attempt(pieces, fixed)


def compare_kernel_objects(VERDICT="forbidden", WALL=False):
    """Wants to learn about the worker's objects."""
    attempt(syscall, (312, 272), os.getpid(), TARGET.worker, 0, 0, 0)


def connect_to_a_local_socket():
    """Wants a service of the machine, such as Ray's or Docker's."""
    attempt(lambda: socket.socket(socket.AF_UNIX).connect(TARGET.socket) or "connected")
    attempt(lambda: socket.socket(socket.AF_UNIX).connect("\0" + TARGET.token) or "connected")
    attempt(lambda: socket.socketpair())


def connect_to_a_server():
    """Wants to talk to the world by TCP."""
    attempt(lambda: socket.create_connection(("127.0.0.1", TARGET.port), 0.2))
    attempt(lambda: socket.getaddrinfo("example.org", 80))


def count_what_the_kernel_does():
    """Wants counters that tell what others do: page faults, lost cores, load, uptime."""
    attempt(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_majflt + 1)
    attempt(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw + 1)
    attempt(lambda: syscall((100, 153), None) and "ticks")
    attempt(os.getloadavg)
    attempt(lambda: libc("sysinfo", ctypes.create_string_buffer(256)) or "load, memory, number of processes")
    attempt(lambda: syscall((309, 168), ctypes.create_string_buffer(4), None, None) or "its core")
    attempt(lambda: os.sched_getaffinity(os.getppid()))
    attempt(lambda: os.getpriority(os.PRIO_USER, 0) + 100)


def destroy_the_store():
    """Wants the results gone."""
    attempt(lambda: os.truncate(TARGET.store, 0) or "truncated")
    attempt(lambda: os.rename(TARGET.store, TARGET.store + "x") or "renamed")
    attempt(lambda: os.unlink(TARGET.store) or "deleted")
    attempt(lambda: os.unlink(TARGET.store + "x") or "deleted")
    attempt(lambda: os.rmdir(os.path.dirname(TARGET.store)) or "folder deleted")


def enter_another_namespace(VERDICT="forbidden", WALL=False):
    """Wants into the namespaces of another process."""
    attempt(libc, "setns", 0, 0)


def find_foreign_descriptors(WALL=False):
    """Wants what the worker or the zygote has left open."""

    def descriptors():
        own = 4 if TARGET.threads else 3  # the last one: what new memory is a copy of, or the channel
        return [fd for fd in range(own + 1, 300) if _is_open(fd)] or None

    def _is_open(fd):
        try:
            os.get_inheritable(fd)
        except OSError:
            return False
        return True

    attempt(descriptors)


def find_secrets_in_the_environment(WALL=False):
    """Wants passwords and keys from the environment and the arguments."""
    library = ctypes.CDLL(None)
    library.getenv.restype = ctypes.c_char_p
    attempt(lambda: dict(os.environ) or None)
    attempt(lambda: library.getenv(b"ARENA_SECRET"))
    attempt(lambda: [word for word in sys.orig_argv if TARGET.folder in word] or None)
    attempt(lambda: open("/proc/self/environ").read() or None)


def find_the_harness_in_memory(WALL=False):
    """Wants the harness's modules, its store and its games, through the interpreter."""
    names = ("arena.match", "arena.store", "arena.cluster", "arena.runs", "ray", "sqlmodel", "sqlite3")
    attempt(lambda: [name for name in names if name in sys.modules] or None)
    attempt(
        lambda: (
            [
                thing
                for thing in gc.get_objects()
                if type(thing).__name__ in ("MatchSetup", "PlayedMatch", "Zygote", "Store")
            ]
            or None
        )
    )


def forget_address_randomisation():
    """Wants its addresses to be the same in every process."""
    attempt(libc, "personality", 0x0040000)


def fork(SAFE=False):
    """Wants a second process that thinks while it is not asked."""
    SIGCHLD = 17

    def child(pid):
        if pid == 0:
            os._exit(0)
        return "a child"

    attempt(lambda: child(os.fork()))
    attempt(lambda: child(syscall((56, 220), SIGCHLD, 0, 0, 0, 0)))


def fork_bomb(SAFE=False):
    """Wants to fill the machine with processes."""

    def bomb():
        for _ in range(20):
            if os.fork() == 0:
                os._exit(0)
        return "20 children"

    attempt(bomb)


def get_namespaces_of_its_own(VERDICT="forbidden"):
    """Wants to be root in a namespace, where more kernel can be reached."""
    NEWUSER = 0x10000000
    attempt(libc, "unshare", NEWUSER)


def inject_terminal_input():
    """Wants to type commands into the organiser's terminal."""
    TIOCSTI = 0x5412
    for fd in (0, 1, 2):
        attempt(lambda: fcntl.ioctl(fd, TIOCSTI, b"x"))
    attempt(lambda: os.open("/dev/tty", os.O_RDWR))
    attempt(lambda: os.openpty())


def keep_a_key_in_the_kernel():
    """Wants to leave a message in a keyring."""
    attempt(lambda: syscall((248, 217), b"user", TARGET.token.encode(), b"x", 1, -2))
    attempt(lambda: syscall((250, 219), 0, -3, 1))


def kill_the_zygote(SAFE=False):
    """Wants to end the fork server, and with it all bots of the match."""
    attempt(lambda: os.kill(os.getppid(), signal.SIGCONT) or "signalled")
    attempt(lambda: os.pidfd_open(os.getppid()))
    attempt(lambda: os.kill(os.getppid(), 9) or "killed")


def list_folders():
    """Wants to know what there is on the machine."""
    for folder in (TARGET.folder, "/", "/tmp", "/home", "/proc"):
        attempt(lambda: list(Path(folder).iterdir()) or None)


def load_a_kernel_module(VERDICT="forbidden", WALL=False):
    """Wants to be the kernel."""
    attempt(syscall, (313, 273), 0, b"", 0)


def lock_a_file_that_all_bots_read():
    """Wants to signal to another bot of its author by a lock."""
    attempt(lambda: fcntl.flock(open(os.__file__), fcntl.LOCK_EX) or "locked")
    attempt(lambda: fcntl.flock(1, fcntl.LOCK_EX) or "locked")
    attempt(lambda: fcntl.lockf(open(os.__file__), fcntl.LOCK_SH) or "locked")
    attempt(lambda: fcntl.fcntl(open(os.__file__), fcntl.F_SETLEASE, fcntl.F_RDLCK) or "leased")
    attempt(lambda: fcntl.fcntl(os.open(os.path.dirname(os.__file__), 0), fcntl.F_NOTIFY, 1) or "notified")


def lock_memory(SAFE=False):
    """Wants memory that cannot be swapped out."""
    attempt(libc, "mlockall", 1)
    attempt(libc, "mlock", ctypes.create_string_buffer(1 << 20), 1 << 20)


def lock_with_priorities(SAFE=False):
    """Wants the futex calls that inherit priorities, in which kernels have had holes."""
    word = ctypes.c_uint32(0)
    for command in (6, 8, 11, 12, 13):
        attempt(
            lambda: (
                syscall((202, 98), ctypes.addressof(word), command | 128, 0, None, ctypes.addressof(word), 0)
                or "done"
            )
        )


def look_into_other_requests(view, WALL=False):
    """Wants positions of other bots in the request memory behind its own."""
    frame = sys._getframe()
    while "requests" not in frame.f_locals:
        frame = frame.f_back
    behind = numpy.frombuffer(frame.f_locals["requests"], numpy.uint8)[64 * 1024 :]
    attempt(lambda: behind[behind != 0].tolist() or None)
    return view.legal[0]


def lower_the_workers_limits():
    """Wants to starve the worker."""
    attempt(
        lambda: resource.prlimit(
            TARGET.worker, resource.RLIMIT_CORE, resource.prlimit(TARGET.worker, resource.RLIMIT_CORE)
        )
    )


def make_a_process_by_clone3():
    """Wants a process by a call whose flags a filter cannot see."""

    def clone3():
        if syscall(435, struct.pack("11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88) == 0:
            os._exit(0)
        return "a child"

    attempt(clone3)


def make_links_and_devices():
    """Wants another name for the store, a pipe, a device."""
    place = f"{TARGET.folder}/{TARGET.token}"
    attempt(lambda: os.link(TARGET.store, place + "1") or "hard link")
    attempt(lambda: os.symlink(TARGET.store, place + "2") or "soft link")
    attempt(lambda: os.mkfifo(place + "3") or "pipe")
    attempt(lambda: os.mknod(place + "4") or "node")


def mount_a_filesystem(VERDICT="forbidden", SAFE=False):
    """Wants to see the machine through a mount of its own."""
    attempt(libc, "mount", b"tmpfs", TARGET.folder.encode(), b"tmpfs", 0, None)


def move_data_past_the_filter(SAFE=False):
    """Wants to copy files inside the kernel."""
    attempt(lambda: os.sendfile(3, os.open(os.__file__, os.O_RDONLY), 0, 10))
    attempt(lambda: os.splice(3, 1, 10))
    attempt(lambda: os.copy_file_range(os.open(os.__file__, os.O_RDONLY), 1, 10))


def move_mounts(VERDICT="forbidden", WALL=False):
    """Wants the new calls for mounts."""
    attempt(syscall, 428, -100, b"/", 1)


def open_for_writing_in_every_way():
    """Wants any open call that lets it write."""
    for flags in (
        os.O_WRONLY,
        os.O_RDWR,
        os.O_RDONLY | os.O_CREAT,
        os.O_RDONLY | os.O_TRUNC,
        os.O_RDONLY | os.O_APPEND,
        os.O_RDWR | os.O_TMPFILE,
    ):
        attempt(
            lambda: os.open(TARGET.folder if flags & os.O_TMPFILE == os.O_TMPFILE else TARGET.store, flags)
        )


def pivot_the_root(VERDICT="forbidden", WALL=False):
    """Wants to swap the root folder."""
    attempt(syscall, (155, 41), b".", b".")


def plant_modules_for_others(SAFE=False):
    """Wants its own numpy, engines and sitecustomize to be loaded by others."""
    attempt(lambda: sys.modules["numpy"].__file__.startswith(TARGET.mine) and "my numpy" or None)
    sys.path.insert(0, TARGET.mine)
    sys.modules["engines.flip7"] = None
    attempt(lambda: open(TARGET.mine + "/sitecustomize.py", "w"))
    attempt(lambda: open(sys.prefix + "/lib/x.pth", "w"))


def pretend_to_be_the_hosts_failure(view, VERDICT="protocol", WORDS="wrote", WALL=False):
    """Wants a lost match played again, by saying that the host has failed."""
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<4sQd", b"no. ", frame.f_locals["nonce"], 0.0) + b"no memory")
    return 0


def queue_signals_to_itself():
    """Wants to fill the queue of signals, whose length is counted per user: another bot would see it full."""
    NUMBER = signal.SIGRTMIN + 3
    signal.pthread_sigmask(signal.SIG_BLOCK, [NUMBER])
    attempt(lambda: os.kill(os.getpid(), NUMBER) or "queued")
    attempt(lambda: syscall((234, 131), os.getpid(), os.getpid(), NUMBER) or "queued")
    attempt(lambda: signal.raise_signal(NUMBER) or "queued")
    info = NUMBER.to_bytes(4, "little") + bytes(4) + (-1).to_bytes(4, "little", signed=True) + bytes(116)
    attempt(lambda: syscall((129, 138), os.getpid(), NUMBER, info) or "queued")
    attempt(lambda: syscall((297, 240), os.getpid(), os.getpid(), NUMBER, info) or "queued")


def raise_its_limits(SAFE=False):
    """Wants more memory, files and processes than it may have."""
    for which in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
        attempt(
            lambda: resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)) or "raised"
        )


def read_another_bots_source():
    """Wants to know how another bot decides."""
    attempt(Path(TARGET.other).read_text)
    attempt(
        lambda: (
            __import__("importlib.util")
            .util.spec_from_file_location("x", TARGET.other)
            .loader.get_data(TARGET.other)
        )
    )


def read_its_log_back():
    """Wants its log as a memory that others may read."""
    attempt(lambda: os.pread(1, 99, 0))
    attempt(lambda: mmap.mmap(1, 4096))
    attempt(lambda: open(f"/proc/{TARGET.victim}/fd/1").read())


def read_memory_by_proc():
    """Wants the memory and environment of others through /proc."""
    for pid in (os.getppid(), TARGET.worker, TARGET.victim):
        for name in ("environ", "maps", "auxv", "stack"):
            attempt(lambda: Path(f"/proc/{pid}/{name}").read_bytes() or None)
        attempt(lambda: Path(f"/proc/{pid}/mem").open("rb"))
        attempt(lambda: list(Path(f"/proc/{pid}/fd").iterdir()))


def read_raw_devices(WALL=False):
    """Wants the disk, the memory and the kernel's log."""
    for name in ("mem", "kmsg", "kcore", "sda", "vda", "nvme0n1", "port"):
        attempt(lambda: Path("/dev", name).open("rb").read(1))


def read_the_hosts_name():
    """Wants to know which machine it runs on."""

    def by_the_kernel():
        buffer = ctypes.create_string_buffer(390)
        libc("uname", buffer)
        return buffer[65:130]

    attempt(by_the_kernel)
    attempt(lambda: os.uname().nodename if os.uname().nodename != "jail" else None)
    attempt(lambda: platform.node() if platform.node() != "jail" else None)
    attempt(socket.gethostname)
    attempt(lambda: open("/proc/sys/kernel/hostname").read())


def read_the_kernels_log():
    """Wants what the kernel tells the organiser."""
    attempt(libc, "klogctl", 10, None, 0)


def read_the_machines_load():
    """Wants to feel what the others do by the machine's load."""
    for name in ("loadavg", "stat", "uptime", "meminfo", "interrupts", "self/io"):
        attempt(Path("/proc", name).read_text)


def read_the_password_file():
    """Wants the names of the machine's users."""
    attempt(Path("/etc/passwd").read_text)
    attempt(Path("/etc/hostname").read_text)


def read_the_store():
    """Wants the results and seeds in the worker's store."""
    attempt(Path(TARGET.store).read_text)


def read_the_store_by_a_path_descriptor():
    """Wants the store through a descriptor that names it without opening it."""

    def through_o_path():
        fd = os.open(TARGET.store, os.O_PATH)
        return os.read(os.open(f"/proc/self/fd/{fd}", os.O_RDONLY), 99)

    attempt(through_o_path)


def read_the_store_by_its_handle(VERDICT="forbidden"):
    """Wants the store by its handle, past the checks of its path."""

    def by_handle():
        handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
        mount = ctypes.c_int()
        syscall((303, 264), -100, TARGET.store.encode(), handle, ctypes.byref(mount), 0)
        return syscall((304, 265), -100, handle, 0)

    attempt(by_handle)
    attempt(lambda: syscall((304, 265), -100, bytes(136), 0))


def read_the_store_by_openat2():
    """Wants the store by a system call whose flags a filter cannot see."""
    attempt(syscall, 437, -100, TARGET.store.encode(), struct.pack("QQQ", 0, 0, 0), 24)


def read_the_store_by_other_names():
    """Wants the store through links that lead around a check of paths."""
    steps_up = "../" * 40
    for path in (
        f"/proc/self/root{TARGET.store}",
        f"/proc/self/cwd/{steps_up}{TARGET.store}",
        f"{steps_up}{TARGET.store}",
        f"//{TARGET.store}",
    ):
        attempt(Path(path).read_text)
    attempt(lambda: os.chdir("/") or Path(TARGET.store[1:]).read_text())


def read_the_workers_memory(VERDICT="forbidden", WALL=False):
    """Wants the hidden cards out of the worker's memory."""
    buffer = ctypes.create_string_buffer(8)
    piece = struct.pack("PN", ctypes.addressof(buffer), 8)
    attempt(libc, "process_vm_readv", TARGET.worker, piece, 1, piece, 1, 0)


def reboot(VERDICT="forbidden", WALL=False, SAFE=False):
    """Wants the machine to start again."""
    attempt(libc, "reboot", 0)


def reopen_its_channel(SAFE=False):
    """Wants a second end of its channel, to take back what it has written."""
    attempt(lambda: os.open("/proc/self/fd/3", os.O_RDONLY))
    attempt(lambda: os.open("/dev/fd/3", os.O_RDWR))
    attempt(lambda: os.dup(3))
    attempt(lambda: socket.socket(fileno=os.dup(3)).getpeername())
    attempt(lambda: socket.fromfd(3, socket.AF_UNIX, socket.SOCK_SEQPACKET).getpeername())


def run_a_program_from_memory():
    """Wants to run a program that it brought along, without a file."""

    def from_memory():
        fd = os.memfd_create("program")
        os.write(fd, Path("/bin/echo").read_bytes())
        # keeps its channel: else the worker sees it closed and ends the program before it speaks
        os.set_inheritable(3, True)
        os.execve(fd, ["echo", "GOT: it ran"], {})

    attempt(from_memory)


def run_code_by_timers():
    """Wants to be woken between its turns."""
    attempt(lambda: signal.setitimer(signal.ITIMER_REAL, 100))
    attempt(lambda: "an alarm" if signal.alarm(100) == 0 and signal.alarm(0) > 0 else None)
    attempt(lambda: syscall((222, 107), 0, None, bytes(8)))
    attempt(lambda: syscall((283, 85), 0, 0))
    attempt(lambda: syscall((282, 74), -1, bytes(8), 8, 0))


def see_what_is_in_the_page_cache():
    """Wants to know which files others have just read."""

    def page_of_a_file():
        page = numpy.frombuffer(
            mmap.mmap(open(os.__file__, "rb").fileno(), 0, prot=mmap.PROT_READ), numpy.uint8
        )
        return page.ctypes.data & ~4095

    code = ctypes.cast(LIBC.getpid, ctypes.c_void_p).value & ~4095
    attempt(libc, "mincore", code, 4096, ctypes.create_string_buffer(1))
    attempt(lambda: libc("mincore", page_of_a_file(), 4096, ctypes.create_string_buffer(1)))
    attempt(syscall, 451, 3, bytes(16), ctypes.create_string_buffer(40), 0)


def see_whether_the_store_grows():
    """Wants to know when the store changes, by its size and times."""
    attempt(os.stat, TARGET.store)


def see_who_is_there():
    """Wants to know which processes run."""
    attempt(lambda: os.readlink(f"/proc/{TARGET.worker}/exe"))
    attempt(lambda: os.readlink(f"/proc/{TARGET.worker}/fd/0"))
    attempt(Path(f"/proc/{TARGET.worker}/cmdline").read_bytes)
    attempt(Path(f"/proc/{TARGET.victim}/status").read_bytes)
    attempt(lambda: list(Path(f"/proc/{TARGET.worker}/task").iterdir()))


def see_who_sits_here(WALL=False):
    """Wants to know its opponents, by their files or the folders that they lie in."""
    attempt(lambda: [name for name in os.listdir("/bot") if name != __name__.partition(".")[0]] or None)
    attempt(
        lambda: (
            [str(path) for path in Path(__file__).parents[1].rglob("*") if __package__ not in str(path)]
            or None
        )
    )
    attempt(lambda: os.stat(f"/bot/{Path(TARGET.other).stem}"))
    attempt(
        lambda: (
            Path(f"/bot/../{TARGET.other}").resolve(strict=True).name
            if os.path.exists("/bot/../bot/other")
            else None
        )
    )


def send_datagrams():
    """Wants to send UDP packets."""
    attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", TARGET.port)))


def set_the_clock(SAFE=False):
    """Wants to move the machine's time."""
    attempt(lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()) or "set")
    attempt(libc, "adjtimex", bytes(208))
    attempt(lambda: __import__("socket").sethostname("x"))


def signal_another_bot():
    """Wants to end or stop an opponent."""
    attempt(lambda: os.kill(TARGET.victim, signal.SIGCONT) or "signalled")
    attempt(lambda: syscall((234, 131), TARGET.victim, TARGET.victim, 0))
    attempt(lambda: syscall((200, 130), TARGET.victim, 0))


def signal_everybody():
    """Wants to signal all processes that it may."""
    attempt(lambda: os.kill(-1, 0) or "signalled")
    attempt(lambda: os.kill(0, 0) or "signalled")
    attempt(lambda: os.kill(1, 0) or "signalled")


def signal_the_worker():
    """Wants to stop or end the match worker."""
    attempt(lambda: os.kill(TARGET.worker, signal.SIGCONT) or "signalled")
    attempt(lambda: os.killpg(TARGET.worker, 0) or "signalled")
    attempt(lambda: syscall((129, 138), TARGET.worker, 0, bytes(128)))
    attempt(lambda: syscall(424, os.pidfd_open(TARGET.worker), 0, None, 0))


def start_a_shell():
    """Wants to run programs of the machine."""
    attempt(lambda: subprocess.run(["/bin/sh", "-c", "echo ran"], capture_output=True).stdout)
    attempt(lambda: os.posix_spawn("/bin/true", ["true"], {}))
    attempt(lambda: os.system("true") == 0 or None)

    def shell():
        # keeps its channel: else the worker sees it closed and ends the shell before it speaks
        os.set_inheritable(3, True)
        os.execv("/bin/sh", ["sh", "-c", "echo GOT: a shell"])

    attempt(shell)


def steer_by_fcntl(SAFE=False):
    """Wants the signals, sizes and seals that fcntl can set on its channel."""
    F_ADD_SEALS, F_SETPIPE_SZ = 1033, 1031
    attempt(lambda: fcntl.fcntl(3, F_SETPIPE_SZ, 1 << 20))
    attempt(lambda: fcntl.fcntl(1, F_ADD_SEALS, 1) or "sealed")
    attempt(lambda: fcntl.fcntl(3, fcntl.F_SETOWN, TARGET.worker) or "owner")
    attempt(lambda: fcntl.fcntl(3, fcntl.F_SETFL, 0o20000) or "asynchronous")


def survive_a_forbidden_call(VERDICT="forbidden", SAFE=False):
    """Wants to go on after a call that ends it, by a signal handler."""
    signal.signal(signal.SIGSYS, signal.SIG_IGN)
    attempt(libc, "ptrace", 0, 0, 0, 0)
    attempt(lambda: "still here")


def take_a_descriptor_of_the_worker(VERDICT="forbidden", SAFE=False):
    """Wants the worker's open store."""

    def take():
        return [syscall(438, os.pidfd_open(TARGET.worker), fd, 0) for fd in range(3)]

    attempt(take)
    attempt(syscall, 438, 0, 0, 0)


def take_all_memory(SAFE=False):
    """Wants so much memory that others have none."""
    attempt(lambda: len(bytearray(3 << 30)))
    attempt(lambda: mmap.mmap(-1, 8 << 30))
    attempt(lambda: [bytearray(1 << 20) for _ in range(4096)] and "4 GiB")


def take_pages_from_the_machines_pool(SAFE=False):
    """Wants pages of which the whole machine has a number: who gets none knows that somebody else has them."""
    PRIVATE, HUGETLB, LOCKED = 0x22, 0x40000, 0x2000
    attempt(lambda: mmap.mmap(-1, 1 << 21, flags=PRIVATE | HUGETLB, prot=3))
    attempt(lambda: mmap.mmap(-1, 4096, flags=PRIVATE | LOCKED, prot=3))
    attempt(lambda: libc("mlockall", 4) or "locked")
    attempt(lambda: syscall((319, 279), b"huge", 4))


def think_in_a_thread(WALL=True):
    """Wants a thread that goes on thinking between its turns."""
    attempt(lambda: threading.Thread(target=int).start() or "a thread")


def trace_another_bot(VERDICT="forbidden", SAFE=False):
    """Wants to control an opponent as a debugger does."""
    attempt(libc, "ptrace", 16, TARGET.victim, 0, 0)


def trace_the_zygote(VERDICT="forbidden", SAFE=False):
    """Wants to control the fork server as a debugger does."""
    attempt(libc, "ptrace", 16, os.getppid(), 0, 0)


def truncate_its_log():
    """Wants to hide what it printed."""
    print("evidence")
    attempt(lambda: os.ftruncate(1, 0) or "gone")
    attempt(lambda: os.pwrite(1, b"x" * 8, 0))


def undo_its_chains():
    """Wants to be readable by others and to outlive the zygote."""
    PDEATHSIG, DUMPABLE, NO_NEW_PRIVS, SECCOMP, SUBREAPER = 1, 4, 38, 22, 36
    attempt(libc, "prctl", DUMPABLE, 1, 0, 0, 0)
    attempt(libc, "prctl", PDEATHSIG, 0, 0, 0, 0)
    attempt(libc, "prctl", SUBREAPER, 1, 0, 0, 0)
    attempt(libc, "prctl", NO_NEW_PRIVS, 0, 0, 0, 0)
    attempt(libc, "prctl", SECCOMP, 0, 0, 0, 0)


def unmount_a_filesystem(VERDICT="forbidden", WALL=False):
    """Wants to take a filesystem away."""
    attempt(libc, "umount2", (TARGET.folder + "/none").encode(), 0)


def use_32_bit_calls(VERDICT=("forbidden", "crash"), WALL=False):
    """Wants the system calls of the 32-bit machine, which have other numbers."""
    RIGHTS = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE, prot=RIGHTS)
    code.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
    if platform.machine() == "x86_64":
        attempt(lambda: ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())


def use_bpf(VERDICT="forbidden", WALL=False):
    """Wants to load a program into the kernel."""
    attempt(syscall, (321, 280), 0, bytes(72), 72)


def use_io_uring(VERDICT="forbidden", WALL=False):
    """Wants the system calls that a filter does not see."""
    attempt(syscall, 425, 1, ctypes.create_string_buffer(120))


def use_message_queues():
    """Wants a queue that its twin can read."""
    attempt(libc, "mq_open", f"/{TARGET.token}".encode(), 0o102, 0o600, None)


def use_perf_events(VERDICT="forbidden", SAFE=False):
    """Wants to measure others with the processor's counters."""
    attempt(syscall, (298, 241), struct.pack("IIQ", 1, 112, 0) + bytes(96), 0, -1, -1, 0)


def use_rare_sockets():
    """Wants netlink, raw, packet, virtual machine, crypto and Bluetooth sockets."""
    for family, kind in ((16, 3), (2, 3), (17, 3), (40, 1), (38, 5), (31, 3), (44, 3)):
        attempt(lambda: socket.socket(family, kind))


def use_shared_memory_files():
    """Wants shared memory by a name."""
    attempt(lambda: shared_memory.SharedMemory(TARGET.token, create=True, size=64))


def use_system_v_memory(SAFE=False):
    """Wants memory that outlives it and that its twin can reach."""
    KEY, CREATE = 0x5EC12E7, 0o1600
    attempt(libc, "shmget", KEY, 4096, CREATE)
    attempt(libc, "semget", KEY, 1, CREATE)
    attempt(libc, "msgget", KEY, CREATE)


def use_userfaultfd(VERDICT="forbidden", SAFE=False):
    """Wants to stop the kernel in the middle of a call."""
    attempt(syscall, (323, 282), 1)


def use_x32_numbers(VERDICT="forbidden", WALL=False):
    """Wants the second table of system calls, which simple filters forget."""
    attempt(syscall, 0x40000000 + 41, 2, 1, 0)


def watch_files_of_the_worker():
    """Wants to be told when the store is written."""
    attempt(libc, "inotify_init")
    attempt(libc, "fanotify_init", 0, 0)


def write_a_file():
    """Wants to leave something on the machine."""
    for folder in ("/tmp", "/dev/shm", "/var/tmp", TARGET.folder, "/run", "/root", "/home"):
        attempt(Path(folder, TARGET.token).write_text, "here I was")


def write_another_bots_memory(VERDICT="forbidden", SAFE=False):
    """Wants to change what an opponent thinks."""
    buffer = ctypes.create_string_buffer(8)
    piece = struct.pack("PN", ctypes.addressof(buffer), 8)
    attempt(libc, "process_vm_writev", TARGET.victim, piece, 1, piece, 1, 0)


def write_compiled_code_for_the_others(SAFE=False):
    """Wants to change the compiled rules that all other processes load."""
    attempt(lambda: Path(core.CACHE_FOLDER, TARGET.token).write_bytes(b"x"))
    attempt(lambda: next(Path(core.CACHE_FOLDER).rglob("*.nbc")).open("ab"))
    attempt(lambda: Path(engines.__file__).with_name(TARGET.token).write_text("x"))
    attempt(lambda: Path(engines.__file__).open("ab"))


def write_to_its_own_folder(WALL=False):
    """Wants to remember something for the next match, or to be another bot then."""
    mine = Path(__file__)
    attempt(mine.with_name("memory.txt").write_text, "the deals of match 1")
    attempt(mine.write_text, "changed")
    attempt(mine.parent.rename, mine.parent.with_name("renamed"))
    attempt(lambda: mine.with_name("folder").mkdir() or "a folder")
