"""Every part keeps its contract, and one that breaks it is reported; laws have tests of their own
(tests/mechanisms/test_contract.py, test_faults.py).
"""

from collections.abc import Iterator
from time import sleep
from typing import Any

import numpy as np
import pytest

from ldp_core import aggregators, attacks, datasets, models, optimizers, partitions, selections, trust
from ldp_core.aggregators.inverse_std import InverseStd
from ldp_core.aggregators.mean import Mean
from ldp_core.attacks.base import Facts
from ldp_core.cli import main
from ldp_core.commands import judge
from ldp_core.component import Component
from ldp_core.contract import parts, promises
from ldp_core.contract.in_use import Broken, PartCheck, of_any
from ldp_core.contract.mechanism import of_law
from ldp_core.contract.stated import check_loss, check_moments
from ldp_core.mechanisms.laplace import Laplace
from ldp_core.selections.all import All
from tests.cases import case

KINDS = {
    "aggregator": aggregators,
    "attacker": attacks,
    "selection": selections,
    "partition": partitions,
    "model": models,
    "optimizer": optimizers,
    "trust": trust,
}
ALL = [(kind, name) for kind, room in KINDS.items() for name in room.names()]


@pytest.mark.parametrize(("kind", "name"), ALL, ids="/".join)
def test_every_part_keeps_its_contract(kind: str, name: str):
    for words, check in promises.OWN[kind](KINDS[kind].get(name)):
        with case(words):
            check()


def test_broken_promise_is_reported_beside_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def twice(self: All, count: int, seed: int, number: int, rounds: int) -> np.ndarray:
        return np.repeat(np.arange(count), 2)

    monkeypatch.setattr(All, "choose", twice)
    monkeypatch.setattr(All, "most_uploads", property(lambda self: 1 / 0))
    monkeypatch.setattr(promises, "of_any", lambda kind, one: iter(()))
    assert main(["check", "selection:all"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first == "no  those who take part are clients, once each: clients are not in order, once each"
    assert second.startswith("no  uploads are counted truly") and "ZeroDivisionError" in second


class Median(Mean):
    def combine(self, uploads: Any, weights: Any) -> Any:
        return np.median(uploads, axis=0)


class TrimmedMean(Mean):
    def combine(self, uploads: Any, weights: Any) -> Any:
        return np.sort(uploads, axis=0)[1:-1].mean(axis=0)


class OtherWeights(InverseStd):
    def combine(self, uploads: Any, weights: Any) -> Any:
        return super().combine(uploads, np.square(weights))


class Longer(Mean):
    def finish(self, total: Any) -> Any:
        return 2 * total


class Divides(Mean):
    def aggregate(self, uploads: Any, weights: Any) -> Any:
        return super().aggregate(uploads, weights) / len(weights)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (Median, "no weighted sum"),
        (TrimmedMean, "no weighted sum"),
        (OtherWeights, "other weights"),
        (Longer, "unpredicted"),
        (Divides, "combine"),
    ],
)
def test_an_aggregator_that_is_no_weighted_sum_is_refused(kind: type[Mean], word: str):
    check = {promise.words: promise.check for promise in parts.of_aggregator(kind())}
    with pytest.raises(Broken, match=word):
        next(each for words, each in check.items() if "sum of uploads" in words)()


class Steps(Laplace):
    """Laplace's law, whose edges are taken for endless."""

    def unit_edges(self, v: float, epsilon: float) -> Any:
        return np.unique([-np.inf, *np.linspace(v - 50 / epsilon, v + 50 / epsilon, 50_001), np.inf])


def test_a_law_of_50_000_edges_is_checked_and_they_are_counted():
    assert "50003" in next(of_law(Steps())).words
    check_moments(Steps(), (0.001, -1.0, 1.0))
    check_loss(Steps(), (0.001, -1.0, 1.0))


def test_long_check_reports_that_it_runs_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(judge, "TELL_SECONDS", 0.05)
    monkeypatch.setitem(
        promises.OWN, "selection", lambda one: iter([PartCheck("it waits", lambda: sleep(0.3))])
    )
    monkeypatch.setattr(promises, "of_any", lambda kind, one: iter(()))
    assert main(["check", "selection:all"]) == 0
    assert "it waits" in capsys.readouterr().err


def test_attacker_with_raising_suits_is_refused(monkeypatch: pytest.MonkeyPatch):
    def suits(self: Any, facts: Facts) -> float:
        return facts.model.rows if facts.kept else 0.0  # type: ignore[attr-defined]

    monkeypatch.setattr(type(attacks.get("trimmed")), "suits", suits)
    (promise,) = parts.of_attacker(attacks.get("trimmed"))
    with pytest.raises(AttributeError):
        promise.check()


def test_check_of_unknown_or_refused_part_exits_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert main(["check", "duchy"]) == 2
    assert capsys.readouterr().err == "ldp_core check: there is no part “duchy”; did you mean duchi?\n"
    monkeypatch.setitem(selections.registry.refused, "waves", "waves of sea 1.0 is left out: it has no label")
    assert main(["check", "waves"]) == 1
    assert capsys.readouterr().out == "no  waves of sea 1.0 is left out: it has no label\n"


def test_listing_that_loads_torch_is_reported(monkeypatch: pytest.MonkeyPatch):
    def light(kind: str, one: Component) -> Iterator[PartCheck]:
        return (each for each in of_any(kind, one) if "torch" in each.words)

    (promise,) = light("dataset", datasets.get("digits"))
    promise.check()
    monkeypatch.setattr("ldp_core.contract.in_use.HEAVY", "print('torch')")
    with pytest.raises(AssertionError, match="torch is imported with it"):
        promise.check()
