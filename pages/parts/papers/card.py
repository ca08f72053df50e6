"""A system's card: idea, data flow, claims, errors."""

from typing import Any

import streamlit as st

from ldp_core import papers
from ldp_core.accounting import everyone
from ldp_core.experiment import Experiment, parse
from ldp_core.papers import Claim, Paper
from ldp_core.papers.rows import table_of
from ldp_core.papers.statements import stated
from ldp_core.papers.verdict import Verdict
from ldp_core.papers.way import way
from ldp_core.runs import claims
from pages.parts.papers.claim_view import claim_view
from pages.parts.papers.known import judged, known
from pages.parts.papers.words import LOOKS, badge
from pages.parts.systems.field_words import FORMS
from pages.parts.ui.fields import switch
from pages.parts.ui.polling import refreshing
from pages.parts.ui.tables import table
from pages.parts.ui.text import listed, number, plain, signed

OPENED = "system"
"""Parameter of the address that names the opened card."""
KINDS = {"noised": ":green-badge[noised]", "clear": ":red-badge[in clear]", "": ""}


def card(name: str) -> None:
    paper = papers.get(name)
    with st.container(border=True, key=f"paper-{name}"):
        st.header(paper.label, anchor=name)
        st.caption(plain(paper.source, 200))
        st.markdown(plain(paper.idea, 1000))
        claims, flaws = len(paper.claims), len(paper.flaws)
        label = f"The way of its data, its {claims} claims beside ours, {flaws} errors in it"
        open_first = st.query_params.get(OPENED) == name
        folded = st.expander(label, expanded=open_first, key=f"card of {name}", on_change="rerun")
        if folded.open:  # five papers at once are some thirty screens of a phone
            with folded:
                _whole(paper, name)


def _printed(experiment: Experiment) -> None:
    """Draw figures of the mechanism that its paper prints, beside true ones, for one weight of a client."""
    epsilon, low, high = everyone(experiment)[0]
    weight = low + 0.75 * (high - low)
    found = experiment.mechanism.differences(weight, epsilon, low, high, experiment.use())
    if found:
        whose = f"ε {number(epsilon)}, safe range {signed(low)} to {signed(high)}, weight {signed(weight)}"
        st.markdown(
            f"**What the papers print of {plain(experiment.mechanism.label)}, and what is so** ({whose})"
        )
        rows = [
            [
                plain(one.what, 120),
                signed(one.printed, 4),
                f"**{signed(one.corrected, 4)}**",
                plain(one.why, 160),
            ]
            for one in found
        ]
        table(["what", "the paper says", "in truth", "because"], rows)


def _whole(paper: Paper, name: str) -> None:
    refreshing(_way)(dict(paper.example), name)
    refreshing(_claims)(name)
    shelf, found = known(name), judged(name)
    st.markdown(f"**Its tables and figures, ours in their place ({len(paper.tables)})**")
    for one in paper.tables:
        how, rows = table_of(name, one, shelf, found)
        beside = "; in brackets the paper's" * any(
            "(" in row[column] for row in rows for column in one.columns
        )
        st.markdown(f"**{plain(one.where)}**: {plain(one.title, 200)}; {plain(how)}{beside}; –: not measured")
        table(("row", *one.columns), [[plain(cell) for cell in row.values()] for row in rows])
    _printed(parse(dict(paper.example)))
    st.markdown(f"**What is wrong in the paper ({len(paper.flaws)})**")
    for flaw in paper.flaws:
        st.markdown(f"- **{plain(flaw.title, 120)}.** {plain(flaw.text, 600)}")


def _way(example: dict[str, Any], name: str) -> None:
    """Draw the data flow from left to right, on a phone from top to bottom."""
    own = parse(example)
    cases = own.system.also(own.dataset).get("system.case", ()) if own.system else ()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**The way of the data**")
        form = switch("Form", FORMS, f"form of way {name}", own.form)
        case = switch("Case", dict(zip(cases, cases, strict=True)), f"case of way {name}") if cases else ""
    sets = {"system": {"name": name, "case": case}} if cases and case != cases[0] else example
    steps = way(parse({**sets, "dataset": own.dataset, "form": form}))
    with st.container(key=f"way-{name}"):
        for column, step in zip(st.columns(len(steps)), steps, strict=True):
            with column, st.container(border=True, height="stretch"):
                who = "Server" if step.who == "server" else "Each client"
                st.markdown(f"{'' if step is steps[0] else '→ '}**{who}** {plain(step.does, 200)}")
                if step.sends:
                    st.markdown(f"sends {plain(step.sends, 200)} {KINDS[step.kind]}")


def _claims(name: str) -> None:
    paper, found = papers.get(name), judged(name)
    st.markdown("**What it claims, and what came out here**")
    readings = {one.name: one for claim in paper.claims for one in claim.readings}
    if judge := next((one.reading for one in found.values() if one.reading), ""):
        others = listed([f"“{plain(one)}”" for one in readings if one != judge])
        what = plain(readings[judge].says, 300)
        st.caption(
            f"Claims that were measured in several readings are judged by one, “{plain(judge)}”: {what} "
            f"By {others} no more statements hold."
        )
    head = ("claim", "verdict", "the paper", "here", "because", "setting", "seeds")
    table(head, [_row(claim, found[claim.id]) for claim in paper.claims])
    titles = {claim.title: claim for claim in paper.claims}
    measured = [claim.title for claim in paper.claims if found[claim.id].parts]
    chosen = st.selectbox(
        "Look at a claim",
        list(titles),
        index=list(titles).index(measured[0]) if measured else None,
        placeholder="none yet",
        key=f"claim of {name}",
    )
    if chosen:
        claim_view(name, titles[chosen], known(name), found[titles[chosen].id])


def _row(claim: Claim, found: Verdict) -> list[str]:
    ours = "; ".join(
        f"{LOOKS[part.outcome].sign} {plain(stated(part.ours, part.unit, part.unit != '%'), 60)}"
        for part in found.parts
    )
    when = f"{found.seeds}, {plain(found.date)}, {plain(found.measured_by)}" if found.parts else "–"
    level = claim.read_each[found.reading].level
    return [
        f"**{plain(claim.title, 120)}** {plain(claim.where)}",
        badge(found.word),
        "; ".join(plain(statement.says, 120) for statement in claim.statements),
        f"{ours} ({level} intervals)" if ours else "–",
        plain(claims.reason(claim, found), 700),
        plain(claim.setting, 300),
        when,
    ]
