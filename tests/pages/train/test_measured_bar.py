"""The bar from what an attack shows to what is promised says both as the run and the ledger have them."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import datasets
from ldp_core.accounting import ledger
from ldp_core.experiment import Draft, parse
from ldp_core.experiment.draft import Variant
from ldp_core.images import encode
from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.charts.split import served, served_figure
from pages.parts.train.heard import Rows, columns_of, heard_table, row_of, unlikeness
from pages.parts.train.measured_bar import bars, why
from pages.parts.ui.text import at_most
from tests.data import rounds
from tests.pages.charts.test_base import made
from tests.pages.conftest import drawn

SETTINGS: dict[str, Any] = {
    "rounds": 2,
    "clients": {"count": 3, "epsilon": [0.02, 1, 8]},
    "mechanism": "duchi",
}
ARMS: dict[str, dict[str, Any]] = {
    "mean": {},
    "1/σ": {"aggregator": "inverse_std"},
    "wide": {"mechanism": "laplace"},
}
DRAFT = Draft(parse(SETTINGS), tuple(Variant(name, one) for name, one in ARMS.items()))


@pytest.fixture(scope="module")
def shown() -> list[Series]:
    return [made(n, name, SETTINGS | one) for n, (name, one) in enumerate(ARMS.items())]


def test_runs_of_the_same_figures_share_a_bar(shown: list[Series]):
    found = bars(DRAFT, shown, 2)
    assert [bar.names for bar in found] == [("mean", "1/σ")] * 2 + [("wide",)] * 2
    own = ledger(DRAFT.experiments()[0])[2]
    assert [bar.promised for bar in found[:2]] == [own["upload"]["epsilon"], own["run_worst"]["epsilon"]]
    assert all(0 < bar.row["epsilon_lower"] < bar.promised for bar in found)


def test_both_ends_are_the_events_and_the_ledgers(shown: list[Series]):
    found = bars(DRAFT, shown, 2)
    for bar in found:
        assert bar.ends[0].startswith("≥ ") and bar.ends[1] == f"≤ {at_most(bar.promised, 4)}"
    assert "one upload, wide" in {bar.scope for bar in found}
    said = why(found)
    assert "95" in said and at_most(max(bar.row["most"] for bar in found), 2) in said


def test_missing_lower_bound_is_said(shown: list[Series]):
    found = bars(DRAFT, shown, 0)[:2]
    assert all(bar.row["epsilon_lower"] is None and "cannot tell yet" in bar.ends[0] for bar in found)


def test_a_run_without_an_attack_has_no_bars():
    assert bars(DRAFT, [made(0, "mean", SETTINGS | {"attack": None})], 2) == []


SMALL: dict[str, Any] = {"dataset": "digits", "rounds": 2, "attack": None}


def rows_of(changes: dict[str, Any]) -> Rows:
    run = RunProgress(0, "one", 0, json.dumps(SMALL | changes))
    for event in rounds(SMALL | changes):
        run.fold(event)
    series = Series(0, "one", (run,))
    row = row_of(series)
    assert row
    return [(series, row)]


def test_personal_models_have_columns():
    rows = rows_of({"system": "pd_ldpfl"})
    assert heard_table(rows)[0][1:4] == ["all", "best own", "own mix"]
    said = unlikeness(rows)
    assert "Variance between clients' losses" in said
    assert f"{rows[0][1]['unlike']:.2g} with one (accuracy " in said


def test_columns_depend_on_personal_layers():
    alone = rows_of({"system": {"name": "pd_ldpfl", "input": "none", "output": "none"}})
    assert columns_of(alone) == ["all", "own mix"]
    plain = rows_of({})
    assert columns_of(plain) == ["all", "strict", "permissive"]
    assert unlikeness(plain) == ""


@pytest.mark.parametrize(
    "changes",
    [{}, {"partition": {"kind": "dirichlet", "alpha": 0.3}}, {"clients": {"epsilon": "half_and_half"}}],
)
def test_all_clients_lie_between_their_groups(changes: dict[str, Any]):
    """Held-out images are dealt otherwise than any client's: whatever counts them is no average of groups."""
    for seed in range(3):
        row = rows_of({**changes, "seed": seed})[0][1]
        low, high = sorted((row["strict"], row["permissive"]))
        assert low <= row["all"] <= high


def test_class_without_figure_is_a_gap():
    (series, _), *_ = rows_of({})
    (run,) = series.runs
    run.last = {**run.last, "accuracy_per_class": [None, *run.last["accuracy_per_class"][1:]]}
    row = row_of(series)
    assert row and row["classes"][0] is None and None not in row["classes"][1:]
    head, (cells,) = heard_table([(series, row)])
    assert cells.count("–") == 1 and len(cells) == len(head)
    assert served([series])["one"][0] is None
    drawn = served_figure([series], [*"abcdefghij"])["data"][0]
    assert math.isnan(drawn["y"][0]) and drawn["x"][0] == "a"


ROWS = [(i * 37 % 100, ["red", "green", "blue"][i % 3], "yes" if i % 2 else "no") for i in range(200)]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    lines = ["age,colour,target", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "mine.json").write_text('{"scales": {"age": [0, 255]}}', encoding="utf-8")
    return datasets.get("table:mine")


def page() -> None:
    import streamlit as st

    from pages.parts.train.attributes import attributes

    row, close, far, average = st.session_state["rows"]
    attributes("table:mine", "Client 1", row, {"close": close, "far": far}, average)


def test_how_far_off_stands_against_the_columns_own_spread(source: Any):
    spread = source.load(Path()).test_x[:, 0, 0].std() * 255
    rows = [[40, 0, 0, 255], [40 + 0.05 * spread, 10, 9, 90], [40 + spread, 0, 200, 0], [40, 99, 77, 88]]
    app = drawn(page, rows=[encode(np.array([row]) / 255) for row in rows])
    _, table = (one.value for one in app.markdown)
    assert source.found.columns[1].scale == ("blue", "green", "red")
    age, colour = table.splitlines()[2:]
    assert age.startswith("| age | 40 | ")
    assert [cell.partition(", ")[2].strip() for cell in age.split("|")[3:6]][2] == "right"
    off = [float(cell.split("off by ")[1].split()[0]) for cell in age.split("|")[3:5]]
    assert np.allclose(off, [0.05, 1.0], atol=0.51 / spread)
    assert [cell.strip() for cell in colour.split("|")[2:6]] == [
        "red",
        "red, right",
        "green, wrong",
        "blue, wrong",
    ]
