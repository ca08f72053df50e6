"""Can the server tell which of M images an upload was made of?

Which of them is the right one is drawn afresh for each victim and round, as chance and caps hold on
average over that draw: were it always the same image, one that stands out would win by itself. So an
upload of its own is made here, of the image that was drawn, in one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ldp_core.attacks import Public, identifier
from ldp_core.attacks.likelihood import places
from ldp_core.experiment.schema import Piece
from ldp_core.federated.federation import Federation
from ldp_core.federated.terms import Columns
from ldp_core.leakage.candidates import Lineup
from ldp_core.leakage.observe import Begun, Control, observe, one_step
from ldp_core.streams import stream

Rows = dict[Control | None, list[dict[str, Any]]]


def identify(
    federation: Federation,
    lineup: Lineup,
    weights: torch.Tensor,
    pieces: Sequence[Piece],
    columns: Columns,
    keys: Sequence[int],
    noise: np.random.Generator,
    times: int = 1,
    controls: bool = True,
    begun: Begun | None = None,
) -> Rows:
    """For each control and victim, where the right image came among any images, and among its own class.

    Args:
        federation: whose experiment says everything public.
        lineup: the candidates of V victims.
        weights: (d,), the global model that the uploads start from.
        pieces, columns: who perturbs what, and each victim's ε, low and high.
        keys: a whole number for each victim (and round), by which the right candidate is drawn.
        noise: the stream for the purpose "identification noise".
        times: how often the same values are perturbed and sent.
        controls: also where nothing is perturbed.
        begun: where each victim begins, if not at the global model.
    """
    draws = [stream(federation.experiment.seed, "attack right", key).random(4) for key in keys]
    table = np.array(draws).reshape(-1, 4)
    found: Rows = {}
    among = (("", lineup.any_class, table[:, :2]), ("_same_class", lineup.same_class, table[:, 2:]))
    for suffix, candidates, (which, coin) in ((s, c, t.T) for s, c, t in among):
        count = candidates.y.shape[1]
        right = np.minimum((which * count).astype(np.int64), count - 1)
        seen = observe(
            federation, _made_of(federation, candidates, right, begun.own if begun else weights), weights,
            pieces, columns, noise, times=times, noted=begun.noted if begun else None,
        )  # fmt: skip
        own = values_of(federation, candidates, begun) if begun else None
        for control, observed in seen.items() if controls else [(None, seen[None])]:
            came = places(identifier().scores(observed, candidates, own), right, coin)
            rows = found.setdefault(control, [{} for _ in right])
            for row, rank, tied, credit in zip(rows, came.rank, came.tied, came.credit, strict=True):
                row[f"candidates{suffix}"] = count
                row[f"identification_rank{suffix}"] = int(rank)
                row[f"identification_tied{suffix}"] = int(tied)
                row[f"identification_credit{suffix}"] = float(credit)
    return found


def _made_of(
    federation: Federation, candidates: Public, right: np.ndarray, weights: torch.Tensor
) -> np.ndarray:
    """(V, d): the uploads of one step on each victim's right candidate."""
    each = np.arange(len(right))
    x = torch.from_numpy(candidates.x[each, right]).to(weights)
    y = torch.from_numpy(candidates.y[each, right]).to(weights.device)
    return one_step(federation, x, y, weights)


def candidate_values(federation: Federation, lineup: Lineup, begun: Begun) -> np.ndarray | None:
    """(V, M, m): what each victim would send for each of its random candidates; None where the server's own
    reckoning is right, because everybody begins at the global model.
    """
    return values_of(federation, lineup.any_class, begun)


def values_of(federation: Federation, candidates: Public, begun: Begun) -> np.ndarray | None:
    """The same for any candidates."""
    if begun.own.dim() == 1:
        return None
    victims, count = candidates.y.shape
    x = torch.from_numpy(candidates.x).to(begun.own).flatten(0, 1)
    y = torch.from_numpy(candidates.y.ravel()).to(begun.own.device)
    return one_step(federation, x, y, begun.own.repeat_interleave(count, 0)).reshape(victims, count, -1)
