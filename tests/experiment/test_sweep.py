"""A sweep's cells are what was asked for, each once; whatever cannot be meant is named with its cell."""

import json
from typing import Any

import pytest

from ldp_core import models
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, fit_of, parse, with_fit
from ldp_core.experiment.overrides import FILE
from ldp_core.experiment.sweep import in_words, parse_sweep, read_values
from tests.data import events

DRAWN = [
    {"clients.epsilon": epsilon, "rounds": rounds}
    for epsilon, rounds in ((0.5722, 1), (1.493, 6), (2.784, 3), (4.782, 3))
]


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


def test_sweep_survives_json():
    one = parse_sweep(sweep({"rounds": [1, 2], "mechanism.name": ["duchi", "piecewise"]}, seeds=3))
    again = parse_sweep(json.loads(json.dumps(one.as_json())))
    assert again == one and again.cells == one.cells


@pytest.mark.parametrize(
    "way",
    [{"list": DRAWN}, {"latin": {"fields": {"clients.epsilon": [0.5, 8], "rounds": [1, 9]}, "points": 4}}],
)
def test_stored_sweep_without_a_grid_has_its_settings(way: Any):
    stored = {"base": {"rounds": 2}, **way, "seeds": 2}
    one = parse_sweep(stored, cells=False)
    assert [dict(cell.set) for cell in one.cells] == 2 * DRAWN
    assert one.counts == {"clients.epsilon": 4, "rounds": 3}
    assert parse_sweep(json.loads(json.dumps(one.as_json())), cells=False).cells == one.cells
    with pytest.raises(InvalidExperiment, match="is not a field of a sweep"):
        parse_sweep(stored)


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
        ('"a,b", "c"', ["a,b", "c"]),
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
