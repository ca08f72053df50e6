"""What is kept from round to round is what each round would work out for itself."""

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.experiment import Piece, Plan, parse, plan
from ldp_core.federated.federation import Weighing
from ldp_core.federated.upload import Columns, Laws
from ldp_core.theory import worst_variance


@pytest.mark.parametrize("mechanism", ["piecewise", "dynamic_gaussian", "grr"])
def test_each_round_has_its_own_pieces_and_variances(mechanism: str):
    made = plan(parse({"mechanism": mechanism, "rounds": 4}))
    weighing, afresh = Weighing(made), Plan(made.experiment)
    for number in (1, 2, 4, 1):
        assert made.pieces(number) == afresh.pieces(number)
        np.testing.assert_array_equal(weighing.worst(number), worst_variance(made, number))
    assert (made.pieces(1) is made.pieces(3)) == (mechanism != "dynamic_gaussian")


def columns(epsilon: float, width: int = 1) -> Columns:
    ones = np.ones((3, width))
    return np.full((3, 1), epsilon), -ones, ones


def test_laws_are_cached_while_terms_are_equal():
    laws, pieces = Laws(), [Piece(slice(0, 5), mechanisms.get("duchi"))]
    first = laws.of(pieces, columns(1.0))
    assert laws.of(list(pieces), columns(1.0)) is first
    assert laws.of(pieces, columns(2.0)) is not first
    other = [Piece(slice(0, 5), mechanisms.get("laplace"))]
    assert laws.of(other, columns(2.0)) is not laws.of(pieces, columns(2.0))
    wide = laws.of(pieces, columns(2.0, width=5))
    assert laws.of(pieces, columns(2.0, width=5)) is not wide, "ends of each weight fill too much memory"
