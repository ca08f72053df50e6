"""The inverse question as a job: the least ε, and the range, with which runs reach an accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ldp_core.attacks.findings.metrics import wilson
from ldp_core.cost.estimate import CELL_BYTES, Cost, cost, refuse_what_cannot_fit
from ldp_core.cost.work import work_of
from ldp_core.datasets import Told
from ldp_core.errors import InvalidInput
from ldp_core.events import Cell
from ldp_core.experiment import Draft, Run, Variant, amended
from ldp_core.limits import spelled
from ldp_core.runs.cluster import train_all
from ldp_core.runs.kinds.base import Kind, Outcome, Reached, Request, Rows, Words, readable
from ldp_core.runs.lockstep import Turn, load
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.preparing import teller
from ldp_core.runs.record.store import Recorder, Stored
from ldp_core.runs.view.search_progress import known, search_of
from ldp_core.tuning import Answer, Question, answer_of, next_points, parse_question
from ldp_core.tuning.leaks import Leak, bounded, leaks_of, next_rungs

PAUSE_SECONDS = 0.3
"""Between two looks at a record, however many ask how far it is."""
USUAL_RUNS = 150
"""That a question takes, for an estimate: 76 to 316 were seen."""


class TuneJob(Kind):
    """Trains what the search asks for, until it knows the answer."""

    label = "question"
    summary = "Finds the least ε, and the safe range, with which runs reach an accuracy."
    smallest = {"base": {"rounds": 3}, "accuracy": 0.3, "ranges": [1], "seeds": 3, "precision": 2}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Question:
        """`{"base", "accuracy", …}`; the changes are of its base."""
        if isinstance(data, Mapping) and changes:
            data = {**data, "base": amended(data.get("base", {}), changes).as_json()}
        return parse_question(data)

    def request(self, asked: Question) -> dict[str, Any]:
        return {"question": asked.as_json()}

    def parse(self, request: Request) -> Question:
        return parse_question(readable(request, "question"))

    def base(self, request: Request) -> Mapping[str, Any]:
        return request["question"]["base"]

    def cost(self, asked: Question) -> Cost:
        one = cost(_draft(asked))
        return Cost(one.memory, CELL_BYTES * USUAL_RUNS, [work_of(_first(asked))] * USUAL_RUNS)

    def refuse_what_cannot_fit(self, asked: Question) -> None:
        refuse_what_cannot_fit(_draft(asked))

    def describe(self, asked: Question) -> Words:
        halves = ", ".join(f"±{half:g}" for half in asked.ranges)
        return Words(asked.base.name, f"the least ε for {asked.accuracy:.1%}", f"over {halves}")

    def run(self, asked: Question, folder: Path) -> Outcome:
        """Runs that are stored are not trained again: the search goes on from what they came to."""
        recorder = Recorder(folder, [Run(variant=0, label="question", experiment=asked.base)])
        try:
            events = recorder.told(0)
            if not any(event["event"] == "answer" for event in events):
                for event in search(asked, events, teller(folder)):
                    recorder.write(Turn(0, [event], None, event.get("seconds", 0.0)))
                    recorder.flush()
        finally:
            recorder.close()
        return Outcome()

    def status(self, job: Job, runs: Rows, events: Sequence[Stored]) -> dict[str, Any]:
        answer = next((one.body for one in events if one.body.get("event") == "answer"), None)
        return {"runs": sum(one.body.get("event") == "cell" for one in events), "answer": answer}

    def progress(self, job: Job) -> Reached:
        found = search_of(job.folder).update(PAUSE_SECONDS)
        done = len(found.cells)
        return Reached(done, done if found.answer else 0, f"{spelled(done)} runs")

    def seconds_left(self, job: Job) -> float | None:
        return None


def search(asked: Question, told: Sequence[Mapping[str, Any]], progress: Told) -> Iterator[dict[str, Any]]:
    """Train until there is an answer, and tell each run and then the answer.

    Args:
        asked: the question.
        told: the runs that are known already.
        progress: is given what is done before the first run, where that takes time.

    Where what an attacker may pick is limited, it is measured first what each range allows.
    """
    found, number, leaks = known(told), len(told), leaks_of(told)
    for leak in _leaks(asked, leaks, progress) if asked.identification is not None else ():
        leaks.append(leak)
        yield {"event": "leak", "cell": number, **leak._asdict()}
        number += 1
    try:
        asked = bounded(asked, leaks)
    except InvalidInput as error:
        yield {"event": "answer", "cell": number, **Answer.none(str(error)).as_json()}
        return
    while wanted := next_points(asked, found):
        experiments = [asked.experiment(*point) for point in wanted]
        for place, figures in train_all(experiments, progress):
            point = wanted[place]
            event = {"event": "cell", "cell": number, **point._asdict(), **figures.as_json()}
            found |= known([event])
            number += 1
            yield event
    yield {"event": "answer", "cell": number, **answer_of(asked, found).as_json()}


def _leaks(asked: Question, known: Sequence[Leak], progress: Told) -> Iterator[Leak]:
    """Attack uploads of each range until it is known up to which ε they leak no more than is allowed."""
    from ldp_core.leakage.grid import climb

    found, data = [*known], load(asked.base.dataset, progress)
    for half in asked.ranges:
        while rungs := next_rungs(asked, found, half):
            picked, made = dict.fromkeys(rungs, 0.0), dict.fromkeys(rungs, 0)
            for client in asked.attacked:
                for event in climb(asked.ladder(half, rungs, client), data):
                    if isinstance(event, Cell):
                        figures = event.as_json()
                        picked[event.epsilon] += figures["identified"]
                        made[event.epsilon] += figures["n"]
            for epsilon in rungs:
                if not made[epsilon]:
                    raise InvalidInput(f"what leaks with ±{half:g} cannot be told: its first step diverged")
                high = wilson(picked[epsilon], made[epsilon])[1]
                found.append(Leak(half, epsilon, picked[epsilon] / made[epsilon], high))
                yield found[-1]


def _first(asked: Question) -> Any:
    half = asked.ranges[0]
    return asked.experiment(half, min(1.0, asked.most(half)), 0)


def _draft(asked: Question) -> Draft:
    return Draft(_first(asked), (Variant("run"),))
