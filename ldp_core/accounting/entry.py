"""The ledger's guarantees as typed values; JSON only for storage and imports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

Scope = Literal["coordinate", "upload", "run_expected", "run_worst"]


@dataclass(frozen=True)
class Promise:
    """A differential privacy guarantee for one client in one scope."""

    epsilon: float | None = None
    """The smallest bound computed; None where there is none."""
    delta: float = 0.0
    rule: str = "none"
    """Which gave ε: a name of `spending.RULES`."""
    basic: float | None = None
    """The plain sum; None where there is none."""
    generic: float | None = None
    """The bound for any mechanism of this ε; None where there is no pure ε."""
    guarantee: bool = False
    """False also of an ε that bounds nothing: an average, or a paper's own that is too small."""
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

    def __getitem__(self, scope: Scope) -> Promise:
        found: Promise = getattr(self, scope)
        return found

    def not_counting(self, learnt: str) -> Entry:
        """Entry in which each `why` adds what was computed from the data without ε."""
        lines = [self.coordinate, self.upload, self.run_expected, self.run_worst]
        return Entry(*(replace(line, why=f"{line.why}; not counted: {learnt}") for line in lines))

    def as_json(self) -> dict[str, Any]:
        return {scope: dict(vars(line)) for scope, line in vars(self).items()}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{one.name: Promise.of(stored.get(one.name, {})) for one in fields(cls)})
