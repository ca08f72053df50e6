"""Element by element: what of each paper is built as it is printed, and where what is not is said.

`SAME` are values of the paper that its experiment, as printed, must have. `DIFFERS` are elements that are
built otherwise: each names the file and the words in it that do so, and the words by which a reader learns
of it (a system's readings, a paper's errors, a claim's note or reading, all shown on pages).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms, papers, systems
from ldp_core.experiment import Experiment, parse
from tests.conftest import ROOT


def printed(system: str, **more: Any) -> Experiment:
    return parse({"system": system, "form": "as_printed"} | more)


def training(one: Experiment) -> tuple[str, int, int, float]:
    local = one.local
    return local.optimizer.name, local.epochs, local.batch_size, local.learning_rate


@cache
def plain(system: str) -> Experiment:
    return printed(system)


SAME: dict[tuple[str, str], Callable[[], bool]] = {
    ("pldp_fl", "algorithm 1: SGD, E 5, B 20, η 0.01"): lambda: (
        training(plain("pldp_fl")) == ("sgd", 5, 20, 0.01)
    ),
    ("pldp_fl", "section 6.2.2: N 100, a share of 0.7, 320–50–10"): lambda: (
        plain("pldp_fl").clients.count == 100
        and plain("pldp_fl").selection.parameters() == {"fraction": 0.7}
        and (10, 50) in plain("pldp_fl").model.parameter_shapes((1, 28, 28), 10).values()
        and (50, 320) in plain("pldp_fl").model.parameter_shapes((1, 28, 28), 10).values()
    ),
    ("pldp_fl", "algorithm 2: PDPM answers with one of three values"): lambda: (
        len(
            set(
                mechanisms.get("pdpm", form="as_printed")
                .perturb(np.zeros(500), 1.0, -1.0, 1.0, np.random.default_rng(0))
                .tolist()
            )
        )
        == 3
    ),
    ("personalized_ldp_fl", "section 5.2.1, digits: N 3, R 10, batch 50, δ 1/500, c 200"): lambda: (
        (one := printed("personalized_ldp_fl", dataset="digits")).clients.count == 3
        and (one.rounds, one.local.batch_size) == (10, 50)
        and one.mechanism.parameters()["delta"] == 1 / 500
        and one.clients.bounds()[1].max() == 200
    ),
    ("personalized_ldp_fl", "section 5.2.1: the “optimal” step"): lambda: (
        plain("personalized_ldp_fl").local.optimizer.name == "optimal"
    ),
    ("pprd_fl", "section 5.1: Adam 0.001, 3 local rounds, 10 rounds"): lambda: (
        (one := plain("pprd_fl")).rounds == 10
        and (one.local.optimizer.name, one.local.epochs, one.local.learning_rate) == ("adam", 3, 0.001)
    ),
    ("pprd_fl", "section 4.3: a 75"): lambda: plain("pprd_fl").mechanism.parameters()["a"] == 75,
    ("pprd_fl", "algorithm 1: weighed by |D_i|"): lambda: plain("pprd_fl").aggregator.name == "data_weighted",
    ("pd_ldpfl", "section 5.4: ε 8, η 0.05, 50 rounds, Dirichlet 1"): lambda: (
        (one := plain("pd_ldpfl")).rounds == 50
        and one.clients.budgets().tolist() == [8.0] * one.clients.count
        and one.local.learning_rate == 0.05
        and one.partition.parameters()["alpha"] == 1.0
    ),
    ("pd_ldpfl", "section 3.3.2: Piecewise"): lambda: plain("pd_ldpfl").mechanism.name == "piecewise",
    ("optimal_ldp_fl", "section 5.2.2: n 200"): lambda: plain("optimal_ldp_fl").clients.count == 200,
    ("optimal_ldp_fl", "algorithm 4: q from (0.5, 1)"): lambda: (
        plain("optimal_ldp_fl").selection.parameters() == {"least": 0.5}
    ),
    ("optimal_ldp_fl", "algorithm 2: Harmony for each layer"): lambda: (
        plain("optimal_ldp_fl").mechanism.name == "harmony"
        and plain("optimal_ldp_fl").mechanism.scope == "layer"
    ),
}
"""Paper and element → whether the experiment, as printed, has it."""

DIFFERS = [
    (
        "pldp_fl",
        "algorithm 1, line 8: averages clear weights",
        "federated/round.py",
        "uploaded(",
        "clear weights",
    ),
    ("pldp_fl", "32 channels", "models/cnn.py", "20, 5", "contradict its 320 inputs"),
    ("pldp_fl", "equation 8", "models/dense.py", "softmax", "cross-entropy of two classes"),
    ("pldp_fl", "theorem 1", "mechanisms/pdpm.py", "variance", "variance bound is wrong"),
    (
        "pldp_fl",
        "Fig. 2: where ranges lie",
        "papers/pldp_fl.py",
        "centre",
        "does not say where its ranges lie",
    ),
    ("pldp_fl", "Fig. 6: PLU-FedOA", "papers/pldp_fl.py", "laplace", "the server weighs clients"),
    ("personalized_ldp_fl", "W⁽⁰⁾ = 0", "systems/personalized_ldp_fl.py", "np.zeros_like", "all zeros"),
    ("personalized_ldp_fl", "one step a record", "optimizers/optimal.py", "counts batches", "counts samples"),
    ("personalized_ldp_fl", "U local rounds", "engines/batched.py", "step", "Local rounds start over"),
    ("personalized_ldp_fl", "clip", "federated/upload.py", "clip", "The clip keeps nothing"),
    ("personalized_ldp_fl", "equation 4", "mechanisms/gaussian.py", "paper001", "The root covers too little"),
    ("personalized_ldp_fl", "equation 5", "mechanisms/gaussian.py", "normal", "The density has no minus"),
    (
        "personalized_ldp_fl",
        "|D_i| = 1/δ_i",
        "systems/personalized_ldp_fl.py",
        "_most",
        "1 000 images a client",
    ),
    ("personalized_ldp_fl", "equation 15", "aggregators/probability_selection.py", "draw", "may draw nobody"),
    ("personalized_ldp_fl", "test sets", "datasets/digits.py", "test", "The test set is the data set's own"),
    (
        "personalized_ldp_fl",
        "Dirichlet",
        "systems/_personalized_settings.py",
        "non_iid",
        "concentration is 1",
    ),
    ("personalized_ldp_fl", "signs without noise", "papers/personalized_ldp_fl.py", "700", "those at ε 700"),
    ("pprd_fl", "steps 9 and 11", "systems/rpss.py", "chosen", "read as b = 0"),
    ("pprd_fl", "|w|", "systems/rpss.py", "np.abs", "keeps its sign"),
    ("pprd_fl", "N, C and δ", "systems/pprd_fl.py", "LENGTH", "are not in the paper"),
    ("pprd_fl", "80 %", "systems/pprd_fl.py", "SELECTED", "share of weights that are perturbed"),
    ("pprd_fl", "batch size", "systems/pprd_fl.py", "64", "batch size is not given"),
    ("pprd_fl", "DPM-EU", "papers/pprd_fl.py", "DPM-EU", "it is not run"),
    ("pd_ldpfl", "t = max θ", "mechanisms/printed_scale.py", "max", "it is the largest size"),
    ("pd_ldpfl", "layer widths, batch", "systems/pd_ldpfl.py", "32", "the paper prints none of it"),
    (
        "pd_ldpfl",
        "heterogeneity",
        "federated/evaluate.py",
        "own_losses",
        "after its training and before noise",
    ),
    ("pd_ldpfl", "ResNet-18", "models/resnet18.py", "roup", "group normalisation"),
    ("pd_ldpfl", "DLG", "papers/_pd_ldpfl_images.py", "least_squares", "The paper attacks with DLG"),
    ("optimal_ldp_fl", "what is not sent", "mechanisms/harmony.py", "fill", "Two fillings are printed"),
    (
        "optimal_ldp_fl",
        "C and R of a layer",
        "systems/optimal_ldp_fl.py",
        "adaptive",
        "middle and half the width",
    ),
    ("optimal_ldp_fl", "algorithm 4", "selections/self_sampling.py", "chances", "here clients draw"),
    ("optimal_ldp_fl", "algorithm 3", "systems/optimal_ldp_fl.py", "shuffles", "nothing of it is simulated"),
    ("optimal_ldp_fl", "E, B, γ, T", "systems/optimal_ldp_fl.py", "0.05", "are not in the paper"),
    ("optimal_ldp_fl", "one bit", "cost/traffic.py", "packed", "A weight's place counts"),
]
"""Paper, element, file of ldp_core, what of it, and by which words it is said."""


def said(name: str) -> str:
    """All that pages say of a system and its paper."""
    paper, system = papers.get(name), systems.registry.kind(name)
    claims = [
        text for one in paper.claims for text in (one.note, *(r.says + r.against for r in one.readings))
    ]
    return "\n".join([*system.readings, *(f"{one.title} {one.text}" for one in paper.flaws), *claims])


@pytest.mark.parametrize(("system", "element"), SAME)
def test_it_is_built_as_it_is_printed(system: str, element: str):
    assert SAME[system, element]()


@pytest.mark.parametrize(
    ("system", "element", "file", "code", "words"), DIFFERS, ids=lambda one: str(one)[:24]
)
def test_what_differs_is_said(system: str, element: str, file: str, code: str, words: str):
    assert code in (ROOT / "ldp_core" / file).read_text(encoding="utf-8"), f"{element}: look for it elsewhere"
    assert words in said(system), f"{element} differs, and no page says so"
