"""Others' Noise beside tabs with a draft of 60 000 clients: `python -m tests.benchmarks.big_draft [SECONDS]`.

Five visitors move a control on Noise twice a second; one tab, then four, have a page of the large draft drawn
again and again without a pause, each for so many seconds (six by default).
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import chain, product

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.record import drafts
from tests.benchmarks.crowd import Person, leave, served
from tests.benchmarks.machine import quantiles

CLIENTS, OTHERS, PAUSE_SECONDS = 60_000, 5, 0.5
PAGES = ("noise", "clients", "train", "attack", "tune")


async def again(seconds: float, act: Callable[[int], Awaitable[float]], pause: float = 0.0) -> list[float]:
    """What it takes, each time."""
    took, until = list[float](), time.monotonic() + seconds
    while time.monotonic() < until:
        took.append(await act(len(took)))
        await asyncio.sleep(pause)
    return took


async def beside(url: str, draft: str, seconds: float) -> None:
    """No, one and four tabs beside the others."""
    others = [await Person.open(url, "noise") for _ in range(OTHERS)]
    for page, tabs in [("alone", 0), *product(PAGES, (1, 4))]:
        large = [await Person.open(url, page, f"draft={draft}") for _ in range(tabs)]
        took = await asyncio.gather(
            *(again(seconds, one.weigh, PAUSE_SECONDS) for one in others),
            *(again(seconds, lambda _, one=one: one.rerun()) for one in large),  # type: ignore[misc]
        )
        moves, own = (quantiles([*chain(*some)]) for some in (took[:OTHERS], took[OTHERS:]))
        print(f"{page:<7} × {tabs}: {moves}; its own: {own}", flush=True)
        await leave(*large)
    await leave(*others)


def main() -> None:
    budgets = [1.0 + n / 1e5 for n in range(CLIENTS)]
    base = {"dataset": "mnist", "clients": {"count": CLIENTS, "epsilon": budgets}}
    with served() as (url, _):
        draft = drafts.new(Draft(parse(base), (Variant("run"),)))
        asyncio.run(beside(url, draft, float(sys.argv[1]) if len(sys.argv) > 1 else 6.0))


if __name__ == "__main__":
    main()
