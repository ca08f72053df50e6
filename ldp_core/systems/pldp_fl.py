"""PLDP-FL (paper 000): every client has its own safe range and budget; PDPM perturbs each weight."""

from collections.abc import Mapping
from typing import Any

from ldp_core import datasets, models
from ldp_core.systems.base import System


class PLDPFL(System):
    """Modes ε₂ and τ₁ by default; logistic regression on data that do not fit the paper's network."""

    label = "PLDP-FL"
    summary = (
        "Each client picks a safe range and a budget; PDPM answers for every weight with one of a few values,"
        " and the server takes the plain mean of a random share of the clients."
    )
    formula = r"\bar w=\frac1{|\mathcal P_t|}\sum_{i\in\mathcal P_t}\mathrm{PDPM}_{\tau_i,\varepsilon_i}(w_i)"
    reference = "Paper 000 (Shen et al., Entropy 2023)"
    order = 1
    data = ("mnist", "fashion_mnist")
    left_open = ("partition.kind",)
    readings = (
        "The paper's 32 channels contradict its 320 inputs: the network is the one that its 320 belong to.",
        "Safe ranges lie around 0, as the paper gives their lengths only.",
    )
    altered = (
        "Algorithm 1 as printed averages the clear weights over all clients; the server here averages what "
        "the chosen ones send.",
        "Equation 8 is the cross-entropy of two classes; here it is over all ten.",
    )

    def fill(self, dataset: str | None) -> dict[str, Any]:
        name = dataset or self.data[0]
        fits = models.get("cnn").fits(datasets.get(name).shape)
        return {
            "dataset": name,
            "partition": {"kind": "iid"},
            "clients": {"count": 100, "epsilon": "eps2", "range": "tau1", "epsilon_scope": "mechanism"},
            "model": "cnn" if fits else "logistic_regression",
            "local": {"optimizer": "sgd", "epochs": 5, "batch_size": 20, "learning_rate": 0.01},
            "target": "weights",
            "mechanism": {"name": "pdpm"},
            "selection": {"kind": "fraction", "fraction": 0.7},
            "aggregator": {"name": "mean"},
            "rounds": 50,
        }

    def also(self, dataset: str) -> Mapping[str, tuple[Any, ...]]:
        return {
            "clients.epsilon": ("eps1", "eps2", "eps3"),
            "clients.range": ("tau1", "tau2", "tau3", 1.0),
            "rounds": (50, 100),
        }
