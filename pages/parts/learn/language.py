"""The visitor's language: chosen in the address, else the browser's, if there is any text in it."""

import streamlit as st

from ldp_core import lessons
from pages.parts.ui.uninterrupted import uncut

CHOSEN = "lang"
NAMES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "it": "Italiano"}


def language() -> str:
    browsers = (st.context.locale or "")[:2].lower()
    asked = (st.query_params.get(CHOSEN, ""), st.session_state.get(CHOSEN, ""), browsers)
    return next((one for one in asked if one in lessons.languages()), lessons.ENGLISH)


def language_switch() -> None:
    known, now = lessons.languages(), language()
    if len(known) > 1:
        key = "language switch"
        st.segmented_control(
            "Language", known, default=now, format_func=lambda one: NAMES.get(one, one), required=True,
            key=key,
            label_visibility="collapsed", on_change=_switch, args=(key,),
        )  # fmt: skip


@uncut
def _switch(key: str) -> None:
    st.query_params[CHOSEN] = st.session_state[CHOSEN] = st.session_state[key]


def say(key: str, /, **given: object) -> str:
    """A sentence of `lessons/classroom_words.en.toml` in the visitor's language."""
    return lessons.said(key, language(), **given)
