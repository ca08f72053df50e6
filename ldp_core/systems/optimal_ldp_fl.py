"""Optimal LDP-FL (paper 004): one weight of each layer, ranges that follow the layers, self-selected clients.

Adaptive-Harmony perturbs one weight of each layer within [c − r, c + r], with c and r from the same layer of
the server's model. As printed nothing bounds them: a reported weight is d·r away, and the next range follows
it. Corrected they are limited by the client's own safe range.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core import datasets, models
from ldp_core.fields import Choice
from ldp_core.mechanisms.base import Floats, Form, Mechanism
from ldp_core.systems.base import Encoded, Indices, Participation, Public, System, Vectors

RANGES = ("adaptive", "fixed")
NARROWEST = 0.01
"""Least half-width of a layer's range, as a share of the client's own; equal weights would leave no range."""


class LayerRanges(Participation):
    """Ranges of the layers, from the server's model at the beginning of the round."""

    def encode(
        self, values: Vectors, low: Floats, high: Floats, clients: Indices, generator: np.random.Generator
    ) -> Encoded:
        if self.public.target == "update":  # what training changes has no layer at the server to go by
            return Encoded(values, low, high)
        least, most = self._of_layers()
        narrowest = NARROWEST * (high - low) / 2
        if self.public.form == "corrected":
            least, most = (np.clip(end, low + narrowest, high - narrowest) for end in (least, most))
        middle = (least + most) / 2
        half = np.maximum((most - least) / 2, narrowest)
        return Encoded(values, middle - half, middle + half)

    def _of_layers(self) -> tuple[Floats, Floats]:
        ends = np.zeros((2, self.public.dimension))
        for layer in self.public.layers:
            ends[0, layer], ends[1, layer] = self.model[layer].min(), self.model[layer].max()
        least, most = ends[:, None, self.public.sent]
        return least, most


class OptimalLDPFL(System):
    """Two hundred clients with ε 1 per layer by default."""

    label = "Optimal LDP-FL"
    summary = (
        "Clients decide themselves whether they take part, answer for one weight of each layer within a "
        "range that follows the layer, and send each weight by itself, which hides its sender."
    )
    formula = (
        r"\tilde w_j=c_l\pm d_l\,r_l\,\frac{e^\varepsilon+1}{e^\varepsilon-1}\ \text{ for one random }j"
        r"\text{ of layer }l,\ \text{else }c_l;\quad [c_l\pm r_l]=[\min w_l,\max w_l]"
    )
    reference = "Paper 004 (Zhao et al., Electronics 2022)"
    order = 5
    data = ("mnist", "fashion_mnist")
    left_open = ("clients.range", "local.epochs", "local.batch_size", "local.learning_rate", "rounds")
    readings = (
        "A layer's c and r are the middle and half the width of its weights in the server's model: the paper "
        "leaves them to “the way we clip the gradients”, and its baseline takes them so.",
        "Epochs, batch size, learning rate, rounds and what weights are clipped to are not in the paper.",
        "Where changes are sent, a range is the client's own.",
    )
    altered = (
        "Algorithm 4 adds c_i to those who take part, where it means m_i, and runs at the server, which is "
        "not to know them: here clients draw, and the server sees who sends.",
        "Algorithm 3 sends every weight of the upload, although but one of each layer says anything: here "
        "the others are not counted.",
        "Shuffling moves no weight of the mean, so nothing of it is simulated; no ε is counted lower for it.",
    )

    ranges: Annotated[str, Choice(RANGES)] = Field("adaptive", description="ranges of the layers")

    def fill(self, dataset: str | None) -> dict[str, Any]:
        name = dataset or self.data[0]
        fits = models.get("cnn").fits(datasets.get(name).shape)
        return {
            "dataset": name,
            "partition": {"kind": "iid"},
            "clients": {"count": 200, "epsilon": 1.0, "range": 1.0, "epsilon_scope": "mechanism"},
            "model": "cnn" if fits else "logistic_regression",
            "local": {
                "optimizer": "sgd",
                "epochs": 2,
                "batch_size": 10,
                "learning_rate": 0.05 if fits else 0.5,
            },
            "target": "weights",
            "mechanism": {"name": "harmony"},
            "selection": {"kind": "self_sampling", "least": 0.5},
            "aggregator": {"name": "mean"},
            "rounds": 20,
        }

    def also(self, dataset: str) -> Mapping[str, tuple[Any, ...]]:
        return {"clients.epsilon": tuple(float(n) for n in range(1, 11))}

    def unpredicted(self, public: Public) -> str:
        follows = self.ranges == "adaptive" and public.target == "weights"
        return "each range follows the server's model" if follows else ""

    def corrects(self, public: Public) -> str:
        if not self.unpredicted(public):
            return ""
        return "Corrected, layers' ranges end at the client's own safe range; as printed nothing ends them."

    def why_diverged(self, public: Public, exact: bool) -> str:
        if exact or self.ranges == "fixed" or public.form == "corrected":
            return ""
        return (
            "the printed ranges follow the server's noisy weights, and the noise follows the ranges: the "
            "corrected form ends them at the client's own range"
        )

    def joins(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> Participation:
        return Participation(public, arrays) if self.ranges == "fixed" else LayerRanges(public, arrays)

    @property
    def plain(self) -> bool:
        return self.ranges == "fixed"

    def readable(self, mechanism: Mechanism, form: Form) -> bool:
        """True: the layers' ranges follow from the public model."""
        return True

    def server_knows(self, public: Public) -> tuple[str, ...]:
        return ("each layer's range, as its own model has it",) if self.unpredicted(public) else ()
