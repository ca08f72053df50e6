"""Paper 001: personalised LDP-FL, and its claims about weighting clients by their noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ldp_core.papers.arms import Arm
from ldp_core.papers.base import Claim, Control, Flaw, Paper, Quote, Reading, Table, arms
from ldp_core.papers.statements import Ahead, Gain, Statement, Value

A, B, C, BEST = "A mean", "B by 1/σ", "C lottery", "1/σ²"
CLEAN: dict[str, Any] = {"mechanism.name": "none", "aggregator.name": "mean", "form": "corrected"}
IID = {A: "mean", B: "inverse_std", C: "probability_selection", BEST: "inverse_variance"}
BY_NOISE = "weights of 1/σ² leave the least noise"
NO_DRAW = "weights of 1/σ² leave no round empty"


def _base(dataset: str, case: str) -> dict[str, Any]:
    return {"system": {"name": "personalized_ldp_fl", "case": case}, "dataset": dataset, "form": "as_printed"}


def _braces(budgets: Sequence[float]) -> str:
    return "{" + ", ".join(f"{one:g}" for one in budgets) + "}"


def _short(budgets: Sequence[float]) -> str:
    """Budgets in braces; for many clients counted, like `{1×5, 10×5}`."""
    if len(budgets) <= 3:
        return _braces(budgets)
    return "{" + ", ".join(f"{one:g}×{budgets.count(one)}" for one in sorted(set(budgets))) + "}"


def _claim(
    identity: str,
    title: str,
    setting: str,
    base: Mapping[str, Any],
    populations: Sequence[Sequence[float]],
    ways: Mapping[str, Mapping[str, Any]],
    clean: Mapping[str, Any],
    paper: Mapping[str, float],
    others: Mapping[str, Mapping[str, Any]],
    order: bool = True,
    where: str = "",
    note: str = "",
    images: int | None = None,
    quotes: tuple[Quote, ...] = (),
) -> Claim:
    """Claim about aggregators A, B and C over all populations of budgets, with controls."""
    own = {
        f"{way}, ε {_short(budgets)}": {"clients.epsilon": list(budgets), **sets}
        for budgets in populations
        for way, sets in ways.items()
    }
    middle = populations[len(populations) // 2]
    controls = {name: {"clients.epsilon": list(middle), **sets} for name, sets in others.items()}

    def pairs(first: str, second: str) -> tuple[tuple[str, str], ...]:
        return tuple((f"{first}, ε {_short(b)}", f"{second}, ε {_short(b)}") for b in populations)

    statements: list[Statement] = [Value("no noise", ("no noise",), paper["no noise"])]
    for way in (B, C):
        if way in paper:
            statements.append(Gain(f"{way[0]} over A", pairs(way, A), paper[way]))
    if B in paper and order:
        statements += [Ahead("B is ahead of A", pairs(B, A)), Ahead("C is ahead of B", pairs(C, B))]
    elif order:
        statements.append(Ahead("C is ahead of A", pairs(C, A)))
    why = BY_NOISE if base["system"]["case"] == "iid" else NO_DRAW
    against = [Control(f"{BEST}, ε {_short(b)}", why, f"{C}, ε {_short(b)}") for b in populations]
    measured: tuple[Arm, ...] = arms(base, {**own, "no noise": dict(clean), **controls})
    return Claim(
        id=identity,
        where=where,
        title=title,
        setting=setting,
        statements=tuple(statements),
        measured=measured,
        controls=(
            *against,
            *(Control(name, "the same ε, another design", f"{C}, ε {_short(middle)}") for name in controls),
        ),
        seeds=20 if base["dataset"] == "digits" else 3,
        note=note,
        paper={"no noise": paper["no noise"]},
        readings=_readings(images),
        quotes=quotes,
    )


ZERO: dict[str, Any] = {"system.start": "zero"}
RECORDS: dict[str, Any] = {
    **ZERO,
    "local.batch_size": 1,
    "local.optimizer": {"name": "optimal", "counter": "run"},
}
ANEW: dict[str, Any] = {**RECORDS, "local.optimizer": {"name": "optimal", "counter": "round"}}
NONZERO = "section 3 has W⁽⁰⁾ = 0"
MANY = "section 5.2.1 prints δ = 1/1000, and section 3.1 has δ_i = 1/|D_i|: 1 000 images a client"


def _readings(images: int | None = None) -> tuple[Reading, ...]:
    """Readings of the local step, which the paper leaves to scikit-learn; `images` is the number of images
    per client where the paper's δ implies it.
    """
    few: dict[str, Any] = {"system.images": images} if images else {}
    against = "; ".join([NONZERO, *([MANY] if images else [])])
    passed = "scikit-learn's partial_fit takes one step a record of the batch that it is handed"
    return (
        Reading("random start", "One step a batch, counted anew in every round.", against=against),
        Reading("a step a batch", "The same from W⁽⁰⁾ = 0.", {**ZERO, **few}),
        Reading("a step a record", f"From 0; {passed}, and counts them through the run.", {**RECORDS, **few}),
        Reading("counted anew", f"From 0; {passed}, here counted anew in every round.", {**ANEW, **few}),
    )


IID_CLEAN = Quote(
    "section 5.2.2",
    "the federated model accuracies for those three datasets are 88.7%, 73.1%, and 49%, respectively",
)
SIGNS_CLEAN = Quote(
    "section 5.3.2",
    "the federated model accuracies for those three datasets are 65.2%, 49.8%, and 62.6%, respectively",
)
AVERAGED = "The paper gives one gain for all its settings; here it is the mean over them."
OF_THREE: tuple[Sequence[float], ...] = ([1, 1, 10], [1, 5, 10], [1, 10, 10])
STRICTER: tuple[Sequence[float], ...] = ([0.05, 0.05, 1], [0.05, 0.5, 1], [0.05, 1, 1])
MIXED: tuple[Sequence[float], ...] = ([1] * 5 + [10] * 5, [1] * 3 + [5] * 4 + [10] * 3)
WEIGHED = {way: {"aggregator.name": name} for way, name in IID.items()}
VOTED: dict[str, dict[str, Any]] = {
    A: {},
    B: {"aggregator.votes": "inverse_std"},
    C: {"aggregator.votes": "lottery"},
    BEST: {"aggregator.votes": "inverse_variance"},
}
SIGNS: dict[str, Any] = {"clients.epsilon": 700}
"""Setting for signs without noise: at this ε only the smallest weights change sign."""
INSTEAD: dict[str, dict[str, Any]] = {
    "Duchi, mean": {"mechanism.name": "duchi", "form": "corrected", "aggregator.name": "mean"},
    "Piecewise, mean": {"mechanism.name": "piecewise", "form": "corrected", "aggregator.name": "mean"},
    "changes, mean": {"target": "update", "aggregator.name": "mean"},
}
COVERED: dict[str, dict[str, Any]] = {
    "C, σ over the range": {"form": "corrected", "aggregator.name": "probability_selection"}
    | {"mechanism.sensitivity": None}
}
"""Arms in the corrected form, measured on shipped data only."""


DIGITS = _claim(
    "iid-digits",
    "Weighing by noise beats the mean: digits, IID",
    "scikit-learn's digits (called MNIST there), 3 clients, 10 rounds, δ 1/500, q 0.8, c 200",
    _base("digits", "iid"),
    OF_THREE,
    WEIGHED,
    CLEAN,
    {"no noise": 88.7, B: 5.57, C: 11.28},
    INSTEAD | COVERED,
    where="Fig. 2",
    quotes=(
        IID_CLEAN,
        Quote(
            "section 5.2.2",
            "the probability-based selection method are 5.57% and 11.28%, respectively",
        ),
    ),
    note=AVERAGED,
)
FASHION = _claim(
    "iid-fashion",
    "Weighing by noise beats the mean: Fashion-MNIST, IID",
    "Fashion-MNIST, 3 clients, 20 rounds, δ 1/1000, q 0.9, c 2",
    _base("fashion_mnist", "iid"),
    STRICTER,
    WEIGHED,
    CLEAN,
    {"no noise": 73.1, B: 3.04, C: 3.93},
    INSTEAD,
    where="Fig. 3",
    quotes=(
        IID_CLEAN,
        Quote(
            "section 5.2.2",
            "the probability-based selection method are 3.04% and 3.93%, respectively",
        ),
    ),
    note=AVERAGED,
    images=1000,
)
COVER = _claim(
    "iid-covtype",
    "Weighing by noise beats the mean: cover types, IID",
    "forest cover types, 10 clients, 50 rounds, δ 1/50 000, q 0.8, c 2",
    _base("covtype", "iid"),
    MIXED,
    WEIGHED,
    CLEAN,
    {"no noise": 49.0, B: 4.07, C: 10.90},
    INSTEAD,
    where="Fig. 4",
    quotes=(
        IID_CLEAN,
        Quote(
            "section 5.2.2",
            "the probability-based selection method are 4.07% and 10.90%, respectively",
        ),
    ),
    note=AVERAGED,
)
STRICT = ([5] * 5 + [15] * 5, [5] * 3 + [10] * 4 + [15] * 3)
LABELS = "The paper does not give its Dirichlet parameter; here it is 1. " + AVERAGED
SIGNED_DIGITS = _claim(
    "signs-digits",
    "The lottery beats the mean: digits, non-IID, signs only",
    "digits, 10 clients with unlike labels, 10 rounds, one bit a weight, c 4, δ 10⁻⁵",
    _base("digits", "non_iid"),
    STRICT,
    VOTED,
    SIGNS,
    {"no noise": 65.2, C: 6.97},
    {},
    where="Fig. 5",
    quotes=(
        SIGNS_CLEAN,
        Quote(
            "section 5.3.2",
            "gain obtained by the probability-based selection method is 6.97%",
        ),
    ),
    note=LABELS,
)
SIGNED_FASHION = _claim(
    "signs-fashion",
    "The lottery beats the mean: Fashion-MNIST, non-IID, signs only",
    "Fashion-MNIST, 10 clients with unlike labels, 10 rounds, one bit a weight, c 4, δ 10⁻⁵",
    _base("fashion_mnist", "non_iid"),
    STRICT,
    VOTED,
    SIGNS,
    {"no noise": 49.8, C: 19.85},
    {},
    where="Fig. 6",
    quotes=(
        SIGNS_CLEAN,
        Quote(
            "section 5.3.2",
            "gain obtained by the probability-based selection method is 19.85%",
        ),
    ),
    note=LABELS,
)
SIGNED_COVER = _claim(
    "signs-covtype",
    "No gain on cover types, non-IID, signs only",
    "forest cover types, 10 clients with unlike labels, 20 rounds, one bit a weight, c 2, δ 10⁻⁵",
    _base("covtype", "non_iid"),
    MIXED,
    VOTED,
    SIGNS,
    {"no noise": 62.6, B: 0.0, C: 0.0},
    {},
    order=False,
    where="Fig. 7",
    quotes=(
        SIGNS_CLEAN,
        Quote(
            "section 5.3.2",
            "The forest cover-types dataset does not obtain accuracy gains",
        ),
    ),
    note=LABELS,
)

PAPER = Paper(
    order=1,
    label="Personalized LDP-FL",
    source="Paper 001: Wu, Xu and Zhu, Applied Sciences 13, 4168 (2023)",
    idea=(
        "Clients with different budgets add Gaussian noise of different size, so the server should not "
        "listen to all of them alike. It weighs them by 1/σ (B), or draws a lottery that the most "
        "permissive always win first (C), instead of taking the plain mean (A)."
    ),
    flaws=(
        Flaw(
            "The root covers too little",
            "Equation 4 has its root over the first factor only. Over the whole product, as its derivation "
            "wants, σ at ε 1 on digits is 41 instead of 152, and at ε 10 it is 5.4 instead of 2.5.",
        ),
        Flaw(
            "The noise knows no range and no size of model",
            "σ is for a sensitivity of 1. With 650 weights clipped to ±200 the largest distance of two "
            "uploads is 10 198: a client that asks for ε 1 gets 2 445 for one upload, and 23 136 over ten "
            "rounds.",
        ),
        Flaw(
            "The lottery may draw nobody",
            "Equation 15 divides by the number drawn, which is zero with probability 0.03 for {1, 1, 10}, "
            "0.50 for {1, 10, 10} and 0.85 for the ten clients of the non-IID settings. Here the server then "
            "keeps its model.",
        ),
        Flaw(
            "The clip keeps nothing",
            "As printed (section 3.1) a weight above c becomes c, and every other one −c: of 650 weights "
            "none is left. Here only weights beyond ±c are moved.",
        ),
        Flaw(
            "Local rounds start over",
            "Line 12 of algorithm 1 takes each of its U steps from W⁽ʳ⁻¹⁾ again, so that U rounds are one "
            "step. Here a step goes on from the one before.",
        ),
        Flaw(
            "The density has no minus",
            "Equation 5 prints exp(x²/2σ²), which grows without end, over √(2πσ). The density of the "
            "Gaussian law has exp(−x²/2σ²) over √(2πσ²), and that is drawn here.",
        ),
        Flaw(
            "1/σ is not the best weight",
            "1/σ² is. At {1, 1, 10} weights of 1/σ leave 2.8 times as much variance; the plain mean leaves "
            "797 times as much.",
        ),
        Flaw(
            "The signs are not worth their ε",
            "Δ₂ = 2c is the sensitivity of one weight. At a nominal ε 5 each bit has a loss of 0.83, and all "
            "650 together 542.",
        ),
    ),
    example={**_base("digits", "iid"), "aggregator": {"name": "probability_selection"}},
    tables=tuple(
        Table(
            claim.id,
            claim.where,
            f"accuracy (%), {claim.setting}",
            (A, B, C),
            {
                f"ε {_short(budgets)}": tuple((claim.id, f"{way}, ε {_short(budgets)}") for way in (A, B, C))
                for budgets in populations
            },
        )
        for claim, populations in (
            (DIGITS, OF_THREE),
            (FASHION, STRICTER),
            (COVER, MIXED),
            (SIGNED_DIGITS, STRICT),
            (SIGNED_FASHION, STRICT),
            (SIGNED_COVER, MIXED),
        )
    ),
    claims=(DIGITS, FASHION, COVER, SIGNED_DIGITS, SIGNED_FASHION, SIGNED_COVER),
)
