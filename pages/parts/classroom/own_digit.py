"""A student's screen in a class whose students are the clients: draw a digit, choose ε and τ, see results."""

import base64
from collections.abc import Mapping
from functools import cache
from typing import Any

import streamlit as st

from ldp_core.accounting import everyone, promise, worth
from ldp_core.classroom import Session, own_digits, topics
from ldp_core.classroom.own_digits import EPSILONS, RANGES, ROUNDS, STOCK, Own, Read
from ldp_core.datasets.drawn import SIDE
from ldp_core.experiment import plan
from ldp_core.runs import Job
from pages.parts.classroom.wall import SECONDS, curve
from pages.parts.classroom.words import say
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
    first = st.session_state.setdefault(f"first of {key}", sent) or Own(-1, b"", *STOCK)
    data = {
        "side": SIDE,
        "pixels": base64.b64encode(first.pixels).decode(),
        "label": "Draw a digit here; arrow keys move the pen, and it draws while Shift is held",
        "hint": "Draw one large digit; or use arrow keys, with Shift to draw",
        "clear": "Begin again",
    }
    with st.container(key="room-draw", gap="small"):
        if sent and session.job:
            st.markdown(f"**{say('again')}**")
        components.draw("sketch", data, key=f"square {key}", keeps="drawn")
        digit = first.digit if first.digit >= 0 else None
        st.segmented_control(
            "Which digit is it?", range(10), default=digit, key=f"digit {key}", width="stretch"
        )
        epsilon = st.select_slider(
            "Your budget ε, for each number that you send: small means much noise",
            EPSILONS,
            first.epsilon,
            format_func=lambda one: f"ε {one:g}",
            key=f"epsilon {key}",
        )
        st.caption(_price(epsilon))
        st.select_slider(
            "Your safe range ±τ: what is larger is cut, and noise is as wide as the range",
            RANGES,
            first.half,
            format_func=lambda one: f"±{one:g}",
            key=f"half {key}",
        )
        refusal(NOT_SENT)
        words, send = "Change what I sent" if sent else "Take part with it", f"send {key}"
        st.button(words, type="primary", width="stretch", key=send, on_click=_send, args=(session, key))
        kept = (
            sent and f"Sent: **a {sent.digit}**, ε {sent.epsilon:g}, ±{sent.half:g}. Change it as you like."
        )
        st.caption(kept or "This server keeps your drawing until the class ends; no page but yours shows it.")


@cache
def _price(epsilon: float) -> str:
    """ε per weight as ε of the whole run, with its worth in words."""
    base = own_digits.draft_of([Own(0, b"", epsilon, STOCK[1])] * own_digits.CLIENTS[0]).base
    line = promise(plan(base), everyone(plan(base))[0]).run_worst
    found = worth(line)
    return (
        f"{plan(base).dimension} numbers in each of {ROUNDS} rounds: all that you send has "
        f"ε {at_most(line.bound)}{deltas([line.delta])} against the server. That {found.promises}."
    )


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
            st.markdown("You have not drawn, so the server has nothing of yours.")
        elif read := own_digits.read_of(session, job, me()):
            _mine(drawn, read)
            row = _row(session, job, drawn, read)
        else:
            refreshing(_wait, every=SECONDS)(session, job.id)
    refreshing(curve, every=SECONDS if job.live else None)(job.id, (), HEIGHT)
    return row


def _row(session: Session, job: Job, own: Own, found: Read) -> dict[str, Any]:
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
    st.markdown("What the server could read of your digit comes when the training is over.")
    if own_digits.read_of(session, job_now(identity), me()):
        st.rerun()


def _mine(own: Own, found: Read) -> None:
    audit = found.audit
    picked = audit["picked"] == audit["own"]
    step = {
        "words": "It picks yours out of ten." if picked else "It picks another one, not yours.",
        "kind": "bad" if picked else "",
        "picked": audit["picked"],
        "read": audit["image"],
        "label": f"the server's guess at your image, {audit['psnr']:.0f} dB",
    }
    shown = {"images": audit["candidates"], "own": audit["own"], "mine": "yours", "reads": "what it reads"}
    closer = audit["psnr"] - audit["psnr_mean_image"]
    than = "about as close as" if 0 <= closer <= 1 else f"{'' if closer > 1 else 'no '}closer to yours than"
    named = [f"{'right' if right else 'wrong'} ({label})" for label, right in found.right.items()]
    with st.container(border=True, key="room-mine"):
        st.markdown("**What the server could read of your digit** (only you see this)")
        components.draw("lineup", shown | {"steps": [step]}, key="own line-up")
        st.markdown(
            f"With ε {own.epsilon:g} and ±{own.half:g}, what it reads is {than} the average of all images. "
            "Who guesses picks right one time in ten; another draw of your noise may come out differently."
        )
        st.caption(
            "From an upload made for this alone: one step on your drawing and nothing else, the worst case. "
            "In the training your drawing was mixed with at least 40 stock images."
        )
        st.markdown(f"The trained model reads your {own.digit} {', '.join(named)}.")
