"""A class that presses Train at the same scenario in a second: `python -m tests.benchmarks.launches [PEOPLE]`

Visitors, each with a cookie and a draft of their own, on a server whose worker is warm. Measured is what
their pages show, which look as often as they are asked to: when the first point of a curve is there, and when
they say that the run has ended.
"""

import asyncio
import sys
import time

import psutil

from tests.benchmarks.crowd import Person, leave, served, spread, used
from tests.benchmarks.machine import quantiles

MOST_SECONDS = 120.0
SHOWN = {"panels": "curve", "Finished:": "ended"}


async def learn(one: Person, _: int) -> float:
    """Press, and look until it has ended; returns when it was pressed."""
    one.came.clear()
    pressed = time.monotonic()
    await one.press("Train")
    async with asyncio.timeout(MOST_SECONDS):
        await one.poll(None, "Finished:")
    return pressed


async def lesson(url: str, people: int, process: psutil.Process) -> None:
    learners = [await Person.open(url, "train", Cookie=f"epsilon_visitor={n:032x}") for n in range(people)]
    before, began = used(process), time.monotonic()
    pressed = await spread(learners, 1.0, learn)
    print(f"server: {used(process) - before:.2f} s of a core in {time.monotonic() - began:.1f} s")
    for what, name in SHOWN.items():
        took = [one.came[what] - at for one, at in zip(learners, pressed, strict=True)]
        print(f"{name}:  {quantiles(took)}")
    await leave(*learners)


def main() -> None:
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with served(warm=True) as (url, process):
        asyncio.run(lesson(url, people, process))


if __name__ == "__main__":
    main()
