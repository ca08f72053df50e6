"""How features and decoding of *Sixty thousand people, one image each* were chosen, on a public split.

`python -m tests.benchmarks.public_split`.

People are the first 50 000 images of MNIST's training file, judged on its last 10 000; the test file chose
nothing. Each line: accuracy, mean of three seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def equal_shares(decoder: Decoder) -> NDArray[np.float64]:
    return np.full(len(decoder._named), 1 / len(decoder._named))


def asked() -> Iterator[tuple[str, dict[str, Any]]]:
    for epsilon in (8, 4, 2, 1):
        for directions in (30, 64, 128):
            yield (
                f"{directions} directions, ε {epsilon}",
                {
                    "clients.epsilon": epsilon,
                    "features.directions": directions,
                },
            )
        yield (
            f"waves, ε {epsilon}",
            {
                "clients.epsilon": epsilon,
                "features": {"name": "dct", "straighten": "yes"},
            },
        )
    for epsilon, count in ((8, 6_000), (4, 6_000), (8, 600)):
        of = {"clients.epsilon": epsilon, "clients.count": count}
        yield f"{count} people, ε {epsilon}", of
        yield f"{count} people, half of them with 0, 1 and 2 only, ε {epsilon}", of | THREE_CLASSES


def main() -> None:
    whole = datasets.get("mnist").load(datasets.data_dir())
    x, y = whole.train_x, whole.train_y
    data = replace(
        whole, train_x=x[:PEOPLE], train_y=y[:PEOPLE], test_x=x[PEOPLE:], test_y=y[PEOPLE:]
    )  # fmt: skip
    base, estimated = parse({"dataset": "mnist", "attack": None}), Decoder._class_shares
    for words, changes in asked():
        set_ = {"selection": "once", "clients.count": PEOPLE, **SENT_ONCE} | changes
        set_ = {path: to for path, to in set_.items() if "features" not in set_ or path != "features.name"}
        for named, shares in (("estimated", estimated), ("taken as equal", equal_shares)):
            Decoder._class_shares = shares  # type: ignore[assignment, method-assign]
            ends = [
                [*simulate(changed(base, set_ | {"seed": seed}), data)][-1].as_json() for seed in range(SEEDS)
            ]
            print(
                f"{words}, shares {named}: {np.mean([end['accuracy'] for end in ends]):.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
