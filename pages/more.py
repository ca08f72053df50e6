"""More: the other pages, the words and the keys."""

import streamlit as st

from pages.parts.ui.header import question
from pages.parts.ui.meanings import glossary

PAGES = {
    "learn.py": ("Learn", "lessons on one path: predict, see, change one thing"),
    "runs.py": ("Runs", "all that was trained here"),
    "compare.py": ("Compare", "runs side by side, and what made the difference"),
    "papers.py": ("Papers", "five systems: what they claim, and what holds here"),
    "classroom.py": ("Class", "a code, guesses, one run for the whole room"),
}
KEYS = {
    "P": "large letters for a wall, on Train and Attack",
    "Enter": "in a cell of the clients' table: takes it, and leads to the next client",
    "Arrows": "move a slider, a dot of Clients, a row of Runs and a cell of Tune's map",
    "Shift + space": "ticks a row of Runs",
    "Tab": "leads to every control, charts included",
}


def main() -> None:
    question("What else is here?")
    for file, (name, words) in PAGES.items():
        st.page_link(file, label=f":blue[**{name}**] {words}")
    left, right = st.columns([2, 1], gap="large")
    with left:
        st.header("Words, each explained once", anchor="words")
        st.markdown(glossary())
    with right:
        st.header("Keys", anchor="keys")
        st.markdown("\n".join(f"- **{key}**: {words}" for key, words in KEYS.items()))


main()
