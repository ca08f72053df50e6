"""Element by element: what of each paper is built as it is printed, and where what is not is said.

A row of `TABLE` names an element, its file in ldp_core, evidence, and how a reader learns of it: “=” for an
element that is as printed, else words that pages show (a system's readings, a paper's errors, a claim's note
or reading). Evidence is a value of the experiment as printed, `field=value`, or words in the file.
"""

import json
from typing import Any

import pytest

from ldp_core import mechanisms, papers, systems
from ldp_core.experiment import amended
from tests.conftest import ROOT

TABLE = """
# pldp_fl
algorithm 1: E 5 | systems/pldp_fl.py | local.epochs=5 | =
algorithm 1: B 20, η 0.01 | systems/pldp_fl.py | local.batch_size=20 local.learning_rate=0.01 | =
algorithm 1: SGD | systems/pldp_fl.py | local.optimizer=sgd | =
algorithm 1, line 8: averages clear weights | federated/round.py | noisings( | clear weights
algorithm 2, equation 10: PDPM, any centre | systems/pldp_fl.py | mechanism.name=pdpm target=weights | =
theorem 1: the variance | mechanisms/pdpm.py | variance | variance bound is wrong
section 6.2.2: N 100, a share of 0.7 | systems/pldp_fl.py | clients.count=100 selection.fraction=0.7 | =
section 6.2.2: 320–50–10 | models/cnn.py | 50 | =
section 6.2.2: 32 channels | models/cnn.py | 20, 5 | contradict its 320 inputs
equation 8: the loss of two classes | models/dense.py | softmax | cross-entropy of two classes
modes ε₂, τ₁, 50 rounds | systems/pldp_fl.py | clients.epsilon=eps2 clients.range=tau1 rounds=50 | =
the plain mean | systems/pldp_fl.py | aggregator.name=mean | =
equation 15: the relative error | theory/relative_error.py | relative_errors | =
Fig. 2: where ranges lie | papers/pldp_fl.py | centre | does not say where its ranges lie
Fig. 2: ε and L as sweeps | papers/pldp_fl.py | (1, 2), (2, 2) | Its sweeps are read at the five pairs
Fig. 6: PLU-FedOA | papers/pldp_fl.py | laplace | the server weighs clients
Fig. 3a: traffic | cost/traffic.py | against_share | =
Table 2: what is protected | papers/pldp_fl.py | paper( | Table 2 ticks
# personalized_ldp_fl
W⁽⁰⁾ = 0 | systems/personalized_ldp_fl.py | system.start=zero | =
one step a record | optimizers/optimal.py | counts batches | counts samples
U local rounds | engines/batched.py | step | Local rounds start over
the clip | federated/upload.py | clip | The clip keeps nothing
equation 4: σ | systems/personalized_ldp_fl.py | mechanism.calibration=paper001 | The root covers too little
equation 5: the density | mechanisms/gaussian.py | GaussianNoise | The density has no minus
equations 6 and 7: signs | systems/personalized_ldp_fl.py | system.case=non_iid: mechanism.name=ldpsign | =
equations 9 and 10: sign of the sum | aggregators/sign_majority.py | sign | =
equations 11 to 13: B | aggregators/inverse_std.py | InverseStd | =
equations 14 to 16: C | aggregators/probability_selection.py | ProbabilitySelection | =
equation 15: an empty lottery | aggregators/probability_selection.py | draw | may draw nobody
section 3: record sampling q | systems/personalized_ldp_fl.py | mechanism.sampling=0.8 | =
section 5.2.1: the “optimal” step | systems/personalized_ldp_fl.py | local.optimizer=optimal | =
section 5.2.1: digits N, R | systems/personalized_ldp_fl.py | clients.count=3 rounds=10 | =
section 5.2.1: digits batch, c | systems/personalized_ldp_fl.py | local.batch_size=50 clients.range=200.0 | =
section 5.2.1: digits δ 1/500 | systems/personalized_ldp_fl.py | mechanism.delta=0.002 | =
section 5.2.1: Fashion q | systems/personalized_ldp_fl.py | dataset=fashion_mnist: mechanism.sampling=0.9 | =
section 5.3.1: digits c | systems/personalized_ldp_fl.py | system.case=non_iid: clients.range=4.0 | =
|D_i| = 1/δ_i | systems/personalized_ldp_fl.py | dataset=fashion_mnist: system.images=paper | =
test sets | datasets/digits.py | test | The test set is the data set's own
Dirichlet | systems/personalized_ldp_fl.py | non_iid | concentration is 1
the non-personalised scenario | papers/personalized_ldp_fl.py | for all | here it is 1
signs without noise | papers/personalized_ldp_fl.py | 700 | those at ε 700
# pprd_fl
section 5.1: Adam 0.001 | systems/pprd_fl.py | local.optimizer=adam local.learning_rate=0.001 | =
section 5.1: 3 local rounds of 10 | systems/pprd_fl.py | local.epochs=3 rounds=10 | =
algorithm 1: weighed by the number of images | systems/pprd_fl.py | aggregator.name=data_weighted | =
algorithm 2: R-PSS, top half, z 1e-6 | systems/pprd_fl.py | NEAR_ZERO = 1e-6 | =
algorithm 2, steps 9 and 11 | systems/pprd_fl.py | chosen | read as b = 0
section 4.2: the sizes of weights | systems/pprd_fl.py | np.abs | keeps its sign
section 4.3: σ(m), a 75 | systems/pprd_fl.py | mechanism.name=dynamic_gaussian mechanism.a=75.0 | =
the sensitivity | mechanisms/dynamic_gaussian.py | sensitivity | The sensitivity is too small
the sum of budgets | mechanisms/dynamic_gaussian.py | total | The sum of budgets is miscounted
N, C and δ | systems/pprd_fl.py | LENGTH | are not in the paper
80 % | systems/pprd_fl.py | SELECTED | share of weights that are perturbed
the batch size | systems/pprd_fl.py | 64 | batch size is not given
LDP-FL | papers/pprd_fl.py | ADAPTIVE_DUCHI | =
DPM-EU | papers/pprd_fl.py | DPM-EU | it is not run
loss curves | papers/pprd_fl.py | losses | draws losses too
# pd_ldpfl
algorithm 1: weighed by n_k/n | systems/pd_ldpfl.py | aggregator.name=data_weighted | =
algorithm 2: the piecewise mechanism | systems/pd_ldpfl.py | mechanism.name=piecewise target=weights | =
algorithm 2: t = max θ | mechanisms/printed_scale.py | max | it is the largest size
section 4.3: ax+b, a 1, b 0 | systems/pd_ldpfl.py | system.input=affine system.a=1.0 system.b=0.0 | =
section 5.4: ε 8, η 0.05 | systems/pd_ldpfl.py | clients.epsilon=8.0 local.learning_rate=0.05 | =
section 5.4: 50 rounds, Dirichlet 1 | systems/pd_ldpfl.py | rounds=50 partition.alpha=1.0 | =
layer widths, batch | systems/pd_ldpfl.py | 32 | the paper prints none of it
heterogeneity | federated/evaluate.py | own_losses | after its training and before noise
ResNet-18 | models/resnet18.py | roup | group normalisation
FedAvg and PrivateFL | papers/pd_ldpfl.py | METHODS | =
DLG | papers/_pd_ldpfl_images.py | least_squares | The paper attacks with DLG
# optimal_ldp_fl
algorithm 2: Harmony for each layer | systems/optimal_ldp_fl.py | mechanism.name=harmony | =
algorithm 2, line 1: what is not sent | mechanisms/harmony.py | fill | Two fillings are printed
algorithm 3: shuffling, delays | systems/optimal_ldp_fl.py | shuffles | nothing of it is simulated
algorithm 4: q from (0.5, 1) | systems/optimal_ldp_fl.py | selection.least=0.5 | =
algorithm 4: who draws | selections/self_sampling.py | chances | here clients draw
C and R of a layer | systems/optimal_ldp_fl.py | adaptive | middle and half the width
section 5.2.2: n 200 | systems/optimal_ldp_fl.py | clients.count=200 | =
E, B, γ, T | systems/optimal_ldp_fl.py | 0.05 | are not in the paper
theorem 1: accuracy by participants | papers/optimal_ldp_fl.py | drawn-digits | Theorem 1 says so
lemma 1: ε for each layer | mechanisms/harmony.py | layer | One budget a layer
lemma 3: the bound | papers/optimal_ldp_fl.py | paper( | Equal bounds of unlike promises
one bit | cost/traffic.py | packed | A weight's place counts
the time | papers/optimal_ldp_fl.py | Timed | Time in a simulation is its program's
"""
ROWS: list[tuple[str, ...]] = [
    (block.split("\n", 1)[0], *line.replace("|D_i|", "images").split(" | "))
    for block in TABLE.split("\n# ")[1:]
    for line in block.splitlines()[1:]
]


