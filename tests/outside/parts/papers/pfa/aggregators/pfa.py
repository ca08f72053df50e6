"""PFA: what clients of small ε send is projected on the subspace of what those of large ε send."""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.aggregators.base import Decision, RoundClients, SeesUploads
from ldp_core.fields import Choice, Whole
from ldp_core.limits import Limit
from ldp_core.mechanisms.base import Floats


class PFA(SeesUploads):
    label = "PFA"
    summary = "Projects what private clients send on the leading directions of what public clients send."
    formula = r"\bar w=\sum_{i\in\text{public}}w_i\tilde w_i+VV^\top\!\sum_{i\in\text{private}}w_i\tilde w_i"
    reference = "Liu, Lou, Xiong, Liu and Meng 2022"
    copies = 3

    rank: Annotated[int, Whole(Limit(1, 100, 1, "directions"))] = Field(
        1, description="directions that are kept"
    )
    weighs: Annotated[str, Choice(("equally", "by_epsilon"))] = Field(
        "equally", description="clients' weights"
    )

    def decide(self, uploads: Floats, clients: RoundClients) -> Decision:
        weights = clients.epsilon if self.weighs == "by_epsilon" else np.ones(len(uploads))
        weights = weights / weights.sum()
        public = _public(clients.epsilon)
        _, _, right = np.linalg.svd(uploads[public], full_matrices=False)
        kept = right[: self.rank]

        def combine(rows: Floats) -> Floats:
            private = np.where(public, 0, weights) @ rows
            return np.where(public, weights, 0) @ rows + (private @ kept.T) @ kept

        return Decision(weights, combine)


def _public(epsilon: Floats) -> Floats:
    """Mask of the clients above the widest gap between the logarithms of ε; of all where they are equal."""
    rising = np.unique(epsilon)
    if len(rising) == 1:
        return np.ones(len(epsilon), dtype=bool)
    return epsilon > rising[np.argmax(np.diff(np.log(rising)))]
