"""Guesses stay with a draft and its settings, and with nobody else's."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ldp_core import presets
from ldp_core.runs.record import drafts, guesses

DRAFT = presets.get("two_volunteers").draft


def test_a_guess_is_about_settings(runs_dir: Path):
    identity = drafts.new(DRAFT)
    assert guesses.of(identity, DRAFT) is None
    guesses.keep(identity, DRAFT, 60)
    guesses.keep(identity, DRAFT, 40)
    assert guesses.of(identity, DRAFT) == 40
    longer = DRAFT.with_base({"rounds": 40})
    assert guesses.of(identity, longer) is None
    guesses.keep(identity, longer, "a < b")
    assert (guesses.of(identity, DRAFT), guesses.of(identity, longer)) == (40, "a < b")


def test_a_link_carries_no_guess(runs_dir: Path):
    identity = drafts.new(DRAFT)
    guesses.keep(identity, DRAFT, 60)
    copied = drafts.snapshot(drafts.share(DRAFT))
    assert copied == DRAFT
    assert guesses.of(drafts.new(copied), copied) is None


def test_a_scenario_that_is_skipped_is_not_asked_again_until_somebody_wants_it(runs_dir: Path):
    identity = drafts.new(DRAFT)
    guesses.skip(identity, "one")
    guesses.skip(identity, "one")
    assert guesses.is_skipped(identity, "one") and not guesses.is_skipped(identity, "other")
    guesses.skip(identity, "one", False)
    assert not guesses.is_skipped(identity, "one")


def test_what_cannot_be_read_is_no_guess(runs_dir: Path):
    identity = drafts.new(DRAFT)
    guesses.keep(identity, DRAFT, 60)
    for body in ("[1]", "not JSON", "null"):
        with sqlite3.connect(runs_dir / "guesses.sqlite") as db:
            db.execute("UPDATE guesses SET body = ?", (body,))
        assert guesses.of(identity, DRAFT) is None
