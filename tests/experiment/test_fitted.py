"""Who chooses a model gets the rate that was measured for it, and keeps one that she has set herself."""

import json

import pytest

from ldp_core import models
from ldp_core.experiment import fit_of, parse, with_fit
from ldp_core.experiment.overrides import FILE
from tests.data import events


def test_a_model_brings_its_rate():
    fit = fit_of("mlp2")
    assert fit
    choice = {"model.name": "mlp2"}
    assert with_fit(parse({}), choice) == choice | {"local.learning_rate": fit.rate}
    own = parse({"local": {"learning_rate": 0.3}})
    assert with_fit(own, choice) == choice, "the user has set it"
    assert with_fit(parse({}), choice | {"local.learning_rate": 0.7})["local.learning_rate"] == 0.7
    assert with_fit(parse({}), {"rounds": 3}) == {"rounds": 3}
    assert with_fit(parse({}), {"model.name": "logistic_regression"}) == {"model.name": "logistic_regression"}


def test_fitted_rates_have_version_and_date():
    output = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(output) == {"version", "date", "digits", "mnist"}
    assert {*output["digits"], *output["mnist"]} <= set(models.names())
    assert fit_of("logistic_regression")
    assert fit_of("lenet") is None, "it learns at none of the rates that were tried"


def test_stored_fit_accuracy_equals_training():
    fit = fit_of("logistic_regression")
    assert fit
    asked = {"mechanism": "none", "clients": {"range": 1000}, "rounds": 5, "attack": None}
    end = events(asked | {"aggregator": "mean", "local": {"learning_rate": fit.rate}})[-1]
    assert end["accuracy"] == pytest.approx(fit.accuracy, abs=0.02)
