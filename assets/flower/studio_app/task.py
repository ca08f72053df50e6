"""The model and the data of the run: a fully connected network on scikit-learn's digits. Put your own here.

A model is a dictionary of float32 arrays in a fixed order; nothing else of this app knows what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from studio_app.settings import FILE

Array = np.ndarray
Model = dict[str, Array]
FEATURES, CLASSES = 64, 10


def initial(run: Mapping[str, Any]) -> Model:
    """Uniform in ±1/√fan-in."""
    draw = np.random.default_rng(run["seed"])
    model: Model = {}
    for i, (fan_in, fan_out) in enumerate(pairwise((FEATURES, *run["hidden"], CLASSES)), start=1):
        bound = 1 / np.sqrt(fan_in)
        model[f"weight{i}"] = draw.uniform(-bound, bound, (fan_out, fan_in)).astype(np.float32)
        model[f"bias{i}"] = draw.uniform(-bound, bound, fan_out).astype(np.float32)
    return model


def shard(run: Mapping[str, Any], number: int) -> tuple[Array, Array]:
    """The samples (n, 64) and labels of one client, as they were dealt in the run."""
    x, y = _digits()
    rows = json.loads(FILE.read_text(encoding="utf-8"))["splits"][run["split"]][number]
    return x[rows], y[rows]


def held_out() -> tuple[Array, Array]:
    """Those that no client has."""
    x, y = _digits()
    rows = json.loads(FILE.read_text(encoding="utf-8"))["held_out"]
    return x[rows], y[rows]


def _digits() -> tuple[Array, Array]:
    from sklearn.datasets import load_digits

    digits = load_digits()
    return (digits.data / 16).astype(np.float32), digits.target


def train(model: Model, x: Array, y: Array, run: Mapping[str, Any]) -> Model:
    """Some epochs of stochastic gradient descent on the cross-entropy, in an order that is new each time."""
    model = {name: array.copy() for name, array in model.items()}
    layers, draw = len(model) // 2, np.random.default_rng()
    for _ in range(run["epochs"]):
        order = draw.permutation(len(y))
        for start in range(0, len(y), run["batch_size"]):
            rows = order[start : start + run["batch_size"]]
            inputs = activations(model, x[rows])
            slope = _softmax(inputs[-1])
            slope[np.arange(len(rows)), y[rows]] -= 1
            slope /= len(rows)
            for i in range(layers, 0, -1):
                below = inputs[i - 1]
                gradient = slope.T @ below, slope.sum(0)
                if i > 1:
                    slope = (slope @ model[f"weight{i}"]) * (below > 0)
                for name, by in zip((f"weight{i}", f"bias{i}"), gradient, strict=True):
                    model[name] -= np.float32(run["learning_rate"]) * by
    return model


def activations(model: Model, x: Array) -> list[Array]:
    """The input, each hidden layer after its ReLU, and the scores."""
    found, layers = [x], len(model) // 2
    for i in range(1, layers + 1):
        scores = found[-1] @ model[f"weight{i}"].T + model[f"bias{i}"]
        found.append(np.maximum(scores, 0) if i < layers else scores)
    return found


def _softmax(scores: Array) -> Array:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def accuracy(model: Model) -> float:
    """On the samples that are held out."""
    x, y = held_out()
    return float((activations(model, x)[-1].argmax(axis=1) == y).mean())
