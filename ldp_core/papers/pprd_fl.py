"""Paper 002: PPRD-FL, and its claims about R-PSS and dynamic noise."""

from itertools import pairwise
from typing import Any

from ldp_core.inference import SEEDS
from ldp_core.papers.base import Claim, Control, Reading, Table, arms, paper
from ldp_core.papers.statements import Ahead, Gain, Value

BASE: dict[str, Any] = {"system": "pprd_fl", "dataset": "mnist", "form": "as_printed"}
DIGITS: dict[str, Any] = {**BASE, "dataset": "digits"}
FULL, NO_RPSS, STEADY, CLEAN = "PPRD-FL", "without R-PSS", "without dynamic noise", "no noise"
LDPFL = "LDP-FL"
"""LDP-FL of Sun et al.: Duchi per weight, ranges by layer, with the same clients, steps and ε."""
ADAPTIVE_DUCHI: dict[str, Any] = {
    "system": {"name": "optimal_ldp_fl"},
    "form": "corrected",
    "clients.count": 10,
    "clients.epsilon": 0.4,
    "local": {"optimizer": "adam", "epochs": 3, "batch_size": 64, "learning_rate": 0.001},
    "mechanism": {"name": "duchi"},
    "selection": {"kind": "all"},
    "rounds": 10,
}
HALF, KEPT, HONEST = "half in clear", "the rest not sent", "corrected"
NOISELESS: dict[str, Any] = {"mechanism.name": "none", "form": "corrected"}
PARTS: dict[str, dict[str, Any]] = {
    FULL: {},
    NO_RPSS: {"system.selected": 1},
    STEADY: {"mechanism.a": 1e6},
    CLEAN: NOISELESS,
    HALF: {"system.selected": 0.5},
    KEPT: {"system.rest": "kept"},
    "weights clipped one by one": {
        "mechanism.norm": None,
        "clients.range": 0.5,
        "mechanism.sensitivity": 20 / 287,
    },
    "with SGD": {"local.optimizer": "sgd", "local.learning_rate": 0.1},
    "plain mean": {"aggregator.name": "mean"},
    HONEST: {"form": "corrected"},
}
STAND_IN = "Digits stand in for MNIST, at budgets whose noise a client of 287 images can see."
COUNTS = (
    Reading("10 clients", "Ten clients with 6 000 images each: the noise is divided by the 6 000."),
    Reading("100 clients", "A hundred clients with 600 images each.", {"clients.count": 100}),
)


def _ablation(identity: str, epsilon: float, title: str, note: str) -> Claim:
    return Claim(
        id=identity,
        where="Fig. 3",
        title=title,
        setting=(
            f"digits, a small network, ε {epsilon:g}, 10 rounds, 5 clients with 287 images each, by which "
            "the noise is divided"
        ),
        statements=(
            Ahead(f"the whole is ahead of one {NO_RPSS}", ((FULL, NO_RPSS),)),
            Ahead(f"one {STEADY} is ahead of the whole", ((STEADY, FULL),)),
        ),
        measured=arms({**DIGITS, "clients": {"epsilon": epsilon}}, PARTS),
        controls=(
            Control(HALF, "more in clear, more accurate: what R-PSS gains is what it does not protect", FULL),
            Control(KEPT, "the same choice, where the rest is not sent in clear but not at all"),
            Control(CLEAN, "what this training reaches at best"),
            Control("weights clipped one by one", "a range for each weight instead of a length for all"),
            Control("with SGD", "Adam is a choice of the training, not of privacy"),
            Control("plain mean", "equal clients weigh alike, by their images or not", FULL),
            Control(HONEST, "the noise that shortened uploads need, and nothing in clear"),
        ),
        seeds=20,
        note=note,
    )


