"""Measured privacy loss of float32 rounding; `python -m tests.benchmarks.float32` writes the table.

Enumerating all draws takes seconds and half a gigabyte, so pages read the result at the nearest measured ε.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ldp_core.accounting.floats import GivenAway
from ldp_core.mechanisms import Mechanism

FILE = Path(__file__).with_name("float32.json")
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 17.0, 20.0)
SPANS = ((-1.0, 1.0), (-0.1, 0.1))
"""Measured safe ranges: a usual one for weights, and one for updates."""


@dataclass(frozen=True)
class Measured:
    """Results of one mechanism on one safe range, at all ε of the table."""

    low: float
    high: float
    found: dict[float, GivenAway]
    """Privacy loss of rounding by ε, ascending."""

    def nearest(self, epsilon: float) -> float:
        """ε of the table with the nearest ratio to `epsilon`."""
        return min(self.found, key=lambda budget: abs(math.log(budget / epsilon)))


def key(mechanism: Mechanism) -> str:
    """Key of a mechanism in the table: name, form and the parameters that matter."""
    own = {name: value for name, value in mechanism.parameters().items() if mechanism.matters(name)}
    if own.get("calibration", "paper001") != "paper001":
        own.pop("rounds")  # an experiment fills them in, and only that calibration uses them
    if mechanism.scope == "upload":
        own.pop("norm", None)  # a unit of length
    return f"{mechanism.name} {mechanism.form} {json.dumps(own, sort_keys=True)}"


def measured(mechanism: Mechanism, low: float, high: float) -> Measured | None:
    """Result for this safe range, else for [−1, 1]; None if not measured."""
    own = _table().get(key(mechanism), {})
    span = (low, high) if (low, high) in own else SPANS[0]
    return Measured(*span, own[span]) if span in own else None


def about() -> dict[str, str]:
    return dict(_read()["about"])


def line(mechanism: Mechanism, span: tuple[float, float], found: GivenAway, epsilon: float) -> dict[str, Any]:
    """A row of the table's file; JSON has no infinity, so it is written as a word."""
    values = asdict(found) | {"loss": "infinite" if found.loss == math.inf else found.loss}
    return {"mechanism": key(mechanism), "range": list(span), "epsilon": epsilon, **values}


def write(lines: Iterable[dict[str, Any]], about: dict[str, str]) -> None:
    text = ",\n".join(json.dumps(line) for line in lines)
    FILE.write_text(f'{{"about": {json.dumps(about)},\n"rows": [\n{text}\n]}}\n', encoding="utf-8")


@cache
def _read() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


@cache
def _table() -> dict[str, dict[tuple[float, float], dict[float, GivenAway]]]:
    table: dict[str, dict[tuple[float, float], dict[float, GivenAway]]] = {}
    for row in _read()["rows"]:
        loss = math.inf if row["loss"] == "infinite" else row["loss"]
        low, high = row["range"]
        of_it = table.setdefault(row["mechanism"], {}).setdefault((low, high), {})
        of_it[row["epsilon"]] = GivenAway(row["low"], row["high"], loss, row["exact"])
    return table
