"""How smoothly a slow phone shows games: `python -m tests.arena.frames [GAME...]`.

Chromium steps through games as if a key was held. Printed are CPU milliseconds of the page's main thread: of
a step, by kind, and of the longest task, since a frame waits for the task that runs. All from traces, with the
CPU as it is; a CPU that is six times slower takes six times as long. CPU time hardly depends on what else the
machine does; frames a second do. Those are printed last, with Chromium's CPU throttled six times: milliseconds
from a key to the step's frame, and between the frames of the animation that follows.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import engines
from arena.web.page import pack, page

from .test_web import browser_of
from .test_web_table import played

STEPS = 60
FRAME_MS, THROTTLED = 1000 / 60, 6
PERIOD_MS = 100  # between steps
KINDS = {  # events of a trace, by what they are
    "script": ("FunctionCall", "EvaluateScript"),
    "style": ("UpdateLayoutTree",),
    "layout": ("Layout",),
    "paint": ("PrePaint", "Paint", "Layerize", "Commit"),
}
TASK = "ThreadControllerImpl::RunTask"
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
STEPPED = """([steps, period]) => new Promise(done => {
    let at = 0;
    const timer = setInterval(() => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: at < steps / 2 ? 'ArrowRight' : 'ArrowLeft', bubbles: true}));
        if (++at === steps) { clearInterval(timer); setTimeout(done, 2 * period); }
    }, period);
})"""


ANIMATED = """([steps, ms]) => new Promise(done => {
    const all = [];
    const step = () => {
        if (all.length === steps) { done(all); return; }
        const times = [], begun = performance.now();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: all.length < steps / 2 ? 'ArrowRight' : 'ArrowLeft', bubbles: true}));
        const tick = () => {
            times.push(performance.now() - begun);
            if (times.at(-1) < ms) requestAnimationFrame(tick); else { all.push(times); setTimeout(step, 30); }
        };
        requestAnimationFrame(tick);
    };
    step();
})"""


def animated(browser: Any, address: str) -> tuple[list[float], list[float]]:
    """Return milliseconds from keys to the second frame after them, and between the later frames."""
    shown = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    shown.goto(address)
    shown.wait_for_selector("main[data-ready]")
    shown.evaluate(ANIMATED, [4, PERIOD_MS])
    shown.context.new_cdp_session(shown).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
    steps = [times for times in shown.evaluate(ANIMATED, [STEPS // 2, 3 * PERIOD_MS]) if len(times) > 2]
    shown.close()
    later = [after - before for times in steps for before, after in pairwise(times[1:])]
    return [times[1] for times in steps], later


def measure(browser: Any, address: str) -> tuple[dict[str, float], list[float]]:
    """Return CPU milliseconds of a step by kind, and those of all tasks, longest first."""
    shown = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    shown.goto(address)
    shown.wait_for_selector("main[data-ready]")
    shown.evaluate(STEPPED, [4, PERIOD_MS])  # what is compiled and drawn once
    browser.start_tracing(page=shown, categories=CATEGORIES)
    shown.evaluate(STEPPED, [STEPS, PERIOD_MS])
    assert shown.locator(".stage").get_attribute("data-frame") == "0"  # there and back
    events = [event for event in json.loads(browser.stop_tracing())["traceEvents"] if "tdur" in event]
    shown.close()
    thread = main_thread(events)
    mine = [event for event in events if (event["pid"], event["tid"]) == thread]
    kinds = {kind: spent(mine, names) / STEPS for kind, names in KINDS.items()}
    tasks = sorted((event["tdur"] / 1000 for event in mine if event["name"] == TASK), reverse=True)
    return kinds | {"all": sum(tasks) / STEPS}, tasks


def main_thread(events: list[dict[str, Any]]) -> tuple[int, int]:
    """Return process and thread of the page: where most styles are made."""
    where = [(event["pid"], event["tid"]) for event in events if event["name"] == "UpdateLayoutTree"]
    return max(set(where), key=where.count)


def spent(events: list[dict[str, Any]], names: tuple[str, ...]) -> float:
    """Return the CPU milliseconds of events; what is in another of them counts once."""
    total, end = 0.0, 0.0
    for event in sorted((event for event in events if event["name"] in names), key=lambda one: one["ts"]):
        if event["ts"] >= end:
            total += event["tdur"] / 1000
            end = event["ts"] + event["dur"]
    return total


def main() -> None:
    """Measure the games that are named, or all."""
    heads = [*KINDS, "all", "95 %", "longest", f"{THROTTLED} x longest"]
    print(f"{'game':<12}" + "".join(f"{head:>14}" for head in heads))
    with tempfile.TemporaryDirectory() as folder, browser_of() as browser:
        for name in sys.argv[1:] or engines.names():
            path = Path(folder) / f"{name}.html"
            film = played(name, engines.load(name).players)
            path.write_text(page(name, {"film-0": pack(dict(film))}), encoding="utf-8")
            step, tasks = measure(browser, path.as_uri())
            row = [*step.values(), tasks[STEPS // 20], tasks[0], THROTTLED * tasks[0]]
            print(f"{name:<12}" + "".join(f"{ms:>14.1f}" for ms in row), flush=True)
            first, later = animated(browser, path.as_uri())
            late = sum(ms > 1.5 * FRAME_MS for ms in later) / len(later)
            print(
                f"{'':<12} {THROTTLED} times slower: a step {median(first):.0f} ms, then a frame every "
                f"{median(later):.1f} ms, {late:.0%} of {len(later)} late",
                flush=True,
            )
    print(f"a frame: {FRAME_MS:.1f} ms")


if __name__ == "__main__":
    main()
