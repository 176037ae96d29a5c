"""A local Ray: how it starts, what it says, and what it leaves behind; which cores its workers take."""

import contextlib
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.cluster import cores, local, start, task
from arena.cluster.relay import run_elsewhere
from arena.cluster.start import cluster
from arena.errors import RunError
from arena.intake.registry import house_source
from tests.python import python

from .program import Arena, processes_that_know, until
from .scripted import flip7, low


def test_folders_of_hosts_that_were_killed_with_their_drivers_go_at_the_next_start(tmp_path: Path) -> None:
    dead, held, new = (tmp_path / f"{local.FOLDER}{name}" for name in ("dead", "held", "new"))
    for one in (dead, held, new):
        (one / "session").mkdir(parents=True)
        os.utime(one, None if one == new else (1, 1))
    fcntl.flock(os.open(held, os.O_RDONLY), fcntl.LOCK_EX)
    local.sweep(tmp_path)
    assert not dead.exists() and (held / "session").exists() and new.exists()


def test_a_ray_that_does_not_start_is_started_again_and_its_last_error_is_told(
    monkeypatch: pytest.MonkeyPatch, short_tmp: Path
) -> None:
    boot, asked = local.BOOT, list[int]()
    monkeypatch.setattr(local, "BOOT", "raise SystemExit(1)")
    with (
        pytest.raises(RunError, match=r"^Ray cannot be started here: its process has ended$"),
        cluster(1, meanwhile=lambda: asked.append(1)),
    ):
        pass
    monkeypatch.setattr(local, "BOOT", "print('Exception\\nno room for Ray')")
    with pytest.raises(RunError, match=r"^Ray cannot be started here: no room for Ray$"), cluster(1):
        pass
    whole, boots = local.Host.__init__, iter(["raise SystemExit(1)", boot])

    def at_the_second_try(host: local.Host, cpus: int) -> None:
        monkeypatch.setattr(local, "BOOT", next(boots))
        whole(host, cpus)

    monkeypatch.setattr(local.Host, "__init__", at_the_second_try)
    with cluster(1) as ready:
        assert ready.own and ready.workers == 1
    assert asked == [1] and list(short_tmp.iterdir()) == []


def test_with_a_thousand_open_files_a_ray_is_ended(monkeypatch: pytest.MonkeyPatch, short_tmp: Path) -> None:
    monkeypatch.setattr(local, "BOOT", "import sys; sys.stdin.read()")
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as opened:
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (few, most))
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        for _ in range(1024):
            opened.enter_context(Path(os.devnull).open())
        host = local.Host(1)
        assert not host.ended()
        host.close()
    assert host._process.returncode == 0


def test_a_local_ray_that_ends_is_not_looked_for(monkeypatch: pytest.MonkeyPatch, short_tmp: Path) -> None:
    import ray

    def init(**given: object) -> None:
        os.kill(host._process.pid, signal.SIGKILL)
        time.sleep(60)
        pytest.fail("it was looked for")

    monkeypatch.setattr(ray, "init", init)
    with contextlib.closing(local.Host(1)) as host:
        told = "^Ray cannot be started here: its process has ended$"
        with pytest.raises(RunError, match=told):
            start.connect(None, host)
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL and list(short_tmp.iterdir()) == []


def test_a_local_ray_plays_and_leaves_no_process_and_no_folder(short_tmp: Path) -> None:
    with cluster(1) as ready:
        assert ready.own and ready.workers == 1
        assert [one.number for one in ready.play(flip7(), low)] == [3]
        assert processes_that_know(str(short_tmp)) and os.environ[local.AUTH] == "token"
    assert processes_that_know(str(short_tmp)) == []
    assert list(short_tmp.iterdir()) == []


