"""A paper's card: idea, claims beside ours, errors."""

import streamlit as st

from ldp_core import papers
from ldp_core.accounting import everyone
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.papers import Paper
from ldp_core.papers.base import Reading
from ldp_core.papers.statements import in_unit, stated
from ldp_core.papers.verdict import Verdict, decided, of_arm, of_main
from ldp_core.runs import claims
from pages.parts.papers.badges import badge
from pages.parts.papers.claim_view import claim_view
from pages.parts.ui.polling import refreshing
from pages.parts.ui.tables import table
from pages.parts.ui.text import listed, names_by, number, plain, signed

OPENED, CLAIM = "system", "claim"
"""Parameters of the address that name the opened card, and the opened claim in it."""
MOST_CHANGES = 8
"""Largest number of words that another reading would change that are listed."""


def card(name: str) -> None:
    paper = papers.get(name)
    with st.container(border=True, key=f"paper-{name}"):
        st.header(paper.label, anchor=name)
        whose = f"{paper.source}: {paper.title}" + (f" ({paper.origin})" if paper.origin else "")
        at = f" · {plain(paper.identifier, 100)}" if paper.identifier else ""
        st.caption(f"{plain(whose, 300)}{at}")
        st.markdown(plain(paper.idea, 1000))
        errors = f", and {len(paper.flaws)} errors in it" if paper.flaws else ""
        label = f"Its {len(paper.claims)} claims beside ours{errors}"
        open_first = st.query_params.get(OPENED) == name
        folded = st.expander(label, expanded=open_first, key=f"card of {name}", on_change="rerun")
        if folded.open:  # five papers at once are some thirty screens of a phone
            with folded:
                _whole(paper)


def _whole(paper: Paper) -> None:
    _main(paper)
    refreshing(_claims)(paper.name)
    if paper.flaws:
        with st.expander(f"What is wrong in the paper ({len(paper.flaws)})"):
            _printed(parse(dict(paper.base)))
            for flaw, text in paper.flaws.items():
                st.markdown(f"- **{plain(flaw, 120)}.** {plain(text, 600)}")


def _main(paper: Paper) -> None:
    """Draw what the main claim came to here, and why."""
    shelf = claims.shelf(paper.name)
    found = of_main(paper, claims.judged(paper.name), shelf)
    made = paper.main_claim.read_each[found.reading]
    each = {label: of_arm(made, shelf, label) for label in paper.main.shows}
    ours = [f"{plain(label)} {plain(stated(one))}" for label, one in each.items() if one]
    parts = names_by((one.outcome, f"{one.says} ({in_unit(one)})") for one in found.parts)
    said = [f"**{outcome}**: {plain('; '.join(what), 400)}." for outcome, what in parts.items()]
    reason = plain(found.reason, 300)
    why = " ".join([*said, reason[:1].upper() + reason[1:]])
    here = f"Here: {', '.join(ours)}.  \n" if ours else ""
    st.markdown(f"{badge(found.word)} **{plain(paper.main.says, 200)}**  \n{here}{why}")


def _claims(name: str) -> None:
    paper, found, shelf = papers.get(name), claims.judged(name), claims.shelf(name)
    if judge := next((one.reading for one in found.values() if one.reading), ""):
        st.caption(_read_by(paper, found, judge))
    for claim in paper.claims:
        its, opened = found[claim.id], st.query_params.get(CLAIM) == claim.id
        label = f"{badge(its.word)} **{plain(claim.where)}**: {plain(claim.title, 120)}"
        folded = st.expander(label, expanded=opened, key=f"claim {name} {claim.id}", on_change="rerun")
        if folded.open:
            with folded:
                claim_view(name, claim, shelf, its)


def _read_by(paper: Paper, found: dict[str, Verdict], judge: str) -> str:
    """Which reading gives the verdicts, and what the others would change."""
    each = {one.name: one for one in paper.readings}
    counts = {
        name: decided(its for one in found.values() for reading, its in one.each if reading.name == name)
        for name in each
    }
    allowed = [name for name, one in each.items() if not one.against]
    ties = [name for name in allowed if counts[name] == counts[judge] and name != judge]
    tie = f"; {listed([f'“{plain(one)}”' for one in ties])} as many, and it is the first" if ties else ""
    says = f"All verdicts are by one reading of what the paper leaves open, **“{plain(judge)}”**: "
    says += f"{plain(each[judge].says, 300)} It decides {counts[judge]} statements{tie}."
    return "  \n".join([says, *(_changes(found, one) for name, one in each.items() if name != judge)])


def _changes(found: dict[str, Verdict], reading: Reading) -> str:
    """What a reading that does not judge would change."""
    changes, unrun = list[str](), 0
    for one in found.values():
        its = next((its for other, its in one.each if other.name == reading.name), None)
        unrun += its is not None and not its.parts
        for mine, theirs in zip(one.parts, its.parts if its else (), strict=False):
            if mine.outcome != theirs.outcome:
                changes.append(f"{plain(mine.says, 80)}: {mine.outcome} → {theirs.outcome}")
    more = f"; and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
    said = "; ".join(changes[:MOST_CHANGES]) + more if changes else "no word of what is measured changes"
    left = f" ({unrun} claims are not run in it)" if unrun else ""
    against = f" The paper speaks against it: {plain(reading.against, 200)}." if reading.against else ""
    return f"By “{plain(reading.name)}” ({plain(reading.says, 300)}){left}: {said}.{against}"


def _printed(experiment: Experiment) -> None:
    """Draw figures of the mechanism that its paper prints, beside true ones, for one weight of a client."""
    epsilon, low, high = everyone(plan(experiment))[0]
    weight = low + 0.75 * (high - low)
    found = experiment.mechanism.differences(weight, epsilon, low, high, plan(experiment).asked.first_use)
    if not found:
        return
    whose = f"ε {number(epsilon)}, safe range {signed(low)} to {signed(high)}, weight {signed(weight)}"
    st.markdown(f"What the papers print of {plain(experiment.mechanism.label)}, and what is so ({whose})")
    rows = [
        [plain(one.what, 120), signed(one.printed, 4), f"**{signed(one.corrected, 4)}**", plain(one.why, 160)]
        for one in found
    ]
    table(["what", "the paper says", "in truth", "because"], rows)
