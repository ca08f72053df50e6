"""What is said in the name of the clients' table: an edit has one shape, and all else was not typed."""

from typing import Any

import pytest

from pages.parts.clients.cells import MOST_TYPED, Edit, heard

GOOD = {"serial": 3, "client": 2, "field": "low", "text": "-1"}

ODD: tuple[Any, ...] = (None, [], {}, 0.5)
FORGED = [{"edits": {"mount": "m", "log": [GOOD | {name: odd}]}} for name in GOOD for odd in ODD]


def test_edits_come_in_their_order():
    result = {"edits": {"mount": "m", "log": [GOOD, GOOD | {"serial": 1, "text": "0"}]}}
    assert heard(result) == ("m", [Edit(1, (2, "low"), "0"), Edit(3, (2, "low"), "-1")])


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        {},
        {"edits": None},
        {"edits": 5},
        {"edits": {"mount": "m"}},
        {"edits": {"mount": "m", "log": 7}},
        {"edits": {"mount": "m", "log": {"serial": 1}}},
        {"edits": {"mount": "m", "log": [None, 1, "x", []]}},
        {"edits": {"mount": "m", "log": [{}]}},
        *FORGED,
    ],
    ids=str,
)
def test_malformed_messages_are_no_edits(message: Any):
    assert heard(message)[1] == []


def test_one_forged_edit_takes_no_other_along():
    mount, found = heard({"edits": {"mount": ["no name"], "log": [{"serial": "1"}, GOOD]}})
    assert isinstance(mount, str)
    assert [edit.serial for edit in found] == [3]


def test_a_long_text_has_an_end():
    _, (edit,) = heard({"edits": {"mount": "m" * 9999, "log": [GOOD | {"text": "9" * 9999}]}})
    assert len(edit.text) == MOST_TYPED
