"""View of one claim: chart, arms beside the paper's figures, controls, actions, its re-measurement."""

import streamlit as st

from ldp_core.papers import Claim
from ldp_core.papers.reasons import of_arm
from ldp_core.papers.statements import QUANTITIES, stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict
from ldp_core.runs import STALLED, Job, claims, how_far, jobs, kinds, of_claims
from pages.parts.charts.claim_figures import against_accuracy, arms_figure, rounds_figure
from pages.parts.papers.words import badge
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.job_actions import refusal, refusing, stop_button
from pages.parts.ui.polling import refreshing
from pages.parts.ui.tables import table
from pages.parts.ui.text import plain, seconds
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import look, who
from pages.parts.ui.workspace import start_with

MOST_SECONDS = 3600.0
"""Longest estimated duration that a page launches; longer measurements are for the command line."""
EVERY = 1.0
"""Interval between two refreshes in seconds."""
BESIDES = {
    "accuracy": "accuracy",
    "unnoised": "the last round's uploads without noise",
    "extended": "best extended model",
    "own_mix": "on own classes",
    "heterogeneity": "heterogeneity",
}


def claim_view(system: str, claim: Claim, shelf: Shelf, found: Verdict) -> None:
    with st.container(border=True, key=f"look-{system}"):
        st.markdown(f"**{plain(claim.title, 120)}** ({plain(claim.where)})")
        if claim.note:
            st.caption(plain(claim.note, 500))
        for quote in claim.quotes:
            st.caption(f"{plain(quote.where[0].upper() + quote.where[1:])}: “{plain(quote.text, 300)}”")
        with st.container(horizontal=True, vertical_alignment="center"):
            _again(system, claim)
            draft = claim.read_each[found.reading].draft
            if draft and st.button("Open in Train", key=f"open {system} {claim.id}"):
                start_with(draft)
                st.switch_page("train.py")
            identity = claim.id  # of the claim, not of a reading
            st.download_button(
                "Take it away (ZIP)",
                lambda: of_claims.packed(of_claims.pack(system, identity)),
                file_name=f"{system}-{identity}.zip",
                mime="application/zip",
                key=f"take {system} {identity}",
                on_click="ignore",
                help="Figure, settings, readings, seeds, versions, every run, the command that measures it",
            )
        if found.each:
            claim, found = _reading(system, claim, found)
        if not any(shelf.of_arm(claim, arm.label) for arm in claim.measured):
            st.caption(f"Nothing to draw yet. {plain(found.reason, 400)}")
            return
        _charts(system, claim, shelf)
        _arms(claim, shelf, found)
        if found.measured_by:
            st.caption(f"Measured by {plain(found.measured_by)}, {plain(found.date)}.")


def _reading(system: str, claim: Claim, found: Verdict) -> tuple[Claim, Verdict]:
    """The claim in the chosen reading, initially the one it is judged by."""
    st.markdown("**What the paper leaves open, and how it may be read**")
    said = [[f"**{plain(one.name)}**", badge(its.word), plain(one.says, 300)] for one, its in found.each]
    table(("reading", "verdict", "what is set"), said)
    read = {one.name: its for one, its in found.each}
    key = f"reading of {system} {claim.id}"
    chosen = st.segmented_control("Shown below", list(read), default=found.reading, required=True, key=key)
    return claim.read_each[chosen], read[chosen]


def _charts(system: str, claim: Claim, shelf: Shelf) -> None:
    height = 80 + 24 * sum(bool(shelf.of_arm(claim, arm.label)) for arm in claim.measured)
    curves, beside = rounds_figure(claim, shelf), against_accuracy(claim, shelf)
    row, name = 2 if curves else 1, f"the arms of “{claim.title}”"
    ends = "filled: the paper's own; open: controls; diamonds: the paper's figure"
    arms = arms_figure(claim, shelf)
    shown = [
        Card(
            "Where each arm ends",
            f", with {claim.level} intervals",
            ends,
            arms,
            f"Where {name} end",
            height,
            row,
        )
    ]
    if curves:
        means = "means over seeds; colours as at the left, dashes in the order of the settings"
        label = f"Accuracy by round of {name}"
        shown.append(Card("Round by round", ", the paper's own arms", means, curves, label, height, row))
    if beside:
        summed = (
            "the variance between clients' losses, added up over rounds: low where all learn alike, and "
            "where none learns"
        )
        label = f"Heterogeneity and accuracy of {name}"
        shown.append(Card("Heterogeneity and accuracy", ", arm by arm", summed, beside, label, 360))
    components.draw("cards", components.sheet(shown), key=f"figures {system} {claim.id}")


