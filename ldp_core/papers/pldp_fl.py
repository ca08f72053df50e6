"""Paper 000: PLDP-FL, and its claims about PDPM."""

from typing import Any

from ldp_core import mechanisms
from ldp_core.papers.arms import Records, Sent
from ldp_core.papers.base import Claim, Control, Reading, arms, grid, paper
from ldp_core.papers.statements import Ahead, Gain, Value

BASE: dict[str, Any] = {"system": "pldp_fl", "dataset": "mnist", "form": "as_printed"}
CLEAN: dict[str, Any] = {"mechanism.name": "none", "form": "corrected"}
DUCHI = "Duchi, changes in ±0.01"
OTHERS = "Laplace, plain mean"
WEIGHED = "Laplace, 1/σ²"
ONE_RANGE: dict[str, Any] = {"clients.epsilon": "eps2", "clients.range": 1.0}
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
SUBSCRIPT = "₀₁₂₃"


def _pair(epsilon: int, tau: int) -> str:
    return f"ε{SUBSCRIPT[epsilon]} τ{SUBSCRIPT[tau]}"


def _textbook(mechanism: str) -> dict[str, Any]:
    return {"mechanism.name": mechanism, "form": "corrected"}


NARROW: dict[str, Any] = {**_textbook("duchi"), "target": "update", "clients.range": 0.01}


def _records(suffix: str, mechanism: str = "pdpm") -> tuple[Records, ...]:
    """Arms for the modes that figure 2 compares: each mode of ε with τ₂, each of τ with ε₂."""
    pairs = {(1, 2), (2, 2), (3, 2), (2, 1), (2, 3)}
    return tuple(
        Records(_pair(e, t) + suffix, mechanism, f"eps{e}", f"tau{t}", 1.0) for e, t in sorted(pairs)
    )


def _modes(dataset: str, name: str, best_of_2: float, best_of_3: float) -> Claim:
    pairs, similar = [(e, t) for e in (1, 2, 3) for t in (1, 2, 3)], best_of_3 - best_of_2
    own: dict[str, dict[str, Any]] = {
        _pair(e, t): {"clients.epsilon": f"eps{e}", "clients.range": f"tau{t}"} for e, t in pairs
    }
    controls: dict[str, dict[str, Any]] = {
        "no noise": CLEAN,
        "Duchi, ε₂ τ₁": _textbook("duchi"),
        DUCHI: NARROW,
    }
    return Claim(
        id=f"modes-{dataset}",
        where="Fig. 4 and 5",
        title=f"All nine pairs of modes, {name}",
        setting=f"{name}, the paper's network, 100 clients of whom 70 % take part, 50 rounds",
        statements=(
            Value("best of ε₂", tuple(_pair(2, t) for t in (1, 2, 3)), best_of_2),
            Value("best of ε₃", tuple(_pair(3, t) for t in (1, 2, 3)), best_of_3),
            Ahead("ε₃ is ahead of ε₁", tuple((_pair(3, t), _pair(1, t)) for t in (1, 2, 3))),
            Ahead("ε₂ is ahead of ε₁", tuple((_pair(2, t), _pair(1, t)) for t in (1, 2, 3))),
            Gain("ε₃ over ε₂", tuple((_pair(3, t), _pair(2, t)) for t in (1, 2, 3)), 0.0, similar),
            Ahead("τ₁ is ahead of τ₃", tuple((_pair(e, 1), _pair(e, 3)) for e in (1, 2, 3))),
            Ahead("τ₁ is ahead of τ₂", tuple((_pair(e, 1), _pair(e, 2)) for e in (1, 2, 3))),
            Ahead("τ₂ is ahead of τ₃", tuple((_pair(e, 2), _pair(e, 3)) for e in (1, 2, 3))),
        ),
        measured=arms({**BASE, "dataset": dataset}, {**own, **controls}),
        note="“Similar” is read as no further apart than the paper's own best figures of the two modes.",
        controls=(
            Control("no noise", "what this training reaches at best"),
            Control("Duchi, ε₂ τ₁", "the textbook mechanism has less noise at every ε", _pair(2, 1)),
            Control(DUCHI, "a shorter range matters more than the mechanism", _pair(2, 1)),
        ),
    )


