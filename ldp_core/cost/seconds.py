"""Counts of a job's operations, and their duration at a machine's measured speed (`runs.machine`)."""

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace

from ldp_core.attacks.base import CONTROLS, Facts
from ldp_core.attacks.servers import Server
from ldp_core.attacks.shared.search import CHUNK, Search
from ldp_core.experiment import Plan, plan
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.models.chain import is_chain

EVALUATION, PICTURE = 2_300_000, 150_000
"""Overhead of a search in multiplications, by evaluation and image (`search_units.py` of 90ef56d5)."""
SCORED = 70
"""Multiplications to score what came back of a real upload, by attack, image and weight."""
UNITS = ((3600 * 24 * 365, "years"), (3600 * 24, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


@dataclass(frozen=True)
class Operations:
    """Operations of a run: their numbers, or (`Rates`) the seconds of one of each."""

    products: float = 0.0
    """Samples times multiplications in fully connected models, both passes."""
    convolutions: float = 0.0
    """The same in convolutional models that are no fast chain, on all cores, scoring included."""
    values: float = 0.0
    """Perturbed values."""
    rounds: float = 0.0
    attacks: float = 0.0
    """Attacked uploads over all rounds, both controls included."""
    attacked: float = 0.0
    """Weights in attacked uploads, both controls included."""
    likelihoods: float = 0.0
    """Likelihoods of an output."""
    searches: float = 0.0
    """Multiplications of a search's second-order gradients, overhead included."""
    chains: float = 0.0
    """As `convolutions`, for chains of layers with ReLU and maxima (`ldp_core.models.chain.is_chain`)."""


Rates = Operations
USUAL = Rates(
    products=5e-10, convolutions=2.2e-10, values=8e-8, rounds=5e-3, attacks=2e-3, attacked=5e-7,
    likelihoods=1.2e-8, searches=2.2e-9, chains=1e-10,
)  # fmt: skip
"""Speed assumed for an unmeasured machine."""


def seconds(works: Iterable[Operations], rates: Rates) -> float:
    """Seconds of several works, one after another."""
    return math.fsum(
        count * rate for work in works for count, rate in zip(astuple(work), astuple(rates), strict=True)
    )


def in_words(duration: float) -> str:
    """Seconds in words: 3 days, 20 minutes."""
    unit, name = next(((unit, name) for unit, name in UNITS if duration >= 2 * unit), UNITS[-1])
    count = f"{duration / unit:,.3g}" if duration / unit < 1000 else f"{duration / unit:,.0f}"
    return f"{count} {name.removesuffix('s') if count == '1' else name}"


def work_of(plan: Plan) -> Operations:
    """Work of one run of an experiment, its attacks included."""
    plan = plan.resolved
    attack, victims = plan.experiment.attack, uploads_attacked(plan)
    found, weights, likelihoods, searches = 0.0, 0.0, 0.0, 0.0
    for spy in plan.spies:
        seen = attack.rounds_observed if attack and spy.upload == "audit" else 1
        tried = _tried(spy.facts.server, spy.upload)
        found += victims * tried
        weights += victims * tried * plan.dimension * (_share(seen) + CONTROLS) / (1 + CONTROLS)
        likelihoods += victims * seen * spy.who.effort(spy.facts).likelihoods
        if isinstance(spy.who, Search):
            pictures = (1 + CONTROLS) * _victims(plan) * spy.who.restarts
            each = spy.who.effort(spy.facts).gradients * (1 + CONTROLS)
            searches += victims * each * gradient(spy.facts, pictures / math.ceil(pictures / CHUNK))
    attacks: dict[str, float] = {"attacks": found, "attacked": weights}
    return replace(work_of_training(plan), **attacks, likelihoods=likelihoods, searches=searches)


def work_of_training(plan: Plan) -> Operations:
    """Work of one run without its attacks."""
    return _training(plan.resolved, plan.experiment.rounds)


def work_of_ladder(ladder: Ladder) -> Operations:
    """Work of an attack grid: training up to the round, then a cell for each mechanism and ε.

    Both controls are attacked once per mechanism, all images of a cell together.
    """
    images = ladder.images if ladder.upload == "audit" else 1
    seen, dimension = ladder.rounds_observed, plan(ladder.experiment(None)).dimension
    cells, controls = len(ladder.mechanisms) * len(ladder.epsilons), CONTROLS * len(ladder.mechanisms)
    tried = _tried(ladder.server, ladder.upload)
    weights = images * tried * dimension * (cells * _share(seen) + controls) / (1 + CONTROLS)
    efforts = [ladder.attacker_of(one).effort(ladder.facts(one)) for one in ladder.mechanisms]
    rungs = len(ladder.epsilons)
    likelihoods = images * seen * rungs * math.fsum(one.likelihoods for one in efforts)
    gradients = images * (rungs + CONTROLS) * math.fsum(one.gradients for one in efforts)
    each = gradient(ladder.facts(ladder.mechanisms[0]))
    base = plan(ladder.experiment(None))
    training = _training(base, ladder.round - 1)
    scored = SCORED * (cells + controls) * base.records * dimension * (ladder.upload == "real")
    return replace(
        training,
        products=training.products + scored,
        values=training.values + images * cells * seen * dimension,
        attacks=tried * (cells + controls) * max(1.0, images / (1 + CONTROLS)),  # few cost no more than one
        attacked=weights,
        likelihoods=likelihoods,
        searches=gradients * each,
    )


def _training(plan: Plan, rounds: int) -> Operations:
    experiment = plan.experiment
    source, count = plan.source, experiment.clients.count
    share = plan.turns.expected / experiment.rounds
    samples = plan.records * count * share * experiment.local.epochs
    values = rounds * count * share * plan.dimension
    each = rounds * experiment.model.products(source.shape, source.classes)
    if experiment.model.batched:
        return Operations(products=samples * each, values=values, rounds=rounds)
    made = (samples + source.test_size / 3) * each  # scoring goes forwards only
    if is_chain(plan.network, source.shape, source.classes):
        return Operations(chains=made, values=values, rounds=rounds)
    return Operations(convolutions=made, values=values, rounds=rounds)


def uploads_attacked(plan: Plan) -> int:
    """Number of attacked uploads of each kind over all rounds."""
    attack = plan.resolved.experiment.attack
    return _victims(plan) * len(attack.attacked(plan.experiment.rounds)) if attack else 0


def _victims(plan: Plan) -> int:
    attack = plan.resolved.experiment.attack
    return len(attack.clients or plan.spread_by_budget()) if attack else 0


def gradient(seen: Facts, together: float = CHUNK) -> float:
    """Multiplications equivalent to one image's gradient, with `together` images in a batch."""
    return EVALUATION / together + PICTURE + seen.model.products(seen.shape, seen.classes)


def _tried(server: Server | None, upload: str) -> int:
    """Number of uploads attacked for each one shown: a lie is tried on public images first."""
    return 1 + len(server.sizes) if server and upload == "real" else 1


def _share(seen: int) -> float:
    """Cost factor of an attack on `seen` uploads: half is per upload, half is shared."""
    return (1 + seen) / 2
