"""Paper 003: PD-LDPFL, and its claims about layers that stay with the clients, and image reconstruction."""

from typing import Any

from ldp_core.papers._pd_ldpfl_unlike import (
    BASE,
    CONTROLS,
    CORRECTED,
    FEDAVG,
    GAIN,
    METHODS,
    NAMES,
    NOTHING,
    OURS,
    PRIVATE,
    PUBLIC,
    READS,
    SIGNS,
    STAND_IN,
    STEP,
    budgets_of,
    dealt,
    pair,
    seeds_of,
    starts,
    transforms,
    unlike,
)
from ldp_core.papers.arms import Trained
from ldp_core.papers.base import Claim, Control, Reading, arms, grid, paper
from ldp_core.papers.statements import Ahead, Gain, Value

TABLE_2 = {
    5: "92.77 94.80 96.57 80.16 81.26 82.27",
    10: "92.50 95.11 96.40 75.05 75.84 76.32",
    25: "90.29 93.7 95.15 76.68 78.21 79.85",
    50: "89.69 92.97 94.87 74.50 77.31 78.53",
}
"""The paper's table 2 by clients: FedAvg, PrivateFL and PD-LDPFL on MNIST, then on Fashion-MNIST."""
COLUMNS = {"mnist": slice(0, 3), "fashion_mnist": slice(3, 6)}
BATCHES = (
    Reading("batch 32", "Batches of 32 images."),
    Reading("batch 64", "Batches of 64 images: half as many steps a round.", {"local.batch_size": 64}),
)


def _table_2(dataset: str, count: int) -> Claim:
    row = TABLE_2[count] if dataset in COLUMNS else ""
    figures = dict(zip(METHODS, map(float, row.split()[COLUMNS[dataset]] if row else ()), strict=False))
    own = {PUBLIC: GAIN, STEP: {**NOTHING, "local.learning_rate": 0.1}, CORRECTED: {"form": "corrected"}}
    base = {**BASE, "dataset": dataset, "clients": {"count": count}}
    return Claim(
        id=f"clients-{dataset.replace('_mnist', '')}-{count}",
        where="Table 2",
        title=f"Ahead of FedAvg and PrivateFL: {NAMES[dataset]}, {count} clients",
        setting=f"{NAMES[dataset]}, {count} clients, Dirichlet 1, ε 8, learning rate 0.05, 50 rounds, fully "
        "connected; accuracy of the shared network",
        statements=(
            *(Value(name, (name,), figure) for name, figure in figures.items()),
            Ahead("PD-LDPFL is ahead of PrivateFL", ((OURS, PRIVATE),)),
            Ahead("PrivateFL is ahead of FedAvg", ((PRIVATE, FEDAVG),)),
        ),
        measured=arms(base, {**METHODS, **own}),
        controls=CONTROLS,
        note=READS if figures else STAND_IN,
        paper=figures,
        seeds=seeds_of(dataset),
        readings=BATCHES if figures else (),
    )


def _counts(dataset: str) -> Claim:
    """Claim on table 2: accuracy falls from 5 clients to 50."""

    def label(name: str, count: int) -> str:
        return f"{name}, {count} clients"

    few, many = 5, 50
    gaps = (label(OURS, many), label(FEDAVG, many)), (label(FEDAVG, few), label(OURS, few))
    return Claim(
        id=f"counts-{dataset}",
        where="Table 2",
        title=f"More clients: less accurate, and further apart, {NAMES[dataset]}",
        setting=f"{NAMES[dataset]}, {few} and {many} clients, Dirichlet 1, ε 8, learning rate 0.05, 50 "
        "rounds, fully connected",
        statements=(
            *(
                Ahead(f"{name} falls from {few} clients to {many}", ((label(name, few), label(name, many)),))
                for name in METHODS
            ),
            Ahead("the gap between PD-LDPFL and FedAvg grows", gaps),
        ),
        measured=tuple(
            Trained(label(name, count), {**BASE, "dataset": dataset, "clients": {"count": count}}, changes)
            for count in (few, many)
            for name, changes in METHODS.items()
        ),
        seeds=seeds_of(dataset),
        note="A gap that grows is counted as half of what it grows by: the mean of two differences.",
        readings=BATCHES,
    )


