"""Training speed of this machine, measured once and stored with the runs."""

from __future__ import annotations

import time
from dataclasses import asdict, astuple
from pathlib import Path

import numpy as np

from ldp_core import models, optimizers
from ldp_core.cost.seconds import EVALUATION, PICTURE, Rates, work_of
from ldp_core.experiment import Experiment, parse
from ldp_core.runs.lockstep import drive
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.streams import stream
from ldp_core.system.json_file import read_json, write_json

ROUNDS = 4
VALUES = 2**20
MOST_SECONDS = 3600.0
"""Largest plausible duration of a round without work; a larger one means a failed measurement."""


def rates() -> Rates | None:
    """Stored speed of this machine; None before the first measurement."""
    try:
        found = Rates(**read_json(_path()))
        sound = all(type(rate) is float and 0 < rate < MOST_SECONDS for rate in astuple(found))
    except (OSError, ValueError, TypeError):
        return None
    return found if sound else None


def calibrate() -> Rates:
    """Measure the speed of this machine in a few seconds, and store it."""
    base = {"rounds": ROUNDS, "attack": None, "mechanism": "none"}
    small, large = parse(base), parse(base | {"model": {"name": "mlp", "hidden": 256}})
    _timed(small)  # the first run pays for what is imported and loaded
    quick, slow = _timed(small), _timed(large)
    few, many = (work_of(one).products for one in (small, large))
    product = max(slow - quick, 1e-6) / (many - few)
    each = max(quick - few * product, 1e-4) / ROUNDS
    rest = _per_value(), each, *_per_attack(), _per_search()
    found = Rates(product, _per_convolution("lenet"), *rest, chain=_per_convolution("cnn"))
    write_json(_path(), asdict(found))
    return found


def _timed(experiment: Experiment) -> float:
    began = time.perf_counter()
    for _ in drive({0: experiment}):
        pass
    return time.perf_counter() - began


def _per_attack() -> tuple[float, float, float]:
    """Seconds that attacks add to a round: per upload, per weight of an upload, and per posterior
    evaluation.
    """
    quick, wide = {"attacker": "least_squares"}, {"name": "mlp", "hidden": 128}
    small, large, thorough = (
        parse({"rounds": ROUNDS, "model": model, "attack": attack})
        for model, attack in (
            ("logistic_regression", quick),
            (wide, quick),
            ("logistic_regression", {"attacker": "posterior"}),
        )
    )
    few, many, most = _attacking(small), _attacking(large), _attacking(thorough)
    work, wider = work_of(small), work_of(large)
    weight = max((many - few) / (wider.attacked - work.attacked), 1e-12)
    each = max(few - work.attacked * weight, 1e-6) / work.attacks
    return each, weight, max(most - few, 1e-6) / work_of(thorough).likelihoods


def _attacking(experiment: Experiment) -> float:
    """Seconds that attacks take in a short run."""
    spared = parse(experiment.as_json() | {"attack": None})
    _timed(experiment)  # the first run pays for what is imported
    more, less = (min(_timed(one) for _ in range(2)) for one in (experiment, spared))
    return max(more - less, 1e-6)


def _per_convolution(name: str) -> float:
    """Seconds per multiplication of a convolutional network, trained on random images."""
    import torch

    from ldp_core.engines.base import choose, close_pools
    from ldp_core.engines.plan import plan_batches
    from ldp_core.engines.recipe import Recipe
    from ldp_core.federated.federation import choose_device

    shape, classes, each = (28, 28), 10, 200
    model, device = models.get(name), choose_device()
    recipe = Recipe(model, shape, classes, optimizers.get("sgd"), 0.01)
    engine = choose(model.batched, device, recipe)
    clients = 2 * engine.processes
    x = torch.from_numpy(stream(0, "audit").random((clients * each, *shape), dtype=np.float32)).to(device)
    samples = (x, torch.arange(len(x), device=device) % classes, x[:1])
    plan = plan_batches(np.split(np.arange(len(x)), clients), 1, 20, stream(0, "audit"))
    start = torch.from_numpy(model.initial(shape, classes, stream(0, "audit"))).to(device)
    engine.train(recipe, start, samples, plan)  # the first time pays for the processes
    began = time.perf_counter()
    engine.train(recipe, start, samples, plan)
    took = time.perf_counter() - began
    close_pools()
    return took / (len(x) * model.products(shape, classes))


def _per_search() -> float:
    """Seconds per step of a gradient-inversion attack: a second-order gradient of eight images at once."""
    import torch

    model, shape, classes = models.get("lenet"), (28, 28), 10
    start = torch.from_numpy(model.initial(shape, classes, stream(0, "audit"))).unsqueeze(0)
    weights = {name: p[0] for name, p in model.views(start, shape, classes).items()}
    x = torch.from_numpy(stream(0, "audit").random((8, *shape), dtype=np.float32)).requires_grad_()
    targets = torch.full((8, classes), 1 / classes)
    tries, took = 5, []
    for _ in range(tries):
        began = time.perf_counter()
        found = torch.cat([part.whole() for part in model.traced(weights, x, targets)], 1)
        torch.autograd.grad((found**2).sum(), x)
        took.append(time.perf_counter() - began)
    each = EVALUATION / len(x) + PICTURE + model.products(shape, classes)
    return sorted(took)[tries // 2] / (len(x) * each)


def _per_value() -> float:
    """Seconds to perturb one value and compute its exact mean and variance."""
    piecewise = parse({}).randomiser
    values = np.zeros((16, VALUES // 16), dtype=np.float32)
    began = time.perf_counter()
    piecewise.perturb(values, 1.0, -1, 1, stream(0, "audit"))
    piecewise.at(1.0, -1, 1).moments(values)
    return (time.perf_counter() - began) / VALUES


def _path() -> Path:
    return runs_dir() / "calibration.json"
