"""A class of thirty through two questions: `python -m tests.benchmarks.classroom [--people 30]`.

Students are connections that speak Streamlit's protobuf, each with a cookie of its own, and ask again once a
second, as pages do. They join, guess within one second, watch one run, try, draw a digit and see what was
read of their own; joining, trying and drawing takes them five seconds. The teacher moves the class on from
here. Polls of the idle class, in the same run, are what the others are held against on a busy machine.
"""

import argparse
import asyncio
import base64
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil

from ldp_core.classroom import Phase, members, own_digits, sessions, topics
from ldp_core.runs import jobs
from ldp_core.runs.queue.permissions import Person
from tests.benchmarks.launches import points
from tests.benchmarks.machine import quantiles
from tests.benchmarks.serving import megabytes, served, used
from tests.server.client import Viewer

TEACHER = Person("t" * 16, teacher=True)
IDLE_SECONDS, MOST_SECONDS = 10.0, 120.0
JOIN, NAME = "Join", "Your name here (or leave it empty and be a number)"


class Student(Viewer):
    """A phone, and when what came.

    Attributes:
        came: by what it is, when it was there first.
        polls: seconds of each.
    """

    def __init__(self, *of: Any) -> None:
        super().__init__(*of)
        self.came: dict[str, float] = {}
        self.polls: list[float] = []
        self.left = False

    def _note(self, result: Any, kind: str) -> None:
        super()._note(result, kind)
        if kind != "delta" or result.delta.new_element.WhichOneof("type") != "bidi_component":
            return
        inner = result.delta.new_element.bidi_component
        name = inner.component_name.rpartition("studio_")[2]
        data = json.loads(inner.bytes) if name in ("panels", "chart") else {}
        drawn = points(data) if name == "panels" else len(json.loads(data.get("figure", "[]"))) or 1
        if drawn:
            self.came.setdefault(name, time.monotonic())

    async def poll(self, n: int) -> None:
        await asyncio.sleep(n / 30)
        while not self.left:
            for fragment in [*self.fragments]:
                async with self.busy:
                    if fragment in self.fragments:  # the page was not drawn anew meanwhile
                        began = time.perf_counter()
                        await self.rerun(fragment)
                        self.polls.append(time.perf_counter() - began)
            await asyncio.sleep(1.0)

    async def join(self, n: int) -> float:
        await asyncio.sleep(n / 6)
        self.states[self.widgets[NAME]] = ("string_value", f"student {n}")
        return await self.press(JOIN)

    async def guess(self, n: int) -> float:
        await asyncio.sleep(n / 30)
        slider = next(label for label in self.widgets if label.startswith("How accurate"))
        self.states[self.widgets[slider]] = ("double_array_value", [float(n)])
        return await self.press("Send my guess")

    async def attempt(self, n: int) -> float:
        await asyncio.sleep(n / 6)
        return await self.press("Train it, and put it on the board")

    async def draw(self, n: int) -> float:
        await asyncio.sleep(n / 6)
        image = np.zeros((28, 28), dtype=np.uint8)
        image[4:24, 6 + n % 14 : 10 + n % 14] = 100 + n
        pixels = base64.b64encode(image.tobytes()).decode()
        drawn = json.dumps({"drawn": {"pixels": pixels}})
        self.states[self.widgets["studio_sketch"]] = ("json_value", drawn)
        self.states[self.widgets["Which digit is it?"]] = ("string_array_value", [str(n % 10)])
        return await self.press("Take part with it")


async def all_have(students: list[Student], what: str, since: float) -> list[float]:
    """Seconds until each had it."""
    while time.monotonic() < since + MOST_SECONDS and not all(what in one.came for one in students):
        await asyncio.sleep(0.02)
    return [one.came[what] - since for one in students if what in one.came]


async def trained(code: str, submit: Callable[[], str]) -> tuple[float, str]:
    """Have the class watch a run; returns when that was asked for, and the job's id."""
    await asyncio.to_thread(sessions.move, sessions.find(code), TEACHER, "closed")
    began, job = time.monotonic(), await asyncio.to_thread(submit)
    sessions.move(sessions.find(code), TEACHER, "running", job)
    return began, job


async def shown(code: str, job: str, *phases: Phase) -> float:
    while jobs.look(job).live:
        await asyncio.sleep(0.1)
    for phase in phases:
        sessions.move(sessions.find(code), TEACHER, phase)
    return time.monotonic()


async def lesson(url: str, people: int, process: psutil.Process) -> None:
    code = sessions.open_class(TEACHER, "whom").code
    phones = [
        await Student.open(url, "class", f"code={code}", Cookie=f"epsilon_visitor={n + 1:032x}")
        for n in range(people)
    ]
    asking = [asyncio.create_task(one.poll(n)) for n, one in enumerate(phones)]
    before, began = used(process), time.monotonic()
    moves = {"joining": await asyncio.gather(*(one.join(n) for n, one in enumerate(phones)))}
    await asyncio.sleep(IDLE_SECONDS)
    idle = [poll for one in phones for poll in one.polls[-int(IDLE_SECONDS) :]]
    moves["guessing"] = await asyncio.gather(*(one.guess(n) for n, one in enumerate(phones)))
    guessed = sum(one.guessed for one in members.members(sessions.find(code)))

    draft = topics.get("whom").preset.draft
    since, job = await trained(code, lambda: jobs.submit(draft, reference=True, owner=TEACHER.owner))
    curves = await all_have(phones, "panels", since)
    await shown(code, job, "shown", "free")
    await asyncio.sleep(3)
    moves["trying"] = await asyncio.gather(*(one.attempt(n) for n, one in enumerate(phones)))

    sessions.ask(sessions.find(code), TEACHER, topics.OWN_DIGITS)
    await all_have(phones, "sketch", time.monotonic())
    moves["drawing"] = await asyncio.gather(*(one.draw(n) for n, one in enumerate(phones)))
    sent = own_digits.all_sent(sessions.find(code))
    since, job = await trained(code, lambda: own_digits.train(sessions.find(code), {"owner": TEACHER.owner}))
    own = await all_have(phones, "chart", since)
    reads = await all_have(phones, "lineup", await shown(code, job, "shown"))
    spent, took = used(process) - before, time.monotonic() - began
    every = [poll for one in phones for poll in one.polls]
    sessions.end(sessions.find(code), TEACHER)
    for one, task in zip(phones, asking, strict=True):
        one.left = True
        await task
        await one.close()
    print(f"idle:    {quantiles(idle)}")
    print(
        f"polls:   {quantiles(every)}; p95 {np.quantile(every, 0.95) / np.quantile(idle, 0.95):.1f} of idle's"
    )
    came = moves | {"curve": curves, "room's curve": own, "what was read": reads}
    for name, found in came.items():
        print(f"{name}: {quantiles(found) if found else 'never'}; {people - len(found)} never")
    print(f"server:  {spent / took:.2f} of a core over {took:.0f} s, {megabytes(process):.0f} MB")
    print(f"kept:    {guessed} guesses, {len(sent)} drawings, {len(set(sent.values()))} of them different")
    print(f"errors:  {[error for one in phones for error in one.errors][:3]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=30)
    options = parser.parse_args()
    with served(warm=True, EPSILON_TEACHER="chalk") as (url, process):
        asyncio.run(lesson(url, options.people, process))


if __name__ == "__main__":
    main()
