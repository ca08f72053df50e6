"""The runs of this server as a list, each with its state and what its visitor may do to it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from ldp_core import mechanisms
from ldp_core.errors import StudioError
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs.finding import Line, Wanted, lines
from ldp_core.runs.jobs.listing import Listed, describe
from ldp_core.runs.kinds import Words
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import LIVE, STALLED
from ldp_core.runs.record import quota
from ldp_core.runs.record.progress import how_far
from pages.parts.runs.find_bar import figures_in_words, find_bar, relabel
from pages.parts.runs.take_away import take_away
from pages.parts.runs.ticks import tick, to_compare
from pages.parts.runs.undo import delete_button, offered_back
from pages.parts.ui.job_actions import act, lasting_refusal, refuse
from pages.parts.ui.scenario import named
from pages.parts.ui.shared_cache import PAUSE_SECONDS
from pages.parts.ui.text import ago, asked_in_words, bytes_in_words, few, number, plain, runs_in_words
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor
from pages.parts.ui.workspace import offer_first

EACH = 20
"""Runs on one page of the list."""
MOST = 500
"""Runs whose words are kept."""
PAGES = {"run": "train.py", "attack": "attack.py", "sweep": "tune.py", "tune": "tune.py"}
"""Where a job of a kind is shown; one of another kind has its line in the list."""
WHOSE = ("Everybody's", "Mine")
SWEPT = {
    "clients.epsilon": "budgets ε",
    "clients.range": "safe ranges ±τ",
    "clients.count": "numbers of clients",
    "mechanism.name": "mechanisms",
    "aggregator.name": "aggregators",
    "target": "kinds of upload",
    "rounds": "numbers of rounds",
    "local.learning_rate": "learning rates",
}
"""What the fields that Tune sweeps over are called, where there are several values of them."""
MOST_ASKED = 3
"""Populations listed of one run."""


def job_list() -> None:
    me, whose = visitor(), WHOSE[0]
    wanted = find_bar()
    found = lines(wanted)
    if any(line.job.owner != me.owner for line in found):
        whose = st.segmented_control("Whose runs", WHOSE, default=whose, required=True, key="whose runs")
        found = lines(wanted, me.owner) if whose == WHOSE[1] else found
    if wanted == Wanted() and not found:
        st.caption("None yet. Open a scenario and press Train.")
        offer_first()
    elif wanted != Wanted():
        st.caption(f"{number(len(found), 6)} {'run fits' if len(found) == 1 else 'runs fit'}.")
    lasting_refusal()
    offered_back(me)
    if me.teacher:
        _stop_all()
    if found or wanted != Wanted():  # what is ticked may be among those that do not fit
        to_compare()
    pages, chosen = max(1, -(-len(found) // EACH)), f"page of {whose}"
    page = min(st.session_state.get(chosen, 1), pages)
    for line in found[EACH * (page - 1) : EACH * page]:
        one = describe(line.job)
        # by its key, as the list moves on while a visitor looks at it
        with st.container(horizontal=True, vertical_alignment="center", key=f"run {one.job.id}"):
            tick(one.job, one.name)
            with st.container(gap=None):
                _describe(one, whole=True, line=line)
            with st.container(horizontal=True, width="content"):
                _stop(one)
                _take_away(line, one.name)
                if me.owns(one.job.owner):
                    relabel(line, one.name)
                    _keep(one)
    if pages > 1:
        st.pagination(pages, key=chosen)
    taken, most = bytes_in_words(_taken()), bytes_in_words(quota.most_bytes())
    st.caption(
        f"All runs take {taken} of the {most} that this server keeps. Where there is no more room the "
        "oldest go first; pinned ones stay."
    )


def _stop_all() -> None:
    """A teacher's button to stop all jobs."""
    going = len(queue.find(f"status IN {LIVE}", most=10_000))
    if not going:
        return
    with st.popover(f"End all ({going})", type="tertiary"):
        st.caption("Everybody's that wait or run; whole rounds are kept, and each can be taken up again.")
        st.button("End them", type="primary", key="end all", on_click=_all_stopped)


@pressed
def _all_stopped() -> None:
    try:
        jobs.cancel_all(visitor())
    except StudioError as error:
        refuse(error)


@st.cache_data(ttl=30, show_spinner=False)
def _taken() -> int:
    """Looked up once for all who look at the list."""
    return quota.taken()


def job_line(one: Listed) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        _describe(one)
        _stop(one)


def _describe(one: Listed, whole: bool = False, line: Line | None = None) -> None:
    """Its name and its state; with all that is asked for where there is room for it."""
    job = one.job
    words = _said(job.id, job) if one.rounds else Words(one.name)
    name = plain((line.job.name if line else "") or words.name or "Untitled")
    if one.rounds and job.kind in PAGES:
        st.page_link(PAGES[job.kind], label=f":blue[{name}]", query_params={"job": job.id})
    else:
        st.markdown(name)
    mine = job.owner is not None and job.owner == visitor().owner
    said = [
        _state(one),
        "pinned" * one.job.pinned,
        "imported" * one.imported,
        "yours" * mine,
        words.size,
        ago(time.time() - job.created),
    ]
    state = ", ".join(part for part in said if part)
    more = f"; {words.asked}" if whole and words.asked else ""
    if line and (figures := figures_in_words(line)):
        st.markdown(figures)
    st.caption(f"{state}  \n{plain(words.compared, 300)}{more}" if words.compared else state)
    if line and line.job.note:
        st.caption(f"*{plain(line.job.note, 500)}*")


