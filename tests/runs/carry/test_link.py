"""A link holds the whole experiment, and one that was cut or changed is a sentence."""

import base64
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import presets
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse, parse_draft
from ldp_core.runs.carry.open_file import MOST_IN_LINK, as_link, of_link


@pytest.mark.parametrize("name", presets.names())
def test_every_scenario_fits_into_one_and_comes_out_equal(name: str):
    draft = presets.get(name).draft
    text = as_link(draft)
    assert re.fullmatch(r"[\w-]+", text)
    assert len(text) <= MOST_IN_LINK
    assert of_link(text) == draft


def test_names_are_text_and_a_long_one_has_no_link():
    evil = Draft(parse({"name": "<script>&?#%00"}), (Variant("\"'{}"),))
    assert of_link(as_link(evil)) == evil
    budgets = [0.5 + 1 / (n + 3) for n in range(1000)]
    assert as_link(parse_draft({"clients": {"count": 1000, "epsilon": budgets}})) == ""


def of(content: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(content)).decode().rstrip("=")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cut short or changed"),
        ("not base64!", "cut short or changed"),
        (as_link(presets.get("two_volunteers").draft)[:-9], "cut short or changed"),
        (of(b" " * 2_000_000), "cut short or changed"),
        (of(b"[" * 100_000), "cut short or changed"),
        (of(b"[]"), "cannot be run by this version"),
        (of(b'{"base": {"rounds": -1}}'), "cannot be run by this version: .*rounds"),
        (of(b'{"base": {"field of tomorrow": 1}}'), "cannot be run by this version: .*tomorrow"),
    ],
)
def test_damaged_settings_link_is_refused(text: str, words: str):
    with pytest.raises(InvalidInput, match=words) as refused:
        of_link(text)
    assert "\n" not in str(refused.value)


@given(st.text(max_size=100) | st.binary(max_size=100).map(of))
def test_any_text_is_a_draft_or_a_sentence(text: str):
    try:
        of_link(text)
    except InvalidInput as error:
        assert str(error)
