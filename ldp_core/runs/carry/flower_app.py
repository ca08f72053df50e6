"""Export of a training as an app for Flower: code from `assets/flower`, the experiments as data, so that no
user input becomes code, and `ldp_core` as source, since Flower sends its nodes code and text only. The app
draws its noise from the operating system: its figures differ from the run's, their distribution does not.
"""

import json
from typing import Any

import numpy as np

from ldp_core import accounting, theory
from ldp_core.datasets import data_dir
from ldp_core.datasets.digits import places
from ldp_core.errors import InvalidInput, StudioError, shown
from ldp_core.experiment import Experiment, parse_draft, plan
from ldp_core.models.chain import Unfit, layers_of
from ldp_core.runs.carry.training import training
from ldp_core.runs.queue.job import Job
from ldp_core.streams import stream
from ldp_core.system.shipped import ASSETS, PACKAGE
from ldp_core.system.zip_directory import zipped

SOURCE = ASSETS / "flower"
FOLDER = "flower_app"  # the only one in the ZIP
DATA = "studio_app/experiment.json"
ABOUT = (
    "The runs of a job of Epsilon Studio. A client's epsilon is per weight of one upload, in its safe range "
    "from low to high; promised: of a whole upload, and of the run as recorded at worst. expected_noise: the "
    "variance, per weight, of what the clients' noise leaves in the aggregate, for weights in mid-range. "
    "splits, held_out: places in sklearn.datasets.load_digits()."
)


def as_flower(identity: str) -> bytes:
    """ZIP of the app, with all variants of the training that Flower can run."""
    job = training(identity, "can be written as a Flower app")
    draft = parse_draft(job.request["draft"])
    runs, left_out, splits = list[dict[str, Any]](), list[dict[str, str]](), list[list[list[int]]]()
    for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
        if why := unfit(experiment):
            left_out.append({"label": variant.label, "why": why})
            continue
        split = _split(experiment)
        if split not in splits:
            splits.append(split)
        runs.append({"label": variant.label, **_settings(experiment), "split": splits.index(split)})
    if not runs:
        raise InvalidInput(f"job {job.id} cannot be a Flower app: {left_out[0]['why']}")
    about = {"about": ABOUT, "job": job.id, "name": draft.base.name, "variants": runs, "left_out": left_out}
    data = about | {"splits": splits, "held_out": places()[1].tolist()}
    files: dict[str, str | bytes] = {f"{FOLDER}/{DATA}": json.dumps(data, allow_nan=False)}
    for root, place in ((SOURCE, FOLDER), (PACKAGE, f"{FOLDER}/{PACKAGE.name}")):
        some = (file for file in sorted(root.rglob("*.*")) if file.suffix in (".py", ".toml", ".md"))
        files |= {f"{place}/{file.relative_to(root)}": file.read_bytes() for file in some}
    return zipped(files.items())


def why_not(job: Job) -> str:
    """Why none of a training's variants can run as a Flower app; "" if one can."""
    try:
        found = [unfit(one) for one in parse_draft(job.request["draft"]).experiments()]
    except (StudioError, LookupError, TypeError) as error:
        return f"its settings no longer fit: {error}"
    return found[0] if all(found) else ""


def unfit(experiment: Experiment) -> str:
    """Why an experiment cannot run as a Flower app; "" if it can."""
    named = {
        "selection": (experiment.selection.name, ("all", "fraction")),
        "dataset": (experiment.dataset, ("digits",)),
        "optimizer": (experiment.local.optimizer.name, ("sgd",)),
    }
    for what, (name, known) in named.items():
        if name not in known:
            return f"its {what} is {shown(name)}, and the app knows {', '.join(known)}"
    if experiment.system is not None:
        return "it follows a paper's system, which does more than the app's server and clients do"
    if _hidden(experiment) is None:
        return "its model is not made of fully connected layers with ReLU alone, and the app's own is"
    if experiment.trust.name != "local":
        return f"its clients trust {experiment.trust.label}, and the app's send their uploads to the server"
    mechanism, aggregator = plan(experiment).randomiser, experiment.aggregator
    for what, part in (("mechanism", mechanism), ("aggregator", aggregator)):
        if part.plugin:
            return f"its {what} is {part.name}, which was added here, and the app does not hold it"
    if mechanism.scope != "coordinate":
        return f"its mechanism answers for a whole {mechanism.scope}, and the app weight by weight"
    if mechanism.role == "vote" or aggregator.unpredicted:
        return "it votes, and the app's server takes weighted means"
    if set(mechanism.known_from_use) - {"dimension", "reach"}:
        return "its mechanism changes from round to round, and the app's does not"
    if experiment.form == "as_printed" and mechanism.printed_otherwise:
        return "its mechanism is in the form that its paper prints, and the app's is the corrected one"
    if experiment.clients.run_limit is not None:
        return "its clients stop at a limit of their own, and the app's go on"
    return ""


def _hidden(experiment: Experiment) -> list[int] | None:
    """Units of each hidden layer; None if there are others than fully connected ones with ReLU."""
    source = plan(experiment).source
    try:
        found = layers_of(plan(experiment).network, source.shape, source.classes)
    except Unfit:
        return None
    hidden = found.dense[:-1]
    others = found.convs or found.moments or any(one.activation != "relu" for one in hidden)
    return None if others else [one.out for one in hidden]


def _settings(experiment: Experiment) -> dict[str, Any]:
    population = plan(experiment).population
    budgets = np.column_stack([population.epsilon, population.low, population.high]).tolist()
    clients = []
    for (epsilon, low, high), entry in zip(budgets, accounting.entries(plan(experiment)), strict=True):
        lines = {"upload": entry.upload, "run": entry.run_worst}
        promised = {name: {"epsilon": line.epsilon, "delta": line.delta} for name, line in lines.items()}
        clients.append({"epsilon": epsilon, "low": low, "high": high, "promised": promised})
    local = experiment.local
    return {
        "mechanism": {"name": experiment.mechanism.name, **plan(experiment).randomiser.parameters()},
        "aggregator": {"name": experiment.aggregator.name, **experiment.aggregator.parameters()},
        "weighs_by_size": experiment.aggregator.weighs_by_size,
        "target": experiment.target,
        "project": experiment.form == "corrected",
        "fraction": getattr(experiment.selection, "fraction", 1.0),
        "rounds": experiment.rounds,
        "seed": experiment.seed,
        "hidden": _hidden(experiment),
        "epochs": local.epochs,
        "batch_size": local.batch_size,
        "learning_rate": local.learning_rate,
        "expected_noise": theory.server_variance(experiment),
        "clients": clients,
    }


def _split(experiment: Experiment) -> list[list[int]]:
    labels = plan(experiment).source.train_labels(data_dir())
    if labels is None:
        raise InvalidInput("the labels of the digits cannot be read: is scikit-learn installed?")
    dealt = experiment.partition.split(labels, experiment.clients.count, stream(experiment.seed, "partition"))
    train = places()[0]
    return [np.sort(train[shard]).tolist() for shard in dealt]
