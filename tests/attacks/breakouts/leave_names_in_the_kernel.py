"""Wants the kernel to look up names that do not exist:
each leaves a trace that any later process can time.
"""

import ctypes
import errno

from .aim import LIBC, attempt, play

GAMES = ["flip7"]

NAME = b"/usr/lib/no-such-name"
BUFFER = ctypes.create_string_buffer(4096)
CALLS = {  # by name: arguments with which a lookup fails with ENOENT
    "access": (NAME, 0),
    "faccessat": (-100, NAME, 0, 0),
    "open": (NAME, 0),
    "openat": (-100, NAME, 0),
    "readlink": (NAME, BUFFER, 100),
    "statfs": (NAME, BUFFER),
    "chdir": (NAME,),
    "chmod": (NAME, 0),
    "truncate": (NAME, ctypes.c_long(0)),
    "unlink": (NAME,),
    "rename": (NAME, NAME),
    "link": (NAME, NAME + b"2"),
    "mkdir": (NAME + b"/x", 0),
    "rmdir": (NAME,),
    "utimes": (NAME, None),
    "getxattr": (NAME, b"user.x", BUFFER, ctypes.c_size_t(9)),
    "listxattr": (NAME, BUFFER, ctypes.c_size_t(9)),
    "execve": (NAME, None, None),
    "inotify_add_watch": (-1, NAME, 1),
    "name_to_handle_at": (-100, NAME, BUFFER, BUFFER, 0),
}
RAW = {"stat": 4, "lstat": 6, "newfstatat": 262, "statx": 332, "openat2": 437}  # x86_64


def looked_up(name, arguments):
    ctypes.set_errno(0)
    getattr(LIBC, name)(*arguments)
    return ctypes.get_errno() == errno.ENOENT


attempt(lambda: [name for name, arguments in CALLS.items() if looked_up(name, arguments)] or None)
attempt(
    lambda: (
        [n for n, number in RAW.items() if looked_up("syscall", (number, NAME, BUFFER, BUFFER, 24))] or None
    )
)
attempt(lambda: [looked_up("syscall", (262, -100, NAME, BUFFER, 0))].count(True) or None)

act = play
