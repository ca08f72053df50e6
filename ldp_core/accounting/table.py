"""The ledger as JSON in end events; for large populations with each distinct entry once.

Up to a thousand clients the event lists an entry per client, above that the distinct entries and an index: 60
000 clients with three budgets take three entries, where one each would take 49 MB.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.composition.entry import Entry

EACH = 1000
"""Largest number of clients with an entry each in the event."""

Table = Sequence[Mapping[str, Any]] | Mapping[str, Any]
"""One entry per client; or `clients` (their number), `promises` (the distinct entries) and `of`: each
client's index among them, little-endian, 16 bits each (32 if there are more), base64.
"""


def to_json(entries: Sequence[Entry]) -> list[dict[str, Any]] | dict[str, Any]:
    """Entries of all clients, in order, as JSON."""
    if len(entries) <= EACH:
        return each_as_json(entries)
    known: dict[int, int] = {}  # entries that are equal are one object: the ledger makes each once
    of = np.array([known.setdefault(id(entry), len(known)) for entry in entries])
    _, first = np.unique(of, return_index=True)
    width = "<u2" if len(known) <= 2**16 else "<u4"
    return {
        "clients": len(entries),
        "promises": [entries[i].as_json() for i in first.tolist()],
        "of": b64encode(of.astype(width).tobytes()).decode(),
    }


def each_as_json(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """A JSON object per client; clients with equal entries share it."""
    shared = {id(entry): entry.as_json() for entry in {id(entry): entry for entry in entries}.values()}
    return [shared[id(entry)] for entry in entries]


def entry_of(ledger: Table, client: int) -> Entry:
    """Entry of a client, counted from 0; raises IndexError if there is none."""
    if not isinstance(ledger, Mapping):
        return Entry.of(ledger[client])
    width = "<u2" if len(ledger["promises"]) <= 2**16 else "<u4"
    of = np.frombuffer(b64decode(ledger["of"]), dtype=width)
    return Entry.of(ledger["promises"][int(of[client])])


def entries_in(ledger: Table) -> list[Entry]:
    """All entries; for a large population the distinct ones."""
    return [Entry.of(stored) for stored in (ledger["promises"] if isinstance(ledger, Mapping) else ledger)]
