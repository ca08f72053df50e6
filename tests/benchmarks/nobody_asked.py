"""MNIST's test digits named without asking anybody: `python -m tests.benchmarks.nobody_asked`.

The control beside *Sixty thousand people, one image each*: where labelled digits of others are public
(scikit-learn's 1 797), a linear classifier learnt on these alone, with the same features.
"""

import numpy as np

from ldp_core import datasets, features
from ldp_core.datasets import data_dir
from ldp_core.streams import stream

RIDGE = 0.003


def main() -> None:
    known, asked = (datasets.get(name).load(data_dir()) for name in ("digits", "mnist"))
    x, y = np.concatenate([known.train_x, known.test_x]), np.concatenate([known.train_y, known.test_y])
    split = stream(0, "audit").permutation(len(asked.train_y))[:10_000]  # what choices may look at
    for directions in (30, 64, 128):
        made = features.get("orientation", directions=directions)
        z = made.of(x) / np.sqrt(directions)
        means = np.stack([z[y == c].mean(0) for c in range(10)])
        within = (z - means[y]).T @ (z - means[y]) / len(z) + RIDGE * np.eye(directions)
        turned = np.linalg.solve(within, means.T)
        bias = -(means.T * turned).sum(0) / 2
        for words, images, labels in (
            ("choice split", asked.train_x[split], asked.train_y[split]),
            ("test file", asked.test_x, asked.test_y),
        ):
            right = ((made.of(images) / np.sqrt(directions)) @ turned + bias).argmax(1) == labels
            print(f"{directions} directions, {words}: {right.mean():.3f}", flush=True)


if __name__ == "__main__":
    main()
