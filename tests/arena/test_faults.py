"""Leagues on a real Ray of several nodes on this machine, while workers and nodes die, join, and differ."""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena import api
from arena.cluster import local
from arena.errors import StoreError
from arena.runs import drive as play
from arena.store import Store
from arena.store.models import LeagueRun

from .program import ENDS_WITH_US, Arena, Head, processes_that_know, small_disk, until
from .test_cli_stops import Gate, rows_of, stored_matches

ROOT = Path(__file__).parents[2]
SMALL = {"object_store_memory": local.OBJECT_STORE, "include_dashboard": False}
# plays by its random numbers; in the second game of its second process, so not in the trial before a run, it does
# something
ONCE = """import os
import random
import signal
from pathlib import Path

tried = Path({mark!r} + ".tried")
trial = not tried.exists()
tried.touch()


class Bot:
    made = 0

    def __init__(self, seat, seed):
        self.rng = random.Random(seed)
        Bot.made += 1
        if trial or Bot.made != 2:
            return
        try:
            Path({mark!r}).touch(exist_ok=False)
        except FileExistsError:
            return
        {act}

    def act(self, view):
        return self.rng.choice(view.legal)
"""
KILLS_ITS_WORKER = (
    "os.kill(int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1]), signal.SIGKILL)"
)


