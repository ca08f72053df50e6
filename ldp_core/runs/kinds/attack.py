"""The kind of job that computes an attack grid: from the request to stored cells."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ldp_core import mechanisms
from ldp_core.cost.estimate import Cost, cost
from ldp_core.cost.seconds import work_of_ladder
from ldp_core.datasets import Report, Step
from ldp_core.events import Cell, LadderEnded, LadderStarted, Reference, SearchGuess
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.limits import number
from ldp_core.runs.kinds.base import Kind, Request, Words, derived, rebased
from ldp_core.runs.lockstep import load
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.view.cells import Desk
from ldp_core.runs.view.final_figures import found
from ldp_core.system.preemption import asked as asked_to_make_room
from ldp_core.system.preemption import make_room_if_asked

MOST_KEPT = 2**27
"""Largest state of a grid's searches, in bytes, that is kept; a job with a larger one makes no room."""


class AttackJob(Kind):
    label = "attack"
    summary = "Attacks the same images under every mechanism and budget, a cell each."
    part = "ladder"
    events = (LadderStarted, Reference, Cell, SearchGuess, LadderEnded)
    smallest = {"epsilons": [8], "mechanisms": ["duchi"], "images": 2}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Ladder:
        """Changes named `base.…` set fields of its experiment, others fields of the grid."""
        base = {path[5:]: value for path, value in changes.items() if path.startswith("base.")}
        own = {path: value for path, value in changes.items() if not path.startswith("base.")}
        return parse_ladder({**rebased(data, base), **own} if isinstance(data, Mapping) else data)

    def request(self, asked: Ladder) -> dict[str, Any]:
        return {"draft": self.drafts(asked)[0].as_json()} | super().request(asked)

    def base(self, request: Request) -> Mapping[str, Any]:
        return request["draft"]["base"]

    def cost(self, asked: Ladder) -> Cost:
        trained = cost(self.drafts(asked)[0])
        return Cost(trained.memory, trained.storage, [work_of_ladder(asked)])

    def drafts(self, asked: Ladder) -> list[Draft]:
        """The training that precedes the attacked round."""
        base = changed(asked.base, {"attack": None, "rounds": asked.round})
        return [Draft(base, (Variant("ladder", {}),))]

    def describe(self, asked: Ladder) -> Words:
        images = "a real upload" if asked.upload == "real" else f"{asked.images} images"
        laws = ", ".join(one.label for one in asked.mechanisms)
        return Words(derived(asked.base), f"an attack on {images}", laws)

    def compute(self, asked: Ladder, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        (recorder,) = recorders.values()
        from ldp_core.leakage.coarse_to_fine import Searches
        from ldp_core.leakage.grid import climb

        stored = recorder.recorded()
        last, cells = stored[-1] if stored else {}, sum(event["event"] == "cell" for event in stored)
        done = max((event.get("done", 0.0) for event in stored), default=0.0)
        whole = last.get("event") == "end"  # killed before that was noted
        searches, keeps = Searches(recorder.kept()), True
        climbed = partial(climb, asked, earlier=stored, searches=searches)
        for event in () if whole else climbed(load(asked.base.dataset, report)):
            last = event.as_json()
            recorder.add(last, flush=False)
            cells += last["event"] == "cell"
            done = max(cells, done, last.get("done", 0.0))
            report(Step("", done, self.cells(asked), "cells"))
            if searches.under_way and keeps and asked_to_make_room():  # at all cells at once
                states = searches.states()
                if keeps := len(states) <= MOST_KEPT:
                    recorder.keep(states)
                    make_room_if_asked()
            elif last["event"] == "cell" and not searches.under_way:
                make_room_if_asked()
        recorder.end(last["status"], {"message": str(last["message"])})

    def cells(self, asked: Ladder) -> int:
        return len(asked.mechanisms) * len(asked.epsilons)

    def figures(self, job: Job) -> list[dict[str, Any]]:
        """For each mechanism, the ε from which on images are recovered."""
        every = dict[str, list[tuple[float, bool]]]()
        for (name, epsilon), cell in sorted(Desk.of_job(job).update().cells.items()):
            every.setdefault(name, []).append((epsilon, cell["verdict"]["kind"] == "recovered"))
        words = []
        for name, cells in every.items():
            hidden = max((epsilon for epsilon, back in cells if not back), default=0.0)
            least = min((epsilon for epsilon, back in cells if back and epsilon > hidden), default=None)
            most = number(cells[-1][0])
            says = f"not up to ε {most}" if least is None else f"from ε {number(least)} on"
            words.append(f"{mechanisms.registry.kind(name).label} {says}")
        return [found("image back: " + ", ".join(words))] if words else []
