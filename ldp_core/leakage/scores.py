"""Scores of attack attempts, compared with guessing, as fields of events; and their summary: medians, and
shares with intervals.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import bdtr

from ldp_core.attacks import Observation
from ldp_core.attacks.findings import bounds, metrics
from ldp_core.attacks.findings.verdict import RECOVERED_DB, reads
from ldp_core.attacks.observation import Image
from ldp_core.attacks.shared.laws import log_affinity
from ldp_core.images import encode
from ldp_core.inference import wilson
from ldp_core.leakage.candidates import Candidates
from ldp_core.mechanisms.base import Floats

Attempt = tuple[Observation, Image, list[dict[str, Any]]]
"""Observation of V audit uploads, best guess at each (V, *shape), and identification results."""


def score_audits(attempts: Sequence[Attempt], lineup: Candidates) -> list[list[dict[str, Any]]]:
    many, victims = len(attempts), len(lineup.labels)
    guesses = metrics.clamped(np.stack([guess for _, guess, _ in attempts]))
    flat = guesses.reshape(many * victims, *guesses.shape[2:])
    originals = np.concatenate([lineup.originals] * many)
    strangers = lineup.any_class.x[:, 1:].astype(np.float64)
    alike = metrics.ncc_grouped(guesses.swapaxes(0, 1), strangers).max(axis=2)
    found = {
        "psnr": metrics.psnr(flat, originals),
        **{name: np.tile(known, many) for name, known in lineup.guessed.items()},
        "ssim": metrics.ssim(flat, originals),
        "ncc": metrics.ncc(flat, originals),
        "ncc_non_members": alike.T.ravel(),
        "label_recovered": np.concatenate([seen.labels() == lineup.labels for seen, _, _ in attempts]),
    }
    columns = (values.tolist() for values in found.values())
    figures = [dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True)]
    return [
        [
            figures[place * victims + v] | own | {"rounds_observed": seen.rounds, "image": encode(guess)}
            for v, (own, guess) in enumerate(zip(picked, guesses[place], strict=True))
        ]
        for place, (seen, _, picked) in enumerate(attempts)
    ]


def score_real(guesses: Image, members: Image, non_members: Image, mean_image: Image) -> dict[str, Any]:
    """Figures of one upload of many images, from guesses (M, *shape): each image is compared with its closest
    guess, and so are images not in the upload, for chance. `psnr` is that of the best recovered image.
    """
    usable = guesses[np.isfinite(guesses).reshape(len(guesses), -1).all(axis=1)]
    if not len(usable):
        usable = np.zeros((1, *members.shape[1:]))
    usable = metrics.clamped(usable)
    pairs, chance = metrics.psnr_pairs(usable, members), metrics.psnr_pairs(usable, non_members)
    both = (pairs, members, non_members), (chance, non_members, members)
    read = [_readable(usable, *one, mean_image) for one in both]
    closest, best = pairs.argmax(axis=0), pairs.max(axis=0)
    order = np.argsort(-best, kind="stable")
    first = order[0]
    recovered = int((best >= RECOVERED_DB).sum())
    low, high = wilson(recovered, len(members))
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
        "read": read[0],
        "read_non_members": read[1] / len(non_members),
        "pairs": [
            {"original": encode(members[i]), "image": encode(usable[closest[i]]), "psnr": float(best[i])}
            for i in order[: metrics.MOST_PAIRS]
        ],
        "image": encode(top),
    }


def _readable(guesses: Image, pairs: Floats, images: Image, decoys: Image, mean_image: Image) -> int:
    """Number of images that can be read in their closest guesses, of PSNR `pairs` (guesses, images)."""
    closest = guesses[pairs.argmax(axis=0)]
    figures = (
        pairs.max(axis=0),
        metrics.psnr_pairs(mean_image[None], images)[0],
        metrics.ncc(closest, images),
        metrics.ncc_pairs(closest, decoys).max(axis=1),
    )
    return sum(reads(*one) for one in zip(*(values.tolist() for values in figures), strict=True))


def identification_bounds(seen: Observation, uploads: Floats) -> list[list[bounds.IdentificationBound]]:
    """Upper bounds on the identification of each of V victims among M equally likely candidates' `uploads`
    (V, M, m).
    """
    affinity = None if seen.clear else log_affinity(seen, uploads)
    exact = [] if affinity is None else bounds.instance(affinity)
    worst = cache(partial(bounds.worst_case, candidates=uploads.shape[1]))
    totals = zip(*total_budgets(seen), strict=True)
    return [[worst(*total), *exact[v : v + 1]] for v, total in enumerate(totals)]


def total_budgets(seen: Observation) -> tuple[list[float], list[float | None]]:
    """ε of all that was observed of each victim (infinite for values in clear), and μ for Gaussian noise."""
    victims = len(seen.epsilon)
    if seen.clear:
        return [math.inf] * victims, [None] * victims
    loss, squares, gaussian = np.zeros(victims), np.zeros(victims), True
    for where, mechanism in seen.parts:
        law = mechanism.at(seen.epsilon[:, None], *seen.ends(where))
        uses = where.stop - where.start if mechanism.scope == "coordinate" else 1
        # of weights with ranges of their own the worst
        loss += seen.rounds * uses * np.max(law.loss, axis=1)
        mu = law.mu
        gaussian = gaussian and mu is not None
        squares += seen.rounds * uses * np.max(mu, axis=1) ** 2 if mu is not None else 0.0
    return loss.tolist(), np.sqrt(squares).tolist() if gaussian else [None] * victims


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures of n audit uploads, or of one real upload, from the rows of `scores`."""
    if "pairs" in rows[0]:
        known = ("images", "psnr_mean_image")  # these are the grid's
        return {"n": rows[0]["images"]} | {name: rows[0][name] for name in rows[0] if name not in known}
    n, psnr = len(rows), np.array([row["psnr"] for row in rows])
    found: dict[str, Any] = {"n": n, "psnr": float(np.median(psnr)), "image": rows[0]["image"]}
    found["psnr_low"], found["psnr_high"] = median_interval(psnr)
    for name in ("ncc", "ncc_non_members", "ssim"):
        found[name] = float(np.median([row[name] for row in rows]))
    found["recovered"] = int((psnr >= RECOVERED_DB).sum())
    found["identified"] = float(sum(row["identification_credit"] for row in rows))
    found["identified_same_class"] = float(sum(row["identification_credit_same_class"] for row in rows))
    for name in ("recovered", "identified", "identified_same_class"):
        found[f"{name}_low"], found[f"{name}_high"] = wilson(found[name], n)
    found["labels_recovered"] = int(sum(row["label_recovered"] for row in rows))
    if "caps" in rows[0]:
        # a bound holds for each image, so the mean of them holds for the share
        lines = [
            replace(line, value=float(np.mean([row["caps"][i].value for row in rows])))
            for i, line in enumerate(rows[0]["caps"])
        ]
        found["caps"] = [line.as_json() for line in lines]
        found["cap"] = min(line.value for line in lines)
    return found


def median_interval(values: Floats) -> tuple[float, float]:
    """Interval that contains the median with at least 95 %, the extremes for few values: from the k-th
    smallest to the k-th largest, it misses on either side with probability P(Binomial(n, 1/2) < k).
    """
    ordered, n = np.sort(values), len(values)
    at_most = bdtr(np.arange(n), n, 0.5)
    k = max(1, int(np.searchsorted(at_most, 0.025, side="right")))
    return float(ordered[k - 1]), float(ordered[n - k])
