"""What a round takes, and which part of it is scoring: the paper's round, and digits.

python -m tests.benchmarks.rounds [--paper]
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np
import torch

from ldp_core.datasets import Data, get
from ldp_core.engines.base import close_pools
from ldp_core.experiment import parse
from ldp_core.federated.evaluate import evaluate
from ldp_core.federated.federation import assemble, choose_device, initial_weights
from ldp_core.federated.privacy_filter import PrivacyFilter
from ldp_core.federated.round import one_round
from tests.benchmarks.machine import described
from tests.data import digits, mnist_like

PAPER = {
    "dataset": "mnist",
    "model": "cnn",
    "clients": {"count": 100, "epsilon": 1},
    "selection": {"kind": "fraction", "fraction": 0.7},
    "local": {"epochs": 5, "batch_size": 20, "learning_rate": 0.01},
}
WORK = PAPER | {
    "selection": {"kind": "fraction", "fraction": 0.2},
    "local": {"epochs": 1, "batch_size": 20, "learning_rate": 0.01},
}
CASES: dict[str, tuple[dict[str, Any], int]] = {
    "digits, logistic regression, 20 clients × 2 epochs": ({}, 20),
    "digits, 32 hidden units, 20 clients × 2 epochs": ({"model": "mlp"}, 20),
    "made-up MNIST, cnn, 20 clients × 600 × 1 epoch": (WORK, 3),
}


def measure(experiment: dict[str, Any], data: Data, repeats: int) -> tuple[float, float]:
    """Median seconds of a round without its scoring, and of the scoring."""
    federation = assemble(parse(experiment | {"rounds": 1000}), data, choose_device())
    weights, purse = initial_weights(federation), PrivacyFilter(federation.experiment)
    evaluate(federation, weights)  # starts the processes
    trained, scored = [], []
    for number in range(1, repeats + 1):
        began = time.perf_counter()
        result = one_round(federation, weights, number, purse)
        between = time.perf_counter()
        evaluate(federation, result.weights)
        trained.append(between - began)
        scored.append(time.perf_counter() - between)
    close_pools()
    return float(np.median(trained)), float(np.median(scored))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", action="store_true", help="the paper's round too: 70 clients × 5 epochs")
    cases = dict(CASES)
    if parser.parse_args().paper:
        cases["made-up MNIST, cnn, 70 clients × 600 × 5 epochs"] = (PAPER, 1)
    torch.set_num_threads(1)
    print(f"{described()}; {time.strftime('%Y-%m-%d')}; load average {os.getloadavg()[0]:.1f}\n")
    print("| what | round, s | images a second | scoring, s | of a round |\n|---|---|---|---|---|")
    for name, (experiment, repeats) in cases.items():
        parsed = parse(experiment)
        data = digits() if parsed.dataset == "digits" else mnist_like()
        round_, scoring = measure(experiment, data, repeats)
        uploads = parsed.selection.expected_uploads(parsed.clients.count, parsed.rounds) / parsed.rounds
        images = get(parsed.dataset).train_size * uploads * parsed.local.epochs
        print(
            f"| {name} | {round_:.3f} | {images / round_:,.0f} | {scoring:.3f} "
            f"| {scoring / (round_ + scoring):.0%} |"
        )


if __name__ == "__main__":
    main()
