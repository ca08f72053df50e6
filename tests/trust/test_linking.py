"""Recognising a client's uploads over rounds by what each declares, against the groups' sizes."""

from typing import Any

import pytest
from scipy import stats

from ldp_core.experiment import parse, plan
from ldp_core.theory.linking import GROUPS, linked

OWN = [1.0 + 0.1 * i for i in range(20)]
PAIRS = [1.0, 4.0] * 10
BY_NOISE = {"aggregator": "inverse_variance", "rounds": 101}


def likely(right: int, tries: int, share: float) -> bool:
    """False by chance once in a million times, or less."""
    return bool(stats.binom.ppf(5e-7, tries, share) <= right <= stats.binom.isf(5e-7, tries, share))


@pytest.mark.parametrize(
    ("clients", "shares"),
    [
        ({"epsilon": OWN}, {"ε": 1.0}),
        ({"epsilon": PAIRS}, {"ε": 2 / 20}),
        ({"epsilon": PAIRS, "range": OWN}, {"ε": 2 / 20, "range": 1.0, "ε and range": 1.0}),
    ],
)
def test_as_often_as_groups_are_small(clients: dict[str, Any], shares: dict[str, float]):
    found = linked(plan(parse({**BY_NOISE, "clients": clients})))
    assert found.tries == 100 * 20 and found.chance == pytest.approx(1 / 20)
    assert found.right.keys() == shares.keys()
    assert all(likely(found.right[by], found.tries, share) for by, share in shares.items())
    assert likely(found.grouped, found.tries, min(GROUPS, len(set(clients["epsilon"]))) / 20)


def test_undeclared_values_link_no_upload():
    mean = {**BY_NOISE, "aggregator": "mean"}
    assert not linked(plan(parse({**mean, "clients": {"epsilon": OWN}}))).right
    assert not linked(plan(parse({**BY_NOISE, "clients": {"epsilon": 2.0}}))).right
    heaps = linked(plan(parse({**mean, "clients": {"epsilon": PAIRS}, "trust": "shuffled"})))
    assert likely(heaps.right["ε"], heaps.tries, 2 / 20)
    whole_run = {"epsilon": 2.0, "epsilon_scope": "run"}
    assert linked(plan(parse({"clients": whole_run, "target": "update", "trust": "secure_sum"}))).tries == 0
    assert linked(plan(parse({**BY_NOISE, "rounds": 20, "selection": "once"}))).tries == 0


def test_linking_counts_returning_clients_only():
    few = {"selection": {"kind": "fraction", "fraction": 0.25}, "clients": {"epsilon": OWN}}
    found = linked(plan(parse({**BY_NOISE, **few})))
    assert found.right["ε"] == found.tries < 300 and found.chance == pytest.approx(1 / 5)
