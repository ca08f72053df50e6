"""A run is brought back on a page, from a ZIP, and does not go on there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ldp_core.errors import UnknownJob
from ldp_core.events import event_of
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import carry, kinds, permissions, queue
from pages.parts.runs import take_away
from pages.parts.watch.report import report
from tests.pages.conftest import Opened, drawn
from tests.runs.carry.foreign import Body, edited, export_of, unzipped, with_events, with_job, zipped
from tests.runs.in_process import trained

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_a_private_report_is_its_owners_and_asks_nothing_of_the_session(caplog: pytest.LogCaptureFixture):
    owner, stranger = (permissions.person(letter * 32) for letter in "ab")
    draft = Draft(parse({"rounds": 1, "attack": None}), (Variant("run"),))
    job = trained(draft, owner=owner.owner, room="a" * 16)
    assert report(job.id, owner).startswith(b"<!doctype html>") and caplog.records == []
    with pytest.raises(UnknownJob):
        report(job.id, stranger)


def bringing() -> None:
    from pages.parts.runs.take_away import bring_in

    bring_in()


NAMED = {
    *("run", "at", "round", "client", "cell", "seed", "half", "epsilon", "targets", "cells", "participants"),
    *("held_out", "iterations", "experiment", "ladder", "departures", "shape"),
}
"""Fields that are held against the request, or against others."""


def figures_of(body: Any) -> Iterator[tuple[Any, Any]]:
    """Where the other numbers of an event stand: what holds them, and their names there."""
    for name, value in [*(body.items() if isinstance(body, dict) else enumerate(body))]:
        if name not in NAMED and isinstance(value, dict | list):
            yield from figures_of(value)
        elif name not in NAMED and isinstance(value, float | int) and not isinstance(value, bool):
            yield body, name


@pytest.mark.parametrize("value", [1e300, 0, 0.0])
@pytest.mark.parametrize(("kind", "page"), [("run", "train"), ("attack", "attack"), ("tune", "tune")])
def test_whatever_is_taken_can_be_shown(kind: str, page: str, value: float, opened: Opened):
    made, files = kinds.get(kind), unzipped(export_of(kind))
    asked = made.parse(json.loads(files["job.json"])["request"])
    known = made.telling(asked, list(made.recorded(asked))).kinds

    def edit(emitted: list[Body]) -> None:
        for body in emitted:
            for held, name in figures_of(body):
                before, held[name] = held[name], value
                try:
                    event_of({name: one for name, one in body.items() if name not in ("run", "at")}, known)
                except ValueError:
                    held[name] = before

    identity = carry.import_zip(zipped(edited(files, edit)))
    with np.errstate(all="ignore"):
        opened(page, job=identity)


def watching() -> None:
    import streamlit as st

    from ldp_core.runs import queue
    from pages.parts.watch.watch_only import own_bar

    own_bar(queue.get(st.session_state["job"]), None, "", "")


def brought(name: str, content: bytes) -> AppTest:
    app = drawn(bringing)
    app.file_uploader[0].set_value((name, content, "application/zip")).run()
    assert not app.exception
    return app


def test_it_is_theirs_and_counts_for_their_address():
    app = brought("run.zip", export_of("run"))
    (job,) = queue.find()
    assert [one.value for one in app.success] == [f"run\\.zip is here as run {job.id}, marked as imported."]
    assert job.imported
    assert job.owner
    assert job.address


def test_what_is_none_gets_a_sentence():
    app = brought("report.zip", b"<!doctype html>")
    assert r"Nothing of report\.zip was taken: this is no ZIP file" in app.error[0].value
    assert queue.find() == []


def test_one_that_had_not_ended_has_no_button_to_go_on(runs_dir: Path):
    files = unzipped(export_of("run"))
    request = json.loads(files["job.json"])["request"]
    brought("run.zip", zipped(with_events(with_job(files, status="interrupted"), b"")).getvalue())
    (foreign,) = queue.find()
    own = queue.add("run", request)
    queue.cancel(own)
    assert queue.get(own).status == foreign.status == "cancelled"
    assert [len(drawn(watching, job=identity).button) for identity in (own, foreign.id)] == [1, 0]


def test_what_trained_on_drawings_is_in_no_form_to_take_away():
    job = queue.get(queue.add("run", {"draft": {}, "drawings": [[1, ""]]}))
    assert all("drawn in a class" in take_away._refused(job, ending) for ending in take_away.LABELS)
    own = queue.get(queue.add("run", {"draft": {}}, owner="anna", room="hers"))
    assert "your browser alone" in take_away._refused(own, ".py")
    assert not take_away._refused(own, ".zip")
