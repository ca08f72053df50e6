"""Papers: do the papers hold?"""

from collections import Counter

import streamlit as st

from ldp_core import papers, presets
from ldp_core.papers.verdict import DETAILS, RULE, Verdict, of_main
from ldp_core.runs import claims, of_claims
from pages.parts.papers.badges import LOOKS, badge
from pages.parts.papers.card import card
from pages.parts.papers.five import five
from pages.parts.ui.components import introduce
from pages.parts.ui.header import headline, question
from pages.parts.ui.tables import table
from pages.parts.ui.text import listed, plain
from pages.parts.ui.visitor import token
from pages.parts.ui.workspace import start_with


def main() -> None:
    line = question("Do the papers hold?")
    names = papers.names()
    main = {name: of_main(papers.get(name), claims.judged(name), claims.shelf(name)) for name in names}
    count = Counter(one.word for one in main.values())
    verbs = {word: look.one if count[word] == 1 else look.more for word, look in LOOKS.items()}
    said = [f"**{count[word]}** {verb}" for word, verb in verbs.items() if count[word]]
    headline(f"Of {len(names)} papers' main claims, {listed(said)}.")
    with line, st.popover("The rule", type="tertiary"):
        st.markdown(RULE)
        with st.expander("In detail"):
            st.markdown(
                f"{DETAILS} A figure of ours is the mean over seeds of real runs; beside each claim stand "
                "controls, because it can hold for another reason than the paper's."
            )
    with st.container(key="main-claims"):
        head = ("paper", "claim", "verdict")
        table(head, [_row(*one) for one in main.items()])
    five()
    for name in names:
        card(name)
    _scenarios()
    _cite()
    introduce(token())


def _row(name: str, found: Verdict) -> list[str]:
    """A paper's main claim, and what came out here; figures and reasons are on its card."""
    paper = papers.get(name)
    return [f"[**{plain(paper.label)}**](#{name})", plain(paper.main.says, 200), badge(found.word)]


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
            of_claims.packed,
            file_name="epsilon-studio-claims.zip",
            mime="application/zip",
            key="take claims",
            on_click="ignore",
            help="Statements, readings, arms, controls and every run as CSV and JSON, and BibTeX; also by "
            "`python -m ldp_core papers --export FOLDER`",
        )
        with st.popover("How to cite", type="tertiary"):
            st.code(of_claims.bibtex(), language="bibtex")


main()
