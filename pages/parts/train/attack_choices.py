"""Fields of the attack during training, and what it costs."""

import re

import streamlit as st

from ldp_core import attacks, limits
from ldp_core.attacks import servers
from ldp_core.cost.seconds import seconds as cost
from ldp_core.cost.seconds import work_of
from ldp_core.errors import Problem, shown
from ldp_core.experiment import Attack, Experiment, changed, plan
from ldp_core.experiment.attack import UPLOADS, attackers
from ldp_core.runs import rates
from pages.parts.ui.fields import bind, complain, named, own_parameters, whole
from pages.parts.ui.text import few, number, percent, plain, seconds
from pages.parts.ui.workspace import Workspace

SHORT = {"audit": "an upload of one image", "real": "a real upload", "both": "both", "off": "nothing"}
LISTS = {
    "clients": (
        "strictest, median, most permissive",
        "Their numbers, up to 12 of them, such as 1, 10, 20. Empty: the strictest, the median and the most "
        "permissive client.",
    ),
    "rounds": ("every n-th, from round 1 on", "Their numbers, such as 1, 5, 20. Empty: every n-th."),
}


def attack_choices(workspace: Workspace) -> None:
    base = workspace.draft.base
    if any(path.split(".")[0] == "attack" for path in workspace.varied):
        st.caption("Each run has an attack of its own, as prepared.")
        return
    words = "; ".join(f"{SHORT[name]}: {what}" for name, what in UPLOADS.items())
    now = base.attack.uploads if base.attack else "off"

    def set_uploads(workspace: Workspace, what: str) -> tuple[Problem, ...]:
        return workspace.edit({"attack": None} if what == "off" else {"attack.uploads": what})

    named(workspace, "attack.uploads", "What is attacked", SHORT, now, set_uploads, help=words)
    if base.attack is None:
        st.caption("No upload is attacked, so the run does not show what leaks.")
        return
    _server(workspace, base.attack)
    _numbers(workspace, base.attack, "clients")
    _attacker(workspace, base, base.attack)
    each = "1: each of them. An attacker that searches takes its time; the run waits for it."
    every = base.attack.every
    whole(workspace, "attack.every", "Attack every n-th round", limits.ATTACK_EVERY, every, help=each)
    _numbers(workspace, base.attack, "rounds")
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
        help="Also measured: how well an attacker distinguishes two uploads that differ as much as they may. "
        "They are simulated beside the run and change nothing in it.",
        **bind(workspace, "attack.canary", base.attack.canary),
    )
    if why := plan(base).why_not:
        st.caption(f"No picture is drawn here: {plain(why, 300)}.")


def _server(workspace: Workspace, attack: Attack) -> None:
    labels, now = servers.registry.labels(), attack.server

    def choose(workspace: Workspace, name: str) -> tuple[Problem, ...]:
        along = {"attack.uploads": "real", "attack.attacker": "auto"} if servers.get(name).reader else {}
        return workspace.edit({"attack.server": name, **along})

    words = (
        "In the rounds that are attacked, and only for these uploads: the run goes on with the honest model."
    )
    named(workspace, "attack.server", "The server", labels, now.name, choose, help=words)
    if now.reader:
        st.caption(plain(now.summary, 400))


def _numbers(workspace: Workspace, attack: Attack, what: str) -> None:
    field, (placeholder, words) = f"attack.{what}", LISTS[what]
    now = ", ".join(map(str, getattr(attack, what) or ()))
    bound = bind(workspace, field, now, lambda workspace, typed: set_numbers(workspace, what, typed))
    st.text_input(f"{what.capitalize()} attacked", placeholder=placeholder, help=words, **bound)
    complain(workspace, field)


