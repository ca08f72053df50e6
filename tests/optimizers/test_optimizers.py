"""Optimisers: the steps of torch and of scikit-learn."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import optimizers
from ldp_core.experiment import changed, parse, plan

THEIRS: dict[str, Any] = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}


@pytest.mark.parametrize("name", THEIRS)
def test_steps_are_those_of_torch(name: str):
    optimizer = optimizers.get(name)
    gradients = torch.from_numpy(np.random.default_rng(0).normal(size=(30, 4, 5)))
    weights, theirs = torch.ones(4, 5).double(), torch.ones(4, 5).double().requires_grad_()
    memory = [torch.zeros_like(weights) for _ in range(optimizer.memories)]
    reference = THEIRS[name]([theirs], lr=0.05)
    for number, gradient in enumerate(gradients, start=1):
        optimizer.step(weights, gradient, memory, number, 0.05)
        theirs.grad = gradient.clone()
        reference.step()
        torch.testing.assert_close(weights, theirs.detach(), rtol=1e-12, atol=1e-12)


def test_the_optimal_step_is_scikit_learns():
    """Sample by sample, its penalty taken along by hand, ten steps end at the same weights."""
    from sklearn.linear_model import SGDClassifier

    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(10, 3)), np.array([0, 1] * 5)
    alpha = 1e-3
    theirs = SGDClassifier(
        loss="log_loss", learning_rate="optimal", alpha=alpha, max_iter=1, tol=None, shuffle=False
    ).fit(x, y)
    optimizer = optimizers.get("optimal", alpha=alpha)
    weights, bias = torch.zeros(3).double(), torch.zeros(1).double()
    for number, (sample, label) in enumerate(zip(torch.from_numpy(x), y, strict=True), start=1):
        excess = torch.sigmoid(sample @ weights + bias) - float(label)
        weights *= 1 - optimizer.rate(number, 0.5) * alpha
        optimizer.step(weights, excess * sample, [], number, 0.5)
        optimizer.step(bias, excess, [], number, 0.5)
    np.testing.assert_allclose(weights.numpy(), theirs.coef_[0], rtol=1e-10)
    np.testing.assert_allclose(bias.numpy(), theirs.intercept_, rtol=1e-10)


def test_an_experiment_names_its_optimizer_shortly_or_in_full():
    short, full = parse({"local": {"optimizer": "adam"}}), parse({"local": {"optimizer": {"name": "adam"}}})
    assert plan(short).key == plan(full).key
    assert short.as_json()["local"]["optimizer"] == "adam"
    other = changed(parse({}), {"local.optimizer.name": "optimal", "local.optimizer.alpha": 0.01})
    assert other.as_json()["local"]["optimizer"] == {"name": "optimal", "alpha": 0.01, "counter": "round"}
    assert parse({}).as_json()["local"]["optimizer"] == "sgd"


def test_rate_counter_spans_the_run_or_the_round():
    anew, on = optimizers.get("optimal"), optimizers.get("optimal", counter="run")
    assert [anew.after(1000).rate(1, 0.5), on.rate(1, 0.5)] == pytest.approx([10, 10])
    assert on.after(1000).rate(1, 0.5) == pytest.approx(on.rate(1001, 0.5)) == pytest.approx(5)
    assert on.after(1000) != on, "works of different rounds are not trained as one"


def test_partial_fit_step_counter_matches_scikit_learn():
    """Two calls of one record each take steps 1 and 2 of the run; on zeros a step is half its rate."""
    from sklearn.linear_model import SGDClassifier

    theirs = SGDClassifier(loss="log_loss", learning_rate="optimal", penalty=None, alpha=1e-3)
    optimizer, moved = optimizers.get("optimal", alpha=1e-3, counter="run"), []
    for _ in range(2):
        theirs.partial_fit(np.ones((1, 1)), [1], classes=[0, 1])
        moved.append(float(theirs.intercept_[0]))
        theirs.coef_[:], theirs.intercept_[:] = 0, 0
    assert moved == pytest.approx([optimizer.after(done).rate(1, 0.0) / 2 for done in (0, 1)], rel=1e-6)
