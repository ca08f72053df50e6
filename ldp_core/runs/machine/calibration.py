"""Training speed of this machine, stored with the runs until it is old: processor time, which other programs
do not prolong, but for convolutions, which several threads compute.
"""

import time
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any

import numpy as np

from ldp_core import models, optimizers
from ldp_core.cost.seconds import EVALUATION, PICTURE, USUAL, Rates, work_of
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.runs.lockstep import drive
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.streams import stream
from ldp_core.system.json_file import read_json, write_json
from ldp_core.system.threads import one_thread

ROUNDS = 4
WIDE, QUICK = {"name": "mlp", "hidden": 256}, {"attacker": "least_squares"}
RUNS: tuple[dict[str, Any], ...] = (
    *({}, {"model": WIDE}, {"model": WIDE, "local": {"epochs": 8}}),
    *({"attack": QUICK}, {"attack": QUICK, "model": WIDE}, {"attack": {"attacker": "posterior"}}),
)
"""Short runs that tell the seconds of all operations but convolutions and searches."""
MOST_SECONDS = 3600.0
"""Largest plausible duration of a round without work; a larger one means a failed measurement."""
OLD_SECONDS = 86_400.0
"""Age of a measurement that is repeated by the next worker."""


def rates() -> Rates | None:
    """Stored speed of this machine; None before the first measurement."""
    try:
        found = Rates(**read_json(_path()))
        sound = all(type(rate) is float and 0 < rate < MOST_SECONDS for rate in astuple(found))
    except (OSError, ValueError, TypeError):
        return None
    return found if sound else None


def is_measured() -> bool:
    """Whether the stored speed is there and not old."""
    return rates() is not None and time.time() - _path().stat().st_mtime < OLD_SECONDS


def calibrate() -> Rates:
    from scipy.optimize import nnls

    runs = [parse({"rounds": ROUNDS, "attack": None} | one) for one in RUNS]
    took = np.array([min(_timed(one) for _ in range(3)) for one in runs])  # the first pays for imports
    usual, counts = np.array(astuple(USUAL)), np.array([astuple(work_of(plan(one))) for one in runs])
    slower, _ = nnls(counts * usual / took[:, None], np.ones(len(runs)))
    found = replace(
        Rates(*(usual * np.maximum(slower, 0.01)).tolist()),
        convolutions=_per_convolution("lenet"),
        chains=_per_convolution("cnn"),
        searches=_per_search(),
    )
    write_json(_path(), asdict(found))
    return found


def _timed(experiment: Experiment) -> float:
    """Processor seconds of a run."""
    began = time.process_time()
    for _ in drive({0: experiment}):
        pass
    return time.process_time() - began


def _per_convolution(name: str) -> float:
    """Seconds per multiplication of a convolutional network, trained on random images."""
    import torch

    from ldp_core.engines.base import choose
    from ldp_core.engines.plan import Recipe, plan_batches
    from ldp_core.federated.federation import choose_device

    shape, classes, each = (28, 28), 10, 200
    model, device = models.get(name), choose_device()
    recipe = Recipe(model, shape, classes, optimizers.get("sgd"), 0.01)
    engine = choose(model.batched, device, recipe)
    clients = 2 * engine.threads
    x = torch.from_numpy(stream(0, "audit").random((clients * each, *shape), dtype=np.float32)).to(device)
    samples = (x, torch.arange(len(x), device=device) % classes, x[:1])
    plan = plan_batches(np.split(np.arange(len(x)), clients), 1, 20, stream(0, "audit"))
    start = torch.from_numpy(model.initial(shape, classes, stream(0, "audit"))).to(device)
    engine.train(recipe, start, samples, plan)
    began = time.perf_counter()
    engine.train(recipe, start, samples, plan)
    return (time.perf_counter() - began) / (len(x) * model.products(shape, classes))


@one_thread()
def _per_search() -> float:
    """Processor seconds per step of a gradient-inversion attack: a second-order gradient of eight images."""
    import torch

    model, shape, classes = models.get("lenet"), (28, 28), 10
    start = torch.from_numpy(model.initial(shape, classes, stream(0, "audit"))).unsqueeze(0)
    weights = {name: p[0] for name, p in model.views(start, shape, classes).items()}
    x = torch.from_numpy(stream(0, "audit").random((8, *shape), dtype=np.float32)).requires_grad_()
    targets = torch.full((8, classes), 1 / classes)
    tries, took = 5, []
    for _ in range(tries):
        began = time.process_time()
        found = torch.cat([part.whole() for part in model.traced(weights, x, targets)], 1)
        torch.autograd.grad((found**2).sum(), x)
        took.append(time.process_time() - began)
    each = EVALUATION / len(x) + PICTURE + model.products(shape, classes)
    return sorted(took)[tries // 2] / (len(x) * each)


def _path() -> Path:
    return runs_dir() / "calibration.json"
