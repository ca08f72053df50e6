"""Identification: which of M candidate images was an upload made of?

The true candidate is drawn anew for each victim and round, since guessing rates and bounds hold on average
over that draw; with a fixed image, an unusual one would always be found. So a separate one-step upload of the
drawn image is made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ldp_core.attacks import Observation, Public, identifier
from ldp_core.attacks.likelihood import places
from ldp_core.experiment.schema import Piece
from ldp_core.federated.federation import Federation
from ldp_core.federated.terms import Columns
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Control, VictimStart, observe, one_step
from ldp_core.streams import stream

Rows = dict[Control | None, list[dict[str, Any]]]
Sent = Sequence[np.ndarray]
TOGETHER = 2**22
"""Largest number of values in the candidates' uploads that are computed at once."""
SUFFIXES = ("", "_same_class")
"""Suffixes of figures for candidates of any class, and of the true image's class."""


def identify(
    federation: Federation,
    lineup: Candidates,
    weights: torch.Tensor,
    pieces: Sequence[Piece],
    columns: Columns,
    keys: Sequence[int],
    noise: np.random.Generator,
    times: int = 1,
    controls: bool = True,
    begun: VictimStart | None = None,
    sent: Sent | None = None,
) -> Rows:
    """Rank of the true candidate among all, and among those of its class, for each control and victim.

    Args:
        federation: public settings of the run.
        lineup: candidates of V victims.
        weights: global model (d,) that the uploads start from.
        pieces, columns: mechanisms, and ε, low and high of each victim.
        keys: key of each victim's draw of the true candidate.
        noise: generator of the stream "identification noise".
        times: number of noisy uploads of the same values.
        controls: also rank without noise, and without noise and clipping.
        begun: weights that each victim starts from, if not the global model.
        sent: result of `would_send`, if computed before.
    """
    draws = [stream(federation.experiment.seed, "attack right", key).random(4) for key in keys]
    table = np.array(draws).reshape(-1, 4)
    kinds = lineup.kinds
    count = np.array([candidates.y.shape[1] for candidates in kinds])
    right = np.minimum((table[:, ::2] * count).astype(np.int64), count - 1).T
    made = _made_of(federation, kinds, right, begun.own if begun else weights)
    found: Rows = {}
    for kind, suffix in enumerate(SUFFIXES):
        seen = observe(
            federation, made[kind], weights, pieces, columns, noise, times=times,
            noted=begun.noted if begun else None,
        )  # fmt: skip
        if sent is None and sum(of.y.size for of in kinds) * made.shape[2] <= TOGETHER:
            sent = would_send(federation, kinds, seen[None], begun)
        # or one after the other: both fill as much memory as the attack itself
        own = sent[kind] if sent else would_send(federation, kinds[kind : kind + 1], seen[None], begun)[0]
        wanted = seen if controls else {None: seen[None]}
        scores = [identifier().scores(observed, kinds[kind], own) for observed in wanted.values()]
        each = (np.tile(one, len(wanted)) for one in (right[kind], table[:, 2 * kind + 1]))
        came = places(np.concatenate(scores), *each)
        outcomes = zip(came.rank.tolist(), came.tied.tolist(), came.credit.tolist(), strict=True)
        for control in wanted:
            for row in found.setdefault(control, [{} for _ in keys]):
                rank, tied, credit = next(outcomes)
                row[f"candidates{suffix}"] = int(count[kind])
                row[f"identification_rank{suffix}"] = rank
                row[f"identification_tied{suffix}"] = tied
                row[f"identification_credit{suffix}"] = credit
    return found


def _made_of(
    federation: Federation, kinds: Sequence[Public], right: np.ndarray, weights: torch.Tensor
) -> np.ndarray:
    """One-step uploads (kinds, V, m) of each victim's true candidate."""
    each = np.arange(right.shape[1])
    x = np.concatenate([kind.x[each, of] for kind, of in zip(kinds, right, strict=True)])
    y = np.concatenate([kind.y[each, of] for kind, of in zip(kinds, right, strict=True)])
    own = weights if weights.dim() == 1 else weights.repeat(len(kinds), 1)
    made = one_step(federation, federation.samples_of(x), torch.from_numpy(y).to(weights.device), own)
    return made.reshape(*right.shape, -1)


def would_send(
    federation: Federation, kinds: Sequence[Public], seen: Observation, begun: VictimStart | None
) -> Sent:
    """Uploads (V, M, m), before clipping and noise, of each candidate of each kind.

    If all clients start at the global model, the server computes them alone; otherwise from what it has
    `seen`.
    """
    samples = np.concatenate([kind.x for kind in kinds], axis=1)
    labels = np.concatenate([kind.y for kind in kinds], axis=1)
    victims, count = labels.shape
    x, y = samples.reshape(victims * count, *samples.shape[2:]), labels.ravel()
    sent: np.ndarray
    if begun is None or begun.own.dim() == 1:
        sent = seen.uploads_of(x, y)
    else:
        own = begun.own.repeat_interleave(count, 0)
        sent = one_step(federation, federation.samples_of(x), torch.from_numpy(y).to(own.device), own)
    ends = np.cumsum([kind.y.shape[1] for kind in kinds])[:-1]
    return np.split(sent.reshape(victims, count, -1), ends, axis=1)