class Raylets:
    """A Ray cluster whose nodes are processes of this machine."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # its hooks at the end of a process answer signals, which only the main thread may
        self.cluster = Cluster(True, head_node_args={"num_cpus": 1, **SMALL}, shutdown_at_exit=False)

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self, **given: Any) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=SMALL["object_store_memory"], **given)


@contextlib.contextmanager
def a_head() -> Iterator[Raylets]:
    """A cluster of one node."""
    found = Raylets()
    try:
        yield found
    finally:
        found.cluster.shutdown()


@pytest.fixture(scope="module")
def raylets() -> Iterator[Raylets]:
    """A head and one more node, for all tests of this file."""
    with a_head() as found:
        found.add()
        yield found


def league(folder: Path, act: str = "pass", deals: int = 130) -> str:
    """A league of trusted bots, one of which acts once; four matches."""
    source = ONCE.format(mark=str(folder / "mark"), act=act)
    (folder / "a_once.py").write_text('"""Once."""\n\nGAMES = ["flip7"]\n\n' + source)
    (folder / "faulty.toml").write_text(f'game = "flip7"\nlevel = "trusted"\ndeals = {deals}\nseed = 5\n')
    return str(folder / "faulty.toml")


def bots(folder: Path) -> list[str]:
    return [str(folder / "a_once.py"), "banker", "oddsman", "random"]


def played(
    folder: Path, address: str, name: str, said: list[str] | None = None, **given: Any
) -> tuple[Store, LeagueRun]:
    """A league that was played on a cluster."""
    store = Store(str(folder / f"{name}.db"), create=True)
    (folder / "mark.tried").unlink(missing_ok=True)  # a new run has a new trial
    heard = (said if said is not None else []).append
    options = api.PlayOptions(address=address, say=heard, **given)
    return store, api.run_league(store, str(folder / "faulty.toml"), bots(folder), options)


@pytest.mark.parametrize("nodes", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_worker_that_dies_and_another_number_of_nodes_change_no_game(
    ray_head: Head, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any, nodes: int
) -> None:
    league(tmp_path, KILLS_ITS_WORKER)
    (mark := tmp_path / "mark").touch()
    store, one = played(tmp_path, ray_head[1], "one")
    digest, table = store.matches.games_digest(one), api.report(store, one)["table"]
    mark.unlink()
    monkeypatch.setattr(play, "RECHECK", 1.0)
    sys.modules["ray"].shutdown()  # a process is connected to one cluster only
    address = ray_head[1] if nodes == 1 else request.getfixturevalue("raylets").address
    store, two = played(tmp_path, address, "two")
    assert two.state == "finished" and mark.exists() and rows_of(tmp_path / "two.db", "lease") == 0
    assert store.matches.games_digest(two) == digest and len(digest) == 64
    assert [row["elo"] for row in api.report(store, two)["table"]] == [row["elo"] for row in table]
    assert sum(store.matches.repeated(two).values()) >= 1
    compared = store.matches.rechecked(two).values()
    assert all(one.same for one in compared) and bool(compared) is (nodes > 1)


@pytest.mark.soak
def test_nodes_that_leave_or_join_change_no_game(raylets: Raylets, ray_head: Head, tmp_path: Path) -> None:
    league(tmp_path, deals=1500)
    store, one = played(tmp_path, ray_head[1], "one")
    digest = store.matches.games_digest(one)
    node, joined, said = raylets.add(), [], list[str]()
    name = f"{socket.gethostname()} (node {node.node_id[:6]})"

    def swap() -> None:
        until(lambda: name in nodes_of(tmp_path / "two.db"))
        raylets.cluster.remove_node(node, allow_graceful=False)
        joined.append(raylets.add())

    thread = threading.Thread(target=swap)
    thread.start()
    store, two = played(tmp_path, raylets.address, "two", said)
    thread.join(600)
    raylets.cluster.remove_node(joined[0])
    assert two.state == "finished" and store.matches.games_digest(two) == digest
    told = [line for line in said if "has left" in line]
    assert told == [f"node {name} has left; its matches are played elsewhere"]


@pytest.mark.soak
def test_a_node_with_another_version_is_told_and_the_others_play(
    raylets: Raylets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # workers import from the driver's folder before they look elsewhere
    league(tmp_path)
    other = tmp_path / "other"
    for name in ("arena", "bots", "engines", "leagues"):
        shutil.copytree(ROOT / name, other / name)
    with (other / "engines" / "flip7" / "rules.py").open("a") as rules:
        rules.write("# another version\n")
    node, said = raylets.add(env_vars={"PYTHONPATH": str(other)}), list[str]()
    _, run = played(tmp_path, raylets.address, "one", said)
    raylets.cluster.remove_node(node)
    assert run.state == "finished"
    told = [line for line in said if "gets no work" in line]
    assert len(told) == 1 and "has another version of the project: install the same everywhere" in told[0]


@pytest.mark.soak
@pytest.mark.parametrize("how, code", [(signal.SIGTERM, 143), (signal.SIGHUP, 143), (signal.SIGINT, 130)])
def test_a_driver_that_is_stopped_leaves_nothing_behind(
    arena: Arena, short_tmp: Path, how: signal.Signals, code: int
) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    process = arena.start(*gate.words, "--workers", "1")
    until(lambda: stored_matches(db) >= 1, process)
    process.send_signal(how)
    err = process.communicate(timeout=600)[1]
    assert process.returncode == code, err
    assert "Traceback" not in err and "gated#1: stopped; " in err and err.endswith("arena: stopped\n")
    assert rows_of(db, "lease") == 0 and not list(short_tmp.glob("arena-bots*"))
    until(lambda: not processes_that_know(str(short_tmp)))


FOLDER, RAYLET = "arena-ray-*", "arena-ray-*/session_*/logs/raylet.out"


@pytest.mark.parametrize(
    "how, code, seen",
    [
        (signal.SIGINT, 130, FOLDER),
        (signal.SIGKILL, -9, RAYLET),
        pytest.param(signal.SIGINT, 130, RAYLET, marks=pytest.mark.soak),
        pytest.param(signal.SIGKILL, -9, FOLDER, marks=pytest.mark.soak),
    ],
)
def test_a_command_that_is_stopped_while_ray_starts_leaves_nothing_behind(
    arena: Arena, short_tmp: Path, how: signal.Signals, code: int, seen: str
) -> None:
    process = arena.start("league", "run", "flip7", "--deals", "8", "--workers", "1")
    until(lambda: bool(list(short_tmp.glob(seen))), process)
    process.send_signal(how)
    err = process.communicate(timeout=600)[1]
    assert process.returncode == code and "Traceback" not in err, err
    nothing_is_left(short_tmp)


@pytest.mark.parametrize(
    "part",
    [
        " local.main()",
        *(pytest.param(f"/{one} --", marks=pytest.mark.soak) for one in ("raylet", "gcs_server")),
    ],
)
def test_a_local_ray_of_which_a_part_is_killed_ends_the_run_in_a_line_and_leaves_nothing_behind(
    arena: Arena, short_tmp: Path, part: str
) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    process = arena.start(*gate.words, "--workers", "1")
    until(lambda: stored_matches(db) >= 1, process)
    pid, *_ = below(process.pid, part)  # its children may name it too
    os.kill(pid, signal.SIGKILL)
    err = process.communicate(timeout=600)[1]
    assert process.returncode == 1 and "gated#1: stopped; " in err, err
    assert err.splitlines()[-1].startswith("arena: the Ray of this command has ended: "), err
    assert rows_of(db, "lease") == 0 and stored_matches(db) >= 1
    nothing_is_left(short_tmp)


@pytest.mark.soak
@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.parametrize("part", ["gcs_server", "raylet"])
def test_a_server_of_a_cluster_that_stops_holds_up_nobody_and_one_that_is_killed_ends_the_run(
    arena: Arena, part: str, stops: bool
) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    with a_head() as cluster:
        process = arena.start(*gate.words, "--address", cluster.address)
        until(lambda: stored_matches(db) >= 1, process)
        pid = cluster.cluster.head_node.all_processes[part][0].process.pid
        os.kill(pid, signal.SIGSTOP if stops else signal.SIGKILL)
        try:
            if stops:
                process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=300)[1]
        finally:
            if stops:
                os.kill(pid, signal.SIGCONT)
    assert process.returncode == (130 if stops else 1), err
    assert err.splitlines()[-1] == ("arena: stopped" if stops else f"arena: {local.DIED}"), err


def test_a_deaf_local_ray_does_not_hold_up_who_stops_the_run(arena: Arena, short_tmp: Path) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    process = arena.start(*gate.words, "--workers", "1")
    until(lambda: stored_matches(db) >= 1, process)
    pid, *_ = below(process.pid, "/raylet --")
    os.kill(pid, signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=600)[1]
    assert process.returncode == 130 and err.endswith("arena: stopped\n"), err
    nothing_is_left(short_tmp)


def below(pid: int, part: str) -> list[int]:
    """Processes that another one has started, or these, whose command has a text in it."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if part in command:
            found.append(int(child))
        found += below(int(child), part)
    return found


