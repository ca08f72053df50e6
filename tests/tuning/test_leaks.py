"""The largest ε that leaks no more than is allowed is narrowed from both sides, and bounds the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ldp_core.datasets import quiet
from ldp_core.errors import InvalidExperiment, InvalidInput
from ldp_core.limits import LADDER_RUNGS
from ldp_core.runs.kinds.tune import search
from ldp_core.tuning import Point, answer_of, next_points, parse_question
from ldp_core.tuning import question as question_file
from ldp_core.tuning.leaks import Leak, allowed, bounded, leaks_of, next_rungs
from ldp_core.tuning.question import Question


def asked(**more: Any) -> Question:
    return parse_question({"accuracy": 0.8, "ranges": [0.5, 1], "identification": 0.3, **more})


def leaking(half: float, epsilon: float) -> Leak:
    """More from a narrow range; never less than guessing."""
    share = 0.1 + 0.9 * min(1.0, epsilon / (4 * half))
    return Leak(half, epsilon, share, min(1.0, share + 0.05))


def measured(question: Question) -> list[Leak]:
    found = list[Leak]()
    for half in question.ranges:
        while rungs := next_rungs(question, found, half):
            assert len(rungs) <= LADDER_RUNGS.maximum
            assert not {(one.half, one.epsilon) for one in found} & {(half, rung) for rung in rungs}
            found += [leaking(half, rung) for rung in rungs]
    return found


def test_the_limit_is_narrowed_from_both_sides():
    question = asked()
    for half, most in bounded(question, measured(question)).caps:
        true = 4 * half * 0.15 / 0.9  # where 0.1 + 0.9 ε/(4τ) + 0.05 is 0.3
        assert true / question.precision <= most <= true
    assert bounded(asked(identification=None), []) == asked(identification=None)


def test_an_answer_stays_below_it():
    question = bounded(asked(), measured(asked()))
    assert {half: question.most(half) for half in question.ranges} == dict(question.caps)
    known: dict[Point, float] = {}
    while wanted := next_points(question, known):
        assert all(p.epsilon is None or p.epsilon <= question.most(p.half) for p in wanted)
        known |= {p: 0.9 if (p.epsilon or 1.0) > 0.2 else 0.5 for p in wanted}
    answer = answer_of(question, known)
    assert answer.epsilon is not None and answer.half is not None
    assert 0.2 < answer.epsilon <= question.most(answer.half)
    assert "in at most 30.0% of single uploads" in answer.why
    low = answer_of(question, dict.fromkeys(known, 0.5))
    assert low.epsilon is None and "up to ε" in low.why and "with ±0.5, ε" in low.why


def test_a_range_of_which_nothing_is_allowed_is_left_out():
    question = asked()
    over = [Leak(0.5, 0.02, 0.5, 0.6), Leak(0.5, 1.0, 0.2, 0.25), Leak(1.0, 0.02, 0.1, 0.2)]
    assert allowed(question, over, 0.5) is None, "one that is lucky above it does not count"
    assert next_rungs(question, over, 0.5) == []
    assert bounded(question, over).ranges == (1.0,)
    with pytest.raises(InvalidInput, match="with every range an attacker picks more than 30"):
        bounded(question, over[:2])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"identification": 0.1}, "must be a share above 0.1, which guessing among ten gives"),
        ({"identification": 1}, "and below 1, like 0.3, or null; got 1"),
        (
            {"base": {"clients": {"epsilon_scope": "upload"}}},
            "set clients.epsilon_scope to mechanism",
        ),
    ],
)
def test_a_limit_that_cannot_be_meant_is_a_sentence(changes: dict[str, Any], words: str):
    with pytest.raises(InvalidExperiment, match=words):
        asked(**changes)


def test_what_leaks_is_measured_before_anything_is_trained(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(question_file, "IMAGES", 12)
    monkeypatch.setattr(question_file, "ATTACKED", 20)
    question = replace(asked(ranges=[1], base={"rounds": 1}, accuracy=0.2), precision=2.0, seeds=3)
    assert list(question.attacked) == [0, 1]
    events = list(search(question, [], quiet))
    leaks = leaks_of(events)
    assert [event["event"] for event in events[: len(leaks)]] == ["leak"] * len(leaks)
    shares = {one.epsilon: one.share for one in leaks}
    assert shares[min(shares)] < 0.5 and shares[max(shares)] > 0.9
    assert events[-1]["event"] == "answer"
    assert list(search(question, events[:-1], quiet))[-1]["why"] == events[-1]["why"], "it goes on"
