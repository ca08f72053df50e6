"""What pages call data sets: those of everybody, and the visitor's own."""

from __future__ import annotations

from ldp_core import datasets
from ldp_core.errors import StudioError
from ldp_core.runs import own_data
from pages.parts.ui.visitor import visitor


def data_labels() -> dict[str, str]:
    """Data set → label, of all that this visitor may choose."""
    return datasets.registry.labels() | own_data.labels(visitor().owner)


def data_label(name: str) -> str:
    """What a data set is called; its name where it is gone."""
    try:
        return datasets.get(name).label
    except StudioError:
        return name