@pytest.mark.parametrize("seconds", [2, pytest.param(30, marks=pytest.mark.soak)])
def test_a_locked_database_only_delays_a_run(ray_head: Head, tmp_path: Path, seconds: int) -> None:
    league(tmp_path)
    said, locked = list[str](), threading.Event()

    def lock() -> None:
        until(lambda: stored_matches(tmp_path / "one.db") >= 1)
        other = sqlite3.connect(tmp_path / "one.db", isolation_level=None, timeout=600)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            locked.set()
            time.sleep(seconds)
            other.execute("ROLLBACK")

    thread = threading.Thread(target=lock)
    thread.start()
    _, run = played(tmp_path, ray_head[1], "one", said)
    thread.join(600)
    assert locked.is_set() and run.state == "finished" and rows_of(tmp_path / "one.db", "lease") == 0


def nodes_of(path: Path) -> set[str]:
    """Names of the nodes that have played the matches in a database that somebody else is writing."""
    if not stored_matches(path):
        return set()
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", timeout=600, uri=True)) as connection:
        return {name for (name,) in connection.execute("SELECT host ->> 'node' FROM match")}


def nothing_is_left(folder: Path) -> None:
    """Neither a process of the local Ray that had its folder there, nor that folder."""
    until(lambda: not processes_that_know(str(folder)) and not list(folder.glob("arena-ray-*")))


@pytest.mark.soak
def test_a_full_disk_ends_a_run_in_a_line_and_what_was_stored_is_kept(arena: Arena, ray_head: Head) -> None:
    with small_disk(arena.folder, "600k") as disk:
        words = ["league", "run", league(arena.folder, deals=2000), "--bots", "banker,oddsman,random"]
        err = arena.process(*words, *ray_head, "--db", str(disk / "arena.db"), code=1)[1]
        assert "the disk is full; what was stored before is safe" in err and "Traceback" not in err
        stored = stored_matches(disk / "arena.db")
        assert f"faulty#1: stopped; {stored} of " in err and stored > 0


@pytest.mark.parametrize("copied", [False, True])
def test_a_run_whose_file_is_removed_or_replaced_ends_in_a_line_and_claims_nothing(
    ray_head: Head, tmp_path: Path, copied: bool
) -> None:
    league(tmp_path)
    path, said, gone = tmp_path / "one.db", list[str](), threading.Event()

    def lose() -> None:
        until(lambda: stored_matches(path) >= 1)
        if copied:
            shutil.copy(path, tmp_path / "copy.db")
            (tmp_path / "copy.db").replace(path)
        else:
            path.unlink()
        gone.set()

    thread = threading.Thread(target=lose)
    thread.start()
    with pytest.raises(StoreError, match="the file was removed, replaced or mounted over") as error:
        played(tmp_path, ray_head[1], "one", said)
    thread.join(600)
    assert gone.is_set() and "\n" not in str(error.value) and path.exists() is copied
    assert not any("finished" in line for line in said)


