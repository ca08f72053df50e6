"""Federated learning under personalised local differential privacy.

Data flows one way, and imports point the same way (`tests/test_layers.py` holds them to it):
experiment → data → partition → local training → update → clip → mechanism → upload →
aggregator → evaluation → events → store. `simulate` is that path, one round
after another; `many` drives many such runs at once, and has their clients trained in one product.

From a program or a notebook: `ldp_core.run(rounds=15, mechanism="duchi", epsilon=2)`.
"""

import importlib
from typing import Any

PARTS = ("accounting", "aggregators", "attacks", "datasets", "experiment", "mechanisms", "presets")
__all__ = ["accounting", "aggregators", "attacks", "datasets", "experiment", "mechanisms", "presets", "run"]


def __getattr__(name: str) -> Any:
    """Import a public name of the package when it is first used."""
    if name in PARTS:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "run":
        return importlib.import_module(f"{__name__}.library").run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
