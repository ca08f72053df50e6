"""What a round takes, and which part of it is scoring: the paper's round, and digits.

    python -m tests.benchmarks.rounds [--paper] [--shares]

--shares: which part of the paper's round is not training, mechanism by mechanism, as a worker computes it:
one thread of BLAS, memory that is used again. The clients train once; every mechanism is given their weights.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ldp_core import mechanisms
from ldp_core.datasets import Data, get
from ldp_core.engines.base import close_pools
from ldp_core.experiment import parse
from ldp_core.federated.evaluate import evaluate
from ldp_core.federated.federation import assemble, choose_device, untrained
from ldp_core.federated.round import finish, noisings, one_round, prepare
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats
from ldp_core.runs.lockstep import one_thread
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
    start = untrained(federation)
    evaluate(federation, federation.placed(start.weights))  # starts the processes
    trained, scored = [], []
    for before in range(repeats):
        began = time.perf_counter()
        result = one_round(federation, replace(start, round=before))
        between = time.perf_counter()
        evaluate(federation, federation.placed(result.state.weights))
        trained.append(between - began)
        scored.append(time.perf_counter() - between)
    close_pools()
    return float(np.median(trained)), float(np.median(scored))


def shares(repeats: int = 9) -> None:
    """A line a mechanism: seconds of the processors and by the clock, medians."""
    one_thread()
    data, training, trained = mnist_like(), np.zeros(2), torch.zeros(0)
    print("| mechanism | aggregator | processors, ms | of the round | by the clock, ms | of the round |")
    print("|---|---|---|---|---|---|")
    for mechanism, aggregator in _perturbing():
        own = {"mechanism": mechanism.name, "form": mechanism.form, "aggregator": aggregator, "rounds": 9}
        federation = assemble(parse(PAPER | own), data, choose_device())
        start, found = untrained(federation), []
        for _ in range(repeats):
            began = clocks()
            prepared = prepare(federation, start)
            work = next(prepared.works())
            planned = clocks() - began
            if not len(trained):
                work.alone()  # the first loads the kernel
                every = []
                for _ in range(repeats):
                    began = clocks()
                    trained = work.alone()
                    every.append(clocks() - began)
                training = np.median(every, axis=0)
            theirs, began = trained.clone(), clocks()
            finish(prepared, (one.alone() for one in noisings(prepared, [theirs])))
            found.append(planned + clocks() - began)
        beside = np.median(found, axis=0)
        outcome = (f"{1e3 * b:.0f} | {b / (b + t):.1%}" for b, t in zip(beside, training, strict=True))
        print(f"| {mechanism.name}, {mechanism.form} | {aggregator} | {' | '.join(outcome)} |", flush=True)
    print(f"\ntraining: {training[0]:.2f} s of the processors, {training[1]:.2f} s by the clock")


def _perturbing() -> Iterator[tuple[Mechanism, str]]:
    """Every mechanism in each form, with the mean; a vote with the majority too."""
    for name in mechanisms.offered():
        for mechanism in dict.fromkeys(mechanisms.get(name).formed(form) for form in Mechanism.forms):
            yield mechanism, "mean"
            if mechanism.role == "vote":
                yield mechanism, "sign_majority"


def clocks() -> Floats:
    """Seconds that this process's threads have computed, and of the clock."""
    return np.array([time.process_time(), time.perf_counter()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", action="store_true", help="the paper's round too: 70 clients × 5 epochs")
    parser.add_argument("--shares", action="store_true", help="only the parts that are not training")
    options, cases = parser.parse_args(), dict(CASES)
    if options.shares:
        print(f"{described()}; {time.strftime('%Y-%m-%d')}; load average {os.getloadavg()[0]:.1f}\n")
        with threadpool_limits(1, "blas"):
            shares()
        print(f"load average {os.getloadavg()[0]:.1f}")
        return
    if options.paper:
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
