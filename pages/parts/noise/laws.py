"""Charts of each design's law for the sliders' positions."""

from collections.abc import Iterator

import numpy as np

from ldp_core import mechanisms
from ldp_core.runs import tint_of
from pages.parts.charts.density import grey, law_figure
from pages.parts.noise.designs import different
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui.components import Card
from pages.parts.ui.text import number, signed


def laws(now: WhatIf, moving: bool = False) -> Iterator[Card]:
    """A chart for each different law; `moving`: in the short form of `law_figure`."""
    apart = different(now.seen)
    for view in apart:
        mechanism, epsilon, low, high = view.law
        weight = min(max(now.weight, low), high)
        law = mechanism.at(epsilon, low, high)
        variance = float(law.variance(weight))
        clipped = f", clipped to {signed(weight)}" if weight != now.weight else ""
        at, experiment = f"{number(epsilon)}{view.per}", view.design.experiment
        why = experiment.system.unpredicted(experiment) if experiment.system else ""
        other = f"; this one is the client's own: in a run {why}" if why else ""
        beside, tint = grey(mechanism, low, high), tint_of(mechanisms.registry, mechanism.name)
        yield Card(
            title=view.name,
            rest=f": what is sent for a weight of {signed(now.weight)}{clipped}, at ε {at}",
            caption=f"variance {number(variance)}, σ {number(np.sqrt(variance))}; {beside}{other}",
            figure=law_figure(law, tint, now.weight, low, high, moving),
            label=f"Law of {view.name} for a weight of {number(weight)} at ε {at}",
            height=282,
            row=len(apart),
        )
