"""What a client turns its image into before it trains: a fixed public program that reads no private data."""

from ldp_core.component import Registry
from ldp_core.features.base import Features

registry: Registry[Features] = Registry(__name__, Features, "the features")
names = registry.names
get = registry.get
