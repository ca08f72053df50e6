"""Gaussian noise in three calibrations: exact, textbook, and paper 001's equation 4."""

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from ldp_core.fields import Choice, Number, Whole
from ldp_core.limits import ROUNDS, SAMPLING, number
from ldp_core.mechanisms.base import Correction, Corrections, Floats, Use
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise, classical
from ldp_core.mechanisms.shared.gaussian_privacy import delta_of, epsilon_of, mu_of

CALIBRATIONS = ("analytic", "classical", "paper001")


class Gaussian(GaussianNoise):
    """(ε, δ), never pure; the analytic calibration is exact, the other two are formulas to be checked."""

    label = "Gaussian"
    order = 8
    summary = (
        "Adds bell-shaped noise. Its promise has a second number, δ, and it can cover a whole upload "
        "with noise that grows only with the root of the number of weights."
    )
    formula = (
        r"\tilde w=w+\mathcal N(0,\sigma^2),\quad "
        r"\Phi\!\big(\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta}\big)"
        r"-e^{\varepsilon}\,\Phi\!\big(-\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta}\big)=\delta"
    )
    reference = "Balle and Wang 2018 (analytic); Dwork and Roth 2014 (classical); paper 001, eq. 4"
    as_printed = (
        "Paper 001's equation 4 as printed has its root over a part of the formula only (and the paper "
        "takes 1 for the sensitivity); the other two calibrations are the same in both forms."
    )

    corrected = "Corrected, the root stands over the whole formula."

    calibration: Annotated[str, Choice(CALIBRATIONS)] = Field(
        "analytic", description="calibration: exact, classical, or as paper 001 prints it"
    )
    sampling: Annotated[float, Number(SAMPLING)] = Field(
        SAMPLING.default, description="share of samples in a batch, q in paper 001"
    )
    rounds: Annotated[int | None, Whole(ROUNDS, optional=True)] = Field(
        None, description="rounds, R in paper 001, if not the run's"
    )

    @property
    def printed_otherwise(self) -> bool:
        return self.calibration == "paper001"

    def matters(self, parameter: str) -> bool:
        return parameter != "sampling" or self.calibration == "paper001"

    def fitted(self, use: Use) -> Self:
        fitted = super().fitted(use)
        return fitted if self.rounds is not None else fitted.model_copy(update={"rounds": use.rounds})

    def sigma_of(self, epsilon: Floats, sensitivity: Floats) -> Floats:
        if self.calibration == "classical":
            return sensitivity * classical(epsilon, self.delta_)
        if self.calibration == "analytic":
            return sensitivity / mu_of(epsilon, self.delta_)
        return sensitivity * self._equation_4(epsilon)

    def _prefactor(self) -> float:
        q = self.sampling
        return 4 * q**2 * (self.rounds or 1) / (1 - q)

    def _rest(self, epsilon: Floats) -> Floats:
        return 2 * np.log(1 / self.delta_) / epsilon**2 + 1 / epsilon

    def _equation_4(self, epsilon: Floats) -> Floats:
        """σ for sensitivity 1, with the root over the whole product."""
        return np.sqrt(self._prefactor() * self._rest(epsilon))

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        whole = self.model_copy(update={"per": "upload", "rounds": self.rounds or use.rounds}).fitted(use)
        if self.calibration == "analytic":
            return ()
        if self.calibration == "classical":
            true = float(delta_of(epsilon, self.at(epsilon, low, high).mu))
            why = "the formula is proved for ε below 1: more noise than needed there, too little far above"
            return (Correction(f"δ at ε {number(epsilon, 6)}", self.delta_, true, why),)
        own = whole.model_dump(by_alias=True)
        kinds, budget = (GaussianAsPrinted, Gaussian), np.asarray(epsilon)
        spread, rooted = (float(kind(**own)._equation_4(budget)) for kind in kinds)
        width, d, rounds = high - low, use.dimension, whole.rounds or 1
        needed = width * np.sqrt(d * rounds) / float(mu_of(epsilon, self.delta_))
        missing = (
            f"√{d} × {number(width)} is missing: the formula knows no safe range and no number of weights"
        )
        root, given = "the root belongs over the whole product", "what the printed noise gives"

        def true_epsilon(what: str, uses: int, why: str) -> Correction:
            mu = width * np.sqrt(uses) / spread
            return Correction(what, epsilon, float(epsilon_of(self.delta_, mu)), why)

        return (
            Correction("σ, for a sensitivity of 1", spread, rooted, root),
            Correction("σ for the whole upload and run", spread, needed, missing),
            true_epsilon("ε of one weight, one round", 1, given),
            true_epsilon(f"ε of an upload of {d} weights", d, f"{given} for all weights together"),
            true_epsilon(f"ε of {rounds} rounds", d * rounds, "and over the whole run"),
        )


class GaussianAsPrinted(Gaussian):
    form = "as_printed"

    def _equation_4(self, epsilon: Floats) -> Floats:
        return np.sqrt(self._prefactor()) * self._rest(epsilon)
