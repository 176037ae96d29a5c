"""Give every fork server pages of memory that no other one shares.

What two fork servers both had mapped, a bot of each could use to tell the other something through the
processor's caches (Flush+Reload), without one system call.

The fork server calls `make_private` once, when everything is loaded. Afterwards its processes find no page
that a process of another fork server has, too, and can get none:

    code and constants of libraries   are copied into memory of its own (page cache: one page for the machine)
    writable parts of libraries       are written to, page for page: the kernel then copies them
    the kernel's clock pages          are taken away (vDSO, vvar); clocks are read by system calls
    the kernel's page of zeros        is what a page reads as that nobody has written to yet. Every page is
                                      written to here, large gaps are laid out with zeros of its own, and new
                                      memory comes populated: by `mmap` of the C library, which is changed
                                      here, and no other way (`seccomp`: nothing grows, nothing is given
                                      back); with threads as copies of a file (`have_memory_of_a_file`)

The last two need machine code, which is here for x86_64; elsewhere those pages stay shared (`CLOSED`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import platform
import resource
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import linux, memory, seccomp

CLOSED = platform.machine() in seccomp.CLOSED  # whether clock pages and the page of zeros are taken away, too
POPULATE_WRITE = 23  # madvise: write to all pages of a mapping (Linux 5.14)
HUGE, MADV_HUGEPAGE = 2 << 20, 14
PR_SET_MEMORY_MERGE = 67
MSEAL = 462  # on every processor
MREMAP_MAYMOVE_FIXED = 1 | 2
MAP_FIXED, MAP_POPULATE, MAP_FIXED_NOREPLACE = 0x10, 0x8000, 0x100000
OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
RW = mmap.PROT_READ | mmap.PROT_WRITE
RX = mmap.PROT_READ | mmap.PROT_EXEC
M_TRIM_THRESHOLD = -1
MOST_LOCKED = 1 << 30  # bytes of libraries; torch with all its libraries has more
STACK = 8 << 20  # bytes that the stack of a process may grow by
ZEROS = 2 << 20  # bytes of zeros that gaps are laid out with, again and again
GAP = (
    4 << 20
)  # bytes of a gap that is worth it: more than an arena of Python, which may come into use meanwhile
PRESENT = 3 << 62  # of an entry in /proc/self/pagemap: in memory or swapped out

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = _libc.mremap.restype = ctypes.c_void_p


@dataclass(frozen=True)
class Mapping:
    """A line of /proc/self/maps."""

    begin: int
    end: int
    rights: str  # as in "r-xp"
    name: str

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.begin

    @property
    def protection(self) -> int:
        """The rights as `mprotect` takes them."""
        return sum(bit for letter, bit in zip("rwx", (1, 2, 4)) if letter in self.rights)

    @property
    def of_file(self) -> bool:
        """Whether others can have the same pages: a file's, which is no memory of this process alone."""
        return self.name.startswith("/") and not self.name.startswith("/memfd:")


def make_private() -> None:
    """Have no page in common with any process but the children. Raises OSError: the kernel refuses."""
    with contextlib.suppress(OSError):  # a kernel before 6.4 merges nobody's pages unasked
        linux.prctl(PR_SET_MEMORY_MERGE, 0)
    locked = _locked()
    for mapping in mappings():
        if mapping.of_file and "w" not in mapping.rights:
            locked += _copy(mapping, MOST_LOCKED - locked)
    if CLOSED:
        _take_clock_pages()
        _populate_what_is_mapped()
        _stop_the_heap()
    _write_to_the_rest()
    for mapping in mappings():
        if "w" not in mapping.rights and mapping.name != "[vsyscall]":
            _seal(mapping)


