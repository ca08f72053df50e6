"""What is said in the name of the clients' table: an edit has one shape, and all else was not typed."""

from pages.parts.clients.cells import MOST_TYPED, Edit, heard

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
