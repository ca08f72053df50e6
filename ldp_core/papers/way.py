"""The way of the data through a system, read off the experiment that runs it."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core.accounting import DELTA
from ldp_core.accounting.amplify import by_shuffling
from ldp_core.experiment import Experiment
from ldp_core.limits import spelled


@dataclass(frozen=True)
class Step:
    """What one side does before it hands on."""

    who: str
    """ "client" or "server"."""
    does: str
    sends: str
    """To the other side; "" where nothing leaves."""
    kind: str
    """ "noised", "clear" or "" for what is nobody's data."""


def way(experiment: Experiment) -> tuple[Step, ...]:
    sent, made = experiment.tells, experiment.mechanism
    low, high = experiment.clients.bounds()
    ends = (
        f"[{low.min():g}, {high.max():g}]".replace("-", "−")
        if (low == low[0]).all()
        else "its own safe range"
    )
    what = "its weights" if experiment.target == "weights" else "what training changed"
    noised = made.role != "identity"
    cut = f"clips {what} to {ends}"
    if made.region == "ball":
        cut = f"shortens {what} to a length of at most {made.parameters()['norm']:g}"
    trains = f"trains for {_count(experiment.local.epochs, 'local epoch')} and {cut}"
    steps = [
        Step("server", f"chooses who takes part ({experiment.selection.label.lower()})", "the model", ""),
        Step("client", trains, "", ""),
    ]
    if noised and sent.perturbed:
        bits = f"{spelled(round(sent.perturbed))} of {spelled(experiment.uploaded)} weights"
        each = f"perturbs each weight: {made.label}"
        if made.scope == "layer":
            each = f"answers for one random weight of each of {len(experiment.pieces())} layers: {made.label}"
            bits = f"{len(experiment.pieces())} of {spelled(experiment.uploaded)} weights"
        steps.append(Step("client", each, bits, "noised"))
    if sent.why and not sent.clear:
        steps.append(Step("client", sent.why, "", ""))
    if sent.clear or not noised:
        clear = sent.clear if noised else experiment.uploaded
        steps.append(
            Step("client", sent.why or "sends as it is", f"{spelled(round(clear))} weights", "clear")
        )
    system = experiment.system
    remarks = (
        [*system.remarks(experiment), *([_shuffles(experiment)] if system.shuffles else [])] if system else []
    )
    steps += [Step("client", remark, "", "") for remark in remarks]
    if noised:
        told = ["its ε and its safe range", *filter(None, [experiment.aggregator.reads_in_clear])]
        steps.append(Step("client", "tells its budget", "; ".join(told), "clear"))
    steps.append(Step("server", f"averages: {experiment.aggregator.label}", "the next model", ""))
    return tuple(steps)


def _shuffles(experiment: Experiment) -> str:
    """What it does, and what that is worth here for the least cautious client."""
    clients, budgets = experiment.clients.count, experiment.clients.budgets()
    heard = int(
        clients * experiment.selection.expected_uploads(clients, experiment.rounds) / experiment.rounds
    )
    found = by_shuffling(float(budgets.max()), heard, DELTA, alike=len(set(budgets.tolist())) == 1)
    worth = (
        f"with a shuffler whom all trust, ε {budgets.max():g} of one message would become {found.epsilon:.3g}"
        if found.applies
        else f"it lowers no ε ({found.why})"
    )
    return f"sends each weight by itself after a random delay, so that nobody knows whose it is: {worth}"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
