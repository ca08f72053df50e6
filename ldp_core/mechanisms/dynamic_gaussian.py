"""Gaussian noise that grows from round to round (paper 002, PPRD-FL).

In round m the budget is ε_m = ε/(1 + ln(m)/a). Corrected, the noise covers any two uploads in the safe range;
as printed it is divided by the client's number of samples, which is right only for an average of clipped
per-sample terms, and the budgets' sum is given by an integral that is wrong.
"""

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from ldp_core.fields import Checked, Number, Whole
from ldp_core.limits import ROUNDS, SAMPLES, SLOWNESS
from ldp_core.mechanisms.base import Correction, Corrections, Floats, Use
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise, classical
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of

ROUND = Checked(Whole(ROUNDS, optional=True).check)
"""Field type of the round, which the experiment sets and pages hide."""


class DynamicGaussian(GaussianNoise):
    label = "Dynamic Gaussian"
    order = 9
    summary = (
        "Gaussian noise that grows with the logarithm of the round, the slower the larger a: with a = 75 by "
        "6 per cent in a hundred rounds, less than the name promises."
    )
    formula = (
        r"\sigma_m=\frac{\Delta\sqrt{2\ln(1.25/\delta)}}{\varepsilon_m},\qquad "
        r"\varepsilon_m=\frac{\varepsilon}{1+\ln(m)/a}"
    )
    reference = "Paper 002 (PPRD-FL), its dynamic noise"
    as_printed = (
        "As printed, the noise is divided by the number of a client's samples, although what is clipped is "
        "the whole upload, and the total budget is given by a wrong integral."
    )

    corrected = (
        "Corrected, the noise is for the whole distance that an upload can move, whatever a client holds, "
        "and budgets are summed: the promised ε begins to hold."
    )

    known_from_use: ClassVar[tuple[str, ...]] = ("dimension", "rounds", "round", "samples")

    a: Annotated[float, Number(SLOWNESS)] = Field(SLOWNESS.default, description="slowness of the schedule, a")
    rounds: Annotated[int | None, ROUND] = None
    round: Annotated[int | None, ROUND] = None
    samples: Annotated[float | None, Checked(Number(SAMPLES, optional=True).check)] = None

    def fitted(self, use: Use) -> Self:
        own = {"rounds": self.rounds or use.rounds, "round": use.round, "samples": use.samples}
        return super().fitted(use).model_copy(update=own)

    def budget(self, epsilon: Floats | float, round: Any) -> Any:
        return epsilon / (1 + np.log(round) / self.a)

    def sigma_of(self, epsilon: Floats, sensitivity: Floats) -> Floats:
        return sensitivity * classical(self.budget(epsilon, self.round or 1), self.delta_)

    def total(self, epsilon: float) -> tuple[float, float]:
        """Sum of the rounds' budgets as printed, εa·ln(1 + ln(M)/a), and the true sum."""
        rounds = self.rounds or 1
        printed = epsilon * self.a * np.log1p(np.log(rounds) / self.a)
        return float(printed), float(self.budget(epsilon, np.arange(1, rounds + 1)).sum())

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        fitted = self.fitted(use)
        printed, summed = fitted.total(epsilon)
        forms = [fitted.formed("as_printed"), fitted.formed("corrected")]
        printed_law, law = (form.at(epsilon, low, high) for form in forms)
        true, dropped = float(epsilon_of(self.delta_, printed_law.mu)), "dividing by the samples does not fit"
        why = "the integral's substitution drops a factor; δ adds up as well"
        sigmas = float(printed_law.sigma), float(law.sigma)
        return (
            Correction(f"budget of {fitted.rounds} rounds", printed, summed, why),
            Correction("σ of one weight", *sigmas, f"{dropped} a clipped upload"),
            Correction("ε of one weight, one round", epsilon, true, "what the printed noise gives"),
        )


class DynamicGaussianAsPrinted(DynamicGaussian):
    """Noise for an average over the client's samples, though the upload is no such average."""

    form = "as_printed"

    def stated(self, sensitivity: Floats) -> Floats:
        stated = super().stated(sensitivity)
        return stated if self.sensitivity is not None else stated / (self.samples or 1.0)