def mappings() -> list[Mapping]:
    """Return what this process has mapped, by address."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, _, *name = line.split(maxsplit=5)
        begin, end = (int(text, 16) for text in span.split("-"))
        found.append(Mapping(begin, end, rights, "".join(name)))
    return found


def _copy(mapping: Mapping, lockable: int) -> int:
    """Put a copy in the place of pages that nobody writes to; what cannot be read is no longer there.

    Args:
        mapping: the place.
        lockable: bytes that may still be locked.

    Returns:
        Bytes that were locked.
    """
    if "r" not in mapping.rights:
        _call("munmap", mapping.begin, mapping.size)
        return 0
    copy = _alike(mapping) if mapping.size >= HUGE else _map(mapping.size)
    ctypes.memmove(copy, mapping.begin, mapping.size)
    _put(copy, mapping)
    # what is not locked may be swapped out, and comes back at the touch of the first who wants it
    if mapping.size > lockable:
        return 0
    failed = _libc.mlock(ctypes.c_void_p(mapping.begin), ctypes.c_size_t(mapping.size))
    return 0 if failed else mapping.size


def _alike(mapping: Mapping) -> int:
    """Return memory for a copy that lies to huge pages as its place does.

    It gets huge pages where the host has them: a fork then copies one entry of a page table for every 512.
    """
    area = _map(mapping.size + HUGE)
    skipped = (mapping.begin - area) % HUGE
    copy = area + skipped
    for begin, end in ((area, copy), (copy + mapping.size, area + mapping.size + HUGE)):
        if end > begin:
            _call("munmap", begin, end - begin)
    _libc.madvise(ctypes.c_void_p(copy), ctypes.c_size_t(mapping.size), MADV_HUGEPAGE)
    return copy


def _put(copy: int, mapping: Mapping) -> None:
    """Move a copy to the place of what it is a copy of."""
    _call("mprotect", copy, mapping.size, mapping.protection)
    _call("mremap", copy, mapping.size, mapping.size, MREMAP_MAYMOVE_FIXED, mapping.begin)


def _seal(mapping: Mapping) -> None:
    """Let nobody write to pages, or have their addresses for others: such memory would be in no limit.

    The kernel counts data by whether it can be written to now, and not by whether it was.
    """
    result = _libc.syscall(MSEAL, ctypes.c_void_p(mapping.begin), ctypes.c_size_t(mapping.size), 0)
    if result != 0 and ctypes.get_errno() != errno.ENOSYS:  # a kernel before 6.10 cannot
        raise OSError(ctypes.get_errno(), f"mseal: {os.strerror(ctypes.get_errno())}")


def _locked() -> int:
    """Bytes that are locked in memory."""
    return next(
        int(line.split()[1]) << 10
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmLck")
    )


def _map(size: int, at: int | None = None, flags: int = OWN, fd: int = -1) -> int:
    """Memory that can be written."""
    place = ctypes.c_void_p(at)
    address = _libc.mmap(place, ctypes.c_size_t(size), RW, flags, fd, ctypes.c_long(0))
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), f"mmap: {os.strerror(ctypes.get_errno())}")
    return int(address)


def _call(name: str, *arguments: int) -> None:
    """Call a function of the C library; -1 is an error."""
    result = getattr(_libc, name)(*(ctypes.c_void_p(argument) for argument in arguments))
    if result in (-1, ctypes.c_void_p(-1).value):
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


# --- the kernel's clock pages -------------------------------------------------------------------------------

SYSCALL = "b8 {} 0f 05 c3"  # mov eax, number; syscall; ret
CLOCKS = {
    "clock_gettime": 228,
    "clock_getres": 229,
    "gettimeofday": 96,
    "time": 201,
    "getcpu": 309,
    "getrandom": 318,
}


def _take_clock_pages() -> None:
    """Let the functions of the kernel's own library be system calls, and take its data away."""
    for mapping in mappings():
        if mapping.name == "[vdso]":
            code = bytearray(ctypes.string_at(mapping.begin, mapping.size))
            for name, at in functions(bytes(code)):
                number = CLOCKS.get(name.removeprefix("__vdso_"))
                if number is not None:
                    stub = bytes.fromhex(SYSCALL.format(number.to_bytes(4, "little").hex()))
                    code[at : at + len(stub)] = stub
            copy = _map(mapping.size)
            ctypes.memmove(copy, bytes(code), mapping.size)
            _put(copy, mapping)
    for mapping in mappings():
        if mapping.name.startswith("[vvar"):
            _call("munmap", mapping.begin, mapping.size)


