"""The largest ε that leaks no more than is allowed is narrowed from both sides, and bounds the answer."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_core.datasets import quiet
from ldp_core.errors import InvalidExperiment
from ldp_core.limits import LADDER_RUNGS
from ldp_core.runs.kinds.tune import search
from ldp_core.tuning import DesignRun, answer_of, next_points, parse_question
from ldp_core.tuning import question as question_file
from ldp_core.tuning.leaks import UPLOADS, Leak, bounded, leaks_of, next_uploads, pooled
from ldp_core.tuning.question import Cap, Question


def asked(**more: Any) -> Question:
    return parse_question({"accuracy": 0.8, "ranges": [0.5, 1], "identification": 0.3, **more})


def share(half: float, epsilon: float) -> float:
    """More from a narrow range; never less than guessing."""
    return 0.1 + 0.9 * min(1.0, epsilon / (4 * half))


def measured(question: Question, seed: int = 3) -> list[Leak]:
    generator, found = np.random.default_rng(seed), list[Leak]()
    for half in question.ranges:
        while wanted := next_uploads(question, found, half):
            assert len(wanted) <= LADDER_RUNGS.maximum
            for epsilon, blocks in wanted.items():
                made = sum(one.blocks for one in found if (one.half, one.epsilon) == (half, epsilon))
                assert blocks.start == made, "each block once"
                hits = generator.binomial(72 * len(blocks), share(half, epsilon))
                found.append(Leak(half, epsilon, hits, 72 * len(blocks), len(blocks)))
    return found


def test_identification_cap_is_bracketed():
    """The seed is fixed: of others, one in twenty has an interval that errs."""
    question = asked()
    leaks = measured(question)
    for cap in bounded(question, leaks).caps:
        true = 4 * cap.half * 0.2 / 0.9  # where 0.1 + 0.9 ε/(4τ) is 0.3
        assert cap.most is not None and cap.above is not None
        assert cap.most < true < cap.most * 1.25
        assert cap.above <= cap.most * question.precision * 1.01
        most = max(one.made for one in pooled(leaks, cap.half))
        far = [one.made for one in pooled(leaks, cap.half) if not 0.15 < one.share < 0.45]
        assert set(far) == {72} and 500 < most <= UPLOADS, "few uploads far from the limit, many near it"
    assert bounded(asked(identification=None), []) == asked(identification=None)


def test_answer_stays_below_the_identification_cap():
    question = bounded(asked(), measured(asked()))
    assert {half: question.most(half) for half in question.ranges} == {c.half: c.most for c in question.caps}
    known: dict[DesignRun, float] = {}
    while wanted := next_points(question, known):
        assert all(p.epsilon <= question.most(question.ranges[p.design]) for p in wanted)
        known |= {p: 0.9 if p.epsilon > 0.2 else 0.5 for p in wanted}
    answer = answer_of(question, known)
    assert answer.epsilon is not None and answer.half is not None
    assert 0.2 < answer.epsilon <= question.most(answer.half)
    assert "in at most 30.0\u202f% of single uploads" in answer.why


def test_open_cap_gives_no_settled_negative_answer():
    question = replace(asked(ranges=[1]), caps=(Cap(1.0, 0.8, 0.9, open=True),))
    settled = replace(question, caps=(Cap(1.0, 0.8, 0.9),))
    for one, words in ((settled, "is not reached surely"), (question, "was not found to be reached surely")):
        known: dict[DesignRun, float] = {}
        while wanted := next_points(one, known):
            known |= dict.fromkeys(wanted, 0.5)
        answer = answer_of(one, known)
        assert answer.epsilon is None and words in answer.why
        assert "single uploads up to ε 0.8" in answer.why and "(at ε 0.9" in answer.why


def test_range_without_allowed_budget_is_left_out():
    question = asked()
    one = Leak(0.5, 0.01, 50, 72, 1), Leak(1.0, 0.01, 7, 72, 1), Leak(1.0, 0.5, 70, 72, 1)
    lucky = Leak(0.5, 1.0, 7, 72, 1)
    assert bounded(question, [*one, lucky]).ranges == (1.0,), "one that is lucky above it does not count"
    none = bounded(question, [one[0], lucky, Leak(1.0, 0.01, 50, 72, 1)])
    assert none.ranges == () and next_points(none, {}) == []
    assert "at no ε that was tried with ±0.5 (at ε 0.01 in more)" in answer_of(none, {}).why


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"identification": 0.1}, "must be a share above 0.1, which guessing among ten gives"),
        ({"identification": 1}, "and below 1, like 0.3, or null; got 1"),
    ],
)
def test_a_limit_that_cannot_be_meant_is_a_sentence(changes: dict[str, Any], words: str):
    with pytest.raises(InvalidExperiment, match=words):
        asked(**changes)


def test_leaks_are_measured_before_training(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(question_file, "IMAGES", 12)
    question = replace(asked(ranges=[1], base={"rounds": 1}, accuracy=0.2), precision=2.0, seeds=3)
    events = list(search(question, [], quiet))
    leaks = leaks_of(events)
    assert [event["event"] for event in events[:7]] == ["leak"] * 7
    shares = {one.epsilon: one.share for one in leaks}
    assert shares[min(shares)] < 0.5 and shares[max(shares)] > 0.9
    assert events[-1]["event"] == "answer"
    assert list(search(question, events[:-1], quiet))[-1]["why"] == events[-1]["why"], "it goes on"


def test_upload_scope_attacks_the_same_uploads():
    clients = {"epsilon_scope": "upload"}
    whole = asked(base={"mechanism": "duchi", "clients": clients}).ladder(1.0, [65.0], 21)
    each = asked(base={"mechanism": "duchi"}).ladder(1.0, [0.1], 21)
    assert (whole.epsilons, whole.client, whole.seed) == (each.epsilons, 2, 21)
    gaussian = asked(base={"mechanism": "gaussian", "clients": clients}).ladder(1.0, [65.0], 0)
    assert gaussian.epsilons == (65.0,) and gaussian.mechanisms[0].scope == "upload"
