"""A paper from outside: measured, judged and exported like those of the house, or named with its line."""

import json
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from ldp_core import papers
from ldp_core.papers import folders
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import verdict
from ldp_core.plugins import candidates, folder
from ldp_core.runs import claims
from ldp_core.runs.carry import of_claims
from tests.guide import TEXT

(GOOD,) = re.findall(r"^```toml\n(label.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
"""The guide's example."""
PROGRAM = "def counted(experiment, load):\n    return experiment.clients.count / 40\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder of a paper in the folder of parts, which is written by a test; papers are looked for anew."""
    monkeypatch.setattr(folder, "__path__", [str(tmp_path / "parts")])
    made = tmp_path / "parts" / "papers" / "new"
    made.mkdir(parents=True)
    papers._found.cache_clear()
    yield made
    papers._found.cache_clear()
    papers.refused.clear()


def test_paper_from_outside_is_measured_judged_and_rerun(place: Path, runs_dir: Path):
    (place / "paper.toml").write_text(GOOD)
    (place / "program.py").write_text(PROGRAM)
    assert papers.names()[-1] == "new" and not papers.refused
    (claim,) = papers.get("new").claims
    assert verdict(claim, claims.shelf("new")).word == "not run"
    claims.rerun("new", seeds=6, say=lambda _: None)
    found = verdict(claim, claims.shelf("new"))
    assert [part.outcome for part in found.parts] == ["holds", "contradicted"]
    counted = claims.shelf("new").of_arm(claim.read("longer"), "counted")
    assert [one.value for one in counted.values()] == [0.5] * 6
    said = list[str]()
    claims.rerun("new", seeds=6, fresh=True, say=said.append)
    assert said[-1].startswith("48 of 48 ")
    exported = [one for one in json.loads(of_claims.everything()["figures.json"]) if one["paper"] == "new"]
    assert all(one["weights"] for one in exported if one["arm"] == "no noise")
    assert "Doe, Jane" in of_claims.bibtex()


def test_listing_a_paper_runs_none_of_its_python(place: Path):
    (place / "paper.toml").write_text(GOOD)
    (place / "program.py").write_text("raise SystemExit('it ran')")
    assert "new" in papers.names()


@pytest.mark.parametrize(
    ("old", "new", "at", "word"),
    [
        ("year = 2027", "year = ", "year", "TOML"),
        ("quotes = [{", "note = '' # [{", "[[claims]]", "quotes"),
        ("seeds = 3", "sedes = 3", "sedes", "sedes"),
        ("clients.epsilon", "clients.epsilom", "arms", "epsilom"),
        ('"ε 0.5"]}', '"ε 1"]}', '"ε 1"', "ε 1"),
        ("paper = 5", "paper = ''", "paper = ''", "paper"),
        (", paper = 5", "", 'of = "no noise"', "no noise"),
        ('"longer", set', '"longer", arms = ["absent"], set', "absent", "absent"),
        ('main = {claim = "first"', 'main = {claim = "second"', "main", "main"),
    ],
)
def test_malformed_paper_is_left_out_with_its_line(place: Path, old: str, new: str, at: str, word: str):
    text = GOOD.replace(old, new, 1)
    (place / "paper.toml").write_text(text)
    assert "new" not in papers.names()
    (line, *_) = (number for number, one in enumerate(text.splitlines(), 1) if at in one)
    said = papers.refused["new"]
    assert "new/paper.toml" in said and f"line {line}" in said and word in said and "\n" not in said


def test_entry_point_names_a_package_that_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "new_paper").mkdir()
    (tmp_path / "new_paper" / "__init__.py").write_text("raise SystemExit('it ran')")
    (tmp_path / "new_paper" / "paper.toml").write_text(GOOD)
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = EntryPoint("new", "new_paper", papers.__name__)
    monkeypatch.setattr(candidates, "_installed", lambda: EntryPoints([entry]))
    (one,) = candidates.folders(papers.__name__)
    assert folders.read(one.load(), one.name, one.origin).label == "New"


def test_folder_without_paper_and_taken_name_are_refused(place: Path):
    (place.parent / "pldp_fl").mkdir()
    (place.parent / "pldp_fl" / "paper.toml").write_text(GOOD)
    assert papers.get("pldp_fl").origin == ""
    assert {"new", "pldp_fl"} == {*papers.refused}


def test_program_that_others_can_write_is_not_run(place: Path, runs_dir: Path):
    (place / "paper.toml").write_text(GOOD)
    (place / "program.py").write_text(PROGRAM)
    (place / "program.py").chmod(0o666)
    paper = folders.read(place, "new", "papers/new")
    arm = paper.claims[0].arm("counted")
    assert arm.program
    with pytest.raises(Exception, match="other users can write"):
        arm.program(arm.tried, lambda name: pytest.fail("nothing is loaded"))
    assert Shelf.of(paper.figures).figures == {}
