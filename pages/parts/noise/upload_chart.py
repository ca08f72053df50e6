"""Chart of one client's upload before and after each design's mechanism."""

from collections.abc import Sequence

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream
from pages.parts.charts.base import Figure, colour, figure
from pages.parts.noise.designs import View
from pages.parts.ui.text import shortened

SHOWN = 48
BLUE, ORANGE = 2, 1


def upload_figure(seen: Sequence[View]) -> Figure:
    """A strip of initial weights, and each design's upload; colours end at the widest safe range."""
    low, high = min(view.low for view in seen), max(view.high for view in seen)
    experiment = seen[0].design.experiment
    source, generator = experiment.source, stream(experiment.seed, "initial model")
    before = experiment.model.initial(source.shape, source.classes, generator).astype(np.float64)
    rows = [("before", before[:SHOWN]), *((view.name, _sent(view, before)) for view in seen)]
    heat = {
        "type": "heatmap",
        "x": list(range(1, SHOWN + 1)),
        "y": [shortened(label, 22) for label, _ in rows],
        "z": [[round(float(v), 4) for v in values] for _, values in rows],
        "zmid": (low + high) / 2,
        "zmin": low,
        "zmax": high,
        "colorscale": [[0, colour(ORANGE)], [0.5, colour(0, 0.06)], [1, colour(BLUE)]],
        "showscale": False,
        "xgap": 1,
        "ygap": 6,
        "hovertemplate": "weight %{x}, %{y}: %{z:.3g}<extra></extra>",
    }
    return figure(
        [heat],
        x={"showticklabels": False},
        y={"type": "category", "autorange": "reversed", "showgrid": False},
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 4, "b": 4},
    )


def _sent(view: View, before: Floats) -> Floats:
    experiment = view.design.experiment
    piece = experiment.pieces()[0]
    layer = before[piece.columns] if view.mechanism.scope != "coordinate" else before[:SHOWN]
    noise = stream(experiment.seed, "noise")
    return piece.mechanism.perturb(layer, view.epsilon, view.low, view.high, noise)[:SHOWN]
