"""Number of samples of each class at each client, before training."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment import Experiment

Counts = NDArray[np.int64]


def label_counts(experiment: Experiment, root: Path) -> Counts | None:
    """Samples of each class at each client, (count, classes), as a run assigns them; None before the data are
    first downloaded and read. Raises `InvalidInput` if the partition cannot give every client a sample.
    """
    source = experiment.source
    labels = source.train_labels(root)
    if labels is None:
        return None
    count = experiment.clients.count
    shards = experiment.split(labels)
    owner = np.repeat(np.arange(count), [len(shard) for shard in shards])
    flat = owner * source.classes + labels[np.concatenate(shards)]
    return np.bincount(flat, minlength=count * source.classes).reshape(count, source.classes)
