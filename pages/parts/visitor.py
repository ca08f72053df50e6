"""Who is at this page: a token that the browser keeps, and perhaps a teacher's secret."""

from __future__ import annotations

import re
import secrets

import streamlit as st

from ldp_core.runs.people import Person, is_teacher, person

COOKIE = "epsilon_visitor"
TOKEN = re.compile(r"[0-9a-f]{32}")


def visitor() -> Person:
    """The person at this page.

    The browser makes up the token on its first visit (assets/web/memory.js) and sends it as a cookie
    from then on; until it has arrived, this session has one of its own.
    """
    told = st.session_state.get("memory") or {}
    given = (st.context.cookies.get(COOKIE), told.get("token"))
    token = next((t for t in given if isinstance(t, str) and TOKEN.fullmatch(t)), None)
    token = token or st.session_state.setdefault("token of this session", secrets.token_hex(16))
    return person(token, st.session_state.get("teacher's secret", ""))


def teacher_entrance() -> None:
    """Where a teacher types the secret that the server was started with."""
    with st.popover("I am the teacher", type="tertiary"):
        st.text_input("Secret", type="password", key="teacher's secret typed", on_change=_enter)
        if is_teacher(st.session_state.get("teacher's secret", "")):
            st.caption("You may stop and delete everybody's jobs.")
        elif st.session_state.get("teacher's secret typed"):
            st.error("That is not the secret that this server was started with.")
        else:
            st.caption("With it you may stop and delete everybody's jobs.")


def _enter() -> None:
    st.session_state["teacher's secret"] = st.session_state["teacher's secret typed"]
