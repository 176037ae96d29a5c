"""How smoothly a slow phone shows games: `python -m tests.arena.frames [GAME...]`.

Chromium steps through games as if a key was held. Printed are the CPU milliseconds of a step on
the page's main thread, of which scripts, styles and layout, and the frames a second with the CPU as it is and
throttled six times. CPU time hardly depends on what else the machine does; frames do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import engines
from arena.web.page import pack, page

from .test_web import browser_of
from .test_web_table import played

THROTTLED = 6
STEPS = 60
KINDS = ("Task", "Script", "RecalcStyle", "Layout")  # the first holds the others, paint and more
PERIOD_MS = 50  # of a key that is held
DRAWN = """([steps, period]) => new Promise(done => {
    let frames = 0, at = 0, begun = performance.now();
    const frame = () => { frames++; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    const timer = setInterval(() => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: at < steps / 2 ? 'ArrowRight' : 'ArrowLeft', bubbles: true}));
        if (++at === steps) { clearInterval(timer); done(1000 * frames / (performance.now() - begun)); }
    }, period);
})"""


def measure(browser: Any, address: str, throttled: float) -> tuple[list[float], float]:
    """Return CPU milliseconds of a step by kind, and frames a second."""
    shown = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    shown.goto(address)
    shown.wait_for_selector("main[data-ready]")
    session = shown.context.new_cdp_session(shown)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("Emulation.setCPUThrottlingRate", {"rate": throttled})
    before = spent(session)
    rate = shown.evaluate(DRAWN, [STEPS, PERIOD_MS])
    assert shown.locator(".stage").get_attribute("data-frame") == "0"  # there and back
    after = spent(session)
    shown.close()
    return [1000 * (now - then) / STEPS for then, now in zip(before, after, strict=True)], rate


def spent(session: Any) -> list[float]:
    """Return the CPU seconds of the page's main thread so far, in the order of KINDS."""
    metrics = {one["name"]: float(one["value"]) for one in session.send("Performance.getMetrics")["metrics"]}
    return [metrics[kind + "Duration"] for kind in KINDS]


def main() -> None:
    """Measure the games that are named, or all."""
    print(f"{'game':<12}" + "".join(f"{kind:>12}" for kind in KINDS) + f"{'frames/s':>10}{'throttled':>11}")
    with tempfile.TemporaryDirectory() as folder, browser_of() as browser:
        for name in sys.argv[1:] or engines.names():
            path = Path(folder) / f"{name}.html"
            film = played(name, engines.load(name).players)
            path.write_text(page(name, {"film-0": pack(dict(film))}), encoding="utf-8")
            cpu, rate = measure(browser, path.as_uri(), 1)
            _, slow = measure(browser, path.as_uri(), THROTTLED)
            shown = "".join(f"{ms:>12.1f}" for ms in cpu)
            print(f"{name:<12}{shown}{rate:>10.1f}{slow:>11.1f}", flush=True)


if __name__ == "__main__":
    main()
