"""A sweep's cells are what was asked for, each once; whatever cannot be meant is named with its cell."""

import json
from typing import Any

import numpy as np
import pytest

from ldp_core import models
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, fit_of, parse, with_fit
from ldp_core.experiment.overrides import FILE
from ldp_core.experiment.sweep import in_words, parse_hypercube, parse_sweep, read_values
from tests.data import events


def sweep(grid: Any, **more: Any) -> dict[str, Any]:
    return {"base": {"rounds": 2}, "grid": grid, **more}


def test_grid_cells_are_combinations_by_seed_unattacked():
    found = parse_sweep(sweep({"clients.epsilon": [0.5, 2], "mechanism.name": ["duchi", "none"]}, seeds=2))
    assert [(cell.set["clients.epsilon"], cell.set["mechanism.name"], cell.seed) for cell in found.cells] == [
        (epsilon, name, seed) for seed in (0, 1) for epsilon in (0.5, 2) for name in ("duchi", "none")
    ]
    for cell in found.cells:
        wanted = {**cell.set, "seed": cell.seed, "rounds": 2, "attack": None}
        assert cell.experiment == changed(parse({}), wanted)


def test_listed_and_drawn_sweeps_survive_json():
    listed = parse_sweep(
        {"base": {"rounds": 2}, "list": [{"rounds": 1}, {"mechanism.name": "duchi"}], "seeds": 2}
    )
    assert [dict(cell.set) for cell in listed.cells] == [{"rounds": 1}, {"mechanism.name": "duchi"}] * 2
    assert listed.fields == ("rounds", "mechanism.name")
    latin = {"fields": {"clients.epsilon": [0.5, 8], "clients.range": [0.1, 2]}, "points": 5}
    drawn = parse_sweep({"base": {"rounds": 2}, "latin": latin})
    assert len(drawn.cells) == 5
    assert all(0.5 <= cell.experiment.clients.budgets()[0] <= 8 for cell in drawn.cells)
    grid = parse_sweep(sweep({"rounds": [1, 2], "mechanism.name": ["duchi", "piecewise"]}, seeds=3))
    for one in (grid, listed, drawn):
        again = parse_sweep(json.loads(json.dumps(one.as_json())))
        assert again == one and again.cells == one.cells


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"list": []}, "list must name settings"),
        ({"list": [{}]}, "setting 1 of the list must name fields and a value each"),
        ({"list": [{"rounds": 1}, {"rounds": 1}]}, "the list holds the same experiment twice"),
        ({"list": [{"rounds": 1}], "grid": {"rounds": [1]}}, "grid and list stand beside each other"),
        (
            {"latin": {"fields": {"clients.epsilon": [1, 9]}, "points": 900}, "seeds": 9},
            "the sweep makes 900 × 9 seeds = 8\u202f100 runs",
        ),
    ],
)
def test_other_ways_to_name_settings_that_cannot_be_meant(data: Any, words: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse_sweep(data)
    assert words in str(caught.value)


def test_seeds_count_up_from_a_cells_own():
    assert [cell.seed for cell in parse_sweep(sweep({"seed": [5, 50]}, seeds=2)).cells] == [5, 50, 6, 51]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "a sweep must be a JSON object"),
        ({"gird": {}}, "gird is not a field of a sweep; did you mean grid?"),
        (sweep(None), "grid must name fields and their values"),
        (sweep({"rounds": []}), "rounds must have a list of values, one at least"),
        (sweep({"clients.epsilon": [[1, 2]]}), "clients.epsilon takes numbers, words, true, false or null"),
        (sweep({"rounds": [1, 1.0]}), "rounds must have each value once; got 1.0 twice"),
        (sweep({"rounds": [1]}, seeds=0), "seeds must be a whole number between 1 and 20; got 0"),
        (sweep({"rounds": [5], "clients.count": [5, 6]}), "rounds has one value, 5: give it two to sweep"),
        (sweep({"mechanism.name": ["duchi", "dutchi"]}), "did you mean duchi? (in the cell mechanism.name=d"),
        (
            sweep({"rounds": [3, 4], "clients.epsilon": [1, -2]}),
            "choose the mechanism none (in the cell rounds=3, clients.epsilon=-2)",
        ),
        (
            sweep({"rounds": list(range(1, 3002))}),
            "the grid makes 3001 = 3\u202f001 runs, and may make 3\u202f000",
        ),
        (sweep({"rounds": list(range(1, 302))}, seeds=10), "the grid makes 301 × 10 seeds = 3\u202f010 runs"),
        (
            sweep({"name": ["a", "b"]}),
            "the same experiment twice: as name=a with seed 0 and as name=b with seed",
        ),
        (sweep({"seed": [2**53 - 1]}, seeds=2), "(in the cell seed=9007199254740991)"),
        (sweep({"attack.rounds_observed": [1]}), "cannot be swept over"),
    ],
)
def test_invalid_sweep_is_refused_with_its_cell(data: Any, words: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse_sweep(data)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.5,1,2", [0.5, 1, 2]),
        ("true,null,none", [True, None, "none"]),
        ('"a,b",c', ["a,b", "c"]),
        ("1e-3", [0.001]),
        ("0.5x,3", ["0.5x", 3]),
        ("0.1:10:5", [0.1, 2.575, 5.05, 7.525, 10]),
        ("0.1:10:5log", [0.1, 0.316227766017, 1, 3.16227766017, 10]),
        ("-1 : 1 : 3", [-1, 0, 1]),
        ("0,5; 1; 4", [0.5, 1, 4]),
        ("−1,5; 1 000; 2", [-1.5, 1000, 2]),
        ("0,1:1 000,1:2", [0.1, 1000.1]),
    ],
)
def test_value_lists_take_scalars_steps_and_decimal_commas(text: str, values: list[Any]):
    found = read_values(text)
    assert found == values
    assert [isinstance(one, bool | str) for one in found] == [isinstance(one, bool | str) for one in values]


