"""Train's first lines: whose question it asks, and which run it shows for settings that none was of."""

from __future__ import annotations

import json

import pytest

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.runs.job import Job
from pages.parts.chosen_job import closest
from pages.parts.launch import question_of

DRAFT = presets.get("two_volunteers").draft


def job(identity: str, draft: Draft) -> Job:
    request = {"draft": draft.as_json(), "reference": True}
    text = json.dumps(request)
    return Job(identity, "run", "a draft", text, "completed", "", 0.0, None, None, None, 0)


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({}, True),
        ({"rounds": 3, "mechanism.name": "duchi"}, True),
        ({"clients.epsilon": 1.0}, False),
        ({"clients.count": 30}, False),
        ({"partition.kind": "dirichlet"}, False),
    ],
)
def test_a_question_is_asked_while_it_is_about_these_clients(change: dict[str, object], asked: bool):
    assert bool(question_of(DRAFT.with_base(change))) is asked


def test_no_scenario_has_no_question():
    assert question_of(DRAFT.with_base({"name": "my own"})) == ""


def test_the_run_that_differs_least_is_shown():
    far = DRAFT.with_base({"rounds": 40, "mechanism.name": "duchi", "clients.epsilon": 2.0})
    prepared, other = job("prepared", DRAFT), job("other", presets.get("half_and_half").draft)
    found = [job("far", far), other, job("again", DRAFT), prepared]
    shown = closest(found, DRAFT.with_base({"local.epochs": 2}))
    assert shown is not None
    assert shown.id == "again", "the newest of those that are as close"
    exact = closest(found, far)
    assert exact is not None
    assert exact.id == "far"
    assert closest([other], DRAFT) is None
