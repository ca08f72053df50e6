"""Drafts survive, can be undone, are shared as snapshots that never change, and have an end: large ones cost
others like them, and small ones stay.
"""

from functools import partial
from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.errors import InvalidExperiment, UnknownDraft
from ldp_core.experiment import Draft, Variant, parse, parse_draft
from ldp_core.runs.record import drafts, guesses
from ldp_core.runs.storage import inventory
from tests.runs.processes import at_once

pytestmark = pytest.mark.usefixtures("runs_dir")
FIRST = Draft(parse({}), (Variant("a"),))


def test_a_draft_survives_and_each_change_can_be_undone():
    identity = drafts.new(FIRST)
    second = FIRST.with_base({"rounds": 3})
    for _ in range(2):
        assert drafts.update(identity, lambda _: second) == drafts.load(identity) == second
    for undone in (True, False):
        assert drafts.can_undo(identity) is drafts.undo(identity) is undone
        assert drafts.load(identity) == FIRST


def test_only_so_many_revisions_are_kept():
    identity = drafts.new(FIRST)
    for rounds in range(1, 80):
        drafts.update(identity, partial(Draft.with_base, changes={"rounds": rounds}))
    undone = 0
    while drafts.undo(identity):
        undone += 1
    assert undone == drafts.REVISIONS - 1


def test_equal_drafts_share_one_unchanging_link():
    identity = drafts.new(FIRST)
    link = drafts.share(FIRST)
    drafts.update(identity, lambda draft: draft.with_base({"rounds": 3}))
    assert drafts.snapshot(link) == FIRST
    assert drafts.share(FIRST) == link
    assert drafts.share(FIRST.with_base({"rounds": 3})) != link
    assert drafts.ladder_of(link) is None
    attack = {"upload": "real", "round": 3}
    with_attack = drafts.share(FIRST, attack)
    assert with_attack not in (link, drafts.share(FIRST, attack | {"round": 4}))
    assert (drafts.share(FIRST, attack), drafts.share(FIRST)) == (with_attack, link)
    assert (drafts.ladder_of(with_attack), drafts.snapshot(with_attack)) == (attack, FIRST)


def test_typed_inputs_are_kept_beside_the_draft():
    one, other = drafts.new(FIRST), drafts.new(FIRST)
    assert drafts.typed_of(one) == {}
    for value in ("0.5; 1", None):
        drafts.keep_typed(one, "ranges", value)
    drafts.keep_typed(one, "seeds", 3)
    drafts.keep_typed(one, "long", "1" * 20_000)
    assert drafts.typed_of(one) == {"ranges": None, "seeds": 3}
    assert drafts.typed_of(other) == {} and not drafts.can_undo(one)
    drafts.forget_typed(one)
    assert drafts.typed_of(one) == {}


def test_changes_made_at_the_same_time_are_all_kept():
    identity, first = drafts.new(FIRST), FIRST.base.rounds
    at_once(20, lambda: drafts.update(identity, lambda one: one.with_base({"rounds": one.base.rounds + 1})))
    assert drafts.load(identity) == FIRST.with_base({"rounds": first + 20})


def test_invalid_change_leaves_the_draft_unchanged():
    identity = drafts.new(FIRST)
    with pytest.raises(InvalidExperiment):
        drafts.update(identity, lambda draft: draft.with_base({"rounds": 0}))
    assert drafts.load(identity) == FIRST
    with pytest.raises(UnknownDraft):
        drafts.update("0123456789ab", lambda draft: draft)
    assert drafts.snapshot("0123456789ab") is None and not drafts.can_undo("0123456789ab")


def test_two_undos_at_once_leave_the_draft(monkeypatch: pytest.MonkeyPatch):
    identity = drafts.new(FIRST)
    drafts.update(identity, lambda draft: draft.with_base({"rounds": 5}))
    monkeypatch.setattr(drafts, "can_undo", lambda _: True)  # as both have seen it
    assert [drafts.undo(identity), drafts.undo(identity)] == [True, False]
    assert drafts.load(identity) == FIRST


def small(name: str) -> Draft:
    return parse_draft({"name": name})


def large(first: float) -> Draft:
    budgets = [first, *(1 + n % 97 / 100 for n in range(5_999))]
    return parse_draft({"dataset": "mnist", "clients": {"count": 6_000, "epsilon": budgets}})


def size() -> int:
    return sum(one.size for one in drafts.lying())


def test_one_person_keeps_so_many_of_the_newest_drafts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(inventory.KINDS, "draft", inventory.KINDS["draft"]._replace(each=3))
    other = drafts.new(FIRST, "ben", "school")
    found = [drafts.new(small(f"number {n}"), "anna", "school") for n in range(5)]
    assert [drafts.load(one) is not None for one in found] == [False, False, True, True, True]
    assert drafts.load(other) == FIRST


def test_a_large_draft_keeps_fewer_revisions_and_can_be_undone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(drafts, "MOST_EACH", 150_000)
    identity = drafts.new(large(1.0))
    for n in range(1, 20):
        drafts.update(identity, lambda draft, n=n: large(1 + n / 100))  # type: ignore[misc]
    assert size() < 4e5
    assert drafts.load(identity) == large(1.19)
    assert drafts.undo(identity)
    assert drafts.load(identity) == large(1.18)


SCENARIO = presets.get("two_volunteers").draft


def test_a_guess_is_somebodys_about_settings(runs_dir: Path):
    assert guesses.of("me", SCENARIO) is None
    guesses.keep("me", SCENARIO, 60)
    guesses.keep("me", SCENARIO, 40)
    assert guesses.of("me", SCENARIO) == 40
    assert guesses.of("you", SCENARIO) is None, "no link carries it"
    longer = SCENARIO.with_base({"rounds": 40})
    assert guesses.of("me", longer) is None
    guesses.keep("me", longer, "a < b")
    assert (guesses.of("me", SCENARIO), guesses.of("me", longer)) == (40, "a < b")


def test_skipped_scenario_is_remembered_per_visitor(runs_dir: Path):
    for who, scenario in (("me", "one"), ("me", "one"), ("you", "two")):
        guesses.skip(who, scenario)
    assert guesses.all_skipped("me") == {"one"}
    guesses.skip("me", "one", False)
    assert not guesses.is_skipped("me", "one") and guesses.is_skipped("you", "two")


def test_unreadable_guess_is_none(runs_dir: Path):
    guesses.keep("me", SCENARIO, 60)
    for body in ("[1]", "not JSON", "null"):
        with guesses.DATABASE.writing() as db:
            db.execute("UPDATE guessed SET body = ?", (body,))
        assert guesses.of("me", SCENARIO) is None
