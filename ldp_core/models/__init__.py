"""Models as flat parameter vectors with named slices."""

from ldp_core.component import Registry
from ldp_core.models.base import Model, Slice

registry: Registry[Model] = Registry(__name__, Model, "the model's name")
names = registry.names
get = registry.get
