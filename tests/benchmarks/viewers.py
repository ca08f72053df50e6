"""A class that watches a live run: `python -m tests.benchmarks.viewers [--viewers 100] [--minutes 1]`.

Each asks again once a second, as the page tells a class to; two a second move a control on Noise. With
`--minutes 60` it is the soak: memory every five minutes, and its drift once the caches are full.
"""

import argparse
import asyncio
import time

import psutil

from ldp_core import presets
from ldp_core.runs import jobs
from tests.benchmarks.crowd import GONE_SECONDS, Person, leave, megabytes, polling, quantiles, served, used

MOVES_A_SECOND, MEMORY_MINUTES = 2.0, 5
ROUNDS, EPOCHS_OF_THE_SOAK = 10_000, 50
"""So that the run, and the record of it that the server holds, is as long as a long run of a class."""


async def crowd(url: str, job: str, viewers: int, seconds: float, process: psutil.Process) -> None:
    """Let them all watch, and measure the server meanwhile."""
    theorists = [await Person.open(url, "noise") for _ in range(min(8, viewers))]
    watchers = [await Person.open(url, "train", f"job={job}") for _ in range(viewers)]
    assert all(one.fragments for one in watchers), "some were asked to refresh nothing"
    memory, moves = [megabytes(process)], list[asyncio.Task[float]]()
    before, began = used(process), time.monotonic()
    async with polling(watchers):
        while (now := time.monotonic() - began) < seconds:
            moves.append(asyncio.create_task(theorists[len(moves) % len(theorists)].weigh(len(moves))))
            await asyncio.sleep(1 / MOVES_A_SECOND)
            if now > 60 * MEMORY_MINUTES * len(memory):
                memory.append(megabytes(process))
                print(f"        {memory[-1]:.0f} MB", flush=True)
    moved = await asyncio.gather(*moves)
    polls = [poll for one in watchers for poll in one.polls]
    spent, took = used(process) - before, time.monotonic() - began
    print(f"polls:  {quantiles(polls)}")
    print(f"moves:  {quantiles(moved)}; {1e3 * spent / len(polls + moved):.1f} ms of a core for each of both")
    print(f"server: {spent / took:.2f} of a core, from {memory[0]:.0f} to {megabytes(process):.0f} MB")
    await leave(*theorists, *watchers)
    if len(memory) > 2:
        print(f"drift:  {memory[-1] / memory[1] - 1:+.1%} after the first {MEMORY_MINUTES} minutes")
        await asyncio.sleep(GONE_SECONDS)
        print(f"left:   {megabytes(process):.0f} MB {GONE_SECONDS} s after all have gone")


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