def _arms(claim: Claim, shelf: Shelf, found: Verdict) -> None:
    why = {control.arm: f"control: {control.why}" for control in claim.controls}
    figures = {arm.label: shelf.of_arm(claim, arm.label).values() for arm in claim.measured}
    named = {name for known in figures.values() for one in known for name in one.also}
    named |= {"accuracy"} if named else set()
    more = [name for name in BESIDES if name != claim.about and name in named]  # which no statement uses
    rows = []
    for arm in claim.measured:
        ours, paper, unit = of_arm(claim, shelf, arm.label), claim.paper.get(arm.label), claim.unit(arm)
        failed = next((one.status for one in figures[arm.label] if one.value is None), "")
        rows.append(
            [
                plain(arm.label),
                f"{paper:g} {unit}".rstrip() if paper is not None else "–",
                plain(stated(ours, unit)) if ours else "–",
                *(_besides(claim, shelf, arm.label, name) for name in more),
                str(ours.seeds) if ours else "0",
                plain("; ".join(filter(None, (why.get(arm.label), failed))), 300),
            ]
        )
    if found.parts:
        said = [
            [plain(part.says, 120), plain(stated(part.ours, part.unit)), badge(part.outcome)]
            for part in found.parts
        ]
        table(("the paper says", f"here, with {claim.level} intervals", "verdict"), said)
    with st.expander(f"All arms in numbers, with {claim.level} intervals"):
        table(("arm", "the paper", "here", *(BESIDES[name] for name in more), "seeds", "note"), rows)


def _besides(claim: Claim, shelf: Shelf, label: str, name: str) -> str:
    ours = of_arm(claim, shelf, label, name)
    unit = QUANTITIES[name].unit if name in QUANTITIES else "%"
    return plain(stated(ours, unit)) if ours else "–"


def _again(system: str, claim: Claim) -> None:
    job, key = _newest(system, claim.id), f"again {system} {claim.id}"
    if job is not None and job.live:
        refreshing(_watch, every=EVERY)(system, claim.id)
        return
    takes = claims.seconds_of(claim)
    long = takes is not None and takes > MOST_SECONDS
    st.button(
        "Run this claim again",
        type="primary",
        key=key,
        on_click=_launch,
        args=(system, claim.id),
        disabled=bool(claim.missing) or long,
    )
    refusal(key)
    runs = f"{len(claim.runs) * claim.seeds * len(claim.read_each)} runs"
    about = f"{runs}, about {seconds(takes)} here" if takes else runs
    if claim.missing:
        st.caption(f"needs data that are not on this machine: {plain(claim.missing)}")
    elif long:
        command = f"python -m ldp_core papers --rerun {system} --only {claim.id}"
        st.caption(f"{about}: too long for a page. `{command}`")
    else:
        st.caption(about)
    if job is not None and job.status not in ("completed", "cancelled"):
        st.error(f"The last try {plain(job.status)}: {plain(job.message or 'no reason was given', 300)}")


def _watch(system: str, identity: str) -> None:
    job = _newest(system, identity)
    if job is None or not job.live:
        st.rerun()
    far = how_far(job)
    words = "in the queue" if job.status == "queued" else str(far.step) if far else "begins"
    reason = f": {plain(job.message, 200)}" if job.message else ""
    verb = "Stalled" if job.status == STALLED else "Measuring again"
    st.progress(far.step.share if far else 0.0, text=f"{verb}, {words}{reason}")
    stop_button(job, f"stop {job.id}")


def _newest(system: str, identity: str) -> Job | None:
    found = jobs.of_draft(_draft(system, identity), "claim", most=1)
    return look(found[0].id) if found else None


@pressed
def _launch(system: str, identity: str) -> None:
    made = kinds.get("claim")
    with refusing(f"again {system} {identity}"):
        asked = made.read({"system": system, "claim": identity}, {})
        jobs.launch("claim", asked, _draft(system, identity), **who())


def _draft(system: str, identity: str) -> str:
    """Draft id for the jobs of a claim, which has no draft."""
    return f"{system}/{identity}"
