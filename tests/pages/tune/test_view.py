"""The cell of a sweep that was opened: what is said of it before it was trained, and after."""

from typing import Any

import pytest

from tests.pages.conftest import drawn


def page() -> None:
    from dataclasses import replace

    import streamlit as st

    from ldp_core.experiment.sweep import parse_sweep
    from pages.parts.tune.found import settings
    from pages.parts.tune.view import PLANNED, _cell, _opened

    few = {"dataset": "mnist_sample"}  # of which the rule of thumb says nothing
    sweep = parse_sweep({"base": few, "grid": {"clients.epsilon": [1, 2], "rounds": [5, 10]}, "seeds": 1})
    st.session_state[_cell(PLANNED)] = 1
    found = settings(sweep, {})
    found[1] = replace(found[1], **st.session_state["came_to"])
    _opened(sweep, found, PLANNED)


@pytest.mark.parametrize(
    ("came_to", "asks"), [({}, True), ({"accuracies": (0.5,)}, False), ({"failed": "diverged"}, False)]
)
def test_only_a_cell_that_was_not_trained_asks_to_be(came_to: dict[str, Any], asks: bool):
    app = drawn(page, came_to=came_to)
    (expected,) = (one.value for one in app.markdown if "Expected before training" in one.value)
    assert ("press Train" in expected) is asks
    assert "unknown" in expected
