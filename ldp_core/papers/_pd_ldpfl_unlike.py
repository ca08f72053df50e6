"""Claims of paper 003 (PD-LDPFL) about how unlike clients are: table 1, figures 5, 6 and 8."""

from typing import Any

from ldp_core.inference import SEEDS
from ldp_core.papers.arms import Trained
from ldp_core.papers.base import Claim, Control, arms
from ldp_core.papers.statements import DIVERGED, Ahead, Statement

BASE: dict[str, Any] = {"system": "pd_ldpfl", "form": "as_printed"}
NOTHING: dict[str, Any] = {"system.input": "none", "system.output": "none"}
GAIN: dict[str, Any] = {"system.input": "gain", "system.output": "gain"}
NAMES = {"mnist": "MNIST", "fashion_mnist": "Fashion-MNIST", "digits": "digits"}
FEDAVG, PRIVATE, OURS = "FedAvg", "PrivateFL", "PD-LDPFL"
METHODS: dict[str, dict[str, Any]] = {FEDAVG: NOTHING, PRIVATE: {"system.output": "none"}, OURS: {}}
PUBLIC, STEP, CORRECTED = "FedAvg, public gain 2 and 2", "FedAvg, twice the step", "PD-LDPFL, corrected"
TWICE = "a factor that is public and the same for all: nothing personal is in it"
CONTROLS = (
    Control(PUBLIC, TWICE, OURS),
    Control(STEP, "the same network with a larger learning rate", OURS),
    Control(CORRECTED, "a public scale, so that ε holds", OURS),
)
STAND_IN = "The paper does not try these data: they stand in for MNIST, because they are here in seconds."
SIGNS = {"none": "x", "affine": "ax+b", "log": "log", "tanh": "tanh", "sigmoid": "σ"}
TABLE_1 = {
    "none": "0.580 0.416 NAN 0.191 0.126",
    "affine": "0.464 0.396 NAN 0.199 0.098",
    "log": "0.524 0.510 NAN 0.165 0.143",
    "tanh": "0.549 0.526 NAN 0.184 0.124",
    "sigmoid": "4.114 4.47 NAN 1.86 0.503",
}
"""The paper's table 1: rows by layer before the network, columns by layer after it; NAN: did not converge."""
READS = "The paper prints neither batch size nor layer widths."


def seeds_of(dataset: str) -> int:
    """Number of seeds for a data set: more where a run takes seconds."""
    return 10 if dataset == "digits" else SEEDS


def pair(before: str, after: str) -> str:
    return f"{SIGNS[before]} & {SIGNS[after]}"


def dealt(dataset: str, alpha: float) -> dict[str, Any]:
    """Base experiment with clients whose data differ, by Dirichlet's parameter."""
    return {**BASE, "dataset": dataset, "partition": {"kind": "dirichlet", "alpha": alpha}}


def transforms(dataset: str) -> tuple[Claim, Claim]:
    base = {**dealt(dataset, 0.05), "local": {"learning_rate": 0.1}}
    named = {pair(i, o): {"system.input": i, "system.output": o} for i in SIGNS for o in SIGNS}
    printed = {
        pair(i, o): float(value)
        for i, row in TABLE_1.items()
        for o, value in zip(SIGNS, row.split(), strict=True)
        if value != "NAN"
    }
    x = pair("none", "none")
    ax, tanh, sigmoid = (pair("affine", after) for after in ("affine", "tanh", "sigmoid"))
    before, lost = pair("sigmoid", "affine"), f"{x}, {DIVERGED}"
    share = {f"{label}, {DIVERGED}": named[label] for label in (x, *(pair(i, "log") for i in SIGNS))}
    shared: dict[str, Any] = {
        "setting": f"{NAMES[dataset]}, ten clients, Dirichlet 0.05, ε 8, learning rate 0.1, 50 rounds; "
        "before the network & after it",
        "note": READS if dataset == "mnist" else STAND_IN,
        "seeds": seeds_of(dataset),
    }
    unlike: tuple[Statement, ...] = (
        Ahead("x & x is above ax+b & ax+b", ((x, ax),), ""),
        Ahead("ax+b & ax+b is above ax+b & tanh", ((ax, tanh),), ""),
        Ahead("ax+b & tanh is above ax+b & σ", ((tanh, sigmoid),), ""),
        Ahead("σ before the network is above ax+b", ((before, ax),), ""),
        *(
            Ahead(f"x & x is above {SIGNS[one]} & x", ((x, pair(one, "none")),), "")
            for one in ("affine", "log", "tanh")
        ),
        Ahead(
            "log after the network never converges", tuple((label, lost) for label in share if label != lost)
        ),
    )
    accurate: tuple[Statement, ...] = (
        Ahead("ax+b & ax+b is ahead of x & x", ((ax, x),)),
        Ahead("ax+b & ax+b is ahead of ax+b & tanh", ((ax, tanh),)),
        Ahead("σ after the network comes last", ((tanh, sigmoid),)),
    )
    public = {PUBLIC: GAIN}
    return (
        Claim(
            id=f"unlike-{dataset}",
            where="Table 1",
            title=f"Personal layers make clients more alike, {NAMES[dataset]}",
            statements=unlike,
            measured=(
                *arms(base, named),
                *(Trained(label, base, sets, DIVERGED) for label, sets in share.items()),
            ),
            about="heterogeneity",
            paper=printed if dataset == "mnist" else {},
            **shared,
        ),
        Claim(
            id=f"transforms-{dataset}",
            where="Fig. 5",
            title=f"ax+b before and after is the most accurate, {NAMES[dataset]}",
            statements=accurate,
            measured=arms(base, {**named, **public}),
            controls=(Control(PUBLIC, TWICE, ax),),
            **shared,
        ),
    )


