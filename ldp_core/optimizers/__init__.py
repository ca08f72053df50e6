"""Optimisers of local training."""

from ldp_core.component import Registry
from ldp_core.optimizers.base import Optimizer

registry: Registry[Optimizer] = Registry(__name__, Optimizer, "the optimizer's name")
names = registry.names
get = registry.get
