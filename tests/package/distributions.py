"""Two distributions as others would make them: a mechanism with a density, and data that are no pictures."""

from __future__ import annotations

from pathlib import Path

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"

[project.entry-points."ldp_core.{group}"]
{part} = "{module}:{kind}"

[tool.hatch.build.targets.wheel]
only-include = ["{module}.py"]
"""

SQUARE_WAVE = '''
"""The square wave of Li et al. 2020, moved and stretched so that its mean is the weight."""

import numpy as np

from ldp_core.mechanisms.shared.scale_free import ScaleFree


def shape(epsilon):
    """q, the density far from the weight; c, how often an answer is near for once that it is not; the slope
    of the mean; and the half-width of the window: all on [-1, 1], before stretching.
    """
    fall, share = np.expm1(-epsilon), np.exp(-epsilon)
    c = (epsilon + fall) / (-fall - epsilon * share)
    q = 1 / (c + 1)
    return q, c, -c * q * fall, c * share


class SquareWave(ScaleFree):
    """Uniform in a window around the weight, and uniform but rarer in the rest."""

    label = "Square wave"
    summary = "Answers near the weight with a high density, and anywhere else with a low one."
    formula = r"p(y)\\\\propto e^{\\\\varepsilon\\\\,[|y-v|\\\\le b]}"
    reference = "Li et al. 2020"

    def unit_coefficients(self, epsilon):
        q, _, slope, window = shape(epsilon)
        return {"q": q, "slope": slope, "window": window}

    def unit_sample(self, xp, v, u, k):
        q, window = k["q"], k["window"]
        rest = 2 * u / q - (1 + window)
        rest = xp.where(rest < v - window, rest, rest + 2 * window)
        near = v - window + 2 * window * (u - q) / (1 - q)
        return xp.where(u < q, rest, near) / k["slope"]

    def unit_mean(self, v, epsilon):
        return v + np.zeros_like(epsilon)

    def unit_variance(self, v, epsilon):
        q, _, slope, window = shape(epsilon)
        return q * (1 + window) ** 3 / (3 * slope**2) + window**2 / (3 * slope) + v**2 * (1 - slope) / slope

    def unit_worst_input(self, epsilon):
        return np.ones_like(epsilon)

    def unit_settled(self, y, epsilon, blur):
        _, _, slope, window = shape(epsilon)
        end = (1 + window) / slope
        return np.where(np.abs(y) <= end + blur, np.clip(y, -end, end), y)

    def unit_log_prob(self, y, v, epsilon):
        q, _, slope, window = shape(epsilon)
        far = np.log(q * slope / 2)
        possible = np.abs(y) <= (1 + window) / slope * (1 + 1e-6)
        found = np.where(np.abs(y * slope - v) <= window, epsilon + far, far)
        return np.where(possible, found, -np.inf)

    def unit_loss(self, epsilon):
        return epsilon

    def unit_delta(self, target, epsilon):
        q, c, _, _ = shape(epsilon)
        return -c * q * np.expm1(target - epsilon)

    def unit_atoms(self, epsilon):
        return np.empty(0)

    def unit_edges(self, v, epsilon):
        _, _, slope, window = shape(np.asarray(epsilon))
        return np.array([-(1 + window), v - window, v + window, 1 + window]) / slope
'''

WINE = '''
"""Wines: thirteen measurements each, of three kinds of grape; they come with scikit-learn."""

import numpy as np

from ldp_core.datasets import Data, Dataset


class Wine(Dataset):
    """Every fourth wine is held out; measurements are centred and scaled."""

    label = "Wine"
    summary = "178 wines of three grapes, 13 measurements each, centred and scaled."
    shape = (13,)
    classes = 3
    class_names = ("first", "second", "third")
    train_size, test_size = 133, 45
    images = False

    def read(self, root, told):
        from sklearn.datasets import load_wine

        x, y = load_wine(return_X_y=True)
        x = ((x - x.mean(0)) / x.std(0)).astype(np.float32)
        out = np.arange(len(x)) % 4 == 0
        return Data(x[~out], y[~out].astype(np.int64), x[out], y[out].astype(np.int64), 3)
'''


def project(folder: Path, group: str, part: str, kind: str, code: str, version: str = "1.0") -> Path:
    """A folder that is one: a module with one part."""
    module = f"{part}_of_a_test"
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    name = module.replace("_", "-")
    text = PROJECT.format(name=name, version=version, group=group, part=part, module=module, kind=kind)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder
