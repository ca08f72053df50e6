"""Combinations of an experiment's fields that cannot run, with a sentence for each."""

import math
from collections.abc import Iterator

from ldp_core import attacks, datasets, features, models
from ldp_core.aggregators.base import SeesUploads
from ldp_core.attacks import Reconstructor
from ldp_core.attacks.servers import Server
from ldp_core.attacks.servers.base import Lied
from ldp_core.errors import InvalidInput, Problem, one_of, shown
from ldp_core.experiment.attack import Attack
from ldp_core.experiment.planning import Plan
from ldp_core.experiment.schema import Experiment
from ldp_core.limits import number
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.resolution import least_in_words, too_narrow

RECORDS_TRUST = ("local", "secure_sum", "central")
LABELLED = {"target": "class_means", "features": "orientation", "rounds": 1}
"""Changes that give every upload a label."""


def conflicts(plan: Plan) -> Iterator[Problem]:
    experiment, source = plan.experiment, plan.source
    clients, mechanism = experiment.clients, experiment.mechanism
    count, own, data = clients.count, experiment.features, experiment.dataset
    if count > source.train_size:
        most = f"{source.train_size}, the training samples of {source.label}"
        yield Problem("clients.count", f"must be at most {most}, so that each client holds one; got {count}")
    if experiment.partition.name == "as_given" and source.clients not in (0, count):
        message = f"must be {source.clients}, the clients that {source.label} names; got {count}"
        yield Problem("clients.count", message)
    wanted = getattr(experiment.partition, "records", 0)
    if wanted * count > source.train_size >= count:
        message = f"must be at most {source.train_size // count}, as {source.label} has {source.train_size}"
        yield Problem("partition.records", f"{message} samples for {count} clients; got {wanted}")
    if not (own.identity or datasets.get(data).images):
        what = f"{data} has {source.features} numbers a sample instead"
        yield Problem("features", f"are made of images, and {what}; choose none, or a data set of images")
        return
    if experiment.system and not own.identity:
        whose = f"{experiment.system.label}, whose clients train on pixels"
        yield Problem("features", f"are not part of {whose}; choose none, or no system")
    if why := experiment.model.misfit(source.shape, source.classes):
        what = f"the data set {data}" if own.identity else f"the features {own.name}"
        fitting = [name for name in models.names() if models.get(name).fits(source.shape)]
        fitting = [name for name in fitting if name != experiment.model.name]
        yield Problem("model", f"does not fit {what}: {why}; choose {one_of(fitting)}")
        return
    asks, ways = experiment.model.asks(source.classes)
    if asks:
        yield Problem(f"model.{experiment.model.given_by}", f"leaves open: {asks} Write {one_of(ways)}")
    if experiment.unit == "record":
        wrong = [*_of_records(plan)]
        yield from wrong
        if wrong:
            return
    elif experiment.local.clip is not None:
        yield Problem("local.clip", "must be null where ε is a client's, whose whole upload is clipped")
        return
    if experiment.target == "class_means":
        yield from _of_class_means(experiment)
    elif mechanism.labelled:
        yield Problem("mechanism", without_label(mechanism.name))
    listed = {field: getattr(clients, field) for field in ("epsilon", "low", "high", "range", "run_limit")}
    lengths = {k: len(v) for k, v in listed.items() if isinstance(v, tuple) and len(v) != count}
    for field, length in lengths.items():
        message = f"must have one number for each of the {count} clients; got {length}"
        yield Problem(f"clients.{field}", message)
    if not lengths:
        yield from _of_ranges(*clients.bounds())
        untrusted = list(experiment.trust.problems(plan.asked))
        yield from untrusted
        if not untrusted and clients.epsilon_scope == "run":
            try:
                _ = plan.terms
            except InvalidInput as error:
                yield Problem("clients.epsilon_scope", str(error))
    if why := experiment.selection.problem(count, experiment.rounds):
        yield Problem("rounds", why)
    if experiment.form not in mechanism.forms:
        forms = one_of(mechanism.forms)
        yield Problem("form", f"must be {forms} for {mechanism.name}; got {experiment.form}")
    if experiment.attack:
        yield from _of_attack(plan, experiment.attack)
    held = {label for group in getattr(experiment.partition, "groups", ()) for label in group.labels or ()}
    if held and not held <= set(range(source.classes)):
        message = f"must hold labels between 0 and {source.classes - 1}; got {max(held)}"
        yield Problem("partition.groups", message)
    if experiment.system:
        yield from experiment.system.problems(plan.public)


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


