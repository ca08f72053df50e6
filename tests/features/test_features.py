"""Features are a fixed program: their shapes and lengths, and what an experiment makes of them."""

from typing import Any

import numpy as np
import pytest

from ldp_core import features
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.experiment.overrides import changed
from ldp_core.features._straight import straightened
from ldp_core.federated.federation import assemble, choose_device, initial_weights
from ldp_core.simulate import simulate
from tests.data import digits

MADE = [name for name in features.names() if name != "none"]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("shape", [(8, 8), (28, 28), (3, 32, 32), (9, 13)])
def test_an_image_becomes_so_many_numbers_each_one_on_average(name: str, shape: tuple[int, ...]):
    images = np.random.default_rng(0).random((5, *shape), dtype=np.float32)
    made = features.get(name)
    numbers = made.of(np.concatenate([images, np.zeros((1, *shape), np.float32)]))
    assert numbers.shape == (6, made.width(shape)) and numbers.dtype == np.float32
    assert np.isfinite(numbers).all()
    assert (numbers[:5] ** 2).mean(axis=1) == pytest.approx(1, rel=1e-4)
    # an image's numbers do not depend on the others
    assert made.of(images[2:3])[0] == pytest.approx(numbers[2], abs=1e-4)


def test_pooling_is_a_mean_and_waves_are_orthogonal():
    images = np.random.default_rng(1).random((2, 4, 6), dtype=np.float32)
    pooled = features.get("pooled").numbers(images).reshape(2, 2, 3)
    assert pooled[1, 1, 2] == pytest.approx(images[1, 2:4, 4:6].mean(), rel=1e-5)
    whole = features.get("dct", side=6).numbers(images)
    length = (whole**2).sum(1) + images.sum((1, 2)) ** 2 / 24  # the constant is left out
    assert length == pytest.approx((images**2).sum((1, 2)), rel=1e-4)


def test_straightening_undoes_a_shift_and_a_lean():
    upright = np.zeros((1, 28, 28), np.float32)
    upright[0, 6:22, 12:16] = 1
    leaning = np.zeros_like(upright)
    for y in range(6, 22):
        leaning[0, y, 12 + (y - 14) // 2 + 3 : 16 + (y - 14) // 2 + 3] = 1
    a, b = straightened(upright)[0], straightened(leaning)[0]
    assert np.abs(a - b).mean() < 0.3 * np.abs(upright - leaning).mean()
    ys, xs = np.mgrid[0:28, 0:28]
    assert (b * xs).sum() / b.sum() == pytest.approx(13.5, abs=0.1)
    assert (b * ys).sum() / b.sum() == pytest.approx(13.5, abs=0.1)


@pytest.mark.parametrize("engine", ["auto", "batched"])
def test_every_engine_trains_on_them(engine: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_ENGINE", engine)
    experiment = parse(
        {
            "features": "orientation",
            "rounds": 3,
            "mechanism": "none",
            "clients": {"count": 5},
            "attack": "auto",
        }
    )
    start, *rest = simulate(experiment, digits())
    assert rest[-1].accuracy > 0.9  # type: ignore[attr-defined]
    assert start.dimension == 650  # type: ignore[attr-defined]
    assert "into 64 numbers" in start.attack_note  # type: ignore[attr-defined]


def test_no_features_are_no_part_of_a_key():
    plain = parse({})
    assert plan(parse({"features": "none"})).key == plan(plain).key
    made = changed(plain, {"features.name": "orientation", "features.directions": 30})
    assert plan(made).key != plan(plain).key and parse(made.as_json()) == made
    assert plan(made).source.shape == (30,) and not plan(made).source.images


@pytest.mark.parametrize(
    ("asked", "field", "says"),
    [
        ({"features": "dct", "dataset": "covtype"}, "features", "54 numbers a sample"),
        ({"features": "dct", "system": "pldp_fl"}, "features", "train on pixels"),
        ({"features": "dct", "model": "cnn"}, "model", "does not fit the features dct"),
        ({"features": "hog"}, "features.name", "must be"),
    ],
)
def test_incompatible_features_are_refused_at_their_field(asked: dict[str, Any], field: str, says: str):
    with pytest.raises(InvalidExperiment) as error:
        parse(asked)
    (said, *_) = [one for one in error.value.problems if one.path == field]
    assert says in said.message


def test_few_rounds_on_a_persons_budget_begin_at_zero():
    few = {"target": "update", "selection": "once", "rounds": 5}
    for asked, zero in ((few, True), (few | {"rounds": 20}, False), ({"target": "update"}, False)):
        begun = initial_weights(assemble(plan(parse(asked)), digits(), choose_device()))
        assert bool((begun == 0).all()) is zero
        named = {"model": {"name": "logistic_regression", "begin": "zero" if zero else "random"}}
        assert plan(parse(asked | named)).key == plan(parse(asked)).key
    other = {"model": {"name": "logistic_regression", "begin": "random"}}
    assert plan(parse(few | other)).key != plan(parse(few)).key
