"""Compare offers the runs that its visitor may see."""

import pytest

from ldp_core.experiment import parse_draft
from ldp_core.runs import Person
from pages.parts.compare.choice import _recent, chosen
from tests.runs.in_process import trained

DRAFT = parse_draft({"rounds": 1, "attack": None})


@pytest.mark.parametrize(("viewer", "seen"), [("anna", True), ("ben", False), (None, False)])
def test_private_run_is_offered_to_its_owner_alone(
    viewer: str | None, seen: bool, runs_dir: object, monkeypatch: pytest.MonkeyPatch
):
    private = trained(DRAFT, owner="anna", room="a" * 16)
    for module in ("compare.choice", "ui.visitor"):
        monkeypatch.setattr(f"pages.parts.{module}.visitor", lambda: Person(viewer))
    monkeypatch.setattr("streamlit.query_params", {"runs": private.id})
    assert (private.id in [job.id for job in _recent()]) == seen
    assert bool(chosen()[0]) == seen, "nor is it shown by its id"
