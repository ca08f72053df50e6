"""The clients' table: a row is taken over as a whole or not at all, and nothing typed is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import presets
from ldp_core.experiment import changed, parse, plan
from ldp_core.theory import client_variance
from pages.parts.clients.cells import FIELDS, MOST_TYPED, Edit, apply_edits, heard, resized
from pages.parts.clients.costs import MOST_GROUPS, group_data
from pages.parts.ui.text import number

BASE = parse({"clients": {"count": 4, "epsilon": 1}})
CLIENTS = BASE.clients


def test_valid_edits_are_taken_and_equal_values_merged():
    outcome = apply_edits(CLIENTS, {}, [((2, "epsilon"), "3,5")])
    assert outcome.changes == {"clients.epsilon": [1.0, 3.5, 1.0, 1.0]}
    assert outcome.typed == outcome.errors == {}
    assert apply_edits(CLIENTS, {}, [((1, "low"), "-1.0"), ((2, "epsilon"), "1")]).changes == {}
    clients = parse({"clients": {"count": 2, "epsilon": [1, 2]}}).clients
    assert apply_edits(clients, {}, [((1, "epsilon"), "2")]).changes == {"clients.epsilon": 2.0}


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("epsilon", "0", "between 0.000001 and 700; got “0”"),
        ("epsilon", "-1", "got “-1”"),
        ("epsilon", "abc", "got “abc”"),
        ("epsilon", " ", "is empty; it must be a number between"),
        ("epsilon", "nan", "got “nan”"),
        ("epsilon", "1e999", "got “1e999”"),
        ("low", "1", "must be below 1, the other end of the range; got 1"),
        ("high", "-3", "must be above -1, the other end of the range; got -3"),
        ("high", "-0.9999999", "must be at least 0.00013 above -1.0, the other end of the range: float32"),
        ("high", "1e9", "between -1\u202f000\u202f000 and 1\u202f000\u202f000"),
    ],
)
def test_a_bad_edit_stays_in_its_cell_with_the_reason(field: str, typed: str, words: str):
    outcome = apply_edits(CLIENTS, {}, [((3, field), typed)])
    assert outcome.changes == {}
    assert outcome.typed == {(3, field): typed}
    assert words in outcome.errors[3, field]


def test_all_that_is_wrong_in_a_row_is_stated_at_once():
    outcome = apply_edits(CLIENTS, {}, [((1, "epsilon"), "-1"), ((1, "low"), "3")])
    assert outcome.errors.keys() == {(1, "epsilon"), (1, "low")}
    assert "must be below 1" in outcome.errors[1, "low"]
    unread = apply_edits(CLIENTS, {}, [((1, "epsilon"), "-1"), ((1, "low"), "x"), ((1, "high"), "y")])
    assert unread.errors.keys() == {(1, "epsilon"), (1, "low"), (1, "high")}


def test_a_range_can_be_moved_past_itself_in_two_steps():
    first = apply_edits(CLIENTS, {}, [((1, "low"), "2")])
    assert first.changes == {}
    second = apply_edits(CLIENTS, first.typed, [((1, "high"), "3")])
    assert second.changes == {"clients.low": [2.0, -1.0, -1.0, -1.0], "clients.high": [3.0, 1.0, 1.0, 1.0]}
    assert second.typed == second.errors == {}


def test_one_bad_row_does_not_hold_up_the_others():
    outcome = apply_edits(CLIENTS, {}, [((1, "epsilon"), "x"), ((2, "epsilon"), "4"), ((1, "epsilon"), "y")])
    assert outcome.changes == {"clients.epsilon": [1.0, 4.0, 1.0, 1.0]}
    assert outcome.typed == {(1, "epsilon"): "y"}


@given(
    edits=st.lists(
        st.tuples(
            st.tuples(st.integers(-1, 6), st.sampled_from(list(FIELDS))),
            st.one_of(st.text(max_size=6), st.floats().map(str), st.floats(-2, 2).map(str)),
        ),
        max_size=12,
    )
)
def test_random_edits_keep_the_draft_valid(edits: list[tuple[tuple[int, str], str]]):
    outcome = apply_edits(CLIENTS, {}, edits)
    low, high = changed(BASE, outcome.changes).clients.bounds()
    assert (low < high).all()
    assert set(outcome.errors) <= set(outcome.typed) or not outcome.errors
    kept = {cell for cell, _ in edits if 1 <= cell[0] <= 4}
    assert set(outcome.typed) <= kept


def test_numbers_as_people_type_them():
    for text, value in ((" −1,5 ", -1.5), ("1.000,5", 1000.5), ("1 000", 1000), ("1.125", 1.125)):
        outcome = apply_edits(CLIENTS, {}, [((2, "low"), text), ((2, "high"), "2e3")])
        assert outcome.changes["clients.low"][1] == value
    outcome = apply_edits(CLIENTS, {}, [((1, "epsilon"), "1,000"), ((2, "epsilon"), "x")])
    assert not outcome.changes
    assert "1\u202f000 with a comma between thousands and 1 with" in outcome.errors[1, "epsilon"]
    assert outcome.errors[2, "epsilon"].endswith("got “x”")


def test_a_list_follows_the_number_of_clients():
    assert resized((1.0, 2.0), 4) == [1.0, 2.0, 2.0, 2.0]
    assert resized((1.0, 2.0, 3.0), 2) == [1.0, 2.0]
    assert resized((1.0, 1.0, 3.0), 2) == 1.0
    assert resized("eps1", 9) == "eps1"


GOOD = {"serial": 3, "client": 2, "field": "low", "text": "-1"}


def test_edits_come_in_their_order():
    result = {"edits": {"mount": "m", "log": [GOOD, GOOD | {"serial": 1, "text": "0"}]}}
    assert heard(result) == ("m", [Edit(1, (2, "low"), "0"), Edit(3, (2, "low"), "-1")])


def test_one_forged_edit_takes_no_other_along():
    mount, found = heard({"edits": {"mount": ["no name"], "log": [{"serial": "1"}, GOOD]}})
    assert isinstance(mount, str)
    assert [edit.serial for edit in found] == [3]


def test_a_long_text_has_an_end():
    _, (edit,) = heard({"edits": {"mount": "m" * 9999, "log": [GOOD | {"text": "9" * 9999}]}})
    assert len(edit.text) == MOST_TYPED


TWO = presets.get("two_volunteers").draft.base


def test_equal_clients_are_grouped_in_one_line():
    result = group_data(TWO)
    assert result
    assert [(one["name"], one["all"]) for one in result["groups"]] == [
        ("18 clients", list(range(1, 19))),
        ("2 clients", [19, 20]),
    ]
    assert [result["words"][one["at"]] for one in result["groups"]] == ["0.5", "8"]


@pytest.mark.parametrize("change", [{}, {"mechanism.name": "gaussian", "clients.epsilon_scope": "upload"}])
def test_each_place_tells_the_noise_of_that_budget(change: dict[str, str]):
    experiment = changed(TWO, change)
    result = group_data(experiment)
    assert result
    first = result["groups"][0]
    for place in (first["at"], 3, len(result["values"]) - 1):
        edits = [((client, "epsilon"), result["values"][place]) for client in first["all"]]
        moved = changed(experiment, apply_edits(experiment.clients, {}, edits).changes)
        assert np.unique(moved.clients.budgets()[:18]).tolist() == [float(result["values"][place])]
        assert first["noise"][place] == f"σ {number(float(np.sqrt(client_variance(plan(moved))[0])))}"


def test_of_too_many_different_clients_there_are_no_lines():
    many = changed(TWO, {"clients.epsilon": [1 + i / 10 for i in range(20)]})
    assert MOST_GROUPS < 20
    assert group_data(many) is None
