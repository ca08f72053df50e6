"""Bytes up and down against the share of clients, as in figure 3a of paper 000."""

import pytest

from ldp_core.cost.traffic import against_share, traffic
from ldp_core.experiment import parse


def test_the_papers_network_and_seventy_clients():
    """21 840 weights of four bytes, each way."""
    one = traffic(parse({"system": "pldp_fl"}))
    assert one.down == one.up == 70 * 4 * 21_840
    assert one.packed == 70 * 21_840 / 8, "corrected PDPM has two answers: one bit a weight"
    printed = traffic(parse({"system": "pldp_fl", "form": "as_printed"}))
    assert printed.packed == 70 * 4327, "three answers: log₂ 3 bits, 4 326.9 bytes an upload"


def test_it_is_linear_in_the_share():
    shares = (0.1, 0.3, 0.7, 1.0)
    found = against_share(parse({"system": "pldp_fl"}), shares)
    for share, one in zip(shares, found, strict=True):
        assert one.up == pytest.approx(share * found[-1].up)
        assert one.packed == pytest.approx(share * found[-1].packed)


@pytest.mark.parametrize(
    ("mechanism", "bits"), [("none", 32), ("laplace", 32), ("piecewise", 32), ("duchi", 1), ("ldpsign", 1)]
)
def test_only_answers_of_a_few_values_are_packed(mechanism: str, bits: int):
    one = traffic(parse({"mechanism": mechanism, "clients": {"count": 1, "epsilon": 1}}))
    assert one.packed == -(-650 * bits // 8)
    assert one.up == 2600


def test_one_weight_of_a_layer_is_its_place_and_a_bit():
    """Of 650: ten bits and one, in two bytes."""
    one = traffic(parse({"mechanism": "harmony", "clients": {"count": 1, "epsilon": 1}}))
    assert one.packed == 2
