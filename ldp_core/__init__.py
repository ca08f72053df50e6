"""Federated learning under personalised local differential privacy.

Data and imports follow one direction (`tests/test_layers.py` checks it): experiment → data → partition →
local training → update → clip → mechanism → upload → aggregator → evaluation → events → store. `simulate` is
that path, round by round; `many` trains many runs at once.

From a program or a notebook: `ldp_core.run(rounds=15, mechanism="duchi", epsilon=2)`.
"""

import importlib
from typing import Any

PARTS = ("accounting", "aggregators", "attacks", "datasets", "experiment", "mechanisms", "presets")
__all__ = [*PARTS, "ask", "inspect", "look", "run"]


def __getattr__(name: str) -> Any:
    """Import a public name of the package on first use."""
    if name in PARTS:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "inspect":
        return importlib.import_module(f"{__name__}.inspection").inspect
    if name == "look":
        return importlib.import_module(f"{__name__}.door").look
    if name in ("ask", "run"):
        return getattr(importlib.import_module(f"{__name__}.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
