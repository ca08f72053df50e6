"""The ledger's guarantees as typed values; JSON only for storage and imports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, get_args

Scope = Literal["coordinate", "upload", "run_expected", "run_worst"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Unit = Literal["client", "record"]
TOGETHER = ("some", "whole")
"""Fields for several records of a client together."""
SOME = 10
"""Number of records that a person may have in one client's data, as an example."""
Word = Literal["much", "some", "little", "nothing"]
UP_TO: tuple[tuple[float, Word], ...] = ((1.0, "much"), (3.0, "some"), (10.0, "little"))
"""Largest ε of a whole run for each word."""
NOTHING: Word = "nothing"


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


def word_of(epsilon: float | None) -> Word:
    """Worth of a whole run's ε; None stands for no bound."""
    return next((word for most, word in UP_TO if epsilon is not None and epsilon <= most), NOTHING)


@dataclass(frozen=True)
class Promise:
    """A differential privacy guarantee for one client in one scope."""

    epsilon: float | None = None
    """Smallest computed bound; None if there is none."""
    delta: float = 0.0
    rule: str = "none"
    """Rule that gave ε: a name of `spending.RULES`."""
    basic: float | None = None
    """Sum of ε over all uses (basic composition); None if there is none."""
    generic: float | None = None
    """Bound for any mechanism of this ε per use; None without pure ε."""
    guarantee: bool = False
    """False if ε is no bound: an average over runs, or a paper's own value that is too small."""
    why: str = ""

    @property
    def bound(self) -> float:
        return self.epsilon if self.guarantee and self.epsilon is not None else math.inf

    @property
    def sum(self) -> float:
        """Sum of ε over all uses (basic composition); infinite without a guarantee."""
        return math.inf if self.basic is None else self.basic

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Guarantee from stored JSON; missing fields take their defaults, which mean no guarantee."""
        return cls(**{one.name: stored[one.name] for one in fields(cls) if one.name in stored})


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
