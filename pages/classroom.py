"""Class: a teacher and students, each in a browser of their own."""

import streamlit as st

from ldp_core.classroom import sessions
from pages.parts.classroom.board import board
from pages.parts.classroom.entrance import entrance, opened
from pages.parts.classroom.student import student
from pages.parts.ui.visitor import me, visitor


def main() -> None:
    session = opened(st.query_params.get("code", ""))
    if session is None:
        entrance()
    elif visitor().teacher or sessions.leads(session, me()):
        board(session)
    else:
        student(session)


main()
