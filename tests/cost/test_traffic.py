"""Bytes up and down against the share of clients, as in figure 3a of paper 000."""

import pytest

from ldp_core.cost.traffic import traffic
from ldp_core.experiment import parse, plan


def test_the_papers_network_and_seventy_clients():
    """21 840 weights of four bytes, each way."""
    one = traffic(plan(parse({"system": "pldp_fl"})))
    assert one.down == one.up == 70 * 4 * 21_840
    assert one.packed == 70 * 21_840 / 8, "corrected PDPM has two answers: one bit a weight"
    printed = traffic(plan(parse({"system": "pldp_fl", "form": "as_printed"})))
    assert printed.packed == 70 * 4327, "three answers: log₂ 3 bits, 4 326.9 bytes an upload"


@pytest.mark.parametrize(
    ("mechanism", "bits"), [("none", 32), ("laplace", 32), ("piecewise", 32), ("duchi", 1), ("ldpsign", 1)]
)
def test_only_answers_of_a_few_values_are_packed(mechanism: str, bits: int):
    one = traffic(plan(parse({"mechanism": mechanism, "clients": {"count": 1, "epsilon": 1}})))
    assert one.packed == -(-650 * bits // 8)
    assert one.up == 2600


def test_one_weight_of_a_layer_is_its_place_and_a_bit():
    """Of 650: ten bits and one, in two bytes."""
    one = traffic(plan(parse({"mechanism": "harmony", "clients": {"count": 1, "epsilon": 1}})))
    assert one.packed == 2


def test_hybrid_packed_size_averages_over_clients():
    """Hybrid is Duchi's bit up to ε 0.61, and a real number in nine of ten beyond."""
    one = traffic(plan(parse({"mechanism": "hybrid", "clients": {"count": 3, "epsilon": [0.5, 0.5, 8]}})))
    assert one.packed == 3 * -(-650 * (1 + 1 + 32) // 3 // 8)
