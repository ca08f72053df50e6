"""PD-LDPFL (paper 003): each client keeps a transform before and after a shared network.

The network is perturbed by Piecewise. As printed its scale t is the upload's own largest weight; corrected it
is the client's public safe range, which also clips personal weights. Without transforms the system is the
paper's FedAvg, with the first one only its PrivateFL.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core import datasets
from ldp_core.fields import Choice, Number
from ldp_core.limits import DIVERGED_WEIGHT, Limit
from ldp_core.mechanisms.base import Floats, Form, Mechanism
from ldp_core.models._extended import INPUT, LEARNED, OFFSET, OUTPUT, SCALE, TRANSFORMS, Extended, channels
from ldp_core.models.base import Model
from ldp_core.systems.base import Encoded, Indices, Participation, Public, System, Vectors

START = Limit(-10, 10, 1.0)
GAIN = Limit(0.01, 100, 2.0)
PERSONAL = Limit(0.01, 1e4, 5.0)
STRAY, USUAL = 4.0, 0.9
"""Factor and quantile of step sizes: outputs further from the old weight count as noise."""


class PersonalParticipation(Participation):
    """Each client starts a round with the shared network and its own layers, and sends the network only. It
    keeps `input` and `output`, where learnt, (K, weights): a, then b; the server notes each client's b before
    the network as `offset` (K, pixels).
    """

    compares_clients = True

    def __init__(
        self,
        public: Public,
        arrays: dict[str, NDArray[Any]] | None,
        learned: tuple[str, ...],
        start: tuple[float, float],
        limit: float,
        follow: bool,
    ) -> None:
        """`learned`: which of the two layers exist; `start`: initial a and b; `limit`: their largest size,
        corrected; `follow`: the first layer is ax + b, so that a curious server can infer b.
        """
        super().__init__(public, arrays)
        kept = [layer for layer in public.layers if layer.start >= public.sent.stop]
        self._where = dict(zip(learned, kept, strict=True))
        self._limit = limit if public.form == "corrected" else np.inf
        scales = {INPUT: channels(datasets.get(public.dataset).shape), OUTPUT: 1}
        for name, layer in self._where.items():
            if name not in self.arrays:
                fresh = np.full((public.clients, layer.stop - layer.start), start[1], dtype=np.float32)
                fresh[:, : scales[name]] = start[0]
                self.arrays[name] = fresh
        self._start, self._follow = start, follow and INPUT in self._where
        self._first = self._readable_layer() if self._follow else None
        if self._first is not None:
            self.arrays.setdefault(OFFSET, np.full((public.clients, self._first[2]), start[1]))

    def begin(self, model: Vectors, clients: Indices) -> Vectors | None:
        if not self._where:
            return None
        own = np.tile(model, (len(clients), 1))
        for name, layer in self._where.items():
            own[:, layer] = self.arrays[name][clients]
        return own

    def encode(
        self, values: Vectors, low: Floats, high: Floats, clients: Indices, generator: np.random.Generator
    ) -> Encoded:
        """As printed nothing is clipped: the scale is the largest weight."""
        if self.public.form == "as_printed":
            low, high = np.full_like(low, -DIVERGED_WEIGHT), np.full_like(high, DIVERGED_WEIGHT)
        return Encoded(values, low, high)

    def keep(self, trained: Vectors, clients: Indices) -> None:
        for name, layer in self._where.items():
            self.arrays[name][clients] = np.clip(trained[:, layer], -self._limit, self._limit)

    def models(self, model: Vectors) -> Vectors | None:
        return self.begin(model, np.arange(self.public.clients))

    def heard(self, model: Vectors, uploads: Vectors, clients: Indices) -> None:
        """Each step changes b by −η Wᵀδ and the first layer's bias by −η δ, for the same δ: so b's change is
        the bias's change times the mean weights, to second order. Piecewise's distant outputs are left out.
        """
        if self._first is None:
            return
        units, m, pixels = self._first
        begun = model[: units * (pixels + 1)].astype(np.float64)
        ended = uploads[:, : len(begun)] + (begun if self.public.target == "update" else 0.0)
        halfway = (ended[:, :m] + begun[:m]).reshape(-1, units, pixels) / 2
        moved = ended[:, m:] - begun[m:]
        usual = np.quantile(np.abs(moved), USUAL, axis=1, keepdims=True)
        moved[np.abs(moved) > STRAY * usual] = 0.0
        self.arrays[OFFSET][clients] += np.einsum("ku,kup->kp", moved, halfway)

    def noted(self, clients: Indices) -> Mapping[str, Floats]:
        """The server's knowledge of a and b before the network: their start, and b where it can be inferred;
        a convolution sends only sums of slopes over positions, which do not tell.
        """
        if not self._follow:
            return {}
        (a, b), shape = self._start, datasets.get(self.public.dataset).shape
        fresh = np.full((len(clients), int(np.prod(shape))), b)
        followed = self.arrays[OFFSET][clients] if self._first is not None else fresh
        return {OFFSET: followed, SCALE: np.full((len(clients), channels(shape)), a)}

    def _readable_layer(self) -> tuple[int, int, int] | None:
        """Units, weights and inputs of the first layer, if it is fully connected and has a bias."""
        source = datasets.get(self.public.dataset)
        weight, *rest = self.public.model.slices(source.shape, source.classes)
        pixels = int(np.prod(source.shape))
        if (
            len(weight.shape) != 2
            or weight.shape[1] != pixels
            or not rest
            or rest[0].shape != weight.shape[:1]
        ):
            return None
        return weight.shape[0], weight.stop, pixels


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
    )
    altered = (
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
        return PersonalParticipation(public, arrays, self._learned, start, self.limit, self.input == "affine")

    def unpredicted(self, public: Public) -> str:
        printed = public.form == "as_printed"
        return "nothing is clipped, and the noise follows the largest weights" if printed else ""

    def corrects(self, public: Public) -> str:
        clipped = "weights are clipped to the safe range, and personal ones to their limit"
        return f"Corrected, {clipped}; as printed nothing is clipped."

    def why_diverged(self, public: Public, exact: bool) -> str:
        if "log" in (self.input, self.output):
            return "log(1 + ax + b) has no value where ax + b < −1; try affine"
        if public.form == "as_printed" and public.mechanism.name == "piecewise" and not exact:
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
