"""Row of cards: verdicts on each system's claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from ldp_core import papers
from ldp_core.papers.verdict import Word
from pages.parts.papers.words import LOOKS, badge
from pages.parts.ui.text import plain


def at_a_glance(counts: Mapping[str, Counter[Word]]) -> None:
    """Draw the cards.

    Args:
        counts: number of claims by verdict, for each system.
    """
    with st.container(key="papers-at-a-glance"):
        for column, (name, count) in zip(st.columns(len(counts), gap="small"), counts.items(), strict=True):
            with column, st.container(border=True, height="stretch", gap="xxsmall"):
                st.markdown(f"[**{plain(papers.get(name).label)}**](#{name})")
                st.markdown(" ".join(badge(word, count[word]) for word in LOOKS if count[word]))