ALONE = "output part alone"
EARLY = 10


def _first(dataset: str) -> Claim:
    """Claim on figure 7: speed of learning, and accuracy of clients' own extended models."""

    def at(name: str) -> str:
        return f"{name}, round {EARLY}"

    base = dealt(dataset, 0.05)
    methods = {**METHODS, ALONE: {"system.input": "none"}}
    extended = f"{OURS}, best extended model"
    return Claim(
        id=f"first-{dataset}",
        where="Fig. 7",
        title=f"Faster in the first rounds, and better in the end, {NAMES[dataset]}",
        setting=f"{NAMES[dataset]}, ten clients, Dirichlet 0.05, ε 8, learning rate 0.05, 50 rounds, fully "
        "connected",
        statements=(
            Ahead(f"PD-LDPFL is ahead of FedAvg after {EARLY} rounds", ((at(OURS), at(FEDAVG)),)),
            Ahead(f"PD-LDPFL is ahead of PrivateFL after {EARLY}", ((at(OURS), at(PRIVATE)),)),
            Gain(f"PrivateFL over FedAvg after {EARLY}", ((at(PRIVATE), at(FEDAVG)),), 0.0),
            Ahead("PD-LDPFL is ahead of FedAvg in the end", ((OURS, FEDAVG),)),
            Ahead("PD-LDPFL is ahead of PrivateFL in the end", ((OURS, PRIVATE),)),
            Ahead("the best extended model is ahead of the shared one", ((extended, OURS),)),
            Gain(f"PrivateFL over the {ALONE}", ((PRIVATE, ALONE),), 0.0),
        ),
        measured=(
            *arms(base, methods),
            *(Trained(at(name), base, changes, f"round {EARLY}") for name, changes in METHODS.items()),
            Trained(extended, base, {}, "extended"),
        ),
        seeds=seeds_of(dataset),
        note=READS if dataset == "mnist" else STAND_IN,
        readings=BATCHES if dataset == "mnist" else (),
    )


ATTACKED: dict[str, Any] = {
    "system": "pd_ldpfl",
    "partition": {"kind": "dirichlet", "alpha": 5.0},
    "local": {"learning_rate": 0.1},
}
LATER = 6
KNOWS = "PD-LDPFL, who knows its layers"


def gradients(dataset: str) -> Claim:
    """Claim about DLG on a network with smooth activations, as DLG needs."""

    def arm(attacker: str, number: int, changes: dict[str, Any]) -> dict[str, Any]:
        own = {"attacker": {"name": attacker}, "rounds": [number], "candidates": 2}
        return {**changes, "rounds": number, "attack": own}

    def label(name: str, number: int) -> str:
        return f"{name}, round {number}"

    ours, plain = {"clients.epsilon": 60.0}, {**NOTHING, "clients.epsilon": 60.0}
    return Claim(
        id=f"dlg-{dataset}",
        where="Fig. 3",
        title=f"DLG reads FedAvg under weak noise, and never PD-LDPFL, {NAMES[dataset]}",
        setting=f"{NAMES[dataset]}, LeNet with sigmoids, corrected form, ten clients, Dirichlet 5, learning "
        f"rate 0.1; weak noise is ε 60 here; one image in one step, three clients, rounds 1 and {LATER}",
        statements=(
            Value("FedAvg gives back in round 1", (label(FEDAVG, 1),), 100.0),
            Value(f"FedAvg gives back in round {LATER}", (label(FEDAVG, LATER),), 100.0),
            Value("PD-LDPFL gives back in round 1", (label(OURS, 1),), 0.0),
            Value(f"PD-LDPFL gives back in round {LATER}", (label(OURS, LATER),), 0.0),
        ),
        measured=arms(
            {**ATTACKED, "dataset": dataset, "model": "lenet"},
            {
                **{label(FEDAVG, n): arm("dlg", n, plain) for n in (1, LATER)},
                **{label(OURS, n): arm("dlg", n, ours) for n in (1, LATER)},
                KNOWS: arm("personal_search", LATER, ours),
            },
        ),
        controls=(Control(KNOWS, "b follows from what the client has sent", label(OURS, LATER)),),
        about="recovered",
        seeds=6,
        note="“精确地” (exactly) and “无法恢复” (cannot bring back) are read as "
        "100 and 0 % of the images. In round 1 nothing of a client's "
        "layers has moved. The paper prints neither the network's units nor ε.",
    )


