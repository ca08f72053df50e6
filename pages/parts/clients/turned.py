"""Examples of features as images, with their public assumptions."""

from __future__ import annotations

import io
from base64 import b64encode
from functools import lru_cache

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image

from ldp_core import datasets, features
from ldp_core.datasets import data_dir
from ldp_core.experiment import Experiment
from ldp_core.features import Features
from pages.parts.charts.base import figure
from pages.parts.ui import components
from pages.parts.ui.fields import component
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import number, plain
from pages.parts.ui.workspace import Workspace

SHOWN = 6
SIDE, GAP = 56, 8
"""Side of an image, and distance between two, in pixels."""
ABOVE, BELOW = np.array([31, 90, 160]), np.array([190, 85, 20])
"""Colours of the largest and the smallest number; 0 is white."""


def features_field(workspace: Workspace, experiment: Experiment) -> None:
    component(workspace, "features", "Turned into", features.registry, experiment.features)


def turned(experiment: Experiment) -> None:
    """Draw examples of images and their features; nothing without features."""
    made = experiment.features
    if made.identity or not datasets.get(experiment.dataset).images:
        return
    width = number(experiment.source.features, 6)
    st.markdown(f"**Each client turns its image into {width} numbers and trains on these**")
    words = f"Six public digits, and below each the {width} numbers that it becomes"
    components.chart(_figure(_picture(made)), key="turned", height=150, label=words)
    st.caption(f"{words}: blue above 0, orange below, white at 0; the digits are MNIST’s own test images.")
    st.caption(
        f"Assumed public: {plain(made.assumed[0].lower() + made.assumed[1:], 400)} The program is the same "
        "for everybody and reads nobody’s data. Whoever attacks an upload recovers such numbers, not pixels; "
        "they still tell much of an image’s shape."
    )


def _figure(png: str) -> Figure:
    bare = {"visible": False, "fixedrange": True}
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1, "xanchor": "left"}
    shown = {"source": f"data:image/png;base64,{png}", "layer": "above", **place}
    return figure([], x=bare, y=bare, images=[shown], margin={"l": 0, "r": 0, "t": 0, "b": 0})


@lru_cache(maxsize=32)
def _picture(made: Features) -> str:
    """PNG in base64: images above, their features below."""
    images = datasets.get("mnist_sample").load(data_dir()).test_x[:SHOWN]
    numbers = made.of(images)
    side = int(np.ceil(np.sqrt(numbers.shape[1])))
    padded = np.zeros((len(numbers), side * side))
    padded[:, : numbers.shape[1]] = numbers / np.abs(numbers).max(axis=1, keepdims=True)
    rows = [1 - images[..., None] * np.ones(3), _coloured(padded.reshape(-1, side, side))]
    sheet = np.full((2 * SIDE + GAP, SHOWN * (SIDE + GAP) - GAP, 3), 255, np.uint8)
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
