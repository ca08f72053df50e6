"""Real data, loaded once for all tests."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ldp_core.datasets import Data, get
from ldp_core.experiment import parse
from ldp_core.simulate import simulate


@cache
def digits() -> Data:
    return get("digits").load(Path("nowhere"))


@cache
def mnist_like() -> Data:
    """Made-up images in the number and shape of MNIST's: for what takes time or memory, not for accuracy."""
    source, generator = get("mnist"), np.random.default_rng(0)
    sizes = (source.train_size, source.test_size)
    train_x, test_x = (generator.random((n, *source.shape), dtype=np.float32) for n in sizes)
    train_y, test_y = (generator.integers(0, source.classes, n) for n in sizes)
    return Data(train_x, train_y, test_x, test_y, source.classes)


def events(changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [event.as_json() for event in simulate(parse(changes), digits())]


def rounds(changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in events(changes) if event["event"] == "round"]
