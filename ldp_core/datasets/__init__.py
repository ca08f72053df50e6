"""Real data, split into training and held-out test samples."""

from ldp_core.component import Registry
from ldp_core.datasets.base import Data, Dataset

registry: Registry[Dataset] = Registry(__name__, Dataset, "the data set's name")
names = registry.names
get = registry.get

__all__ = ["Data", "Dataset", "get", "names", "registry"]
