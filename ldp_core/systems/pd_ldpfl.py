"""PD-LDPFL (paper 003): each client keeps a transform before and after a shared network.

The network is perturbed by Piecewise. As printed its scale t is the upload's own largest weight; corrected it
is the client's public safe range, which also clips personal weights. Without transforms the system is the
paper's FedAvg, with the first one only its PrivateFL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Choice, Number
from ldp_core.limits import Limit
from ldp_core.mechanisms.base import Form, Mechanism
from ldp_core.models._extended import INPUT, OUTPUT, Extended
from ldp_core.models._transforms import LEARNED, TRANSFORMS
from ldp_core.models.base import Model
from ldp_core.systems.base import Participation, Public, System
from ldp_core.systems.personal_layers import PersonalLayers

START = Limit(-10, 10, 1.0)
GAIN = Limit(0.01, 100, 2.0)
PERSONAL = Limit(0.01, 1e4, 5.0)


class PDLDPFL(System):
    """Ten clients with uneven data and ε 8 per weight by default."""

    label = "PD-LDPFL"
    summary = (
        "Each client keeps a small transform of its own before and after the shared network; the network "
        "goes through the Piecewise Mechanism."
    )
    formula = r"\hat y=a_o\,f_\theta(a_i x+b_i)+b_o,\quad \text{sent: }t\cdot\mathrm{PM}(\theta/t)"
    reference = "Paper 003 (Wang, Yang and Wei, Computer Science 2024)"
    order = 4
    data = ("mnist", "fashion_mnist", "cifar10")
    left_open = ("local.epochs", "local.batch_size", "clients.range")
    readings = (
        "One local epoch, batches of 32 (10 on digits), 64 and 32 hidden units: the paper prints none of it.",
        "Corrected, the scale t is the safe range ±0.5, public; as printed it is the largest weight, without "
        "any cap.",
        "Where no weight is positive, t = max θ is no scale: there it is the largest size.",
        "Its global accuracy is that of the shared network by itself; an extended model is the network "
        "between a client's own transforms.",
        "A client's loss is taken after its training and before noise, on its own samples.",
        "On CIFAR-10 the network is ResNet-18 with group normalisation, which has nothing to average.",
    )

    input: Annotated[str, Choice(TRANSFORMS)] = Field("affine", description="before the network")
    output: Annotated[str, Choice(TRANSFORMS)] = Field("affine", description="after the network")
    a: Annotated[float, Number(START)] = Field(START.default, description="every a before training")
    b: Annotated[float, Number(START)] = Field(0.0, description="every b before training")
    limit: Annotated[float, Number(PERSONAL)] = Field(
        PERSONAL.default, description="the largest size of a personal weight, corrected form"
    )
    gain: Annotated[float, Number(GAIN)] = Field(GAIN.default, description="the factor of a public gain")

    def matters(self, parameter: str) -> bool:
        if parameter == "gain":
            return "gain" in (self.input, self.output)
        return parameter not in ("a", "b", "limit") or bool(self._learned)

    @property
    def _learned(self) -> tuple[str, ...]:
        sides = ((INPUT, self.input), (OUTPUT, self.output))
        return tuple(name for name, transform in sides if transform in LEARNED)

    def fill(self, dataset: str | None) -> dict[str, Any]:
        name = dataset or self.data[0]
        local = {
            "optimizer": "sgd",
            "epochs": 1,
            "batch_size": 10 if name == "digits" else 32,
            "learning_rate": 0.05,
        }
        return {
            "dataset": name,
            "partition": {"kind": "dirichlet", "alpha": 1.0},
            "clients": {"count": 10, "epsilon": 8.0, "range": 0.5, "epsilon_scope": "mechanism"},
            "model": "resnet18" if name == "cifar10" else "mlp2",
            "local": local,
            "target": "weights",
            "mechanism": {"name": "piecewise"},
            "selection": {"kind": "all"},
            "aggregator": {"name": "data_weighted"},
            "rounds": 50,
        }

    def also(self, dataset: str) -> Mapping[str, tuple[Any, ...]]:
        return {
            "partition.alpha": (0.05, 0.5, 1.0, 5.0, 100.0),
            "clients.count": (5, 10, 25, 50),
            "local.learning_rate": (0.05, 0.1),
            "model": ("mlp2", "resnet18"),
            "system.input": ("none", *LEARNED),
            "system.output": ("none", *LEARNED),
            "system.a": (0.0, 0.5, 1.0, 1.5, 2.0),
            "system.b": (-1.0, -0.5, 0.0, 0.5, 1.0),
        }

    def extends(self, model: Model) -> Model:
        if self.input == self.output == "none":
            return model
        return Extended(
            base=model, before=self.input, after=self.output, gain=self.gain, start_a=self.a, start_b=self.b
        )

    def sends(self, layers: tuple[slice, ...]) -> slice:
        return slice(0, layers[len(layers) - len(self._learned) - 1].stop)

    def joins(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> Participation:
        start = self.a, self.b
        return PersonalLayers(public, arrays, self._learned, start, self.limit, self.input == "affine")

    def unpredicted(self, experiment: Any) -> str:
        printed = experiment.form == "as_printed"
        return "nothing is clipped, and the noise follows the largest weights" if printed else ""

    def corrects(self, experiment: Any) -> str:
        clipped = "weights are clipped to the safe range, and personal ones to their limit"
        return f"Corrected, {clipped}; as printed nothing is clipped."

    def trains(self, experiment: Any) -> str:
        if self.input == self.output == "none":
            return ""
        between = f"the network between two layers ({self.input} before it, {self.output} after it)"
        return f"{between}, which it keeps" if self._learned else f"{between}, the same for all"

    def bounds(self, experiment: Any) -> tuple[str, str]:
        if experiment.form != "as_printed" or experiment.mechanism.name != "piecewise":
            return "", ""
        return "clips nothing: the scale t is its largest weight, max θ", "t, which the largest answer shows"

    def why_diverged(self, experiment: Any, exact: bool) -> str:
        if "log" in (self.input, self.output):
            return "log(1 + ax + b) has no value where ax + b < −1; try affine"
        if experiment.form == "as_printed" and experiment.mechanism.name == "piecewise" and not exact:
            return (
                "the printed scale t is the largest weight: noise raises it, and the next round's noise is "
                "larger for it; try the corrected form, whose scale is public, or a larger ε"
            )
        return ""

    @property
    def plain(self) -> bool:
        return False

    def readable(self, mechanism: Mechanism, form: Form) -> bool:
        """True: the upload is a network's, trained on the transform's output; the printed scale shows in the
        outputs.
        """
        return True
