"""What the list of runs says of each, so that two of them are distinct."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from ldp_core import presets
from ldp_core.datasets import Step
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.kinds import Words
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import Reporter
from pages.parts.runs.said import _places, said, state
from pages.parts.runs.said import in_words as in_words_of

DRAFT = presets.get("two_volunteers").draft


def in_words(kind: str, request: dict[str, Any]) -> Words:
    return in_words_of(kind, kinds.get(kind).parse(request))


def test_run_line_lists_comparison_and_budgets():
    found = in_words("run", {"draft": DRAFT.as_json(), "reference": True})
    assert found == Words(
        "Two volunteers among twenty",
        f"9 runs and one without noise, {DRAFT.base.rounds} rounds each",
        "Piecewise: mean, 1/σ, 1/σ²",
        "20 clients: 18 ask for ε 0.5, 2 for ε 8 per weight",
    )


def test_a_request_of_another_version_keeps_its_name():
    request = {"draft": {"base": {"name": "older", "a field of then": 1, "rounds": 3}, "seeds": 1}}
    job = SimpleNamespace(kind="run", request=request, brief=request, long=False)
    assert said("a job", cast(Job, job)) == Words("older")


def test_job_state_states_its_progress(runs_dir: Path):
    request = {"draft": DRAFT.as_json(), "reference": True}
    first, second, third = (queue.add("run", request) for _ in range(3))
    assert queue.claim()

    def states() -> list[str]:
        _places.clear()
        return [state(describe(queue.get(identity))) for identity in (first, second, third)]

    folder = queue.get(first).folder
    folder.mkdir(parents=True)
    assert states()[0] == "running", "nothing is reported yet"
    Reporter(folder)(Step("", 4.5, 15, "rounds"))
    assert states() == ["running, 4 of 15 rounds", "queued, 1 before it", "queued, 2 before it"]
    queue.cancel(first)
    queue.cancel(second)
    assert states() == ["cancelling, 4 of 15 rounds", "stopped", "queued, 1 before it"]
    assert queue.move(first, "cancelled")
    assert states() == ["stopped", "stopped", "queued"]
