"""Compare: what made the difference?"""

import time
from collections.abc import Sequence

import streamlit as st

from pages.parts.compare.arms import ComparedRun, arms, drawn
from pages.parts.compare.choice import Chosen, choose, chosen, newest
from pages.parts.compare.side_by_side import bought, curves, figures, pairs, pictures, served, settings
from pages.parts.compare.verdict import verdict
from pages.parts.runs.take_away import take_away
from pages.parts.runs.ticks import PARAMETER
from pages.parts.systems.unlike import unlike
from pages.parts.ui.components import introduce
from pages.parts.ui.header import headline, question
from pages.parts.ui.polling import pace, refreshing
from pages.parts.ui.shared_cache import Moment
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import token
from pages.parts.ui.workspace import offer_first
from pages.parts.watch.report import report


def main() -> None:
    question("What made the difference?", "Runs side by side, and only what tells them apart.")
    named, trouble = chosen()
    now = named or newest()
    choose(now, time.time())
    live = any(arm.job.live for arm in arms(now)[0])
    if now and not named:
        st.caption("Chosen for you", help="The newest training here that compares anything.")
    refreshing(_side_by_side, pace() if live else None)(now, trouble, live)
    if not now and PARAMETER not in st.query_params:
        st.caption("No training on this server compares anything yet: open a scenario and press Train.")
        offer_first()
    st.page_link("runs.py", label=":blue[Tick runs on the list of all]")
    introduce(token())


def _side_by_side(now: Sequence[Chosen], trouble: Sequence[str], live: bool) -> None:
    found, missing = arms(now)
    if live and not any(arm.job.live for arm in found):
        st.rerun()
    for sentence in (*trouble, *missing):
        st.warning(f"{plain(sentence[0].upper() + sentence[1:], 300)}.")
    if not found:
        st.caption(
            "No runs are chosen yet: choose two or more above.",
            help="Of one training, or of several. This page's address keeps them: share it as a link.",
        )
        return
    fields = unlike([arm.experiment for arm in found])
    said, supports = verdict(found, fields)
    if said:
        headline(said, supports)
    else:
        st.caption("Choose a second run, to hold this one against.")
    shown = drawn(found)
    if len(shown) < len(found):
        st.caption(f"All {len(found)} count; the {len(shown)} best are drawn.")
    if begun := [arm for arm in shown if arm.series.runs]:
        moment = _moment([arm for arm in found if arm.series.runs])
        pairs(found, moment)
        curves(begun, moment)
        pictures(begun)
        figures(found)
        settings(shown, unlike([arm.experiment for arm in shown]))
        served(begun)
        bought(begun, moment)
        _away(found)
    else:
        st.caption("None of them has begun.")
        settings(found, fields)


def _away(found: Sequence[ComparedRun]) -> None:
    with st.container(horizontal=True):
        for arm in {arm.job.id: arm for arm in found}.values():
            if not arm.job.live:
                with st.popover(f"Take {plain(arm.name, 30)} away", key=f"taking {arm.job.id}"):
                    take_away(arm.job, arm.name, "compare", report)


def _moment(found: Sequence[ComparedRun]) -> Moment:
    name = ",".join(f"{arm.job.id}.{arm.series.label}" for arm in found)
    rounds = sum(run.round + (run.end is not None) for arm in found for run in arm.series.runs)
    return Moment(name, ",".join(arm.job.status for arm in found), rounds)


main()
