"""A class through two questions: `python -m tests.benchmarks.classroom [PEOPLE]`, thirty by default.

Students are connections, each with a cookie of its own, and ask again once a second, as pages do. They join,
guess within one second, watch one run, try, draw a digit and see what was read of their own; joining, trying
and drawing takes them five seconds. The teacher moves the class on from here. Polls of the idle class, in the
same run, are what the others are held against on a busy machine.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import psutil

from ldp_core.classroom import Phase, members, own_digits, sessions, topics
from ldp_core.runs import jobs
from ldp_core.runs.queue.permissions import Person as Who
from tests.benchmarks.crowd import Person, leave, megabytes, polling, served, spread, used
from tests.benchmarks.machine import quantiles

TEACHER = Who("t" * 16, teacher=True)
IDLE_SECONDS, MOST_SECONDS = 10.0, 120.0
NAME = "Your name here (or leave it empty and be a number)"


async def join(one: Person, n: int) -> float:
    one.states[one.widgets[NAME]] = ("string_value", f"student {n}")
    return await one.press("Join")


async def guess(one: Person, n: int) -> float:
    slider = next(label for label in one.widgets if label.startswith("How accurate"))
    one.states[one.widgets[slider]] = ("double_array_value", [float(n)])
    return await one.press("Send my guess")


async def draw(one: Person, n: int) -> float:
    image = np.zeros((28, 28), dtype=np.uint8)
    image[4:24, 6 + n % 14 : 10 + n % 14] = 100 + n
    drawn = json.dumps({"drawn": {"pixels": base64.b64encode(image.tobytes()).decode()}})
    one.states[one.widgets["studio_sketch"]] = ("json_value", drawn)
    one.states[one.widgets["Which digit is it?"]] = ("string_array_value", [str(n % 10)])
    return await one.press("Take part with it")


async def all_have(phones: Sequence[Person], what: str, since: float) -> list[float]:
    """Seconds until each had it."""
    while time.monotonic() < since + MOST_SECONDS and not all(what in one.came for one in phones):
        await asyncio.sleep(0.02)
    return [one.came[what] - since for one in phones if what in one.came]


async def lesson(url: str, people: int, process: psutil.Process) -> None:
    code = sessions.open_class(TEACHER, "whom").code

    def moved(phase: Phase, job: str | None = None) -> float:
        sessions.move(sessions.find(code), TEACHER, phase, job)
        return time.monotonic()

    async def trained(submit: Callable[[], str]) -> tuple[float, str]:
        """Have the class watch a run; returns when that was asked for, and the job's id."""
        await asyncio.to_thread(moved, "closed")
        began, job = time.monotonic(), await asyncio.to_thread(submit)
        moved("running", job)
        return began, job

    async def shown(job: str) -> float:
        while jobs.look(job).live:
            await asyncio.sleep(0.1)
        return moved("shown")

    who = [f"epsilon_visitor={n + 1:032x}" for n in range(people)]
    phones = [await Person.open(url, "class", f"code={code}", Cookie=cookie) for cookie in who]
    before, began, took = used(process), time.monotonic(), dict[str, list[float]]()
    async with polling(phones):
        took["joining"] = await spread(phones, 5.0, join)
        await asyncio.sleep(IDLE_SECONDS)
        took["idle polls"] = [poll for one in phones for poll in one.polls[-int(IDLE_SECONDS) :]]
        took["guessing"] = await spread(phones, 1.0, guess)
        guessed = sum(one.guessed for one in members.members(sessions.find(code)))

        draft = topics.get("whom").preset.draft
        since, job = await trained(partial(jobs.submit, draft, reference=True, owner=TEACHER.owner))
        took["curve"] = await all_have(phones, "panels", since)
        await shown(job)
        moved("free")
        await asyncio.sleep(3)
        took["trying"] = await spread(
            phones, 5.0, lambda one, _: one.press("Train it, and put it on the board")
        )

        sessions.ask(sessions.find(code), TEACHER, topics.OWN_DIGITS)
        await all_have(phones, "sketch", time.monotonic())
        took["drawing"] = await spread(phones, 5.0, draw)
        sent = own_digits.all_sent(sessions.find(code))
        since, job = await trained(lambda: own_digits.train(sessions.find(code), {"owner": TEACHER.owner}))
        took["room's curve"] = await all_have(phones, "chart", since)
        took["what was read"] = await all_have(phones, "lineup", await shown(job))
    seconds = time.monotonic() - began
    took["polls"] = [poll for one in phones for poll in one.polls]
    for name, found in took.items():
        print(f"{name}: {quantiles(found)}")
    spent, mb = (used(process) - before) / seconds, megabytes(process)
    print(f"server: {spent:.2f} of a core over {seconds:.0f} s, {mb:.0f} MB")
    print(f"kept: {guessed} guesses, {len(sent)} drawings, {len(set(sent.values()))} of them different")
    sessions.end(sessions.find(code), TEACHER)
    await leave(*phones)


def main() -> None:
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with served(warm=True, EPSILON_TEACHER="chalk") as (url, process):
        asyncio.run(lesson(url, people, process))


if __name__ == "__main__":
    main()