def _of_attack(plan: Plan, attack: Attack) -> Iterator[Problem]:
    experiment, source = plan.experiment, plan.source
    model, count, last = experiment.model, experiment.clients.count, experiment.rounds
    if attack.clients and max(attack.clients) > count:
        yield Problem("attack.clients", f"must lie between 1 and {count}; got {max(attack.clients)}")
    if attack.rounds and attack.rounds[-1] > last:
        message = f"must lie between 1 and {last}, the last round; got {attack.rounds[-1]}"
        yield Problem("attack.rounds", message)
    if attack.after and attack.rounds != (1,):
        message = f"must be [1] where attacks come after the training; got {shown(attack.rounds)}"
        yield Problem("attack.rounds", message)
    yield from problems_of_lie(plan, attack.server, attack.uploads, attack.attacker, "attack.")
    who = attack.attacker
    if who is not None and (why := attacks.unfit(model, source.shape, source.classes, who.name)):
        yield Problem("attack.attacker", f"will not do: {why}")


def problems_of_lie(
    plan: Plan, server: Server, upload: str, attacker: Reconstructor | None, path: str
) -> Iterator[Problem]:
    """Fields of an attack, below `path`, that do not go with its server."""
    asked, source, reader = plan.experiment, plan.source, server.reader
    system, summed = getattr(asked.system, "label", ""), bool(asked.trust.attacked().helps)
    run = Lied(asked.target, system, summed, asked.model, source.shape, source.classes)
    if why := server.problem(run):
        yield Problem(f"{path}server", f"will not do: {why}; choose honest")
    elif reader and upload != "real":
        kind, why = "uploads" if path else "upload", "to take images apart that are sent together"
        yield Problem(f"{path}{kind}", f"must be real where the server lies, {why}; got {upload}")
    elif reader and attacker is not None and attacker.name != reader:
        why = "whose model is made for it"
        message = f"must be auto or {reader} with this server, {why}; got {attacker.name}"
        yield Problem(f"{path}attacker", message)


def _of_records(plan: Plan) -> Iterator[Problem]:
    """Conflicts of other fields with an ε for each record."""
    experiment, source = plan.experiment, plan.source
    local, mechanism, trust = experiment.local, experiment.mechanism, experiment.trust
    aggregator = experiment.aggregator
    analytic = mechanism.name == "gaussian" and mechanism.parameters()["calibration"] == "analytic"
    lengths = (mechanism, "norm"), (mechanism, "sensitivity"), (trust, "norm")
    asked = [
        f"{'trust' if of is trust else 'mechanism'}.{name}" for of, name in lengths if getattr(of, name, None)
    ]
    least = math.ceil(plan.records)
    known = not (aggregator.draws or aggregator.weighs_by_size or aggregator.unpredicted)
    rules = [
        ("dataset", not source.learnt, "must state its scales, which are learnt from the rows otherwise"),
        ("system", experiment.system is None, "must be null, as its proof is for all that a client sends"),
        ("trust", trust.name in RECORDS_TRUST, f"must be {one_of(RECORDS_TRUST)}, as a heap mixes clients"),
        ("mechanism", analytic, "must be gaussian, analytic, whose law for a record is exact"),
        *((path, False, "must be null, as what a record moves follows from local.clip") for path in asked),
        ("target", experiment.target == "update", "must be update, a sum over records"),
        (
            "local.clip",
            local.clip is not None,
            "must be the length that each record's gradient is shortened to",
        ),
        (
            "local.optimizer",
            local.optimizer.name == "sgd",
            "must be sgd, whose step a gradient's length bounds",
        ),
        ("local.epochs", local.epochs == 1, "must be 1, as each further step depends on the record, too"),
        (
            "local.batch_size",
            local.batch_size >= least,
            f"must be at least {least}, all that a client holds, as a batch of some has no proof here",
        ),
        (
            "aggregator",
            known,
            "must be known before anything is sent and count each record once: choose mean",
        ),
    ]
    for path, fits, rule in rules:
        if not fits:
            yield Problem(path, f"{rule}, where ε is a record's")


def without_label(name: str) -> str:
    """What is wrong with a mechanism for labelled uploads where uploads have no label."""
    return (
        f"names a label, and uploads of weights or changes have none; got {name}: choose privunit, or the "
        "target class_means"
    )


def _of_class_means(experiment: Experiment) -> Iterator[Problem]:
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
    one = experiment.aggregator
    if one.name == "sign_majority" or isinstance(one, SeesUploads):
        does = "sees" if isinstance(one, SeesUploads) else "counts"
        message = f"must take a mean for class means, and {one.name} {does} votes; choose mean"
        yield Problem("aggregator", message)
    if experiment.mechanism.role == "vote" or experiment.mechanism.scope == "layer":
        name = experiment.mechanism.name
        message = f"must estimate a whole message for class means; got {name}: try labelunit"
        yield Problem("mechanism", message)
