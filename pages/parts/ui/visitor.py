"""The visitor's identity: from an identity provider, or a token in the browser.

Sign-in is offered if secrets.toml configures it (Streamlit's [auth]); a teacher's secret works either way.
"""

import re
import secrets
from dataclasses import replace
from importlib.util import find_spec

import streamlit as st

from ldp_core.runs import Job, Person, jobs, permissions
from ldp_core.settings import TEACHER
from pages.parts.ui.components import introduce
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.server.address import of_page
from pages.server.guess_rate_limit import admit, guess

COOKIE = "epsilon_visitor"
SETTLED = "token for good"
_teachers: set[str] = set()
"""Visitors who have given the teacher's secret since the server's start."""
TYPED, REFUSED = "teacher's secret typed", "why it is not the secret"
MOST_TYPED = 1000
TOKEN = re.compile(r"[0-9a-f]{32}")


def visitor() -> Person:
    """A person signed in is the same in every browser; any other is a token, which a browser receives on its
    first visit (assets/web/visitor.js), and sends as a cookie from then on.
    """
    claims = st.user.to_dict()  # asking Streamlit for one of them makes it look for secrets.toml
    issuer, subject = claims.get("iss"), claims.get("sub")
    known = claims.get("is_logged_in") and issuer and subject
    one = permissions.signed_in(str(issuer), str(subject)) if known else permissions.person(token())
    return replace(one, teacher=one.owner in _teachers)


def me() -> str:
    """Owner of what the visitor keeps."""
    return visitor().owner or ""


def look(identity: str) -> Job:
    """Current status of a job; raises `UnknownJob`, also for another person's private job."""
    return jobs.look(identity, visitor())


def here() -> str:
    """Digest of the visitor's network address."""
    return permissions.address(of_page())


def who() -> dict[str, str | None]:
    """Owner and address for `jobs.launch`."""
    return {"owner": settled(), "address": here()}


def settled() -> str:
    """Owner of what the visitor is about to leave here, the same from now on; raises NotNow if too many new
    visitors come from this address.
    """
    st.session_state.setdefault(SETTLED, token())
    one = visitor()
    if not (one.teacher or st.user.to_dict().get("is_logged_in")):
        admit(one.owner or "", of_page())
    return one.owner or ""


def token() -> str:
    """Secret token of this browser: its cookie; else the first that the browser tells of another tab, until
    something is done; else one that the session begins with.
    """
    state, cookie = st.session_state, st.context.cookies.get(COOKIE)
    if isinstance(cookie, str) and TOKEN.fullmatch(cookie):
        return cookie
    given = (state.get("memory") or {}).get("token")
    if isinstance(given, str) and TOKEN.fullmatch(given):
        return str(state.setdefault(SETTLED, given))
    return str(state.get(SETTLED) or state.setdefault("token of this session", secrets.token_hex(16)))


def sign_in_entrance() -> None:
    if "is_logged_in" not in st.user:
        return
    if st.user.get("is_logged_in"):
        who = st.user.get("name") or st.user.get("email") or "you"
        st.caption(f"Signed in as {plain(str(who), 40)}; your runs are yours on every browser.")
        st.button("Sign out", type="tertiary", on_click=st.logout)
    elif find_spec("authlib") is None:
        st.caption("To sign in, this server needs Authlib: `pip install 'streamlit[auth]'`")
    else:
        st.button("Sign in", on_click=st.login, help="Then your runs are yours on every browser")


def teacher_entrance() -> None:
    introduce(token())  # or this browser would be another one after a reload
    if not TEACHER.value():
        return
    if visitor().teacher:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("You are the teacher in this browser: you may stop, pin and delete everybody's runs.")
            st.button("Leave", type="tertiary", key="teacher leaves", on_click=_leave)
        return
    with st.popover("I am the teacher", type="tertiary"):
        st.text_input("Secret", type="password", key=TYPED, max_chars=MOST_TYPED, on_change=_enter)
        if st.session_state.get(TYPED) and (why := st.session_state.get(REFUSED)):
            st.error(why)
        else:
            st.caption("With it you may stop, pin and delete everybody's runs.")


@uncut
def _enter() -> None:
    owner, typed = visitor().owner, st.session_state.get(TYPED)
    if not owner or not typed:
        return
    st.session_state[REFUSED] = guess(typed, owner, of_page())
    if not st.session_state[REFUSED]:
        _teachers.add(owner)


@pressed
def _leave() -> None:
    _teachers.discard(visitor().owner or "")
