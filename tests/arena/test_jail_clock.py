"""The account of a process's sleep by itself: what the machine makes it wait for is none. What an empty bank
does to a bot is in `test_jail`.
"""

import os
import subprocess
import sys
import time

from arena.jail import Limits
from arena.jail.clock import Clock


def test_a_process_that_gets_no_core_is_not_asleep() -> None:
    """The kernel counts a wait for a core when it is over."""
    core = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{core}}})\n"
    crowd = [subprocess.Popen([sys.executable, "-c", spin + "while True: pass"]) for _ in range(4)]
    idle = (
        spin
        + "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nprint(flush=True)\nwhile True: pass"
    )
    starved = subprocess.Popen([sys.executable, "-c", idle], stdout=subprocess.PIPE)
    try:
        assert starved.stdout is not None and starved.stdout.readline()
        clock = Clock(starved.pid, Limits(sleep_s_bank=0.0))
        clock.begin_wait()
        for _ in range(50):
            time.sleep(0.01)
            clock.check_sleep(over=False)
    finally:
        for process in (*crowd, starved):
            process.kill()
            process.communicate()


def test_what_came_before_the_first_look_at_a_request_is_not_billed_as_sleep() -> None:
    """A short wait is not looked into, so nobody knows what a process did until then."""
    clock = Clock(os.getpid(), Limits())
    time.sleep(0.5)
    clock.begin_wait()
    assert clock.asleep() < 0.5
