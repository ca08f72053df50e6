"""Panel of the data: data set, size, and partition; and images as features show them to clients."""

import json

import streamlit as st

from ldp_core import datasets, features, partitions
from ldp_core.datasets import Dataset, data_dir
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, plan
from ldp_core.theory.turnout import Counts, label_counts
from pages.parts.charts.split import MOST_BARS, split_figure, split_in_words
from pages.parts.clients.data_names import data_labels
from pages.parts.ui import components
from pages.parts.ui.fields import component, named
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.scenario import assumed
from pages.parts.ui.text import number, plain
from pages.parts.ui.workspace import Workspace

MOST_SAID = 6
"""Largest number of invalid folders that are named."""


def data_panel(workspace: Workspace) -> None:
    st.header("Who holds what?", anchor=False)
    experiment = workspace.draft.base
    source = datasets.get(experiment.dataset)
    left, right = st.columns([1, 3.2], gap="medium")
    with left, st.container(border=True):
        named(workspace, "dataset", "Data", data_labels(), experiment.dataset)
        component(
            workspace, "partition", "How it is split", partitions.registry, experiment.partition, "kind"
        )
        if source.images or not experiment.features.identity:
            component(workspace, "features", "Turned into", features.registry, experiment.features)
        st.caption("Image folders in the server's data folder stand here, too: `python -m ldp_core data`.")
        unusable = datasets.registry.unusable()
        for sentence in unusable[:MOST_SAID]:
            st.caption(f"Not listed: {plain(sentence, 300)}.")
        if len(unusable) > MOST_SAID:
            more = len(unusable) - MOST_SAID
            st.caption(f"Not listed either: {more} more folders; `python -m ldp_core data` says why.")
    with right, st.container(border=True):
        st.markdown(plain(source.summary, 300))
        st.caption(_size(source))
        if source.left_out:
            st.caption(plain(source.left_out[0].upper() + source.left_out[1:], 300))
        _picture(experiment, source)
        if not experiment.features.identity and source.images:
            width = number(plan(experiment).source.features, 6)
            st.markdown(f"**Each client turns its image into {width} numbers and trains on these**")
            st.caption(f"{assumed(experiment.features)} The program is the same for all clients.")


def _size(source: Dataset) -> str:
    """Number and kind of samples, and their memory."""
    shape = source.shape
    if not source.images:
        kind = f"{number(source.features, 6)} numbers"
    else:
        kind = f"{shape[-2]} × {shape[-1]} pixels" + (" in three colours" if len(shape) == 3 else "")
    return (
        f"{number(source.train_size, 9)} samples to train on, {number(source.test_size, 9)} held out; "
        f"{kind} each, {source.classes} classes; {number(source.memory / 1e6)} MB of memory while training"
    )


def _picture(experiment: Experiment, source: Dataset) -> None:
    try:
        counts = _counts(experiment, source)
    except InvalidInput as error:
        st.error(plain(error_in_words(error), 300))
        return
    if counts is None and source.there(data_dir()):
        st.info("How they are split is drawn here once a run has read these data.")
    elif counts is None:
        st.info(
            "These data are not on this server yet. The first run that needs them downloads "
            f"{source.download / 1e6:.1f} MB before it trains, once; then it is drawn here who holds what."
        )
    if counts is None:
        return
    words = split_in_words(counts)
    st.markdown(f"**{plain(words[0].upper() + words[1:], 200)}**")
    if len(counts) > MOST_BARS:
        st.caption(
            f"Drawn are {MOST_BARS} of the {number(len(counts), 6)}, at equal distances in the order of "
            "their numbers; the sentence above is of all of them"
        )
    components.chart(
        split_figure(counts, source.class_names),
        key="split",
        height=320,
        label=f"Training samples of each class with each client. {words}.",
    )


MOST_KEPT = 16


_kept: dict[str, Counts] = {}


def _counts(experiment: Experiment, source: Dataset) -> Counts | None:
    """Partition of the samples, cached over visitors unless data are missing."""
    partition = experiment.partition
    decides = (partition.name, partition.parameters(), experiment.clients.count, experiment.seed)
    key = json.dumps([experiment.dataset, source.version, *decides])
    found = _kept.get(key)
    if found is None and (found := label_counts(plan(experiment), data_dir())) is not None:
        _kept[key] = found
        while len(_kept) > MOST_KEPT:
            _kept.pop(next(iter(_kept)), None)
    return found
