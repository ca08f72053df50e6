"""Panel of the data: data set, size, and partition; and images as features show them to clients."""

import io
import json
import math
from base64 import b64encode
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image

from ldp_core import datasets, features, partitions
from ldp_core.attacks.findings.metrics import psnr
from ldp_core.datasets import Data, Dataset, data_dir
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, plan
from ldp_core.features import Features
from ldp_core.features._inverse import Inverse, placed
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.shared.ball import radius
from ldp_core.streams import stream
from ldp_core.theory.turnout import Counts, label_counts
from pages.parts.charts.base import Figure, figure
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
SHOWN, TRIED, KNOWN, CLASSES = 6, 30, 1000, 10
"""Numbers of digits drawn, of digits tried, of public digits that the attacker knows, and of classes."""
SIDE, GAP = 56, 8
"""Side of an image, and distance between two, in pixels."""
ABOVE, BELOW = np.array([31, 90, 160]), np.array([190, 85, 20])
"""Colours of the largest and the smallest number; 0 is white."""


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
        turned(experiment)


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


def turned(experiment: Experiment) -> None:
    """Draw examples of images and their features; nothing without features."""
    made = experiment.features
    if made.identity or not datasets.get(experiment.dataset).images:
        return
    width = number(plan(experiment).source.features, 6)
    st.markdown(f"**Each client turns its image into {width} numbers and trains on these**")
    rows, quality = _rows(experiment)
    words = f"Six public digits, below each the {width} numbers that it becomes, and what an attacker draws"
    height = 10 + 70 * len(rows)
    components.chart(_figure(_sheet(rows)), key="turned", height=height, label=words)
    exact, mean, *from_one = (f"{one:.1f} dB" for one in quality)
    given = "".join(f" and {fact}" for fact in plan(experiment).attacked.experiment.trust.helps)
    one = f" Fourth: what it draws from one message, noised as client 1 asks{given}, {{}}."
    fourth = one.format(*from_one) if from_one else ""
    st.caption(
        "First row: MNIST’s own test images. Second: their numbers, blue above 0, orange below. Third: what "
        f"an attacker draws who has these numbers exactly, and {number(KNOWN, 4)} public digits: {exact} in "
        f"the median, where the mean image has {mean}.{fourth}"
    )
    st.caption(
        f"{assumed(made)} What these still show of the image is the third row. The program is the same for "
        "all clients and depends on no data."
    )


Rows = tuple[list[NDArray[Any]], list[float]]
"""Pictures (SHOWN, h, w, 3) with colours in [0, 1]; median PSNR of those drawn, and of the mean image."""


@lru_cache(maxsize=1)
def _digits() -> Data:
    return datasets.get("mnist_sample").load(data_dir())


@lru_cache(maxsize=32)
def _drawn(made: Features, law: tuple[Mechanism, float, float, float] | None) -> Rows:
    """Pictures for features, and for messages perturbed by a mechanism at ε and a range."""
    data = _digits()
    images, spy = data.test_x[:TRIED], Inverse(made, data.train_x[:KNOWN], data.train_y[:KNOWN])
    numbers, side = made.of(images), math.isqrt(made.width(images.shape[1:]) - 1) + 1
    padded = np.zeros((SHOWN, side * side))
    padded[:, : numbers.shape[1]] = numbers[:SHOWN] / np.abs(numbers[:SHOWN]).max(axis=1, keepdims=True)
    drawn = [spy.drawn(numbers), np.broadcast_to(spy.images.mean(0), images.shape)]
    if law:
        mechanism, epsilon, low, high = law
        length = radius(mechanism, high)
        exact = placed(numbers, data.test_y[:TRIED], CLASSES, length)
        sent = mechanism.perturb(exact, epsilon, low, high, stream(0, "attack noise"))
        drawn.append(spy.drawn_from(sent, mechanism.at(epsilon, low, high), CLASSES, length))
    quality = [float(np.median(psnr(one.astype(np.float64), images.astype(np.float64)))) for one in drawn]
    coloured = _coloured(padded.reshape(-1, side, side))
    return [_grey(images), coloured, *map(_grey, [drawn[0], *drawn[2:]])], quality


def _rows(experiment: Experiment) -> Rows:
    seen, mixed = plan(experiment).attacked, bool(experiment.trust.unseen)
    no_law = experiment.target != "class_means" or seen.randomiser.role == "identity"
    if no_law or mixed or plan(experiment).source.classes != CLASSES:
        return _drawn(experiment.features, None)
    epsilon, low, high = (float(one[0, 0]) for one in seen.population.columns([0]))
    return _drawn(experiment.features, (seen.randomiser, epsilon, low, high))


def _grey(images: NDArray[Any]) -> NDArray[Any]:
    return 1 - images[:SHOWN, ..., None] * np.ones(3)


def _figure(png: str) -> Figure:
    bare = {"visible": False}
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1, "xanchor": "left"}
    shown = {"source": f"data:image/png;base64,{png}", "layer": "above", **place}
    return figure([], x=bare, y=bare, images=[shown], margin={"l": 0, "r": 0, "t": 0, "b": 0})


def _sheet(rows: list[NDArray[Any]]) -> str:
    """PNG in base64 of rows of pictures."""
    sheet = np.full((len(rows) * (SIDE + GAP) - GAP, SHOWN * (SIDE + GAP) - GAP, 3), 255, np.uint8)
    for down, row in enumerate(rows):
        for across, one in enumerate(row):
            place = np.arange(SIDE) * len(one) // SIDE
            top, left = down * (SIDE + GAP), across * (SIDE + GAP)
            sheet[top : top + SIDE, left : left + SIDE] = one[place][:, place] * 255
    file = io.BytesIO()
    Image.fromarray(sheet).save(file, "PNG")
    return b64encode(file.getvalue()).decode()


def _coloured(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values in [−1, 1] as colours (…, 3) in [0, 1]."""
    strong = np.abs(values)[..., None]
    return 1 - strong * (1 - np.where(values[..., None] > 0, ABOVE, BELOW) / 255)
