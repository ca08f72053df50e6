"""Charts of lessons: numbers that ε covers, and reconstruction quality over variance."""

from math import ceil, log10, sqrt

import numpy as np
import streamlit as st

from ldp_core import mechanisms, presets
from ldp_core.accounting import Promise, worth
from ldp_core.attacks.findings.verdict import READ
from ldp_core.composition.compose import compose_counts
from ldp_core.lessons import LessonPlan
from ldp_core.runs import outcomes, stored_ladder, styles, tint_of
from pages.parts.charts.base import (
    MUTED,
    PAPER,
    TEXT,
    Figure,
    Lines,
    colour,
    figure,
    line_style,
    log_axis,
    note,
    scatter,
    share_axis,
)
from pages.parts.learn.line_up import line_up
from pages.parts.ui import components
from pages.parts.ui.text import at_most, number, percent

EPSILON, DELTA = 1.0, 1e-5
SIZES = {
    "one weight": 1,
    "logistic regression, 650 weights": 650,
    "one hidden layer, 2 410 weights": 2410,
    "the papers' network, 50 000 weights": 50_000,
}
ROUNDS = (1, 2, 5, 15, 50, 100)
SENT = "What a person sends in a round"
CLASSES = "Accuracy on each of the ten digits"
RELEASES = f"One dot is one number sent, at ε {EPSILON:g}"
LEAK = "The better estimator leaks more"
MOST_DOTS = 12_000
"""Number of dots above which the square is solid."""
MARKED = 8.0
"""ε of the lesson, written beside its dots."""


def figure_of(plan: LessonPlan, found: outcomes.ScenarioResult | None = None) -> None:
    """Draw the lesson's own chart; accuracy on each class is drawn as `found`, where no run shows it."""
    if plan.figure == "classes" and found:
        with st.container(border=True, key="lesson-classes"):
            st.header(CLASSES, anchor=False)
            drawn, words = classes_figure(plan, found)
            components.chart(drawn, key="accuracy by digit", label=words, height=300)
    elif plan.figure == "releases":
        _releases()
    elif plan.figure == "leak":
        _leak()
        line_up()


def _releases() -> None:
    with st.container(border=True, key="lesson-dots"):
        st.header(RELEASES, anchor=False)
        left, right = st.columns([1, 2], gap="large")
        with left:
            model = st.select_slider(SENT, list(SIZES), list(SIZES)[1], key="dots of a model")
            rounds = st.select_slider("Rounds", ROUNDS, 15, key="dots of rounds")
            uses = SIZES[model] * rounds
            for sentence in added_up(uses):
                st.markdown(sentence)
        with right:
            components.chart(dots_figure(uses), key="dots", label=dots_in_words(uses), height=330)


def added_up(uses: int) -> list[str]:
    """What so many numbers, each with ε, come to for a person, as Markdown."""
    bound = compose_counts((EPSILON,), (uses,), DELTA if uses > 1 else 0.0)
    found = worth(Promise(bound.epsilon, bound.delta, bound.rule, bound.basic, None, True))
    best = f"The best proof for any mechanism: **ε {at_most(bound.epsilon, 6)}** at δ 10⁻⁵."
    return [
        f"**{number(uses, 9)} number{'s, each' if uses > 1 else ''}** with ε {EPSILON:g}: "
        f"added up, **ε {number(uses * EPSILON, 9)}** for the person.",
        *([best] if uses > 1 else []),
        f"It {found.promises}: the server can tell two values apart {found.odds}.",
    ]


def dots_in_words(uses: int) -> str:
    return f"{number(uses, 9)} dots, one for each number that a person sends"


def dots_across(uses: int) -> tuple[int, int, str]:
    """Number of dots that are drawn, how many in a row, and a note where these are not all."""
    shown = min(uses, MOST_DOTS)
    less = f"{number(uses, 9)} dots: the sheet shows {number(shown, 9)} of them" if uses > shown else ""
    return shown, ceil(sqrt(shown * 2)), less


