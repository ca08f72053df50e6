"""Data flow of a system, derived from its experiment."""

from collections.abc import Iterator
from dataclasses import dataclass

from ldp_core.accounting import DELTA, shuffled
from ldp_core.aggregators.base import WeighsByNoise
from ldp_core.experiment import Experiment, Plan, plan
from ldp_core.limits import at_most, number, spelled
from ldp_core.mechanisms import InClear


@dataclass(frozen=True)
class RoundStep:
    """An action of a client or the server in a round, and what it sends."""

    who: str
    """"client" or "server"."""
    does: str
    sends: str
    """Data sent to the other side; "" if none."""
    kind: str
    """"noised" or "clear" for clients' data, else ""."""


def way(experiment: Experiment) -> tuple[RoundStep, ...]:
    """Steps of one round, in order."""
    noised = experiment.mechanism.role != "identity"
    steps = [*_invited(experiment)]
    if noised:
        own, _ = _bounds(experiment)
        fixed = experiment.mechanism.region == "ball" or (own and experiment.form == "as_printed")
        stated = ["its ε", "" if fixed else "its safe range", experiment.aggregator.reads_in_clear]
        steps.append(RoundStep("client", "states what it asks for", "; ".join(filter(None, stated)), "clear"))
    steps += [*_trained(experiment), *_sent(experiment, noised)]
    if experiment.system and experiment.system.shuffles:
        steps.append(RoundStep("client", _shuffles(experiment), "", ""))
    steps.append(RoundStep("server", experiment.aggregator.in_words(), "the next model", ""))
    return tuple(steps)


def _invited(experiment: Experiment) -> Iterator[RoundStep]:
    selection = experiment.selection
    chance = getattr(selection, "chance", None)
    if chance is None:
        yield RoundStep("server", f"chooses who takes part ({selection.label.lower()})", "the model", "")
        return
    yield RoundStep("server", "asks every client", "the model", "")
    share = f"{number(100 * chance)} %"
    yield RoundStep("client", f"draws whether it takes part, which {share} do on average", "", "")


def _bounds(experiment: Experiment) -> tuple[str, str]:
    return experiment.system.bounds(plan(experiment).public) if experiment.system else ("", "")


def _trained(experiment: Experiment) -> Iterator[RoundStep]:
    low, high = experiment.clients.bounds()
    alike = (low == low[0]).all()
    ends = f"[{number(low[0], 6)}, {number(high[0], 6)}]".replace("-", "−") if alike else "its own safe range"
    what = "its weights" if experiment.target == "weights" else "what training changed"
    cut = f"clips {what} to {ends}"
    if experiment.mechanism.region == "ball":
        cut = f"shortens {what} to a length of at most {number(experiment.mechanism.parameters()['norm'], 6)}"
    own, clear = _bounds(experiment)
    of_system = experiment.system.trains(plan(experiment).public) if experiment.system else ""
    epochs = experiment.local.epochs
    often = f"for {epochs} local epoch{'' if epochs == 1 else 's'}"
    trains = " ".join(filter(None, ["trains", of_system, often]))
    if not own:
        yield RoundStep("client", f"{trains} and {cut}", "", "")
        return
    yield RoundStep("client", trains, "", "")
    yield RoundStep("client", own, clear, "clear" if clear else "")


def _sent(experiment: Experiment, noised: bool) -> Iterator[RoundStep]:
    sent, made, of = plan(experiment).tells, experiment.mechanism, spelled(plan(experiment).uploaded)
    if noised and sent.perturbed:
        bits, each = f"{spelled(round(sent.perturbed))} of {of} weights", "perturbs each weight"
        if made.role == "vote":
            bits, each = f"{of} signs", "adds noise to each weight and keeps its sign"
        if made.scope == "layer":
            count = len(plan(experiment).pieces())
            bits, each = (
                f"{count} of {of} weights",
                f"answers for one random weight of each of {count} layers",
            )
        yield RoundStep("client", f"{each}: {made.label}", bits, "noised")
    if sent.why and not sent.clear:
        yield RoundStep("client", sent.why, "", "")
    if sent.clear or not noised:
        clear = spelled(round(sent.clear)) if noised else of
        yield RoundStep("client", sent.why or "sends as it is", f"{clear} weights", "clear")


def _shuffles(experiment: Experiment) -> str:
    """Step of a shuffler, with its privacy amplification for the client with the greatest ε."""
    clients, budgets = experiment.clients.count, experiment.clients.budgets()
    heard = int(clients * plan(experiment).turns.expected / experiment.rounds)
    most, unequal = float(budgets.max()), len(set(budgets.tolist())) > 1
    found = most if unequal else shuffled(most, max(1, heard), DELTA)
    few = f"{heard} messages are too few at δ {number(DELTA)}"
    why = "clients have budgets of their own" if unequal else few
    worth = (
        f"with a shuffler whom all trust, ε {number(most, 6)} of one message would become {at_most(found)}"
        if found < 0.99 * most
        else f"it lowers no ε ({why})"
    )
    return f"sends each weight by itself after a random delay, so that its sender is hidden: {worth}"


def sent_in_clear(plan: Plan) -> tuple[InClear, ...]:
    experiment = plan.experiment
    mechanism, aggregator = plan.randomiser, experiment.aggregator
    hears = "the shuffler" if experiment.trust.against == "shuffled heap" else "the server"
    trusted = InClear("every upload", "the trust in the server", "it adds the noise itself")
    found = [
        *([trusted] if experiment.trust.against == "model" else []),
        *mechanism.in_clear(),
        InClear("that a client takes part in a round", "the connection", f"{hears} sees who sends"),
    ]
    if mechanism.role == "identity":
        return tuple(found)
    tells = plan.tells
    if tells.clear and experiment.system:
        share = f"on average at least {tells.clear:.0f} of the {plan.uploaded} weights of an upload"
        found.append(InClear(share, f"the system “{experiment.system.label}”", tells.why))
    weights = isinstance(aggregator, WeighsByNoise)
    agreed = "client and server agree on them, and the answers show them"
    why = "the server weights by them" if weights else agreed
    limit = "norm" if mechanism.region == "ball" else "safe range"
    found.append(InClear(f"each client's ε and {limit}", "the agreement on them", why))
    if experiment.unit == "record":
        held = "a record is exchanged for another, never added"
        found.append(InClear("how many records each client holds", "the unit of privacy", held))
    if read := aggregator.reads_in_clear:
        found.append(InClear(read, f"the aggregator “{aggregator.label}”", "it weights by that"))
    return tuple(found)
