"""Figures: plotly's own classes accept them once the colours are real, and they say what the data say."""

import json
import re
from base64 import b64decode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import datasets, mechanisms, presets
from ldp_core.experiment import Draft, Variant, changed, parse, plan
from ldp_core.federated.federation import assemble
from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.runs.view.styles import Style, styles
from ldp_core.theory.turnout import label_counts
from pages.parts.charts.base import points
from pages.parts.charts.density import law_figure
from pages.parts.charts.population import population_figure
from pages.parts.charts.rounds import accuracy_figure, noise_figure
from pages.parts.charts.series import Series, announced
from pages.parts.charts.split import MOST_BARS, MOST_CLASSES, chosen, split_figure
from pages.parts.noise.designs import Design, View, different, moved, views
from pages.parts.noise.variance_charts import VarianceCurve, against_budget, against_value, crossings
from pages.parts.ui.components import typed
from tests.data import digits, events
from tests.extent import in_gate


def real_colours(value: Any) -> Any:
    """The figure as the browser draws it: every colour name replaced."""
    if isinstance(value, str):
        return re.sub(r"^(run\(\d+\)|var\(--[\w-]+\))(/[\d.]+)?$", "#123456", value)
    if isinstance(value, list):
        return [real_colours(item) for item in value]
    if isinstance(value, dict):
        return {key: real_colours(item) for key, item in value.items()}
    return value


def unpacked(value: dict[str, Any]) -> Any:
    """Arrays as the browser reads them; a gap is None."""
    if set(value) != {"dtype", "bdata"}:
        return value
    held = np.frombuffer(b64decode(value["bdata"]), dtype=f"<{value['dtype']}")
    return [None if np.isnan(number) else number for number in held.tolist()]


def check(figure: dict[str, Any]) -> go.Figure:
    text = json.dumps(figure, default=typed, allow_nan=False)
    return go.Figure(real_colours(json.loads(text, object_hook=unpacked)))


def run(number: int, label: str, seed: int, changes: dict[str, Any]) -> RunProgress:
    found = RunProgress(number, label, seed, json.dumps(changes | {"seed": seed}))
    for event in events(changes | {"seed": seed}):
        found.fold(event)
    return found


def made(number: int, label: str, changes: dict[str, Any], seeds: Iterable[int] = (0,)) -> Series:
    """A variant that was run with these seeds."""
    return Series(number, label, tuple(run(number, label, seed, changes) for seed in seeds), Style(number))


@pytest.fixture(scope="module")
def trained() -> list[Series]:
    changes: list[dict[str, Any]] = [{"rounds": 4}, {"rounds": 4, "aggregator": "inverse_variance"}]
    draft = presets.get("two_volunteers").draft
    looks = styles(draft)
    return [
        Series(i, f"variant <{i}>", tuple(run(i, f"v{i}", seed, c) for seed in (0, 1)), looks[i])
        for i, c in enumerate(changes)
    ]


def test_accuracy_and_noise_are_drawn_as_they_were_recorded(trained: list[Series]):
    figure = check(accuracy_figure(trained, 4, 0.1))
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.hovertemplate == "%{y:.1%}"]
    mean, _, _ = trained[0].curve("accuracy")
    assert list(lines[0].y) == pytest.approx(mean, rel=1e-5)
    noise = check(noise_figure(trained, 4, {}))
    assert noise.layout.yaxis.type == "log"
    titles = [one.layout.xaxis.unifiedhovertitle.text for one in (figure, noise)]
    assert titles == ["round %{x}"] * 2, "a tooltip names the round"
    assert all(value > 0 for trace in noise.data for value in trace.y if value is not None)


