"""How the server combines uploads, by weights that are known before any upload is seen.

`base.Aggregator.noise` is what is left of the clients' noise in a round; `theory.server` averages it over a
run.
"""

from ldp_core.aggregators.base import Aggregator
from ldp_core.component import Registry

registry: Registry[Aggregator] = Registry(__name__, Aggregator, "the aggregator's name")
names = registry.names
get = registry.get
