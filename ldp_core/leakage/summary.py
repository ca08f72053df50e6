"""Summary of many attempts under one setting: medians, and shares with intervals."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import bdtr

from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.inference import wilson
from ldp_core.mechanisms.base import Floats


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
