"""A class that answers through coins: a student's coin, and the room's estimate on the wall."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from ldp_core import accounting
from ldp_core.classroom import Session, one_bit, topics
from ldp_core.lessons import LessonPlan, coin
from ldp_core.lessons import get as lesson
from ldp_core.runs import Job
from pages.parts.classroom.wall import SECONDS, count, heading
from pages.parts.learn.language import language
from pages.parts.learn.lesson import explained, transfer
from pages.parts.ui import components
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import number, plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.visitor import me

NOT_SENT = "bit not sent"


def phone(session: Session, job: Job | None) -> dict[str, Any] | None:
    """Draw a student's coin, or what was sent; returns that for the student's card."""
    plan = lesson(session.scenario, language())
    if session.phase == "ask":
        _toss(session, plan)
        return None
    sent = one_bit.sent_by(session, me())
    lines = [
        f"ε {name}: {plan.words['sent'].format(bit=plan.words['yes' if bit else 'no'])}"
        for name, bit in sent.items()
    ]
    st.markdown(plain(plan.words["closed"], 200))
    st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    if sent:
        right, tries = (number(one, 7) for one in coin.odds(_sum(sent)))
        st.markdown(plain(plan.words["one"].format(right=right, tries=tries), 300))
    with st.container(border=True, key="room-transfer"):
        transfer(f"{session.code} {session.scenario}", plan)
    title = topics.get(session.scenario, language()).label
    return {"id": session.scenario, "title": title, "lines": lines} if sent else None


def _toss(session: Session, plan: LessonPlan) -> None:
    """Draw the coin; what it leaves is sent."""
    name = session.free
    key = f"coin {session.code} {session.scenario} {name}"
    sent = one_bit.sent_by(session, me())
    given = (st.session_state.get(key) or {}).get("sent")
    if isinstance(given, Mapping) and name not in sent:
        with refusing(NOT_SENT):
            one_bit.send(session, me(), given.get("bit"), given.get("at"))
        sent = one_bit.sent_by(session, me())
    if sent.keys() - {name}:
        st.markdown(plain(plan.words["again"].format(sum=number(_sum({*sent, name}))), 300))
    data = {**coin.law(1, name), "at": name, "bit": sent.get(name), "words": plan.words}
    components.draw("coin", data, key=key, keeps="sent")
    refusal(NOT_SENT)


def _sum(names: Iterable[str]) -> float:
    """ε of several bits together."""
    return float(accounting.compose([coin.BUDGETS[name] for name in names])["epsilon"])


def wall(session: Session, job: Job | None, other: bool) -> None:
    """The wall while coins are tossed, and with the room's estimate."""
    heading(session)
    plan = lesson(session.scenario, language())
    if session.phase == "ask":
        kept, tries = (number(one, 6) for one in coin.law(1, session.free)["kept"])
        with st.container(key="room-choices"):
            words = plan.words["coin"].format(kept=kept, tries=tries)
            st.markdown(f"**ε {session.free}.** {plain(words, 300)}")
            explained(plan)
        refreshing(count, every=SECONDS)(session, "bits")
        return
    counts = one_bit.counts(session)
    if session.free not in counts:
        st.header(plain(plan.words["nobody"]), anchor=False)
        return
    shown = coin.room(session.free, counts) | {"wall": True, "words": plan.words, "look": plan.look}
    components.draw("coin_room", shown, key="coins of the room")


@uncut
def _chosen(change: Callable[..., None], session: Session, key: str) -> None:
    change(session, key)


def choose(session: Session, change: Callable[..., None]) -> None:
    """The teacher's choice of ε, applied by `change`."""
    key = f"coin of {session.code} {session.scenario} {session.free}"
    offered = dict.fromkeys([*(name for name in coin.BUDGETS if coin.tenfold(name)), session.free])
    st.segmented_control(
        "ε", [*offered], default=session.free, format_func=lambda name: f"ε {name}", required=True,
        key=key, on_change=_chosen, args=(change, session, key), label_visibility="collapsed",
    )  # fmt: skip
