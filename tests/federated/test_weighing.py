"""What is kept from round to round is what each round would work out for itself."""

import numpy as np
import pytest

from ldp_core.experiment import Plan, parse, plan
from ldp_core.federated.federation import Weighing
from ldp_core.theory import worst_variance


@pytest.mark.parametrize("mechanism", ["piecewise", "dynamic_gaussian", "grr"])
def test_each_round_has_its_own_pieces_and_variances(mechanism: str):
    made = plan(parse({"mechanism": mechanism, "rounds": 4}))
    weighing, afresh = Weighing(made), Plan(made.experiment)
    for number in (1, 2, 4, 1):
        assert made.pieces(number) == afresh.pieces(number)
        np.testing.assert_array_equal(weighing.worst(number), worst_variance(made, number))
    assert (made.pieces(1) is made.pieces(3)) == (mechanism != "dynamic_gaussian")
