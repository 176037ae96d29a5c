"""Control groups: found where they were handed to this user, with the reason where they were not.

The kernel's files are copied into a folder here: few machines hand groups to those who run tests.
"""

import os
from pathlib import Path

import pytest

from arena.jail import cgroups, doctor
from arena.jail.cgroups import ControlGroup, NoGroups

MOUNTS = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host whose service manager has handed the group `scope` to this user, who runs in the leaf below it."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cgroup").write_text("3:cpuset:/\n0::/user/scope/leaf\n")
    mounted = f"{MOUNTS}32 31 0:29 / {tmp_path}/tree rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
    (tmp_path / "proc" / "mountinfo").write_text(mounted)
    scope = tmp_path / "tree" / "user" / "scope"
    (scope / "leaf").mkdir(parents=True)
    (scope / "cgroup.controllers").write_text("cpu memory pids\n")
    (scope / "cgroup.subtree_control").write_text("")
    (scope / "cgroup.procs").write_text("")
    os.setxattr(scope, "user.delegate", b"1")
    return tmp_path


def test_groups_are_made_above_the_own_leaf_of_a_subtree_that_was_handed_over(host: Path) -> None:
    scope = cgroups.find(host / "proc")
    assert scope == host / "tree" / "user" / "scope"
    assert (scope / "cgroup.subtree_control").read_text() == "+memory +pids"
    group = ControlGroup(scope, threads=7, memory=1 << 20)
    group.add(4321)
    told = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert told == {"pids.max": "7", "memory.max": "1048576", "cgroup.procs": "4321"}
    assert not group.ran_out_of_memory()
    (group.folder / "memory.events").write_text("low 0\nmax 12\noom 1\noom_kill 1\n")
    assert group.ran_out_of_memory()


def test_a_part_of_the_hierarchy_may_be_mounted(host: Path) -> None:
    """As in a container: what is mounted begins below the root of all groups."""
    (host / "proc" / "cgroup").write_text("0::/box/user/scope/leaf\n")
    mounted = f"32 31 0:29 /box {host}/tree rw - cgroup2 cgroup2 rw\n"
    (host / "proc" / "mountinfo").write_text(mounted)
    assert cgroups.find(host / "proc") == host / "tree" / "user" / "scope"


def test_a_group_that_cannot_have_its_limits_is_not_left_behind(host: Path) -> None:
    scope = host / "tree" / "user" / "scope"
    with pytest.raises(OSError, match="pids"):
        ControlGroup(NoFiles(scope), threads=7, memory=1)
    assert sorted(path.name for path in scope.iterdir() if path.is_dir()) == ["leaf"]


class NoFiles(type(Path())):
    """A folder whose new folders take no files, as those of a kernel without the controllers."""

    def write_text(self, *_: object) -> int:
        raise PermissionError(13, "not permitted", str(self))


LACKING = [  # file, what is in it, words of the reason
    ("proc/mountinfo", MOUNTS, "cgroup v2 is not mounted"),
    ("proc/cgroup", "4:memory:/x\n", "in no cgroup v2"),
    ("proc/cgroup", "0::/\n", "has none above it"),
    ("proc/cgroup", "0::/elsewhere/leaf\n", "No such file"),
    ("tree/user/scope/cgroup.controllers", "hugetlb\n", "no controller memory or pids: cgroup v1 has it"),
    ("tree/user/scope/cgroup.procs", "1\n2\n", "has processes of its own"),
]


@pytest.mark.parametrize("file, text, words", LACKING)
def test_where_there_are_none_the_reason_is_told(host: Path, file: str, text: str, words: str) -> None:
    (host / file).write_text(text)
    with pytest.raises(NoGroups, match=words):
        cgroups.find(host / "proc")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write what was not handed over")
def test_root_takes_nothing_from_the_service_manager(host: Path) -> None:
    os.removexattr(host / "tree" / "user" / "scope", "user.delegate")
    with pytest.raises(NoGroups, match="belongs to the service manager"):
        cgroups.find(host / "proc")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_belongs_to_others_is_left_alone(host: Path) -> None:
    (host / "tree" / "user" / "scope" / "cgroup.subtree_control").chmod(0o444)
    with pytest.raises(NoGroups, match="may not be written by this user"):
        cgroups.find(host / "proc")


def test_the_doctor_says_what_control_groups_do_here() -> None:
    told = doctor.control_groups()
    try:
        assert str(cgroups.find()) in told
    except NoGroups as reason:
        assert told == f"not used, because no cgroup v2 is writable here: {reason}"
