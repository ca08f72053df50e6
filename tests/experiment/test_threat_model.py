"""A search that nobody has chosen takes a fifth of the time of training, by times that are written down."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from ldp_core import attacks
from ldp_core.attacks.shared import pace
from ldp_core.experiment import parse, threat_model
from ldp_core.experiment.threat_model import SLOWER, beside_training, spies, training

MODELS: list[dict[str, Any]] = [
    {"model": "lenet"},
    {"model": "lenet", "dataset": "mnist_sample"},
    {"model": "lenet", "attack": {"clients": [1, 4]}},
    {"model": "cnn", "dataset": "mnist_sample"},
    {"model": "cnn", "dataset": "mnist", "local": {"epochs": 1}},
    {"model": "cnn", "dataset": "cifar10"},
    {"model": "lenet", "system": "pd_ldpfl"},
]


def steps_of(changes: dict[str, Any]) -> int:
    """That its search takes at most."""
    (spy,) = spies(parse(changes))
    return int(getattr(spy.who, "iterations"))  # noqa: B009


@pytest.mark.parametrize("changes", MODELS)
def test_it_takes_a_fifth_at_most_or_comes_after_the_training(changes: dict[str, Any]):
    whole = attacks.reconstructor(spies(parse(changes))[0].attacker)
    before = 0.0
    for rounds in (1, 2, 3, 5, 10, 15, 29, 30, 58, 60, 87, 120, 199, 200, 1000):
        experiment = parse(changes | {"rounds": rounds})
        plan = beside_training(experiment)
        assert plan.waits or plan.share <= SLOWER
        assert plan.share > 0
        assert 1 <= len(plan.rounds) <= rounds
        assert max(plan.rounds) <= rounds
        does = plan.share * training(experiment)
        assert does >= 0.8 * before, "a longer run is not attacked less"
        before = does
        steps = steps_of(changes | {"rounds": rounds})
        assert steps == (plan.steps or getattr(whole, "iterations"))  # noqa: B009
    assert len(plan.rounds) > 1, "a thousand rounds leave time for several"


def test_what_waits_does_as_little_as_gives_a_picture():
    for changes in MODELS:
        experiment = parse(changes | {"rounds": 1})
        plan = beside_training(experiment)
        asked = experiment.attack.clients if experiment.attack else None
        if plan.waits:
            assert plan.victims == len(asked or [0])
            assert plan.steps in (50, 150)
            assert list(plan.rounds) == [1]


@pytest.mark.parametrize("attack", [{"every": 3}, {"attacker": "idlg"}, {"rounds": [2, 15]}])
def test_whoever_asks_for_more_has_it(attack: dict[str, Any]):
    asked = parse({"model": "lenet", "rounds": 15, "attack": attack})
    plan = beside_training(asked)
    assert not plan.waits
    assert plan.steps is None
    assert plan.victims == 3
    assert plan.share > SLOWER
    assert steps_of({"model": "lenet", "rounds": 15, "attack": attack}) == 200


def test_a_closed_form_comes_in_every_round_unless_somebody_would_wait_for_it():
    for mechanism, between in (("none", (1, 1, 1, 5)), ("piecewise", (1, 1, 2, 11))):
        for rounds, every in zip((15, 80, 120, 1000), between, strict=True):
            plan = beside_training(parse({"rounds": rounds, "mechanism": mechanism}))
            assert plan.rounds == range(1, rounds + 1, every)
    asked = parse({"rounds": 100, "attack": {"rounds": [*range(1, 101)]}})
    assert len(beside_training(asked).rounds) == 100 > len(beside_training(parse({"rounds": 100})).rounds)


def test_who_does_not_search_comes_in_every_round():
    assert beside_training(parse({"rounds": 40})).rounds == range(1, 41)
    assert beside_training(parse({"rounds": 40})).share == 0
    assert list(beside_training(parse({"rounds": 9, "attack": {"every": 3}})).rounds) == [1, 4, 7]
    nobody = beside_training(parse({"attack": None}))
    assert not nobody.rounds
    assert nobody.victims == 0


def test_more_work_in_training_leaves_more_time():
    base: dict[str, Any] = {"model": "cnn", "dataset": "mnist_sample"}
    once, twice = (training(parse(base | {"local": {"epochs": n}})) for n in (1, 2))
    assert twice == pytest.approx(2 * once)
    some = training(
        parse(base | {"local": {"epochs": 1}, "selection": {"kind": "fraction", "fraction": 0.5}})
    )
    assert some == pytest.approx(once / 2)
    small, large = (training(parse({"model": "lenet", "local": {"batch_size": n}})) for n in (5, 50))
    assert small > 3 * large, "PyTorch takes its time for each batch"


def test_it_asks_neither_the_clock_nor_the_machine():
    """The steps decide what the pictures are: they are the same on every machine."""
    source = inspect.getsource(threat_model) + inspect.getsource(pace)
    for word in ("time", "os", "psutil", "runs", "system"):
        assert f"import {word}\n" not in source
        assert f"from ldp_core.{word}" not in source
