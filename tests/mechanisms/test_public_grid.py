"""Answers of laws of whole uploads lie on one grid that depends on ε and length, not on the upload: a weight
of 0 that could give answers of its own would give itself away, whatever ε says."""

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.mechanisms import Mechanism
from ldp_core.streams import stream

WHOLE = [
    mechanisms.get("privunit", norm=0.3, dimension=50),
    mechanisms.get("privunit", norm=2.0, dimension=50),
    mechanisms.get("labelunit", dimension=50, labels=2),
    mechanisms.get("gaussian", per="upload", dimension=50),
    mechanisms.get("dynamic_gaussian", per="upload", dimension=50),
]


def step(answers: np.ndarray) -> float:
    """Largest power of two of which all answers are multiples."""
    mantissa, exponent = np.frexp(answers[answers != 0].astype(np.float64))
    whole = (mantissa * 2.0**53).astype(np.int64)
    return float(np.min(exponent - 53 + np.log2(whole & -whole)))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("mechanism", WHOLE, ids=lambda one: one.name)
def test_whole_uploads_are_answered_on_one_grid(mechanism: Mechanism, epsilon: float):
    steps = set()
    for blank in (slice(0, 25), slice(25, 50), slice(0, 49)):
        values = np.tile(stream(0, "audit").standard_normal(50).astype(np.float32), (2000, 1))
        values[:, blank] = 0
        sent = mechanism.perturb(values, epsilon, -1.0, 1.0, stream(1, "audit"))
        assert sent.dtype == np.float32
        steps |= {step(sent[:, blank]), step(np.delete(sent, np.r_[blank], axis=1))}
    assert len(steps) == 1
