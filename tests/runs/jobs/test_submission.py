"""A click too many is none, and one that means it counts."""

from __future__ import annotations

import pytest

from ldp_core import presets
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import submission
from ldp_core.runs.queue.states import Status

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.mark.parametrize(
    ("end", "new"), [("completed", False), ("failed", False), ("cancelled", True)], ids=lambda one: str(one)
)
def test_the_second_click_of_two_is_none_unless_the_first_was_taken_back(
    end: Status, new: bool, monkeypatch: pytest.MonkeyPatch
):
    """Train, Stop, Train again within a second: the page showed what had been stopped, and nothing began."""
    monkeypatch.setattr(submission, "wake", lambda **_: None)
    draft = presets.get("two_volunteers").draft.with_base({"rounds": 3})
    first = jobs.submit(draft, "0123456789ab")
    assert queue.claim()
    if end == "cancelled":
        queue.cancel(first)
    assert queue.move(first, end)
    assert (jobs.submit(draft, "0123456789ab") != first) == new
