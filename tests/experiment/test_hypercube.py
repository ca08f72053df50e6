"""Settings that are drawn cover every field's range: each slice of it is met once."""

from typing import Any

import numpy as np
import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse
from ldp_core.experiment.sweep import parse_hypercube

BASE = parse({"seed": 4})
FIELDS = {"clients.epsilon": [0.5, 8], "clients.low": [-3, -1], "clients.count": [5, 50]}


def drawn(points: int = 16, base: Any = BASE, **fields: Any) -> list[dict[str, float]]:
    return parse_hypercube({"fields": fields or FIELDS, "points": points}).settings(base)


def test_each_slice_of_each_range_is_met_once():
    found = drawn()
    epsilon = np.log([one["clients.epsilon"] / 0.5 for one in found]) / np.log(16)
    low = (np.array([one["clients.low"] for one in found]) + 3) / 2
    for places in (epsilon, low):
        assert sorted((places * 16 + 1e-3).astype(int)) == list(range(16))
    assert [one["clients.epsilon"] for one in found] == sorted(one["clients.epsilon"] for one in found)
    assert np.corrcoef(epsilon, low)[0, 1] ** 2 < 0.5, "and the fields go their own ways"


def test_whole_numbers_stay_whole_and_others_do_not_become_so():
    found = drawn()
    assert all(isinstance(one["clients.count"], int) and 5 <= one["clients.count"] <= 50 for one in found)
    assert any(one["clients.epsilon"] % 1 for one in found), "though its ends were whole"
    assert [one["rounds"] for one in drawn(9, rounds=[1, 3])] == [1, 2, 3], "each setting once"


def test_the_seed_decides():
    assert drawn() == drawn()
    assert drawn() != drawn(base=parse({"seed": 5}))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "latin must be like"),
        ({"fields": FIELDS}, "latin.points must be a whole number between 2 and 3000; got null"),
        ({"fields": {"rounds": [5, 5]}, "points": 5}, r"rounds must have its least and its largest value"),
        (
            {"fields": {"mechanism.name": ["duchi", "pdpm"]}, "points": 5},
            "mechanism.name must have its least",
        ),
        ({"fields": FIELDS, "points": 5, "seeds": 3}, "latin.seeds is not a field of a hypercube"),
    ],
)
def test_invalid_hypercube_is_refused(data: Any, words: str):
    with pytest.raises(InvalidExperiment, match=words):
        parse_hypercube(data)
