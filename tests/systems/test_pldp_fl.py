"""PLDP-FL by name: its settings, its two forms, its ledger."""

from typing import Any

import numpy as np
import pytest

from ldp_core import theory
from ldp_core.accounting import ledger
from ldp_core.experiment import departures, parse, plan
from tests.data import events

NAME = "pldp_fl"


def test_its_settings_are_the_papers():
    """Those of its table; others are in tests/papers/test_faithful.py."""
    one = parse({"system": NAME})
    low, high = one.clients.bounds()
    assert (high - low)[:4].tolist() == [0.2, 0.4, 0.2, 0.4], "τ₁"
    assert one.clients.budgets()[:11].tolist() == [*(k / 10 for k in range(1, 11)), 0.1], "ε₂"
    assert (one.dataset, plan(one).dimension) == ("mnist", 21_840)


@pytest.mark.parametrize("epsilon", ["eps1", "eps2", "eps3"])
@pytest.mark.parametrize("tau", ["tau1", "tau2", "tau3", 1.0])
def test_the_nine_pairs_and_the_headline_are_the_papers_own(epsilon: str, tau: Any):
    sets = {"clients": {"epsilon": epsilon, "range": tau}, "form": "as_printed"}
    assert departures(parse({"system": NAME, **sets})) == ()


def test_forms_differ_by_the_split_low_answer(oracles):
    """The noise of the mean of 70 at a weight of 0, and what merging the two low answers saves of it.

    Mathematics, section 1.1: the split adds L(E+1)²(E+3)L/(8(E−1)²(E+2)) to each client's variance.
    """
    points = oracles["aggregation_and_noise"]["pldp_fl_noise_sd_per_weight_v0"]
    checked = 0
    for point in points:
        if point["eps_mode"][:-1] != "eps" or point["tau_mode"][:-1] != "tau":
            continue
        checked += 1
        clients = {"count": 70, "epsilon": point["eps_mode"], "range": point["tau_mode"]}
        whole = {"system": NAME, "clients": clients, "selection": "all"}
        printed, corrected = (parse(whole | {"form": form}) for form in ("as_printed", "corrected"))
        assert theory.server_variance(printed) == pytest.approx(point["pdpm_sd_mean_of_70"] ** 2, rel=1e-9)
        e = np.exp(printed.clients.budgets())
        length = 2 * printed.clients.bounds()[1]
        saved = length**2 * (e + 1) ** 2 * (e + 3) / (8 * (e - 1) ** 2 * (e + 2))
        gap = theory.server_variance(printed) - theory.server_variance(corrected)
        assert gap == pytest.approx(saved.sum() / 70**2, rel=1e-9)
    assert checked >= 5


def test_its_ledger_is_that_of_the_mathematics(oracles):
    """d = 21 840 weights; 100 rounds at worst, 70 on average: nothing is amplified by who is chosen."""
    clients = {"epsilon": 0.1, "range": 1.0}
    lines = ledger(parse({"system": NAME, "clients": clients, "rounds": 100}), [0])[0]
    assert lines["coordinate"]["epsilon"] == 0.1
    assert lines["upload"]["basic"] == pytest.approx(2184)
    known = next(
        p
        for p in oracles["accounting"]["composition_pldp_fl"]
        if p["epsilon_coord"] == 0.1 and p["scope"].startswith("one upload")
    )
    assert lines["upload"]["generic"] == pytest.approx(known["optimal_KOV_RR_eps"], rel=1e-6)
    assert lines["run_expected"]["basic"] == pytest.approx(152_880)
    assert lines["run_worst"]["basic"] == pytest.approx(218_400)
    assert lines["run_worst"]["epsilon"] < lines["run_worst"]["generic"] < lines["run_worst"]["basic"]


def test_on_digits_another_model_stands_in_and_says_so():
    one = parse({"system": NAME, "dataset": "digits", "form": "as_printed"})
    assert one.model.name == "logistic_regression"
    assert {d.field: (d.paper, d.now) for d in departures(one)} == {
        "dataset": ("mnist", "digits"),
        "model": ("cnn", "logistic_regression"),
    }


def test_pldp_fl_learns_with_large_budgets():
    """On digits, ranges of ±0.1 and ±0.2: ε₃ ends far above ε₁ (which ends at chance), whatever the form."""
    small = {"system": NAME, "dataset": "digits", "rounds": 10, "attack": None}
    small |= {"local": {"learning_rate": 0.5}}
    for form in ("corrected", "as_printed"):
        strict, open_ = (
            events(small | {"form": form, "clients": {"epsilon": mode}})[-1]["accuracy"]
            for mode in ("eps1", "eps3")
        )
        assert strict < 0.45 < 0.6 < open_