@pytest.mark.soak
def test_a_node_whose_memory_is_full_is_told_and_the_others_play(raylets: Raylets, tmp_path: Path) -> None:
    """Ray ends what runs on a node that uses more than its threshold, here 1 % of the machine."""
    league(tmp_path)
    full = {"RAY_memory_usage_threshold": "0.01", "RAY_memory_monitor_refresh_ms": "50"}
    node, said = raylets.add(env_vars=full), list[str]()
    _, run = played(tmp_path, raylets.address, "one", said)
    raylets.cluster.remove_node(node)
    assert run.state == "finished"
    told = [line for line in said if "gets no work" in line]
    assert len(told) == 1 and told[0].endswith("gets no work: its node ran out of memory")


@pytest.mark.soak
def test_an_address_at_which_something_listens_that_is_no_ray_is_told(arena: Arena) -> None:
    words = ["league", "run", "flip7", "--bots", "banker,random", "--address"]
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        err = arena.process(*words, address, code=1)[1]
    assert "what listens there is no Ray, or hangs" in err.splitlines()[-1] and "gcs_client" not in err, err


TOKEN = "5c1e" * 16


@contextlib.contextmanager
def head_with(folder: Path, **env: str) -> Iterator[str]:
    """A head of its own; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [*ENDS_WITH_US, sys.executable, "-c", local.RAY, "start", "--head", "--block"]
    words += ["--port", str(port), "--num-cpus", "1", "--object-store-memory", str(local.OBJECT_STORE)]
    words += ["--include-dashboard=false"]
    with (told := folder / "head.log").open("w") as log:
        head = subprocess.Popen(words, stdout=log, stderr=log, env=os.environ | env)
        try:
            until(lambda: head.poll() is not None or "runtime started" in told.read_text())
            assert head.poll() is None, told.read_text()
            yield f"127.0.0.1:{port}"
        finally:
            head.terminate()
            head.wait(timeout=300)


@pytest.mark.soak
def test_a_cluster_with_a_token_takes_whoever_has_it(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = {"own": TOKEN, "other": "77" * 32, "none": ""}
    for name, token in homes.items():
        (arena.folder / name / ".ray").mkdir(parents=True)
        if token:
            (arena.folder / name / ".ray" / "auth_token").write_text(token)
    monkeypatch.delenv(local.AUTH)
    monkeypatch.delenv(local.TOKEN)
    words = ["league", "run", "flip7", "--bots", "banker,random", "--deals", "1", "--seed", "1", "--address"]

    def run(home: str, address: str, code: int, mode: str) -> str:
        monkeypatch.setenv("HOME", str(arena.folder / home))
        monkeypatch.setenv(local.AUTH, mode)
        return arena.process(*words, address, "--db", f"{home}{mode}{code}.db", code=code)[1]

    with head_with(arena.folder, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=TOKEN) as address:
        assert "flip7#1 finished" in run("own", address, 0, "token")
        for home, mode in (("other", "token"), ("none", "token"), ("own", "disabled")):
            err = run(home, address, 1, mode)
            assert err.splitlines()[-1].startswith(f"arena: no Ray cluster at {address}: "), err
            assert "token" in err.splitlines()[-1] and "Traceback" not in err and "gcs_client" not in err, err
    with head_with(arena.folder, RAY_AUTH_MODE="disabled") as address:
        assert "flip7#1 finished" in run("own", address, 0, "disabled")


SLEEPS = "import time\n\n\ndef act(view):\n    time.sleep(0.003)\n    return view.legal[0]\n"
NO_NETWORKS = os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare")


@contextlib.contextmanager
def two_machines(folder: Path) -> Iterator[list[str]]:
    """Two networks on one wire, a Ray's head in the first and a node in the second; what runs a command in the first.

    The second has a `/tmp/ray` of its own, and no more of `/tmp`: the project may lie there.
    """
    mark, nodes = f"arena{os.getpid()}", list[subprocess.Popen[bytes]]()
    spaces = [f"{mark}{side}" for side in "ab"]
    ray = [sys.executable, "-c", local.RAY, "start", "--block", "--num-cpus", "1", "--object-store-memory"]
    ray.append(str(local.OBJECT_STORE))
    head = ["--head", "--port", "6379", "--include-dashboard=false"]
    with contextlib.ExitStack() as stack:
        for space in spaces:
            subprocess.run(["ip", "netns", "add", space], check=True)
            stack.callback(subprocess.run, ["ip", "netns", "del", space], check=True)
        wire = ["ip", "-n", spaces[0], "link", "add", "wire", "type", "veth"]
        subprocess.run([*wire, "peer", "name", "wire", "netns", spaces[1]], check=True)
        for at, space in enumerate(spaces, 1):
            ip = ["ip", "-n", space]
            subprocess.run([*ip, "addr", "add", f"10.37.0.{at}/24", "dev", "wire"], check=True)
            for device in ("lo", "wire"):
                subprocess.run([*ip, "link", "set", device, "up"], check=True)
            own = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /tmp/ray && exec "$@"', "sh"]
            words = [*ENDS_WITH_US, "ip", "netns", "exec", space, *own * (at > 1), *ray]
            joins = head if at == 1 else ["--address", "10.37.0.1:6379"]
            words += ["--node-ip-address", f"10.37.0.{at}", *joins]
            with (told := folder / f"{at}.log").open("w") as log:
                env = os.environ | {"RAY_AUTH_MODE": "disabled"}
                nodes.append(subprocess.Popen(words, stdout=log, stderr=log, env=env))
            stack.callback(nodes[-1].wait, 300)
            stack.callback(nodes[-1].terminate)
            up = lambda told=told: "runtime started" in told.read_text() or nodes[-1].poll() is not None
            until(up)
            assert nodes[-1].poll() is None, told.read_text()
        yield ["ip", "netns", "exec", spaces[0]]


@pytest.mark.soak
@pytest.mark.skipif(NO_NETWORKS, reason="only root can make networks, with iproute2")
@pytest.mark.parametrize(
    "seconds, way",
    [*((s, "both") for s in (45, 60, 90, 150)), (90, "to the node"), (90, "from the node"), (150, "stopped")],
)
def test_a_network_that_is_parted_for_a_while_holds_up_no_league_and_doubles_nothing(
    arena: Arena, seconds: int, way: str
) -> None:
    slow = [arena.write(f"slow_{at}", SLEEPS).name for at in range(4)]  # one alone would sleep too much
    limits = "[limits]\nsleep_s_bank = 1000.0\n[options]\ngoal = 60\n"
    text = f'game = "flip7"\nlevel = "trusted"\ndeals = {2 * (seconds + 60)}\nseed = 5\n{limits}'
    (arena.folder / "long.toml").write_text(text)
    db, log = arena.folder / "parted.db", arena.folder / "driver.log"
    bots = ",".join(f"./{name}" for name in slow)
    words = ["league", "run", "./long.toml", "--bots", bots, "--db", str(db)]
    with two_machines(arena.folder) as there, log.open("w") as said:
        command = [*there, sys.executable, "-m", "arena", *words, "--address", "10.37.0.1:6379"]
        env = os.environ | {"RAY_AUTH_MODE": "disabled"}
        process = subprocess.Popen([*command, "--progress", "plain"], stderr=said, env=env)
        try:
            until(lambda: process.poll() is not None or stored_matches(db) >= 2)
            assert process.poll() is None, log.read_text()
            first = there[3]
            if way == "both":
                parted, whole = (["ip", "-n", first, "link", "set", "wire", to] for to in ("down", "up"))
            elif way == "stopped":
                pids = subprocess.check_output(["ip", "netns", "pids", f"{first[:-1]}b"], text=True).split()
                parted, whole = (["kill", f"-{name}", *pids] for name in ("STOP", "CONT"))
            else:  # one side sends to an address of nobody, and hears the other
                side, other = (first, 2) if way == "to the node" else (f"{first[:-1]}b", 1)
                neighbour = [f"10.37.0.{other}", "dev", "wire"]
                nobody = ["lladdr", "02:00:00:00:00:01", "nud", "permanent"]
                parted = ["ip", "-n", side, "neigh", "replace", *neighbour, *nobody]
                whole = ["ip", "-n", side, "neigh", "del", *neighbour]
            subprocess.run(parted, check=True)
            time.sleep(seconds)  # the fault itself
            subprocess.run(whole, check=True)
            assert process.wait(timeout=900) == 0, log.read_text()
        finally:
            process.kill()
            process.wait()
    store = Store(str(db))
    run = store.runs.find("long#1")
    planned = store.matches.counts()[run.key].planned
    assert run.state == "finished" and store.matches.stored(run) == set(range(planned))
    assert "and asks it whether it plays" in log.read_text() or way != "stopped"
    assert "no difference" in arena.run("league", "verify", "long#1", "--db", str(db))[0]
