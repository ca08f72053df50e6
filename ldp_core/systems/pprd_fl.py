"""PPRD-FL (paper 002): uploads scaled to a length, R-PSS, and Gaussian noise that grows over the rounds.

R-PSS sorts an upload's weights by magnitude. The larger half is perturbed, and each weight of the smaller
half with probability p; the rest is sent in clear. As printed each client uses its own magnitudes, so the
choice and the weights are unprotected. Corrected, magnitudes are those of the server's model, which is
public, and the rest is not sent: the server keeps its values.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core import datasets, models
from ldp_core.fields import Choice, Number
from ldp_core.limits import SELECTED, number
from ldp_core.mechanisms.base import Floating, Floats, Form, Mechanism
from ldp_core.systems.base import Encoded, Indices, Participation, Public, Sent, System, Vectors

REST = ("form", "clear", "kept", "noised")
"""Treatment of the weights that R-PSS omits: by form, in clear, not sent, or perturbed."""
CLIENTS = {"digits": 5}
"""Number of clients, where the paper's ten would hold too few images each."""
LENGTH, DELTA = 10.0, 1e-5
NEAR_ZERO = 1e-6
"""The paper's z: smaller weights are never perturbed."""


class RPSS(Participation):
    """Selects the perturbed weights; the server's model is the one just sent to the clients."""

    def __init__(
        self, public: Public, arrays: dict[str, NDArray[Any]] | None, rest: str, chance: float
    ) -> None:
        super().__init__(public, arrays)
        self._rest, self._chance = rest, chance

    def encode(
        self, values: Vectors, low: Floats, high: Floats, clients: Indices, generator: np.random.Generator
    ) -> Encoded:
        if self._rest == "noised":
            return Encoded(values, low, high)
        if self._rest == "kept":
            known = np.broadcast_to(self.model[self.public.sent], values.shape)
            return Encoded(values, low, high, unsent=~chosen(known, self._chance, generator))
        clear = ~chosen(values, self._chance, generator) | (np.abs(values) < NEAR_ZERO)
        return Encoded(values, low, high, clear=clear)


