"""The way to an answer is drawn as it goes, from nothing to all runs."""

import pytest

from ldp_core.runs.view.cells import SearchProgress
from ldp_core.tuning import parse_question
from pages.parts.tune.answer import _none, way_figure
from tests.pages.charts.test_base import check


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


def page() -> None:
    import json
    from dataclasses import replace

    import streamlit as st

    from ldp_core.experiment.sweep import parse_sweep
    from ldp_core.runs.record import pilots
    from pages.parts.tune.found import settings
    from pages.parts.tune.view import PLANNED, _cell, _opened

    sweep = parse_sweep({"grid": {"clients.epsilon": [1, 2], "rounds": [5, 10]}, "seeds": 1})
    st.session_state[_cell(PLANNED)] = 1
    found = settings(sweep, {})
    pilots.give_up(pilots.PilotRequest("anna", json.dumps([one.experiment.as_json() for one in found]), 0.0))
    found[1] = replace(found[1], **st.session_state["came_to"])
    _opened(sweep, found, PLANNED)
