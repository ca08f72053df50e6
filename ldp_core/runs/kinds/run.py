"""Training: a draft's runs side by side, from the request to stored events.

The same experiment and seed is never trained twice. What a job before has finished is referred to; what
another job is training at this moment is waited for, after everything else of this job is done, and then
referred to (or trained here, if the other one stopped). Who waits is queued again and takes nobody's slot.
Nobody waits who has not done all that is theirs, or holds anything, so no two jobs wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.behaviour import version
from ldp_core.cost.estimate import Cost, cost, refuse_what_cannot_fit
from ldp_core.engines.choice import choice_for
from ldp_core.errors import StorageFailed
from ldp_core.events.order import RunsOrder
from ldp_core.experiment import Draft, Run, amended, parse_draft
from ldp_core.limits import spelled
from ldp_core.runs import queue
from ldp_core.runs.cluster import drive
from ldp_core.runs.kinds.base import UNREADABLE, Kind, Outcome, Reached, Request, Rows, Words, readable
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import results, reuse, run_cache
from ldp_core.runs.record.preparing import teller
from ldp_core.runs.record.round_share import Within
from ldp_core.runs.record.store import Recorder, Stored, events_after
from ldp_core.runs.train_all import bits_alone, figures_of
from ldp_core.runs.view.final_figures import finals
from ldp_core.runs.view.run_progress import Progress, progress_of

PAUSE_SECONDS = 0.3
"""Between two looks at a record, however many ask how far it is."""


@dataclass(frozen=True)
class Training:
    """A draft, and whether it is also run once without noise, to hold the others against."""

    draft: Draft
    reference: bool = False

    def runs(self) -> list[Run]:
        """Every run."""
        return self.draft.runs(self.reference)


class TrainingJob(Kind):
    """Trains the runs of a draft, or of one experiment."""

    label = "training"
    summary = "Trains the runs of a draft, a round of each after another."
    smallest = {"rounds": 1, "attack": None}
    shared = True

    def read(self, data: Any, changes: Mapping[str, Any]) -> Training:
        if changes and isinstance(data, Mapping) and "base" in data:
            data = {**data, "base": amended(data["base"], changes)}
        elif changes:
            data = amended(data, changes)
        return Training(parse_draft(data))

    def request(self, asked: Training) -> dict[str, Any]:
        return {"draft": asked.draft.as_json(), "reference": asked.reference}

    def parse(self, request: Request) -> Training:
        return Training(parse_draft(readable(request, "draft")), bool(request.get("reference")))

    def base(self, request: Request) -> Mapping[str, Any]:
        return request["draft"]["base"]

    def cost(self, asked: Training) -> Cost:
        return cost(asked.draft)

    def refuse_what_cannot_fit(self, asked: Training) -> None:
        refuse_what_cannot_fit(asked.draft)

    def describe(self, asked: Training) -> Words:
        runs, base = len(asked.runs()), asked.draft.base
        size = f"{runs} run{'s' if runs > 1 else ''}, {base.rounds} round{'s' if base.rounds > 1 else ''}"
        return Words(base.name, size, ", ".join(variant.label for variant in asked.draft.variants))

    def complete(self, identity: str) -> bool:
        done = reuse.complete(identity)
        if done:
            self._note_figures(queue.get(identity).folder)
        return done

    def recorded(self, asked: Training) -> Iterator[Run]:
        return asked.draft.each_run(asked.reference)

    def telling(self, asked: Training, runs: Sequence[Run]) -> RunsOrder:
        return RunsOrder([run.experiment for run in runs])

    def figures(self, folder: Path) -> list[dict[str, Any]]:
        return [one.as_json() for one in finals(Progress(folder).update().runs)]

    def run(self, asked: Training, folder: Path) -> Outcome:
        runs = asked.runs()
        recorder = Recorder(folder, runs)
        try:
            recorder.forget_what_cannot_go_on()
            pure = recorder.begun_by(version(*(run.experiment for run in runs)))
            changed = _other_engine(runs, recorder)
            while left := {i: run for i, run in enumerate(runs) if i not in recorder.ended()}:
                # asked in this order, or a run that ends in between would be trained again
                names = {run_cache.name_of(run.experiment) for run in left.values()}
                theirs = run_cache.begin(names, folder.name)
                left = reuse.take_over(left, recorder)
                mine = _first_of_each(left, theirs)
                if mine:
                    queue.say(folder.name, "")
                    _drive(folder, mine, recorder, pure)
                    run_cache.leave()  # of what diverged nothing is kept for others, who may now try
                elif left:
                    return Outcome("queued", waits_for=min(theirs.values()))
            reuse.mark(recorder)
        finally:
            recorder.close()
            run_cache.leave()
            self._note_figures(folder)  # also of what was stopped: no list looks into a record
        ends = [event.body for event in events_after(folder) if event.body["event"] == "end"]
        diverged = [end["message"] for end in ends if end["status"] == "diverged"]
        if len(diverged) == len(runs):
            return Outcome("diverged", diverged[0])
        lost = f"{len(diverged)} of {len(runs)} runs diverged" if diverged else ""
        return Outcome(message="; ".join(filter(None, [lost, changed])))

    def _note_figures(self, folder: Path) -> None:
        with suppress(StorageFailed):  # damaged: its line says so
            queue.note_figures(folder.name, self.figures(folder))

    def status(self, job: Job, runs: Rows, events: Sequence[Stored]) -> dict[str, Any]:
        """Of several runs, the figures are of the one that is furthest behind."""
        rounds, accuracy, sha256 = dict[int, int](), dict[int, Any](), dict[int, Any]()
        for event in events:
            body = event.body
            if body["event"] in ("start", "round", "end"):
                rounds[event.run] = body.get("round", 0)
                accuracy[event.run] = body.get("accuracy")
            if body["event"] == "end":
                sha256[event.run] = body.get("weights_sha256")
        going = [run for run in rounds if run not in sha256]  # one that has diverged comes no further
        behind = min(going if job.live and going else rounds, key=lambda run: rounds[run], default=-1)
        return {
            "round": rounds.get(behind, 0),
            "rounds": self._rounds(job.brief),
            "accuracy": accuracy.get(behind),
            "weights_sha256": sha256.get(behind),
            "runs": [
                {
                    "label": run["label"],
                    "seed": run["seed"],
                    "round": rounds.get(run["run"], 0),
                    "accuracy": accuracy.get(run["run"]),
                    "weights_sha256": sha256.get(run["run"]),
                }
                for run in runs
            ],
        }

    def progress(self, job: Job) -> Reached:
        at, rounds = progress_of(job.folder).update(PAUSE_SECONDS).at(), self._rounds(job.brief)
        return Reached(at, rounds, f"round {at} of {spelled(rounds)}")

    def seconds_left(self, job: Job) -> float | None:
        progress = progress_of(job.folder).update()
        return progress.seconds_left(self._rounds(job.brief), job.started or 0.0)

    def _rounds(self, request: Request) -> int:
        """Rounds that each of its runs was asked for; 0 if that cannot be read any more."""
        try:
            return int(self.base(request)["rounds"])
        except UNREADABLE:
            return 0


def _first_of_each(left: dict[int, Run], theirs: Collection[str]) -> dict[int, Run]:
    """What is to be trained here and now: each experiment once, and none that another job trains."""
    first = {run_cache.name_of(run.experiment): number for number, run in reversed(left.items())}
    return {number: left[number] for key, number in first.items() if key not in theirs}


def _other_engine(runs: Sequence[Run], recorder: Recorder) -> str:
    """Why a run that was begun goes on with another engine, in words; "" where none does."""
    for number, start in recorder.starts().items():
        experiment, began = runs[number].experiment, start.state.engine
        if began and (other := choice_for(experiment, began)).kind != began:
            why = other.note.removeprefix("no fused kernel: ")
            return f"what was begun by a fused kernel went on without ({why}): its last bits may differ"
    return ""


def _drive(folder: Path, runs: dict[int, Run], recorder: Recorder, pure: bool) -> None:
    """Train; what one version of the program has trained from beginning to end may be shown to others."""
    numbers = sorted(runs)
    experiments = {i: runs[i].experiment for i in numbers}
    last = dict[int, dict[str, Any]]()
    starts = recorder.starts()
    began = {i: starts[i].state.engine for i in numbers if i in starts}
    # a run that was begun under another choice is what today's choice gives to no last bit
    own = {i for i in numbers if not began.get(i) or began[i] == choice_for(experiments[i]).kind}
    for turn in drive(experiments, starts, teller(folder), Within(folder)):
        recorder.write(turn)
        end = turn.events[-1]
        if end["event"] == "round":
            last[turn.run] = end
        if pure and turn.run in own and end["event"] == "end" and end["status"] == "completed":
            recorder.flush()
            experiment = runs[turn.run].experiment
            run_cache.note(folder.name, {turn.run: run_cache.name_of(experiment)})
            figures = figures_of(last.get(turn.run, {}), end).as_json()
            results.note(folder.name, [(experiment, figures)], bits_alone(experiment))
    recorder.flush()