def test_workers_import_nothing_from_the_folder_in_which_a_league_was_started(
    short_tmp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with cluster(1):
        (tmp_path / "bots").mkdir()
        (tmp_path / "bots" / "__init__.py").touch()
        assert run_elsewhere(house_source, "random", over=bool) == house_source("random") is not None
    assert Path.cwd() == tmp_path


def ran(code: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, which has set nothing of Ray."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return python("-c", code, env=env)


def test_of_a_worker_that_dies_ray_itself_says_nothing(short_tmp: Path) -> None:
    code = (
        "from arena.cluster.start import cluster\n"
        "with cluster(1):\n"
        "    import os, ray, time\n"
        "    forgotten = ray.remote(max_retries=0)(lambda: os._exit(1)).remote()\n"
        "    ray.wait([forgotten])\n"
        "    del forgotten\n"
        "    time.sleep(3)\n"
        "    print('played')\n"
    )
    done = ran(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "played\n", "")


def test_a_ray_that_was_imported_before_it_could_have_a_token_is_told(short_tmp: Path) -> None:
    code = "import ray; from arena.cluster.local import Host; Host(1)"
    told = (
        "RunError: Ray was imported before it could get a token for a Ray of its own: call ray.init() first"
    )
    assert told in ran(code).stderr and list(short_tmp.iterdir()) == []


def test_a_ray_that_was_started_early_is_taken_once_and_only_with_as_many_cpus(short_tmp: Path) -> None:
    local.start_early(1, "10.0.0.5:6379")
    assert local._early is None
    local.start_early(2, None)
    two = local._early
    assert two is not None and local.take(2) is two and local._early is None
    two.close()
    local.start_early(2, None)
    with contextlib.closing(local.take(1)) as one:
        assert one.cpus == 1
    assert list(short_tmp.iterdir()) == []


def test_a_command_that_ends_before_it_needs_its_ray_leaves_none(arena: Arena, short_tmp: Path) -> None:
    arena.run("league", "run", "flip7", "--workers", "1", "--db", "/proc/none/arena.db", code=1)
    assert processes_that_know(str(short_tmp)) == [] == list(short_tmp.iterdir())


def test_an_address_of_the_environment_where_nobody_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "localhost:1")
    told = "^no Ray cluster at auto: RAY_ADDRESS is localhost:1: nobody answers there"
    with pytest.raises(RunError, match=told), cluster(None, "auto"):
        pass


FAR = "Failed to connect to Ray cluster at 10.0.0.5:6379"
REFUSED = [  # in the words of Ray 2.60: what it prints, its error, what caused that, what is told
    ("RPC error: InvalidAuthToken: Authentication token is missing or incorrect\n", FAR, "",
     f"{FAR}: it wants its token: "),
    ("TimedOut: Timed out while waiting for GCS to become available.\n", FAR, "",
     f"{FAR}: what listens there is no Ray, "),
    ("", "Version mismatch: The cluster was started with:\n    Ray: 2.60.0\n    Python: 3.99.1\n"
     "This process on node here was started with:\n    Ray: 2.60.0\n    Python: 3.11.7\n", "",
     "it has Ray 2.60.0 and Python 3.99.1, this process Ray 2.60.0 and Python 3.11.7: install the same"),
    ("", FAR, "No node info found matching attributes: '' when trying to resolve node",
     "this machine is no node of it: ray start --address 10.0.0.5:6379 --num-cpus 0, or run this on a node"),
]  # fmt: skip


@pytest.mark.parametrize("heard, error, cause, told", REFUSED)
def test_what_ray_says_while_it_connects_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capfd: Any, heard: str, error: str, cause: str, told: str
) -> None:
    import ray

    def init(**given: object) -> None:
        os.write(2, heard.encode())
        raise ConnectionError(error) from (RuntimeError(cause) if cause else None)

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(RunError) as refused:
        start.connect("auto")
    assert f"no Ray cluster at auto: {told}" in str(refused.value)
    assert capfd.readouterr().err == ""


def test_a_user_who_may_have_too_few_threads_for_ray_is_told_before_it_starts(short_tmp: Path) -> None:
    code = (
        "import os, resource; resource.setrlimit(resource.RLIMIT_NPROC, (40, 40)); os.geteuid = lambda: 1000;"
        "from arena.cluster.local import Host; Host(1)"
    )
    done = ran(code)
    assert "HostError: a user may have only 40 threads here, Ray needs 200: see ulimit -u" in done.stderr
    assert list(short_tmp.iterdir()) == []


