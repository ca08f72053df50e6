"""Panel on the privacy loss of float32 rounding."""

import html
import math
from collections.abc import Sequence

import streamlit as st

from ldp_core import mechanisms
from ldp_core.accounting import float_table
from ldp_core.accounting.float_table import Measured
from ldp_core.accounting.floats import DRAWS, SAMPLE
from ldp_core.accounting.mechanism_audit import Precision
from ldp_core.runs import tint_of
from pages.parts.charts.base import Figure, colour, figure, scatter
from pages.parts.noise.designs import View, different
from pages.parts.noise.variance_charts import upright
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.text import number, percent, plain, signed

ARITHMETIC: dict[Precision, str] = {"float64": "exact (float64)", "float32": "as it runs (float32)"}
TICKS = [0.1, 0.2, 0.5, 1, 2, 4, 8, 20]


def given_away(seen: Sequence[View], chart: bool = True) -> None:
    """Draw the share of outputs that identify their input; without `chart` during a drag, to save time."""
    once = [view for view in different(seen) if view.mechanism.role != "identity"]
    known = [(view, float_table.measured(view.mechanism, view.low, view.high)) for view in once]
    st.markdown(
        "**What the arithmetic gives away.** The laws above are exact; what runs is float32, and rounds"
    )
    words, beside = st.columns(2)
    with words:
        for view, found in known:
            st.markdown(f"- {_sentence(view, found)}")
        st.markdown(
            "**Simulation noise is not production noise.** It is drawn from a seed, so that a run can be "
            "repeated: anyone who knows the seed can subtract it. And what float32 rounds can give a "
            "weight away, whatever ε says. A real deployment needs a cryptographic generator and a mechanism "
            "made for finite precision (snapped or discrete)."
        )
    drawn = [(view, found) for view, found in known if found is not None]
    if drawn and chart:
        about = float_table.about()
        card = Card(
            title="Answers that only one end of the safe range gives",
            rest=", in float32",
            caption=f"the larger share of the two ends; all {number(DRAWS, 8)} draws tried, of Gaussian "
            f"noise {number(SAMPLE, 6)} answers; {about['date']}, numpy {about['numpy']}",
            figure=share_figure(drawn),
            label="Share of answers that only one end of the safe range gives in float32, against the budget",
            height=220,
        )
        with beside:
            components.draw("cards", components.sheet([card]), key="floats")


def _sentence(view: View, found: Measured | None) -> str:
    name, whole = plain(view.name), view.mechanism.scope == "upload"
    if found is None:
        return (
            f"{name}: not in the measured table with these parameters; where one use is one weight, the "
            "audit above looks for such answers in float32."
        )
    nearest = found.nearest(view.epsilon)
    here, notes = found.found[nearest], []
    if not math.isclose(nearest, view.epsilon):
        notes.append(f"the measured one nearest to {number(view.epsilon)}{view.per}")
    if (found.low, found.high) != (view.low, view.high) and not whole:
        notes.append(f"on [{signed(found.low)}, {signed(found.high)}]")
    at = f"at ε {number(nearest)}" + (f" ({', '.join(notes)})" if notes else "")
    if here.share:
        least = "" if here.exact else "at least "
        return (
            f":red[**{least}{percent(here.share, 1 if here.share > 0.99 else 0)}**] of {name}'s answers {at} "
            "to a weight at one end of the safe range cannot come from the other end: such an answer gives "
            "the weight away."
        )
    if whole:
        return (
            f"**None** of {number(SAMPLE, 6)} answers of {name} {at} tells whether a weight of the upload is "
            "0: each can come from a weight that is not, and the other way round. They are computed in "
            "float64 and rounded to a grid that hangs on nothing but what everybody knows: ε and the limits."
        )
    most = "" if here.loss is None else f"; the most that one tells is {number(here.loss, 4)}"
    return f"**None** of {name}'s answers {at} is out of reach of the other end of the safe range{most}."


def share_figure(drawn: Sequence[tuple[View, Measured]]) -> Figure:
    """That share over measured ε, with a dot at the one nearest to the client's."""
    traces, ends = [], []
    for view, found in drawn:
        paint = colour(tint_of(mechanisms.registry, view.mechanism.name))
        shares = {epsilon: one.share or 0.0 for epsilon, one in found.found.items()}
        line = {"color": paint, "width": 3}
        hover = "%{y:.1%} at ε %{x}<extra>" + html.escape(view.name) + "</extra>"
        traces.append(scatter([*shares], [*shares.values()], mode="lines", line=line, hovertemplate=hover))
        nearest, dot = found.nearest(view.epsilon), {"color": paint, "size": 10}
        traces.append(scatter([nearest], [shares[nearest]], mode="markers", marker=dot, hoverinfo="skip"))
        ends.append(([*shares.values()][-1], html.escape(view.name[:24]), paint))
    first, last = float_table.EPSILONS[0], float_table.EPSILONS[-1]
    across = [math.log10(first) - 0.03, math.log10(last) + 0.03]
    return figure(
        traces,
        x={"title": "budget ε", "type": "log", "range": across, "tickvals": TICKS},
        y={"range": [-0.04, 1.04], "tickformat": ".0%", "nticks": 5},
        hovermode="closest",
        ends=ends,
        gap=0.1,
        shapes=[upright(e) for e in sorted({min(max(view.epsilon, first), last) for view, _ in drawn})],
    )
