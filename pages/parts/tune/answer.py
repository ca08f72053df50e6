"""View of the search for the least ε: runs over ε, and the answer."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from ldp_core.experiment import Draft, changed
from ldp_core.runs import COLOURS, OTHERWISE, Job, SearchProgress, known
from ldp_core.tuning import Question
from ldp_core.tuning.leaks import cap, leaks_of
from ldp_core.tuning.least_epsilon import UNSURE, bracket, leak_in_words, tried
from pages.parts.charts.base import Figure, Lines, colour, look, scatter, share_axis
from pages.parts.charts.pareto import budget_axis
from pages.parts.runs.job_state import far_state, is_gone
from pages.parts.runs.launching import asked_of
from pages.parts.tune.price import three_figures
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.shared_cache import watch_record
from pages.parts.ui.text import covered, number, percent, plain
from pages.parts.ui.text import seconds as duration
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.workspace import start_with

AskAgain = Callable[[Question], None]


def answer_view(job: Job | None, ask_again: AskAgain | None = None) -> None:
    """A job's search, or an explanation. `ask_again` launches a search on the page of the job's draft."""
    if job is None:
        st.info(
            "Theory first says between which budgets the answer may lie, for each range; a few runs find "
            "where the target is crossed, eight seeds of each setting decide, eight more confirm the one "
            "that is chosen, and eight fresh ones check it, or it goes on. The runs appear here."
        )
    else:
        draw = partial(_watch, ask_again)
        watch_record(job, SearchProgress, "question", draw, own=ask_again is not None)


def _watch(ask_again: AskAgain | None, job: Job, found: SearchProgress) -> None:
    asked = asked_of(job)
    if asked is None:
        st.error("What was asked cannot be read any more.")
        return
    _state(job, found)
    if is_gone(job):
        return
    # the answer comes a moment before the job's end, until which nothing else of this draft is launched
    _answer(asked, found, None if job.live else ask_again)
    if found.cells:
        card = Card(
            f"The way to {percent(asked.accuracy, 1)}",
            ": accuracy at each budget tried" + ", a line for each range" * (len(asked.ranges) > 1),
            f"dots: one run each; bold: settings with {asked.seeds} seeds or more, which decide",
            way_figure(asked, found),
            f"{len(found.cells)} runs; {found.answer['why'] if found.answer else 'no answer yet'}",
            height=380,
        )
        components.draw("cards", components.sheet([card]), key="way")


def _state(job: Job, found: SearchProgress) -> None:
    runs = f"{len(found.cells)} runs"
    attacked = f", {len(found.leaks)} budgets attacked" if found.leaks else ""
    far_state(job, 0.0, lambda left: f"Searching: {runs} so far{attacked}{left}", f"{runs}; they are kept")


def _more_in_words(more: Mapping[str, int], found: SearchProgress) -> str:
    """Text like `12 more runs, about 20 s`."""
    runs, uploads = more["runs"], more["uploads"]
    each = [one["seconds"] for one in found.cells] or [0.0]
    seconds = runs * float(np.mean(each))
    if uploads and (made := sum(one.get("made", 0) for one in found.leaks)):
        seconds += uploads * sum(one.get("seconds", 0.0) for one in found.leaks) / made
    named = [f"{number(n, 6)} more {what}" for n, what in ((runs, "runs"), (uploads, "uploads")) if n]
    return f"{' and '.join(named)}, about {duration(seconds)}"


def _answer(asked: Question, found: SearchProgress, ask_again: AskAgain | None) -> None:
    if found.answer is None:
        points, leaks = known(found.cells), leaks_of(found.leaks)
        so_far = [cap(asked, leaks, half) for half in asked.ranges]
        if caps := [one for one in so_far if one.most]:
            st.caption(plain(f"As far as was tried, {leak_in_words(asked, caps)}.", 400))
        for half in asked.ranges:
            fails, meets = bracket(tried(asked, points, half))
            if fails and meets:
                called = asked.called(half)
                ends = f"ε {number(fails.epsilon)} and ε {number(meets.epsilon)}{covered(asked.base)}"
                st.caption(plain(f"{called}: between {ends}" if called else f"Between {ends}"))
        return
    why = found.answer["why"]
    if found.answer["epsilon"] is None:
        st.warning(plain(f"{why}.", 1500))
        if (more := found.answer.get("more")) and ask_again is not None:
            again = st.button(
                _more_in_words(more, found),
                key="more trials",
                help="Asks the same once more. Runs that are known are not trained again.",
                on_click=_press,
                args=(ask_again, replace(asked, effort=more["effort"])),
            )
            if again:
                st.rerun()
        return
    epsilon, half = found.answer["epsilon"], found.answer["half"]
    st.markdown(f"### ε {number(epsilon)}{covered(asked.base)}{asked.called(half, ' with ')}")
    base = changed(asked.base, {"clients.epsilon": epsilon, "clients.range": half})
    reached = found.answer["mean"]
    leaked = [one for one in leaks_of(found.leaks) if (one.half, one.epsilon) == (half, epsilon)]
    three_figures(base, reached, asked.seeds, leaked)
    (st.warning if why.startswith(UNSURE) else st.success)(plain(f"{why[0].upper() + why[1:]}.", 500))
    if st.button("Open it on Train", key="open answer"):
        start_with(Draft.alone(base))
        st.switch_page("train.py")


@pressed
def _press(ask_again: AskAgain, question: Question) -> None:
    ask_again(question)


def way_figure(asked: Question, found: SearchProgress) -> Figure:
    """Every run over its ε, the mean of each setting as a line, and the target."""
    chart, points = Lines(), known(found.cells)
    axis = budget_axis([point.epsilon for point in points if point.epsilon is not None] or [0.1, 50.0])
    low, high = (10.0**end for end in axis["range"])
    chart.level(high, asked.accuracy, f"asked: {percent(asked.accuracy, 1)}", first=low, width=1)
    for place, half in enumerate(asked.ranges):
        tint = colour(OTHERWISE[place % COLOURS])
        ours = sorted((p.epsilon, value) for p, value in points.items() if p.half == half and p.epsilon)
        if not ours:
            continue
        budgets = sorted({epsilon for epsilon, _ in ours})
        means = [float(np.mean([value for at, value in ours if at == epsilon])) for epsilon in budgets]
        dots = look(colour(OTHERWISE[place % COLOURS], 0.35), 0, 5)
        chart.add(scatter(*zip(*ours, strict=True), **dots, hoverinfo="skip"))
        full = {one.epsilon for one in tried(asked, points, half)}
        style = look(tint, 2, 4)
        style["marker"]["size"] = [9 if epsilon in full else 4 for epsilon in budgets]
        words = asked.called(half) or "mean"
        line = scatter(budgets, means, name=words, hovertemplate="%{y:.1%}", **style)
        chart.add(line, means[-1], f"<b>{words}</b>", tint)
    return chart.figure(
        x={"title": f"budget ε{covered(asked.base)}", **axis},
        y={"title": "accuracy", **share_axis(1.02)},
    )
