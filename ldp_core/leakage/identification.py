"""Identification: which of M candidate images was an upload made of?

Of each victim and round the true candidate is drawn anew, and a one-step upload of it made, since guessing
rates and bounds hold on average over that draw; of a fixed image, an unusual one would always be found.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core.attacks import Observation, PublicImages, identifier
from ldp_core.attacks.likelihood import places
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import ControlKind, VictimStart, observe
from ldp_core.streams import stream

Rows = dict[ControlKind | None, list[dict[str, Any]]]
SentVectors = Sequence[np.ndarray]
TOGETHER = 2**22
"""Largest number of values in the candidates' uploads that are computed at once."""
SUFFIXES = ("", "_same_class")
"""Suffixes of figures for candidates of any class, and of the true image's class."""


def identify(
    start: VictimStart,
    lineup: Candidates,
    keys: Sequence[int],
    noise: np.random.Generator,
    times: int = 1,
    controls: bool = True,
    sent: SentVectors | None = None,
) -> Rows:
    """Rank of the true candidate among all, and among those of its class, for each control and victim.

    Args:
        keys: key of each victim's draw of the true candidate.
        noise: generator of the stream "identification noise".
        times: number of noisy uploads of the same values.
        controls: also rank without noise, and without noise and clipping.
        sent: result of `would_send`, if computed before.
    """
    seed = start.federation.experiment.seed
    draws = [stream(seed, "attack right", key).random(4) for key in keys]
    table = np.array(draws).reshape(-1, 4)
    kinds = lineup.kinds
    count = np.array([candidates.y.shape[1] for candidates in kinds])
    right = np.minimum((table[:, ::2] * count).astype(np.int64), count - 1).T
    made = _made_of(start, kinds, right)
    found: Rows = {}
    for kind, suffix in enumerate(SUFFIXES):
        seen = observe(start, made[kind], noise, times=times)
        if sent is None and sum(of.y.size for of in kinds) * made.shape[2] <= TOGETHER:
            sent = would_send(start, kinds, seen[None])
        # or one after the other: both fill as much memory as the attack itself
        own = sent[kind] if sent else would_send(start, kinds[kind : kind + 1], seen[None])[0]
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


def _made_of(start: VictimStart, kinds: Sequence[PublicImages], right: np.ndarray) -> np.ndarray:
    """One-step uploads (kinds, V, m) of each victim's true candidate."""
    each = np.arange(right.shape[1])
    x = np.concatenate([kind.x[each, of] for kind, of in zip(kinds, right, strict=True)])
    y = np.concatenate([kind.y[each, of] for kind, of in zip(kinds, right, strict=True)])
    own = start.own if start.own.dim() == 1 else start.own.repeat(len(kinds), 1)
    return start.sent_of(x, y, own).reshape(*right.shape, -1)


def would_send(start: VictimStart, kinds: Sequence[PublicImages], seen: Observation) -> SentVectors:
    """Uploads (V, M, m), before clipping and noise, of each candidate of each kind: from what the server has
    `seen`, unless clients begin with weights of their own.
    """
    samples = np.concatenate([kind.x for kind in kinds], axis=1)
    labels = np.concatenate([kind.y for kind in kinds], axis=1)
    victims, count = labels.shape
    x, y = samples.reshape(victims * count, *samples.shape[2:]), labels.ravel()
    kept = start.sent_of(x, y, start.own.repeat_interleave(count, 0)) if start.kept else None
    sent: np.ndarray = seen.uploads_of(x, y) if kept is None else kept
    ends = np.cumsum([kind.y.shape[1] for kind in kinds])[:-1]
    return np.split(sent.reshape(victims, count, -1), ends, axis=1)
