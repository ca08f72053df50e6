"""Personal layers: each client keeps layers before and after a shared network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core import datasets
from ldp_core.limits import DIVERGED_WEIGHT
from ldp_core.mechanisms.base import Floats
from ldp_core.models._extended import INPUT, OFFSET, OUTPUT, SCALE, channels
from ldp_core.systems.base import Encoded, Indices, Participation, Public, Vectors

STRAY, USUAL = 4.0, 0.9
"""Factor and quantile of step sizes: outputs further from the old weight count as noise."""


class PersonalLayers(Participation):
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
