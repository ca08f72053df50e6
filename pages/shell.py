"""Frame of every page: title and navigation."""

import streamlit as st

from ldp_core.system.shipped import ASSETS
from pages.parts.ui.polling import guarded
from pages.parts.ui.workspace import arrive

st.set_page_config(
    page_title="Epsilon Studio",
    page_icon=str(ASSETS / "icon.png"),
    layout="wide",
    initial_sidebar_state="collapsed",
)
st.html(ASSETS / "studio.css")
st.logo(str(ASSETS / "logo.svg"), size="large")
FILES = {"Class": "classroom"}
"""Names of files that are not the title's."""
PAGES = {
    "": ("Start", "Ask", "Clients", "Noise", "Train", "Attack", "Tune"),
    "More": ("Learn", "Papers", "Compare", "Runs", "Class"),
}
page = st.navigation(
    {
        heading: [
            st.Page(
                f"{FILES.get(title, title.lower())}.py",
                title=title,
                url_path="" if title == "Start" else title.lower(),
                default=title == "Start",
            )
            for title in titles
        ]
        for heading, titles in PAGES.items()
    },
    position="top",
)
arrive(f"{page.url_path}{' of a job' if 'job' in st.query_params else ''}")
guarded(page.run)()
