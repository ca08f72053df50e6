"""Combinations of an experiment's fields that cannot run, with a sentence for each."""

from collections.abc import Iterator
from typing import Any

from ldp_core import attacks, datasets, features, models
from ldp_core.errors import InvalidInput, Problem, one_of, shown
from ldp_core.limits import number
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.resolution import least_in_words, too_narrow

LABELLED = {"target": "class_means", "features": "orientation", "rounds": 1}
"""Changes that give every upload a label."""


def conflicts(experiment: Any) -> Iterator[Problem]:
    clients, source, mechanism = experiment.clients, experiment.source, experiment.mechanism
    count, own, data = clients.count, experiment.features, experiment.dataset
    if count > source.train_size:
        most = f"{source.train_size}, the training samples of {source.label}"
        yield Problem("clients.count", f"must be at most {most}, so that each client holds one; got {count}")
    if experiment.partition.name == "as_given" and source.clients not in (0, count):
        message = f"must be {source.clients}, the clients that {source.label} names; got {count}"
        yield Problem("clients.count", message)
    if not (own.identity or datasets.get(data).images):
        what = f"{data} has {source.features} numbers a sample instead"
        yield Problem("features", f"are made of images, and {what}; choose none, or a data set of images")
        return
    if not (own.identity or experiment.system is None):
        whose = f"{experiment.system.label}, whose clients train on pixels"
        yield Problem("features", f"are not part of {whose}; choose none, or no system")
    if why := experiment.model.misfit(source.shape, source.classes):
        what = f"the data set {data}" if own.identity else f"the features {own.name}"
        fitting = [name for name in models.names() if models.get(name).fits(source.shape)]
        fitting = [name for name in fitting if name != experiment.model.name]
        yield Problem("model", f"does not fit {what}: {why}; choose {one_of(fitting)}")
        return
    if experiment.target == "class_means":
        yield from _of_class_means(experiment)
    elif mechanism.labelled:
        yield Problem("mechanism", without_label(mechanism.name))
    listed = {field: getattr(clients, field) for field in ("epsilon", "low", "high", "range", "run_limit")}
    wrong = {k: len(v) for k, v in listed.items() if isinstance(v, tuple) and len(v) != count}
    for field, length in wrong.items():
        message = f"must have one number for each of the {count} clients; got {length}"
        yield Problem(f"clients.{field}", message)
    if not wrong:
        yield from _of_ranges(*clients.bounds())
        untrusted = list(experiment.trust.problems(experiment))
        yield from untrusted
        if not untrusted and clients.epsilon_scope == "run":
            try:
                experiment.population()
            except InvalidInput as error:
                yield Problem("clients.epsilon_scope", str(error))
    if why := experiment.selection.problem(count, experiment.rounds):
        yield Problem("rounds", why)
    if experiment.form not in mechanism.forms:
        forms = one_of(mechanism.forms)
        yield Problem("form", f"must be {forms} for {mechanism.name}; got {experiment.form}")
    if experiment.attack:
        yield from _of_attack(experiment)
    held = {label for group in getattr(experiment.partition, "groups", ()) for label in group.labels or ()}
    if held and not held <= set(range(source.classes)):
        message = f"must hold labels between 0 and {source.classes - 1}; got {max(held)}"
        yield Problem("partition.groups", message)
    if experiment.system:
        yield from experiment.system.problems(experiment)


def _of_ranges(low: Floats, high: Floats) -> Iterator[Problem]:
    for client in (low >= high).nonzero()[0][:1]:
        ends = f"low {number(low[client], 6)} and high {number(high[client], 6)}"
        yield Problem("clients.low", f"of client {client + 1} must be below its high; got {ends}")
    for client in ((low < high) & too_narrow(low, high)).nonzero()[0][:1]:
        least, most = float(low[client]), float(high[client])
        message = (
            f"of client {client + 1} must be at least {least_in_words(least, most)} below its high: training "
            f"runs in float32, which is too coarse for less there; got low {shown(least)} and high "
            f"{shown(most)}"
        )
        yield Problem("clients.low", message)


def _of_attack(experiment: Any) -> Iterator[Problem]:
    attack, count, last = experiment.attack, experiment.clients.count, experiment.rounds
    if attack.clients and max(attack.clients) > count:
        yield Problem("attack.clients", f"must lie between 1 and {count}; got {max(attack.clients)}")
    if attack.rounds and attack.rounds[-1] > last:
        message = f"must lie between 1 and {last}, the last round; got {attack.rounds[-1]}"
        yield Problem("attack.rounds", message)
    if attack.after and attack.rounds != (1,):
        message = f"must be [1] where attacks come after the training; got {shown(attack.rounds)}"
        yield Problem("attack.rounds", message)
    if attack.attacker is not None:
        model, source = experiment.model, experiment.source
        if why := attacks.unfit(model, source.shape, source.classes, attack.attacker.name):
            yield Problem("attack.attacker", f"will not do: {why}")


def without_label(name: str) -> str:
    """What is wrong with a mechanism for labelled uploads where uploads have no label."""
    return (
        f"names a label, and uploads of weights or changes have none; got {name}: choose privunit, or the "
        "target class_means"
    )


def _of_class_means(experiment: Any) -> Iterator[Problem]:
    """Conflicts of other fields with the target “class means”."""
    if experiment.system:
        message = f"are not sent by {experiment.system.label}, whose clients send weights; choose no system"
        yield Problem("target", message)
    if experiment.features.identity:
        fitting = one_of([name for name in features.names() if name != "none"])
        message = f"are means of features; got the pixels themselves: choose the features {fitting}"
        yield Problem("target", message)
    if experiment.model.name != "logistic_regression":
        message = f"must be logistic_regression for class means, which make one; got {experiment.model.name}"
        yield Problem("model", message)
    if experiment.rounds != 1:
        message = f"must be 1 for class means: everybody sends one message; got {experiment.rounds}"
        yield Problem("rounds", message)
    if experiment.aggregator.name == "sign_majority":
        message = "must take a mean for class means, and sign_majority counts votes; choose mean"
        yield Problem("aggregator", message)
    if experiment.mechanism.role == "vote" or experiment.mechanism.scope == "layer":
        name = experiment.mechanism.name
        message = f"must estimate a whole message for class means; got {name}: try labelunit"
        yield Problem("mechanism", message)
