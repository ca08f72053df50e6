"""Papers: do the papers hold?"""

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from ldp_core import papers, presets
from ldp_core.papers.verdict import DETAILS, RULE, Word
from ldp_core.runs import of_claims
from pages.parts.papers.card import card
from pages.parts.papers.five import five
from pages.parts.papers.known import judged
from pages.parts.papers.words import LOOKS, badge
from pages.parts.ui.components import introduce
from pages.parts.ui.header import headline, question
from pages.parts.ui.text import listed, plain
from pages.parts.ui.visitor import token
from pages.parts.ui.workspace import start_with


def main() -> None:
    line = question("Do the papers hold?")
    found = {name: [*judged(name).values()] for name in papers.names()}
    counts = {name: Counter(one.word for one in each) for name, each in found.items()}
    parts = (part for each in found.values() for one in each for part in one.parts)
    count: Counter[Word] = Counter(part.outcome for part in parts)
    claims = sum(map(len, found.values()))
    unrun = sum(each["not run"] for each in counts.values())
    named = {word: look.one if count[word] == 1 else look.more for word, look in LOOKS.items()}
    said = [f"**{count[word]}** {words}" for word, words in named.items() if count[word]]
    were = "was" if unrun == 1 else "were"
    left = f" {unrun} of their {claims} claims {were} not run here." if unrun else ""
    whose = f"Of {count.total()} statements of all {len(found)} published systems"
    headline(f"{whose}, {listed(said or ['none was judged'])}.{left}")
    with line, st.popover("How this is decided", type="tertiary"):
        st.markdown(RULE)
        with st.expander("In detail"):
            st.markdown(
                f"{DETAILS} A figure of ours is the mean over seeds of real runs; beside each claim stand "
                "controls, because it can hold for another reason than the paper's."
            )
    _at_a_glance(counts)
    _scenarios()
    _cite()
    five()
    for name in papers.names():
        card(name)
    introduce(token())


def _at_a_glance(counts: Mapping[str, Counter[Word]]) -> None:
    """Draw a card per system with its number of claims by verdict."""
    with st.container(key="papers-at-a-glance"):
        for column, (name, count) in zip(st.columns(len(counts), gap="small"), counts.items(), strict=True):
            with column, st.container(border=True, height="stretch", gap="xxsmall"):
                st.markdown(f"[**{plain(papers.get(name).label)}**](#{name})")
                st.markdown(" ".join(badge(word, count[word]) for word in LOOKS if count[word]))


def _scenarios() -> None:
    """Draw a button for each small scenario of these systems."""
    with st.expander("These systems, small: to run yourself"), st.container(horizontal=True):
        for name in presets.of_papers():
            preset = presets.get(name)
            if st.button(plain(preset.label), key=f"open {name}", help=plain(preset.question, 200)):
                start_with(preset.draft)
                st.switch_page("train.py")


def _cite() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Take all claims away (ZIP)",
            lambda: of_claims.packed(of_claims.everything()),
            file_name="epsilon-studio-claims.zip",
            mime="application/zip",
            key="take claims",
            on_click="ignore",
            help="Statements, readings, arms, controls and every run as CSV and JSON, the papers' tables as "
            "CSV, BibTeX; also by `python -m ldp_core papers --export FOLDER`",
        )
        with st.popover("How to cite", type="tertiary"):
            st.code(of_claims.bibtex(), language="bibtex")


main()
