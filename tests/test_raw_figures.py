"""No sentence spells a number as Python prints it, however small or large: 1e-05, 2.5e+07."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ldp_core import limits
from ldp_core.accounting import deployments, entries
from ldp_core.accounting.ledger import epsilon_for
from ldp_core.accounting.samples.audit import audit_samples
from ldp_core.composition.backwards import largest
from ldp_core.errors import StudioError, shown
from ldp_core.experiment import parse, plan
from ldp_core.runs import kinds
from ldp_core.runs.carry.drawing import Curve, drawn
from ldp_core.theory.way import way
from ldp_core.tuning import Question, answer_of, inverses, next_points, parse_question
from ldp_core.tuning.designs import KnownAccuracies
from ldp_core.tuning.ranking import AssumedClients, ranking

RAW = re.compile(r"(?<![\w.])\d+(?:\.\d+)?[eE][+-]?\d{2}\b|\bnan\b|\binf\b|\b0\.(?!\d)")
SMALL = parse({"clients": {"count": 3, "range": 1e-6, "epsilon": 1e-6}, "target": "update", "attack": None})
OFTEN = {"rounds": 9999, "selection": {"kind": "self_sampling"}, "clients": {"count": 1000}}
TINY: dict[str, Any] = {"base": {}, "accuracy": 0.9, "ranges": [1e-6, 2e6 / 2], "run_budget": 1e7}
SUM = {"trust": {"kind": "secure_sum", "bits": 18}, "clients": {"epsilon_scope": "run", "epsilon": 1.0}}
TRIALS = np.tile([0.0, 1.0], 3000)
CURVE = np.array([1e-7, 3e7])


def _never_reached(question: Question) -> str:
    known: KnownAccuracies = {}
    while wanted := next_points(question, known):
        known = {**known, **dict.fromkeys(wanted, 0.0)}
    return answer_of(question, known).why


SENTENCES: dict[str, Callable[[], Any]] = {
    "limits": lambda: [str(one) for one in vars(limits).values() if isinstance(one, limits.Limit)],
    "figures": lambda: [limits.spelled(1e-13), limits.spelled(2.5e-7), shown(1e-7), shown(2.5e15)],
    "deployments": deployments.listed,
    "price of uploads": lambda: entries(plan(parse(OFTEN)))[0].run_expected.why,
    "budget of a run": lambda: epsilon_for(SMALL, 1e-9),
    "no such budget": lambda: largest(lambda epsilon: 1 + epsilon, 1e-7, 1.0),
    "least noise": lambda: inverses.at_noise(SMALL, 1e9),
    "clients": lambda: inverses.clients_for(SMALL, 1e-6, 1e-12),
    "ranking": lambda: ranking(AssumedClients(5, 9, 1e7, 1e-7, 1.0, 5, "mechanism")),
    "reversed": lambda: parse({"clients": {"low": 1e6, "high": -1e6}}),
    "narrow": lambda: parse({"clients": {"low": 1e-5, "high": 1e-5 * (1 + 1e-6)}}),
    "secure sum": lambda: parse(SUM),
    "steps of a paper": lambda: [one.does for one in way(SMALL)],
    "least ε": lambda: _never_reached(parse_question(TINY)),
    "question": lambda: kinds.get("tune").describe(parse_question(TINY)),
    "drawing": lambda: drawn("noise", [Curve("a", CURVE, CURVE, CURVE)], percent=False),
    "audit": lambda: audit_samples(TRIALS, TRIALS + 1e-7, claimed=1e-5, delta=1e-9).verdict,
    "claim": lambda: audit_samples(TRIALS, TRIALS, claimed=1e9),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_on_extreme_figures_have_no_raw_numbers(name: str):
    try:
        said = SENTENCES[name]()
    except StudioError as error:
        said = str(error)
    said = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
    assert re.search(r"\d", said) and not RAW.search(said), said
