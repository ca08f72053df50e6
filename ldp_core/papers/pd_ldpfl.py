"""Paper 003: PD-LDPFL, and what it claims of layers that clients keep."""

from __future__ import annotations

from typing import Any

from ldp_core.papers.base import Claim, Control, Flaw, Paper, Reading, arms
from ldp_core.papers.statements import SEEDS, Ahead, Statement, Value

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
TABLE_2 = {
    ("mnist", 5): (92.77, 94.80, 96.57),
    ("mnist", 10): (92.50, 95.11, 96.40),
    ("mnist", 25): (90.29, 93.70, 95.15),
    ("mnist", 50): (89.69, 92.97, 94.87),
    ("fashion_mnist", 5): (80.16, 81.26, 82.27),
    ("fashion_mnist", 10): (75.05, 75.84, 76.32),
    ("fashion_mnist", 25): (76.68, 78.21, 79.85),
    ("fashion_mnist", 50): (74.50, 77.31, 78.53),
}
SIGNS = {"none": "x", "affine": "ax+b", "log": "log", "tanh": "tanh", "sigmoid": "σ"}
TABLE_1 = {
    "none": (0.580, 0.416, None, 0.191, 0.126),
    "affine": (0.464, 0.396, None, 0.199, 0.098),
    "log": (0.524, 0.510, None, 0.165, 0.143),
    "tanh": (0.549, 0.526, None, 0.184, 0.124),
    "sigmoid": (4.114, 4.47, None, 1.86, 0.503),
}
"""Rows: before the network; columns: after it. None where it did not converge."""
READS = "The paper prints neither batch size nor layer widths."
BATCHES = (
    Reading("batch 32", "Batches of 32 images."),
    Reading("batch 64", "Batches of 64 images: half as many steps a round.", {"local.batch_size": 64}),
)


def _table_2(dataset: str, count: int) -> Claim:
    figures = dict(zip(METHODS, TABLE_2.get((dataset, count), ()), strict=False))
    orders = (
        Ahead("PD-LDPFL is ahead of PrivateFL", ((OURS, PRIVATE),)),
        Ahead("PrivateFL is ahead of FedAvg", ((PRIVATE, FEDAVG),)),
    )
    own = {PUBLIC: GAIN, STEP: {**NOTHING, "local.learning_rate": 0.1}, CORRECTED: {"form": "corrected"}}
    base = {**BASE, "dataset": dataset, "clients": {"count": count}}
    return Claim(
        id=f"clients-{dataset.replace('_mnist', '')}-{count}",
        where="Table 2",
        title=f"Ahead of FedAvg and PrivateFL: {NAMES[dataset]}, {count} clients",
        setting=f"{NAMES[dataset]}, {count} clients, Dirichlet 1, ε 8, learning rate 0.05, 50 rounds, fully "
        "connected; accuracy of the shared network",
        statements=(*(Value(name, (name,), figure) for name, figure in figures.items()), *orders),
        measured=arms(base, {**METHODS, **own}),
        controls=CONTROLS,
        note=READS if figures else STAND_IN,
        paper=figures,
        seeds=_seeds(dataset),
        readings=BATCHES if figures else (),
    )


def _seeds(dataset: str) -> int:
    """Where a run takes seconds there are more."""
    return 10 if dataset == "digits" else SEEDS


def _pair(before: str, after: str) -> str:
    return f"{SIGNS[before]} & {SIGNS[after]}"


def _transforms(dataset: str) -> tuple[Claim, Claim]:
    base = {
        **BASE,
        "dataset": dataset,
        "partition": {"kind": "dirichlet", "alpha": 0.05},
        "local": {"learning_rate": 0.1},
    }
    named = {_pair(i, o): {"system.input": i, "system.output": o} for i in SIGNS for o in SIGNS}
    printed = {
        _pair(i, o): value
        for i, row in TABLE_1.items()
        for o, value in zip(SIGNS, row, strict=True)
        if value is not None
    }
    x = _pair("none", "none")
    ax, tanh, sigmoid = (_pair("affine", after) for after in ("affine", "tanh", "sigmoid"))
    before = _pair("sigmoid", "affine")
    shared: dict[str, Any] = {
        "setting": f"{NAMES[dataset]}, ten clients, Dirichlet 0.05, ε 8, learning rate 0.1, 50 rounds; "
        "before the network & after it",
        "note": READS if dataset == "mnist" else STAND_IN,
        "seeds": _seeds(dataset),
    }
    unlike: tuple[Statement, ...] = (
        Ahead("x & x is above ax+b & ax+b", ((x, ax),), ""),
        Ahead("ax+b & ax+b is above ax+b & tanh", ((ax, tanh),), ""),
        Ahead("ax+b & tanh is above ax+b & σ", ((tanh, sigmoid),), ""),
        Ahead("σ before the network is above ax+b", ((before, ax),), ""),
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
            measured=arms(base, named),
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


def _starts(dataset: str) -> Claim:
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
        measured=arms(
            {
                **BASE,
                "dataset": dataset,
                "partition": {"kind": "dirichlet", "alpha": 0.05},
                "local": {"learning_rate": 0.1},
            },
            named,
        ),
        note=READS if dataset == "mnist" else STAND_IN,
        seeds=_seeds(dataset),
    )


