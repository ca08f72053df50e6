"""Real data, loaded once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ldp_core.datasets import Data, get
from ldp_core.experiment import parse
from ldp_core.simulate import simulate


@cache
def digits() -> Data:
    """scikit-learn's digits as the product loads them."""
    return get("digits").load(Path("nowhere"))


def events(changes: dict[str, Any]) -> list[dict[str, Any]]:
    """All events of an experiment on digits, as JSON."""
    return [event.as_json() for event in simulate(parse(changes), digits())]


def rounds(changes: dict[str, Any]) -> list[dict[str, Any]]:
    """The round events of an experiment on digits."""
    return [event for event in events(changes) if event["event"] == "round"]
