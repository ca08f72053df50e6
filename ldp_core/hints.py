"""Suggestions for unknown names, by similarity and synonyms."""

import difflib
from collections.abc import Iterable

MEANT: dict[str, tuple[str, ...]] = {
    "fc": ("dense",),
    "fullyconnected": ("dense",),
    "conv2d": ("conv",),
    "convolution": ("conv",),
    "maxpool": ("pool",),
    "maxpool2d": ("pool",),
    "avgpool2d": ("avg_pool",),
    "noniid": ("dirichlet",),
    "heterogeneous": ("dirichlet",),
    "skewed": ("dirichlet",),
    "pathological": ("group_labels",),
    "shards": ("group_labels",),
    "labelskew": ("group_labels",),
    "lda": ("dirichlet_clients",),
    "random": ("iid",),
    "fedavg": ("mean", "aggregator.name=mean"),
    "average": ("mean",),
    "avg": ("mean",),
    "weighted": ("data_weighted",),
    "inversevariance": ("inverse_variance",),
    "ivw": ("inverse_variance",),
    "majority": ("sign_majority",),
    "median": (),
    "krum": (),
    "trimmedmean": (),
    "lr": ("learning_rate", "local.learning_rate"),
    "learningrate": ("learning_rate", "local.learning_rate"),
    "eta": ("learning_rate", "local.learning_rate"),
    "stepsize": ("learning_rate", "local.learning_rate"),
    "bs": ("batch_size", "local.batch_size"),
    "batch": ("batch_size", "local.batch_size"),
    "batchsize": ("batch_size", "local.batch_size"),
    "epochs": ("epochs", "local.epochs"),
    "localepochs": ("epochs", "local.epochs"),
    "optimizer": ("optimizer", "local.optimizer"),
    "optimiser": ("optimizer", "local.optimizer"),
    "eps": ("epsilon", "clients.epsilon"),
    "epsilon": ("epsilon", "clients.epsilon"),
    "budget": ("epsilon", "clients.epsilon"),
    "privacybudget": ("epsilon", "clients.epsilon"),
    "delta": ("delta", "mechanism.delta", "update"),
    "gradient": ("update",),
    "gradients": ("update",),
    "paper": ("as_printed",),
    "partial": ("fraction",),
    "full": ("all",),
    "sigma": ("mechanism.name=gaussian",),
    "scope": ("epsilon_scope", "clients.epsilon_scope"),
    "tau": ("range", "clients.range"),
    "clip": ("range", "clients.range"),
    "clipnorm": ("range", "clients.range", "norm"),
    "saferange": ("range", "clients.range"),
    "num": ("count",),
    "n": ("count",),
    "numclients": ("count", "clients.count"),
    "nclients": ("count", "clients.count"),
    "users": ("count", "clients.count"),
    "epoch": ("epochs", "local.epochs"),
    "numrounds": ("rounds",),
    "iterations": ("rounds",),
    "communicationrounds": ("rounds",),
    "randomstate": ("seed",),
    "fraction": ("selection.fraction", "fraction"),
    "noise": ("mechanism",),
    "data": ("dataset",),
    "network": ("model",),
    "algorithm": ("system", "mechanism"),
    "gauss": ("gaussian",),
    "normal": ("gaussian",),
    "lap": ("laplace",),
    "pm": ("piecewise",),
    "hm": ("hybrid",),
    "privunitg": ("privunit",),
    "krr": ("grr",),
    "kary": ("grr",),
    "randomizedresponse": ("grr",),
    "randomisedresponse": ("grr",),
    "no": ("none",),
    "off": ("none",),
    "nodp": ("none",),
    "logreg": ("logistic_regression",),
    "logistic": ("logistic_regression",),
    "softmax": ("logistic_regression",),
    "linear": ("logistic_regression", "dense"),
    "convnet": ("cnn",),
    "resnet": ("resnet18",),
    "lenet5": ("lenet",),
    "dnn": ("mlp2",),
    "fashionmnist": ("fashion_mnist",),
    "fmnist": ("fashion_mnist",),
    "cifar": ("cifar10",),
    "emnist": (),
    "dlg": ("dlg",),
    "adamw": (),
    "momentum": (),
}
"""This program's names by common other names, without case and punctuation; () without counterpart."""
CLOSE = 0.75
"""Similarity from which on a name counts as misspelled."""


def hint(given: object, known: Iterable[str]) -> str:
    """`; did you mean x?` for a synonym or a misspelling; "" if neither is certain.

    Args:
        given: the name given.
        known: valid names; for nested fields the first part of their dotted name suffices.
    """
    if not isinstance(given, str) or len(given) > 100:
        return ""
    names = list(known)
    plain = {_plain(name): name for name in names}
    typed = _plain(given)
    if typed in plain:
        found = plain[typed]
    elif typed in MEANT:
        fitting = (one for one in MEANT[typed] if one in names or one.partition(".")[0] in names)
        found = next(fitting, "")
    else:
        # a number is no slip: cifar100 is other data than cifar10
        alike = [name for name in plain if _digits(name) == _digits(typed)]
        close = difflib.get_close_matches(typed, alike, n=1, cutoff=CLOSE)
        found = plain[close[0]] if close else ""
    return f"; did you mean {found}?" if found else ""


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


def _plain(name: str) -> str:
    """Letters and digits, in small letters."""
    return "".join(c for c in name.lower() if c.isalnum())
