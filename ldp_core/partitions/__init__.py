"""Partitions of the training samples over clients."""

from ldp_core.component import Registry
from ldp_core.partitions.base import Partition

registry: Registry[Partition] = Registry(__name__, Partition, "the partition's kind")
names = registry.names
get = registry.get
