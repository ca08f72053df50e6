"""Thirty people of whom four take what they can: `python -m tests.benchmarks.thirty [PEOPLE] [--seconds 60]`.

Everybody is a connection with a cookie. Students share one address, unless they are `--apart`, and train
settings of their own at random times, twice. Two others have sweeps of 500 cells, one presses Train with
forty cookies of one address, and one uploads tables of 4.6 MB. With `--equal` all press Train at the same
scenario within a second, without other visitors. Measured is what pages show, which look as often as they
are asked to: when the first point of a curve is there, and when they say that the run has ended.
"""

import argparse
import asyncio
import random
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any

import numpy as np
import psutil
import urllib3
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.Common_pb2 import FileUploaderState

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs import SweepProgress, drafts, jobs, permissions
from tests.benchmarks.crowd import Person, leave, megabytes, quantiles, served, used

MOST_SECONDS, COOKIES, CELLS = 60.0, 40, 500
SHOWN = {"panels": "curve", "Finished:": "ended"}
SCENARIOS = presets.names()[:5]


class Learner(Person):
    """One open page.

    Attributes:
        refused: errors that it has shown.
        pressed: when Train was.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.refused: list[str] = []
        self.pressed = 0.0

    def _note(self, result: Any, kind: str) -> None:
        super()._note(result, kind)
        if kind == "delta" and result.delta.new_element.WhichOneof("type") == "alert":
            alert = result.delta.new_element.alert
            self.refused += [alert.body] if alert.format == Alert.ERROR else []

    @classmethod
    async def at(cls, url: str, page: str, query: str, who: int, address: str) -> "Learner":
        headers = {"X-Real-IP": address, "Cookie": f"epsilon_visitor={who:032x}"}
        return await cls.open(url, page, query, "", None, **headers)

    async def train(self, end: str = "Finished:") -> None:
        """Press Train, and look until it has ended, or was refused."""
        self.came.clear()
        self.refused.clear()
        self.pressed = time.monotonic()
        await self.press("Train")
        if not self.refused:
            with suppress(TimeoutError):
                async with asyncio.timeout(MOST_SECONDS):
                    await self.poll(None, end)


async def opened(url: str, draft: Draft, who: int, address: str) -> Learner:
    identity = await asyncio.to_thread(drafts.new, draft)
    return await Learner.at(url, "train", f"draft={identity}", who, address)


def draft_of(number: int) -> Draft:
    """A draft with settings of its own."""
    return presets.get(SCENARIOS[number % len(SCENARIOS)]).draft.with_base({"seed": 1000 + 10 * number})


async def student(url: str, who: int, seconds: float, address: str) -> list[Learner]:
    """Train settings of their own at a random time of each half."""
    draw, began, pages = random.Random(who), time.monotonic(), list[Learner]()
    for turn in range(2):
        at = began + (turn + draw.random()) * seconds / 2
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        pages.append(await opened(url, draft_of(2 * who + turn), who, address))
        await pages[-1].train()
        await pages[-1].close()
    return pages


def sweep(number: int) -> str:
    grid = {"clients.epsilon": np.geomspace(0.1, 10, CELLS).tolist()}
    asked = parse_sweep({"base": {"rounds": 100, "seed": number}, "grid": grid})
    address = permissions.address(f"10.0.1.{number}")
    return jobs.launch("sweep", asked, owner=f"{number:016x}", address=address)


async def forty_cookies(url: str, outcomes: Counter[str]) -> None:
    """One after the other, as fast as they are answered."""
    number = 0
    while True:
        number += 1
        one = await opened(url, draft_of(10_000 + number), 1000 + number % COOKIES, "10.0.2.1")
        await one.press("Train")
        outcomes.update(one.refused or ["taken"])
        await one.close()


async def uploads(url: str, outcomes: Counter[str]) -> None:
    """Tables of 4.6 MB, of long lines and of many, each with another cookie, as fast as they are answered."""
    long = "\n".join(f"{i:07d},0.123456789,{i % 2},7" for i in range(190_000))
    tables = ["age,weight,bought,b\n" + long, "age,bought\n" + "7,0\n7,1\n" * 575_000]
    number = 0
    while True:
        number += 1
        table = tables[number % len(tables)]
        one = await Learner.at(url, "clients", "", 2000 + number, "10.0.3.1")
        path = f"{url}/_stcore/upload_file/{one.session}/{(identity := str(uuid.uuid4()))}"
        headers = {"X-Real-IP": "10.0.3.1", "Origin": url}
        given: Any = {"fields": {"f": ("mine.csv", table)}, "headers": headers}
        answer = await asyncio.to_thread(urllib3.request, "PUT", path, **given)
        state = FileUploaderState()
        state.uploaded_file_info.add(file_id=identity, name="mine.csv", size=len(table))
        label = next(label for label in one.widgets if "pictures, or" in label)
        await one.move(label, "file_uploader_state_value", state)
        outcomes.update([f"status {answer.status}"] if answer.status != 204 else one.refused or ["taken"])
        await one.close()


@asynccontextmanager
async def beside(url: str) -> AsyncIterator[None]:
    """Two with sweeps, one with forty cookies, one who uploads; what became of them is printed."""
    pressed, uploaded = Counter[str](), Counter[str]()
    sweeps = [await asyncio.to_thread(sweep, number) for number in (1, 2)]
    tasks = [asyncio.create_task(forty_cookies(url, pressed)), asyncio.create_task(uploads(url, uploaded))]
    try:
        yield
    finally:
        failed = [repr(task.exception()) for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        print(f"cookies: {dict(pressed)}\nuploads: {dict(uploaded)}\nfailed: {failed or 0}")
        cells = [len(SweepProgress.of_job(jobs.look(one)).update().cells) for one in sweeps]
        print(f"sweeps: {cells} of {CELLS} cells")


async def lesson(options: argparse.Namespace, url: str, process: psutil.Process) -> None:
    before, began = used(process), time.monotonic()
    if options.equal:
        pages = [await Learner.at(url, "train", "", n + 1, "10.0.0.1") for n in range(options.people)]

        async def one(page: Learner, n: int) -> None:
            await asyncio.sleep(n / len(pages))
            await page.train()

        await asyncio.gather(*(one(page, n) for n, page in enumerate(pages)))
    else:
        async with beside(url):
            there = [
                student(url, n + 1, options.seconds, f"10.0.0.{1 + n * options.apart}")
                for n in range(options.people - 4)
            ]
            pages = [page for some in await asyncio.gather(*there) for page in some]
    spent, took = used(process) - before, time.monotonic() - began
    print(f"server: {spent:.2f} s of a core in {took:.1f} s, {megabytes(process):.0f} MB")
    refused = Counter(why for one in pages for why in one.refused[:1])
    print(f"refused: {dict(refused) or 0} of {len(pages)}")
    for what, name in SHOWN.items():
        waits = [one.came.get(what, inf) - one.pressed for one in pages if not one.refused]
        print(f"{name}:  {quantiles(waits)}, {waits.count(inf)} not within {MOST_SECONDS:.0f} s")
    await leave(*pages)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("people", type=int, nargs="?", default=30)
    parser.add_argument("--seconds", type=float, default=60.0, help="within which all press twice")
    parser.add_argument("--apart", action="store_true", help="each student has an address of their own")
    parser.add_argument("--equal", action="store_true")
    options = parser.parse_args()
    with served(warm=True, EPSILON_ADDRESS_HEADER="X-Real-IP") as (url, process):
        asyncio.run(lesson(options, url, process))


if __name__ == "__main__":
    main()
