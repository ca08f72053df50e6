"""Runs are taken away as files, and the settings in such files are opened as drafts."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.cost.seconds import USUAL
from ldp_core.errors import UnknownJob
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs import carry, drafts, permissions, queue
from ldp_core.tuning import parse_question
from pages.parts.runs import take_away
from pages.parts.watch.report import report
from tests.calibrated import RATES, calibrated
from tests.pages.conftest import Opened, drawn
from tests.runs.carry.exports import export_of, files_of
from tests.runs.in_process import trained


@pytest.mark.usefixtures("runs_dir")
def test_private_report_is_for_its_owner_only(caplog: pytest.LogCaptureFixture):
    owner, stranger = (permissions.person(letter * 32) for letter in "ab")
    draft = Draft(parse({"rounds": 1, "attack": None}), (Variant("run"),))
    job = trained(draft, owner=owner.owner, room="a" * 16)
    assert report(job.id, owner).startswith(b"<!doctype html>") and caplog.records == []
    with pytest.raises(UnknownJob):
        report(job.id, stranger)


def opening() -> None:
    from pages.parts.runs.take_away import open_file

    open_file()


def given(name: str, content: bytes) -> AppTest:
    app = drawn(opening)
    app.file_uploader[0].set_value((name, content, "application/zip")).run()
    assert not app.exception
    return app


@pytest.mark.usefixtures("runs_dir")
def test_opened_file_becomes_a_draft_with_its_cost_said_before(monkeypatch: pytest.MonkeyPatch):
    pages = list[str]()
    monkeypatch.setattr("streamlit.switch_page", pages.append)
    monkeypatch.setattr("pages.parts.runs.job_state.rates", lambda: USUAL)
    app = given("report.html", files_of()["report.html"])
    assert "takes about" in app.caption[0].value
    app.button[0].click().run()
    assert not app.exception
    assert pages == ["train.py"]
    draft = drafts.load(app.query_params["draft"])
    assert draft is not None and draft.as_json() == json.loads(files_of()["job.json"])["request"]["draft"]
    assert queue.find() == []


@pytest.mark.usefixtures("runs_dir")
def test_settings_trained_here_show_the_stored_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("streamlit.switch_page", lambda _: None)
    draft = Draft(parse({"rounds": 1, "attack": None}), (Variant("run"),))
    job = trained(draft, reference=True)
    app = given("program.py", carry.as_script(job.id).encode())
    app.button[0].click().run()
    newest, _ = queue.find()
    assert (newest.status, newest.keys) == ("completed", job.keys)
    assert newest.draft == app.query_params["draft"]


@pytest.mark.usefixtures("runs_dir")
def test_attack_opens_with_its_ladder(monkeypatch: pytest.MonkeyPatch):
    pages = list[str]()
    monkeypatch.setattr("streamlit.switch_page", pages.append)
    app = given("attack.zip", export_of("attack"))
    app.button[0].click().run()
    assert pages[0] == "attack.py"
    assert (drafts.ladder_of(app.query_params["draft"]) or {})["images"] == 2


@pytest.mark.usefixtures("runs_dir")
def test_file_and_link_without_settings_get_a_sentence():
    app = given("notes.zip", b"<!doctype html>")
    assert r"notes\.zip" in app.error[0].value
    app.text_input[0].set_value("https://studio.example.org/train").run()
    assert "the link" in app.error[0].value
    assert not app.button


@pytest.mark.usefixtures("runs_dir")
def test_run_on_drawings_cannot_be_exported():
    job = queue.get(queue.add("run", {"draft": {}, "drawings": [[1, ""]]}))
    assert all("drawn in a class" in take_away._refused(job, ending) for ending in take_away.LABELS)
    own = queue.get(queue.add("run", {"draft": {}}, owner="anna", room="hers"))
    assert "your browser alone" in take_away._refused(own, ".py")
    assert not take_away._refused(own, ".zip")


DRAFT = presets.get("two_volunteers").draft
BASE = {"base": DRAFT.base.as_json()}
GRID = {"grid": {"clients.epsilon": [1, 2], "clients.range": [0.5, 1]}, "seeds": 3}


@pytest.mark.parametrize(
    ("page", "kind", "request_of"),
    [
        ("train", "run", lambda: {"draft": DRAFT.as_json()}),
        ("attack", "attack", lambda: {"ladder": parse_ladder(BASE).as_json()}),
        ("tune", "sweep", lambda: {"sweep": parse_sweep(BASE | GRID).as_json()}),
        ("tune", "tune", lambda: {"question": parse_question(BASE | {"accuracy": 0.8}).as_json()}),
    ],
)
def test_results_of_earlier_settings_are_faint_and_said_to_be(
    page: str, kind: str, request_of: Any, opened: Opened
):
    identity = drafts.new(DRAFT)
    queue.cancel(queue.add(kind, request_of(), identity))

    def said() -> tuple[bool, bool]:
        app = opened(page, draft=identity)
        faint = any("opacity" in one.proto.body for one in app.get("html"))
        result = "**The results below are of earlier settings**, so drawn faintly until pointed at"
        return faint, any(result in one.value for one in app.caption)

    assert said() == (False, False)
    drafts.update(identity, lambda draft: draft.with_base({"local.epochs": 3}))
    assert said() == (True, True)
    app = opened(page, draft=identity)
    words = [str(getattr(one, "value", "")) for one in app.main if one.type in ("title", "caption")]
    note = next(i for i, one in enumerate(words) if "results below are of earlier" in one)
    assert note > words.index(app.title[0].value), "in the line of buttons its length would move these"


@pytest.mark.parametrize("page", ["attack", "tune"])
def test_recalibration_allows_a_refused_launch(page: str, opened: Opened, runs_dir: Path):
    slow = json.dumps(dict.fromkeys(asdict(RATES), 1000.0))
    (calibrated(runs_dir) / "calibration.json").write_text(slow)
    app = opened(page)
    assert any("one job may take" in one.value for one in app.error)
    calibrated(runs_dir)
    assert not app.run().error
