"""The five lessons in order, with finished ones marked."""

import streamlit as st

from ldp_core import lessons
from ldp_core.runs import guesses
from pages.parts.ui.header import question
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import me


def done_with(name: str) -> str:
    """Key under which a finished lesson is stored with the visitor's guesses."""
    return f"lesson {name}"


def finished() -> set[str]:
    kept = guesses.all_skipped(me())
    return {name for name in lessons.names() if done_with(name) in kept}


def path() -> None:
    question("Learn it in five steps", "Guess, see what happens, change one thing: some five minutes each.")
    known = finished()
    now = next((name for name in lessons.names() if name not in known), lessons.names()[0])
    for column, name in zip(st.columns(len(lessons.names()), gap="small"), lessons.names(), strict=True):
        plan = lessons.get(name)
        with column, st.container(border=True, height="stretch", key=f"lesson {name}"):
            done = name in known
            st.header(f"{lessons.numbered(name)}{' ✓' * done}", anchor=False)
            st.markdown(plain(plan.setting, 400))
            words, key = "Again" if done else "Begin", f"open lesson {name}"
            if st.button(words, type="primary" if name == now else "secondary", key=key, width="stretch"):
                st.query_params.from_dict({"lesson": name})
                st.rerun()
    st.caption("A teacher can hold the same with a whole room: *Class*.")
    st.page_link("start.py", label=":blue[All scenarios]")