def dots_figure(uses: int) -> Figure:
    """A dot for each number that ε covers, in a square; a solid square beyond MOST_DOTS."""
    shown, side, words = dots_across(uses)
    x, y = np.arange(shown) % side, np.arange(shown) // side
    size = float(np.clip(420 / side, 2.0, 26))
    marker = {"color": TEXT, "size": size, "symbol": "square"}
    hidden = {"visible": False, "range": [-1, side]}
    return figure(
        [scatter(x, y, mode="markers", marker=marker, hoverinfo="skip")],
        x=hidden,
        y={**hidden, "range": [max(1, (shown - 1) // side) + 1, -1]},
        hovermode=False,
        annotations=[note(0, 1.08, words, size=14, **PAPER)],
    )


def _leak() -> None:
    stored = stored_ladder.stored_ladder()
    if stored is None:
        return
    with st.container(border=True, key="lesson-leak"):
        st.header(LEAK, anchor=False)
        shown, words = leak_figure(stored)
        st.caption(leak_caption(stored))
        components.chart(shown, key="leak against variance", label=words, height=340)


def leak_caption(stored: stored_ladder.StoredLadder) -> str:
    return (
        f"Other images than above, those of *{stored.scenario}*, through another "
        "network. One dot a budget: to the right the server hears a weight more exactly; upwards the "
        f"attacker's picture is more alike to the image (median of {stored.desk.start['n']})."
    )


def classes_figure(plan: LessonPlan, found: outcomes.ScenarioResult) -> tuple[Figure, str]:
    """Chart of the stored accuracy on each class, averaged over seeds, a line per run; and its text."""
    draft = presets.get(plan.scenario).draft
    chart, words = Lines(), []
    for variant, style in zip(draft.variants, styles(draft), strict=True):
        each = [one.per_class for one in found.results if one.label == variant.label]
        shares, tint = np.mean(each, axis=0), colour(style.tint)
        digits = [str(digit) for digit in range(len(shares))]
        line = scatter(digits, shares, name=variant.label, **line_style(tint, 2.5, 8))
        chart.add(line, shares[-1], f"<b>{variant.label}</b>", tint)
        words.append(f"{variant.label}: " + ", ".join(percent(share) for share in shares))
    return chart.figure(x={"title": "digit", "type": "category"}, y=share_axis(1.05)), "; ".join(words)


def leak_figure(stored: stored_ladder.StoredLadder) -> tuple[Figure, str]:
    """Chart of the stored attack grid: correlation with the image over the variance of one output; and its
    text.
    """
    half = float(stored.desk.start["ladder"]["base"]["clients"]["range"])
    chart, variances, words = Lines(), list[float](), []
    for name in dict.fromkeys(name for name, _ in stored.desk.cells):
        tint = tint_of(mechanisms.registry, name)
        law, label = mechanisms.get(name), mechanisms.registry.labels()[name]
        cells = sorted((e, cell["ncc"]) for (of, e), cell in stored.desk.cells.items() if of == name)
        x = [float(law.variance(0.0, e, -half, half)) for e, _ in cells]
        y = [ncc for _, ncc in cells]
        hover = f"{label}, %{{hovertext}}: alike %{{y:.2f}}<extra></extra>"
        tips = [f"ε {number(e)}" for e, _ in cells]
        marked = [tip if e == MARKED else "" for tip, (e, _) in zip(tips, cells, strict=True)]
        style = line_style(colour(tint), 1.5, 9) | {"mode": "lines+markers+text", "textposition": "top left"}
        line = scatter(x, y, name=label, **style, text=marked, hovertext=tips, hovertemplate=hover)
        chart.add(line, y[-1], f"<b>{label}</b>, {tips[-1]}", colour(tint))
        variances += x
        words.append(f"{label}: alike up to {max(y):.2f} at a variance of {number(min(x))}")
    chart.ends.append((READ, f"below {READ}: not read", MUTED))
    axis = log_axis(log10(min(variances)) - 0.2, log10(max(variances)) + 0.2)
    title = "variance of the answer for one weight (less: more exact)"
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": READ, "y1": READ}
    drawn = chart.figure(
        x={"title": title, **axis, "range": axis["range"][::-1]},
        y={"title": "how alike the picture is", "range": [-0.3, 1.05]},
        shapes=[line | {"line": {"color": MUTED, "dash": "dot", "width": 1}}],
        hovermode="closest",
    )
    return drawn, "; ".join(words)
