"""Every part keeps its contract, and one that breaks it is reported; laws have tests of their own
(tests/mechanisms/test_contract.py, test_faults.py).
"""

from collections.abc import Iterator

import numpy as np
import pytest

from ldp_core import aggregators, datasets, models, optimizers, partitions, selections, trust
from ldp_core.cli import main
from ldp_core.component import Component
from ldp_core.contract import promises
from ldp_core.contract.in_use import of_any
from ldp_core.contract.promise import Promise
from ldp_core.selections.all import All
from tests.cases import case

KINDS = {
    "aggregator": aggregators,
    "selection": selections,
    "partition": partitions,
    "model": models,
    "optimizer": optimizers,
    "trust": trust,
}
ALL = [(kind, name) for kind, room in KINDS.items() for name in room.names()]

EACH = "piecewise mean fraction iid digits mlp adam pldp_fl trimmed likelihood central"


@pytest.mark.parametrize(("kind", "name"), ALL, ids="/".join)
def test_every_part_keeps_what_its_kind_promises(kind: str, name: str):
    for words, check in promises.OWN[kind](KINDS[kind].get(name)):
        with case(words):
            check()


@pytest.mark.parametrize("part", EACH.split())
def test_a_part_of_each_kind_says_what_it_is_and_trains(part: str, capsys: pytest.CaptureFixture[str]):
    """By the command; of a mechanism one promise stands for the rest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(promises.OWN, "mechanism", lambda one: iter(()))
        patch.setattr("ldp_core.contract.in_use.HEAVY", "")
        assert main(["check", part]) == 0
    output = capsys.readouterr().out.splitlines()
    assert len(output) >= 3 and all(line.startswith("ok  ") for line in output)


def test_what_is_broken_is_stated_and_the_rest_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def twice(self: All, count: int, seed: int, number: int, rounds: int) -> np.ndarray:
        return np.repeat(np.arange(count), 2)

    monkeypatch.setattr(All, "choose", twice)
    monkeypatch.setattr(All, "uploads_quantile", property(lambda self: 1 / 0))
    monkeypatch.setattr(promises, "of_any", lambda kind, one: iter(()))
    assert main(["check", "selection:all"]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "no  those who take part are clients, once each: clients are not in order, once each"
    assert second.startswith("ok  uploads are counted truly"), "and so they are"
    assert "ZeroDivisionError" in third


def test_what_nothing_is_called_or_was_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert main(["check", "duchy"]) == 2
    assert capsys.readouterr().err == "ldp_core check: there is no part “duchy”; did you mean duchi?\n"
    monkeypatch.setitem(selections.registry.refused, "waves", "waves of sea 1.0 is left out: it has no label")
    assert main(["check", "waves"]) == 1
    assert capsys.readouterr().out == "no  waves of sea 1.0 is left out: it has no label\n"


def test_what_loads_torch_where_it_is_listed_is_stated(monkeypatch: pytest.MonkeyPatch):
    def light(kind: str, one: Component) -> Iterator[Promise]:
        return (each for each in of_any(kind, one) if "torch" in each.words)

    (promise,) = light("dataset", datasets.get("digits"))
    promise.check()
    monkeypatch.setattr("ldp_core.contract.in_use.HEAVY", "print('torch')")
    with pytest.raises(AssertionError, match="torch is imported with it"):
        promise.check()
