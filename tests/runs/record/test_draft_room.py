"""Drafts have an end: large ones cost others like them, and small ones stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.record import draft_room, drafts
from ldp_core.runs.storage.database import reading

pytestmark = pytest.mark.usefixtures("runs_dir")


def small(name: str) -> Draft:
    return Draft(parse({"name": name}), (Variant("run"),))


def large(first: float, clients: int = 6_000) -> Draft:
    budgets = [first, *(1 + n % 97 / 100 for n in range(clients - 1))]
    return Draft(
        parse({"dataset": "mnist", "clients": {"count": clients, "epsilon": budgets}}), (Variant("run"),)
    )


def size(runs_dir: Path) -> int:
    with reading(runs_dir / "drafts.sqlite") as db:
        assert db is not None
        return draft_room.taken(db)


def test_a_link_that_is_opened_again_and_again_fills_nothing(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DRAFTS_MB", "0.5")
    mine = [drafts.new(small(f"mine {n}")) for n in range(20)]
    link = drafts.share(small("shared"))
    opened = [drafts.new(large(1 + n / 100)) for n in range(60)]
    assert size(runs_dir) <= 5e5 + 1e5, "the limit, and what was written last"
    assert drafts.load(opened[-1]) == large(1 + 59 / 100), "what was opened last is there"
    assert drafts.load(opened[0]) is None
    assert all(drafts.load(one) for one in mine), "the small ones are"
    assert drafts.snapshot(link) is not None


def test_small_ones_have_an_end_too_and_the_oldest_go_first(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DRAFTS_MB", "0.1")
    found = [drafts.new(small(f"number {n}")) for n in range(160)]
    assert size(runs_dir) <= 1.2e5
    kept = [drafts.load(one) is not None for one in found]
    assert kept[-1]
    assert not kept[0]
    assert kept == sorted(kept), "the newest are there, and no hole among them"


def test_a_large_draft_keeps_fewer_revisions_and_can_be_undone(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(draft_room, "MOST_EACH", 150_000)
    identity = drafts.new(large(1.0))
    for n in range(1, 20):
        drafts.update(identity, lambda draft, n=n: large(1 + n / 100))  # type: ignore[misc]
    assert size(runs_dir) < 4e5
    assert drafts.load(identity) == large(1 + 19 / 100)
    assert drafts.undo(identity)
    assert drafts.load(identity) == large(1 + 18 / 100)


def test_a_setting_that_makes_no_sense_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DRAFTS_MB", "plenty")
    with pytest.raises(
        InvalidInput, match=r"^EPSILON_DRAFTS_MB must be a number from 0\.1 to 1e\+06; got “plenty”$"
    ):
        draft_room.most_bytes()
