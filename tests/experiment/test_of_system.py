"""A system that is chosen for a draft, its form, and the way back to its paper."""

import pytest

from ldp_core import systems
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import (
    amended,
    back_to_paper,
    changed,
    departures,
    form_of,
    parse,
    parse_draft,
    with_form,
    with_system,
)

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


NAME = "personalized_ldp_fl"


def test_chosen_system_fills_all_but_given_fields():
    base = parse({"seed": 7, "rounds": 3, "clients": {"run_limit": 50}})
    one = changed(base, {"system.name": NAME, "clients.count": 6, "rounds": 4})
    assert (one.seed, one.clients.run_limit) == (7, 50), "what it does not set stays"
    assert (one.clients.count, one.rounds, one.mechanism.name) == (6, 4, "gaussian")
    assert one.clients.budgets().tolist() == [1] * 4 + [10] * 2
    assert changed(base, {"system": NAME}) == changed(base, {"system.name": NAME})


def test_chosen_system_fills_only_open_fields_of_a_file():
    data = {"dataset": "digits", "rounds": 3}
    one = amended(data, {"system.name": "pldp_fl", "clients.count": 20, "mechanism.name": "duchi"})
    assert (one.dataset, one.rounds, one.clients.count, one.mechanism.name) == ("digits", 3, 20, "duchi")
    assert one.local.epochs == 5
    assert data == {"dataset": "digits", "rounds": 3}, "what is given is not written to"
    held = {"system": {"name": NAME}}
    assert amended(held, {"system.case": "non_iid"}).mechanism.name == "ldpsign"
    assert held == {"system": {"name": NAME}}


def test_removed_system_fills_no_field():
    base = parse({})
    assert amended({}, {"rounds": 4}) == changed(base, {"rounds": 4})
    assert changed(parse({"system": NAME}), {"system": None}).mechanism.name == "gaussian"


def test_new_case_fills_settings_and_keeps_changes():
    mine = changed(parse({"system": NAME}), {"aggregator.name": "inverse_std", "clients.range": 100})
    votes = changed(mine, {"system.case": "non_iid"})
    assert (votes.mechanism.name, votes.clients.count, votes.partition.name) == ("ldpsign", 10, "dirichlet")
    assert votes.aggregator.name == "inverse_std"
    assert votes.clients.range == 100
    other = changed(mine, {"dataset": "fashion_mnist"})
    assert (other.rounds, other.clients.epsilon, other.mechanism.parameters()["sampling"]) == (
        20,
        "fashion_llh",
        0.9,
    )
    assert (other.aggregator.name, other.clients.range) == ("inverse_std", 100)


def test_departures_name_the_part_or_the_parameter():
    base = parse({"system": "pldp_fl", "form": "as_printed"})
    found = departures(changed(base, {"mechanism.name": "laplace", "local.epochs": 1, "clients.low": -3}))
    assert [(d.field, d.paper, d.now) for d in found] == [
        ("clients.range", "tau1", {"low": -3, "high": 1.0}),
        ("local.epochs", 5, 1),
        ("mechanism.name", "pdpm", "laplace"),
    ]
    ends = changed(base, {"clients.low": -1.0, "clients.high": 1.0})
    assert departures(ends) == (), "the headline's range, written as two ends"
    assert departures(parse({})) == ()
