"""How fast this machine trains, measured once and kept beside the runs."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ldp_core.estimate import Cost, Rates, cost
from ldp_core.experiment import Draft, Experiment, Variant, parse
from ldp_core.runs.drive import drive
from ldp_core.runs.paths import runs_dir
from ldp_core.streams import stream

ROUNDS = 4
VALUES = 2**20


def rates() -> Rates | None:
    """What was measured; None before that."""
    try:
        return Rates(**json.loads(_path().read_text()))
    except (OSError, ValueError, TypeError):
        return None


def calibrate() -> Rates:
    """Measure, in about a second, and keep what was found."""
    base = {"rounds": ROUNDS, "attack": None, "mechanism": "none"}
    small, large = parse(base), parse(base | {"model": {"name": "mlp", "hidden": 256}})
    _timed(small)  # the first run pays for what is imported and loaded
    quick, slow = _timed(small), _timed(large)
    (few, *_), (many, *_) = _work(small).work[0], _work(large).work[0]
    product = max(slow - quick, 1e-6) / (many - few)
    found = Rates(product, _per_value(), max(quick - few * product, 1e-4) / ROUNDS)
    partial = _path().with_suffix(".partial")
    partial.write_text(json.dumps(asdict(found)))
    partial.replace(_path())
    return found


def _work(experiment: Experiment) -> Cost:
    return cost(Draft(experiment, (Variant("run"),)))


def _timed(experiment: Experiment) -> float:
    began = time.perf_counter()
    for _ in drive({0: experiment}):
        pass
    return time.perf_counter() - began


def _per_value() -> float:
    """Perturbing a value, with its exact mean and variance beside it."""
    piecewise = parse({}).randomiser
    values = np.zeros((16, VALUES // 16), dtype=np.float32)
    began = time.perf_counter()
    piecewise.perturb(values, 1.0, -1, 1, stream(0, "audit"))
    piecewise.mean(values, 1.0, -1, 1)
    piecewise.variance(values, 1.0, -1, 1)
    return (time.perf_counter() - began) / VALUES


def _path() -> Path:
    return runs_dir() / "calibration.json"
