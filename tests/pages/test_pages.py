"""What is damaged, gone or failed is said on the page that needs it, and what can be done is offered."""

import pytest
from plotly.offline import get_plotlyjs_version
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import queue
from ldp_core.runs.record import drafts, quota
from pages.parts.ui.components import WEB, version
from tests.conftest import ROOT
from tests.pages.conftest import Opened
from tests.runs.in_process import queued, record_of, recorder_of

DRAFT = presets.get("two_volunteers").draft


def said(app: AppTest) -> str:
    parts = (app.error, app.warning, app.info, app.caption, app.markdown, app.toast)
    return " ".join(one.value for part in parts for one in part).replace("\\", "")


def labels(app: AppTest) -> set[str]:
    return {one.label for one in app.button}


def test_damaged_ladder_does_not_close_its_drafts_attack_page(opened: Opened):
    draft = drafts.new(DRAFT)
    job = queued(Ladder(base=DRAFT.base).as_json(), "attack", draft=draft)
    queue.cancel(job.id)
    record_of(job).parent.mkdir(parents=True, exist_ok=True)
    record_of(job).write_bytes(b"no database at all, " * 500)
    app = opened("attack", draft=draft)
    assert f"{record_of(job).name} in the folder of runs cannot be used" in said(app)
    assert "Attack again" in labels(app)


def test_removed_record_offers_to_train_again(opened: Opened):
    draft = drafts.new(DRAFT)
    job = queued(DRAFT, reference=True, draft=draft)
    queue.cancel(job.id)
    recorder_of(job).close()
    assert job.id in [one.job.id for one in quota.prune(0)]
    app = opened("train", draft=draft)
    assert "removed to make room" in said(app)
    assert "Train again" in labels(app) and "Go on where it stopped" not in labels(app)


def test_failed_run_says_why_and_is_trained_again(opened: Opened):
    draft = drafts.new(DRAFT)
    queue.move(queue.add("run", {"draft": DRAFT.as_json()}, draft), "running")
    assert queue.move(queue.find()[0].id, "failed", "group 1 has 700 clients")
    app = opened("train", draft=draft)
    assert "group 1 has 700 clients" in said(app) and "Train again" in labels(app)


@pytest.mark.parametrize("parameter", ["draft", "share"])
def test_unknown_link_opens_the_default_with_a_word(parameter: str, opened: Opened):
    app = opened("train", **{parameter: "0123456789ab"})
    assert "here is the default" in said(app)


SVG = "http://www.w3.org/2000/svg"
"""The name of a language, which is not fetched."""


def test_plotly_js_is_of_the_version_of_the_python_package():
    with (ROOT / "assets" / "plotly" / "plotly-cartesian.min.js").open(encoding="utf-8") as file:
        head = file.read(200)
    assert f"v{get_plotlyjs_version()}" in head
    assert "MIT" in (ROOT / "assets" / "plotly" / "LICENSE").read_text(encoding="utf-8")


def test_no_script_asks_another_host():
    for file in [*WEB.glob("*.js"), *WEB.glob("*.css"), ROOT / "assets" / "studio.css"]:
        written = file.read_text(encoding="utf-8").replace(SVG, "")
        assert "http" not in written, file.name
    assert len(version()) == 8


KINDS = ("shuffled", "secure_sum", "central")


@pytest.mark.parametrize("kind", KINDS[1:])
def test_chosen_trust_reports_fields_set_along(kind: str, opened: Opened):
    identity = drafts.new(presets.get("two_volunteers").draft)
    app = opened("train", draft=identity)
    next(one for one in app.selectbox if one.label == "Whom do you trust?").set_value(kind).run()
    assert not app.exception and not app.error
    assert not app.button(key="train").disabled
    said = "budgets Two volunteers → ε 8 for all and one ε covers one weight → a person's whole run"
    assert any(said in one.value for one in app.caption)
    drafts.undo(identity)
    app.run()
    assert not any(said in one.value for one in app.caption), "what was taken back"
