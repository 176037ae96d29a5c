"""The extra wall of `strict+ns`: a root of its own that holds only what may be read, no network, nobody to talk to.

User, mount, network, IPC and UTS namespaces; no process namespace, as the process that one must fork into would have another CPU
clock than the one that the worker reads. Refused in most containers and in some distributions; `doctor` says.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from . import linux

MOUNT_POINT = "/tmp"  # any folder that exists everywhere: what it held is not seen any more, nor anything else
FLAGS = {  # of statvfs -> of mount: a bind that is made read-only must repeat the ones that its source is locked to
    os.ST_NOSUID: linux.MS_NOSUID,
    os.ST_NODEV: linux.MS_NODEV,
    os.ST_NOEXEC: linux.MS_NOEXEC,
    os.ST_NOATIME: linux.MS_NOATIME,
    os.ST_NODIRATIME: linux.MS_NODIRATIME,
    os.ST_RELATIME: linux.MS_RELATIME,
}


def enter(readable: Iterable[Path], aliases: dict[Path, Path], folder: Path) -> None:
    """Move this process into namespaces of its own, its root a read-only image of `readable`, and go to `folder` in it.

    Args:
        readable: existing, resolved paths.
        aliases: other names of some of them (Python's search path may go through links).
        folder: where to go in the end.

    Raises:
        OSError: the host does not allow it.
    """
    user, group = os.geteuid(), os.getegid()
    kinds = linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS
    linux.unshare(kinds)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    sources = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in readable]
    links = [(link, link.readlink()) for link in Path("/").iterdir() if link.is_symlink()]
    linux.mount("tmpfs", MOUNT_POINT, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=1m,mode=0755")
    for link, target in links:  # /lib -> usr/lib and its like: the linker's paths
        Path(MOUNT_POINT + str(link)).symlink_to(target)
    for path, fd in sources:
        _bind(fd, MOUNT_POINT + str(path))
        os.close(fd)
    linux.enter_root(MOUNT_POINT)
    for name, target in aliases.items():
        if not name.exists():
            name.parent.mkdir(parents=True, exist_ok=True)
            name.symlink_to(target)
    linux.mount("", "/", flags=linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV)
    os.chdir(folder)


def _bind(fd: int, target: str) -> None:
    """Show what a descriptor refers to, a folder or a file, at a path, for reading only."""
    place = Path(target)
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    source = f"/proc/self/fd/{fd}"
    try:
        linux.mount(source, target, flags=linux.MS_BIND)
    except OSError:  # something else is mounted below it, and must come along
        linux.mount(source, target, flags=linux.MS_BIND | linux.MS_REC)
    has = os.statvfs(target).f_flag
    locked = sum(flag for seen, flag in FLAGS.items() if has & seen)
    linux.mount("", target, flags=linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID | locked)
