"""The bar from what an attack shows to what is promised says both as the run and the ledger have them."""

import json
from typing import Any

import pytest

from ldp_core.accounting import ledger
from ldp_core.experiment import Draft, parse
from ldp_core.experiment.draft import Variant
from pages.parts.charts.series import Series
from pages.parts.train.measured_bar import bar_figure, bars, why
from pages.parts.ui.text import at_most
from tests.pages.charts.test_base import made

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


def test_the_figure_labels_both_ends(shown: list[Series]):
    found = bars(DRAFT, shown, 2)
    figure = bar_figure(found)
    words = {note["text"] for note in figure["layout"]["annotations"]}
    for bar in found:
        assert f"≤ {at_most(bar.promised, 4)}" in words
    assert sum(text.startswith("≥ ") for text in words) and "one upload, wide" in words
    assert json.dumps(figure["layout"], allow_nan=False)
    said = why(found)
    assert "95" in said and at_most(max(bar.row["most"] for bar in found), 2) in said


def test_missing_lower_bound_draws_no_bar_start(shown: list[Series]):
    found = bars(DRAFT, shown, 0)
    assert all(bar.row["epsilon_lower"] is None for bar in found[:2])
    notes = [note["text"] for note in bar_figure(found[:2])["layout"]["annotations"]]
    assert not [text for text in notes if text.startswith("≥")]
    assert sum("cannot tell yet" in text for text in notes) == 2


def test_a_run_without_an_attack_has_no_bars():
    assert bars(DRAFT, [made(0, "mean", SETTINGS | {"attack": None})], 2) == []