TEXTBOOK = [
    one
    for mechanism in ("duchi", "laplace")
    for one in _records(f", {mechanisms.get(mechanism).label}", mechanism)
]
SYNTHETIC = Claim(
    id="relative-error",
    where="Fig. 2",
    title="The error falls with ε and grows with the range",
    setting="relative error of the mean of 70 clients × 100 records, uniform in each client's range",
    statements=(
        Ahead("ε₁ errs more than ε₂", ((_pair(1, 2), _pair(2, 2)),)),
        Ahead("ε₂ errs more than ε₃", ((_pair(2, 2), _pair(3, 2)),)),
        Ahead("τ₃ errs more than τ₂", ((_pair(2, 3), _pair(2, 2)),)),
        Ahead("τ₂ errs more than τ₁", ((_pair(2, 2), _pair(2, 1)),)),
    ),
    measured=(*_records(""), *TEXTBOOK),
    controls=tuple(Control(one.label, "a textbook mechanism at the same ε") for one in TEXTBOOK),
    seeds=5,
    note="The paper does not say where its ranges lie. Its sweeps are read at the five pairs of modes that "
    "its curves share. A seed is the mean of 20 repetitions.",
    readings=(
        Reading("around 1", "All ranges are centred at 1, so that the true mean stays."),
        Reading("from 0", "Ranges begin at 0, so that the true mean grows with them.", {"centre": None}),
    ),
)

TRAFFIC = Claim(
    id="traffic",
    where="Fig. 3a",
    title="What is sent grows linearly with the share of clients",
    setting="the paper's network, 100 clients, bytes sent to the server in a round; counted, not measured",
    statements=tuple(
        Value(f"a share of {share:g} sends", (f"share {share:g}",), 100 * share, tolerance=0.5)
        for share in SHARES
    ),
    measured=tuple(Sent(f"share {share:g}", BASE, share) for share in SHARES),
    note="The paper gives no figures: these are what “linearly” means. All clients send 100 %.",
)

SHARE = Claim(
    id="share",
    where="Fig. 3b",
    title="From a share of 0.7 on, more clients change little",
    setting="MNIST, ε₂ and τ₁, 50 rounds, 30 % to all of the 100 clients",
    statements=(
        Ahead("0.7 is ahead of 0.3", (("share 0.7", "share 0.3"),)),
        Gain("all clients over a share of 0.7", (("share 1.0", "share 0.7"),), 0.0),
    ),
    measured=arms(BASE, {f"share {k / 10}": {"selection.fraction": k / 10} for k in (3, 5, 7, 9, 10)}),
)

AGAINST = Claim(
    id="against",
    where="Fig. 6",
    title="As good as FedAvg, and better than PLU-FedOA",
    setting="MNIST, the paper's network, τ = [−1, 1] for all, ε₂, 100 rounds",
    statements=(
        Value("PLDP-FL", ("PLDP-FL",), 97.5),
        Value(f"PLU-FedOA's noise ({OTHERS})", (OTHERS,), 90.3),
        Value("FedAvg", ("FedAvg",), 97.5),
        Ahead("PLDP-FL is ahead of PLU-FedOA", (("PLDP-FL", OTHERS),)),
    ),
    measured=arms(
        {**BASE, "rounds": 100},
        {
            "PLDP-FL": ONE_RANGE,
            OTHERS: {**ONE_RANGE, **_textbook("laplace")},
            WEIGHED: {**ONE_RANGE, **_textbook("laplace"), "aggregator.name": "inverse_variance"},
            "FedAvg": {**ONE_RANGE, **CLEAN},
            "Duchi": {**ONE_RANGE, **_textbook("duchi")},
            "Piecewise": {**ONE_RANGE, **_textbook("piecewise")},
            DUCHI: {**ONE_RANGE, **NARROW},
        },
    ),
    controls=(
        Control(WEIGHED, "PLU-FedOA's server weighs its clients, and how is not in this paper"),
        Control("Duchi", "the textbook mechanism at the same ε", "PLDP-FL"),
        Control("Piecewise", "the textbook mechanism at the same ε", "PLDP-FL"),
        Control(DUCHI, "a shorter range matters more than the mechanism", "PLDP-FL"),
    ),
    note="PLU-FedOA is reference [34] of the paper, which says of it that “it only has one privacy parameter "
    "ϵ” (section 6.2.4). In its second half, FedOA, the server weighs clients. Neither that nor its noise is "
    "described: its noise is run as Laplace's, with a plain mean and with weights of 1/σ².",
)

PAPER = paper(
    "pldp_fl",
    order=0,
    label="PLDP-FL",
    source="Paper 000: Shen et al., Entropy 25, 485 (2023)",
    example=BASE,
    tables=tuple(
        grid(
            (f"modes-{dataset}", "Fig. 5", f"accuracy (%) of the nine pairs of modes, {name}"),
            {f"ε{SUBSCRIPT[e]}": (f"modes-{dataset}", e) for e in (1, 2, 3)},
            {f"τ{SUBSCRIPT[t]}": t for t in (1, 2, 3)},
            _pair,
        )
        for dataset, name in (("mnist", "MNIST"), ("fashion_mnist", "Fashion-MNIST"))
    ),
    claims=(
        SYNTHETIC,
        TRAFFIC,
        SHARE,
        _modes("mnist", "MNIST", 95.7, 97.9),
        _modes("fashion_mnist", "Fashion-MNIST", 79.2, 85.6),
        AGAINST,
    ),
)
