"""View of the search for the least ε: runs over ε, and the answer."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.experiment import Draft, changed
from ldp_core.runs import COLOURS, OTHERWISE, Job, SearchProgress, accuracy_of
from ldp_core.tuning import Question
from ldp_core.tuning.leaks import leaks_of
from pages.parts.charts.base import Figure, Lines, colour, look, scatter, share_axis
from pages.parts.charts.pareto import budget_axis
from pages.parts.runs.job_state import far_state, is_gone
from pages.parts.runs.launching import asked_of
from pages.parts.tune.price import three_figures
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.shared_cache import watch_record
from pages.parts.ui.text import covered, number, percent, plain
from pages.parts.ui.workspace import start_with


def answer_view(job: Job | None, own: bool = False) -> None:
    """A job's search (`own` as for `watch_record`), or an explanation."""
    if job is None:
        st.info(
            "Short trials find where the accuracy is crossed, with each range; then fresh seeds judge one "
            "budget after another, until a further run surely reaches it. The runs appear here."
        )
    else:
        watch_record(job, SearchProgress, "question", _watch, own)


def _watch(job: Job, found: SearchProgress) -> None:
    asked = asked_of(job)
    if asked is None:
        st.error("What was asked cannot be read any more.")
        return
    _state(job, found)
    if is_gone(job):
        return
    if found.answer is not None:
        _answer(asked, found, found.answer)
    if found.cells:
        card = Card(
            f"The way to {percent(asked.accuracy, 1)}",
            ": accuracy at each budget tried" + ", a line for each range" * (len(asked.ranges) > 1),
            f"dots: one run each; bold: with {asked.seeds} fresh seeds or more, which judge",
            way_figure(asked, found),
            f"{len(found.cells)} runs; {found.answer['why'] if found.answer else 'no answer yet'}",
            height=380,
        )
        components.draw("cards", components.sheet([card]), key="way")


def _state(job: Job, found: SearchProgress) -> None:
    runs = f"{len(found.cells)} runs"
    attacked = f", {len(found.leaks)} budgets attacked" if found.leaks else ""
    far_state(job, 0.0, lambda left: f"Searching: {runs} so far{attacked}{left}", f"{runs}; they are kept")


def _answer(asked: Question, found: SearchProgress, answer: Mapping[str, Any]) -> None:
    why, epsilon, half = answer["why"], answer["epsilon"], answer["half"]
    if epsilon is None:
        st.warning(plain(f"{why}.", 1500))
        return
    st.markdown(f"### ε {number(epsilon)}{covered(asked.base)}{asked.called(half, ' with ')}")
    base = changed(asked.base, {"clients.epsilon": epsilon, "clients.range": half})
    leaked = [one for one in leaks_of(found.leaks) if (one.half, one.epsilon) == (half, epsilon)]
    three_figures(base, answer["mean"], leaked)
    st.success(plain(f"{why[0].upper() + why[1:]}.", 500))
    if st.button("Open it on Train", key="open answer"):
        start_with(Draft.alone(base))
        st.switch_page("train.py")


def way_figure(asked: Question, found: SearchProgress) -> Figure:
    """Every run over its ε, the mean of each setting as a line, and the target."""
    chart, cells = Lines(), [one for one in found.cells if one["epsilon"] is not None]
    axis = budget_axis([one["epsilon"] for one in cells] or [0.1, 50.0])
    low, high = (10.0**end for end in axis["range"])
    chart.level(high, asked.accuracy, f"asked: {percent(asked.accuracy, 1)}", first=low, width=1)
    for place, half in enumerate(asked.ranges):
        tint = colour(OTHERWISE[place % COLOURS])
        ours = sorted((one["epsilon"], accuracy_of(one)) for one in cells if one["half"] == half)
        if not ours:
            continue
        budgets = sorted({epsilon for epsilon, _ in ours})
        every = [[value for at, value in ours if at == epsilon] for epsilon in budgets]
        means = [float(np.mean(one)) for one in every]
        dots = look(colour(OTHERWISE[place % COLOURS], 0.35), 0, 5)
        chart.add(scatter(*zip(*ours, strict=True), **dots, hoverinfo="skip"))
        style = look(tint, 2, 4)
        style["marker"]["size"] = [9 if len(one) >= asked.seeds else 4 for one in every]
        words = asked.called(half) or "mean"
        line = scatter(budgets, means, name=words, hovertemplate="%{y:.1%}", **style)
        chart.add(line, means[-1], f"<b>{words}</b>", tint)
    return chart.figure(
        x={"title": f"budget ε{covered(asked.base)}", **axis},
        y={"title": "accuracy", **share_axis(1.02)},
    )
