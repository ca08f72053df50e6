"""A class that presses Train on the same scenario within a second: `python -m tests.benchmarks.launches`.

Thirty visitors, each with a browser of their own (a cookie) and a draft of their own, on a server whose
worker is warm. Measured is what their pages show: when the first point of a curve is there, and when they say
that the run has ended.
"""

import argparse
import asyncio
import json
import time
from typing import Any

import psutil

from tests.benchmarks.machine import quantiles
from tests.benchmarks.serving import served, used
from tests.server.client import Viewer

SPREAD_SECONDS = 1.0
MOST_SECONDS = 120.0


class Learner(Viewer):
    """A page of Train, and when what came.

    Attributes:
        curve: when the first point of a curve was there, after the press; None before.
        ended: when it said that the run has ended.
    """

    pressed = 0.0
    curve: float | None = None
    ended: float | None = None

    def _note(self, message: Any, kind: str) -> None:
        super()._note(message, kind)
        if not self.pressed or kind != "delta":
            return
        element, now = message.delta.new_element, time.monotonic() - self.pressed
        if element.WhichOneof("type") == "bidi_component" and self.curve is None:
            inner = element.bidi_component
            if inner.component_name.endswith("panels") and points(json.loads(inner.bytes)):
                self.curve = now
        if element.markdown.body.startswith("Finished:") and self.ended is None:
            self.ended = now

    async def learn(self, offset: float) -> None:
        """Press, and look as often as the page asks for, until it has ended."""
        await asyncio.sleep(offset)
        self.pressed = time.monotonic()
        await self.press("Train")
        while self.ended is None and time.monotonic() < self.pressed + MOST_SECONDS:
            await asyncio.sleep(max(0.1, min(self.fragments.values(), default=1.0)))
            for fragment in [*self.fragments]:
                await self.rerun(fragment)


def points(panels: dict[str, Any]) -> int:
    """Rounds that the accuracy panel shows of the run that has most."""
    figure = json.loads(panels["accuracy"]["figure"])
    return max((len(one.get("y") or ()) for one in figure["data"] if one.get("name")), default=0)


async def lesson(url: str, people: int, process: psutil.Process) -> list[Learner]:
    """Let them all press."""
    learners = [await Learner.open(url, "train", Cookie=f"epsilon_visitor={n:032x}") for n in range(people)]
    before, began = used(process), time.monotonic()
    await asyncio.gather(*(one.learn(SPREAD_SECONDS * n / people) for n, one in enumerate(learners)))
    print(f"server: {used(process) - before:.2f} s of a core in {time.monotonic() - began:.1f} s")
    for one in learners:
        await one.close()
    return learners


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=30)
    options = parser.parse_args()
    with served(warm=True) as (url, process):
        learners = asyncio.run(lesson(url, options.people, process))
    for name in ("curve", "ended"):
        found = [value for one in learners if (value := getattr(one, name)) is not None]
        missing = len(learners) - len(found)
        print(f"{name:<7} {quantiles(found) if found else 'never'}; {missing} never")
    print(f"errors: {[error for one in learners for error in one.errors][:3]}")


if __name__ == "__main__":
    main()