def starts(dataset: str) -> Claim:
    points = [(a, 0.0) for a in (0.0, 0.5, 1.0, 1.5, 2.0)] + [(1.0, b) for b in (-1.0, -0.5, 0.5, 1.0)]
    named = {f"a {a:g}, b {b:g}".replace("-", "−"): {"system.a": a, "system.b": b} for a, b in points}
    best, rest = "a 1, b 0", [name for name in named if name != "a 1, b 0"]
    return Claim(
        id=f"starts-{dataset}",
        where="Fig. 6",
        title=f"The identity is the best beginning, {NAMES[dataset]}",
        setting=f"{NAMES[dataset]}, ten clients, Dirichlet 0.05, ε 8, learning rate 0.1, 50 rounds, ax+b "
        "before and after",
        statements=tuple(Ahead(f"it is ahead of {other}", ((best, other),)) for other in rest),
        measured=arms({**dealt(dataset, 0.05), "local": {"learning_rate": 0.1}}, named),
        note=READS if dataset == "mnist" else STAND_IN,
        seeds=seeds_of(dataset),
    )


def budgets_of(dataset: str, budgets: tuple[float, ...], setting: str, note: str) -> Claim:
    def at(name: str, epsilon: float) -> str:
        return f"{name}, ε {epsilon:g}"

    named = {
        at(name, epsilon): {**changes, "clients.epsilon": epsilon}
        for epsilon in budgets
        for name, changes in METHODS.items()
    }
    low, high = budgets[0], budgets[-1]
    return Claim(
        id=f"budgets-{dataset}",
        where="Fig. 8",
        title=f"Clients differ least under PD-LDPFL, {setting.split(',')[0]}",
        setting=f"{setting}, ten clients, Dirichlet 0.5, learning rate 0.05, 50 rounds",
        statements=(
            Ahead(f"ε {low:g} is above ε {high:g}", tuple((at(n, low), at(n, high)) for n in METHODS), ""),
            Ahead("FedAvg is above PD-LDPFL", tuple((at(FEDAVG, e), at(OURS, e)) for e in budgets), ""),
        ),
        measured=arms(dealt(dataset, 0.5), named),
        about="heterogeneity",
        note=note,
        seeds=seeds_of(dataset),
    )


def unlike(dataset: str, shown: str) -> Claim:
    """Claim on figure 8 over all its data: PD-LDPFL is the most alike on each, by more where data differ."""
    spread, low, high = (0.5, 1.0, 5.0, 100.0), 8.0, 16.0

    def label(name: str, alpha: float, epsilon: float = low) -> str:
        return f"{name}, Dirichlet {alpha:g}, ε {epsilon:g}"

    def gap(alpha: float, epsilon: float = low, name: str = FEDAVG) -> tuple[str, str]:
        return label(name, alpha, epsilon), label(OURS, alpha, epsilon)

    ends = gap(spread[0]), gap(spread[-1])[::-1]
    budgets = tuple(pair for alpha in spread for pair in (gap(alpha), gap(alpha, high)[::-1]))
    named = {
        label(name, alpha, epsilon): {**changes, "partition.alpha": alpha, "clients.epsilon": epsilon}
        for alpha in spread
        for epsilon in (low, high)
        for name, changes in METHODS.items()
    }
    return Claim(
        id=f"unlike-data-{dataset}",
        where="Fig. 8",
        title=f"The more unlike the data, the larger its gain, {shown.split(',')[0]}",
        setting=f"{shown}, ten clients, Dirichlet 0.5 to 100, ε {low:g} and {high:g}, learning rate 0.05, 50 "
        "rounds",
        statements=(
            *(
                Ahead(f"{name} is above PD-LDPFL, Dirichlet {alpha:g}", (gap(alpha, name=name),), "")
                for alpha in spread
                for name in (FEDAVG, PRIVATE)
            ),
            Ahead(f"FedAvg is further above at Dirichlet {spread[0]:g} than at {spread[-1]:g}", ends, ""),
            Ahead(f"FedAvg is further above at ε {low:g} than at ε {high:g}", budgets, ""),
        ),
        measured=arms(dealt(dataset, 0.5), named),
        about="heterogeneity",
        note=f"{STAND_IN} What is further above is counted as half of that: the mean of two differences.",
        seeds=seeds_of(dataset),
    )