STEPS, VALUES = "takes LOW:HIGH:COUNT", "takes numbers or words between commas"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, STEPS) for text in ("0.1:10:1", "10:1:3", "0:10:5log", "1:2:5000", "-1:1:3log")),
        *(
            (text, VALUES)
            for text in ("", " ", ",", "1,", ",1", "1,,2", "[1,2]", "[1],2", '{"a": 1}', "1,[2]")
        ),
        ("1,000; 2", "1\u202f000 with a comma between thousands and 1 with a decimal comma"),
        ("0,5, 1, 4", "has “0,5”, which may be 0.5 or 0 and 5: write semicolons"),
        ("0.5, 1,5", "has “1,5”, which may be 1.5 or 1 and 5"),
    ],
)
def test_ambiguous_value_list_is_refused(text: str, words: str):
    """And steps that make no sense, and what is no list of values."""
    with pytest.raises(InvalidExperiment, match=words):
        read_values(text)


def test_control_characters_in_values_are_removed():
    assert in_words({"name": "\x1b[2J\n"}) == "name= [2J"


BASE = parse({"seed": 4})
FIELDS = {"clients.epsilon": [0.5, 8], "clients.low": [-3, -1], "clients.count": [5, 50]}


def drawn(points: int = 16, base: Any = BASE, **fields: Any) -> list[dict[str, float]]:
    return parse_hypercube({"fields": fields or FIELDS, "points": points}).settings(base)


def test_each_slice_of_each_range_is_met_once():
    found = drawn()
    epsilon = np.log([one["clients.epsilon"] / 0.5 for one in found]) / np.log(16)
    low = (np.array([one["clients.low"] for one in found]) + 3) / 2
    for places in (epsilon, low):
        assert sorted((places * 16 + 1e-3).astype(int)) == list(range(16))
    assert [one["clients.epsilon"] for one in found] == sorted(one["clients.epsilon"] for one in found)
    assert np.corrcoef(epsilon, low)[0, 1] ** 2 < 0.5, "and the fields go their own ways"


def test_whole_numbers_stay_whole_and_others_do_not_become_so():
    found = drawn()
    assert all(isinstance(one["clients.count"], int) and 5 <= one["clients.count"] <= 50 for one in found)
    assert any(one["clients.epsilon"] % 1 for one in found), "though its ends were whole"
    assert [one["rounds"] for one in drawn(9, rounds=[1, 3])] == [1, 2, 3], "each setting once"


def test_the_seed_decides():
    assert drawn() == drawn()
    assert drawn() != drawn(base=parse({"seed": 5}))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "latin must be like"),
        ({"fields": FIELDS}, "latin.points must be a whole number between 2 and 3000; got null"),
        ({"fields": {"rounds": [5, 5]}, "points": 5}, r"rounds must have its least and its largest value"),
        (
            {"fields": {"mechanism.name": ["duchi", "pdpm"]}, "points": 5},
            "mechanism.name must have its least",
        ),
        ({"fields": FIELDS, "points": 5, "seeds": 3}, "latin.seeds is not a field of a hypercube"),
    ],
)
def test_invalid_hypercube_is_refused(data: Any, words: str):
    with pytest.raises(InvalidExperiment, match=words):
        parse_hypercube(data)


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
