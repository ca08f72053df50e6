"""How features and decoding of *Sixty thousand people, one image each* were chosen, and the control of it.

`python -m tests.benchmarks.sixty_thousand`: people are the first 50 000 images of MNIST's training file,
judged on its last 10 000; the test file chose nothing. Each line: mean accuracy of three seeds. With the word
`public`, MNIST is labelled without any private data: by a linear classifier learnt on scikit-learn's 1 797
labelled digits alone, which are public, with the same features.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core import datasets, features
from ldp_core.experiment import changed, parse
from ldp_core.federated.class_means import Decoder
from ldp_core.presets.sixty_thousand import SENT_ONCE, THREE_CLASSES
from ldp_core.simulate import simulate
from ldp_core.streams import stream

PEOPLE, SEEDS, RIDGE = 50_000, 3, 0.003
DIRECTIONS = (30, 64, 128)
FEATURES: list[dict[str, Any]] = [
    *({"features.directions": directions} for directions in DIRECTIONS),
    {"features.name": "dct", "features.straighten": "yes"},
]
ASKED: list[dict[str, Any]] = [made | {"clients.epsilon": e} for e in (8, 4, 2, 1) for made in FEATURES] + [
    {"clients.epsilon": epsilon, "clients.count": count} | dealt
    for epsilon, count in ((8, 6_000), (4, 6_000), (8, 600))
    for dealt in ({}, THREE_CLASSES)
]


def equal_shares(decoder: Decoder) -> NDArray[np.float64]:
    return np.full(len(decoder._named), 1 / len(decoder._named))


def chosen(mnist: datasets.Data) -> None:
    x, y = mnist.train_x, mnist.train_y
    data = replace(mnist, train_x=x[:PEOPLE], train_y=y[:PEOPLE], test_x=x[PEOPLE:], test_y=y[PEOPLE:])
    base, estimated = parse({"dataset": "mnist", "attack": None, "selection": "once"}), Decoder._class_shares
    for changes in ASKED:
        asked = changed(base, {**SENT_ONCE, "clients.count": PEOPLE} | changes)
        for named, shares in (("estimated", estimated), ("taken as equal", equal_shares)):
            Decoder._class_shares = shares  # type: ignore[assignment, method-assign]
            runs = ([*simulate(changed(asked, {"seed": seed}), data)][-1] for seed in range(SEEDS))
            right = np.mean([run.as_json()["accuracy"] for run in runs])
            print(f"{changes}, shares {named}: {right:.4f}", flush=True)


def public_only(mnist: datasets.Data) -> None:
    known = datasets.get("digits").load(datasets.data_dir())
    x, y = np.concatenate([known.train_x, known.test_x]), np.concatenate([known.train_y, known.test_y])
    split = stream(0, "audit").permutation(len(mnist.train_y))[:10_000]  # what choices may look at
    for directions in DIRECTIONS:
        made = features.get("orientation", directions=directions)
        z = made.of(x) / np.sqrt(directions)
        means = np.stack([z[y == c].mean(0) for c in range(10)])
        within = (z - means[y]).T @ (z - means[y]) / len(z) + RIDGE * np.eye(directions)
        turned = np.linalg.solve(within, means.T)
        bias = -(means.T * turned).sum(0) / 2
        for words, images, labels in (
            ("choice split", mnist.train_x[split], mnist.train_y[split]),
            ("test file", mnist.test_x, mnist.test_y),
        ):
            right = ((made.of(images) / np.sqrt(directions)) @ turned + bias).argmax(1) == labels
            print(f"{directions} directions, {words}: {right.mean():.3f}", flush=True)


if __name__ == "__main__":
    (public_only if "public" in sys.argv else chosen)(datasets.get("mnist").load(datasets.data_dir()))
