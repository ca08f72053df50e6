"""The ledger of a large population: each promise once, and every client's own."""

from __future__ import annotations

import json

import pytest

from ldp_core.accounting import entry_of, ledger, told
from ldp_core.accounting.table import EACH
from ldp_core.experiment import parse
from tests.pace import of_cpu


def test_up_to_a_thousand_clients_each_has_an_entry():
    entries = ledger(parse({"clients": {"count": EACH, "epsilon": 1}}))
    assert told(entries) == entries
    assert entry_of(entries, 7) == entries[7]


@pytest.mark.parametrize("epsilon", [2, "eps2", "two_volunteers"])
@pytest.mark.alone
def test_sixty_thousand_clients_are_told_in_a_second_and_a_megabyte(epsilon: object):
    experiment = parse(
        {
            "dataset": "mnist",
            "clients": {"count": 60_000, "epsilon": epsilon},
            "selection": "once",
            "attack": None,
        }
    )
    with of_cpu(1):
        entries = ledger(experiment)
        text = json.dumps(told(entries))
    assert len(text) <= 1_000_000
    read = json.loads(text)
    assert read["clients"] == 60_000
    for client in (0, 1, 29_999, 59_998, 59_999):
        assert entry_of(read, client) == entries[client]
    with pytest.raises(IndexError):
        entry_of(read, 60_000)


def test_more_promises_than_sixteen_bits_count():
    entries = [{"number": i} for i in range(70_000)]
    assert entry_of(told(entries), 69_999) == {"number": 69_999}
