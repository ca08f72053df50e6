"""What R-PSS sends in clear gives images away, and says whose upload it is, whatever noise the rest has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.data import events

BASE: dict[str, Any] = {
    "system": {"name": "pprd_fl"},
    "dataset": "digits",
    "form": "as_printed",
    "clients": {"epsilon": 8},
    "model": {"name": "mlp", "hidden": 128},
    "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.01},
    "rounds": 2,
    "attack": {"attacker": "clear_weights"},
}


def attempts(**changes: Any) -> list[dict[str, Any]]:
    found = events({**BASE, **changes})
    return [e for e in found if e["event"] == "attack" and e["control"] is None]


def test_a_fifth_in_clear_is_a_whole_image():
    """Six uploads of one image: each comes back, though nobody says which weights have no noise."""
    found = attempts()
    assert len(found) == 6
    assert all(one["psnr"] > 60 for one in found)


def test_more_noise_hides_nothing():
    """Eight times the noise: what has none is only told apart more easily."""
    assert all(one["psnr"] > 60 for one in attempts(clients={"epsilon": 1}, rounds=1))


def test_with_all_weights_perturbed_nothing_comes_back():
    found = attempts(system={"name": "pprd_fl", "selected": 1})
    assert all(one["psnr"] < one["psnr_mean_image"] for one in found)


def test_who_sees_exact_weights_knows_which_image_it_was():
    found = attempts(local={"optimizer": "adam", "learning_rate": 0.001})
    assert {one["identification_credit"] for one in found} == {1.0}
    assert {one["cap"] for one in found} == {1.0}, "no ε bounds it"
    assert all("no ε holds" in one["caps"][0]["label"] for one in found)


@pytest.mark.parametrize("times", [1, 3])
def test_uploads_that_come_again_tell_more(times: int):
    """Each time other weights are in clear."""
    found = attempts(attack={"attacker": "clear_weights", "rounds_observed": times}, rounds=1)
    assert all(one["psnr"] > 60 for one in found)
