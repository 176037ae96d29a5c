"""A bit through the processor's caches: the sender reads some lines of memory that the hearer has flushed out
of all caches, and the hearer measures how long it takes to read them itself.

`ROLE`, `PLACE` (a key of `PLACES`) and `BITS` come before this text (`test_caches`).
"""

import ctypes
import mmap
import time

LIBC = ctypes.CDLL(None, use_errno=True)
RWX = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
# of the address in rdi: nanoseconds that a read takes, by system calls, as the counter of cycles cannot be read;
# then flush it
NOW = "b8 e4000000 bf 01000000 488d7424{} 0f05"  # clock_gettime(CLOCK_MONOTONIC, rsp + ..)
RELOAD = (
    f"53 4883ec20 4889fb {NOW.format('00')} 0faef0 488b03 0faee8 {NOW.format('10')} 488b442418 482b442408"
)
RELOAD += "7906 480500ca9a3b 0fae3b 0faef0 4883c420 5b c3"  # a second may begin in between
READ = "488b07 c3"
LINE, PAGE = 64, 4096
OBSCURE = ("wordexp", "ether_hostton", "fmtmsg", "getpw", "hcreate", "psiginfo", "rpmatch", "strfmon")
GAMES = ["flip7"]
kept = []


def machine_code(text):
    place = mmap.mmap(-1, PAGE, flags=OWN, prot=RWX)
    place.write(bytes.fromhex(text))
    kept.append(place)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(address)


def library():
    """Code of the largest library."""
    from llvmlite.binding import ffi

    begin = ctypes.cast(ffi.lib.LLVMPY_AddSymbol._cfn, ctypes.c_void_p).value & -PAGE
    return [begin + PAGE * (8 + 29 * i % 64) + LINE * (41 * i % 61) for i in range(8)]


def libc():
    """Functions of the C library that nobody calls."""
    return [ctypes.cast(getattr(LIBC, name), ctypes.c_void_p).value & -LINE for name in OBSCURE]


def clock():
    """The head of the kernel's own library."""
    LIBC.getauxval.restype = ctypes.c_void_p
    return [LIBC.getauxval(33) + LINE * line for line in (0, 5, 9)]


def zeros():
    """Memory that nobody has written to."""
    LIBC.mmap.restype = ctypes.c_void_p
    begin = LIBC.mmap(None, ctypes.c_size_t(PAGE), mmap.PROT_READ, OWN, -1, ctypes.c_long(0))
    if begin == ctypes.c_void_p(-1).value:  # refused; then memory that may be written to
        begin = LIBC.mmap(None, ctypes.c_size_t(PAGE), 3, OWN, -1, ctypes.c_long(0))
    return [begin + LINE * line for line in (3, 17, 29, 43)]


PLACES = {"library": library, "libc": libc, "clock": clock, "zeros": zeros}
reload, read = machine_code(RELOAD), machine_code(READ)
lines = PLACES[PLACE]()
turns = iter(BITS)


def threshold():
    """Nanoseconds between what is in a cache and what is not, by memory of one's own."""
    own = ctypes.create_string_buffer(b"x" * PAGE, PAGE)
    kept.append(own)
    line = ctypes.addressof(own) + 2 * LINE
    cold = sorted(reload(line) for _ in range(99))
    hot = sorted((read(line), reload(line))[1] for _ in range(99))
    return (hot[50] + cold[50]) / 2


def act(view):
    if ROLE == "sender":
        if next(turns):
            for _ in range(20):
                for line in lines:
                    read(line)
    else:
        limit = threshold()
        print("HEARD", sum(reload(line) < limit for line in lines) / len(lines))
    return view.legal[0]
