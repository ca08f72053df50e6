"""Pages that wait while a class asks what they answer."""

import streamlit as st

from ldp_core.classroom import members
from pages.parts.learn.language import say
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import me, visitor

ANSWERLESS = ("class", "more")
"""Pages on which no run and no forecast can be seen."""


def asked() -> str:
    """Question that is open in this student's class; "" without, and for a teacher."""
    return "" if visitor().teacher else members.asked(me())


def closed() -> None:
    st.info(say("gated", question=plain(asked(), 200)))
    st.page_link("classroom.py", label=say("to class"))