def set_numbers(workspace: Workspace, what: str, typed: str) -> tuple[Problem, ...]:
    """Set the attacked "clients" or "rounds" from numbers between commas or spaces; none: the default."""
    base, words = workspace.draft.base, re.findall(r"[^\s,;]+", typed)
    most = base.clients.count if what == "clients" else base.rounds
    for word in words:
        # a number of thousands of digits is none that Python reads
        if not (word.isdecimal() and len(word) <= len(str(most)) and 1 <= int(word) <= most):
            given = f"must be numbers of {what} between 1 and {most}; got {shown(word)}"
            return (Problem(f"attack.{what}", given),)
    return workspace.edit({f"attack.{what}": [*map(int, words)] or None})


def _attacker(workspace: Workspace, base: Experiment, attack: Attack) -> None:
    kinds = {name: attacks.registry.kind(name) for name in attackers() if name != "auto"}
    labels = {"auto": "Automatic"} | {name: kind.label for name, kind in kinds.items()}
    unfit = {name: why for name in kinds if (why := _unfit(base, name))}
    for name in unfit:
        labels[name] += " (cannot)"
    lines = [f"- **{labels[name]}**: {kind.summary}" for name, kind in kinds.items()]
    words = "\n".join(["- **Automatic**: what suits model, mechanism and upload best.", *lines])
    now = attack.attacker.name if attack.attacker else "auto"
    named(workspace, "attack.attacker", "Attacker", labels, now, help=words)
    if attack.attacker:
        own_parameters(workspace, "attack.attacker", attack.attacker)
    for name in dict.fromkeys(spy.attacker for spy in plan(base).spies):
        st.caption(plain(f"{labels[name]}: {kinds[name].summary}", 400))
    if unfit and len(unfit) < len(kinds):
        why = next(iter(unfit.values()))
        st.caption(plain(f"Not possible here: {', '.join(labels[n] for n in unfit)}, because {why}.", 400))


def _unfit(base: Experiment, name: str) -> str:
    source, kind = plan(base).source, attacks.registry.kind(name)
    why = kind.unfit(base.model, source.shape, source.classes)
    return why or kind.cannot_follow(base.local.optimizer)


def costs(base: Experiment) -> str:
    """Sentence on the default attack and its duration; "" without an attack."""
    asked, spelled = base.attack, plan(base).resolved.experiment
    attack, who = spelled.attack, plan(spelled).spies
    if asked is None or attack is None or not who:
        return ""
    steps = max(int(getattr(spy.who, "iterations", 0)) for spy in who)
    count = len(attack.clients or ())
    does = "one client" if count == 1 else f"{count} clients"
    does += f", {steps} steps at most" if steps > 0 else ""
    rounds = attack.attacked(base.rounds)
    when = ""
    if attack.after and not asked.after:
        when = (
            "A search beside the training would do more than a fifth of its work, so it comes after the "
            f"training and does as little as gives a picture: round 1, {does}. Name rounds or an attacker to "
            "have it as you say. "
        )
    elif attack.every > asked.every:
        when = f"Attacked every {attack.every} rounds: more would be over a fifth of the training's work. "
    elif attack.rounds != asked.rounds:
        when = f"Attacked in round 1, {does}: more would be over a fifth of the training's work. "
    elif steps and attack.every > 1 and not attack.rounds:
        when = f"Attacked every {attack.every} rounds. "
    elif steps:
        when = f"Attacked in round{'s' if len(rounds) > 1 else ''} {few([*map(str, rounds)])}. "
    slows = "The searches slow training. " if steps and not attack.after else ""
    return (when + slows + _takes(spelled)).strip()


def _takes(base: Experiment) -> str:
    if not (known := rates()):
        return ""
    spared = cost([work_of(plan(changed(base, {"attack": None})))], known)
    more = cost([work_of(plan(base))], known) - spared
    share = more / max(spared, 1e-9)
    times = f", {number(share, 2)} times as long" if share > 1 else f", {percent(share)} of it"
    return f"A run's attacks take about {seconds(more)} here, beside {seconds(spared)} of training{times}."
