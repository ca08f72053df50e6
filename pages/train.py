"""Train: does it still learn, and what leaks?"""

from __future__ import annotations

import streamlit as st

from pages.parts.train.choices import choices
from pages.parts.train.chosen_job import chosen_job, lesson_of
from pages.parts.train.launch import again_bar, launch, stale, title
from pages.parts.train.live import live_view
from pages.parts.train.watch_only import watch_only
from pages.parts.ui.header import header
from pages.parts.ui.workspace import open_workspace


def main() -> None:
    if "job" in st.query_params:
        watch_only(st.query_params["job"])
        return
    workspace = open_workspace("train")
    job = chosen_job(workspace)
    header(workspace, job)
    title(workspace.draft)
    launch(workspace, job)
    with st.container(key="to-settings"):
        st.markdown("[To the settings, below the results](#settings)")
    with st.container(key="results-first"):
        left, right = st.columns([1.1, 3.4], gap="medium")
        with left, st.container(border=True):
            st.subheader("What is run", anchor="settings")
            choices(workspace)
            again_bar(workspace, job)
        with right:
            live_view(workspace.draft, job, lesson_of(job), own=True, stale=stale(workspace, job))


main()
