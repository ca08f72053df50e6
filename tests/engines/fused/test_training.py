"""The fused kernel equals PyTorch, client by client, as far as floating-point numbers can be equal."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch

from ldp_core import models
from ldp_core.engines.fused.training import scores_fused, train_fused
from tests.conftest import ROOT
from tests.engines.cases import ENDLESS, SIZES, exact, plan_of, recipe_of, reference, samples_of, start_of
from tests.extent import in_gate
from tests.pace import within
from tests.warm import Interpreter

EVERY = (
    "conv 5 3 stride 2 padding 2 tanh, avg_pool 2, conv 4 2 padding 1 none, pool 3, conv 3 1, dense 9 sigmoid"
)
"""A list with everything that a layer can have."""
NETWORKS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("logistic_regression", {}, (8, 8)),
    ("logistic_regression", {}, (54,)),
    ("mlp", {}, (28, 28)),
    ("mlp", {"hidden": 37}, (54,)),
    ("mlp2", {}, (8, 8)),
    ("cnn", {}, (28, 28)),
    ("cnn", {}, (3, 32, 32)),
    ("lenet", {}, (28, 28)),
    ("own", {"layers": EVERY}, (3, 19, 25)),
]
TOLERANCE = {torch.float64: 1e-13, torch.float32: 1e-6}
DOUBLE, SINGLE = in_gate(((0, 5, 7, 8), (1, 2, 3, 4, 5, 6)), 2 * (range(len(NETWORKS)),))
"""Which of them are trained in either kind of numbers: to make machine code takes most of it, so in the gate
one network has both."""


@pytest.mark.parametrize(
    ("name", "parameters", "shape", "kind"),
    [
        (*network, kind)
        for n, network in enumerate(NETWORKS)
        for kind, which in ((torch.float64, DOUBLE), (torch.float32, SINGLE))
        if n in which
    ],
    ids=str,
)
def test_fused_training_equals_pytorch(
    name: str, parameters: dict[str, Any], shape: tuple[int, ...], kind: torch.dtype
):
    recipe = recipe_of(models.get(name, **parameters), shape)
    data, start = samples_of(recipe, sum(SIZES), kind), start_of(recipe, kind)
    plan = exact(plan_of(SIZES, 20))
    if kind == torch.float32:
        plan = replace(plan, weights=plan.weights.astype(np.float32))
    trained = train_fused(recipe, start, data[0], data[1], plan, 1)
    expected = reference(recipe, start, data, plan)
    assert (expected - start).abs().amax(1).min() > 1e-4, "a client did not train"
    assert (trained - expected).abs().max() < TOLERANCE[kind]
    found = scores_fused(recipe, trained[0], data[2], 1)
    views = recipe.model.views(trained[:1], shape, 10)
    expected = recipe.model.logits(views, data[2][None])[0]
    assert (found - expected).abs().max() < 100 * TOLERANCE[kind]


BATCHES = in_gate([1, 3, 8, 17, 64], [*range(1, 12), 15, 16, 17, 63, 64, 65, 130])


@pytest.mark.parametrize(
    ("name", "batch"),
    # in the gate one network alone meets more than there is room for: the other code for that takes a second
    [*product(["mlp", "cnn"], BATCHES), *in_gate([("mlp", 65)], [])],
)
def test_batches_of_every_size(name: str, batch: int):
    """With clients whose last batch has every size up to that one, and more than the kernel has room for."""
    side = in_gate(8 if name == "mlp" else 16, 16)  # there is code for that already
    recipe = recipe_of(models.get(name), (side, side), rate=0.05)
    sizes = [*range(1, min(batch, 6) + 1), batch, batch + 3]
    data, start = samples_of(recipe, sum(sizes), torch.float64), start_of(recipe, torch.float64)
    plan = exact(plan_of(sizes, batch))
    trained = train_fused(recipe, start, data[0], data[1], plan, 1)
    assert (trained - reference(recipe, start, data, plan)).abs().max() < 1e-12


def test_first_of_equal_maxima_takes_the_gradient():
    """Images of one grey each: all outputs of a channel are equal, and every square is a tie of four."""
    recipe = recipe_of(
        models.get("own", layers="conv 6 3, pool 2, conv 7 2, pool 2, dense 9"), (12, 12), rate=0.1
    )
    kind = torch.float64
    x = torch.arange(40, dtype=kind)[:, None, None].expand(40, 12, 12).contiguous() / 40
    data = x, torch.arange(40) % 10, x[:5]
    plan, start = exact(plan_of([40], 7)), start_of(recipe, kind)
    trained = train_fused(recipe, start, data[0], data[1], plan, 1)
    assert (trained - reference(recipe, start, data, plan)).abs().max() < 1e-13
    assert (trained - start).abs().max() > 1e-2
    # and which of them it is decides: with the images turned about, the kernels' gradients are others
    turned = x + torch.linspace(0, 1e-9, 144, dtype=kind).view(12, 12).flip(0, 1)
    other = train_fused(recipe, start, turned.contiguous(), data[1], plan, 1)
    assert (trained - other).abs().max() < 1e-4


@pytest.mark.parametrize("name", ["logistic_regression", "cnn"])
def test_the_number_of_threads_changes_no_bit(name: str, monkeypatch: pytest.MonkeyPatch):
    from ldp_core.engines.fused import training

    recipe = recipe_of(models.get(name), (28, 28))
    sizes = [*SIZES, *range(1, 40)]
    data, plan = samples_of(recipe, sum(sizes)), plan_of(sizes, 20)
    starts = torch.stack([start_of(recipe, seed=seed) for seed in range(len(sizes))])
    for start in (starts[0], starts):
        here = train_fused(recipe, start, data[0], data[1], plan, 1)
        with monkeypatch.context() as patched:
            patched.setattr(training, "AT_ONCE", 0)
            shares: list[float] = []
            for threads in (1, 2, 3, 7):
                elsewhere = train_fused(recipe, start, data[0], data[1], plan, threads, shares.append)
                assert torch.equal(here, elsewhere)
            assert shares.count(1.0) == 4
            scores = [scores_fused(recipe, starts[0], data[0], threads) for threads in (1, 3)]
        assert torch.equal(scores[0], scores[1])
        assert torch.equal(scores[0][:7], scores_fused(recipe, starts[0], data[0][:7], 1))


@pytest.mark.parametrize("by", ["sgd", "adam"])
def test_a_client_is_trained_the_same_in_any_company(by: str):
    """Nor does it know the moments of the one before it."""
    recipe = recipe_of(models.get("mlp"), (8, 8), rate=0.01, by=by)
    data, start = samples_of(recipe, sum(SIZES)), start_of(recipe)
    plan = plan_of(SIZES, 20)
    together = train_fused(recipe, start, data[0], data[1], plan, 2)
    for row, client in enumerate(plan.rows):
        steps = sum(active > row for active in plan.active)
        one = replace(
            plan,
            rows=np.zeros(1, dtype=np.int64),
            samples=plan.samples[:steps, row : row + 1],
            weights=plan.weights[:steps, row : row + 1],
            active=[1] * steps,
        )
        assert torch.equal(train_fused(recipe, start, data[0], data[1], one, 1)[0], together[client])


def test_rates_that_fall():
    kind = torch.float64
    falling = recipe_of(models.get("logistic_regression"), (8, 8), by="optimal")
    data, start = samples_of(falling, sum(SIZES), kind), start_of(falling, kind)
    plan = exact(plan_of(SIZES, 10))
    found = train_fused(falling, start, data[0], data[1], plan, 1)
    assert (found - reference(falling, start, data, plan)).abs().max() < 1e-11


BOTH = (torch.float64, torch.float32)


@pytest.mark.parametrize(
    ("name", "shape", "kinds"),
    [
        ("mlp", (8, 8), in_gate(BOTH[1:], BOTH)),
        ("cnn", (16, 16), in_gate(BOTH[:1], BOTH)),
        ("lenet", (8, 8), BOTH[:1]),
    ],
)
def test_adam_equals_pytorch(name: str, shape: tuple[int, ...], kinds: Sequence[torch.dtype]):
    """In float64, as Adam divides by the size of a gradient and so magnifies its last bits; in float32 nearly
    every weight is as near as one of those steps is wide.
    """
    recipe = recipe_of(models.get(name), shape, rate=0.003, by="adam")
    for kind in kinds:
        most, usual = {torch.float64: (1e-7, 1e-11), torch.float32: (0.05, 1e-5)}[kind]
        data, start = samples_of(recipe, sum(SIZES), kind), start_of(recipe, kind)
        plan = plan_of(SIZES, 20)
        plan = exact(plan) if kind == torch.float64 else plan
        trained = train_fused(recipe, start, data[0], data[1], plan, 1)
        expected = reference(recipe, start, data, plan)
        apart = (trained - expected).abs()
        assert (expected - start).abs().amax(1).min() > 2e-3, "a client did not train"
        assert apart.max() < most
        assert apart.quantile(0.95) < usual


def test_a_long_training_stays_as_near_to_exact_as_pytorch_does():
    """Five epochs at a rate at which rounding is magnified: by quantiles over clients, against float64.

    Single clients differ where a maximum or a ReLU hangs on the last bit, in PyTorch as here.
    """
    recipe, clients = recipe_of(models.get("cnn"), (28, 28), rate=0.05), in_gate(20, 40)
    data, plan = samples_of(recipe, clients * 60), plan_of([60] * clients, 20, 5)
    start = start_of(recipe)
    fused = train_fused(recipe, start, data[0], data[1], plan, 2)
    plain = reference(recipe, start, data, plan)
    truth = train_fused(recipe, start.double(), data[0].double(), data[1], exact(plan), 2)
    ours, theirs = ((one - truth).abs().amax(1).numpy() for one in (fused, plain))
    assert np.median(ours) < 1e-5
    assert np.median(ours) < 3 * np.median(theirs)
    assert np.quantile(ours, 0.8) < 1e-3


def test_weights_that_leave_the_numbers_are_not_hidden():
    recipe = recipe_of(models.get("cnn"), (28, 28), rate=1e30)
    data, plan = samples_of(recipe, 60), plan_of([60], 20, 3)
    trained = train_fused(recipe, start_of(recipe), data[0], data[1], plan, 1)
    assert not bool((trained.abs() <= 1e6).all()), "so the round says that it diverged"


@pytest.mark.parametrize(
    ("name", "shape"),
    in_gate([("mlp", (54,)), ("cnn", (3, 32, 32))], [*product(["mlp", "cnn"], [(3, 19, 23)])]),
)
def test_diverged_client_leaves_the_next_one_unaffected(name: str, shape: tuple[int, ...]):
    """All in the same memory; in the gate by machine code that is there already."""
    recipe = recipe_of(models.get(name, **({"hidden": 37} if name == "mlp" else {})), shape)
    data, plan, start = samples_of(recipe, 60), plan_of([60], 20, 2), start_of(recipe)
    before = train_fused(recipe, start, data[0], data[1], plan, 1)
    scores = scores_fused(recipe, start, data[2], 1)
    for rate, spoilt in ((1e30, start), (0.1, start * float("nan")), (0.1, start + float("inf"))):
        wild = replace(recipe, learning_rate=rate)
        assert not bool(torch.isfinite(train_fused(wild, spoilt, data[0], data[1], plan, 1)).all())
        assert torch.equal(train_fused(recipe, start, data[0], data[1], plan, 1), before)
        scores_fused(recipe, spoilt, data[2], 1)
        assert torch.equal(scores_fused(recipe, start, data[2], 1), scores)


@pytest.mark.parametrize(
    "wrong", ["sample", "negative", "label", "weights", "shape", "kind", "rows", "order"]
)
def test_inconsistent_plan_is_refused_before_training(wrong: str):
    recipe = recipe_of(models.get("mlp"), (8, 8))
    data, start, plan = samples_of(recipe, 30), start_of(recipe), plan_of([20, 10], 10)
    x, y, samples, weights = data[0], data[1].clone(), plan.samples.copy(), plan.weights.copy()
    rows = plan.rows
    match wrong:
        case "sample":
            samples[0, 0, 0] = 30
        case "negative":
            samples[1, 1, 1] = -1
        case "label":
            y[3] = 10
        case "weights":
            weights[0, 0, 0] = 0.5
        case "shape":
            x = x[:, :7]
        case "kind":
            x = x.double()
        case "rows":
            rows = np.array([0, 0])
        case "order":
            weights[0, 0, :5] = 0
    with pytest.raises(ValueError, match=r"must|not there|fit together"):
        train_fused(recipe, start, x, y, replace(plan, samples=samples, weights=weights, rows=rows), 1)


@pytest.mark.alone
@pytest.mark.parametrize("engine", ["auto", "batched"])
def test_training_by_threads_reports_progress_and_stops_midway(
    engine: str, interpreter: Interpreter, tmp_path: Path
):
    (tmp_path / "endless.py").write_text(ENDLESS, encoding="utf-8")
    environment = os.environ | {"EPSILON_SLOT_CORES": "2", "EPSILON_ENGINE": engine}
    training, printed = interpreter.piped(["endless", str(ROOT)], tmp_path, environment, tmp_path)
    try:
        assert "2 clients at a time" in printed.readline()
        said = printed.readline().strip() if engine == "auto" else "tick"  # a client's whole training is long
        assert said == "tick", (tmp_path / "stderr").read_text(encoding="utf-8")
        asked = time.monotonic()
        training.send_signal(signal.SIGTERM)
        while said == "tick":
            said = printed.readline().strip()
        assert time.monotonic() - asked < within(2)
        assert said == "stopped with 1", "no thread goes on"
        training.wait(60)
    finally:
        printed.close()
        with suppress(psutil.NoSuchProcess):
            training.kill()
