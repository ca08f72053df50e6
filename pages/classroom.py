"""Class: a teacher and students, each in a browser of their own."""

import streamlit as st

from pages.parts.classroom.board import board
from pages.parts.classroom.entrance import entrance, opened
from pages.parts.classroom.student import student
from pages.parts.ui.components import introduce
from pages.parts.ui.visitor import me, token, visitor


def main() -> None:
    session = opened(st.query_params.get("code", ""))
    lost = session is not None and session.teacher == me() and not visitor().teacher
    if lost:
        st.info("You opened this class. Enter your secret once more to lead it.")
    if session is None or lost:
        entrance()
        return
    introduce(token())  # or a phone would be another student after a reload
    if visitor().teacher:
        board(session)
    else:
        student(session)


main()
