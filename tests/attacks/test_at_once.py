"""What is computed once for several observations, victims or values has the bits that it has one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ldp_core import attacks, mechanisms
from ldp_core.attacks import Observation
from ldp_core.attacks.shared.first_layer import leading
from ldp_core.mechanisms.base import Floats, Use
from ldp_core.streams import stream
from tests.attacks.observed import observed
from tests.data import digits

APART = [name for name in attacks.reconstructors() if attacks.reconstructor(name).apart]
COORDINATE = [
    (name, form)
    for name in mechanisms.names()
    for form in mechanisms.get(name).forms
    if mechanisms.get(name).formed(form).separable
]


def seen(control: str | None = "clean", model: str = "mlp", mechanism: str = "piecewise") -> Observation:
    experiment = {"model": model, "mechanism": mechanism, "clients": {"range": 0.2}}
    return observed(digits(), 3, experiment, epsilon=8.0, control=control)[0]


@pytest.mark.parametrize("model", ["logistic_regression", "mlp"])
@pytest.mark.parametrize("name", APART)
def test_both_controls_are_read_as_each_by_itself(name: str, model: str):
    who, sent, clean = attacks.reconstructor(name), seen(None, model), seen("clean", model)
    clipped = replace(clean, low=clean.low / 1e9, high=clean.high / 1e9)
    both = [sent, clean, clipped]
    assert clean.beside(clipped) is not None and sent.beside(clean) is None
    at_once = who.reconstruct_all(both, generators=[stream(0, "reconstruction")] * 3)
    for one, found in zip(both, at_once, strict=True):
        assert np.array_equal(
            found, who.reconstruct(one, generator=stream(0, "reconstruction")), equal_nan=True
        )


def test_who_draws_or_weighs_all_victims_together_is_asked_for_each():
    one = seen()
    assert one.beside(replace(one, clear=0.1)) is None
    assert replace(one, clear=0.1).beside(one) is None
    assert one.beside(replace(one, previous=one.previous.copy())) is None
    assert not attacks.reconstructor("clear_weights").apart and not attacks.reconstructor("idlg").apart


def test_images_reckoned_together_are_reckoned_alone():
    one = seen()
    assert one.public is not None
    x, y = one.public.x[:30], one.public.y[:30]
    together = one.uploads_of(x, y)
    assert np.array_equal(
        together, np.concatenate([one.uploads_of(x[i : i + 10], y[i : i + 10]) for i in (0, 10, 20)])
    )
    bias = one.first_layer(one.gradients_of(x, y))[..., -1]
    assert np.array_equal(one.reactions_of(x, y), bias)


def test_what_follows_from_pictures_alone_is_computed_once():
    one, asked = seen().public, []
    assert one is not None

    def count(public: attacks.Public, classes: int) -> int:
        asked.append(classes)
        return len(public.y) + classes

    assert [one.once(count, n) - len(one.y) for n in (3, 3, 4)] == [3, 3, 4] and asked == [3, 4]
    assert replace(one, x=one.x[:2], y=one.y[:2]).once(count, 3) == 5


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
