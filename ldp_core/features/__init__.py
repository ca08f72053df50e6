"""Features of images: fixed public programs that a client applies before training."""

from ldp_core.component import Registry
from ldp_core.features.base import Features

registry: Registry[Features] = Registry(__name__, Features, "the features")
names = registry.names
get = registry.get