def chosen(weights: Floating, chance: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Mask (k, m): the larger half of a row's weights, and each other with the given probability."""
    m = weights.shape[1]
    found: NDArray[np.bool_] = generator.random(weights.shape) < chance
    larger = np.argpartition(np.abs(weights), m // 2, axis=1)[:, m // 2 :]
    np.put_along_axis(found, larger, True, axis=1)
    return found


class PPRDFL(System):
    """The paper's network where it fits the data; otherwise a small one, with larger steps."""

    label = "PPRD-FL"
    summary = (
        "Clients shorten their weights to a length, perturb the large ones and some of the small ones with "
        "Gaussian noise that grows slowly, and send the rest as it is; who has more data counts more."
    )
    formula = (
        r"\tilde w_j=w_j+\mathcal N(0,\sigma_m^2)\ \text{ if }|w_j|\ge\operatorname{median}|w|"
        r"\text{ or }b_j=1,\ \text{ else }w_j;\quad b_j\sim\mathrm{Bernoulli}(p),\quad "
        r"\sigma_m=\Big(1+\frac{\ln m}{a}\Big)\frac{2C}{|D_i|}\frac{\sqrt{2\ln(1.25/\delta)}}{\varepsilon}"
    )
    reference = "Paper 002 (Feng, Guo and Zhu, Electronics 2025)"
    order = 3
    data = ("mnist", "fashion_mnist", "cifar10")
    left_open = (
        "partition.kind",
        "clients.count",
        "clients.range",
        "mechanism.norm",
        "mechanism.delta",
        "local.batch_size",
    )
    readings = (
        "How many clients there are, how long weights may be (C) and δ are not in the paper: here 10 "
        "clients, C = 10 and δ = 10⁻⁵. Its noise is divided by the images of a client, which are 6 000 on "
        "MNIST then.",
        "The “parameter selection range”, 80 %, is the share of weights that are perturbed here: p = 0.6.",
        "The batch size is not given; here it is 64.",
        "The sizes |w| of section 4.2 only decide which weights are perturbed: what is sent keeps its sign.",
        "Steps 9 and 11 of algorithm 2 both ask for b = 1; step 11 is read as b = 0.",
        "Images per client are those of an average client.",
    )
    altered = (
        "Corrected, R-PSS looks at the sizes of the server's model: a choice by what a client has learnt "
        "tells of its data. Weights near zero have no rule of their own there, or they would stay for good.",
    )

    selected: Annotated[float, Number(SELECTED)] = Field(
        SELECTED.default, description="share of the weights that are perturbed (1: all of them, no R-PSS)"
    )
    rest: Annotated[str, Choice(REST)] = Field("form", description="what becomes of the others")

    def matters(self, parameter: str) -> bool:
        return parameter != "rest" or self.selected < 1

    def fill(self, dataset: str | None) -> dict[str, Any]:
        name = dataset or self.data[0]
        fits = models.get("cnn").fits(datasets.get(name).shape)
        return {
            "dataset": name,
            "partition": {"kind": "iid"},
            "clients": {
                "count": CLIENTS.get(name, 10),
                "epsilon": 0.4,
                "range": LENGTH,
                "epsilon_scope": "mechanism",
            },
            "model": "cnn" if fits else "mlp",
            "local": {
                "optimizer": "adam",
                "epochs": 3,
                "batch_size": 64,
                "learning_rate": 0.001 if fits else 0.01,
            },
            "target": "weights",
            "mechanism": {
                "name": "dynamic_gaussian",
                "delta": DELTA,
                "per": "upload",
                "norm": LENGTH,
                "a": 75,
            },
            "selection": {"kind": "all"},
            "aggregator": {"name": "data_weighted"},
            "rounds": 10,
        }

    def also(self, dataset: str) -> Mapping[str, tuple[Any, ...]]:
        return {"clients.epsilon": (0.3, 0.4)}

    def corrects(self, public: Public) -> str:
        if self.rest != "form" or self.selected == 1:
            return ""
        return "Corrected, weights that R-PSS leaves out are not sent at all; as printed they go in clear."

    def tells(self, size: int, form: Form) -> Sent:
        passed = (1 - self._chance) * (size // 2)
        rest = self._rest(form)
        if rest == "clear":
            share = f"{number(100 * (1 - self.selected), 3)} %"
            why = (
                f"R-PSS sends {share} of the weights as they are, and all others near zero; which ones "
                "depends on the data"
            )
            return Sent(size - passed, passed, why)
        if rest == "kept":
            return Sent(
                size - passed, 0.0, "R-PSS leaves a part of the weights out; the server keeps its own"
            )
        return Sent(size)

    def unpredicted(self, public: Public) -> str:
        # trained weights are never that near to zero; changes are, where a pixel is always black
        depends = self._rest(public.form) == "clear" and public.target == "update"
        return (
            "changes near zero go without noise, and how many those are shows in training" if depends else ""
        )

    def joins(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> Participation:
        return RPSS(public, arrays, self._rest(public.form), self._chance)

    def readable(self, mechanism: Mechanism, form: Form) -> bool:
        """Omitted weights follow from the server's model and a coin; others need a separable mechanism."""
        return self._rest(form) != "kept" or mechanism.separable

    def server_knows(self, public: Public) -> tuple[str, ...]:
        kept = self._rest(public.form) == "kept"
        return ("which weights were not sent",) if kept else ()

    @property
    def plain(self) -> bool:
        return False

    @property
    def _chance(self) -> float:
        """Probability p that a weight of the smaller half is perturbed."""
        return 2 * self.selected - 1

    def _rest(self, form: Form) -> str:
        if self.selected == 1:
            return "noised"
        return self.rest if self.rest != "form" else "kept" if form == "corrected" else "clear"
