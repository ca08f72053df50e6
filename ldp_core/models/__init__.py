"""Models as flat parameter vectors with named slices."""

from typing import Any

from ldp_core.component import Part, Registry
from ldp_core.models.base import Model, Slice
from ldp_core.models.record_clipping import RecordClipping

registry: Registry[Model] = Registry(__name__, Model, "the model's name")
names = registry.names
get = registry.get


def title_of(given: Any) -> str:
    """Title of the model in an experiment's JSON; ValueError if it names none."""
    found: Any = Part(registry, "name").check(given)
    return str(found.title)
