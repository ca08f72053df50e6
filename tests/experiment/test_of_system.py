"""A system that is chosen for a draft, its form, and the way back to its paper."""

import pytest

from ldp_core import systems
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import back_to_paper, departures, form_of, parse_draft, with_form, with_system

MINE = {
    "base": {"dataset": "digits", "seed": 7, "clients": {"count": 4}, "attack": {"clients": [4]}},
    "variants": [{"label": label, "set": {"aggregator.name": label}} for label in ("mean", "inverse_std")],
    "seeds": 2,
}


@pytest.mark.parametrize("name", systems.names())
def test_chosen_system_fills_for_the_drafts_data(name: str):
    one = with_system(parse_draft(MINE), name)
    assert (one.base.dataset, one.base.seed, one.seeds) == ("digits", 7, 2)
    fills = systems.get(name).fill("digits")
    assert one.base.clients.count == fills["clients"]["count"]
    assert [e.aggregator.name for e in one.experiments()] == [fills["aggregator"]["name"]]
    assert one.base.form == "corrected"
    paper = back_to_paper(one)
    assert departures(paper.base) == (), "nothing is left of what was changed"
    assert (paper.base.seed, paper.base.form) == (7, "as_printed")


def test_second_system_replaces_all_of_the_first():
    first = with_system(parse_draft(MINE), "pd_ldpfl")
    second = with_system(first.with_base({"rounds": 3, "system.input": "none"}), "pprd_fl")
    assert second == with_system(parse_draft(MINE), "pprd_fl")


def test_leaving_a_system_keeps_the_filled_fields():
    draft = parse_draft(
        {
            "base": {"system": "pd_ldpfl", "dataset": "digits"},
            "variants": [
                {"label": "plain", "set": {"system.input": "none", "rounds": 3}},
                {"label": "all", "set": {}},
            ],
        }
    )
    left = with_system(draft, None)
    assert left.base.system is None
    assert left.base.model == draft.base.model
    assert [dict(one.set) for one in left.variants] == [{"rounds": 3}, {}]


def test_back_to_the_paper_keeps_its_case():
    votes = with_system(parse_draft(MINE), "personalized_ldp_fl").with_base({"system.case": "non_iid"})
    paper = back_to_paper(votes.with_base({"rounds": 2, "system.pixels": "unit"})).base.as_json()
    assert (paper["system"]["case"], paper["system"]["pixels"]) == ("non_iid", "paper")
    assert (paper["mechanism"]["name"], paper["rounds"]) == ("ldpsign", 10)


def test_system_unfit_for_the_data_names_an_alternative():
    with pytest.raises(InvalidExperiment, match="without a system its mechanisms and aggregators"):
        with_system(parse_draft({"dataset": "mnist_sample"}), "personalized_ldp_fl")


def test_both_forms_stand_side_by_side_and_one_again():
    draft = with_system(parse_draft(MINE), "pldp_fl")
    assert form_of(draft) == "corrected"
    both = with_form(draft, "both")
    assert [one.form for one in both.experiments()] == ["as_printed", "corrected"]
    assert form_of(both) == "both"
    printed = with_form(both, "as_printed")
    assert [one.form for one in printed.experiments()] == ["as_printed"]
    assert with_form(printed, "corrected") == draft
    mixed = {
        "base": {},
        "variants": [{"label": "a", "set": {}}, {"label": "b", "set": {"form": "as_printed"}}],
    }
    assert form_of(parse_draft(mixed)) is None


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("optimal_ldp_fl", "rounds", 5),
        ("optimal_ldp_fl", "local.learning_rate", 0.5),
        ("pprd_fl", "clients.count", 4),
        ("pd_ldpfl", "local.batch_size", 8),
        ("personalized_ldp_fl", "local.epochs", 2),
    ],
)
def test_no_departure_speaks_of_a_value_that_no_paper_prints(name: str, field: str, value: float):
    base = back_to_paper(with_system(parse_draft(MINE), name)).with_base({field: value}).base
    (one,) = departures(base)
    assert (one.field, one.printed) == (field, False)


@pytest.mark.parametrize("name", systems.names())
def test_open_fields_are_among_those_a_system_sets(name: str):
    kind = systems.registry.kind(name)
    cases = [kind(), *(systems.get(name, case="non_iid") for _ in {"case"} & {*kind.model_fields})]
    for path in kind.left_open:
        part, _, own = path.partition(".")
        assert any(own in one.fill(None).get(part, {}) if own else part in one.fill(None) for one in cases)
