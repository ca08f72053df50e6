"""Aggregators: how the server combines uploads, by weights that are known before any upload is seen.

`base.Aggregator.noise` is the noise of a round's aggregate; `theory.server` averages it over a run.
"""

from ldp_core.aggregators.base import Aggregator
from ldp_core.component import Registry

registry: Registry[Aggregator] = Registry(__name__, Aggregator, "the aggregator's name")
names = registry.names
get = registry.get
