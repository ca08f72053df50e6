"""The kind of job that trains the cells of a sweep for their final figures; each is stored once it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.cost.estimate import Cost, cost_of_sweep, refuse_cells_that_cannot_fit
from ldp_core.events.order_of_cells import SweepOrder
from ldp_core.experiment import Run, amended, changed
from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.limits import spelled
from ldp_core.runs.batch import bits
from ldp_core.runs.kinds.base import Kind, Request, Words, Work
from ldp_core.runs.machine.work_done import CellsDone
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.cells import CellRecorder, FiguresNoted
from ldp_core.runs.record.recorder import Recorder
from ldp_core.runs.train_all import train_all
from ldp_core.runs.view.cells import SweepProgress
from ldp_core.runs.view.final_figures import found


class SweepJob(Kind):
    """Trains one experiment under every combination of some values of its fields."""

    label = "sweep"
    summary = "Trains one experiment under many settings of its fields, a cell each."
    part = "sweep"
    smallest = {"base": {"rounds": 1}, "grid": {"clients.epsilon": [1, 2]}}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Sweep:
        """Sweep `{"base", "grid", "seeds"}`, with changes to its base experiment."""
        if isinstance(data, Mapping) and changes:
            data = {**data, "base": amended(data.get("base", {}), changes)}
        return parse_sweep(data)

    def parse(self, request: Request) -> Sweep:
        return parse_sweep(self.stored(request), cells=False)

    def cost(self, asked: Sweep) -> Cost:
        return cost_of_sweep(asked)

    def refuse_what_cannot_fit(self, asked: Sweep) -> None:
        refuse_cells_that_cannot_fit(asked)

    def describe(self, asked: Sweep) -> Words:
        settings = len(asked.settings)
        seeds = f" × {asked.seeds} seeds" if asked.seeds > 1 else ""
        over = ", ".join(
            f"{name} ({len({one.get(name) for one in asked.settings})})" for name in asked.fields
        )
        size = f"a sweep of {spelled(settings)} setting{'s' if settings > 1 else ''}{seeds}"
        return Words(asked.base.name, size, f"over {over}")

    def recorded(self, asked: Sweep) -> list[Run]:
        return [Run(0, "sweep", asked.base)]

    def telling(self, asked: Sweep, runs: Sequence[Run]) -> SweepOrder:
        return SweepOrder(asked)

    def compute(self, asked: Sweep, recorder: Recorder, work: Work) -> None:
        """Train the cells that are stored by no sweep yet."""
        cells = CellRecorder(asked.cells, recorder, FiguresNoted(bits, work.room))
        try:
            cells.take_over()
            left = cells.left()
            experiments = [asked.cells[i].experiment for i in left]
            report = work.report
            done = CellsDone(experiments, report, len(asked.cells) - len(left))
            for place, figures in train_all(experiments, report, done):
                cells.write(left[place], figures.as_json())
        finally:
            cells.close()
        diverged, failed = cells.count("diverged"), cells.count("failed")
        if diverged == len(asked.cells):
            recorder.end(0, "diverged", {"message": "diverged in every cell"})
            return
        counts = [
            f"{n} of {len(asked.cells)} cells {how}"
            for n, how in ((diverged, "diverged"), (failed, "failed"))
            if n
        ]
        recorder.end(0, "completed", {"message": ", ".join(counts)})

    def cells(self, asked: Sweep) -> int:
        return len(asked.settings) * asked.seeds

    def figures(self, job: Job) -> list[dict[str, Any]]:
        """The setting with the best mean accuracy over its completed seeds."""
        asked, every = self.parse(job.request), dict[int, list[float]]()
        for number, cell in SweepProgress.of_job(job).update().cells.items():
            if cell["status"] == "completed":
                every.setdefault(number % len(asked.settings), []).append(cell["accuracy"])
        if not every:
            return []
        best = max(every, key=lambda place: np.mean(every[place]))
        setting = ", ".join(f"{_short(path)} {value}" for path, value in asked.settings[best].items())
        experiment = changed(asked.base, asked.settings[best])
        return [found(f"best of {len(every)}: {setting}", experiment, float(np.mean(every[best])))]


def _short(path: str) -> str:
    return {"clients.epsilon": "ε", "clients.range": "±"}.get(path, path.removesuffix(".name"))
