"""Sentence on the attack during training and its duration."""

from __future__ import annotations

from ldp_core.cost.seconds import seconds as cost
from ldp_core.cost.seconds import work_of
from ldp_core.experiment import Experiment, changed
from ldp_core.experiment.threat_model import resolved, spies
from ldp_core.runs import rates
from pages.parts.ui.text import few, number, percent, seconds


def costs(base: Experiment) -> str:
    """Sentence on the default attack and its duration; "" without an attack."""
    asked, spelled = base.attack, resolved(base)
    attack, who = spelled.attack, spies(spelled)
    if asked is None or attack is None or not who:
        return ""
    steps = max(int(getattr(spy.who, "iterations", 0)) for spy in who)
    count = len(attack.clients or ())
    does = f"{'one client' if count == 1 else f'{count} clients'}{f', {steps} steps at most' * (steps > 0)}"
    rounds = attack.attacked(base.rounds)
    plan = ""
    if attack.after and not asked.after:
        plan = (
            "A search beside the training would do more than a fifth of its work, so it comes after the "
            f"training and does as little as gives a picture: round 1, {does}. Name rounds or an attacker to "
            "have it as you say. "
        )
    elif attack.every > asked.every:
        plan = f"Attacked every {attack.every} rounds: more would be over a fifth of the training's work. "
    elif attack.rounds != asked.rounds:
        plan = f"Attacked in round 1, {does}: more would be over a fifth of the training's work. "
    elif steps and attack.every > 1 and not attack.rounds:
        plan = f"Attacked every {attack.every} rounds. "
    elif steps:
        plan = f"Attacked in round{'s' * (len(rounds) > 1)} {few([*map(str, rounds)])}. "
    slows = "The searches slow training. " if steps and not attack.after else ""
    return (plan + slows + _takes(spelled)).strip()


def _takes(base: Experiment) -> str:
    """Seconds at this machine's speed, once measured."""
    if not (known := rates()):
        return ""
    spared = cost([work_of(changed(base, {"attack": None}))], known)
    more = cost([work_of(base)], known) - spared
    share = more / max(spared, 1e-9)
    times = f", {number(share, 2)} times as long" if share > 1 else f", {percent(share)} of it"
    return f"A run's attacks take about {seconds(more)} here, beside {seconds(spared)} of training{times}."
