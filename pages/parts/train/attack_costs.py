"""What the attack beside the training costs, in a sentence or two."""

from __future__ import annotations

from ldp_core.cost.work import seconds as cost
from ldp_core.cost.work import work_of
from ldp_core.experiment import Experiment, changed
from ldp_core.experiment.threat_model import beside_training, spies
from ldp_core.runs.machine.calibration import rates
from pages.parts.ui.text import few, number, percent, seconds


def costs(base: Experiment) -> str:
    """What the attack costs; "" where there is none, or only closed forms and this machine's rates are not
    known yet.
    """
    plan = beside_training(base)
    if not plan.share:
        return _reading(base)
    took, rounds = _took(base, plan.share), plan.rounds
    does = f"{'one client' if plan.victims == 1 else f'{plan.victims} clients'}, {plan.steps} steps at most"
    if plan.waits:
        return (
            f"The search takes {took}. Beside it that would be more than a fifth, so it comes after the "
            f"training and does as little as gives a picture: round 1, {does}. Name rounds or an attacker to "
            "have it as you say."
        )
    named = f"round{'s' * (len(rounds) > 1)} {few([str(n) for n in rounds])}"
    often = f"every {rounds[1] - rounds[0]} rounds" if isinstance(rounds, range) and len(rounds) > 2 else ""
    spared = f", {does}, so that it takes a fifth of the time at most" if plan.steps else ""
    return f"Attacked {often or f'in {named}'}{spared}. The searches slow training: they take {took}."


def _reading(base: Experiment) -> str:
    """What closed forms cost."""
    attack, rounds = base.attack, beside_training(base).rounds
    if attack is None or not spies(base):
        return ""
    told = ""
    if not attack.rounds and len(rounds) > 1 and (between := rounds[1] - rounds[0]) > attack.every:
        told = f"Attacked every {between} rounds: more would take more than a fifth of the training's time. "
    if known := rates():
        spared = cost([work_of(changed(base, {"attack": None}))], known)
        more = cost([work_of(base)], known) - spared
        told += f"A run's attacks take about {seconds(more)} here, beside {seconds(spared)} of training."
    return told.strip()


def _took(base: Experiment, share: float) -> str:
    """A search beside training: in seconds where this machine's rates have been measured."""
    times = f"about {number(share, 2)} times as long as training"
    told = times if share > 1 else f"about {percent(share)} of the time of training"
    if not (known := rates()):
        return told
    searching = work_of(base).searches * known.search
    return f"{told}, {seconds(searching)} here"
