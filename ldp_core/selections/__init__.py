"""Selections: which clients take part in a round."""

from ldp_core.component import Registry
from ldp_core.selections.base import Selection

registry: Registry[Selection] = Registry(__name__, Selection, "the selection's kind")
names = registry.names
get = registry.get