def functions(image: bytes) -> Iterator[tuple[str, int]]:
    """Names of the functions of an ELF library of 64 bits that is mapped as it is, and where each begins."""
    (headers,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    segments = [struct.unpack_from("<IIQQ", image, headers + i * size) for i in range(count)]
    base = next(address - offset for kind, _, offset, address in segments if kind == 1)
    dynamic = next(offset for kind, _, offset, _ in segments if kind == 2)
    tags: dict[int, int] = {}
    while (tag := struct.unpack_from("<QQ", image, dynamic))[0]:
        tags[tag[0]] = tag[1]
        dynamic += 16
    texts, symbols = tags[5] - base, tags[6] - base
    for at in range(symbols, texts, 24):  # the names come right after the symbols
        name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", image, at)
        if info & 15 == 2 and value:
            yield image[texts + name : image.index(b"\0", texts + name)].decode(), value - base


# --- the kernel's page of zeros -----------------------------------------------------------------------------

# what new memory is, where MAP_ANONYMOUS is asked for: its kind, and a descriptor
NEW = (ctypes.c_uint32 * 2)(OWN | MAP_POPULATE, 0xFFFFFFFF)

# what `mmap` of the C library becomes: its system call, with `NEW` in the place of kind and descriptor
MMAP = """
f6 c1 20             test cl, MAP_ANONYMOUS
74 17                jz   plain
83 e1 d0             and  ecx, ~(MAP_TYPE | MAP_ANONYMOUS)
49 bb {memory}       mov  r11, NEW
41 0b 0b             or   ecx, [r11]
45 8b 43 04          mov  r8d, [r11 + 4]
45 31 c9             xor  r9d, r9d
4c 63 d1             plain: movsxd r10, ecx
b8 09 00 00 00       mov  eax, 9
0f 05                syscall
48 3d 00 f0 ff ff    cmp  rax, -4096
77 01                ja   error
c3                   ret
f7 d8                error: neg eax
50                   push rax
49 bb {errno}        mov  r11, __errno_location
41 ff d3             call r11
59                   pop  rcx
89 08                mov  [rax], ecx
48 83 c8 ff          or   rax, -1
c3                   ret
"""
JUMP = "49 bb {} 41 ff e3"  # mov r11, address; jmp r11


def have_memory_of_a_file(size: int) -> None:
    """Let new memory of this process be private copies of a file of zeros of its own.

    The kernel populates after it has mapped, so another thread can read a page sooner, and would then find
    the page of zeros. Here it finds the file's page. A shared mapping would give the same, but the kernel
    keeps all pages of one as long as a piece of it is mapped, which is in no limit.

    Args:
        size: bytes of the largest mapping that this process may have.
    """
    fd = memory.zeros(size)
    os.dup2(fd, seccomp.OWN_ZEROS, inheritable=False)
    os.close(fd)
    NEW[:] = [mmap.MAP_PRIVATE, seccomp.OWN_ZEROS]


def _populate_what_is_mapped() -> None:
    """Have the kernel write to every page of new memory.

    A page that is only read is the page of zeros, which all processes of the machine have.
    """
    place = ctypes.cast(_libc.__errno_location, ctypes.c_void_p).value or 0
    text = MMAP.format(errno=_hexed(place), memory=_hexed(ctypes.addressof(NEW)))
    stub = bytes.fromhex("".join(line.split("  ")[0] for line in text.splitlines()))
    place = _map(mmap.PAGESIZE)
    ctypes.memmove(place, stub, len(stub))
    _call("mprotect", place, mmap.PAGESIZE, RX)
    jump = bytes.fromhex(JUMP.format(_hexed(place)))
    for name in ("mmap", "mmap64"):
        at = ctypes.cast(getattr(_libc, name), ctypes.c_void_p).value or 0
        page = at & -mmap.PAGESIZE
        _call("mprotect", page, 2 * mmap.PAGESIZE, RW | mmap.PROT_EXEC)
        ctypes.memmove(at, jump, len(jump))
        _call("mprotect", page, 2 * mmap.PAGESIZE, RX)


def _hexed(address: int) -> str:
    return address.to_bytes(8, "little").hex()


def _stop_the_heap() -> None:
    """Let the heap be as large as it is: what grows is not written to. Its owner then takes new mappings."""
    if not _libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1):
        raise OSError("mallopt: the C library does not keep its heap")
    _libc.sbrk.restype = ctypes.c_void_p
    end = -(-_libc.sbrk(ctypes.c_long(0)) // mmap.PAGESIZE) * mmap.PAGESIZE
    _map(mmap.PAGESIZE, end, OWN | MAP_FIXED_NOREPLACE)


def _write_to_the_rest() -> None:
    """Write to every page of a file that can be written to.

    Where all is closed, write to every page at all, and lay out the large gaps among them.
    """
    with contextlib.ExitStack() as stack:
        if CLOSED:
            zeros = memory.new("zeros")
            stack.callback(os.close, zeros)
            os.posix_fallocate(zeros, 0, ZEROS)
            table = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, table)
        for mapping in mappings():
            if "w" not in mapping.rights or "s" in mapping.rights or not (CLOSED or mapping.of_file):
                continue
            begin = mapping.begin
            if mapping.name == "[stack]":
                most = resource.getrlimit(resource.RLIMIT_STACK)[0]
                room = min(most, STACK) if most != resource.RLIM_INFINITY else STACK
                _lay_out(zeros, begin - room // mmap.PAGESIZE * mmap.PAGESIZE, begin)
            elif not mapping.of_file and mapping.name != "[heap]":
                for gap in list(_gaps(table, mapping)):
                    _write(begin, gap[0])
                    _lay_out(zeros, *gap)
                    begin = gap[1]
            _write(begin, mapping.end)


def _write(begin: int, end: int) -> None:
    if end > begin:
        _call("madvise", begin, end - begin, POPULATE_WRITE)


def _gaps(table: int, mapping: Mapping) -> Iterator[tuple[int, int]]:
    """Begin and end of every large part of a mapping that nobody has used yet."""
    first, pages = mapping.begin // mmap.PAGESIZE, mapping.size // mmap.PAGESIZE
    entries = memoryview(os.pread(table, 8 * pages, 8 * first)).cast("Q")
    begin = 0
    for page, entry in enumerate([*entries, PRESENT]):
        if entry & PRESENT:
            if (page - begin) * mmap.PAGESIZE >= GAP:
                yield (first + begin) * mmap.PAGESIZE, (first + page) * mmap.PAGESIZE
            begin = page + 1


def _lay_out(zeros: int, begin: int, end: int) -> None:
    """Map zeros of this process's own, which are copied when they are written to."""
    for at in range(begin, end, ZEROS):
        _map(min(ZEROS, end - at), at, mmap.MAP_PRIVATE | MAP_FIXED, zeros)
