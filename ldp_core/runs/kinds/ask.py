"""The kind of job that answers the visitor's own question (`ldp_core.tuning.needs`)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ldp_core.cost.estimate import CELL_BYTES, Cost, cost
from ldp_core.cost.seconds import USUAL, work_of
from ldp_core.datasets import Report, Step, quiet
from ldp_core.events import ChanceLevel, DesignCell, Event, Told, Tried
from ldp_core.experiment import Draft, Experiment, Run, changed, plan
from ldp_core.limits import number, percent
from ldp_core.runs.kinds.base import Kind, Words
from ldp_core.runs.lockstep import drive, load
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.cells import known_or_trained
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.events import StoredEvent
from ldp_core.runs.view.cells import accuracy_of, points_of
from ldp_core.system.preemption import make_room_if_asked
from ldp_core.tuning.designs import (
    BEST,
    CHOOSING,
    SCREENED,
    TRIAL,
    DesignRun,
    answer_of,
    experiment_of,
    next_points,
)
from ldp_core.tuning.needs import Needs, parse_needs
from ldp_core.tuning.question import Question
from ldp_core.tuning.said import design_of

USUAL_RUNS = 110
"""Typical number of runs of a search, for estimates."""


class AskJob(Kind):
    label = "question of one's own"
    summary = (
        "Finds the design that keeps a promise and learns best, or the least ε that reaches an accuracy."
    )
    part = "needs"
    listed = False
    events = (DesignCell, Tried, ChanceLevel, Told)
    smallest = {"clients": 20, "epsilon": 8}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Needs:
        return parse_needs({**data, **changes} if isinstance(data, Mapping) else data)

    def request(self, asked: Needs) -> dict[str, Any]:
        return {self.part: asked.as_json(), "search": 2}  # stored runs of an earlier search do not answer it

    def base(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        (draft,) = self.drafts(self.parse(request))
        return draft.base.as_json()

    def cost(self, asked: Needs) -> Cost:
        designs = asked.designs(asked.epsilon or 1.0)
        works = [work_of(plan(one)) for one in designs if not asked.is_dear(one)]
        screening = len(SCREENED) * works * (1 if asked.epsilon else 8)
        fresh = (BEST * len(CHOOSING) + asked.fresh) * [work_of(plan(designs[-1]))] * asked.confirmed
        every = screening * len(asked.questions) + fresh * (1 if asked.epsilon else 3)
        memory = max(cost(Draft.alone(one)).memory for one in designs)
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

    def status(self, job: Job, events: Sequence[StoredEvent]) -> dict[str, Any]:
        return {"runs": sum(one.body.get("event") == "cell" for one in events)}


def designed(
    needs: Needs, events: Sequence[Mapping[str, Any]], report: Report, room: str | None = None
) -> Iterator[dict[str, Any]]:
    """Train until the question is answered, and attack what fresh seeds have confirmed; yields the guessing
    rate, then an event per run after the given ones.
    """
    if not events:
        labels = load(needs.dataset, report).test_y
        yield ChanceLevel(float(np.bincount(labels).max() / len(labels))).as_json()
    known, number = points_of(events), sum(one["event"] != "told" for one in events[1:])
    own = replace(needs, levers=False)
    told = not needs.confirmed or any(one["event"] == "told" for one in events)
    for space in dict.fromkeys((own, needs)):
        for event in searched(space, known, number, DesignCell, report, room):
            number += 1
            yield event
        if not told:
            yield Told(told_apart(design_of(needs, answer_of(needs, known)), report)).as_json()
            told = True
    report(Step("", len(known), len(known), "runs"))


def searched(
    space: Needs | Question,
    known: dict[DesignRun, float],
    number: int,
    of_run: Callable[..., Event],
    report: Report,
    room: str | None,
) -> Iterator[dict[str, Any]]:
    """Train, or try out, what a search asks for until it has its answer; yields events, numbered from
    `number` on, those of runs made by `of_run`. `known` grows.
    """
    from ldp_core.pilot import trials

    while wanted := next_points(space, known):
        most = max(USUAL_RUNS, number + len(wanted))
        for point in (one for one in wanted if one.seed == TRIAL):
            make_room_if_asked()
            one = experiment_of(space, point)
            found, _ = trials(one, load(one.dataset, report), rates() or USUAL)
            event = Tried(number, point.question, point.design, point.epsilon, found).as_json()
            known |= points_of([event])
            number += 1
            report(Step("", number, most, "runs"))
            yield event
        make_room_if_asked()
        runs = [one for one in wanted if one.seed != TRIAL]
        every = known_or_trained([experiment_of(space, point) for point in runs], room, report)
        for place, figures, _ in every if runs else ():
            known[runs[place]] = accuracy_of(figures)
            yield of_run(cell=number, **runs[place]._asdict(), **figures).as_json()
            number += 1
            report(Step("", number, most, "runs"))


def told_apart(experiment: Experiment, report: Report = quiet) -> float | None:
    """Share of tries in which an attacker tells two images of a client apart from one upload, averaged over
    the attacked clients; None under a trust whose attack is not simulated.
    """
    *_, turn = drive({0: changed(experiment, {"attack": "auto"})}, report=report)
    rows = [one for one in turn.events[-1].get("measured") or [] if one["scope"] == "upload"]
    right = [one["right"] for one in rows if one["attack"] == "identification"]
    return float(np.mean(right)) if right else None
