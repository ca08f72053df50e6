"""Papers: do the papers hold?"""

from __future__ import annotations

from collections import Counter

import streamlit as st

from ldp_core import papers
from ldp_core.papers.verdict import RULE, Word
from pages.parts.papers.at_a_glance import at_a_glance
from pages.parts.papers.card import card
from pages.parts.papers.cite import cite
from pages.parts.papers.five import five
from pages.parts.papers.known import verdicts
from pages.parts.papers.words import LOOKS
from pages.parts.ui.components import introduce
from pages.parts.ui.header import headline, question
from pages.parts.ui.text import listed
from pages.parts.ui.visitor import token


def main() -> None:
    line = question("Do the papers hold?")
    found = {name: [*verdicts(name).values()] for name in papers.names()}
    counts = {name: Counter(one.word for one in each) for name, each in found.items()}
    parts = (part for each in found.values() for one in each for part in one.parts)
    count: Counter[Word] = Counter(part.outcome for part in parts)
    claims = sum(map(len, found.values()))
    unrun = sum(each["not run"] for each in counts.values())
    named = {word: look.one if count[word] == 1 else look.more for word, look in LOOKS.items()}
    judged = [f"**{count[word]}** {words}" for word, words in named.items() if count[word]]
    were = "was" if unrun == 1 else "were"
    left = f" {unrun} of their {claims} claims {were} not run here." if unrun else ""
    whose = f"Of {count.total()} statements of all {len(found)} published systems"
    headline(f"{whose}, {listed(judged or ['none was judged'])}.{left}")
    with line, st.popover("How this is decided", type="tertiary"):
        st.markdown(RULE)
        st.markdown(
            "A figure of ours is the mean over seeds of real runs; beside each claim stand controls, because "
            "it can hold for another reason than the paper's. What could not be run here says so."
        )
    at_a_glance(counts)
    cite()
    five()
    for name in papers.names():
        card(name)
    introduce(token())


main()
