"""The table of runs: a row a run with its figures, sorted by its heads, opened where its kind is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.queue.permissions import Person
from pages.parts.runs import table
from pages.parts.runs.ticks import TICKED, follow
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


def test_rows_have_names_curves_and_figures_and_stand_in_the_order_of_a_head(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    good, poor = ended(7, 0.2, 0.9, epsilon=2.5), ended(15, 0.3, epsilon=None)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "pages.parts.ui.components.draw", lambda name, data, **_: sent.append(json.loads(json.dumps(data)))
    )
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
    app = drawn(page)
    newest, first = sent[-1]["rows"]
    assert [newest["id"], first["id"]] == [poor, good]
    assert first["name"] == "Two volunteers among twenty: rounds 15 → 7"
    assert (first["accuracy"], first["which"]) == ("20\u202f% – 90\u202f%", "1/σ")
    assert first["epsilon"] == ["2.5", "promises some (δ 10⁻⁵)"]
    assert first["picked"] == ["30\u202f%", "guessing 10\u202f%"]
    assert [curve["values"] for curve in first["curves"]] == [[0.1, 0.2], [0.1, 0.9]]
    assert newest["epsilon"] == ["no bound", "promises nothing"]
    said = " ".join(one.value for one in app.caption)
    assert "against a server that sees each upload" in said and "2 runs fit." in said
    app.session_state["order of runs"] = "accuracy"
    app.run()
    assert [row["id"] for row in sent[-1]["rows"]] == [good, poor]
    assert [head["sorted"] for head in sent[-1]["heads"] if head["by"] == "accuracy"] == ["descending"]
    app.session_state["ticked runs"] = [good]
    labels = {one.label for one in app.run().button}
    assert "Untick all" in labels
    assert not {"Pin", "Delete"} & labels, "it is somebody else's"
    monkeypatch.setattr("pages.parts.runs.job_list.visitor", lambda: Person("me"))
    assert {"Pin", "Delete"} <= {one.label for one in app.run().button}


HARMLESS = "run", "nothing", "1"


@pytest.mark.parametrize(
    "value",
    [None, 5, "x", [], ["run"], ["nothing", "1"], [["run"], "1"], ["run", "\ud800"], {"a": 1}],
)
def test_what_no_table_sends_changes_nothing(value: Any, monkeypatch: pytest.MonkeyPatch):
    """Any visitor may send any JSON; a callback that raises ends the script run."""
    state: dict[str, Any] = {table.KEY: dict.fromkeys(("sorted", "opened", "ticked"), value), TICKED: ["1"]}
    monkeypatch.setattr("streamlit.session_state", state)
    for callback in (table._sorted, table._opened, follow(table.KEY)):
        callback()
    kept = [one for one in value if one in HARMLESS] if isinstance(value, list) else ["1"]
    assert state.pop(TICKED) == kept
    assert state.keys() == {table.KEY}
