"""Tune: every cell stands where the grid says, and says what its runs came to."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.inference import as_good
from ldp_core.runs import pilots
from ldp_core.runs.record import drafts
from ldp_core.runs.view.cells import SearchProgress
from ldp_core.tuning import parse_question
from pages.parts.clients.data_names import seen_of
from pages.parts.tune.answer import _none, way_figure
from pages.parts.tune.ask import goal
from pages.parts.tune.axes import axes, axis_of, offered
from pages.parts.tune.found import settings
from pages.parts.tune.view import front_figure, heat_data, number_at, paint
from tests.pages.charts.test_base import check
from tests.pages.conftest import Opened

GRID = {"clients.epsilon": [1, 4, 8], "mechanism.name": ["duchi", "piecewise"]}


def swept(grid: dict[str, Any] = GRID, seeds: int = 2) -> Sweep:
    return parse_sweep({"base": {"rounds": 2}, "grid": grid, "seeds": seeds})


def cells(sweep: Sweep, count: int) -> dict[int, dict[str, Any]]:
    """The first so many, each with an accuracy of its own."""
    return {i: {"status": "completed", "accuracy": 0.1 + 0.05 * i} for i in range(count)}


def test_cell_stands_at_its_grid_values():
    sweep = swept()
    found = settings(sweep, cells(sweep, len(sweep.cells)))
    data = heat_data(sweep, found, chosen=3)
    assert data["columns"] == ["1", "4", "8"]
    assert [row["name"] for row in data["rows"]] == ["Duchi", "Piecewise"]
    labels = [cell["label"] for row in data["rows"] for cell in row["cells"]]
    for place, label in enumerate(labels):
        one = found[number_at(sweep, place)]
        name = {"duchi": "Duchi", "piecewise": "Piecewise"}[str(one.set["mechanism.name"])]
        assert label.startswith(f"{name}, {one.set['clients.epsilon']:g}: accuracy")
    assert number_at(sweep, data["chosen"]) == 3
    # settings 0 and its second seed, 6 places later
    assert found[0].accuracies == pytest.approx((0.1, 0.4))


def test_settings_without_a_grid_are_rows():
    given = [{"rounds": 1}, {"mechanism.name": "duchi"}]
    mixed = parse_sweep({"list": given}, cells=False)
    data = heat_data(mixed, settings(mixed, {}), chosen=1)
    assert [row["name"] for row in data["rows"]] == ["1", "Duchi"]
    assert number_at(mixed, data["chosen"]) == 1


def test_settings_of_one_budget_stand_on_the_axis():
    equal = parse_sweep({"base": {"rounds": 2}, "grid": {"clients.range": [0.5, 1]}})
    alike = front_figure(settings(equal, cells(equal, 2)))
    assert alike is not None and len(alike["layout"]["xaxis"]["tickvals"]) == 1


@pytest.mark.usefixtures("runs_dir")
def test_map_before_a_run_says_testing_where_a_trial_is_asked_for():
    sweep = swept()
    data = heat_data(sweep, settings(sweep, {}), None, tried=range(2))
    texts = {cell["text"]: cell["mark"] for row in data["rows"] for cell in row["cells"]}
    assert pilots.TESTING.why in texts and len(texts) == 2 and "unknown" not in texts


def test_untrained_and_failed_cells_are_marked():
    sweep = swept()
    result = cells(sweep, 1) | {1: {"status": "diverged", "accuracy": None}}
    flat = [cell for row in heat_data(sweep, settings(sweep, result), None)["rows"] for cell in row["cells"]]
    by_place = {number_at(sweep, place): cell for place, cell in enumerate(flat)}
    assert (by_place[0]["mark"], by_place[0]["more"]) == ("trained", "1 of 2 seeds")
    assert (by_place[1]["mark"], by_place[1]["fill"]) == ("diverged", "")
    assert "not trained yet" in by_place[5]["label"]


@pytest.mark.parametrize("accuracy", [i / 20 for i in range(21)])
def test_words_stand_out_from_every_colour(accuracy: float):
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert (light(paint(accuracy)) + 0.05) / 0.05 >= 7, "from black"
    if accuracy:
        assert light(paint(accuracy)) < light(paint(accuracy - 0.05)), "read without colours as well"


def test_tied_cells_are_counted():
    ends = [(0.9, 0.9, 0.9), (0.91, 0.88, 0.9), (0.5, 0.5, 0.5), (0.5, 0.51, 0.5)]
    assert as_good(ends, 0, 360) == 1
    near = [(0.9,) * 3, (0.84, 0.78, 0.82), *[(0.5,) * 3] * 6]
    assert as_good(near[:2], 0, 360) == 1, "three seeds of two designs tell little"
    assert as_good(near, 0, 360) == 0, "with more of them the spread of seeds is known better"
    assert as_good([one[:2] for one in near], 0, 360) == len(near) - 1, "two seeds tell nothing"
    cells = zip(settings(swept(seeds=3), {}), [*ends, (0.9,), ()], strict=True)
    found = [replace(one, accuracies=each) for one, each in cells]
    assert heat_data(swept(seeds=3), found, None)["rows"][0]["cells"][0]["more"] == "3 seeds alike"


@pytest.mark.parametrize("grid", [GRID, {"mechanism.name": ["duchi", "gaussian"], "clients.range": [0.5, 1]}])
def test_priced_settings_have_a_point_each(grid: dict[str, Any]):
    sweep = swept(grid)
    found = settings(sweep, cells(sweep, 6))
    priced = front_figure(found)
    assert priced is not None
    assert len(check(priced).data[1].x) == sum(bool(one.accuracies) for one in found)


@pytest.mark.parametrize("name", list(axes()))
@pytest.mark.parametrize("target", ["weights", "update"])
def test_the_grid_that_an_axis_starts_with_can_be_swept_over(name: str, target: str):
    base = parse({"target": target, "clients": {"epsilon_scope": "run"}})
    if name == "clip":
        base = changed(Experiment(), {"unit": "record", "local.clip": 1.0})
    axis = offered(base)[name]
    sweep = parse_sweep({"base": base.as_json(), "grid": {axis.path: axis.grid(base)}})
    assert axis_of(axis.path, sweep.grid[axis.path]).title == axis.title
    assert name != "trust" or len(sweep.grid[axis.path]) == (4 if target == "update" else 3)


def test_every_run_and_the_target_are_on_the_chart():
    asked = parse_question({"accuracy": 0.8, "ranges": [0.5, 1], "seeds": 3})
    found = SearchProgress(())
    for half in asked.ranges:
        for epsilon in (None, 1.0, 2.0):
            for seed in range(3):
                own = {"half": half, "epsilon": epsilon, "seed": seed, "status": "completed"}
                found._fold({"event": "cell", "accuracy": 0.4 * (epsilon or 2) + 0.01 * seed, **own})
    chart = check(way_figure(asked, found))
    lines = [trace for trace in chart.data if trace.mode == "lines+markers"]
    assert [trace.name for trace in lines] == ["±0.5", "±1"]
    assert list(lines[0].y) == pytest.approx([0.41, 0.81], rel=1e-5)
    assert sum(len(trace.x) for trace in chart.data if trace.mode == "markers") == 12, "none without noise"
    said = _none(asked, found.cells)
    assert "80" in said and "81" in said and "82" in said, (
        "what is asked, what is reached, what is without noise"
    )
    assert list(chart.data[0].y) == pytest.approx([0.8] * len(chart.data[0].y), rel=1e-5)


@pytest.mark.parametrize("mode", ["limits", "formulas"])
def test_tune_opens_where_a_stored_mode_is_gone(mode: str, opened: Opened):
    identity = drafts.new(presets.get("two_volunteers").draft)
    drafts.keep_typed(identity, "what to do", mode)
    (modes,) = (g for g in opened("tune", draft=identity).button_group if g.label == "What to do")
    assert modes.value == "sweep"


def test_goal_for_own_data_lies_between_guessing_and_ceiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    rows = [f"{n % 20},{int(n % 20 > 12) ^ (n % 11 == 0)}" for n in range(200)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,outcome", *rows]), encoding="utf-8")
    first, seen = seen_of("table:mine"), seen_of("table:mine")  # the second time it is known
    assert first and seen and seen.ceiling
    assert sum("without noise" in one for one in seen.gives) == 1
    assert 0.5 < seen.guessing < goal(seen) / 100 < seen.ceiling < 1
    assert seen_of("digits") is None
