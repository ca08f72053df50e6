"""Runs: what has been trained on this server?"""

import streamlit as st

from pages.parts.runs.job_list import job_list
from pages.parts.runs.take_away import open_file
from pages.parts.ui.header import question
from pages.parts.ui.polling import refreshing
from pages.parts.ui.visitor import teacher_entrance
from pages.parts.watch.report import report


def main() -> None:
    question(
        "What has been trained on this server?",
        "Everybody may look at every run. You can pin and delete the ones that you launched in this browser; "
        "a teacher can do so with all.",
    )
    teacher_entrance()
    open_file()
    refreshing(job_list, every=5)(report)
    st.page_link("start.py", label=":blue[Back to the start]")


main()
