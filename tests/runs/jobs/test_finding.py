"""Runs are found by what they are called and by what they came to, a thousand of them in a moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import InvalidInput, NotYours
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs.finding import Wanted, lines
from ldp_core.runs.kinds import run as kind_of_training
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.queue.people import Person
from ldp_core.runs.storage.locks import Held
from tests.pace import of_cpu
from tests.runs.in_process import compute, queued, take, trained

DRAFT = parse_draft({"rounds": 2, "attack": None, "name": "a plain one"}).as_json()


def made_up(name: str, accuracy: float | None, epsilon: float | None, hits: float | None = None) -> str:
    identity = queue.add("run", {"draft": DRAFT | {"base": DRAFT["base"] | {"name": name}}}, None, "me")
    assert take(identity)
    assert queue.move(identity, "completed")
    figures: dict[str, Any] = {"label": "run", "seeds": 1, "accuracy": accuracy, "epsilon": epsilon}
    if hits is not None:
        figures |= {"hits": hits, "attempts": 10, "chance": 0.05}
    queue.note_figures(identity, [figures])
    return identity


def names(wanted: Wanted) -> list[str]:
    return [line.job.request["draft"]["base"]["name"] for line in lines(wanted)]


def test_by_words_by_limits_and_in_order(runs_dir: Path):
    made_up("low", 0.2, 5.0, 1)
    made_up("High one", 0.9, 50.0)
    made_up("clear", 0.95, None, 0)
    assert names(Wanted()) == ["clear", "High one", "low"]
    assert names(Wanted(text="one high")) == ["High one"]
    assert names(Wanted(order="accuracy")) == ["clear", "High one", "low"]
    assert names(Wanted(order="budget")) == ["low", "High one", "clear"]
    assert names(Wanted(order="leakage")) == ["clear", "low", "High one"]
    assert names(Wanted(accuracy=0.5)) == ["clear", "High one"]
    assert names(Wanted(accuracy=0.5, epsilon=60)) == ["High one"]


def test_a_training_notes_what_it_came_to(runs_dir: Path):
    identity = trained(parse_draft(DRAFT)).id
    noted = lines(Wanted())[0].finals
    assert noted[0].accuracy == jobs.status(identity)["accuracy"]
    assert noted[0].epsilon


def test_what_was_stopped_has_the_figures_of_the_runs_that_had_ended(
    at_work: Held, monkeypatch: pytest.MonkeyPatch
):
    draft = parse_draft({"base": DRAFT["base"], "seeds": 2})
    monkeypatch.setattr(kind_of_training, "drive", stopped_before_the_second_ends)
    job = queued(draft)
    identity = job.id
    assert take(identity)
    with pytest.raises(KeyboardInterrupt):
        compute(job)
    assert lines(Wanted())[0].finals == (), "none before it has ended"
    assert queue.move(identity, "interrupted")
    (figures,) = lines(Wanted())[0].finals
    assert figures.seeds == 2
    assert figures.accuracy


def stopped_before_the_second_ends(*asked: Any) -> Iterator[Turn]:
    for turn in drive(*asked):
        if turn.run == 1 and turn.events[-1]["event"] == "end":
            raise KeyboardInterrupt
        yield turn


def test_a_name_is_its_owners_and_text(runs_dir: Path):
    identity = made_up("plain", 0.5, 1.0)
    with pytest.raises(NotYours):
        jobs.relabel(identity, "mine", "", Person("somebody"))
    with pytest.raises(InvalidInput, match="a name has at most 80 characters; got 81"):
        jobs.relabel(identity, "x" * 81, "")
    jobs.relabel(identity, "<script>", "a note")
    (line,) = lines(Wanted(text="script note"))
    assert (line.job.name, line.job.note) == ("<script>", "a note")
    jobs.relabel(identity, "", "")
    assert lines(Wanted())[0].job.name == ""


def test_a_thousand_are_looked_through_in_a_moment(runs_dir: Path):
    with queue.table.changing() as db:
        text = '{"draft": {"base": {"name": "one of many"}, "variants": [{"label": "a"}]}}'
        told = '[{"label": "a", "seeds": 3, "accuracy": 0.5, "epsilon": 10.0, "delta": 0}]'
        row = "INSERT INTO jobs (id, kind, request, status, created, figures) VALUES (?, 'run', ?, ?, 0, ?)"
        db.executemany(row, [(f"{n:012x}", text, "completed", told) for n in range(1000)])
    wanted = Wanted(text="many", order="accuracy", accuracy=0.1)
    lines(wanted)
    with of_cpu(0.3):  # a sixth of that was measured
        assert len(lines(wanted)) == 1000
