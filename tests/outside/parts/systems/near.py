"""FedProx: a client's loss has a term that keeps it near the server's model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Number
from ldp_core.limits import Limit
from ldp_core.systems import Participation, Public, System

if TYPE_CHECKING:
    from torch import Tensor

Indices = NDArray[np.int64]


class Near(Participation):
    pull = 0.0

    def term(self, model: NDArray[np.float32], clients: Indices) -> Callable[[Tensor, Indices], Tensor]:
        import torch

        begun = torch.from_numpy(model)
        return lambda weights, places: self.pull * (weights - begun.to(weights))


class FedProx(System):
    label = "FedProx"
    summary = "Clients train with a term that pulls them to the server's model."
    formula = r"f_i(w)+\tfrac{\mu}{2}\lVert w-w_t\rVert^2"
    reference = "Li, Sahu, Zaheer, Sanjabi, Talwalkar and Smith 2020"
    participation = Near

    pull: Annotated[float, Number(Limit(0, 100, 1.0))] = Field(1.0, description="strength of the term, μ")

    def joins(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> Participation:
        joined = Near(public, arrays)
        joined.pull = self.pull
        return joined
