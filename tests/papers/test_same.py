"""Versions whose figures are the present one's: only as it was proved, and only for exactly this version."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ldp_core import papers
from ldp_core.papers import same
from ldp_core.papers.measuring import left
from ldp_core.papers.same import NAME, Repeat, Rerun, current, differing, note, read, repeated, words
from ldp_core.papers.version import version
from tests.papers.claims import claim, figure, shelf

RUN = Rerun("personalized_ldp_fl", "iid-digits", "Duchi, mean", 3, "0123456789ab")


def pair(**given: Any) -> Repeat:
    return Repeat(**{"old": "v1", "new": version(), "date": "2026-11-24", "runs": (RUN,)} | given)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pairs are read from in this test."""
    monkeypatch.setattr(same, "SHIPPED", tmp_path)
    return tmp_path / NAME


def test_a_pair_counts_for_exactly_this_version(file: Path):
    assert not current("v1") and current(version())
    note(file, pair(new="00000000"))
    assert repeated() == {} and not current("v1")
    note(file, pair())
    assert repeated() == {"v1": pair()} and current("v1") and not current("v2")
    assert len(read(file)) == 2, "what another version has proved stays"
    note(file, pair(date="2026-11-25"))
    assert [one.date for one in read(file)] == ["2026-11-24", "2026-11-25"], "the same pair again replaces it"


def test_of_what_tells_a_time_only_its_own_version_counts(file: Path):
    note(file, pair())
    assert current("v1") and not current("v1", timed=True) and current(version(), timed=True)
    made = [one for name in papers.names() for one in papers.get(name).claims]
    assert any(one.timed for one in made) and not all(one.timed for one in made)


@pytest.mark.parametrize(
    "altered",
    [
        lambda row: row | {"new": version(), "old": "v2"},
        lambda row: row | {"date": "2027-01-01"},
        lambda row: row | {"runs": [*row["runs"], row["runs"][0]]},
        lambda row: row | {"runs": []},
        lambda row: row | {"more": 1},
        lambda row: {key: value for key, value in row.items() if key != "digest"},
        lambda row: row["old"],
    ],
)
def test_what_was_altered_counts_for_nothing_and_hides_no_others(
    file: Path, altered: Callable[[dict[str, Any]], Any]
):
    note(file, pair())
    note(file, pair(old="v0"))
    rows = json.loads(file.read_text())["repeats"]
    file.write_text(json.dumps({"repeats": [altered(rows[0]), rows[1]]}))
    assert list(repeated()) == ["v0"]


def test_a_pair_that_names_no_run_counts_for_nothing_even_with_its_digest(file: Path):
    note(file, pair(runs=()))
    assert read(file) == []


@pytest.mark.parametrize("text", ["", "[]", '{"repeats": 3}', '{"repeats": [3]}', "\x00", None])
def test_a_damaged_file_proves_nothing(file: Path, text: str | None):
    if text is not None:
        file.write_text(text)
    assert repeated() == {} and not current("v1")


def test_what_is_proved_is_not_measured_again(file: Path):
    made = claim()
    known = shelf(made, A=[70, 71, 72])
    assert len(left([made], known)) == 12
    note(file, pair())
    assert {arm.label for arm, _ in left([made], known)} == {"none", "C", "other"}
    assert len(left([made], known, fresh=True)) == 12


def test_who_measured_is_still_said(file: Path):
    assert words([version()]) == ""
    assert words(["v1"]) == (
        f"Measured with version v1 of what trains; this is {version()}: its figures may differ."
    )
    note(file, pair(runs=(RUN, replace(RUN, seed=4))))
    said = f"Measured with version v1; 2 runs of it were repeated bit for bit with this version, {version()}"
    assert words(["v1"]) == words([version(), "v1"]) == f"{said}, on 2026-11-24."
    assert words(["v0", "v1"]) == (
        f"{said}, on 2026-11-24; measured with version v0 of what trains; this is {version()}: its figures "
        "may differ."
    )
    assert "may differ" in words(["v1"], timed=True)


def test_every_digit_that_is_stored_is_compared():
    kept = figure(
        claim(), "A", 0, 70.0, curve=[0.1, 0.7], also={"unnoised": 0.9, "own_mix": 0.5}, chance=None
    )
    again = replace(kept, curve=(0.1, 0.7), version="v2", seconds=9.0, date="2027-01-01", chance=0.1)
    assert differing(kept, again) == []
    for change in (
        {"value": 0.7000000000000001},
        {"value": None},
        {"curve": (0.1, 0.7001)},
        {"noise": kept.noise * (1 + 2**-52)},  # type: ignore[operator]
        {"size": None},
        {"status": "diverged"},
        {"also": {"unnoised": 0.9}},
        {"also": {"unnoised": 0.9, "own_mix": 0.5000000000000001}},
    ):
        (said,) = differing(kept, replace(again, **change))
        assert " was " in said and " is now " in said
    diverged = replace(kept, value=None, status="diverged")
    assert differing(diverged, diverged) == [] and differing(diverged, kept) != []
