"""What was chosen: the runs of `experiment.json`, and each client's own budget and safe range."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("experiment.json")


class Budget(NamedTuple):
    """Of one client, and public."""

    epsilon: float
    low: float
    high: float


def chosen(run_config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the run that `variant` names.

    Raises:
        ValueError: there is none with that number.
    """
    variants = json.loads(FILE.read_text(encoding="utf-8"))["variants"]
    number = int(run_config["variant"])
    if not 0 <= number < len(variants):
        raise ValueError(f"variant must be between 0 and {len(variants) - 1}; got {number}")
    run: dict[str, Any] = variants[number]
    return run


def budget(node_config: Mapping[str, Any], run: Mapping[str, Any]) -> Budget:
    """A client's own: from its node's configuration, and what is not there as it was in the run.

    Raises:
        ValueError: neither says it.
    """
    clients, number = run["clients"], node_config.get("partition-id")
    recorded = clients[int(number)] if number is not None and int(number) < len(clients) else {}
    found = [node_config.get(name, recorded.get(name)) for name in Budget._fields]
    if missing := [name for name, value in zip(Budget._fields, found, strict=True) if value is None]:
        raise ValueError(
            f"this node does not say its {missing[0]}, and the run has {len(clients)} clients: give it in "
            "--node-config 'epsilon=… low=… high=…', or start no more nodes than that"
        )
    return Budget(*map(float, found))