def said(name: str) -> str:
    """All that pages say of a system and its paper."""
    paper, system = papers.get(name), systems.registry.kind(name)
    claims = [text for one in paper.claims for text in (one.note, *(r.says for r in one.readings))]
    flaws = (f"{one.title} {one.text}" for one in paper.flaws)
    return "\n".join([*system.readings, *system.altered, *flaws, *claims])


def built(name: str, evidence: str) -> bool:
    """Whether the experiment, as printed, has fields' values: `[dotted=value: ]dotted=value …`."""
    given, _, wanted = evidence.rpartition(": ")
    changes = dict(one.split("=") for one in given.split())
    found: Any = amended({"system": {"name": name}, "form": "as_printed"}, changes).as_json()
    values = dict(one.split("=") for one in wanted.split())
    return all(_at(found, path) == value for path, value in values.items())


def _at(found: Any, path: str) -> str:
    for name in path.split("."):
        found = found[name]
    return found if isinstance(found, str) else json.dumps(found)


@pytest.mark.parametrize(
    ("system", "element", "file", "evidence", "words"), ROWS, ids=lambda one: str(one)[:24]
)
def test_it_is_built_as_it_is_printed_or_what_differs_is_said(
    system: str, element: str, file: str, evidence: str, words: str
):
    source = (ROOT / "ldp_core" / file).read_text(encoding="utf-8")
    there = built(system, evidence) if "=" in evidence and "= " not in evidence else evidence in source
    assert there, f"{element}: {file} has no {evidence}"
    assert words == "=" or words in said(system), f"{element} differs, and no page says so"


def test_a_scale_lowers_the_variance_as_theorem_1_of_pd_ldpfl_has_it():
    m, v, half = 0.3, 0.2, 2.718281828459045**4
    printed = v**2 / (half - 1) + m**2 * (half + 3) / (3 * (half - 1) ** 2)
    assert float(mechanisms.get("piecewise").variance(v, 8.0, -m, m)) == pytest.approx(printed)
