"""How well attempts did, held against what guessing gives; everything that an event says of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldp_core.attacks import Observation
from ldp_core.attacks.findings import bounds, metrics
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.attacks.observation import Image
from ldp_core.attacks.shared.laws import log_affinity
from ldp_core.images import encode
from ldp_core.leakage.candidates import Lineup
from ldp_core.mechanisms.base import Floats


def score_audits(
    seen: Observation, guesses: Image, lineup: Lineup, picked: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The figures of each of V audit uploads, from the surest guess (V, *shape) at each.

    `picked` says for each victim what came of the identification.
    """
    guesses, originals = metrics.clamped(guesses), lineup.originals
    mean = np.broadcast_to(lineup.mean_image, originals.shape)
    strangers = lineup.any_class.x[:, 1:]
    found = {
        "psnr": metrics.psnr(guesses, originals),
        "psnr_mean_image": metrics.psnr(mean, originals),
        "psnr_class_mean": metrics.psnr(lineup.class_means, originals),
        "ssim": metrics.ssim(guesses, originals),
        "ncc": metrics.ncc(guesses, originals),
        "ncc_non_members": np.array(
            [metrics.ncc_pairs(g[None], s).max() for g, s in zip(guesses, strangers, strict=True)]
        ),
        "label_recovered": seen.labels() == lineup.labels,
    }
    rows = [{name: values[v].item() for name, values in found.items()} for v in range(len(guesses))]
    return [
        row | own | {"rounds_observed": seen.rounds, "image": encode(guess)}
        for row, own, guess in zip(rows, picked, guesses, strict=True)
    ]


def score_real(guesses: Image, members: Image, non_members: Image, mean_image: Image) -> dict[str, Any]:
    """The figures of one upload of many images, from its guesses (M, *shape).

    Each image is held against the guess that comes closest to it; so are images that were not in the
    upload, which shows what such a choice gives by chance. `psnr` is that of the image that came back
    best, beside the best that the average image reaches.
    """
    usable = guesses[np.isfinite(guesses).reshape(len(guesses), -1).all(axis=1)]
    if not len(usable):
        usable = np.zeros((1, *members.shape[1:]))
    usable = metrics.clamped(usable)
    pairs, chance = metrics.psnr_pairs(usable, members), metrics.psnr_pairs(usable, non_members)
    closest, best = pairs.argmax(axis=0), pairs.max(axis=0)
    order = np.argsort(-best, kind="stable")
    first = order[0]
    recovered = int((best >= RECOVERED_DB).sum())
    low, high = metrics.wilson(recovered, len(members))
    top = usable[closest[first]]
    return {
        "psnr": float(best[first]),
        "psnr_median": float(np.median(best)),
        "psnr_mean_image": float(metrics.psnr_pairs(mean_image[None], members).max()),
        "ssim": float(metrics.ssim(top[None], members[first][None])[0]),
        "ncc": float(np.median(metrics.ncc_pairs(usable, members).max(axis=0))),
        "ncc_non_members": float(np.median(metrics.ncc_pairs(usable, non_members).max(axis=0))),
        "images": len(members),
        "recovered": recovered,
        "recovered_low": low,
        "recovered_high": high,
        "recovered_non_members": float((chance.max(axis=0) >= RECOVERED_DB).mean()),
        "pairs": [
            {"original": encode(members[i]), "image": encode(usable[closest[i]]), "psnr": float(best[i])}
            for i in order[: metrics.MOST_PAIRS]
        ],
        "image": encode(top),
    }


def identification_bounds(
    seen: Observation, lineup: Lineup, uploads: Floats | None = None
) -> list[list[bounds.Bound]]:
    """For each victim, what bounds its identification among random candidates, on average over which of them
    is the right one. `uploads` (V, M, m) are what it would send for each; by default as the server has it.
    """
    candidates = lineup.any_class
    victims, count = candidates.y.shape
    flat = candidates.x.reshape(victims * count, *seen.shape)
    if uploads is None:
        uploads = seen.uploads_of(flat, candidates.y.ravel()).reshape(victims, count, -1)
    affinity = None if seen.clear else log_affinity(seen, uploads)
    exact = None if affinity is None else bounds.instance(affinity)
    found = []
    for v in range(victims):
        own = seen.of(slice(v, v + 1))
        lines = bounds.worst_case(*total_budget(own), count)
        found.append(lines if exact is None else [*lines, bounds.for_these_inputs(float(exact[v]))])
    return found


def total_budget(seen: Observation) -> tuple[float, float | None]:
    """ε (or μ, for Gaussian noise) of everything that was observed of one victim; no bound in clear."""
    if seen.clear:
        return float("inf"), None
    loss, squares, gaussian = 0.0, 0.0, True
    for where, mechanism in seen.laws:
        budget = (
            seen.epsilon[0],
            *(end[0] if end.ndim == 1 else end[0, where] for end in (seen.low, seen.high)),
        )
        uses = where.stop - where.start if mechanism.scope == "coordinate" else 1
        # of weights with ranges of their own the worst
        loss += seen.rounds * uses * float(np.max(mechanism.privacy_loss(*budget)))
        mu = mechanism.mu(*budget)
        gaussian = gaussian and mu is not None
        squares += seen.rounds * uses * float(np.max(mu)) ** 2 if mu is not None else 0.0
    return loss, float(np.sqrt(squares)) if gaussian else None
