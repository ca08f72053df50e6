"""Others' Noise beside tabs with a draft of 60 000 clients: `python -m tests.benchmarks.big_draft`.

Five visitors move a control on Noise twice a second; one tab, then four, have a page of the large draft drawn
again and again without a pause.
"""

import argparse
import asyncio
import json
import time

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.record import drafts
from tests.benchmarks.machine import quantiles
from tests.benchmarks.serving import served
from tests.server.client import Viewer

CLIENTS = 60_000
PAGES = ("noise", "clients", "train", "attack", "tune")
OTHERS = 5
PAUSE_SECONDS = 0.5


async def move(viewer: Viewer, until: float, took: list[float]) -> None:
    """Move a control now and then, as a person would."""
    for n in range(1, 10_000):
        if time.monotonic() > until:
            return
        asked = {"weight": n % 80 / 40 - 1, "seq": n, "settled": False}
        took.append(await viewer.move("studio_strip", "json_value", json.dumps({"asked": asked})))
        await asyncio.sleep(PAUSE_SECONDS)


async def insist(viewer: Viewer, until: float, took: list[float]) -> None:
    """Have a page drawn again and again."""
    while time.monotonic() < until:
        took.append(await viewer.rerun())


async def beside(url: str, draft: str, seconds: float) -> None:
    """No, one and four tabs beside the others."""
    others = [await Viewer.open(url, "noise") for _ in range(OTHERS)]
    moves, until = list[float](), time.monotonic() + seconds
    await asyncio.gather(*(move(one, until, moves) for one in others))
    print(f"alone:      {quantiles(moves)}")
    for page in PAGES:
        for tabs in (1, 4):
            large = [await Viewer.open(url, page, f"draft={draft}") for _ in range(tabs)]
            moves, own, until = [], list[float](), time.monotonic() + seconds
            await asyncio.gather(
                *(move(one, until, moves) for one in others), *(insist(one, until, own) for one in large)
            )
            print(f"{page:<7} × {tabs}: {quantiles(moves)}; its own: {quantiles(own)}", flush=True)
            for one in large:
                await one.close()
            if errors := [error for one in (*large, *others) for error in one.errors]:
                print(f"errors: {errors[:3]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    options = parser.parse_args()
    budgets = [1.0 + n / 1e5 for n in range(CLIENTS)]
    base = {"dataset": "mnist", "clients": {"count": CLIENTS, "epsilon": budgets}}
    with served() as (url, _):
        draft = drafts.new(Draft(parse(base), (Variant("run"),)))
        asyncio.run(beside(url, draft, options.seconds))


if __name__ == "__main__":
    main()
