"""The experiment for a visitor's own pictures: LeNet on colour images."""

from __future__ import annotations

from typing import Any

from ldp_core import datasets

HALF = 0.2
"""Half-width of the safe range, so that images stop being recovered within the grid's ε."""
MOST_CLIENTS = 20


def through_lenet(name: str, clients: int) -> dict[str, Any]:
    """Changes that make an experiment train LeNet on a folder of colour images, with at most `clients`
    clients.
    """
    return {
        "system": None,
        "dataset": name,
        "model": "lenet",
        "partition": {"kind": "iid"},
        "clients.count": min(clients, MOST_CLIENTS, datasets.get(name).train_size),
        "clients.epsilon": 8,
        "clients.low": -HALF,
        "clients.high": HALF,
        "target": "weights",
        "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.1},
        "rounds": 5,
    }
