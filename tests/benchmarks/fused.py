"""The fused kernel beside PyTorch's engines: samples a second of one core; the paper's round on all cores.

    python -m tests.benchmarks.fused [--repeats 7] [--paper] [--run]

Both compute the same clients on the same data, turn by turn, in one process and on one thread; seconds are
the processor's, which others' work changes little. --paper adds the paper's round (70 clients × 600 images ×
5 epochs) by the clock and by the processor, --run a whole run of PLDP-FL on made-up images of MNIST's size.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import torch

from ldp_core import models, optimizers
from ldp_core.engines import choice
from ldp_core.engines.base import Engine, close_pools, threads
from ldp_core.engines.fused.compiled import compiled
from ldp_core.engines.plan import plan_batches
from ldp_core.engines.recipe import Recipe
from ldp_core.experiment import parse
from ldp_core.models.chain import layers_of
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from tests.benchmarks.machine import described
from tests.data import mnist_like

CASES: dict[str, tuple[str, dict[str, Any], tuple[int, ...], int]] = {
    "logistic regression, digits": ("logistic_regression", {}, (8, 8), 40),
    "logistic regression, MNIST": ("logistic_regression", {}, (28, 28), 20),
    "32 hidden units, digits": ("mlp", {}, (8, 8), 40),
    "128 hidden units, MNIST": ("mlp", {"hidden": 128}, (28, 28), 10),
    "64 and 32 hidden units, MNIST": ("mlp2", {}, (28, 28), 10),
    "the papers' network, MNIST": ("cnn", {}, (28, 28), 4),
    "the papers' network, CIFAR-10": ("cnn", {}, (3, 32, 32), 3),
    "LeNet with sigmoids, MNIST": ("lenet", {}, (28, 28), 4),
}
EACH, BATCH, SCORED = 600, 20, 10_000


def cpu(call: Callable[[], object]) -> float:
    """Seconds that this process's threads have computed."""
    began = time.process_time()
    call()
    return time.process_time() - began


def compare(repeats: int) -> None:
    print("| network | fused, samples a second | PyTorch | ratio | scoring, fused | PyTorch | compiling, s |")
    print("|---|---|---|---|---|---|---|")
    for label, (name, parameters, shape, clients) in CASES.items():
        model, n = models.get(name, **parameters), clients * EACH
        recipe = Recipe(model, shape, 10, optimizers.get("sgd"), 0.01)
        why = choice.misfit(model, shape, 10, recipe.optimizer)
        if why:
            print(f"| {label} | no kernel: {why} | | | | | |")
            continue
        data = stream(0, "audit").random((max(n, SCORED), *shape), dtype=np.float32)
        x = torch.from_numpy(data * (data < 0.4))
        y = torch.arange(len(x)) % 10
        samples = x, y, x[:SCORED]
        start = torch.from_numpy(model.initial(shape, 10, stream(0, "initial model")))
        plan = plan_batches(np.split(np.arange(n), clients), 1, BATCH, stream(0, "batches"))
        with tempfile.TemporaryDirectory() as folder:
            os.environ["EPSILON_CACHE_DIR"] = folder
            first = cpu(lambda: compiled(layers_of(model, shape, 10), BATCH, np.dtype(np.float32)))  # noqa: B023
        ours, theirs = (
            Engine("fused", 1, "cpu"),
            Engine("batched" if model.batched else "processes", 1, "cpu"),
        )
        taken: dict[str, list[float]] = {"ours": [], "theirs": [], "our scores": [], "their scores": []}
        for turn in range(repeats + 1):
            for who, engine in (("our", ours), ("their", theirs)):
                trained = cpu(lambda: engine.train(recipe, start, samples, plan))  # noqa: B023
                scored = cpu(lambda: engine.scores(recipe, start, samples))  # noqa: B023
                if turn:  # the first pays for what is loaded
                    taken[f"{who}s"].append(trained)
                    taken[f"{who} scores"].append(scored)
        ratio = median(b / a for a, b in zip(taken["ours"], taken["theirs"], strict=True))
        rates = [n / median(taken["ours"]), n / median(taken["theirs"])]
        scores = [SCORED / median(taken["our scores"]), SCORED / median(taken["their scores"])]
        print(
            f"| {label} | {rates[0]:,.0f} | {rates[1]:,.0f} | {ratio:.1f} "
            f"| {scores[0]:,.0f} | {scores[1]:,.0f} | {first:.1f} |"
        )


def paper(repeats: int) -> None:
    """The paper's round, without its noise, on all cores."""
    clients, epochs = 70, 5
    data, recipe = mnist_like(), Recipe(models.get("cnn"), (28, 28), 10, optimizers.get("sgd"), 0.01)
    samples = tuple(torch.from_numpy(one) for one in (data.train_x, data.train_y, data.test_x))
    start = torch.from_numpy(recipe.model.initial((28, 28), 10, stream(0, "initial model")))
    shards = np.split(np.arange(clients * EACH), clients)
    plan = plan_batches(shards, epochs, BATCH, stream(0, "batches"))
    images = clients * EACH * epochs
    every = [Engine("fused", threads(), "cpu"), Engine("processes", threads(), "cpu")]
    walls: dict[str, list[float]] = {one.kind: [] for one in every}
    for one in every:
        one.train(recipe, start, samples, plan_batches(shards[:2], 1, BATCH, stream(0, "batches")))  # type: ignore[arg-type]
    for _ in range(repeats):
        for one in every:
            began, computed = time.perf_counter(), time.process_time()
            one.train(recipe, start, samples, plan)  # type: ignore[arg-type]
            walls[one.kind].append(time.perf_counter() - began)
            if one.kind == "fused":
                print(f"fused: {time.process_time() - computed:.2f} s of the processors", end=", ")
            print(f"{one.kind}: {walls[one.kind][-1]:.2f} s by the clock; load {os.getloadavg()[0]:.1f}")
    close_pools()
    for kind, wall in walls.items():
        print(
            f"the paper's round, {kind}: median {median(wall):.2f} s, {images / median(wall):,.0f} a second"
        )


def run() -> None:
    """PLDP-FL on MNIST: 100 clients, 50 rounds, as the paper has it, attacks left out."""
    experiment = parse(
        {"dataset": "mnist", "model": "cnn", "system": "pldp_fl", "rounds": 50, "attack": None}
    )
    began, computed = time.perf_counter(), time.process_time()
    for event in simulate(experiment, mnist_like()):
        result = event.as_json()
        if result["event"] == "start":
            print(result["engine"])
    took = time.perf_counter() - began
    print(f"PLDP-FL, 100 clients, {result['round']} rounds: {took:.1f} s by the clock,", end=" ")
    print(f"{time.process_time() - computed:.1f} s of the processors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--paper", action="store_true", help="the paper's round too")
    parser.add_argument("--run", action="store_true", help="a whole run of PLDP-FL too")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{described()}; {time.strftime('%Y-%m-%d')}; load average {os.getloadavg()[0]:.1f}\n")
    compare(options.repeats)
    print(f"\nload average {os.getloadavg()[0]:.1f}")
    if options.paper:
        paper(3)
    if options.run:
        run()


if __name__ == "__main__":
    main()