def test_before_the_first_run_the_prediction_is_drawn():
    draft = presets.get("two_volunteers").draft
    figure = check(noise_figure(announced(draft), 15, {0: 0.8, 1: 0.06, 2: 0.003}))
    assert len(figure.data) >= 3
    assert {trace.name for trace in figure.data if trace.showlegend and len(trace.x)} == {
        variant.label for variant in draft.variants
    }
    accuracy, noise = accuracy_figure([], 5000, None), noise_figure(announced(draft), 5000, {})
    assert check(accuracy).layout.xaxis.range == check(noise).layout.xaxis.range == (0, 5000)


def seen(sets: list[dict[str, Any]], epsilon: float | None = None) -> list[View]:
    """Designs as the first client sees them."""
    base = presets.get("two_volunteers").draft.base
    base = changed(base, {"clients.low": -0.5, "clients.high": 0.7})
    draft = Draft(base, tuple(Variant(f"design {i}", one) for i, one in enumerate(sets)))
    looks = styles(draft)
    rows = zip(draft.variants, draft.experiments(), looks, strict=True)
    return moved(views([Design(i, *row) for i, row in enumerate(rows)], 0), epsilon)


BUDGETS = ((0.001, -0.5), (0.5, 0.1), (8.0, 0.7), (700.0, 0.1))
"""Each with the value whose law the gate draws."""
LAWS = [
    (name, form, epsilon, in_gate((value,), (-0.5, 0.1, 0.7)))
    for n, name in enumerate(mechanisms.offered(False))
    for m, (epsilon, value) in enumerate(BUDGETS)
    for k, form in enumerate(("corrected", "as_printed"))
    if in_gate((n + m + k) % 2 == 0, True)
]
"""Every mechanism with every budget; in the gate its two forms take turns."""


@pytest.mark.parametrize(("name", "form", "epsilon", "values"), LAWS)
def test_the_law_of_every_mechanism_can_be_drawn(
    name: str, form: mechanisms.Form, epsilon: float, values: tuple[float, ...]
):
    (view,) = seen([{"mechanism.name": name, "form": form}], epsilon)
    use = plan(view.design.experiment).asked.first_use
    for value in values:
        check(law_figure(view.mechanism.at(epsilon, -0.5, 0.7), 1, value, -0.5, 0.7))
        check(against_budget([view], use, value, [0.1, epsilon]))
        check(against_value([view], use, value))


def browser_reads(values: Any) -> list[float | None]:
    return json.loads(json.dumps(points(values), default=typed), object_hook=unpacked)


@given(st.lists(st.floats(width=64), max_size=9))
def test_non_finite_points_become_gaps(values: list[float]):
    read = browser_reads(values)
    assert [one is None for one in read] == [not np.isfinite(one) for one in values]
    kept = [(a, b) for a, b in zip(values, read, strict=True) if b is not None]
    assert all(b == pytest.approx(a, rel=1e-6) for a, b in kept)


def test_the_axes_of_a_law_hold_still_while_its_weight_moves():
    for name in ("duchi", "piecewise"):
        drawn = [
            law_figure(mechanisms.get(name).at(1.0, -1, 1), 1, v, -1, 1)["layout"]
            for v in np.linspace(-1, 1, 9)
        ]
        axes = {json.dumps([layout["xaxis"]["range"], layout["yaxis"]["range"]]) for layout in drawn}
        assert len(axes) == 1


def test_unlike_parameters_have_separate_curves():
    forms = [
        {"mechanism.name": "gaussian", "mechanism.calibration": c}
        for c in ("analytic", "classical", "paper001")
    ]
    three = seen(forms)
    assert [view.name for view in three] == ["design 0", "design 1", "design 2"]
    assert len(different(three)) == 3
    figure = check(against_budget(three, plan(three[0].design.experiment).asked.first_use, 0.1, [0.5]))
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.name]
    assert [trace.name for trace in lines] == ["design 0", "design 1", "design 2"]
    assert len({trace.line.dash for trace in lines}) == 3
    alike = seen([{"aggregator.name": "mean"}, {"aggregator.name": "inverse_std"}])
    assert [view.name for view in alike] == ["Piecewise", "Piecewise"]
    assert len(different(alike)) == 1
    ranges = seen([{"clients.range": 1.0}, {"clients.range": 0.1, "target": "update"}])
    assert [(view.low, view.high) for view in ranges] == [(-1.0, 1.0), (-0.1, 0.1)]


