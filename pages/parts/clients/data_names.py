"""Labels of data sets on pages: the built-in ones and the visitor's own."""

import numpy as np

from ldp_core import datasets
from ldp_core.datasets import Seen
from ldp_core.errors import StudioError
from ldp_core.runs import own_data
from pages.parts.ui.visitor import visitor

MOST_NUMBERS = 2_000_000
"""Numbers of the data folder's data up to which a page finds out what a model of all of them reaches."""


def data_labels() -> dict[str, str]:
    """Label by name, for all data sets that this visitor may choose."""
    return datasets.registry.labels() | own_data.labels(visitor().owner)


def data_label(name: str) -> str:
    """Label of a data set; its name if it has been deleted."""
    try:
        return datasets.get(name).label
    except StudioError:
        return name


def seen_of(name: str) -> Seen | None:
    """What is understood of data that someone brought; None of others, or where they have been deleted."""
    if not name.startswith(datasets.BROUGHT):
        return None
    try:
        if own_data.NAMED.fullmatch(name):
            return own_data.look(name, visitor().owner).seen
        found = datasets.registry.look(name)
        if found.kind and found.kind.train_size * np.prod(found.kind.shape) <= MOST_NUMBERS:
            datasets.give(found, datasets.data_dir(), datasets.quiet)
        return found.seen
    except StudioError:
        return None
