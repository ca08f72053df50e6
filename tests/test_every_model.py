"""Every data set with every model that fits: one round, on a few made-up samples."""

import itertools
from typing import Any

import numpy as np
import pytest

from ldp_core import datasets, models
from ldp_core.datasets import Data
from ldp_core.errors import InvalidExperiment
from ldp_core.events import Ended
from ldp_core.experiment import parse
from ldp_core.simulate import simulate
from tests.extent import in_gate

SMALL: dict[str, dict[str, Any]] = {"resnet18": {"width": 4}}
COSTLY = {("cifar10", "logistic_regression"), ("cifar10", "mlp2"), ("covtype", "mlp2")}
"""No other test needs these kernels, and a network with one layer is trained on either data set."""
PAIRS = [
    pair for pair in itertools.product(datasets.names(), models.names()) if pair not in in_gate(COSTLY, set())
]
FIRST = {(datasets.get(name).shape, model): name for name, model in reversed(PAIRS)}
"""Of data sets of one shape, the one on which the gate trains a convolution; all of them by hand."""


def made_up(name: str) -> Data:
    """Thirty samples to train on and ten to test, in the shape of a data set."""
    source, generator = datasets.get(name), np.random.default_rng(0)
    x = generator.random((40, *source.shape)).astype(np.float32)
    y = generator.integers(0, source.classes, 40)
    y[:10] = np.arange(10) % source.classes
    return Data(x[:30], y[:30], x[30:], y[30:], source.classes)


def one_round(dataset: str, model: str) -> list[Any]:
    experiment = {
        "dataset": dataset,
        "model": {"name": model, **SMALL.get(model, {})},
        "clients": {"count": 3, "epsilon": 8},
        "local": {"epochs": 1, "batch_size": 4, "learning_rate": 0.01},
        "rounds": 1,
    }
    # what attacks convolutions searches, and has tests of its own; of one shape, attacks are alike
    if not models.get(model).batched or FIRST[datasets.get(dataset).shape, model] != dataset:
        experiment["attack"] = in_gate(None, "auto")
    return list(simulate(parse(experiment), made_up(dataset)))


@pytest.mark.parametrize(
    ("dataset", "model"),
    [
        (name, model)
        for name, model in PAIRS
        if in_gate(models.get(model).batched or FIRST[datasets.get(name).shape, model] == name, True)
    ],
)
def test_unfit_model_names_fitting_ones(dataset: str, model: str):
    shape = datasets.get(dataset).shape
    if not models.get(model).fits(shape):
        with pytest.raises(InvalidExperiment) as caught:
            parse({"dataset": dataset, "model": model})
        [problem] = caught.value.problems
        fitting = [name for name in models.names() if models.get(name).fits(shape)]
        assert problem.path == "model"
        assert all(name in problem.message for name in fitting)
        assert f"{model} needs {models.get(model).needs}" in problem.message
        return
    result = one_round(dataset, model)
    end = result[-1]
    assert isinstance(end, Ended)
    assert (end.status, end.round) == ("completed", 1)
