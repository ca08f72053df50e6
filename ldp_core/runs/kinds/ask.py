"""The kind of job that answers the visitor's own question (`ldp_core.tuning.needs`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.cost.estimate import CELL_BYTES, Cost, cost
from ldp_core.cost.seconds import work_of
from ldp_core.datasets import Report, Step
from ldp_core.events import DesignCell, Guessed
from ldp_core.experiment import Draft, Run
from ldp_core.limits import number, percent
from ldp_core.runs.kinds.base import Kind, Words
from ldp_core.runs.lockstep import load
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.cells import known_or_trained
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.events import Stored
from ldp_core.runs.view.cells import points_of
from ldp_core.system.preemption import make_room_if_asked
from ldp_core.tuning.designs import BEST, CHOOSING, REPORTING, SCREENED, experiment_of, next_points
from ldp_core.tuning.needs import Needs, parse_needs


class AskJob(Kind):
    label = "question of one's own"
    summary = (
        "Finds the design that keeps a promise and learns best, or the least ε that reaches an accuracy."
    )
    part = "needs"
    listed = False
    events = (DesignCell, Guessed)
    smallest = {"clients": 20, "epsilon": 8}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Needs:
        return parse_needs({**data, **changes} if isinstance(data, Mapping) else data)

    def base(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        (draft,) = self.drafts(self.parse(request))
        return draft.base.as_json()

    def cost(self, asked: Needs) -> Cost:
        works = [work_of(one) for one in asked.designs(asked.epsilon or 1.0)]
        screening = len(SCREENED) * works * (1 if asked.epsilon else 8)
        fresh = (BEST * len(CHOOSING) + len(REPORTING)) * works[-1:] * asked.confirmed
        every = screening * (1 + len(asked.changed()) * asked.levers) + fresh
        memory = max(cost(Draft.alone(one)).memory for one in asked.designs(asked.epsilon or 1.0))
        return Cost(memory, CELL_BYTES * len(every), every)

    def drafts(self, asked: Needs) -> list[Draft]:
        return [Draft.alone(asked.designs(asked.epsilon or 1.0)[-1])]

    def describe(self, asked: Needs) -> Words:
        goal = f"at ε {number(asked.epsilon)}" if asked.epsilon else f"for {percent(asked.accuracy or 0, 1)}"
        return Words("", f"the best design {goal}", f"{number(asked.clients, 6)} clients")

    def compute(self, asked: Needs, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        (recorder,) = recorders.values()
        for event in designed(asked, recorder.recorded(), report, room):
            recorder.add(event)
        recorder.end("completed", {})

    def recorded(self, asked: Needs) -> list[Run]:
        (draft,) = self.drafts(asked)
        return [Run(0, self.part, draft.base)]

    def status(self, job: Job, events: Sequence[Stored]) -> dict[str, Any]:
        return {"runs": sum(one.body.get("event") == "cell" for one in events)}


def designed(
    needs: Needs, events: Sequence[Mapping[str, Any]], report: Report, room: str | None = None
) -> Iterator[dict[str, Any]]:
    """Train until the question is answered; yields the guessing rate, then an event per run after the given
    ones.
    """
    if not events:
        labels = load(needs.dataset, report).test_y
        yield Guessed(float(np.bincount(labels).max() / len(labels))).as_json()
    known = points_of(events)
    while wanted := next_points(needs, known):
        make_room_if_asked()
        experiments = [experiment_of(needs, point) for point in wanted]
        for place, figures, _ in known_or_trained(experiments, room, report):
            event = DesignCell(cell=len(known), **wanted[place]._asdict(), **figures).as_json()
            known |= points_of([event])
            report(Step("", len(known), len(known) + len(wanted), "runs"))
            yield event
    report(Step("", len(known), len(known), "runs"))
