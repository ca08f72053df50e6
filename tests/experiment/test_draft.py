"""Drafts: a base, variants that are compared, seeds that pair them."""

from typing import Any

import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft, Variant, parse, parse_draft, plan
from ldp_core.theory import server_noise

AGGREGATORS = tuple(Variant(name, {"aggregator.name": name}) for name in ("mean", "inverse_std"))


def test_runs_are_variants_times_seeds_from_the_base():
    draft = Draft(parse({"seed": 5}), AGGREGATORS, seeds=2)
    runs = [
        (run.variant, run.label, run.experiment.seed, run.experiment.aggregator.name) for run in draft.runs()
    ]
    assert runs == [
        (0, "mean", 5, "mean"),
        (1, "inverse_std", 5, "inverse_std"),
        (0, "mean", 6, "mean"),
        (1, "inverse_std", 6, "inverse_std"),
    ]


def test_an_experiment_alone_is_a_draft_with_one_run():
    draft = parse_draft({"rounds": 2, "name": "mine"})
    assert [run.label for run in draft.runs()] == ["mine"]


def test_the_reference_is_the_same_run_without_noise():
    reference = Draft(parse({}), AGGREGATORS).reference()
    assert reference is not None
    assert reference.experiment.mechanism.name == "none"
    assert reference.experiment.attack is None
    assert Draft(parse({"mechanism": "none"}), AGGREGATORS).reference() is None


def test_in_the_reference_clients_with_limits_of_their_own_send():
    """No limit covers a value without noise: the run would end as it began, and be called “without noise”."""
    limited = parse({"clients": {"epsilon": 8, "run_limit": 1e5}})
    reference = Draft(limited, AGGREGATORS).reference()
    assert reference is not None
    assert server_noise(plan(limited)).empty == server_noise(plan(reference.experiment)).empty == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"base": {"rounds": 0}}, "rounds must be"),
        ({"base": {}, "seeds": 0}, "seeds must be"),
        ({"base": {}, "extra": 1}, "extra is not a field of a draft"),
        ({"base": {}, "variants": [{"label": ""}]}, "variants must be objects"),
        ({"base": {}, "variants": [{"label": "a"}, {"label": "a"}]}, "labels of their own"),
        (
            {"base": {}, "variants": [{"label": str(i)} for i in range(13)]},
            "variants must be between 1 and 12",
        ),
        ({"base": {}, "variants": [{"label": "bad", "set": {"rounds": -1}}]}, "rounds .*in “bad”"),
    ],
)
def test_invalid_draft_is_refused(data: dict[str, Any], words: str):
    with pytest.raises(InvalidExperiment, match=words):
        parse_draft(data)
