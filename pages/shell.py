"""Frame of every page: title and navigation."""

import streamlit as st

from ldp_core.system.shipped import ASSETS
from pages.parts.classroom.gate import ANSWERLESS, asked, closed
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
page = st.navigation(
    [
        st.Page("start.py", title="Start", default=True),
        st.Page("ask.py", title="Ask", url_path="ask"),
        st.Page("clients.py", title="Clients", url_path="clients"),
        st.Page("noise.py", title="Noise", url_path="noise"),
        st.Page("train.py", title="Train", url_path="train"),
        st.Page("attack.py", title="Attack", url_path="attack"),
        st.Page("tune.py", title="Tune", url_path="tune"),
        st.Page("more.py", title="More", url_path="more"),
        # flat, and the rest behind “More”: sections break a phone's list for screen readers
        st.Page("learn.py", title="Learn", url_path="learn", visibility="hidden"),
        st.Page("papers.py", title="Papers", url_path="papers", visibility="hidden"),
        st.Page("compare.py", title="Compare", url_path="compare", visibility="hidden"),
        st.Page("runs.py", title="Runs", url_path="runs", visibility="hidden"),
        st.Page("classroom.py", title="Class", url_path="class", visibility="hidden"),
    ],
    position="top",
)
arrive(f"{page.url_path}{' of a job' if 'job' in st.query_params else ''}")
guarded(closed if page.url_path not in ANSWERLESS and asked() else page.run)()
