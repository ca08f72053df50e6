"""The table of runs: a row a run with its figures, ticked by id."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.runs import page as listed
from ldp_core.runs import queue
from ldp_core.runs.queue.permissions import Person
from pages.parts.runs import table
from pages.parts.runs.table import TICKED
from tests.pages.conftest import drawn
from tests.runs.in_process import take

DRAFT = presets.get("two_volunteers").draft


def ended(rounds: int, *accuracies: float, epsilon: float | None) -> str:
    draft = DRAFT.with_base({"rounds": rounds})
    identity = queue.add("run", {"draft": draft.as_json()}, owner="me")
    assert take(identity)
    assert queue.move(identity, "completed")
    labels = (variant.label for variant in draft.variants)
    figures = [
        {"label": label, "seeds": 1, "accuracy": one, "epsilon": epsilon, "delta": 1e-5, "curve": [0.1, one]}
        for label, one in zip(labels, accuracies, strict=False)
    ]
    figures[0] |= {"hits": 3, "attempts": 10, "chance": 0.1}
    queue.update(identity, figures=figures)
    return identity


def page() -> None:
    from pages.parts.runs.job_list import job_list

    job_list(lambda identity, who: b"")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other


def test_row_has_name_curve_and_figures_of_its_variants(runs_dir: Path):
    ended(7, 0.2, 0.9, epsilon=2.501)
    ended(15, 0.3, epsilon=None)
    rows = drawn(page).dataframe[0].value.replace({math.nan: None}).to_dict("records")
    newest, first = rows
    assert first["Run"] == "Two volunteers among twenty: rounds 15 → 7"
    assert (first["Best accuracy"], first["Least accuracy"]) == (0.9, 0.2)
    assert [*first["Best by round"]] == [0.1, 0.9]
    assert (first["Picked out"], first["By guessing"]) == (0.3, 0.1)
    assert first["ε of the run"] == 2.51, "a bound is rounded up"
    assert "some" in first["Promises"] and "server" in first["Promises"]
    assert newest["ε of the run"] is None and newest["Promises"] == "nothing"


def test_variant_without_a_bound_leaves_the_row_without_one(runs_dir: Path):
    identity = ended(7, 0.2, 0.9, epsilon=2.5)
    (line,) = listed(1, 50).lines
    queue.update(
        identity, figures=[line.finals[0].as_json(), replace(line.finals[1], epsilon=None).as_json()]
    )
    (row,) = drawn(page).dataframe[0].value.to_dict("records")
    assert math.isnan(row["ε of the run"] or math.nan)
    assert "nothing" in row["Promises"]


def test_tick_follows_its_run_when_a_newer_one_arrives(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    identity = ended(7, 0.2, epsilon=2.5)
    app = drawn(page, **{TICKED: [identity]})
    assert app.session_state[table.KEY]["selection"]["rows"] == [0]
    ended(15, 0.3, epsilon=None)
    assert app.run().session_state[table.KEY]["selection"]["rows"] == [1]
    labels = {one.label for one in app.button}
    assert "Untick all" in labels
    assert not {"Pin", "Delete"} & labels, "it is somebody else's"
    monkeypatch.setattr("pages.parts.runs.job_list.visitor", lambda: Person("me"))
    assert {"Pin", "Delete"} <= {one.label for one in app.run().button}


@pytest.mark.parametrize("rows", [None, 5, "x", [["0"]], [{}], [True], [-1], [7], ["0"]])
def test_malformed_selection_ticks_no_run(rows: Any, monkeypatch: pytest.MonkeyPatch):
    """Any visitor may send any JSON; a callback that raises ends the script run."""
    state: dict[str, Any] = {
        table.KEY: {"selection": {"rows": rows}},
        table.PLACES: [("run", "1"), ("run", "2")],
        TICKED: ["1", "of another page"],
    }
    monkeypatch.setattr("streamlit.session_state", state)
    table._select()
    assert state[TICKED] == ["of another page"]
