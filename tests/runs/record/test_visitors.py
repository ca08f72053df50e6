"""What a visitor says of a run or of itself stays with that visitor, and goes without a trace."""

from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.errors import InvalidInput
from ldp_core.runs.record import guesses, nicknames
from tests.runs.in_process import found_in

DRAFT = presets.get("two_volunteers").draft


def test_a_guess_is_somebodys_about_settings(runs_dir: Path):
    assert guesses.of("me", DRAFT) is None
    guesses.keep("me", DRAFT, 60)
    guesses.keep("me", DRAFT, 40)
    assert guesses.of("me", DRAFT) == 40
    assert guesses.of("you", DRAFT) is None, "no link carries it"
    longer = DRAFT.with_base({"rounds": 40})
    assert guesses.of("me", longer) is None
    guesses.keep("me", longer, "a < b")
    assert (guesses.of("me", DRAFT), guesses.of("me", longer)) == (40, "a < b")


def test_skipped_scenario_is_remembered_per_visitor(runs_dir: Path):
    for who, scenario in (("me", "one"), ("me", "one"), ("you", "two")):
        guesses.skip(who, scenario)
    assert guesses.all_skipped("me") == {"one"}
    guesses.skip("me", "one", False)
    assert not guesses.is_skipped("me", "one") and guesses.is_skipped("you", "two")


def test_unreadable_guess_is_none(runs_dir: Path):
    guesses.keep("me", DRAFT, 60)
    for body in ("[1]", "not JSON", "null"):
        with guesses.DATABASE.writing() as db:
            db.execute("UPDATE guessed SET body = ?", (body,))
        assert guesses.of("me", DRAFT) is None


def test_a_nickname_is_kept_changed_and_overwritten(runs_dir: Path):
    assert nicknames.everybody() == {}
    nicknames.keep("a", " Anna-Karenina\n\x1b ")
    nicknames.keep("b", "")
    assert nicknames.everybody() == {"a": "Anna-Karenina", "b": ""}
    with pytest.raises(InvalidInput, match="at most 20 letters; this one has 21"):
        nicknames.keep("a", "x" * 21)
    nicknames.keep("a", "")
    assert nicknames.everybody() == {"a": "", "b": ""}
    assert not found_in(runs_dir, b"Karenina")
