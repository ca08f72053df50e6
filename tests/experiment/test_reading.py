"""Experiments from JSON: every default, every refusal worded with what was given and what would do."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core import limits, mechanisms
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import (
    Draft,
    Experiment,
    Variant,
    changed,
    loads,
    parse,
    parse_draft,
    plan,
    read_json,
    typed_changes,
)
from ldp_core.theory import server_noise
from tests.extent import in_gate
from tests.pace import of_cpu


def problems(data: Any) -> dict[str, str]:
    with pytest.raises(InvalidExperiment) as caught:
        parse(data)
    return {problem.path: problem.message for problem in caught.value.problems}


def test_an_empty_object_is_the_default_demonstration():
    default = parse({})
    assert (default.dataset, default.model.name, default.mechanism.name) == (
        "digits",
        "logistic_regression",
        "piecewise",
    )
    assert default.clients.count == 20
    assert default.clients.budgets().tolist() == [0.5] * 18 + [8.0] * 2
    local = default.local
    assert (default.rounds, local.epochs, local.batch_size, local.learning_rate) == (15, 2, 10, 0.5)
    assert plan(default).dimension == 650
    assert loads("{}") == default


def test_the_key_is_the_run_and_not_its_name():
    assert plan(parse({"name": "a"})).key == plan(parse({"name": "b"})).key
    assert plan(parse({"seed": 1})).key != plan(parse({"seed": 2})).key
    assert plan(parse({"mechanism": "duchi"})).key == plan(parse({"mechanism": {"name": "duchi"}})).key


@pytest.mark.parametrize(
    ("data", "path", "words"),
    [
        ({"clients": {"epsilon": 0}}, "clients.epsilon", "between 0.000001 and 700, .*; got 0;"),
        ({"clients": {"epsilon": -1}}, "clients.epsilon", "got -1; to send without noise"),
        ({"clients": {"epsilon": float("nan")}}, "clients.epsilon", "got NaN"),
        (
            {"clients": {"epsilon": float("inf")}},
            "clients.epsilon",
            "got Infinity; .*choose the mechanism none",
        ),
        ({"clients": {"epsilon": "1"}}, "clients.epsilon", "modes: two_volunteers, .*; got “1”"),
        ({"clients": {"epsilon": True}}, "clients.epsilon", "got true"),
        ({"clients": {"epsilon": 10**400}}, "clients.epsilon", "got 1000"),
        ({"clients": {"epsilon": [1, 2, -3]}}, "clients.epsilon", "of client 3 must be .*; got -3"),
        ({"clients": {"epsilon": "two_volunters"}}, "clients.epsilon", "did you mean two_volunteers"),
        ({"clients": {"low": 1, "high": 1}}, "clients.low", "of client 1 must be below its high; got low 1"),
        (
            {"clients": {"low": 5, "high": 5.000001}},
            "clients.low",
            "of client 1 must be at least 0.00049 below .* float32.*; got low 5.0 and high 5.000001",
        ),
        ({"clients": {"range": 0.1, "low": -1}}, "clients", "either range .* or low and high"),
        ({"clients": {"count": 0}}, "clients.count", "between 1 and .*; got 0"),
        ({"clients": {"count": 1438}}, "clients.count", "at most 1437, the training samples of Digits"),
        ({"rouns": 3}, "rouns", "not a field here .*did you mean rounds"),
        ({"rounds": "five"}, "rounds", "whole number between 1 and .*; got “five”"),
        ({"mechanism": "lapalce"}, "mechanism.name", "did you mean laplace"),
        ({"mechanism": {"name": "duchi", "p": 1}}, "mechanism.p", "not a field here"),
        ({"mechanism": {"name": "pdpm", "form": "as_printed"}}, "mechanism", "the experiment's own form"),
        ({"model": {"name": "mlp", "hidden": 0}}, "model.hidden", "whole number between 1"),
        ({"selection": {"kind": "fraction", "fraction": 2}}, "selection.fraction", "got 2"),
        ({"system": "no_such"}, "system.name", "must be"),
        ({"attack": "dgl"}, "attack", "must be “auto”, null or an object"),
        ({"attack": {"clients": [21]}}, "attack.clients", "between 1 and 20; got 21"),
        ({"local": {"learning_rate": 0}}, "local.learning_rate", "got 0"),
        ({"seed": -1}, "seed", "got -1"),
        ({"name": "x" * 81}, "name", "at most 80 characters"),
        (
            {"partition": {"kind": "group_labels", "groups": [{"share": 1, "labels": [42]}]}},
            "partition.groups",
            "got 42",
        ),
    ],
)
def test_invalid_field_is_refused_at_its_path(data: dict[str, Any], path: str, words: str):
    found = problems(data)
    assert set(found) == {path}
    assert re.search(words, found[path]), found[path]


def test_all_problems_are_found_in_one_go():
    found = problems(
        {"rounds": 0, "seed": -1, "clients": {"count": 3000, "low": 2}, "mechanism": "x", "extra": 1}
    )
    assert set(found) == {"rounds", "seed", "mechanism.name", "extra", "clients.count", "clients.low"}


@pytest.mark.parametrize("text", ["", "{", "hello", "[1", "[" * 100_000, "{'a': 1}"])
def test_malformed_json_is_refused(text: str):
    with pytest.raises(InvalidExperiment, match="this is not JSON"):
        loads(text)


@pytest.mark.parametrize("text", ["[]", "3", "null", '"digits"', "NaN"])
def test_json_that_is_no_object_is_refused(text: str):
    with pytest.raises(InvalidExperiment, match="must be a JSON object"):
        loads(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(sorted(Experiment.model_fields))


@settings(max_examples=in_gate(150, 300))
@given(data=st.dictionaries(FIELDS, JSON, max_size=4))
def test_any_json_is_an_experiment_or_a_clear_refusal(data: dict[str, Any]):
    try:
        experiment = parse(data)
    except InvalidExperiment as error:
        assert str(error)
        assert "\n" not in str(error)
    else:
        assert parse(experiment.as_json()) == experiment


@settings(max_examples=100)
@given(
    count=st.integers(1, 200),
    epsilon=st.floats(limits.EPSILON.minimum, limits.EPSILON.maximum),
    half=st.floats(limits.HALF_WIDTH.minimum, limits.HALF_WIDTH.maximum),
    rounds=st.integers(1, 10_000),
    mechanism=st.sampled_from(["none", "duchi", "pdpm", "piecewise", "laplace"]),
)
def test_experiments_within_limits_round_trip(
    count: int, epsilon: float, half: float, rounds: int, mechanism: str
):
    clients = {"count": count, "epsilon": epsilon, "range": half}
    experiment = parse({"clients": clients, "rounds": rounds, "mechanism": mechanism})
    again = loads(json.dumps(experiment.as_json()))
    assert again == experiment
    assert plan(again).key == plan(experiment).key


def test_changes_by_dotted_names():
    base = parse({})
    assert changed(base, {"clients.epsilon": 2, "rounds": 3}).rounds == 3
    assert changed(base, {"clients.range": 0.1}).clients.bounds()[1][0] == 0.1
    assert (
        changed(changed(base, {"clients.range": 0.1}), {"clients.low": -2, "clients.high": 2}).clients.range
        is None
    )
    deeper = changed(base, {"model.hidden": 7, "model.name": "mlp"})
    assert deeper.model.parameters() == {"hidden": 7}
    assert changed(deeper, {"model.name": "logistic_regression"}).model.parameters() == {"begin": "open"}
    assert changed(base, {"attack": None}).attack is None
    assert changed(base, {"attack.clients": [3]}).attack.clients == (3,)  # type: ignore[union-attr]
    with pytest.raises(InvalidExperiment, match=r"rounds\.x is not a field"):
        changed(base, {"rounds.x": 1})
    assert base == parse({}), "the original is untouched"


def refused(call: Any, *given: Any) -> str:
    with pytest.raises(InvalidExperiment) as caught:
        call(*given)
    return str(caught.value)


def test_duplicate_name_is_found_in_linear_time():
    """40 000 names took 26 s when each was counted."""
    many = ",".join(f'"k{n}":1' for n in range(40_000))
    with of_cpu(2):
        assert len(read_json(f"{{{many}}}")) == 40_000
        assert refused(read_json, f'{{{many},"k0":2}}') == "k0 stands there twice; which of the two is meant?"


def test_a_long_name_of_no_field_is_not_repeated_whole():
    long = "x" * 100_000
    for asked in ({long: 1}, {"clients": {long: 1}}, {"mechanism": {"name": "pdpm", long: 1}}):
        said = refused(parse, asked)
        assert "xxx… is not a field" in said
        assert len(said) < 400
    assert len(refused(read_json, f'{{"{long}": 1, "{long}": 1}}')) < 200


def test_problem_list_is_cut_at_a_hundred():
    with of_cpu(2), pytest.raises(InvalidExperiment) as caught:
        parse({f"k{n}": 1 for n in range(5000)})
    assert len(caught.value.problems) == 101
    assert str(caught.value).endswith("and 4900 more are wrong")


def test_changes_as_they_are_typed():
    assert typed_changes(
        ["rounds=5", "mechanism.name=duchi", 'clients={"count":3}', "clients.epsilon=1"]
    ) == {"rounds": 5, "mechanism.name": "duchi", "clients": {"count": 3}, "clients.epsilon": 1}


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["rounds=1", "rounds=2"], "rounds is set twice; which of the two is meant?"),
        (['clients={"count":1,"count":2}'], "count stands there twice; which of the two is meant?"),
        (
            ["clients.count=2", 'clients={"epsilon":1}'],
            "clients is set after clients.count, which it would undo",
        ),
        (["rounds"], "--set takes NAME=VALUE, like rounds=5; got “rounds”"),
    ],
)
def test_changes_of_which_one_would_be_lost_are_refused(pairs: list[str], words: str):
    assert words in refused(typed_changes, pairs)


@pytest.mark.parametrize(
    ("data", "meant"),
    [
        ({"partition": {"kind": "noniid"}}, "dirichlet"),
        ({"delta": 1e-5}, "mechanism.delta"),
        ({"lr": 0.1}, "local.learning_rate"),
        ({"epsilon": 1}, "clients.epsilon"),
        ({"aggregator": "FedAvg"}, "mean"),
        ({"aggregator": "median"}, ""),
        ({"target": "gradients"}, "update"),
        ({"partition": {"kind": "shards"}}, "group_labels"),
    ],
)
def test_hints_know_common_names_of_fields_and_parts(data: dict[str, Any], meant: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse(data)
    assert (
        (f"did you mean {meant}?" in str(caught.value))
        if meant
        else ("did you mean" not in str(caught.value))
    )


def test_a_field_of_other_parts_says_of_which():
    with pytest.raises(InvalidExperiment, match=r"it belongs to dynamic_gaussian, gaussian or"):
        parse({"mechanism": {"name": "duchi", "delta": 1e-5}})
    with pytest.raises(InvalidExperiment, match=r"it belongs to dirichlet or dirichlet_clients"):
        parse({"partition": {"kind": "iid", "alpha": 0.1}})


def test_an_object_that_is_no_registered_part_is_refused():
    class Loud(type(mechanisms.get("duchi"))):  # type: ignore[misc]
        label = "loud"

    with pytest.raises(InvalidExperiment, match="must be a registered part; got an object of the class Loud"):
        parse({"mechanism": Loud()})
    assert parse({"mechanism": mechanisms.get("duchi")}).mechanism.name == "duchi"


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