WEAK, STRONG = 16.0, 2.0
UP, SOLVES = "PD-LDPFL, up to contrast", "PD-LDPFL, solved for its layers"


def images(dataset: str, rounds: int) -> Claim:
    def arm(attacker: str, changes: dict[str, Any]) -> dict[str, Any]:
        own = {"attacker": {"name": attacker}, "every": rounds // 5, "candidates": 2}
        return {**changes, "attack": own}

    weak, strong = {"clients.epsilon": WEAK}, {"clients.epsilon": STRONG}
    loud, clean = f"{FEDAVG}, ε {STRONG:g}", "PD-LDPFL, solved, no noise"
    return Claim(
        id=f"images-{dataset}",
        where="Fig. 3 and 4",
        title=f"Personal layers keep images safe, {NAMES[dataset]}",
        setting=f"{NAMES[dataset]}, corrected form, ten clients, Dirichlet 5, learning rate 0.1; weak noise "
        f"is ε {WEAK:g} here, strong ε {STRONG:g}; one image in one step, three clients, five of {rounds} "
        "rounds",
        statements=(
            Ahead("FedAvg gives images back under weak noise, PD-LDPFL fewer", ((FEDAVG, OURS),)),
            Value("PD-LDPFL under weak noise gives back", (OURS,), 0.0),
            Ahead("FedAvg gives fewer back under strong noise", ((FEDAVG, loud),)),
        ),
        measured=arms(
            {**ATTACKED, "dataset": dataset, "rounds": rounds},
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
            Control(UP, "the closed form reads ax + b, and an image's range undoes most of it", OURS),
            Control(SOLVES, "b follows from what the client has sent", OURS),
            Control(clean, "the same without noise: what personal layers hide by themselves"),
        ),
        about="recovered",
        seeds=10 if dataset == "digits" else 6,  # three clients a run: seeds differ much
        note="The paper attacks with DLG and prints no ε; here the first layer is fully connected, and the "
        "closed form reads it. In round 1 the upload of PD-LDPFL is that of FedAvg. As printed the scale is "
        "read off the upload, and no attacker here knows it: hence the corrected form.",
    )


SIDES = "rows before the network, columns after it"
PAPER = paper(
    "pd_ldpfl",
    order=3,
    label="PD-LDPFL",
    source="Paper 003: Wang, Yang and Wei, Computer Science 51 (11), 379 (2024)",
    example=BASE,
    tables=(
        *(
            grid(
                (f"table-1-{data}", "Table 1", f"heterogeneity, {NAMES[data]}; {SIDES}"),
                {SIGNS[before]: (f"unlike-{data}", before) for before in SIGNS},
                {SIGNS[after]: after for after in SIGNS},
                pair,
            )
            for data in ("digits", "mnist")
        ),
        *(
            grid(
                (f"table-2-{data}", "Table 2", f"accuracy (%) by the number of clients, {NAMES[data]}"),
                {str(n): (f"clients-{data.replace('_mnist', '')}-{n}", n) for n in TABLE_2},
                {name: name for name in METHODS},
                lambda _, name: str(name),
            )
            for data in COLUMNS
        ),
    ),
    claims=(
        _table_2("digits", 10),
        *(_table_2(dataset, count) for dataset in COLUMNS for count in TABLE_2),
        _counts("mnist"),
        _first("digits"),
        _first("mnist"),
        *transforms("digits"),
        *transforms("mnist"),
        starts("digits"),
        starts("mnist"),
        budgets_of("digits", (8.0, 12.0, 16.0), "digits, fully connected", STAND_IN),
        budgets_of(
            "cifar10", (8.0, 12.0, 16.0), "CIFAR-10, ResNet-18", "The paper does not print its budgets."
        ),
        unlike("digits", "digits, fully connected"),
        gradients("digits"),
        images("digits", 30),
        images("mnist", 50),
    ),
)
