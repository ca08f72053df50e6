"""A system that is chosen fills what was not given; whatever was changed since stays."""

from ldp_core.experiment import amended, changed, departures, parse

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
