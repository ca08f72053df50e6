"""A class that watches a live run: `python -m tests.benchmarks.viewers [--viewers 100] [--minutes 1]`.

Most viewers are connections that speak Streamlit's protobuf and ask again once a second, as the page tells
a class to; three are real browsers. Two a second of them move a control on Noise. With
`--minutes 60` it is the soak: memory every five minutes, and its drift once the caches are full.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import time
from pathlib import Path

import numpy as np
import psutil
from playwright.async_api import async_playwright

from ldp_core import presets
from ldp_core.runs import jobs
from tests.benchmarks.machine import quantiles
from tests.benchmarks.serving import megabytes, served, used
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.server.client import Viewer

POLL_SECONDS = 1.0
MOVES_A_SECOND = 2.0
MEMORY_MINUTES = 5
BROWSERS = 3
DRAWN_SECONDS = 120
"""Until a browser has drawn the page, on a machine that others keep busy."""
LEFT_SECONDS = 150
"""After which the server has forgotten those who left."""
ROUNDS = 10_000
EPOCHS_OF_THE_SOAK = 50
"""So that the run, and the record of it that the server holds, is as long as a long run of a class."""


class Watch:
    def __init__(self) -> None:
        self.polls: list[float] = []
        self.received: list[int] = []
        """Bytes that each poll was answered with."""
        self.moves: list[float] = []
        self.errors: list[str] = []
        self.missed = 0
        self.memory: list[float] = []


async def poll(viewer: Viewer, watch: Watch, until: float, offset: float) -> None:
    """Ask for every part that refreshes itself, once a second."""
    await asyncio.sleep(offset)
    due = time.monotonic()
    while time.monotonic() < until:
        for fragment in [*viewer.fragments]:
            before = viewer.received
            watch.polls.append(await viewer.rerun(fragment))
            watch.received.append(viewer.received - before)
        due += POLL_SECONDS
        watch.missed += time.monotonic() > due
        due = max(due, time.monotonic())
        await asyncio.sleep(due - time.monotonic())


async def move(viewers: list[Viewer], watch: Watch, until: float) -> None:
    """Two of those on Noise a second move the weight."""
    turns = itertools.count()
    tasks = []
    while time.monotonic() < until:
        n = next(turns)
        tasks.append(asyncio.create_task(moved(viewers[n % len(viewers)], watch, n)))
        await asyncio.sleep(1 / MOVES_A_SECOND)
    await asyncio.gather(*tasks)


async def moved(viewer: Viewer, watch: Watch, n: int) -> None:
    asked = {"weight": n // 7 % 80 / 40 - 1, "seq": n + 1, "settled": False}
    watch.moves.append(await viewer.move("studio_strip", "json_value", json.dumps({"asked": asked})))


async def weigh(process: psutil.Process, watch: Watch, until: float) -> None:
    """Note the server's memory in MB every five minutes."""
    while time.monotonic() < until:
        await asyncio.sleep(min(60 * MEMORY_MINUTES, max(0.1, until - time.monotonic())))
        watch.memory.append(megabytes(process))
        print(f"        {watch.memory[-1]:.0f} MB", flush=True)


async def crowd(url: str, job: str, viewers: int, seconds: float, process: psutil.Process) -> None:
    """Let them all watch, some of them in browsers, and measure the server meanwhile."""
    watch = Watch()
    theorists = [await Viewer.open(url, "noise") for _ in range(min(8, viewers))]
    watchers = [await Viewer.open(url, "train", f"job={job}") for _ in range(viewers - BROWSERS)]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for _ in range(BROWSERS):
            page = await browser.new_page()
            await page.goto(f"{url}/train?job={job}")
            await page.locator(".es-panels canvas").first.wait_for(timeout=1000 * DRAWN_SECONDS)
        _give_way()
        if lost := [viewer for viewer in watchers if not viewer.fragments]:
            watch.errors.append(f"{len(lost)} viewers were asked to refresh nothing")
        before, began, memory = used(process), time.monotonic(), megabytes(process)
        until = began + seconds
        offsets = [POLL_SECONDS * n / len(watchers) for n in range(len(watchers))]
        await asyncio.gather(
            weigh(process, watch, until),
            move(theorists, watch, until),
            *(poll(v, watch, until, o) for v, o in zip(watchers, offsets, strict=True)),
        )
        took = time.monotonic() - began
        cpu, mb = (used(process) - before) / took, megabytes(process)
        await browser.close()
    print(f"polls:  {quantiles(watch.polls)}; {watch.missed} came later than a second after the last")
    print(
        f"        {np.median(watch.received) / 1e3:.0f} kB each, at most {max(watch.received) / 1e3:.0f} kB"
    )
    print(f"moves:  {quantiles(watch.moves)}")
    print(f"        {1e3 * cpu * took / (len(watch.polls) + len(watch.moves)):.1f} ms of a core each")
    print(f"server: {cpu:.2f} of a core, {memory:.0f} MB at the beginning, {mb:.0f} MB at the end")
    for viewer in [*theorists, *watchers]:
        watch.errors += viewer.errors
        await viewer.close()
    if len(watch.memory) > 1:
        drift = watch.memory[-1] / watch.memory[0] - 1
        print(f"drift:  {drift:+.1%} after the first {MEMORY_MINUTES} minutes")
        await asyncio.sleep(LEFT_SECONDS)
        print(f"left:   {megabytes(process):.0f} MB {LEFT_SECONDS} s after all have gone")
    print(f"errors: {len(watch.errors)} {watch.errors[:3] or ''}")


def _give_way() -> None:
    """In a class, browsers draw on laptops of their own: here they may not take the server's time."""
    for child in psutil.Process().children(recursive=True):
        if "chromium" in child.name():
            child.nice(15)
            with contextlib.suppress(OSError):  # Linux shares time between sessions before it is nice in one
                Path(f"/proc/{child.pid}/autogroup").write_text("15")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--viewers", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=0.5)
    options = parser.parse_args()
    with served() as (url, process):
        draft = presets.get("two_volunteers").draft.with_base({"rounds": ROUNDS})
        if options.minutes > 5:
            draft = draft.with_base({"local.epochs": EPOCHS_OF_THE_SOAK})
        job = jobs.submit(draft)
        while jobs.status(job)["round"] < 3:
            time.sleep(0.2)
        asyncio.run(crowd(url, job, options.viewers, 60 * options.minutes, process))


if __name__ == "__main__":
    main()
