"""Train: does it still learn, and what leaks?"""

import streamlit as st

from pages.parts.systems.panel import system_panel
from pages.parts.systems.trust import trust_panel
from pages.parts.train.choices import choices
from pages.parts.train.chosen_job import chosen_job, lesson_of
from pages.parts.train.launch import again_bar, launch, note, stale, title
from pages.parts.ui.header import header
from pages.parts.ui.polling import wait_for
from pages.parts.ui.workspace import open_workspace
from pages.parts.watch.live import live_view
from pages.parts.watch.more import more
from pages.parts.watch.prediction import asked, prediction
from pages.parts.watch.report import take_away
from pages.parts.watch.watch_only import watch_only


def main() -> None:
    if "job" in st.query_params:
        watch_only(st.query_params["job"])
        return
    workspace = open_workspace("train")
    job = chosen_job(workspace)

    def settings() -> None:
        choices(workspace)
        again_bar(workspace, job)

    with st.container(gap="small"):
        with header(workspace, job, take_away):
            system_panel(workspace)
            trust_panel(workspace)
            launch(workspace, job)
        now = asked(workspace, job)
        with st.container(gap="xxsmall"):
            prediction(workspace, job, now, beside=title(workspace.draft))
        old = stale(workspace, job)
        if job is not None and old:
            note(workspace, job)
        guess = now.level if now and not old else None
        is_open = now is not None and now.open
        live_view(workspace.draft, job, own=True, stale=old, guess=guess, open_question=is_open)
        more(workspace.draft, job, lesson_of(job), settings)
        if job is None or old:
            wait_for(workspace.draft.experiments())


main()
