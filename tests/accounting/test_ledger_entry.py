"""The ledger of a large population: each promise once, and every client's own."""

import json
import math

import pytest

from ldp_core.accounting import Entry, Promise, entries, entries_in, entry_of, ledger, to_json
from ldp_core.accounting.ledger_entry import EACH
from ldp_core.experiment import parse, plan
from tests.pace import of_cpu


def test_up_to_a_thousand_clients_each_has_an_entry():
    experiment = parse({"clients": {"count": EACH, "epsilon": 1}})
    stored = ledger(experiment)
    assert to_json(entries(plan(experiment))) == stored == json.loads(json.dumps(stored))
    assert entry_of(stored, 7) == entries(plan(experiment))[7]
    assert entries_in(stored) == entries(plan(experiment))


@pytest.mark.parametrize("epsilon", [2, "eps2", "two_volunteers"])
@pytest.mark.alone
def test_ledger_of_60000_clients_is_quick_and_small(epsilon: object):
    clients = {"count": 60_000, "epsilon": epsilon}
    experiment = parse({"dataset": "mnist", "clients": clients, "selection": "once", "attack": None})
    with of_cpu(1):
        promised = entries(plan(experiment))
        text = json.dumps(to_json(promised))
    assert len(text) <= 1_000_000
    read = json.loads(text)
    assert read["clients"] == 60_000
    for client in (0, 1, 29_999, 59_998, 59_999):
        assert entry_of(read, client) == promised[client]
    with pytest.raises(IndexError):
        entry_of(read, 60_000)


def test_more_promises_than_sixteen_bits_count():
    promised = [Entry(one, one, one, one) for one in map(Promise, map(float, range(70_000)))]
    assert entry_of(to_json(promised), 69_999) == promised[-1]


def test_ledger_rows_of_other_versions_are_read():
    line = {"epsilon": 2.0, "guarantee": True, "against": "nobody"}
    entry = Entry.of({"run_worst": line})
    assert entry.run_worst == Promise(2.0, guarantee=True)
    assert entry.upload.bound == entry.upload.sum == math.inf
