"""The first lesson alone: the own coin, and a simulated room."""

import streamlit as st

from ldp_core.lessons import LessonPlan, coin
from pages.parts.ui import components
from pages.parts.ui.text import plain


def one_bit(plan: LessonPlan) -> None:
    left, right = st.columns([1, 1.5], gap="large")
    name = next(iter(coin.BUDGETS))
    with left:
        st.header(plain(plan.question, 200), anchor=False)
        own = {**coin.law(1, name), "at": name, "bit": None, "words": plan.words, "alone": True}
        components.draw("coin", own, key=f"coin of {plan.name}")
        one = plan.words["one"].format(**coin.odds(coin.BUDGETS[name])._asdict())
        st.markdown(f"ε {name}. {plain(one, 300)}")
    with right, st.container(border=True):
        shown = coin.simulated() | {"words": plan.words, "look": plan.look}
        components.draw("coin_room", shown, key=f"room of {plan.name}")
