"""A client's entry in the ledger; and all of them as JSON in end events, with each distinct one once.

Up to a thousand clients the event lists an entry per client, above that the distinct entries and an index: 60
000 clients with three budgets take three entries, where one each would take 49 MB.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from ldp_core.accounting.worth import word_of
from ldp_core.composition.spending import Promise

Scope = Literal["coordinate", "upload", "run_expected", "run_worst"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Unit = Literal["client", "record"]
TOGETHER = ("some", "whole")
"""Fields for several records of a client together."""
SOME = 10
"""Number of records that a person may have in one client's data, as an example."""
AGAINST = {
    "server": "a server that sees each upload",
    "shuffled heap": "a server that sees the shuffled heap",
    "sum": "everybody who sees the sum",
    "model": "everybody who sees the model",
}
"""What the adversary sees, by `Entry.against`, as the end of “against …”."""


WHOLE_RUN: Mapping[str, str] = {
    "client": "a person's whole run",
    "record": "one record in its client's whole run",
}
"""What a run's ε covers, by `Entry.unit`."""
NEIGHBOURS: Mapping[str, str] = {
    "client": "everything that one client sends in the run",
    "record": "one record of one client, exchanged for any other, in all that the client sends in the run",
}
"""The unit of privacy at length, by `Entry.unit`."""
EACH = 1000
"""Largest number of clients with an entry each in the event."""

LedgerTable = Sequence[Mapping[str, Any]] | Mapping[str, Any]
"""One entry per client; or `clients` (their number), `promises` (the distinct entries) and `of`: each
client's index among them, little-endian, 16 bits each (32 if there are more), base64.
"""


@dataclass(frozen=True)
class Entry:
    coordinate: Promise
    upload: Promise
    run_expected: Promise
    run_worst: Promise
    against: str = "server"
    """What the adversary of the promises sees: a key of `AGAINST`."""
    unit: Unit = "client"
    """Whose secret the promises cover: all that a client holds, or one record, exchanged for any other."""
    some: Promise | None = None
    """Guarantee of the run at worst for all records of a person, or else for `SOME` records of one client
    together; None of a client's entry …
    """
    whole: Promise | None = None
    """… and for all records of a client of average size."""
    persons: int = 0
    """Largest number of records of one person; 0 where the data do not name persons."""

    def __getitem__(self, scope: Scope) -> Promise:
        found: Promise = getattr(self, scope)
        return found

    def not_counting(self, learnt: str) -> Entry:
        """Entry in which each `why` adds what was computed from the data without ε."""
        also: dict[str, Any] = {
            scope: replace(self[scope], why=f"{self[scope].why}; not counted: {learnt}") for scope in SCOPES
        }
        return replace(self, **also)

    def as_json(self) -> dict[str, Any]:
        """The promise of each scope, `against`, and `worth`, the word for ε of the whole run at worst."""
        lines: dict[str, Any] = {scope: dict(vars(self[scope])) for scope in SCOPES}
        together = {name: dict(vars(one)) for name in TOGETHER if (one := getattr(self, name))}
        facts = {"against": self.against, "unit": self.unit, "worth": word_of(self.run_worst.bound)}
        capped = {"persons": self.persons} if self.persons else {}
        return {**lines, **together, **facts, **capped}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        lines: dict[str, Any] = {scope: Promise.of(stored.get(scope, {})) for scope in SCOPES}
        lines |= {name: Promise.of(stored[name]) for name in TOGETHER if name in stored}
        lines |= {name: stored[name] for name in ("against", "unit", "persons") if name in stored}
        return cls(**lines)


def of_whom(unit: str, client: str) -> str:
    """The client whose ε it is, in words; or each of its records."""
    return f"each record of {client}" if unit == "record" else client


def together_in_words(entry: Entry, at_most: Callable[[float], str]) -> str:
    """End of a sentence on what a run's ε for each record is for several; "" where ε is a client's."""
    if entry.some is None or entry.whole is None:
        return ""
    ten = f"{SOME} records of one person together"
    ten = f"a person with at most {entry.persons} records, all held there," if entry.persons else ten
    some = f"ε {at_most(entry.some.bound)} for {ten} and "
    return some * (entry.persons != 1) + f"ε {at_most(entry.whole.bound)} for the client as a whole"


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


def entry_of(ledger: LedgerTable, client: int) -> Entry:
    """Entry of a client, counted from 0; raises IndexError if there is none."""
    if not isinstance(ledger, Mapping):
        return Entry.of(ledger[client])
    width = "<u2" if len(ledger["promises"]) <= 2**16 else "<u4"
    of = np.frombuffer(b64decode(ledger["of"]), dtype=width)
    return Entry.of(ledger["promises"][int(of[client])])


def entries_in(ledger: LedgerTable) -> list[Entry]:
    """All entries; for a large population the distinct ones."""
    return [Entry.of(stored) for stored in (ledger["promises"] if isinstance(ledger, Mapping) else ledger)]