def _state(one: Listed) -> str:
    job = one.job
    if job.status == "queued" and not job.message:
        before = _places().get(job.id, 0)
        return f"queued, {before} before it" if before else "queued"
    far = how_far(job) if job.status in ("running", "cancelling", STALLED) else None
    if far:
        return f"{plain(one.state)}, {far.step}"
    return plain(one.state.replace("cancelled", "stopped", 1))


@st.cache_data(ttl=PAUSE_SECONDS, show_spinner=False)
def _places() -> dict[str, int]:
    """Number of jobs ahead of each waiting one."""
    running = len(queue.find("status IN ('running', 'cancelling')"))
    return {job.id: running + n for n, job in enumerate(queue.in_turn())}


def _take_away(line: Line, name: str) -> None:
    if line.job.live or line.job.removed:
        return
    # three buttons a run are a lot to send before they are asked for
    shown = st.popover("Take away", type="tertiary", key=f"taking {line.job.id}", on_change="rerun")
    if shown.open:
        with shown:
            take_away(line.job, line.job.name or name, "list")


def _stop(one: Listed) -> None:
    if one.job.live and visitor().may(one.job.owner):
        st.button(
            "Stop", key=f"stop {one.job.id}", type="tertiary", on_click=act, args=(jobs.cancel, one.job.id)
        )


@st.cache_data(max_entries=MOST, show_spinner=False)
def _said(identity: str, _job: Job) -> Words:
    """Said once a job: what was asked for stays as it was when it was launched."""
    try:
        return _in_brief(_job) if _job.long else in_words(_job.kind, _job.request)
    except (StudioError, LookupError, TypeError):  # of a version that knew other fields
        return Words(str(kinds.get(_job.kind).base(_job.brief)["name"]))


def _in_brief(job: Job) -> Words:
    """Summary of a request of thousands of clients without reading all of it."""
    base = kinds.get(job.kind).base(job.brief)
    rounds, clients = int(base["rounds"]), int(base["clients"]["count"])
    variants = job.brief.get("draft", {}).get("variants", [])
    each = f"{number(rounds, 6)} round{'s' if rounds > 1 else ''}"
    asked = f"{number(clients, 6)} clients, each with values of its own"
    return Words(str(base["name"]), each, few([str(one["label"]) for one in variants]), asked)


def in_words(kind: str, request: Mapping[str, Any]) -> Words:
    """Request in words, for the list.

    Raises:
        StudioError: another version of the program asked for it.
    """
    made = kinds.get(kind)
    asked = made.parse(request)
    if isinstance(asked, Training):
        return _training(asked)
    if isinstance(asked, Ladder):
        # its draft is what it trains, not what a visitor has edited: the name alone says where it is from
        return Words(asked.base.name, _attacked(asked), few([one.label for one in asked.mechanisms]))
    words = made.describe(asked)
    return Words(words.name, words.size, _swept(asked), words.asked) if isinstance(asked, Sweep) else words


def _swept(asked: Sweep) -> str:
    counts = {path: len({one.get(path) for one in asked.settings}) for path in asked.fields}
    return "over " + ", ".join(f"{count} {SWEPT.get(path, path)}" for path, count in counts.items())


def _training(asked: Training) -> Words:
    draft = asked.draft
    count = len(draft.runs())
    clean = len(asked.runs()) - count
    rounds = draft.base.rounds
    each = f"{number(rounds, 6)} round{'s' if rounds > 1 else ''}{' each' if count + clean > 1 else ''}"
    size = f"{runs_in_words(count + clean, clean)}, {each}"
    population = asked_in_words(draft.experiments())
    more = f"; or {len(population) - MOST_ASKED} more" if len(population) > MOST_ASKED else ""
    used = {mechanisms.get(experiment.mechanism.name).label for experiment in draft.experiments()}
    compared = few([variant.label for variant in draft.variants])
    compared = f"{used.pop()}: {compared}" if len(used) == 1 else compared
    return Words(named(draft), size, compared, "; or ".join(population[:MOST_ASKED]) + more)


def _attacked(ladder: Ladder) -> str:
    if ladder.upload == "real":
        return "an attack on a real upload"
    images, seen = ladder.images, ladder.rounds_observed
    what = f"an attack on {images} images" if images > 1 else "an attack on one image"
    if seen > 1:
        return f"{what}, {seen} uploads each" if images > 1 else f"{what}, {seen} uploads"
    return f"{what}, one upload each" if images > 1 else what


def _keep(one: Listed) -> None:
    """Pin and delete, for the owner."""
    if one.job.pinned:
        unpin = partial(jobs.pin, on=False)
        st.button("Unpin", key=f"unpin {one.job.id}", type="tertiary", on_click=act, args=(unpin, one.job.id))
    elif not one.job.removed:
        st.button(
            "Pin",
            key=f"pin {one.job.id}",
            type="tertiary",
            help="A pinned run is not removed to make room, and not deleted by mistake",
            on_click=act,
            args=(jobs.pin, one.job.id),
        )
    if not one.job.live and not one.job.pinned:
        delete_button(one.job.id, _taken.clear)
