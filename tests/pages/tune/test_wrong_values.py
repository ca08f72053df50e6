"""What is wrong with the values of a sweep is said in the page's words, and all of it."""

import pytest

from ldp_core.experiment import parse
from ldp_core.experiment.sweep import Scalar
from pages.parts.tune.axes import axes, wrong_in

AXES = axes()
BASE = parse({})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5, 8], []),
        ([4], ["Needs two values at least, or nothing is swept over; got 4."]),
        ([], ["Needs two values at least, or nothing is swept over; got none."]),
        ([0.5, -1, 800, 0], ["Must be a number between 0.000001 and 700; got -1, 800 and 0."]),
        ([1, float("inf"), "abc", True], ["Takes numbers between commas; got Infinity, “abc” and true."]),
        ([1, 2, 1.0], ["Must have each value once; got 1 twice."]),
    ],
)
def test_every_value_that_is_wrong_is_stated(values: list[Scalar], expected: list[str]):
    assert wrong_in(BASE, AXES["epsilon"], values, AXES["range"], [0.1, 0.5]) == expected


def test_a_value_that_fits_one_of_the_other_axis_is_not_wrong():
    listed = parse({"clients": {"count": 3, "epsilon": [1, 2, 3]}})
    counts: list[Scalar] = [5, 10]
    alone = wrong_in(listed, AXES["count"], counts, AXES["range"], [0.1, 0.5])
    assert alone and "clients.epsilon" not in alone[0]
    assert wrong_in(listed, AXES["count"], counts, AXES["epsilon"], [1, 2]) == []
