"""Drafts survive, can be undone, and are shared as snapshots that never change."""

from __future__ import annotations

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import drafts

pytestmark = pytest.mark.usefixtures("runs_dir")
FIRST = Draft(parse({}), (Variant("a"),))


def test_a_draft_survives_and_each_change_can_be_undone():
    identity = drafts.new(FIRST)
    second = FIRST.with_base({"rounds": 3})
    drafts.save(identity, second)
    drafts.save(identity, second)
    assert drafts.load(identity) == second
    assert drafts.can_undo(identity)
    assert drafts.undo(identity)
    assert drafts.load(identity) == FIRST
    assert not drafts.can_undo(identity)
    assert not drafts.undo(identity)
    assert drafts.load(identity) == FIRST


def test_only_so_many_revisions_are_kept():
    identity = drafts.new(FIRST)
    for rounds in range(1, 80):
        drafts.save(identity, FIRST.with_base({"rounds": rounds}))
    undone = 0
    while drafts.undo(identity):
        undone += 1
    assert undone == drafts.REVISIONS - 1


def test_a_snapshot_never_changes_and_the_same_draft_gives_the_same_link():
    identity = drafts.new(FIRST)
    link = drafts.share(FIRST)
    drafts.save(identity, FIRST.with_base({"rounds": 3}))
    assert drafts.snapshot(link) == FIRST
    assert drafts.share(FIRST) == link
    assert drafts.share(FIRST.with_base({"rounds": 3})) != link


@pytest.mark.parametrize("identity", ["", "nothing", "../x", "0123456789ab", "%2e%2e", "a" * 5000])
def test_what_is_no_id_leads_nowhere(identity: str):
    assert drafts.load(identity) is None
    assert drafts.snapshot(identity) is None
    assert not drafts.can_undo(identity)