@pytest.mark.parametrize(
    "lasts_s, said, told",
    [(0, b"", local.DIED), (0, local.BYE, ""), (600, b"", local.DIED), (600, local.BYE, "")],
)
def test_the_host_says_that_the_driver_has_ended_if_that_could_not_say_why(
    short_tmp: Path, tmp_path: Path, lasts_s: int, said: bytes, told: str
) -> None:
    code = "from arena.cluster import local\n"
    code += f"local.RAY = 'import time; time.sleep({lasts_s})'; local.main()"
    log = tmp_path / "log"
    words = [sys.executable, "-c", code, str(short_tmp / "ray"), "1", "1", str(log)]
    host = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not lasts_s:
        assert host.stdout.read() == b""  # it has seen that Ray has ended
    _, err = host.communicate(said, timeout=300)
    assert err.decode() == (f"arena: {told}\n" if told else "") and list(short_tmp.iterdir()) == []
    assert not told or json.loads(log.read_text())["text"] == told


def test_a_local_ray_that_nobody_hears_leaves_neither_folder_nor_process(short_tmp: Path) -> None:
    host = local.Host(1)
    host._process.stdout.close()  # as of a driver that is killed while Ray starts
    host._process.stdin.close()
    host._process.wait(timeout=300)
    assert list(short_tmp.iterdir()) == [] and not processes_that_know(str(short_tmp))


@pytest.mark.parametrize("how, up", [(signal.SIGSTOP, True), (signal.SIGKILL, True), (signal.SIGKILL, False)])
def test_a_host_that_is_stopped_or_killed_leaves_no_process_and_when_it_is_closed_nothing(
    how: signal.Signals, up: bool, short_tmp: Path
) -> None:
    host = local.Host(1)
    if up:
        host.address()
    os.kill(host._process.pid, how)
    if how == signal.SIGSTOP or not up:  # a killed one takes Ray with it, once that is up
        host.close()
    until(lambda: not processes_that_know(str(short_tmp)))
    host.close()
    assert list(short_tmp.iterdir()) == []


def test_default_workers_keep_to_the_quota_of_a_control_group(tmp_path: Path) -> None:
    root, own = tmp_path / "cgroup", tmp_path / "own"
    (root / "box" / "inner").mkdir(parents=True)
    own.write_text("0::/box/inner\n")
    assert [cores._quota(folder) for folder in cores._groups(root, own)] == [float("inf")] * 3
    (root / "box" / "cpu.max").write_text("150000 100000\n")
    (root / "box" / "inner" / "cpu.max").write_text("max 100000\n")
    assert min(cores._quota(folder) for folder in cores._groups(root, own)) == 1.5
    old = root / "cpu" / "docker"
    old.mkdir(parents=True)
    own.write_text("4:cpu,cpuacct:/docker\n5:memory:/docker\n")
    (old / "cpu.cfs_quota_us").write_text("200000\n")
    (old / "cpu.cfs_period_us").write_text("100000\n")
    assert min(cores._quota(folder) for folder in cores._groups(root, own)) == 2
    assert cores.cores() >= 1


def test_workers_take_different_cores_whatever_their_temporary_folders(tmp_path: Path) -> None:
    if not cores.all_seen():
        pytest.skip("in a container without cores of its own")
    code = "from arena.cluster.task import _own_core; print(_own_core(), flush=True); input()"
    workers, pipes = [], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    for at in range(len(os.sched_getaffinity(0)) + 1):
        (folder := tmp_path / str(at)).mkdir()
        env = {**os.environ, "TMPDIR": str(folder)}
        workers.append(subprocess.Popen([sys.executable, "-c", code], env=env, text=True, **pipes))
    taken = [worker.stdout.readline().strip() for worker in workers if worker.stdout]
    for worker in workers:
        worker.communicate("\n")
    pinned = [core for core in taken if core != "None"]
    assert len(set(pinned)) == len(pinned) < len(workers)  # other leagues on this machine may have some


def test_in_a_container_only_own_cores_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cores, "_groups", lambda: [tmp_path])
    assert cores.all_seen() == (cores._pid_namespace() == cores.FIRST_PID_NAMESPACE)
    monkeypatch.setattr(cores, "_pid_namespace", lambda: 4026532194)
    assert not cores.all_seen() and task._core == [] and task._own_core() is None
    for told, alone in (("member\n", False), ("isolated\n", True), ("root invalid (Parent)\n", False)):
        (tmp_path / "cpuset.cpus.partition").write_text(told)
        assert cores.all_seen() is alone
