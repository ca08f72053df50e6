"""Claims of paper 003 (PD-LDPFL) on image reconstruction behind personal layers: DLG, and stronger ones."""

from typing import Any

from ldp_core.papers._pd_ldpfl_unlike import FEDAVG, NAMES, NOTHING, OURS
from ldp_core.papers.base import Claim, Control, arms
from ldp_core.papers.statements import Ahead, Value

BASE: dict[str, Any] = {
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
            {**BASE, "dataset": dataset, "model": "lenet"},
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
            {**BASE, "dataset": dataset, "rounds": rounds},
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
