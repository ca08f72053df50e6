"""Registries of all kinds of parts."""

from collections.abc import Mapping
from typing import Any

from ldp_core import (
    aggregators,
    attacks,
    datasets,
    features,
    mechanisms,
    models,
    optimizers,
    partitions,
    selections,
    systems,
    trust,
)
from ldp_core.attacks import servers
from ldp_core.component import Registry

REGISTRIES: Mapping[str, Registry[Any]] = {
    "mechanism": mechanisms.registry,
    "aggregator": aggregators.registry,
    "attacker": attacks.registry,
    "server": servers.registry,
    "dataset": datasets.registry,
    "features": features.registry,
    "model": models.registry,
    "optimizer": optimizers.registry,
    "partition": partitions.registry,
    "selection": selections.registry,
    "system": systems.registry,
    "trust": trust.registry,
}
