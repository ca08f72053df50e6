"""The ledger as an end event carries it: of a large population, each promise is told once.

Up to a thousand clients the event holds one entry for each of them. Above that it holds the different
entries, and which of them is whose: 60 000 clients that ask for three budgets are three entries and an
index, where one entry each would be 49 MB.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

EACH = 1000
"""Clients of whom each has an entry of its own in the event."""

Told = list[dict[str, Any]] | dict[str, Any]
"""One entry a client; or `clients` (their number), `promises` (the different entries) and `of`: for each
client the number of its promise, little-endian, 16 bits each (32 where there are more), base64."""


def told(entries: list[dict[str, Any]]) -> Told:
    """The entries of all clients, in order, as the event carries them."""
    if len(entries) <= EACH:
        return entries
    known: dict[int, int] = {}  # entries that are equal are one object: the ledger makes each once
    of = np.array([known.setdefault(id(entry), len(known)) for entry in entries])
    first = {number: i for i, number in reversed(list(enumerate(of.tolist())))}
    width = "<u2" if len(known) <= 2**16 else "<u4"
    return {
        "clients": len(entries),
        "promises": [entries[first[number]] for number in range(len(known))],
        "of": b64encode(of.astype(width).tobytes()).decode(),
    }


def entry_of(ledger: Sequence[Mapping[str, Any]] | Mapping[str, Any], client: int) -> Mapping[str, Any]:
    """The entry of one client, from 0.

    Raises:
        IndexError: there is no such client.
    """
    if not isinstance(ledger, Mapping):
        return ledger[client]
    width = "<u2" if len(ledger["promises"]) <= 2**16 else "<u4"
    of = np.frombuffer(b64decode(ledger["of"]), dtype=width)
    entry: Mapping[str, Any] = ledger["promises"][int(of[client])]
    return entry
