"""What the promise table says: each figure in its scope, a price for a price and a bound for a bound."""

import math
import re
from typing import Any

import numpy as np
import pytest

from ldp_core.accounting import Promise, Spending, entries, everyone
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.presets import get
from ldp_core.runs.view.styles import styles
from pages.parts.noise.adding_up import added_up
from pages.parts.noise.designs import Design, views
from pages.parts.noise.promise_table import SCOPES, Promised, growth, in_words
from pages.parts.noise.promise_table import cells as cells_of
from pages.parts.ui.text import THIN, as_shown, at_most, number


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


SETTINGS = [{}, {"mechanism": "laplace"}, {"mechanism": "grr"}, {"clients": {"epsilon": 1}}, {"rounds": 3}]


def steps(experiment: dict[str, Any]) -> str:
    one = Promised.to(0, "this run", parse(experiment))
    return added_up(one.experiment, one.client, one.limit, one.entry).replace("\u202f", " ")


@pytest.mark.parametrize("experiment", SETTINGS, ids=str)
def test_exact_steps_equal_the_ledger(experiment: dict[str, Any]):
    run = Promised.to(0, "this run", parse(experiment)).entry.run_worst
    assert run.generic is not None
    words = steps(experiment)
    assert f" answers have: **ε {at_most(run.bound, 4)}**".replace("\u202f", " ") in words
    assert f"{at_most(run.generic, 4)} for any mechanism".replace("\u202f", " ") in words
    result = [line for line in words.splitlines() if " in all." in line]
    assert len(result) == 2
    for line, bound in zip(result, (run.generic, run.bound), strict=True):
        about = float(line.split(": some ")[1].split(" in all")[0].replace(" ", ""))
        assert math.isclose(about, bound, rel_tol=0.02)


N = r"(\d+(?:\.\d+)?)"
SUM = re.compile(rf"([\d.(√][\d.()√×−% ]*) = {N}")
LUCK = re.compile(rf"= {N}, with.* = {N}\.\n.* than {N} of .*, {N}: some {N}")


@pytest.mark.parametrize("mechanism", ["piecewise", "duchi", "laplace", "grr"])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 0.75, 1.234, 2, 3.7, 8])
@pytest.mark.parametrize("rounds", [2, 15, 90])
def test_every_step_comes_out_on_a_calculator(mechanism: str, epsilon: float, rounds: int):
    """From the digits that are shown, to the last one of them."""
    asked = {"mechanism": mechanism, "clients": {"epsilon": epsilon}, "rounds": rounds}
    words = re.sub(r"(?<=\d) (?=\d{3}\b)", "", steps(asked)).replace(" %", "%")
    words = words.replace(" weights", "").replace("ε ", "")
    found = SUM.findall(words)
    assert found
    for sides, end in found:
        one = re.sub(r"([\d.]+)%", r"(\1/100)", sides).replace("×", "*").replace("−", "-")
        value = eval(re.sub(r"√([\d.]+)", r"math.sqrt(\1)", one).replace("√(", "math.sqrt("))
        assert round(value, len(end.partition(".")[2])) == float(end), f"{sides} = {end}"
    luck = LUCK.findall(words)
    assert luck or epsilon != 0.5 or rounds < 15, "there it is told"
    for one in luck:
        together, deviation, beyond, more, some = map(float, one)
        assert as_shown(beyond * deviation, 3) == more
        assert as_shown(together + more, 4) == some


def test_noise_in_a_sum_has_its_own_name():
    draft = get("two_volunteers").draft
    summed = {"trust.kind": "secure_sum", "clients.epsilon_scope": "run", "clients.epsilon": 8}
    experiment = changed(draft.experiments()[0], summed)
    (view,) = views([Design(0, draft.variants[0], experiment, styles(draft)[0])], 0)
    assert view.name == "Skellam noise in the sum"