def _budgets(dataset: str, budgets: tuple[float, ...], setting: str, note: str) -> Claim:
    named = {
        f"{name}, ε {epsilon:g}": {**changes, "clients.epsilon": epsilon}
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
            Ahead(
                f"ε {low:g} is above ε {high:g}",
                tuple((f"{name}, ε {low:g}", f"{name}, ε {high:g}") for name in METHODS),
                "",
            ),
            Ahead(
                "FedAvg is above PD-LDPFL",
                tuple((f"{FEDAVG}, ε {e:g}", f"{OURS}, ε {e:g}") for e in budgets),
                "",
            ),
        ),
        measured=arms({**BASE, "dataset": dataset, "partition": {"kind": "dirichlet", "alpha": 0.5}}, named),
        about="heterogeneity",
        note=note,
        seeds=_seeds(dataset),
    )


WEAK, STRONG = 16.0, 2.0
UP, SOLVES = "PD-LDPFL, up to contrast", "PD-LDPFL, solved for its layers"


def _images(dataset: str, rounds: int) -> Claim:
    def arm(attacker: str, changes: dict[str, Any]) -> dict[str, Any]:
        own = {"attacker": {"name": attacker}, "every": rounds // 5, "candidates": 2}
        return {**changes, "attack": own}

    weak, strong = {"clients.epsilon": WEAK}, {"clients.epsilon": STRONG}
    loud, clean = f"{FEDAVG}, ε {STRONG:g}", "PD-LDPFL, solved, no noise"
    return Claim(
        id=f"images-{dataset}",
        where="Fig. 3 and 4",
        title=f"Personal layers keep images safe, {NAMES[dataset]}",
        setting=f"{NAMES[dataset]}, ten clients, Dirichlet 5, learning rate 0.1; weak noise is ε {WEAK:g} "
        f"here, strong ε {STRONG:g}; one image in one step, three clients, five of {rounds} rounds",
        statements=(
            Ahead("FedAvg gives images back under weak noise, PD-LDPFL fewer", ((FEDAVG, OURS),)),
            Value("PD-LDPFL under weak noise gives back", (OURS,), 0.0),
            Ahead("FedAvg gives fewer back under strong noise", ((FEDAVG, loud),)),
        ),
        measured=arms(
            {
                "system": "pd_ldpfl",
                "dataset": dataset,
                "partition": {"kind": "dirichlet", "alpha": 5.0},
                "local": {"learning_rate": 0.1},
                "rounds": rounds,
            },
            {
                FEDAVG: arm("least_squares", {**NOTHING, **weak}),
                loud: arm("least_squares", {**NOTHING, **strong}),
                OURS: arm("least_squares", weak),
                UP: arm("up_to_contrast", weak),
                SOLVES: arm("personal_layers", weak),
                clean: arm("personal_layers", {"mechanism.name": "none"}),
            },
        ),
        controls=(
            Control(
                UP,
                "the closed form reads ax + b, and an image's range undoes most of it",
                OURS,
            ),
            Control(SOLVES, "b follows from what the client has sent", OURS),
            Control(clean, "the same without noise: what personal layers hide by themselves"),
        ),
        about="recovered",
        seeds=max(6, _seeds(dataset)),  # three clients a run: seeds differ much
        note="The paper attacks with DLG and prints no ε; here the first layer is fully connected, and the "
        "closed form reads it. In round 1 the upload of PD-LDPFL is that of FedAvg.",
    )


PAPER = Paper(
    order=3,
    label="PD-LDPFL",
    source="Paper 003: Computer Science 51 (11), 379 (2024)",
    idea=(
        "Each client puts a small transformation of its own before and after the shared network, and never "
        "sends it. The shared part goes through the Piecewise Mechanism, scaled to the largest weight that "
        "there is."
    ),
    flaws=(
        Flaw(
            "The scale gives the weights away",
            "t = max θ is read off the upload itself. For a scale that differs by a tenth, 10 000 weights "
            "let one tell the two apart with a probability of 0.99999999 at ε 8.",
        ),
        Flaw(
            "The scale feeds on its own noise",
            "Noise raises the largest weight, and that raises the next round's noise: at ε 2 and below, "
            "weights leave the numbers within ten rounds. Corrected, the scale is public and fixed.",
        ),
        Flaw(
            "The largest is not the largest size",
            "Where a negative weight is larger in size than max θ, its answers fall where no valid weight's "
            "answers do: with probability 0.98 at ε 8 for one that is half as large again.",
        ),
        Flaw(
            "What is kept can be worked out",
            "The loss moves a client's b by Wᵀ times what it moves the first bias by, and that is sent: "
            "whoever adds it up knows b to 5 % after five rounds on digits, and without noise an image comes "
            "back with 40 dB where the plain closed form stops at 13.",
        ),
        Flaw(
            "Not the least noise",
            "Below ε 1.29 Duchi has less variance at worst than the Piecewise Mechanism, and below 0.91 on "
            "average.",
        ),
        Flaw(
            "ε is for one weight", "ε 8 on ResNet-18 with its 11.2 million weights is 89 million an upload."
        ),
    ),
    example=BASE,
    claims=(
        _table_2("digits", 10),
        *(_table_2(dataset, count) for dataset, count in TABLE_2),
        *_transforms("digits"),
        *_transforms("mnist"),
        _starts("digits"),
        _starts("mnist"),
        _budgets("digits", (8.0, 12.0, 16.0), "digits, fully connected", STAND_IN),
        _budgets(
            "cifar10", (8.0, 12.0, 16.0), "CIFAR-10, ResNet-18", "The paper does not print its budgets."
        ),
        _images("digits", 30),
        _images("mnist", 50),
    ),
)
