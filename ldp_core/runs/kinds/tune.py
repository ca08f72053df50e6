"""The kind of job that searches the least ε, and the safe range, that reach a given accuracy."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ldp_core.cost.estimate import CELL_BYTES, Cost, cost
from ldp_core.cost.seconds import work_of
from ldp_core.datasets import Report
from ldp_core.events import Answered, Fitted, Leaked, SearchCell, Tried
from ldp_core.experiment import Draft, Variant, plan
from ldp_core.limits import number, percent
from ldp_core.runs.kinds.ask import USUAL_RUNS, searched
from ldp_core.runs.kinds.base import Kind, Words, derived, rebased
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.cells import known_or_trained
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.events import StoredEvent
from ldp_core.runs.view.cells import SearchProgress, accuracy_of, points_of
from ldp_core.runs.view.final_figures import found
from ldp_core.system.preemption import make_room_if_asked
from ldp_core.tuning import Question, answer_of, parse_question
from ldp_core.tuning.designs import without_noise
from ldp_core.tuning.fits import NoiselessRun, fit_in_words, fits_of, fitted, next_fits


class TuneJob(Kind):
    label = "question"
    summary = "Finds the least ε, and the safe range, with which runs reach an accuracy."
    part = "question"
    events = (SearchCell, Tried, Fitted, Leaked, Answered)
    smallest = {"base": {"rounds": 3}, "accuracy": 0.3, "ranges": [1], "seeds": 3, "precision": 2}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Question:
        return parse_question(rebased(data, changes))

    def cost(self, asked: Question) -> Cost:
        (draft,) = self.drafts(asked)
        return Cost(cost(draft).memory, CELL_BYTES * USUAL_RUNS, [work_of(plan(draft.base))] * USUAL_RUNS)

    def drafts(self, asked: Question) -> list[Draft]:
        half = asked.ranges[0]
        return [Draft(asked.experiment(half, min(1.0, asked.most(half))), (Variant("run"),))]

    def describe(self, asked: Question) -> Words:
        halves = "" if asked.fits else ", ".join(map(asked.called, asked.ranges))
        return Words(
            derived(asked.base),
            f"the least ε for {percent(asked.accuracy, 1)}",
            f"over {halves}" if halves else "",
        )

    def compute(self, asked: Question, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        (recorder,) = recorders.values()
        stored = recorder.recorded()
        whole = any(event["event"] == "answer" for event in stored)  # killed before that was noted
        for event in () if whole else search(asked, stored, report, room):
            recorder.add(event)
        recorder.end("completed", {})

    def figures(self, job: Job) -> list[dict[str, Any]]:
        asked, record = self.parse(job.request), SearchProgress.of_job(job).update()
        asked, answer = fitted(asked, record.fits), record.answer
        if answer is None:
            return []
        if answer["epsilon"] is None:
            return [found(f"no ε was found that reaches {percent(asked.accuracy, 1)}")]
        ends = f"from ε {number(answer['epsilon'])} on{asked.called(answer['half'], ', with ')}"
        words = f"{percent(asked.accuracy, 1)} {ends}"
        return [found(words, asked.experiment(answer["half"], answer["epsilon"]), answer["mean"])]

    def status(self, job: Job, events: Sequence[StoredEvent]) -> dict[str, Any]:
        answer = next((one.body for one in events if one.body.get("event") == "answer"), None)
        return {"runs": sum(one.body.get("event") == "cell" for one in events), "answer": answer}


def search(
    asked: Question, events: Sequence[Mapping[str, Any]], progress: Report, room: str | None = None
) -> Iterator[dict[str, Any]]:
    """Train until the least ε is found; yields an event per run after the given ones, then one with the
    answer.
    """
    number, fits = len(events), fits_of(events)
    for fit in _fits(asked, fits, progress, room) if asked.fits else ():
        yield Fitted(cell=number, **fit._asdict()).as_json()
        number += 1
    words, asked = fit_in_words(asked, fits), fitted(asked, fits)
    found = points_of(events, asked.ranges)

    def of_run(question: int, design: int, epsilon: float, **more: Any) -> SearchCell:
        clean = design < 0
        half = asked.ranges[without_noise(design) if clean else design]
        return SearchCell(half=half, epsilon=None if clean else epsilon, **more)

    for event in searched(asked, found, number, of_run, progress, room):
        yield event
        number += 1
    answer = answer_of(asked, found)
    why = "; ".join(filter(None, [answer.why, words]))
    yield Answered(cell=number, **answer._replace(why=why)._asdict()).as_json()


def _fits(
    asked: Question, known: list[NoiselessRun], progress: Report, room: str | None
) -> Iterator[NoiselessRun]:
    """Train without noise until wider ranges are no better; `known` grows."""
    while wanted := next_fits(asked, known):
        make_room_if_asked()
        for place, figures, _ in known_or_trained([one for *_, one in wanted], room, progress):
            known.append(NoiselessRun(*wanted[place][:2], accuracy_of(figures)))
            yield known[-1]
