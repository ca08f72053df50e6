"""A student's screen in a class whose students are the clients: draw a digit, choose ε and τ, see results."""

import base64
from collections.abc import Mapping
from functools import cache
from typing import Any

import streamlit as st

from ldp_core.accounting import Promise, everyone, promise, worth
from ldp_core.classroom import Session, own_digits, topics
from ldp_core.classroom.own_digits import EPSILONS, RANGES, ROUNDS, STOCK, DigitRead, OwnDigit
from ldp_core.datasets.drawn import SIDE
from ldp_core.experiment import plan
from ldp_core.runs import Job
from pages.parts.classroom.wall import SECONDS, curve
from pages.parts.learn.language import say
from pages.parts.ui import components
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.polling import refreshing
from pages.parts.ui.shared_cache import job_now
from pages.parts.ui.text import at_most, deltas
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import me

NOT_SENT = "drawing not sent"
HEIGHT = 230


def phone(session: Session, job: Job | None) -> dict[str, Any] | None:
    if session.phase == "ask":
        draw(session)
        return None
    return watch(session, job)


def draw(session: Session) -> None:
    """Draw the square for the student's digit, and the fields for ε and τ."""
    sent = own_digits.all_sent(session).get(me())
    key = f"own digit {session.code} {session.job}"  # a second round begins with what was sent in the first
    first = st.session_state.setdefault(f"first of {key}", sent) or OwnDigit(-1, b"", *STOCK)
    data = {
        "side": SIDE,
        "pixels": base64.b64encode(first.pixels).decode(),
        "label": say("square"),
        "hint": say("square hint"),
        "clear": say("clear"),
    }
    with st.container(key="room-draw", gap="small"):
        if sent and session.job:
            st.markdown(f"**{say('again')}**")
        components.draw("sketch", data, key=f"square {key}", keeps="drawn")
        digit = first.digit if first.digit >= 0 else None
        st.segmented_control(
            say("which digit"), range(10), default=digit, key=f"digit {key}", width="stretch"
        )
        epsilon = st.select_slider(
            say("budget"), EPSILONS, first.epsilon, format_func=lambda one: f"ε {one:g}", key=f"epsilon {key}"
        )
        st.caption(_price(epsilon))
        st.select_slider(
            say("range"), RANGES, first.half, format_func=lambda one: f"±{one:g}", key=f"half {key}"
        )
        refusal(NOT_SENT)
        words, send = say("change drawing" if sent else "take part"), f"send {key}"
        st.button(words, type="primary", width="stretch", key=send, on_click=_send, args=(session, key))
        given = {"digit": sent.digit, "epsilon": sent.epsilon, "half": sent.half} if sent else {}
        st.caption(say("drawing sent", **given) if sent else say("drawing kept"))


def _price(epsilon: float) -> str:
    """ε per weight as ε of the whole run, with its worth in words."""
    numbers, line = _whole_run(epsilon)
    bound = f"{at_most(line.bound)}{deltas([line.delta])}"
    return say("price", numbers=numbers, rounds=ROUNDS, bound=bound, worth=say(worth(line).word))


@cache
def _whole_run(epsilon: float) -> tuple[int, Promise]:
    """How many numbers a student sends in a round, and the promise of a run with this ε for each."""
    base = own_digits.draft_of([OwnDigit(0, b"", epsilon, STOCK[1])] * own_digits.CLIENTS[0]).base
    return plan(base).dimension, promise(plan(base), everyone(plan(base))[0]).run_worst


@pressed
def _send(session: Session, key: str) -> None:
    state = st.session_state
    drawn = (state.get(f"square {key}") or {}).get("drawn")
    pixels = drawn.get("pixels") if isinstance(drawn, Mapping) else None
    if pixels is None and (first := state.get(f"first of {key}")):
        pixels = base64.b64encode(first.pixels).decode()
    with refusing(NOT_SENT):
        digit, epsilon, half = (state.get(f"{name} {key}") for name in ("digit", "epsilon", "half"))
        own_digits.send(session, me(), digit, pixels, epsilon, half)


def watch(session: Session, job: Job | None) -> dict[str, Any] | None:
    """Accuracy, and what the server reconstructs from this student's drawing alone; returns that for the
    student's card.
    """
    if session.phase == "closed" or job is None:
        st.markdown(say("no more drawing"))
        return None
    row = None
    if session.phase in ("shown", "free"):
        drawn = own_digits.all_sent(session).get(me())
        if drawn is None:
            st.markdown(say("not drawn"))
        elif read := own_digits.read_of(session, job, me()):
            _mine(drawn, read)
            row = _row(session, job, drawn, read)
        else:
            refreshing(_wait, every=SECONDS)(session, job.id)
    refreshing(curve, every=SECONDS if job.live else None)(job.id, (), HEIGHT)
    return row


def _row(session: Session, job: Job, own: OwnDigit, found: DigitRead) -> dict[str, Any]:
    audit = found.audit
    picked = say("picked" if audit["picked"] == audit["own"] else "not picked")
    return {
        "id": job.id,
        "title": topics.get(session.scenario).label,
        "lines": [say("with", epsilon=own.epsilon, half=own.half), picked],
        "images": [
            {"image": audit["candidates"][audit["own"]], "name": say("my digit")},
            {"image": audit["image"], "name": say("it read")},
        ],
    }


def _wait(session: Session, identity: str) -> None:
    st.markdown(say("read later"))
    if own_digits.read_of(session, job_now(identity), me()):
        st.rerun()


def _mine(own: OwnDigit, found: DigitRead) -> None:
    audit = found.audit
    picked = audit["picked"] == audit["own"]
    step = {
        "words": say("it picked" if picked else "it missed"),
        "kind": "bad" if picked else "",
        "picked": audit["picked"],
        "read": audit["image"],
        "label": f"the server's guess at your image, {audit['psnr']:.0f} dB",
    }
    named = {"mine": say("yours"), "reads": say("it read"), "picks": say("picks")}
    shown = {"images": audit["candidates"], "own": audit["own"], **named}
    closer = audit["psnr"] - audit["psnr_mean_image"]
    than = "about as close" if 0 <= closer <= 1 else "closer" if closer > 1 else "no closer"
    hits = {True: say("reads right"), False: say("reads wrong")}
    right = [f"{hits[hit]} ({label})" for label, hit in found.right.items()]
    with st.container(border=True, key="room-mine"):
        st.markdown(say("could read"))
        components.draw("lineup", shown | {"steps": [step]}, key="own line-up")
        how = say("with", epsilon=own.epsilon, half=own.half)
        st.markdown(f"{how}: {say(than)} {say('by chance')}")
        st.caption(say("worst case"))
        st.markdown(say("model reads", digit=own.digit, right=", ".join(right)))
