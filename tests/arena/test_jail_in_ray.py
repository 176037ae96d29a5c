"""The jail inside a Ray worker: a process with many threads, sockets and descriptors of its own."""

import os
import signal
import time
from pathlib import Path

from arena.cluster.start import cluster

from .program import Head, until
from .test_jail import lives

BREAKOUTS = Path(__file__).parents[1] / "attacks" / "breakouts"
TRIED = [
    "read_the_store", "connect_to_a_local_socket", "fork", "find_foreign_descriptors",
    "find_secrets_in_the_environment", "trace_the_zygote", "read_the_workers_memory", "signal_the_worker",
    "start_a_shell", "get_namespaces_of_its_own",
]  # fmt: skip


def attack_from_here(names: list[str], level: str) -> tuple[dict[str, list[str]], int]:
    """What is wrong with these attacks, run from this process, and how many threads it has."""
    from tests.attacks.suite import Suite, attacks, failures

    with Suite(level) as opened:
        wanted = [attack for attack in attacks(BREAKOUTS) if attack.name in names]
        wrong = {attack.name: failures(opened.run(attack), level) for attack in wanted}
    return wrong, len(list(Path("/proc/self/task").iterdir()))


def start_and_stay(path: str) -> None:
    """Start a zygote and a bot, write their process ids, and never return."""
    from arena.cell import GameZygote
    from arena.jail import Limits, Program

    zygote = GameZygote("flip7")
    bot = zygote.spawn(
        Program("bot", {"bot.py": b"GAMES = ['flip7']\n\n\ndef act(view):\n    return 0\n"}), Limits(), 1
    )
    bot.ready()
    (Path(path) / "pids").write_text(f"{os.getpid()} {zygote.pid} {bot.pid} end")
    time.sleep(600)


def test_the_wall_holds_in_a_ray_worker_and_all_ends_with_it(tmp_path: Path, ray_head: Head) -> None:
    with cluster(1, ray_head[1]):
        import ray

        wrong, threads = ray.get(ray.remote(attack_from_here).remote(TRIED, "strict+ns"))
        assert threads > 1 and sorted(wrong) == sorted(TRIED)
        assert not {name: texts for name, texts in wrong.items() if texts}
        ray.remote(max_retries=0)(start_and_stay).remote(str(tmp_path))
        told = tmp_path / "pids"
        until(lambda: told.exists() and told.read_text().endswith("end"))
        worker, *others = map(int, told.read_text().split()[:-1])
        os.kill(worker, signal.SIGKILL)
        until(lambda: not any(map(lives, others)))
