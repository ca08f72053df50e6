"""Combinations of an experiment's fields that cannot run, with a sentence for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ldp_core import attacks, datasets, features, models
from ldp_core.errors import InvalidInput, Problem, one_of, shown
from ldp_core.mechanisms.shared.resolution import least_in_words, too_narrow

LABELLED = {"target": "class_means", "features": "orientation", "rounds": 1}
"""Changes that give every upload a label."""


def conflicts(experiment: Any) -> Iterator[Problem]:
    count, source = experiment.clients.count, experiment.source
    if count > source.train_size:
        yield Problem(
            "clients.count",
            f"must be at most {source.train_size}, the training samples of {source.label}, so that "
            f"each client holds one; got {count}",
        )
    if experiment.partition.name == "as_given" and source.clients not in (0, count):
        message = f"must be {source.clients}, the clients that {source.label} names; got {count}"
        yield Problem("clients.count", message)
    if not (experiment.features.identity or datasets.get(experiment.dataset).images):
        yield Problem(
            "features",
            f"are made of images, and {experiment.dataset} has {source.features} numbers a sample instead; "
            "choose none, or a data set of images",
        )
        return
    if not (experiment.features.identity or experiment.system is None):
        yield Problem(
            "features",
            f"are not part of {experiment.system.label}, whose clients train on pixels; choose none, or no "
            "system",
        )
    if why := experiment.model.misfit(source.shape, source.classes):
        made = not experiment.features.identity
        what = f"the features {experiment.features.name}" if made else f"the data set {experiment.dataset}"
        fitting = [name for name in models.names() if models.get(name).fits(source.shape)]
        fitting = [name for name in fitting if name != experiment.model.name]
        yield Problem("model", f"does not fit {what}: {why}; choose {one_of(fitting)}")
        return
    if experiment.target == "class_means":
        yield from _of_class_means(experiment)
    elif experiment.mechanism.labelled:
        name = experiment.mechanism.name
        yield Problem("mechanism", without_label(name))
    whole = True
    for field in ("epsilon", "low", "high", "range", "run_limit"):
        value = getattr(experiment.clients, field)
        if isinstance(value, tuple) and len(value) != count:
            whole = False
            yield Problem(
                f"clients.{field}", f"must have one number for each of the {count} clients; got {len(value)}"
            )
    if whole:
        low, high = experiment.clients.bounds()
        for client in (low >= high).nonzero()[0][:1]:
            yield Problem(
                "clients.low",
                f"of client {client + 1} must be below its high; got low {low[client]:g} and "
                f"high {high[client]:g}",
            )
        for client in ((low < high) & too_narrow(low, high)).nonzero()[0][:1]:
            ends = float(low[client]), float(high[client])
            yield Problem(
                "clients.low",
                f"of client {client + 1} must be at least {least_in_words(*ends)} below its high: "
                f"training runs in float32, which is too coarse for less there; got low {shown(ends[0])} "
                f"and high {shown(ends[1])}",
            )
    untrusted = list(experiment.trust.problems(experiment)) if whole else []
    yield from untrusted
    if whole and not untrusted and experiment.clients.epsilon_scope == "run":
        try:
            experiment.population()
        except InvalidInput as error:
            yield Problem("clients.epsilon_scope", str(error))
    if why := experiment.selection.problem(count, experiment.rounds):
        yield Problem("rounds", why)
    if experiment.form not in experiment.mechanism.forms:
        yield Problem(
            "form",
            f"must be {one_of(experiment.mechanism.forms)} for {experiment.mechanism.name}; got "
            f"{experiment.form}",
        )
    if experiment.attack and experiment.attack.clients and max(experiment.attack.clients) > count:
        yield Problem(
            "attack.clients", f"must lie between 1 and {count}; got {max(experiment.attack.clients)}"
        )
    if experiment.attack and experiment.attack.rounds and experiment.attack.rounds[-1] > experiment.rounds:
        yield Problem(
            "attack.rounds",
            f"must lie between 1 and {experiment.rounds}, the last round; got {experiment.attack.rounds[-1]}",
        )
    if experiment.attack and experiment.attack.after and experiment.attack.rounds != (1,):
        why = f"must be [1] where attacks come after the training; got {shown(experiment.attack.rounds)}"
        yield Problem("attack.rounds", why)
    if experiment.attack and experiment.attack.attacker is not None:
        name = experiment.attack.attacker.name
        why = attacks.unfit(experiment.model, source.shape, source.classes, name)
        if why:
            yield Problem("attack.attacker", f"will not do: {why}")
    held = {label for group in getattr(experiment.partition, "groups", ()) for label in group.labels or ()}
    if held and not held <= set(range(source.classes)):
        yield Problem(
            "partition.groups", f"must hold labels between 0 and {source.classes - 1}; got {max(held)}"
        )

    if experiment.system:
        yield from experiment.system.problems(experiment)


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