def _mnist(identity: str, title: str, base: dict[str, Any], network: str, figure: bool) -> Claim:
    few = "600 images a client"
    return Claim(
        id=identity,
        where="Fig. 4 and 7",
        title=title,
        setting=(
            f"MNIST, {network}, ε 0.4, 10 rounds, 10 clients with 6 000 images each (in one control 100 "
            "with 600), by which the noise is divided"
        ),
        statements=(
            *((Value(FULL, (FULL,), 97.0),) if figure else ()),
            Gain(f"{FULL} over {CLEAN}", ((FULL, CLEAN),), 0.0),
            *((Ahead(f"{FULL} is ahead of {LDPFL}", ((FULL, LDPFL),)),) if figure else ()),
        ),
        measured=arms(
            base,
            {
                FULL: {},
                CLEAN: NOISELESS,
                NO_RPSS: {"system.selected": 1},
                few: {"clients.count": 100},
                HONEST: {"form": "corrected"},
                **({LDPFL: ADAPTIVE_DUCHI} if figure else {}),
            },
        ),
        controls=(
            Control(NO_RPSS, "all perturbed at so little noise: R-PSS changes nothing", FULL),
            Control(few, "the accuracy is bought by dividing the noise by the images of a client"),
            Control(HONEST, "the noise that shortened uploads need, and nothing in clear"),
        ),
        readings=COUNTS if figure else (),
        note="The paper says neither how many clients there are nor how long weights may be, nor δ. DPM-EU, "
        "drawn beside them, is of reference [34] (Wang et al., PPeFL, IEEE Internet of Things Journal 2023), "
        "which this paper does not describe: it is not run. The paper draws losses too; only accuracies are "
        "judged.",
    )


def _budgets(dataset: str, name: str, where: str, budgets: tuple[float, ...], note: str) -> Claim:
    """Claim that accuracy rises with ε, and that training is stable from the paper's ε 0.3 on."""
    labels = {epsilon: f"ε {epsilon:g}" for epsilon in budgets}
    return Claim(
        id=f"budgets-{dataset.removesuffix('_mnist')}",
        where=where,
        title=f"The larger ε, the more accurate, {name}",
        setting=f"{name}, 10 rounds, ε {budgets[0]:g} to {budgets[-1]:g}",
        statements=tuple(
            Ahead(f"{labels[more]} is ahead of {labels[less]}", ((labels[more], labels[less]),))
            for less, more in pairwise(budgets)
        ),
        measured=arms(
            {**BASE, "dataset": dataset}, {label: {"clients.epsilon": e} for e, label in labels.items()}
        ),
        seeds=20 if dataset == "digits" else SEEDS,
        note=note,
        readings=() if dataset == "digits" else COUNTS,
    )


OPEN = "The paper prints neither which budgets it draws below 0.3 nor how many clients there are."
PAPER = paper(
    "pprd_fl",
    order=2,
    label="PPRD-FL",
    source="Paper 002: Feng, Guo and Zhu, Electronics 14, 990 (2025)",
    example=BASE,
    tables=(
        Table(
            "ablation",
            "Fig. 3",
            "accuracy (%) without each part, digits",
            ("ε 1", "ε 8.4"),
            {
                n: (("ablation-digits", n), ("ablation-digits-quiet", n))
                for n in (FULL, NO_RPSS, STEADY, CLEAN)
            },
        ),
    ),
    claims=(
        _ablation(
            "ablation-digits",
            1.0,
            "R-PSS helps at an equal ε, and the dynamic noise costs",
            "The paper names no ε for it, and shows one seed. At this ε the noise is visible: per weight it "
            "is 8 times that of the paper's own run.",
        ),
        _ablation(
            "ablation-digits-quiet",
            8.4,
            "The same with as little noise as in the paper's own run",
            "2C/(|D_i|ε) is the same for 287 images at ε 8.4 as for 6 000 at ε 0.4.",
        ),
        _mnist("mnist", "As good as without privacy, at ε 0.4", BASE, "the paper's network", True),
        _mnist(
            "mnist-small",
            "The same with a small network",
            {**BASE, "model": "mlp"},
            "one hidden layer of 32 instead of the paper's network",
            False,
        ),
        _budgets(
            "digits", "digits, 5 clients with 287 images each", "Fig. 4", (0.5, 1.0, 2.0, 8.4), STAND_IN
        ),
        _budgets("mnist", "MNIST", "Fig. 4", (0.1, 0.3, 0.4), OPEN),
        _budgets("fashion_mnist", "Fashion-MNIST", "Fig. 5", (0.1, 0.3, 0.4), OPEN),
    ),
)
