"""The board of a class whose students are the clients: budgets, accuracy, and accuracy by group."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from ldp_core.classroom import Session, own_digits
from ldp_core.classroom.own_digits import MEAN, ROUNDS, STOCK, WEIGHED, Served
from ldp_core.experiment import Draft, plan
from ldp_core.runs import Job, progress_of
from ldp_core.theory import client_weights, server_noise
from pages.parts.charts.base import MUTED, Figure, figure, log_axis, scatter
from pages.parts.charts.rounds import accuracy_figure
from pages.parts.charts.series import series
from pages.parts.ui import components
from pages.parts.ui.polling import outlook_of, refreshing
from pages.parts.ui.shared_cache import job_now
from pages.parts.ui.text import number, percent, plain
from pages.parts.watch.live import settings_of

SECONDS = 1.0
HEIGHT = 230
"""Height of a chart in pixels."""
LISTENS = {MEAN: "listens to all alike", WEIGHED: "listens to little noise"}


def board(session: Session, job: Job | None) -> None:
    places = st.columns(3 if job else 2, gap="small")
    with places[0]:
        refreshing(_budgets, every=2 * SECONDS)(session)
    if job is None:
        with places[1], st.container(border=True, height="stretch", key="room-why"):
            _how()
        return
    with places[1]:
        refreshing(curve, every=SECONDS)(job.id)
    with places[2]:
        refreshing(_served, every=SECONDS)(session, job.id)


def _how() -> None:
    least, most = own_digits.CLIENTS
    st.markdown("**What happens with your digit**")
    st.markdown(
        "Your client trains on it and on at least 40 stock digits of all ten kinds. If fewer than "
        f"{least} of you draw, stock clients fill up (ε {STOCK[0]:g}, ±{STOCK[1]:g}); at most {most} can "
        "draw. The server sees what your client sends: clipped to ±τ, with noise for ε."
    )
    st.markdown("Afterwards your own phone shows what the server could read of your digit.")


def _budgets(session: Session) -> None:
    clients = [*own_digits.all_sent(session).values()]
    missing = max(0, own_digits.CLIENTS[0] - len(clients))
    with st.container(border=True, key="room-guesses"):
        stock = f", and {missing} stock clients" if missing else ""
        words = f"{len(clients)} of you{stock}"
        st.markdown(f"**Who takes part**: {words}")
        shown = budgets_figure([(one.epsilon, one.half) for one in clients], missing)
        label = f"Budgets and ranges: {words}"
        components.chart(shown, key="budgets of the class", label=label, height=HEIGHT)


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


def curve(identity: str) -> None:
    """Accuracy by round of each aggregator, over the same noisy uploads."""
    job = job_now(identity)
    draft = settings_of(job)
    if draft is None:
        return
    progress = progress_of(job).update()
    shown, reference = series(progress, draft)
    done = progress.at()
    with st.container(border=True, key="room-curve"):
        ended = f"{ROUNDS} rounds" if done else plain(job.message)
        state = f"round {done} of {ROUNDS}" if job.live else ended
        st.markdown(f"**Stock digits that it reads right**: {state}")
        chance = next((one.start["chance"] for one in progress.runs if one.start), None)
        drawn = accuracy_figure(shown, ROUNDS, chance, reference)
        words = ", ".join(f"{one.label}: {percent(one.mean()[-1])}" for one in shown if len(one.mean()))
        label = f"Accuracy by round. {words}"
        components.chart(drawn, key="accuracy of the room", label=label, height=HEIGHT)


def _served(session: Session, identity: str) -> None:
    found = own_digits.served(session, job_now(identity))
    with st.container(border=True, key="room-why"):
        st.markdown("**Whom the model serves**")
        if not found or session.phase == "running":
            st.markdown("*Show* tells." if found else "The training will tell.")
            return
        for one in found:
            strict, others = (f"{sum(hits)} of {len(hits)}" for hits in one.right)
            every = [*one.right[0], *one.right[1]]
            st.markdown(
                f"**{one.label}**, {LISTENS[one.label]}: strict clients have {percent(one.say)} of the say. "
                f"It reads {sum(every)} of your {len(every)} digits right: {strict} of the strict, "
                f"{others} of the others."
            )
        if (draft := settings_of(job_now(identity))) and (why := why_the_mean(found, draft)):
            st.markdown(why)
        st.caption("Strict: an ε of at most the median of all clients, stock included.")


def why_the_mean(found: Sequence[Served], draft: Draft) -> str:
    """Why the mean reads more drawings than weights by 1/σ²; "" if it does not, or noise explains it."""
    right = {one.label: sum(map(sum, one.right)) for one in found}
    of = dict(zip((MEAN, WEIGHED), draft.experiments(), strict=True))
    view = outlook_of(of[MEAN])
    if right[MEAN] <= right[WEIGHED] or view.word in ("chance", "unknown"):
        return ""
    sigma = math.sqrt(server_noise(plan(of[MEAN])).heard)
    voices = 1 / float((client_weights(plan(of[WEIGHED])) ** 2).sum())
    return (
        f"The {MEAN} reads more here: {WEIGHED} listens as if {number(voices, 2)} of the "
        f"{of[MEAN].clients.count} clients had sent, and so learns from few digits; the noise that the "
        f"{MEAN} keeps, σ {number(sigma)} a round, is small enough to learn from all."
    )
