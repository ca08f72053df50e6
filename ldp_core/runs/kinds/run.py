"""The kind of job that trains a draft's runs side by side; jobs that name equal runs share them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ldp_core.cost.estimate import Cost, cost
from ldp_core.cost.seconds import USUAL, seconds, work_of_training
from ldp_core.datasets import Report, drawn
from ldp_core.datasets.drawn import Drawing
from ldp_core.errors import StorageFailed
from ldp_core.events import Attacked, Ended, Frame, RoundDone, Started, Target
from ldp_core.experiment import Draft, Experiment, Run, amended, parse_draft, plan
from ldp_core.runs import queue
from ldp_core.runs.batch import bits, figures_of
from ldp_core.runs.kinds.base import Kind, Request, Words, rebased
from ldp_core.runs.lockstep import drive, load
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.machine.work_done import RoundsDone
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import Computation, key_of_figures, note_ends, of_run
from ldp_core.runs.record.events import StoredEvent, runs_of
from ldp_core.runs.view.final_figures import finals
from ldp_core.runs.view.run_curves import RunProgress, progress_of
from ldp_core.system.preemption import Preempted, make_room_if_asked

FIRST_SECONDS = 5.0
"""Longest estimated training that a job's attacks follow; in a longer one those of a round follow that."""


@dataclass(frozen=True)
class Training:
    """A draft, and whether it is also trained without noise for comparison."""

    draft: Draft
    reference: bool = False
    drawings: tuple[Drawing, ...] = ()
    """Drawings, one for each of the first clients; a training with drawings cannot be exported."""

    def runs(self) -> list[Run]:
        return self.draft.runs(self.reference)


class TrainingJob(Kind):
    label = "training"
    summary = "Trains the runs of a draft, a round of each after another."
    part = "draft"
    events = (Started, Target, RoundDone, Attacked, Frame, Ended)
    smallest = {"rounds": 1, "attack": None}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Training:
        alone = changes and not (isinstance(data, Mapping) and "base" in data)
        return Training(parse_draft(amended(data, changes) if alone else rebased(data, changes)))

    def request(self, asked: Training) -> dict[str, Any]:
        own = {"drawings": drawn.as_json(asked.drawings)} if asked.drawings else {}
        return {"draft": asked.draft.as_json(), "reference": asked.reference, **own}

    def parse(self, request: Request) -> Training:
        draft = parse_draft(self.stored(request))
        own = drawn.read_drawings(request.get("drawings", ()))
        if len(own) > draft.base.clients.count:
            raise StorageFailed("it has more drawings than clients; launch it again")
        return Training(draft, bool(request.get("reference")), own)

    def cost(self, asked: Training) -> Cost:
        return cost(asked.draft)

    def drafts(self, asked: Training) -> list[Draft]:
        return [asked.draft]

    def describe(self, asked: Training) -> Words:
        runs, (least, most) = len(asked.runs()), asked.draft.lengths
        rounds = f"{most} round{'s' if most > 1 else ''}" if least == most else f"{least} to {most} rounds"
        size = f"{runs} run{'s' if runs > 1 else ''}, {rounds}"
        labels = ", ".join(variant.label for variant in asked.draft.variants)
        return Words(asked.draft.base.name, size, labels)

    def computations(self, asked: Training, job: str, room: str = "") -> list[Computation]:
        own = json.dumps(drawn.as_json(asked.drawings)) if asked.drawings else ""
        return [of_run(run.experiment, room, own) for run in asked.runs()]

    def compute(self, asked: Training, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        runs = asked.runs()
        experiments = {number: runs[number].experiment for number in recorders}
        starts = {number: start for number, one in recorders.items() if (start := one.start())}
        last = {number: recorders[number].latest_round() for number in starts}
        quick = _seconds(experiments.values()) <= FIRST_SECONDS
        later = {
            number: quick and last.get(number, {}).get("round", 0) < one.rounds
            for number, one in experiments.items()
        }
        keys = [one.key for one in self.computations(asked, "", room)]
        attacked = any(later[number] and one.attack for number, one in experiments.items())
        others = queue.FirstPoints(keys, resumed=bool(starts))
        done, private = RoundsDone(experiments, starts, report, later), None
        if asked.drawings:
            private = drawn.with_drawings(load(asked.draft.base.dataset, report), asked.drawings)
        for turn in drive(experiments, starts, report, done.tick, private, later):
            recorders[turn.run].write(turn)
            may_stop = done.turn(turn)
            end = turn.events[-1]
            if end["event"] == "round":
                last[turn.run] = end
                if end["round"] == experiments[turn.run].rounds:
                    recorders[turn.run].flush()  # its accuracy is final, and attacks may follow
                reached = [last.get(number, {}).get("round", 0) for number in experiments]
                trained = attacked and reached == [one.rounds for one in experiments.values()]
                if others.come_first(all(reached), trained):
                    raise Preempted
            if may_stop:
                make_room_if_asked()
            if turn.ends:
                figures = figures_of(last.get(turn.run, {}), end).as_json()
                if private and turn.state is not None:
                    from ldp_core.leakage.own_images import audits, read_right

                    experiment = experiments[turn.run]
                    figures |= {"own_right": read_right(plan(experiment), private, turn.state)}
                    if turn.run == 0:  # the same for each variant: only the weights of answers differ
                        figures |= {"audits": audits(experiment, private)}
                recorders[turn.run].end(end["status"], figures)
                if end["status"] == "completed" and not private:
                    experiment = experiments[turn.run]
                    key = key_of_figures(experiment, bits(experiment, together=False), room)
                    note_ends([(key, "figures", "completed", figures)])

    def recorded(self, asked: Training) -> Iterator[Run]:
        return asked.draft.each_run(asked.reference)

    def figures(self, job: Job) -> list[dict[str, Any]]:
        return [one.as_json() for one in finals(progress_of(job).update().runs)]

    def status(self, job: Job, events: Sequence[StoredEvent]) -> dict[str, Any]:
        """Status of several runs: round and accuracy of the run that has trained the fewest rounds."""
        runs = list[RunProgress]()
        with suppress(StorageFailed):
            runs += (RunProgress(*row) for row in runs_of(job))
        for event in events if runs else ():
            runs[event.run].fold(event.body)
        begun = [run for run in runs if run.start]
        going = [run for run in begun if run.end is None]  # one that has diverged comes no further
        behind = min(going if job.live and going else begun, key=lambda run: run.round, default=None)
        rounds = json.loads(runs[0].experiment)["rounds"] if runs else 0
        reached = [{"label": run.label, "seed": run.seed, **_reached(run)} for run in runs]
        return {"rounds": rounds, **_reached(behind), "runs": reached}


def _seconds(experiments: Iterable[Experiment]) -> float:
    """Estimated seconds of training, without attacks."""
    return seconds((work_of_training(plan(one)) for one in experiments), rates() or USUAL)


def _reached(run: RunProgress | None) -> dict[str, Any]:
    latest = (run.end or run.last or run.start) if run else {}
    end = (run.end if run else None) or {}
    return {
        "round": run.round if run else 0,
        "accuracy": latest.get("accuracy"),
        "weights_sha256": end.get("weights_sha256"),
    }
