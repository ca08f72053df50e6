"""Results of attacks on one client's uploads of one kind, round by round."""

from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np

from ldp_core.attacks.findings.verdict import LeakVerdict, judge, judge_share
from ldp_core.runs.view.folded import CompactSeries

CONTROLS = (None, "clean", "clipped")
"""The upload as sent (None), and its two controls: without clipping and noise, and without noise."""


@dataclass
class Tries:
    """Attempts on one client's uploads of one kind: columns by attacked round, NaN where not computed."""

    upload: str
    client: int
    attacker: str = ""
    numbers: CompactSeries = field(default_factory=CompactSeries)
    psnr: dict[str | None, CompactSeries] = field(default_factory=dict)
    """PSNR in dB by control; of a real upload that of its best recovered image."""
    recovered: dict[str | None, CompactSeries] = field(default_factory=dict)
    """Number of recovered images, by control; of a real upload alone."""
    picks: CompactSeries = field(default_factory=CompactSeries)
    """Score of each round: 1 for an identification, 1/k for a tie of k candidates."""
    caps: CompactSeries = field(default_factory=CompactSeries)
    """Least upper bound on the identification rate, by round."""
    images: int = 1
    """In each upload."""
    candidates: int | None = None
    newest: dict[str, Any] | None = None
    """Latest event of the upload as sent, with its images; None before the first."""
    closest: dict[str, Any] | None = None
    """Event of the round with the most recovered images or, for one image, the largest PSNR."""
    _sent: dict[str, Any] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """Number of attacked rounds, controls included."""
        return min(len(self.psnr.get(control, ())) for control in CONTROLS)

    def place(self, number: int) -> int:
        return int(np.searchsorted(self.numbers[:], number))

    def identified(self) -> tuple[float, int, float]:
        """Identifications, attempts, and success rate of guessing (0 without attempts)."""
        picks = self.picks[: self.rounds]
        picks = picks[~np.isnan(picks)]
        return float(picks.sum()), len(picks), 1 / self.candidates if self.candidates and len(picks) else 0.0

    def share(self, control: str | None, number: int) -> float:
        """Share of a real upload's images that were recovered in a round, in [0, 1]."""
        back = self.recovered[control][self.place(number)]
        return 0.0 if isnan(back) else back / max(1, self.images)

    def fold(self, body: dict[str, Any]) -> None:
        control = body["control"]
        self.attacker = body["attacker"]
        self.psnr.setdefault(control, CompactSeries()).append(body["psnr"])
        if self.upload == "real":  # a column that is empty takes as much memory as another
            self.recovered.setdefault(control, CompactSeries()).append(body.get("recovered"))
        if control is None:
            self.numbers.append(body["round"])
            self.picks.append(body.get("identification_credit"))
            self.caps.append(body.get("cap"))
            self.images = body.get("images", 1)
            self.candidates = body.get("candidates")
            self._sent = body
        # pictures of all rounds would fill the server's memory; two rounds' are ever shown
        if self._sent and self._sent is not self.newest and self.rounds == len(self.numbers):
            self.newest = self._sent
            if self.closest is None or success(self.newest) > success(self.closest):
                self.closest = self.newest


def success(event: dict[str, Any]) -> tuple[int, float]:
    """Sort key of an attempt: recovered images, then PSNR in dB."""
    return event.get("recovered") or 0, event["psnr"]


def verdict_on(tries: Tries, event: dict[str, Any]) -> LeakVerdict:
    """Verdict on an attempt, given its controls and the guess without an upload."""
    at = event["round"]
    if tries.upload == "real":
        by_chance = event.get("recovered_non_members") or 0.0
        return judge_share(
            tries.share(None, at),
            by_chance,
            tries.share("clean", at),
            tries.share("clipped", at),
            tries.images,
            (event.get("read") or 0) / max(1, tries.images),
            event.get("read_non_members") or 0.0,
        )
    clean, clipped = (tries.psnr[control][tries.place(at)] for control in ("clean", "clipped"))
    guess = max(event["psnr_mean_image"], event.get("psnr_class_mean") or 0.0)
    return judge(event["psnr"], event["ncc"], event.get("ncc_non_members"), guess, clean, clipped)
