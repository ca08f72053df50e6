"""Paper 000's synthetic records: the error of the mean against theory, and the paper's two claims."""

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.errors import InvalidInput
from ldp_core.papers.pldp_fl.program import relative_errors

CLIENTS = 70


def error(name: str, epsilon: object, length: object, repeats: int = 60) -> np.ndarray:
    """Ranges [0, L], so that the true mean is L/2 on average."""
    epsilons, lengths = (np.broadcast_to(np.asarray(v, float), CLIENTS) for v in (epsilon, length))
    return relative_errors(mechanisms.get(name), epsilons, np.zeros(CLIENTS), lengths, repeats=repeats)


@pytest.mark.parametrize("name", ["pdpm", "duchi", "piecewise", "laplace"])
def test_relative_error_follows_the_variance(name: str):
    """For a normal error E|x| = √(2/π)·σ; 400 repetitions know it to ±3.8 %, so 20 % is 5 deviations."""
    mechanism = mechanisms.get(name)
    values = np.linspace(0, 1, 201)
    spread = np.sqrt(np.mean(mechanism.variance(values, 0.5, 0.0, 1.0)) / (CLIENTS * 100))
    expected = np.sqrt(2 / np.pi) * spread / 0.5
    assert error(name, 0.5, 1.0, 400).mean() == pytest.approx(expected, rel=0.2)


def test_relative_error_is_constant_in_the_range():
    """Figure 2b has it grow with L. A range that begins at 0 scales records and noise alike: no growth.

    With ranges of different lengths around the same records' mean, it does.
    """
    short, long = (error("pdpm", 0.5, length) for length in (0.2, 2.0))
    assert short == pytest.approx(long, rel=1e-6)
    pdpm, budgets, centre = mechanisms.get("pdpm"), np.full(CLIENTS, 0.5), np.full(CLIENTS, 1.0)
    widths = (0.1, 0.5, 1.0)
    grown = [relative_errors(pdpm, budgets, centre - w, centre + w, 60).mean() for w in widths]
    assert grown == sorted(grown)
    assert grown[2] > 4 * grown[0]


def test_records_are_paired_and_scope_is_checked():
    assert np.array_equal(error("pdpm", 0.5, 1.0, 3), error("pdpm", 0.5, 1.0, 3))
    with pytest.raises(InvalidInput, match="must perturb single records; got harmony"):
        error("harmony", 1.0, 1.0)
