"""Which learning rate and which safe range fit a model: trained without noise.

`python -m tests.benchmarks.fitting [MODEL …]` writes ldp_core/experiment/fitting.json anew; from it pages
take the rate of a model that is chosen. Twenty clients, the default training, five rounds, one seed, on
digits; of models that need larger images fifty clients on MNIST, a fifth of whom train an epoch in each
round. The rate is the one that ends best in ranges that cut nothing; the range the narrowest that costs at
most a point. A model that learns at none of these rates has no fit.
"""

import json
import sys
from datetime import UTC, datetime
from typing import Any

from ldp_core import datasets, models
from ldp_core.behaviour import version
from ldp_core.datasets import Data, data_dir
from ldp_core.experiment import parse
from ldp_core.experiment.overrides import FILE
from ldp_core.simulate import simulate

RATES = (0.05, 0.1, 0.2, 0.5, 1.0)
HALVES = (0.1, 0.2, 0.5, 1.0, 2.0)
WIDE = 1000.0
POINT, LEARNT = 0.01, 0.5
ON: dict[str, dict[str, Any]] = {
    "digits": {"clients": {}},
    "mnist": {
        "dataset": "mnist",
        "clients": {"count": 50},
        "local": {"epochs": 1},
        "selection": {"kind": "fraction", "fraction": 0.2},
    },
}


def reached(model: str, where: str, data: Data, rate: float, half: float) -> float:
    """Accuracy at the end; 0 of what diverged."""
    base = ON[where]
    asked = base | {
        "model": model,
        "mechanism": "none",
        "aggregator": "mean",
        "clients": base["clients"] | {"range": half},
        "local": base.get("local", {}) | {"learning_rate": rate},
        "rounds": 5,
        "attack": None,
    }
    *_, end = simulate(parse(asked), data)
    result = end.as_json()
    return float(result["accuracy"] or 0.0) if result["status"] == "completed" else 0.0


def fit(model: str, where: str) -> dict[str, Any] | None:
    """The rate and the range of one model, and how accurate it ends with them."""
    data = datasets.get(where).load(data_dir())
    ends = {rate: reached(model, where, data, rate, WIDE) for rate in RATES}
    print(model, ends, flush=True)
    rate = max(ends, key=lambda one: (round(ends[one], 3), -one))
    if ends[rate] < LEARNT:
        return None
    held = (half for half in HALVES if reached(model, where, data, rate, half) >= ends[rate] - POINT)
    return {"rate": rate, "range": next(held, None), "accuracy": round(ends[rate], 4)}


def main() -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    found = {where: dict(kept.get(where, {})) for where in ON}
    for model in sys.argv[1:] or models.registry.labels():
        fits = models.get(model).fits(datasets.get("digits").shape)
        where = "digits" if fits else "mnist"
        if one := fit(model, where):
            found[where][model] = one
            about = {"version": version(), "date": datetime.now(UTC).date().isoformat(), **found}
            FILE.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
