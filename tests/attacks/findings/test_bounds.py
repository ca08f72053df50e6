"""The bounds by hand. That no attack beats them is tested with identification in tests/leakage."""

from itertools import pairwise

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.attacks.findings import bounds


def test_the_table_of_the_reference():
    epsilon = np.array([0.1, 0.5, 1, 2, 3, 5, 8])
    assert bounds.mary(epsilon, 10) == pytest.approx(
        [0.109, 0.155, 0.232, 0.451, 0.691, 0.943, 0.997], abs=6e-4
    )
    assert bounds.gaussian(0.0, 0.1) == pytest.approx(0.1)
    assert bounds.mary(1e6, 10) == 1


def test_vacuous_bound_is_labelled_vacuous():
    wide = bounds.worst_case(5200.0, None, 10)
    assert wide.vacuous
    assert wide.label.endswith("excludes nothing")
    narrow = bounds.worst_case(1.0, None, 10)
    assert not narrow.vacuous
    none = bounds.worst_case(np.inf, None, 10)
    assert none.value == 1
    assert "no bound" in none.label
    normal = bounds.worst_case(np.inf, 0.5, 10)
    assert normal.name == "gaussian"
    assert normal.value < 0.3


def of_one_weight(name: str) -> bool:
    """Whether a mechanism gives the affinity of its answers for one weight, which it need not."""
    mechanism = mechanisms.get(name)
    return mechanism.scope == "coordinate" and mechanism.at(1.0, -0.2, 0.2).log_affinity(0, 0.1) is not None


CLOSED_FORMS = [name for name in mechanisms.names() if of_one_weight(name)]


def test_common_mechanisms_have_a_closed_form_affinity():
    assert {"laplace", "duchi", "pdpm", "piecewise", "hybrid", "gaussian", "ldpsign"} <= {*CLOSED_FORMS}


def test_harmony_affinity_sums_over_answers():
    law = mechanisms.get("harmony", dimension=3).at(1.0, -0.2, 0.2)
    one, other = np.array([-0.05, 0.2, 0.0]), np.array([0.11, -0.2, 0.0])
    sent = law.outputs()
    assert sent is not None
    total = np.exp((law.log_prob(sent, one) + law.log_prob(sent, other)) / 2).sum()
    assert np.exp(law.log_affinity(one, other)) == pytest.approx(total)


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_log_affinity_equals_its_integral(name: str, epsilon: float):
    """Against a sum over atoms and an integral between edges; closed forms only."""
    law, value, other = mechanisms.get(name).at(epsilon, -0.2, 0.2), -0.05, 0.11
    claimed = law.log_affinity(value, other)

    def root(y: np.ndarray) -> np.ndarray:
        return np.exp((law.marginal_log_prob(y, value) + law.marginal_log_prob(y, other)) / 2)

    atoms = law.atoms(value)
    total = root(atoms).sum() if len(atoms) else 0.0
    spread = 60 * float(np.sqrt(law.max_variance))
    ends = [law.edges(x) for x in (value, other)]
    edges = np.unique(np.clip(np.concatenate(ends), -spread, spread))
    for a, b in pairwise(edges.tolist()):
        y = a + (b - a) * (np.arange(20000) + 0.5) / 20000
        total += root(y).mean() * (b - a)
    assert np.exp(claimed) == pytest.approx(total, rel=2e-4)