def test_curve_crossing_is_at_the_reference_epsilon(oracles: dict[str, Any]):
    x = np.geomspace(0.1, 20, 80)
    drawn = [
        VarianceCurve(name, np.array([mechanisms.get(name).at(e, -1, 1).max_variance for e in x]), 1)
        for name in ("duchi", "piecewise")
    ]
    marks = crossings(x, drawn)
    assert len(marks) == 1
    assert marks[0][0] == pytest.approx(oracles["constants"]["pm_duchi_worst_case_crossing"], rel=1e-3)
    assert "duchi and piecewise" in marks[0][2]


@pytest.mark.parametrize("count", [500, 1000, 60_000])
@pytest.mark.parametrize("place", [1, 2, 333, -1])
def test_a_client_that_asks_for_more_than_the_others_is_drawn(count: int, place: int):
    """It was among those that were left out, and the picture did not follow the table."""
    budgets = [0.5] * count
    budgets[place] = 5.0
    base = changed(
        presets.get("two_volunteers").draft.base,
        {"dataset": "mnist", "clients.count": count, "clients.epsilon": budgets},
    )
    asked, noise = check(population_figure(base)).data
    shown = dict(zip(asked.x, asked.y, strict=True))
    assert shown[place % count + 1] == 5.0
    assert noise.y[list(noise.x).index(place % count + 1)] == pytest.approx(min(noise.y))


NAMES = datasets.get("digits").class_names


@pytest.mark.parametrize("kind", ["iid", "dirichlet", "group_labels"])
def test_partition_chart_equals_the_dealt_shards(kind: str):
    experiment = parse({"partition": {"kind": kind}, "clients": {"count": 7}, "seed": 3})
    counts = label_counts(plan(experiment), Path("nowhere"))
    assert counts is not None
    shards = assemble(plan(experiment), digits(), torch.device("cpu")).shards
    for client, shard in enumerate(shards):
        assert np.array_equal(counts[client], np.bincount(digits().train_y[shard], minlength=10))
    figure = check(split_figure(counts, NAMES))
    drawn = np.array([trace.y for trace in figure.data]).T
    assert np.array_equal(drawn, counts)
    assert [note.text.rpartition(" ")[2] for note in figure.layout.annotations] == list(NAMES)


def test_data_that_are_not_there_yet_have_no_picture(tmp_path: Path):
    for name in datasets.names():
        if datasets.get(name).download:
            assert label_counts(plan(parse({"dataset": name})), tmp_path) is None


def test_of_many_clients_a_stated_sample_is_drawn():
    counts = np.arange(10_000 * 10).reshape(10_000, 10)
    figure = check(split_figure(counts, NAMES))
    assert len(figure.data[0].x) == len(set(figure.data[0].x)) == MOST_BARS
    assert chosen(10_000)[[0, -1]].tolist() == [0, 9999]
    assert np.ptp(np.diff(chosen(10_000))) <= 1
    assert len(json.dumps(split_figure(counts, NAMES))) < 30_000


def test_many_classes_are_drawn_as_the_largest_and_the_rest():
    counts = np.ones((3, 100), dtype=np.int64)
    counts[:, 40] = 9
    figure = check(split_figure(counts, [f"<b>kind {i}" for i in range(100)]))
    assert len(figure.data) == MOST_CLASSES
    assert sum(sum(trace.y) for trace in figure.data) == counts.sum()
    notes = [note.text for note in figure.layout.annotations]
    assert notes[-1].endswith("89 other classes")
    assert any("kind 40" in note for note in notes)
    assert not any("<b>" in note for note in notes), "a name is text"
