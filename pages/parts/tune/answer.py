"""View of the search for the least ε: runs over ε, and the answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.experiment import Draft, changed
from ldp_core.inference import finding
from ldp_core.runs import COLOURS, OTHERWISE, Job, SearchProgress, accuracy_of
from ldp_core.tuning import Question
from ldp_core.tuning.fits import fitted
from pages.parts.charts.base import Figure, Lines, colour, line_style, scatter, share_axis
from pages.parts.charts.pareto import budget_axis
from pages.parts.runs.job_state import far_state, is_gone
from pages.parts.runs.launching import asked_of
from pages.parts.tune.price import chip, three_figures
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.header import headline
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
    asked = fitted(asked, found.fits)
    if is_gone(job):
        return
    if found.answer is not None:
        _answer(asked, found, found.answer)
    if found.cells:
        card = ChartCard(
            f"The way to {percent(asked.accuracy, 1)}",
            ": accuracy at each budget tried" + (", a line for each range" if len(asked.ranges) > 1 else ""),
            f"dots: one run each; bold: with {asked.seeds} fresh seeds or more, which judge",
            way_figure(asked, found),
            f"{len(found.cells)} runs; {found.answer['why'] if found.answer else 'no answer yet'}",
            height=380,
        )
        components.draw("cards", components.sheet([card]), key="way")


def _state(job: Job, found: SearchProgress) -> None:
    runs = f"{len(found.cells) + len(found.fits)} runs"
    far_state(job, 0.0, lambda left: f"Searching: {runs} so far{left}", f"{runs}; they are kept")


def _answer(asked: Question, found: SearchProgress, answer: Mapping[str, Any]) -> None:
    epsilon, half = answer["epsilon"], answer["half"]
    why = plain(f"{answer['why'][0].upper()}{answer['why'][1:]}.", 1500)
    if epsilon is None:
        headline(*(_none(asked, found.cells), why) if found.cells else (why,))
        return
    budget = f"ε {number(epsilon)}{covered(asked.base)}{asked.called(half, ' with ')}"
    headline(finding("least", budget=budget, wanted=percent(asked.accuracy, 1)).text(), why)
    base = changed(asked.base, {"clients.epsilon": epsilon, "clients.range": half})
    three_figures(
        base, chip("Accuracy", percent(answer["mean"], 1), "mean of fresh seeds, on held-out samples")
    )
    if st.button("Open it on Train", key="open answer"):
        start_with(Draft.alone(base))
        st.switch_page("train.py")


def _none(asked: Question, cells: Sequence[Mapping[str, Any]]) -> str:
    """What can be asked for where nothing surely reaches what is."""
    noisy, clean = dict[tuple[float, float], list[float]](), [0.0]
    for one in cells:
        own = clean if one["epsilon"] is None else noisy.setdefault((one["half"], one["epsilon"]), [])
        own.append(accuracy_of(one))
    top = max((float(np.mean(each)) for each in noisy.values()), default=0.0)
    ends = {"top": percent(top, 1), "clean": percent(max(clean), 1)}
    return finding("no least", wanted=percent(asked.accuracy, 1), **ends).text()


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
        dots = line_style(colour(OTHERWISE[place % COLOURS], 0.35), 0, 5)
        chart.add(scatter(*zip(*ours, strict=True), **dots, hoverinfo="skip"))
        style = line_style(tint, 2, 4)
        style["marker"]["size"] = [9 if len(one) >= asked.seeds else 4 for one in every]
        words = asked.called(half) or "mean"
        line = scatter(budgets, means, name=words, hovertemplate="%{y:.1%}", **style)
        chart.add(line, means[-1], f"<b>{words}</b>", tint)
    return chart.figure(
        x={"title": f"budget ε{covered(asked.base)}", **axis}, y={"title": "accuracy", **share_axis(1.02)}
    )
