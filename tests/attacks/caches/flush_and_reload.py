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
# of rsi addresses at rdi: nanoseconds that it takes to read them, one after the other, by system calls, as the counter
# of cycles cannot be read; then flush them. One line alone is lost in what the two calls differ by
NOW = "b8 e4000000 bf 01000000 488d7424{} 0f05"  # clock_gettime(CLOCK_MONOTONIC, rsp + ..)
EACH = "31c9 488b04cb {} 48ffc1 4c39e1 75{}"
RELOAD = f"53 4154 4883ec28 4889fb 4989f4 {NOW.format('00')} 0faef0 {EACH.format('488b00 0faee8', 'ee')}"
RELOAD += f" {NOW.format('10')} {EACH.format('0fae38', 'f1')} 0faef0 488b442418 482b442408"
RELOAD += "7906 480500ca9a3b 4883c428 415c 5b c3"  # a second may begin in between
READ = "53 4154 4889fb 4989f4 31c9 488b04cb 488b00 48ffc1 4c39e1 75f1 415c 5b c3"
LINE, PAGE = 64, 4096
OBSCURE = ("wordexp", "ether_hostton", "fmtmsg", "getpw", "hcreate", "psiginfo", "rpmatch", "strfmon")
GAMES = ["flip7"]
kept = []


def machine_code(text):
    place = mmap.mmap(-1, PAGE, flags=OWN, prot=RWX)
    place.write(bytes.fromhex(text))
    kept.append(place)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64)(address)


def library():
    """Code of the largest library."""
    from llvmlite.binding import ffi

    begin = ctypes.cast(ffi.lib.LLVMPY_AddSymbol._cfn, ctypes.c_void_p).value & -PAGE
    return [begin + PAGE * (8 + 29 * i % 64) + LINE * (41 * i % 61) for i in range(16)]


def libc():
    """Functions of the C library that nobody calls."""
    return [ctypes.cast(getattr(LIBC, name), ctypes.c_void_p).value & -LINE for name in OBSCURE]


def clock():
    """The head of the kernel's own library."""
    LIBC.getauxval.restype = ctypes.c_void_p
    begin = LIBC.getauxval(33)
    return [begin + LINE * line for line in (0, 5, 9, 14, 19, 25, 31, 38)]


def zeros():
    """Memory that nobody has written to."""
    LIBC.mmap.restype = ctypes.c_void_p
    begin = LIBC.mmap(None, ctypes.c_size_t(PAGE), mmap.PROT_READ, OWN, -1, ctypes.c_long(0))
    if begin == ctypes.c_void_p(-1).value:  # refused; then memory that may be written to
        begin = LIBC.mmap(None, ctypes.c_size_t(PAGE), 3, OWN, -1, ctypes.c_long(0))
    return [begin + LINE * line for line in (3, 9, 17, 23, 29, 37, 43, 54)]


def caught():
    """The last page of memory that the kernel still writes to: who reads it sooner, in another thread, has the page
    of zeros.
    """
    import threading

    place, size = 1 << 44, 128 << 20
    LIBC.mmap.restype = ctypes.c_void_p
    again = (ctypes.c_void_p(place), ctypes.c_size_t(size), 3, OWN | 0x8010, -1, ctypes.c_long(0))
    LIBC.mmap(*again)

    def write_for_ever():
        while True:
            LIBC.mmap(*again)

    threading.Thread(target=write_for_ever, daemon=True).start()
    return [place + size - PAGE + LINE * line for line in (3, 9, 17, 23, 29, 37, 43, 54)]


PLACES = {"caught": caught, "library": library, "libc": libc, "clock": clock, "zeros": zeros}
reload_all, read_all = machine_code(RELOAD), machine_code(READ)
turns = iter(BITS)


def group(addresses):
    """Addresses as the machine code wants them."""
    return (ctypes.c_uint64 * len(addresses))(*addresses)


def reload(lines):
    read(
        group([line ^ PAGE // 2 for line in lines])
    )  # so that the core knows the pages, and only lines are timed
    return reload_all(lines, len(lines))


def read(lines):
    return read_all(lines, len(lines))


lines = group(PLACES[PLACE]())


def threshold():
    """Nanoseconds between what is in a cache and what is not, by as many lines of memory of one's own."""
    own = ctypes.create_string_buffer(b"x" * PAGE * len(lines), PAGE * len(lines))
    kept.append(own)
    alike = group([ctypes.addressof(own) + PAGE * i + LINE * (41 * i % 61) for i in range(len(lines))])
    cold = sorted(reload(alike) for _ in range(99))
    hot = sorted((read(alike), reload(alike))[1] for _ in range(99))
    return (hot[50] + cold[50]) / 2


def act(view):
    if ROLE == "sender":
        if next(turns):
            for _ in range(20):
                read(lines)
    else:
        print("HEARD", int(reload(lines) < threshold()))
    return view.legal[0]
