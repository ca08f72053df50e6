"""What is computed once for several observations, victims or values has the bits that it has one by one."""

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.attacks.shared.first_layer import leading
from ldp_core.mechanisms.base import Floats, Use
from tests.attacks.observed import observed
from tests.data import digits

COORDINATE = [
    (name, form)
    for name in mechanisms.names()
    for form in mechanisms.get(name).forms
    if mechanisms.get(name).formed(form).separable
]


def test_images_reckoned_together_are_reckoned_alone():
    one = observed(digits(), 3, {"model": "mlp", "clients": {"range": 0.2}}, epsilon=8.0)[0]
    assert one.public is not None
    x, y = one.public.x[:30], one.public.y[:30]
    alone = [one.uploads_of(x[i : i + 10], y[i : i + 10]) for i in (0, 10, 20)]
    assert np.array_equal(one.uploads_of(x, y), np.concatenate(alone))


@pytest.mark.parametrize(("name", "form"), COORDINATE)
def test_a_law_of_one_output_is_the_law(name: str, form: mechanisms.base.Form):
    mechanism = mechanisms.get(name).formed(form).fitted(Use(dimension=4))
    rng = np.random.default_rng(0)
    values, ends = (
        rng.uniform(-0.3, 0.3, (2, 3, 4, 5)),
        (np.array([1.0, 8.0])[:, None, None, None], -0.2, 0.2),
    )
    output = mechanism.perturb(values[..., 0].astype(np.float32), ends[0][..., 0], *ends[1:], rng)[..., None]
    law = mechanism.at(*ends).likelihood(output)
    apart = np.ascontiguousarray(values.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)  # as attackers lay grids
    for _ in range(2):
        for some in (values, apart):
            assert np.array_equal(law(some), mechanism.at(*ends).marginal_log_prob(output, values))


def test_a_direction_that_stays_is_not_turned_any_further():
    rng = np.random.default_rng(0)
    rows: Floats = rng.normal(size=(4, 10, 1)) * rng.normal(size=(4, 1, 65)) + 1e-3 * rng.normal(
        size=(4, 10, 65)
    )
    each = np.concatenate([leading(rows[i : i + 1]) for i in range(4)])
    assert np.array_equal(leading(rows), each)
