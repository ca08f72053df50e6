"""Fields of the attack during training."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from ldp_core import attacks, limits
from ldp_core.errors import Problem, shown
from ldp_core.experiment import Attack, Experiment
from ldp_core.experiment.attack import UPLOADS, attackers
from ldp_core.experiment.threat_model import spies, why_not
from pages.parts.train.attack_costs import costs
from pages.parts.ui.fields import bind, complain, named, own_parameters, whole
from pages.parts.ui.text import plain
from pages.parts.ui.workspace import Workspace

SHORT = {"audit": "an upload of one image", "real": "a real upload", "both": "both", "off": "nothing"}


def attack_choices(workspace: Workspace) -> None:
    base = workspace.draft.base
    if any(path.split(".")[0] == "attack" for path in workspace.varied):
        st.caption("Each run has an attack of its own, as prepared.")
        return
    words = "; ".join(f"{SHORT[name]}: {what}" for name, what in UPLOADS.items())
    now = base.attack.uploads if base.attack else "off"
    named(workspace, "attack.uploads", "What is attacked", SHORT, now, _set_uploads, help=words)
    if base.attack is None:
        st.caption("No upload is attacked: the run tells nothing of what leaks.")
        return
    _clients(workspace, base.attack)
    _attacker(workspace, base, base.attack)
    whole(
        workspace,
        "attack.every",
        "Attack every n-th round",
        limits.ATTACK_EVERY,
        base.attack.every,
        help="1: each of them. An attacker that searches takes its time; the run waits for it.",
    )
    _rounds(workspace, base.attack)
    if price := costs(base):
        st.caption(price)
    whole(
        workspace,
        "attack.rounds_observed",
        "Uploads that the server sees",
        limits.OBSERVED,
        base.attack.rounds_observed,
        help="Of the same values, each with fresh noise; their average is clearer, and costs a budget each.",
    )
    whole(
        workspace,
        "attack.candidates",
        "Images to pick from",
        limits.CANDIDATES,
        base.attack.candidates,
        help="The server is given so many images and says which one the upload was made of.",
    )
    st.checkbox(
        "Plant a canary",
        help="Also measured: how well two uploads are told apart that are as different as they may be. "
        "They are simulated beside the run and change nothing in it.",
        **bind(workspace, "attack.canary", base.attack.canary),
    )
    if why := why_not(base):
        st.caption(f"No picture is drawn here: {plain(why, 300)}.")


def _clients(workspace: Workspace, attack: Attack) -> None:
    """Field: clients under attack, numbered from 1."""
    st.text_input(
        "Clients attacked",
        placeholder="strictest, median, most permissive",
        help="Their numbers, up to 12 of them, such as 1, 10, 20. Empty: the strictest, the median and the "
        "most permissive client.",
        **bind(
            workspace,
            "attack.clients",
            ", ".join(str(client) for client in attack.clients or ()),
            set_clients,
        ),
    )
    complain(workspace, "attack.clients")


def _rounds(workspace: Workspace, attack: Attack) -> None:
    """Field: list of attacked rounds, instead of every n-th."""
    st.text_input(
        "Rounds attacked",
        placeholder="every n-th, from round 1 on",
        help="Their numbers, such as 1, 5, 20. Empty: every n-th.",
        **bind(workspace, "attack.rounds", ", ".join(map(str, attack.rounds or ())), set_rounds),
    )
    complain(workspace, "attack.rounds")


def set_rounds(workspace: Workspace, typed: str) -> tuple[Problem, ...]:
    """Set attacked rounds from text: numbers separated by commas or spaces; empty means every n-th."""
    rounds = workspace.draft.base.rounds
    if wrong := _no_numbers(typed, rounds):
        given = f"must be numbers of rounds between 1 and {rounds}; got {shown(wrong)}"
        return (Problem("attack.rounds", given),)
    return workspace.edit({"attack.rounds": [int(word) for word in _words(typed)] or None})


def set_clients(workspace: Workspace, typed: str) -> tuple[Problem, ...]:
    """Set attacked clients from text: numbers separated by commas or spaces; empty means the default."""
    count = workspace.draft.base.clients.count
    if wrong := _no_numbers(typed, count):
        given = f"must be numbers of clients between 1 and {count}; got {shown(wrong)}"
        return (Problem("attack.clients", given),)
    return workspace.edit({"attack.clients": [int(word) for word in _words(typed)] or None})


def _words(typed: str) -> list[str]:
    return re.findall(r"[^\s,;]+", typed)


def _no_numbers(typed: str, most: int) -> str:
    """First word that is no number from 1 to `most`; "" if all are."""
    for word in _words(typed):
        # a number of thousands of digits is none that Python reads
        if not (word.isdecimal() and len(word) <= len(str(most)) and 1 <= int(word) <= most):
            return word
    return ""


def _attacker(workspace: Workspace, base: Experiment, attack: Attack) -> None:
    labels = {
        name: "Automatic" if name == "auto" else attacks.registry.kind(name).label for name in attackers()
    }
    summaries = {name: attacks.registry.kind(name).summary for name in attackers() if name != "auto"}
    unfit = {name: why for name in summaries if (why := _unfit(base, name))}
    for name in unfit:
        labels[name] += " (cannot)"
    lines = [f"- **{labels[name]}**: {what}" for name, what in summaries.items()]
    named(
        workspace,
        "attack.attacker",
        "Attacker",
        labels,
        attack.attacker.name if attack.attacker else "auto",
        help="\n".join(["- **Automatic**: what suits model, mechanism and upload best.", *lines]),
    )
    if attack.attacker:
        own_parameters(workspace, "attack.attacker", attack.attacker)
    here = dict.fromkeys(spy.attacker for spy in spies(base))
    for name in here:
        st.caption(plain(f"{labels[name]}: {summaries[name]}", 400))
    if unfit and len(unfit) < len(summaries):
        why = next(iter(unfit.values()))
        st.caption(plain(f"Not possible here: {', '.join(labels[n] for n in unfit)}, because {why}.", 400))


def _unfit(base: Experiment, name: str) -> str:
    source, kind = base.source, attacks.registry.kind(name)
    why = kind.unfit(base.model, source.shape, source.classes)
    return why or kind.cannot_follow(base.local.optimizer)


def _set_uploads(workspace: Workspace, what: Any) -> tuple[Problem, ...]:
    return workspace.edit({"attack": None} if what == "off" else {"attack.uploads": what})
