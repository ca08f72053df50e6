"""The kind of job that trains the cells of a sweep for their final figures; each is stored once it ends."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.cost.estimate import Cost, cost_of_sweep, refuse_what_cannot_fit
from ldp_core.datasets import Report
from ldp_core.errors import InvalidExperiment
from ldp_core.events import SweepCell
from ldp_core.experiment import Draft, Experiment, Variant, changed, plan
from ldp_core.experiment.sweep import Sweep, in_words, parse_sweep
from ldp_core.inference import ahead, as_good, at_chance
from ldp_core.limits import spelled
from ldp_core.runs.kinds.base import Kind, Request, Words, counted, derived, rebased
from ldp_core.runs.machine.work_done import CellsDone
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.cells import cell_body, known_or_trained
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.view.cells import SweepProgress
from ldp_core.runs.view.final_figures import found
from ldp_core.system import preemption

SHORT = {"clients.epsilon": "ε ", "clients.range": "±"}


class SweepJob(Kind):
    label = "sweep"
    summary = "Trains one experiment under many settings of its fields, a cell each."
    part = "sweep"
    events = (SweepCell,)
    smallest = {"base": {"rounds": 1}, "grid": {"clients.epsilon": [1, 2]}}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Sweep:
        return parse_sweep(rebased(data, changes))

    def parse(self, request: Request) -> Sweep:
        return parse_sweep(self.stored(request), cells=False)

    def cost(self, asked: Sweep) -> Cost:
        return cost_of_sweep(asked)

    def drafts(self, asked: Sweep) -> list[Draft]:
        """A cell of each setting: another seed takes no more."""
        cells = asked.cells[: len(asked.settings)]
        return [Draft(cell.experiment, (Variant("cell"),)) for cell in cells]

    def refuse_what_cannot_fit(self, asked: Sweep) -> None:
        for draft, setting in zip(self.drafts(asked), asked.settings, strict=True):
            try:
                refuse_what_cannot_fit(draft)
            except InvalidExperiment as error:
                raise error.within(f"the cell {in_words(setting)}") from None

    def describe(self, asked: Sweep) -> Words:
        settings = len(asked.settings)
        seeds = f" × {asked.seeds} seeds" if asked.seeds > 1 else ""
        over = ", ".join(f"{name} ({count})" for name, count in asked.counts.items())
        size = f"a sweep of {spelled(settings)} setting{'s' if settings > 1 else ''}{seeds}"
        return Words(derived(asked.base), size, f"over {over}")

    def compute(self, asked: Sweep, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        """Train the cells that are stored by no sweep yet."""
        (recorder,) = recorders.values()
        cells = asked.cells
        statuses = {event["cell"]: event["status"] for event in recorder.recorded()}
        left = [number for number in range(len(cells)) if number not in statuses]

        def progress(rest: Sequence[Experiment]) -> CellsDone:
            return CellsDone(rest, report, len(cells) - len(rest))

        experiments = [cells[number].experiment for number in left]
        for place, figures, known in known_or_trained(experiments, room, report, progress, preemption.asked):
            body = cell_body(left[place], cells[left[place]], figures, known)
            statuses[left[place]] = figures["status"]
            recorder.add(body, flush=not known)
        if len(statuses) < len(cells):
            preemption.make_room_if_asked()
        status, message = counted(statuses.values(), len(cells), "cell")
        recorder.end(status, {"message": message})

    def cells(self, asked: Sweep) -> int:
        return len(asked.settings) * asked.seeds

    def figures(self, job: Job) -> list[dict[str, Any]]:
        """The first of the settings whose seeds all completed, by mean accuracy, and how it stands."""
        asked, every = self.parse(job.request), dict[int, list[float]]()
        for number, cell in SweepProgress.of_job(job).update().cells.items():
            if cell["status"] == "completed":
                every.setdefault(number % len(asked.settings), []).append(cell["accuracy"])
        places = [place for place in every if len(every[place]) == asked.seeds]
        if not places:
            return []
        ends = [every[place] for place in places]
        first = max(range(len(places)), key=lambda one: np.mean(ends[one]))
        best = places[first]
        setting = ", ".join(
            f"{SHORT.get(path, path.removesuffix('.name') + ' ')}{value}"
            for path, value in asked.settings[best].items()
        )
        experiment = changed(asked.base, asked.settings[best])
        mean = float(np.mean(every[best]))
        if at_chance(mean, 1 / plan(experiment).source.classes):
            return [found(f"nothing learns in {len(every)} settings", experiment, mean)]
        standing = ahead(as_good(ends, first, plan(experiment).source.test_size), len(ends))
        return [found(f"first of {len(ends)}{standing}: {setting}", experiment, mean)]
