"""The wall of a class whose students are the clients: accuracy, and accuracy by group; budgets."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from ldp_core.classroom import Session, own_digits
from ldp_core.classroom.own_digits import MEAN, STOCK, WEIGHED, Served
from ldp_core.experiment import Draft, plan
from ldp_core.runs import Job
from ldp_core.theory import client_weights, server_noise
from pages.parts.charts.base import MUTED, Figure, figure, log_axis, scatter
from pages.parts.classroom.wall import HEIGHT, SECONDS, count, curve, heading
from pages.parts.learn.language import say
from pages.parts.ui import components
from pages.parts.ui.polling import outlook_of, refreshing
from pages.parts.ui.shared_cache import job_now
from pages.parts.ui.text import number, percent
from pages.parts.watch.live import settings_of

LISTENS = {MEAN: "to all", WEIGHED: "to few"}
"""Words for whom the server listens to."""


def wall(session: Session, job: Job | None, other: bool) -> None:
    """The wall while the room draws, trains and sees what came of it; the `other` picture: who takes part."""
    heading(session)
    if session.phase in ("ask", "closed") or job is None:
        with st.container(key="room-choices"):
            st.markdown(say("again") if job else say("how"))
        refreshing(count, every=SECONDS)(session, "drawn", "drawing closed")
    elif session.phase == "running":
        refreshing(curve, every=SECONDS)(job.id)
    elif other:
        _budgets(session)
    else:
        left, right = st.columns(2, gap="medium")
        with left:
            curve(job.id, height=HEIGHT)
        with right, st.container(key="room-why"):
            refreshing(_served, every=SECONDS)(session, job.id)


def _budgets(session: Session) -> None:
    clients = [*own_digits.all_sent(session).values()]
    missing = max(0, own_digits.CLIENTS[0] - len(clients))
    words = say("takes part", n=len(clients)) + say("stock", n=missing) * bool(missing)
    st.markdown(words)
    shown = budgets_figure([(one.epsilon, one.half) for one in clients], missing)
    components.chart(shown, key="budgets of the class", label=f"Budgets and ranges: {words}", height=HEIGHT)


def budgets_figure(asks: list[tuple[float, float]], missing: int) -> Figure:
    """A dot per client by ε and τ, both logarithmic; equal dots are spread around their position."""
    turn = np.arange(len(asks)) * 2.399963  # radians: no two dots in one direction
    spread = 10 ** (0.05 * np.sqrt(np.arange(len(asks)) % 7) * np.array([np.cos(turn), np.sin(turn)]))
    own = np.array(asks).reshape(-1, 2)
    marker = {"color": "var(--st-primary-color)", "size": 15, "opacity": 0.75}
    x, y = own[:, 0] * spread[0], own[:, 1] * spread[1]
    dots = scatter(x, y, mode="markers", marker=marker, hoverinfo="skip")
    stock = scatter(
        *([value] * bool(missing) for value in STOCK),
        mode="markers+text",
        marker={"color": MUTED, "size": 24, "symbol": "circle-open", "line": {"width": 2}},
        text=[f"{missing} stock"],
        textposition="bottom center",
        textfont={"color": MUTED, "size": 14},
        hoverinfo="skip",
    )
    return figure(
        [stock, dots],
        x={"title": "budget ε for each number sent", **log_axis(-1.2, 2.0)},
        y={"title": "safe range ±τ", **log_axis(-1.9, 0.5)},
        hovermode=False,
    )


def _served(session: Session, identity: str) -> None:
    found = own_digits.served(session, job_now(identity))
    if not found:
        st.header(say("no run"), anchor=False)
        return
    unlike = all(found[0].right)  # else all are strict, or none
    for one in found:
        strict, others = (say("of these", n=sum(hits), all=len(hits)) for hits in one.right)
        words = {"label": f"{one.label}, {say(LISTENS[one.label])}", "share": percent(one.say)}
        read = {"right": sum(map(sum, one.right)), "all": sum(map(len, one.right))}
        groups = {"strict": strict, "others": others}
        st.markdown(say("say" if unlike else "say of all", **words, **read, **groups))
    if (draft := settings_of(job_now(identity))) and (why := why_the_mean(found, draft)):
        st.markdown(why)
    if unlike:
        st.markdown(say("strict"))


def why_the_mean(found: Sequence[Served], draft: Draft) -> str:
    """Why the mean reads more drawings than weights by 1/σ²; "" if it does not, or noise explains it."""
    right = {one.label: sum(map(sum, one.right)) for one in found}
    of = dict(zip((MEAN, WEIGHED), draft.experiments(), strict=True))
    view = outlook_of(of[MEAN])
    if right[MEAN] <= right[WEIGHED] or view.word in ("chance", "unknown"):
        return ""
    sigma = math.sqrt(server_noise(plan(of[MEAN])).heard)
    voices = 1 / float((client_weights(plan(of[WEIGHED])) ** 2).sum())
    return say("mean reads more", voices=number(voices, 2), all=of[MEAN].clients.count, sigma=number(sigma))
