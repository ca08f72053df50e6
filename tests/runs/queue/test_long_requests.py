"""Requests of 60 000 clients: a list of jobs does not read them, and whoever needs one has it whole."""

from typing import Any

import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs.listing import describe, lines
from pages.parts.runs.said import said
from tests.pace import of_cpu

CLIENTS = 60_000
JOBS = 16


def request(seed: int) -> dict[str, Any]:
    budgets = [0.5 + n / CLIENTS for n in range(CLIENTS)]
    base = {"name": "many", "seed": seed, "rounds": 3, "clients": {"count": CLIENTS, "epsilon": budgets}}
    variants = [{"label": "one"}, {"label": "two", "set": {"aggregator.name": "mean"}}]
    return {"draft": {"base": base, "variants": variants}, "reference": True}


@pytest.fixture
def many(no_worker: None) -> list[str]:
    return [queue.add("run", request(seed), owner=f"{seed:016x}") for seed in range(JOBS)]


def test_list_of_long_requests_is_read_within_a_second(many: list[str]):
    """A hundred of them kept the page of runs for 51 s."""
    with of_cpu(1):
        found = lines()
        assert [line.job.id for line in found] == many[::-1]
        recorded = [describe(line.job) for line in found]
        assert {(one.name, one.rounds, one.state, one.in_words()) for one in recorded} == {
            ("many", 3, "queued", "many")
        }
        words, *_ = [said.__wrapped__(one.job.id, one.job) for one in recorded]  # type: ignore[attr-defined]
        assert words.asked == "60\u202f000 clients, each with values of its own"
        assert words.compared == "one, two"
        assert [job.id for job in queue.in_turn()] == many
        assert queue.claim(0) is None


def test_full_request_is_read_on_demand(many: list[str]):
    job = queue.get(many[3])
    assert job.request == request(3)
    assert job.brief["draft"]["base"]["clients"] == {"count": CLIENTS, "epsilon": "60000 values"}
    with pytest.raises(InvalidExperiment):  # so a program of before trains nothing else in its place
        parse_draft(job.brief["draft"])
    assert queue.move(job.id, "cancelled")
    gone = queue.get(job.id)
    jobs.delete(job.id, for_good=True)
    assert gone.request == {}, "it goes with its job"
