"""Jobs that measure a paper's claim again; each figure is stored for all users once it is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ldp_core import limits, papers
from ldp_core.cost.estimate import CELL_BYTES, MEMORY, Cost, cost
from ldp_core.datasets import Report, Step
from ldp_core.errors import DataUnavailable, InvalidExperiment, StorageFailed, shown
from ldp_core.events import ClaimCell
from ldp_core.experiment import Draft, Experiment, Variant, parse
from ldp_core.experiment.reading import checked_by, unknown
from ldp_core.fields import Whole
from ldp_core.papers.base import Claim
from ldp_core.papers.measuring import Asked, keep, left, measure, together
from ldp_core.papers.stored import Shelf
from ldp_core.runs import claims
from ldp_core.runs.kinds.base import Kind, Request, Words
from ldp_core.runs.lockstep import load
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.system.preemption import make_room_if_asked

FIELDS = ("system", "claim", "seeds")


@dataclass(frozen=True)
class Measured:
    """A paper's claim, to be measured with a number of seeds."""

    system: str
    claim: Claim
    seeds: int

    def asked(self) -> list[Asked]:
        """All arms and seeds of every reading, including those with known figures."""
        return left(self.claim.read_each.values(), Shelf(), self.seeds, fresh=True)

    @property
    def base(self) -> Experiment:
        """Experiment that an export describes in place of a training's runs."""
        first = self.claim.measured[0].base
        return parse({**first, "name": self.claim.title[: limits.NAME_LENGTH], "attack": None})

    def as_json(self) -> dict[str, Any]:
        return {"system": self.system, "claim": self.claim.id, "seeds": self.seeds}


class ClaimJob(Kind):
    label = "claim"
    summary = "Measures a claim of a paper again: every arm with every seed."
    part = "claim"
    events = (ClaimCell,)
    fresh = True
    smallest = {"system": "pldp_fl", "claim": "relative-error", "seeds": 1}

    def read(self, data: Any, changes: Mapping[str, Any]) -> Measured:
        """Request `{"system", "claim", "seeds"}`, with changes to these fields."""
        if not isinstance(data, Mapping):
            message = f'must be an object like {{"system": …, "claim": …}}; got {shown(data)}'
            raise InvalidExperiment.at("", message)
        given = {**data, **changes}
        if extra := unknown(given, "claim", FIELDS):
            raise InvalidExperiment(extra)
        claim = claims.claim_of(given.get("system", ""), given.get("claim"))
        seeds = checked_by(Whole(limits.SEEDS), "seeds", given.get("seeds", claim.seeds))
        return Measured(given["system"], claim, seeds)

    def parse(self, request: Request) -> Measured:
        try:
            return super().parse(request)
        except InvalidExperiment as error:  # of a version with other claims
            raise StorageFailed(f"what it was asked to do cannot be read any more: {error}") from None

    def base(self, request: Request) -> Mapping[str, Any]:
        return self.parse(request).base.as_json()

    def cost(self, asked: Measured) -> Cost:
        every = asked.asked()
        memory = max((cost(each).memory for each in self.drafts(asked)), default=2**20)
        return Cost(min(memory, MEMORY), CELL_BYTES * len(every), [arm.work() for arm, _ in every])

    def drafts(self, asked: Measured) -> list[Draft]:
        each = (arm for read in asked.claim.read_each.values() for arm in read.measured)
        return [Draft(arm.experiment(), (Variant("arm"),)) for arm in each if not arm.named]

    def refuse_what_cannot_fit(self, asked: Measured) -> None:
        super().refuse_what_cannot_fit(asked)
        if missing := asked.claim.missing:
            raise DataUnavailable(f"“{asked.claim.title}” needs data that are not here: {missing}")

    def describe(self, asked: Measured) -> Words:
        claim, label = asked.claim, papers.get(asked.system).label
        return Words(f"{label}: {claim.title}", f"a claim, {self.cells(asked)} runs", claim.setting)

    def compute(self, asked: Measured, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        (recorder,) = recorders.values()
        stored = {event["key"]: event["accuracy"] for event in recorder.recorded()}
        todo = [(arm, seed) for arm, seed in asked.asked() if arm.key(seed) not in stored]
        every = len(stored) + len(todo)
        report(Step("", len(stored), every, "runs"))
        for batch in together(todo):
            for figure in measure(batch, lambda name: load(name, report)):
                keep(claims.own(asked.system), figure)
                cell = ClaimCell(len(stored), figure.key, figure.seed, figure.value, figure.status)
                stored[figure.key] = figure.value
                recorder.add(cell.as_json())
                report(Step("", len(stored), every, "runs"))
            make_room_if_asked()
        failed = sum(value is None for value in stored.values())
        lost = f"{failed} of {len(stored)} runs did not end as they should" if failed else ""
        recorder.end("completed", {"message": lost})

    def cells(self, asked: Measured) -> int:
        return len(asked.asked())
