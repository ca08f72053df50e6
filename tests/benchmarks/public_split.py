"""How features and decoding of *Sixty thousand people, one image each* were chosen, on a public split.

`python -m tests.benchmarks.public_split`: people are the first 50 000 images of MNIST's training file, judged
on its last 10 000; the test file chose nothing. Each line: mean accuracy of three seeds.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core import datasets
from ldp_core.experiment import changed, parse
from ldp_core.federated.class_means import Decoder
from ldp_core.presets.sixty_thousand import SENT_ONCE, THREE_CLASSES
from ldp_core.simulate import simulate

PEOPLE, SEEDS = 50_000, 3
FEATURES: list[dict[str, Any]] = [
    *({"features.directions": directions} for directions in (30, 64, 128)),
    {"features.name": "dct", "features.straighten": "yes"},
]
ASKED: list[dict[str, Any]] = [made | {"clients.epsilon": e} for e in (8, 4, 2, 1) for made in FEATURES] + [
    {"clients.epsilon": epsilon, "clients.count": count} | dealt
    for epsilon, count in ((8, 6_000), (4, 6_000), (8, 600))
    for dealt in ({}, THREE_CLASSES)
]


def equal_shares(decoder: Decoder) -> NDArray[np.float64]:
    return np.full(len(decoder._named), 1 / len(decoder._named))


def main() -> None:
    whole = datasets.get("mnist").load(datasets.data_dir())
    x, y = whole.train_x, whole.train_y
    data = replace(whole, train_x=x[:PEOPLE], train_y=y[:PEOPLE], test_x=x[PEOPLE:], test_y=y[PEOPLE:])
    base, estimated = parse({"dataset": "mnist", "attack": None, "selection": "once"}), Decoder._class_shares
    for changes in ASKED:
        asked = changed(base, {**SENT_ONCE, "clients.count": PEOPLE} | changes)
        for named, shares in (("estimated", estimated), ("taken as equal", equal_shares)):
            Decoder._class_shares = shares  # type: ignore[assignment, method-assign]
            runs = ([*simulate(changed(asked, {"seed": seed}), data)][-1] for seed in range(SEEDS))
            right = np.mean([run.as_json()["accuracy"] for run in runs])
            print(f"{changes}, shares {named}: {right:.4f}", flush=True)


if __name__ == "__main__":
    main()
