"""Runs are taken away as files, and the settings in such files are opened as drafts."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core.cost.seconds import USUAL
from ldp_core.errors import UnknownJob
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import carry, drafts, permissions, queue
from pages.parts.runs import take_away
from pages.parts.watch.report import report
from tests.pages.conftest import drawn
from tests.runs.carry.exports import export_of, files_of
from tests.runs.in_process import trained

pytestmark = pytest.mark.usefixtures("runs_dir")


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


def test_settings_trained_here_show_the_stored_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("streamlit.switch_page", lambda _: None)
    draft = Draft(parse({"rounds": 1, "attack": None}), (Variant("run"),))
    job = trained(draft, reference=True)
    app = given("program.py", carry.as_script(job.id).encode())
    app.button[0].click().run()
    newest, _ = queue.find()
    assert (newest.status, newest.keys) == ("completed", job.keys)
    assert newest.draft == app.query_params["draft"]


def test_attack_opens_with_its_ladder(monkeypatch: pytest.MonkeyPatch):
    pages = list[str]()
    monkeypatch.setattr("streamlit.switch_page", pages.append)
    app = given("attack.zip", export_of("attack"))
    app.button[0].click().run()
    assert pages[0] == "attack.py"
    assert (drafts.ladder_of(app.query_params["draft"]) or {})["images"] == 2


def test_file_and_link_without_settings_get_a_sentence():
    app = given("notes.zip", b"<!doctype html>")
    assert r"notes\.zip" in app.error[0].value
    app.text_input[0].set_value("https://studio.example.org/train").run()
    assert "the link" in app.error[0].value
    assert not app.button


def test_run_on_drawings_cannot_be_exported():
    job = queue.get(queue.add("run", {"draft": {}, "drawings": [[1, ""]]}))
    assert all("drawn in a class" in take_away._refused(job, ending) for ending in take_away.LABELS)
    own = queue.get(queue.add("run", {"draft": {}}, owner="anna", room="hers"))
    assert "your browser alone" in take_away._refused(own, ".py")
    assert not take_away._refused(own, ".zip")
