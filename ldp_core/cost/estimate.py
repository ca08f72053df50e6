"""Estimated memory, disk space and time of a draft; what cannot fit is refused with the numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ldp_core.accounting.ledger_entry import EACH
from ldp_core.aggregators.base import SeesUploads
from ldp_core.attacks.findings.metrics import MOST_PAIRS
from ldp_core.cost.seconds import Operations, Rates, seconds, uploads_attacked, work_of
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Draft, Plan, kept, plan
from ldp_core.experiment.sweep import Sweep
from ldp_core.mechanisms.shared.kinds import alike

MEMORY = 3 * 2**30
"""Largest memory of a training process in bytes, besides the program itself."""
STORAGE = 2 * 2**30
"""Largest number of bytes that one job may store."""
COPIES = 13
"""Matrices of a chunk's size in memory at the peak of a round: weights, gradients, noise, moments in double
precision (12.7 measured with ResNet-18 and Piecewise).
"""
ACTIVATIONS = 2
"""Copies of a layer's output in memory: the output and its gradient."""
ROUND_BYTES = 1200
"""Size of a round's event as JSON."""
ATTACK_BYTES = 950
"""Size of an attack's event without its images."""
CELL_BYTES = 1000
"""Size of a sweep's cell, with its entry in the index of results."""
PROMISE_BYTES = 1000
"""Size of a client's ledger entry in the end event (619 to 998 measured)."""
IMAGE_BYTES = 110
"""Size of an encoded image without its pixels."""


@dataclass(frozen=True)
class Cost:
    """Time, memory and disk that a draft takes."""

    memory: int
    """Largest memory in bytes."""
    storage: int
    """Bytes of stored events."""
    work: Sequence[Operations]
    """Work of each run."""

    def seconds(self, rates: Rates) -> float:
        """Estimated seconds of all runs, one after another."""
        return seconds(self.work, rates)


def cost(draft: Draft) -> Cost:
    each = [_of_a_run(plan(experiment)) for experiment in draft.experiments()]
    memory, stored, work = zip(*each, strict=True)
    return Cost(max(memory), draft.seeds * sum(stored), [*work] * draft.seeds)


@kept(256)
def _of_a_run(plan: Plan) -> tuple[int, int, Operations]:
    """Bytes of memory, bytes of events, and work of a run."""
    return _memory(plan), _stored(plan), work_of(plan)


def refuse_what_cannot_fit(draft: Draft) -> None:
    """Raise InvalidExperiment for a draft that exceeds the limits on memory or disk space."""
    found, problems = cost(draft), []
    widest = max(map(plan, draft.experiments()), key=_memory)
    source, asked, most = widest.source, widest.experiment, _gigabytes(MEMORY)
    model = asked.model.name
    if found.memory > MEMORY:
        samples, batch = source.train_size + source.test_size, asked.local.batch_size
        data = f"{samples:,} samples × {source.features:,} numbers × 5 B = {_gigabytes(source.memory)}"
        if source.memory > MEMORY // 2:
            path, why = "dataset", f"{data}, of {most} in all; try one with fewer samples"
        elif 2 * _seen(widest) > found.memory:
            taken = f"all uploads of a round at once take {_gigabytes(_seen(widest))}"
            path, why = "aggregator", f"{taken}, limit {most}; try mean"
        elif 2 * _activations(widest) > found.memory:
            taken = f"{batch:,} images at a time take {_gigabytes(_activations(widest))} in {model}"
            path, why = "local.batch_size", f"{taken}, limit {most}; try a smaller one"
        else:
            weights = f"{COPIES} × {_chunk(widest):,} clients × {widest.dimension:,} weights × 4 B"
            made = f"make {_gigabytes(found.memory)}, limit {most}; try a smaller one"
            path, why = "model", f"{weights}, and for the data {data}, {made}"
        problems.append(Problem(path, f"is too large: {why}"))
    if found.storage > STORAGE:
        rounds = sum(one.rounds for one in draft.experiments()) * draft.seeds
        size = f"{rounds:,} rounds of all runs × {found.storage // rounds:,} B"
        said = f"would store {size} = {_gigabytes(found.storage)}, limit {_gigabytes(STORAGE)}"
        problems.append(Problem("rounds", f"{said}; try fewer rounds, runs or seeds, or no attack"))
    if problems:
        raise InvalidExperiment(problems)


def cost_of_sweep(sweep: Sweep) -> Cost:
    """Cost of a sweep, whose cells are trained one after another and store their final figures."""
    plans = [plan(cell.experiment) for cell in sweep.cells]
    work = [*map(work_of, plans)]
    return Cost(max(map(_memory, plans)), CELL_BYTES * len(work), work)


def _chunk(plan: Plan) -> int:
    """Number of clients trained at a time."""
    return min(plan.experiment.clients.count, plan.chunk)


def _memory(plan: Plan) -> int:
    data = plan.source.memory
    return COPIES * _chunk(plan) * plan.dimension * 4 + _activations(plan) + _seen(plan) + data


def _seen(plan: Plan) -> int:
    """Bytes of a round's uploads, noisy and not, and their copies, where an aggregator sees them."""
    one = plan.experiment.aggregator
    copies = 2 + one.copies if isinstance(one, SeesUploads) else 0
    return 8 * copies * (plan.terms.heard or plan.experiment.clients.count) * plan.uploaded


def _activations(plan: Plan) -> int:
    """Bytes of activations for the backward pass of one client."""
    source = plan.source
    batch = min(plan.experiment.local.batch_size, source.train_size)
    return ACTIVATIONS * 4 * batch * plan.experiment.model.activations(source.shape, source.classes)


def _stored(plan: Plan) -> int:
    attacks, uploads = 0, uploads_attacked(plan)
    image = IMAGE_BYTES + 4 * math.prod(plan.source.shape) // 3  # base64
    images = {"audit": 1, "real": 2 * MOST_PAIRS + 1}
    # each upload is attacked as sent and under both controls
    for spy in plan.spies:
        attacks += 3 * uploads * (ATTACK_BYTES + images[spy.upload] * image)
    return plan.experiment.rounds * ROUND_BYTES + attacks + _ledger(plan)


def _ledger(plan: Plan) -> int:
    """Bytes of the ledger in the end event; in a large population each distinct entry is stored once."""
    count = plan.experiment.clients.count
    if count <= EACH:
        return PROMISE_BYTES * count
    asked = plan.population
    drawn = [] if plan.turns.counts is None else [plan.turns.counts]
    kinds = alike(asked.epsilon, asked.low, asked.high, plan.experiment.clients.run_limits(), *drawn)
    return PROMISE_BYTES * int(kinds.max() + 1) + 6 * count


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.3g} GB"
