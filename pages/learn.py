"""Learn: lessons on one path."""

import streamlit as st

from ldp_core import lessons
from pages.parts.learn.lesson import lesson, path
from pages.parts.ui.components import introduce
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import token


def main() -> None:
    introduce(token())  # so that what is finished stays so
    asked = st.query_params.get("lesson", "")
    if asked and asked not in lessons.names():
        st.error(f"There is no lesson “{plain(asked, 40)}”; here are all there are.")
    if asked in lessons.names():
        lesson(asked)
    else:
        path()


main()
