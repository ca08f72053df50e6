"""Whom the model serves: columns of clients' own models where there are any, and how unlike clients are."""

import json
import math
from typing import Any

import pytest

from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.charts.split import served, served_figure
from pages.parts.train.heard import Rows, columns_of, heard_figure, row_of, unlikeness
from tests.data import rounds

SMALL: dict[str, Any] = {"dataset": "digits", "rounds": 2, "attack": None}


def shown(changes: dict[str, Any]) -> Rows:
    run = RunProgress(0, "one", 0, json.dumps(SMALL | changes))
    for event in rounds(SMALL | changes):
        run.fold(event)
    series = Series(0, "one", (run,))
    row = row_of(series)
    assert row
    return [(series, row)]


def test_personal_models_have_columns():
    rows = shown({"system": "pd_ldpfl"})
    assert heard_figure(rows)["data"][0]["x"][:3] == ["all", "best own", "own mix"]
    said = unlikeness(rows)
    assert "Variance between clients' losses" in said
    assert f"{rows[0][1]['unlike']:.2g} with one (accuracy " in said


def test_columns_depend_on_personal_layers():
    alone = shown({"system": {"name": "pd_ldpfl", "input": "none", "output": "none"}})
    assert columns_of(alone) == ["all", "own mix"]
    plain = shown({})
    assert columns_of(plain) == ["all", "strict", "permissive"]
    assert unlikeness(plain) == ""


@pytest.mark.parametrize(
    "changes",
    [{}, {"partition": {"kind": "dirichlet", "alpha": 0.3}}, {"clients": {"epsilon": "half_and_half"}}],
)
def test_all_clients_lie_between_their_groups(changes: dict[str, Any]):
    """Held-out images are dealt otherwise than any client's: whatever counts them is no average of groups."""
    for seed in range(3):
        row = shown({**changes, "seed": seed})[0][1]
        low, high = sorted((row["strict"], row["permissive"]))
        assert low <= row["all"] <= high


def test_class_without_figure_is_a_gap():
    (series, _), *_ = shown({})
    (run,) = series.runs
    run.last = {**run.last, "accuracy_per_class": [None, *run.last["accuracy_per_class"][1:]]}
    row = row_of(series)
    assert row and row["classes"][0] is None and None not in row["classes"][1:]
    (heat,) = heard_figure([(series, row)])["data"]
    assert "–" in heat["text"][0]
    assert served([series])["one"][0] is None
    drawn = served_figure([series], [*"abcdefghij"])["data"][0]
    assert math.isnan(drawn["y"][0]) and drawn["x"][0] == "a"
