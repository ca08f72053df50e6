"""What the promise table says: each figure in its scope, a price for a price and a bound for a bound."""

import math
from typing import Any

import numpy as np
import pytest

from ldp_core.accounting import Promise, Spending, entries, everyone
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.presets import get
from ldp_core.runs.view.styles import styles
from pages.parts.noise.designs import Design, views
from pages.parts.noise.promise_table import SCOPES, Promised, added_up, growth, in_words
from pages.parts.noise.promise_table import cells as cells_of
from pages.parts.ui.text import THIN, at_most, number


def promised(experiment: dict[str, Any] | Experiment, client: int = 0) -> Promised:
    return Promised.to(client, "this run", parse(experiment))


def cells(experiment: dict[str, Any] | Experiment, again: bool = False) -> list[str]:
    return list(cells_of(promised(experiment), again))


def test_own_law_bound_stands_beside_the_generic_one():
    weight, upload, _, _ = cells({})
    assert weight == "**ε 0.5**, δ 0"
    assert upload == "**ε 120.6**, δ 10⁻⁵; any mechanism 130.7; plain sum 325"
    assert cells({"mechanism": "duchi"})[1] == "**ε 130.7**, δ 10⁻⁵; plain sum 325"
    assert cells({"mechanism": "duchi", "clients": {"epsilon": 8}})[1] == "**ε 5\u202f200**, δ 0"


def test_an_average_client_has_a_price_and_no_bound():
    experiment = {
        "mechanism": "duchi",
        "clients": {"epsilon": 1},
        "selection": {"kind": "fraction", "fraction": 0.3},
    }
    price = cells(experiment)[2]
    assert "no bound" in price
    everybody = cells({})
    assert everybody[2] == everybody[3], "where everybody uploads in every round, there is no average"
    assert "price" in SCOPES["run_expected"]


def test_mechanism_none_promises_no_bound():
    for cell in cells({"mechanism": "none"}):
        assert "no guarantee" in cell
    assert "nothing is promised" in in_words(promised({"mechanism": "none"}))


@pytest.mark.parametrize("mechanism", ["gaussian", "duchi", "piecewise"])
def test_delta_is_no_probability_of_failing(mechanism: str):
    """Gaussian noise at .5: the loss exceeds ε with 28.6 times the probability δ."""
    words = in_words(promised({"mechanism": mechanism, "clients": {"epsilon": 0.02}}))
    assert "except with" not in words
    assert "plus a probability of 10⁻⁵" in words
    assert "more likely by more than" in words


def test_personal_layers_are_not_counted_in_uploads():
    """PD-LDPFL keeps the last layer at home."""
    experiment = parse({"system": "pd_ldpfl", "dataset": "mnist"})
    assert plan(experiment).uploaded < plan(experiment).dimension
    words = in_words(promised(experiment))
    assert f"all {number(plan(experiment).uploaded, 6)} weights of one upload" in words


def test_a_factor_is_never_stated_below_the_bound():
    for epsilon in np.random.default_rng(3).uniform(0.001, 10, 300):
        result = growth(Promise(float(epsilon), guarantee=True))
        digits = result.removeprefix("a factor of ").removesuffix("%").replace(THIN, "")
        value = 1 + float(digits) / 100 if result.endswith("%") else float(digits)
        assert value >= math.exp(epsilon) * (1 - 1e-12)
        assert value <= math.exp(epsilon) * 1.011
    assert "a factor of 1 " not in in_words(promised({"clients": {"epsilon": 0.0005}}))


def test_values_sent_again_cost_more_the_more_is_seen():
    runs = [parse({"rounds": 3, "attack": {"rounds_observed": times}}) for times in (1, 10, 100)]
    rows = [cells(experiment, again=True) for experiment in runs]
    once, ten, hundred = (row[2] for row in rows)
    assert once.startswith("1 upload: ")
    assert ten.startswith("10 uploads of the same values: ")
    assert len({once, ten, hundred}) == 3
    spending = Spending(plan(runs[2]).releases)
    line = spending.again(everyone(plan(runs[2]))[0], 100)
    assert f"**ε {at_most(line.bound, 4)}**" in hundred
    assert [row[:2] + row[3:] for row in rows] == [rows[0][:2] + rows[0][3:]] * 3, (
        "the run itself is the same"
    )


def test_a_client_is_held_to_its_own_limit():
    """Eighteen stop at 200, two at a million: the last was shown ε 0, as if it never sent anything."""
    limits = [200] * 18 + [1e6] * 2
    experiment = {"clients": {"run_limit": limits}, "mechanism": "duchi"}
    assert promised(experiment, 0).limit == 200
    assert promised(experiment, 19).limit == 1e6
    assert promised(experiment, 99).limit == 1e6, "another design may have fewer clients"
    assert promised(experiment, 19).entry.run_worst.bound == 78_000
    assert promised(experiment, 19).entry == entries(plan(parse(experiment)))[19]
    other = Promised.to(19, "this run", parse(experiment), (2.0, -1.0, 1.0))
    assert (other.client, other.limit) == ((2.0, -1.0, 1.0), 1e6)


def sum_of(experiment: dict[str, Any]) -> str:
    return added_up(promised(experiment)).replace("\u202f", " ")


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2, 8])
def test_plain_sum_comes_out_on_a_calculator(epsilon: float):
    words = sum_of({"clients": {"epsilon": epsilon}})
    assert f"650 weights × ε {epsilon:g} = {number(650 * epsilon, 6)}".replace("\u202f", " ") in words
    assert f"× 15 uploads = {number(9750 * epsilon, 6)}".replace("\u202f", " ") in words
    bound = promised({"clients": {"epsilon": epsilon}}).entry.run_worst.bound
    assert words.endswith(f"**ε {at_most(bound, 4)}**.".replace("\u202f", " "))


@pytest.mark.parametrize("mechanism", ["gaussian", "none", "privunit", "harmony"])
def test_upload_mechanisms_have_no_sum_over_weights(mechanism: str):
    assert sum_of({"mechanism": mechanism, "model": "mlp"}) == ""


def test_run_limit_is_named_when_the_sum_ends_there():
    limited = sum_of({"clients": {"run_limit": 400.0}})
    assert "its own limit forbids" in limited and "15 uploads" not in limited
    assert sum_of({"clients": {"run_limit": 100.0}}) == "", "it never sends anything"


def test_noise_in_a_sum_has_its_own_name():
    draft = get("two_volunteers").draft
    summed = {"trust.kind": "secure_sum", "clients.epsilon_scope": "run", "clients.epsilon": 8}
    experiment = changed(draft.experiments()[0], summed)
    (view,) = views([Design(0, draft.variants[0], experiment, styles(draft)[0])], 0)
    assert view.name == "Skellam noise in the sum"
