"""A server of its own, and people on it: connections that speak Streamlit's protobuf; and what was measured
where, in a few words.
"""

import asyncio
import json
import os
import platform
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from ldp_core.runs import jobs
from tests.browser.server import Server
from tests.runs.processes import launch, until
from tests.server.client import Viewer


def described() -> str:
    chip = platform.processor() or platform.machine()
    return f"{chip}, {os.cpu_count()} cores, Python {platform.python_version()}"


def quantiles(seconds: Sequence[float]) -> str:
    """Median, 95th percentile and largest."""
    if not seconds:
        return "never"
    values = np.array(seconds)
    median, high = np.median(values), np.quantile(values, 0.95)
    return f"median {median:.3f} s, p95 {high:.3f} s, most {values.max():.3f} s over {len(values)}"


GONE_SECONDS = 150
"""After which the server has forgotten those who left."""


@contextmanager
def served(warm: bool = False, **environment: str) -> Iterator[tuple[str, psutil.Process]]:
    """Address and process of a server with empty folders, which this process submits to as well; with `warm`,
    its worker has trained a job. Machine and load are printed before and after.
    """
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "runs", **environment)
        os.environ["EPSILON_RUNS_DIR"] = str(server.runs_dir)
        print(f"{described()}; load before: {', '.join(f'{one:.1f}' for one in os.getloadavg())}")
        try:
            if warm:
                until(launch({"rounds": 2, "seed": 77}), lambda job: not job.live)
            yield server.url, psutil.Process(server.process.pid)
        finally:
            jobs.cancel_all()
            server.stop()
        print(f"load after: {os.getloadavg()[0]:.1f}")


def used(process: psutil.Process) -> float:
    """Seconds that a process has computed so far."""
    return sum(process.cpu_times()[:2])


def megabytes(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20


class Person(Viewer):
    """A page that asks again as pages do, and when what came.

    Attributes:
        came: by a component, or by the first word of a text: when it was first drawn with something in it.
        polls: seconds of each.
        held: keys of the tables that a slider of Noise moves in the browser, by slider.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.came: dict[str, float] = {}
        self.polls: list[float] = []
        self.held: dict[str, str] = {}

    def _note(self, result: Any, kind: str) -> None:
        super()._note(result, kind)
        if kind == "delta" and (name := _drawn(result.delta.new_element)):
            self.came.setdefault(name, time.monotonic())
            if name == "ahead":
                table = json.loads(result.delta.new_element.bidi_component.bytes)
                self.held |= {table["slider"]: table["key"]} if "key" in table else {}

    async def poll(self, pause: float | None = 1.0, until: str = "", offset: float = 0.0) -> None:
        """Refresh what asks for it until something has come; None pauses as long as the page says."""
        due = time.monotonic() + offset
        while until not in self.came:
            due += pause or max(0.1, min(self.fragments.values(), default=1.0))
            due = max(due, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            for fragment in [*self.fragments]:
                if fragment in self.fragments and not self.busy.locked():
                    self.polls.append(await self.rerun(fragment))

    async def weigh(self, n: int) -> float:
        """Drag the weight on Noise and let go, as assets/web/strip.js tells the server: nothing of what lies
        between; returns the seconds until it was drawn.
        """
        asked = {"weight": n % 80 / 40 - 1, "wants": "weight", "has": self.held}
        value = json.dumps({"asked": asked | {"seq": n + 1, "settled": True}})
        return await self.move("studio_strip", "json_value", value)


def _drawn(element: Any) -> str:
    """Name of what is drawn; of the panels none before the first point of a curve."""
    if element.WhichOneof("type") != "bidi_component":
        return str(element.markdown.body.partition(" ")[0])
    inner = element.bidi_component
    name = str(inner.component_name.rpartition("studio_")[2])
    figure = json.loads(inner.bytes)["accuracy"]["figure"] if name == "panels" else "{}"
    curves = [one["y"] for one in json.loads(figure).get("data", ()) if one.get("name")]
    begun = any(one.get("bdata") if isinstance(one, dict) else one for one in curves)
    return name if begun or name != "panels" else ""


@asynccontextmanager
async def polling(people: Sequence[Person], pause: float | None = 1.0) -> AsyncIterator[None]:
    """They ask again, once a second or (None) as their page says, until this is left."""
    tasks = [asyncio.create_task(one.poll(pause, offset=n / len(people))) for n, one in enumerate(people)]
    try:
        yield
    finally:
        for one, task in zip(people, tasks, strict=True):
            if task.done():
                one.errors.append(repr(task.exception()))
            task.cancel()


async def leave(*people: Viewer) -> None:
    """Close their pages, and print what went wrong with any."""
    errors = [error for one in people for error in one.errors]
    print(f"errors: {len(errors)} {errors[:3] or ''}", flush=True)
    for one in people:
        await one.close()
