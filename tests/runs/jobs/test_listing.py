"""The list of runs: final figures, equal runs in one line, a thousand or very long ones in a moment."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import InvalidExperiment, InvalidInput
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs.listing import describe, page
from ldp_core.runs.kinds import run as kind_of_training
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.storage.locks_and_heartbeats import Held
from pages.parts.runs.said import said
from tests.pace import of_cpu
from tests.runs.in_process import compute, queued, take, trained

DRAFT = parse_draft({"rounds": 2, "attack": None, "name": "a plain one"}).as_json()


def made_up(name: str, accuracy: float | None, epsilon: float | None, hits: float | None = None) -> str:
    identity = queue.add("run", {"draft": DRAFT | {"base": DRAFT["base"] | {"name": name}}}, None, "me")
    assert take(identity)
    assert queue.move(identity, "completed")
    figures = {"label": "run", "seeds": 1, "accuracy": accuracy, "epsilon": epsilon}
    tries = {} if hits is None else {"hits": hits, "attempts": 10, "chance": 0.05}
    queue.update(identity, figures=[figures | tries])
    return identity


def test_finished_training_notes_its_finals(runs_dir: Path):
    identity = trained(parse_draft(DRAFT)).id
    (noted,) = page(1, 50).lines[0].finals
    assert noted.epsilon and noted.accuracy == jobs.status(identity)["accuracy"]
    assert len(noted.curve) == DRAFT["base"]["rounds"] + 1
    assert noted.curve[-1] == pytest.approx(noted.accuracy, abs=1e-4)


SWEEP = {"base": {"rounds": 5, "attack": None}, "grid": {"clients.epsilon": [0.01, 100]}}
LADDER = {"epsilons": [0.01, 500], "mechanisms": ["laplace"], "images": 2}


@pytest.mark.parametrize(
    ("kind", "asked", "words"),
    [
        ("sweep", SWEEP, "first of 2 (1 other may be as good): ε 100"),
        ("sweep", SWEEP | {"grid": {"clients.epsilon": [0.01, 0.02]}}, "nothing learns"),
        ("tune", kinds.get("tune").smallest, "30.0\u202f% from ε "),
        ("attack", LADDER, "Laplace from ε 500 on"),
    ],
)
def test_finals_of_other_kinds_are_noted(kind: str, asked: dict[str, Any], words: str, runs_dir: Path):
    trained(asked, kind)
    (line,) = page(1, 50).lines
    (final,) = line.finals
    assert words in final.answer
    if kind != "attack" and "nothing" not in words:
        assert (final.accuracy or 0) > 0.25
        assert (final.epsilon or 0) > 1, "of a whole run of many weights"


def test_stopped_job_keeps_figures_of_ended_runs(at_work: Held, monkeypatch: pytest.MonkeyPatch):
    draft = parse_draft({"base": DRAFT["base"], "seeds": 2})
    monkeypatch.setattr(kind_of_training, "drive", stopped_before_the_second_ends)
    job = queued(draft)
    assert take(job.id)
    with pytest.raises(KeyboardInterrupt):
        compute(job)
    assert page(1, 50).lines[0].finals == (), "none before it has ended"
    assert queue.move(job.id, "interrupted")
    (figures,) = page(1, 50).lines[0].finals
    assert figures.seeds == 1 and figures.accuracy, "of the seed that has ended"


def stopped_before_the_second_ends(*asked: Any) -> Iterator[Turn]:
    for turn in drive(*asked):
        if turn.run == 1 and turn.events[-1]["event"] == "end":
            raise KeyboardInterrupt
        yield turn


def test_a_name_is_its_owners_and_text(runs_dir: Path):
    identity = made_up("plain", 0.5, 1.0)
    with pytest.raises(InvalidInput, match="a name has at most 80 characters; got 81"):
        jobs.relabel(identity, "x" * 81, "")
    jobs.relabel(identity, "<script>", "a note")
    (line,) = page(1, 50).lines
    assert (line.job.name, line.job.note) == ("<script>", "a note")
    jobs.relabel(identity, "", "")
    assert page(1, 50).lines[0].job.name == ""


def test_page_of_five_thousand_runs_is_read_in_a_moment(runs_dir: Path):
    with queue.table.changing() as db:
        text = '{"draft": {"base": {"name": "one of many"}, "variants": [{"label": "a"}]}}'
        came = '[{"label": "a", "seeds": 3, "accuracy": 0.5, "epsilon": 10.0, "delta": 0}]'
        row = "INSERT INTO jobs (id, kind, request, status, created, figures, keys) VALUES "
        each = ((f"{n:012x}", text, came, json.dumps([f"{n // 2:016x}"])) for n in range(5000))
        db.executemany(f"{row} (?, 'run', ?, 'completed', 0, ?, ?)", each)
    page(1, 50)
    with of_cpu(0.15):  # a quarter of that was measured
        last = page(99, 50)
    assert (last.rows, last.jobs) == (2500, 5000)
    assert [(line.job.id, line.equal) for line in last.lines[-2:]] == [(f"{n:012x}", 2) for n in (3, 1)]
    assert last.lines[0].finals[0].accuracy == 0.5 and last.lines[0].job.brief["draft"]


def test_equal_runs_are_one_line_and_ones_own_stands_for_them(runs_dir: Path):
    made = [trained({"rounds": 1, "attack": None}, owner=owner) for owner in ("a", "b", "b", "c")]
    other, named = trained({"rounds": 2, "attack": None}, owner="a"), made[3]
    jobs.relabel(named.id, "mine, and not another's", "", Person("c"))
    newest = [(line.job.id, line.equal) for line in page(1, 50).lines]
    assert newest == [(other.id, 1), (named.id, 1), (made[2].id, 3)]
    assert [(line.job.id, line.equal) for line in page(1, 50, "a").lines][2:] == [(made[0].id, 3)]
    own = page(1, 50, "b", mine=True)
    assert ([line.job.id for line in own.lines], own.jobs, own.others) == ([made[2].id], 2, True)
    assert page(2, 2, "a").lines == page(1, 50, "a").lines[2:]


CLIENTS = 60_000
JOBS = 16


def request(seed: int) -> dict[str, Any]:
    budgets = [0.5 + n / CLIENTS for n in range(CLIENTS)]
    base = {"name": "long_ones", "seed": seed, "rounds": 3, "clients": {"count": CLIENTS, "epsilon": budgets}}
    variants = [{"label": "one"}, {"label": "two", "set": {"aggregator.name": "mean"}}]
    return {"draft": {"base": base, "variants": variants}, "reference": True}


@pytest.fixture
def long_ones(no_worker: None) -> list[str]:
    return [queue.add("run", request(seed), owner=f"{seed:016x}") for seed in range(JOBS)]


def test_list_of_long_requests_is_read_within_a_second(long_ones: list[str]):
    """A hundred of them kept the page of runs for 51 s."""
    with of_cpu(1):
        found = page(1, 50).lines
        assert [line.job.id for line in found] == long_ones[::-1]
        recorded = [describe(line.job) for line in found]
        assert {(one.name, one.rounds, one.state, one.in_words()) for one in recorded} == {
            ("long_ones", 3, "queued", "long_ones")
        }
        words, *_ = [said.__wrapped__(one.job.id, one.job) for one in recorded]  # type: ignore[attr-defined]
        assert words.asked == "60\u202f000 clients, each with values of its own"
        assert words.compared == "one, two"
        assert [job.id for job in queue.in_turn()] == long_ones
        assert queue.claim(0) is None


def test_full_request_is_read_on_demand(long_ones: list[str]):
    job = queue.get(long_ones[3])
    assert job.request == request(3)
    assert job.brief["draft"]["base"]["clients"] == {"count": CLIENTS, "epsilon": "60000 values"}
    with pytest.raises(InvalidExperiment):  # so a program of before trains nothing else in its place
        parse_draft(job.brief["draft"])
    assert queue.move(job.id, "cancelled")
    gone = queue.get(job.id)
    jobs.delete(job.id, for_good=True)
    assert gone.request == {}, "it goes with its job"
