"""Parts from outside are listed as the program's own are; what will not do is named and harms nothing."""

import py_compile
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from ldp_core import attacks, doctor, mechanisms, selections
from ldp_core.component import Registry
from ldp_core.errors import InvalidExperiment, UnknownName
from ldp_core.experiment import parse, plan
from ldp_core.plugins import candidates, folder
from ldp_core.runs import kinds
from ldp_core.runs.record.computations import of_run
from tests.plugins.parts import SELECTION

OWN = selections.names()
PARAMETER = "    reference = 'A test'\n    share: {} = {}\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The operator's folder, with a place for selections."""
    monkeypatch.setattr(folder, "__path__", [str(tmp_path / "parts")])
    (tmp_path / "parts" / "selections").mkdir(parents=True)
    yield tmp_path / "parts" / "selections"
    for name in [one for one in sys.modules if one.startswith(f"{folder.__name__}.")]:
        del sys.modules[name]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry[Any]:
    """That of selections, which has not looked yet."""
    monkeypatch.delitem(vars(selections.registry), "_classes")
    monkeypatch.setattr(selections.registry, "refused", {})
    return selections.registry


def test_plugin_file_is_a_part_versioned_by_digest(place: Path, registry: Registry[Any]):
    (place / "by_turns.py").write_text(SELECTION)
    (place / "_notes.py").write_text("nothing that could be imported")
    assert registry.names() == sorted([*OWN, "by_turns"])
    assert [*registry.labels()][-1] == "by_turns", "colours and places of the program's own stay"
    kind = registry.kind("by_turns")
    assert kind.plugin.startswith("selections/by_turns.py ") and len(kind.plugin.split()[1]) == 12
    assert registry.refused == {}
    assert "by_turns (selections/by_turns.py)" in doctor.parts()[1]


def test_a_file_in_a_folder_of_no_kind_is_named_by_doctor(place: Path, registry: Registry[Any]):
    (place / "by_turns.py").write_text(SELECTION)
    (place.parent / "papers").mkdir()
    (place.parent / "papers" / "own_paper.py").write_text("PAPER = None")
    grade, found = doctor.parts()
    assert grade == "note" and "papers/own_paper.py" in found and "by_turns" not in found


def test_an_entry_point_names_a_class_or_its_module(
    place: Path, registry: Registry[Any], monkeypatch: pytest.MonkeyPatch
):
    (place.parent / "turns_of_others.py").write_text(SELECTION)
    monkeypatch.syspath_prepend(str(place.parent))
    entries = [("by_class", "turns_of_others:InTurn"), ("by_module", "turns_of_others")]
    found = EntryPoints(EntryPoint(name, value, registry.package) for name, value in entries)
    for each in entries:  # one class is one part
        monkeypatch.setattr(candidates, "_installed", lambda name=each[0]: found.select(name=name))
        vars(registry).pop("_classes", None)
        assert registry.names() == sorted([*OWN, each[0]])
        assert len(registry.kind(each[0])().choose(10, 0, 1, 2)) == 5
    sys.modules.pop("turns_of_others")


def test_part_that_others_can_write_is_left_out(place: Path, registry: Registry[Any]):
    """Else any account that may write there runs programs as the server's user."""
    (place / "by_turns.py").write_text(SELECTION)
    (place / "of_others.py").write_text(SELECTION)
    (place / "of_others.py").chmod(0o666)
    assert registry.names() == sorted([*OWN, "by_turns"])
    assert "other users can write" in registry.refused["of_others"]


def test_part_whose_cache_or_package_others_can_write_is_left_out(place: Path, registry: Registry[Any]):
    (place / "by_turns.py").write_text(SELECTION)
    (place / "of_others.py").write_text(SELECTION)
    compiled = Path(py_compile.compile(str(place / "of_others.py"), doraise=True) or "")
    compiled.chmod(0o666)
    (place / "several").mkdir()
    (place / "several" / "__init__.py").write_text("from .inner import *")
    (place / "several" / "inner.py").write_text(SELECTION)
    (place / "several" / "inner.py").chmod(0o666)
    assert registry.names() == sorted([*OWN, "by_turns"])
    assert "other users can write" in registry.refused["of_others"] and registry.refused["several"]


def test_parts_below_a_folder_open_to_all_are_left_out(place: Path, registry: Registry[Any]):
    (place / "by_turns.py").write_text(SELECTION)
    place.parent.chmod(0o777)
    assert registry.names() == sorted(OWN)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("all", SELECTION, "the program has a part of that name: rename it"),
        ("In_Turn", SELECTION, "its name must be small letters, digits and _, 40 at most: rename it"),
        ("absent", "import not_to_be_had", "ModuleNotFoundError: No module named 'not_to_be_had'"),
        ("leaves", "raise SystemExit('bye')", "SystemExit: bye"),
        ("broken", SELECTION.replace("def choose", "def choose("), "SyntaxError: "),
        ("empty", "", "its module must hold one class with a label that is derived from"),
        ("nameless", SELECTION.replace("label = ", "# "), "it holds none"),
        ("two", SELECTION + SELECTION.replace("InTurn", "Again"), "it holds InTurn, Again"),
        ("silent", SELECTION.replace("summary = ", "# "), "it has no summary: give the class one"),
        ("lacking", SELECTION.replace("def choose", "def chose"), "it lacks choose: define what its base"),
        (
            "limitless",
            SELECTION.replace('    reference = "A test"\n', PARAMETER.format("float", "0.5")),
            "its parameter share has no limits: annotate it with a Number, Whole, Choice or Checked",
        ),
        (
            "required",
            "from typing import Annotated\nfrom ldp_core.fields import Choice\n"
            + SELECTION.replace(
                '    reference = "A test"\n', "    way: Annotated[str, Choice(('up', 'down'))]\n"
            ),
            "its parameter way has no default that will do: give it one",
        ),
    ],
)
def test_unusable_plugin_is_left_out_with_a_reason(
    name: str, text: str, words: str, place: Path, registry: Registry[Any]
):
    (place / f"{name}.py").write_text(text)
    (place / "by_turns.py").write_text(SELECTION)
    assert registry.names() == sorted([*OWN, "by_turns"]), "the others are not harmed"
    why = registry.refused[name]
    assert words in why and why.startswith(f"{name} of selections/{name}.py is left out: ")
    grade, found = doctor.parts()
    assert (grade, why in found) == ("note", True)
    if name != "all":
        with pytest.raises(UnknownName, match="is left out"):
            registry.get(name)
        with pytest.raises(InvalidExperiment, match="is left out"):
            parse({"selection": name})


LAWLESS = """
from ldp_core.mechanisms.base import Mechanism
from ldp_core.mechanisms.shared.law import Law

class Half(Law):
    def mean(self, value):
        return value

class Lawless(Mechanism):
    label = "no law"
    summary = "Says nothing of what it sends."
"""


@pytest.mark.parametrize(
    ("law", "words"), [("", "it lacks law: "), ("    law = Half", "it lacks law.atoms, ")]
)
def test_a_mechanism_without_a_whole_law_is_left_out(
    law: str, words: str, place: Path, monkeypatch: pytest.MonkeyPatch
):
    (place.parent / "mechanisms").mkdir()
    (place.parent / "mechanisms" / "lawless.py").write_text(LAWLESS + law)
    monkeypatch.setattr(mechanisms.registry, "refused", {})
    with monkeypatch.context() as patched:
        patched.delitem(vars(mechanisms.registry), "_classes")
        assert "lawless" not in mechanisms.names()
    assert words in mechanisms.registry.refused["lawless"]


def test_of_two_with_one_name_the_first_is_taken(
    place: Path, registry: Registry[Any], monkeypatch: pytest.MonkeyPatch
):
    (place / "by_turns.py").write_text(SELECTION)
    other = EntryPoints([EntryPoint("by_turns", "turns_of_others", registry.package)])
    monkeypatch.setattr(candidates, "_installed", lambda: other)
    assert registry.kind("by_turns").plugin.startswith("selections/by_turns.py")
    assert "by_turns of turns_of_others is left out: another distribution" in registry.refused["by_turns"]


def test_plugin_version_changes_keys_of_its_runs_only(place: Path, registry: Registry[Any]):
    def keys(name: str) -> list[str]:  # of a process that has just begun
        vars(registry).pop("_classes", None)
        ladder = kinds.get("attack")
        asked = ladder.read({"base": {"selection": name}, "images": 1}, {})
        run = of_run(parse({"selection": name}))
        return [run.key, *(one.key for one in ladder.computations(asked, "a job"))]

    without = keys("all")
    (place / "by_turns.py").write_text(SELECTION)
    first = keys("by_turns")
    assert keys("all") == without
    (place / "by_turns.py").write_text(SELECTION + "# changed\n")
    sys.modules.pop(f"{folder.__name__}.selections.by_turns")
    assert not {*keys("by_turns")} & {*first}
    assert keys("all") == without


def test_an_attacker_from_outside_is_chosen_by_name_only(monkeypatch: pytest.MonkeyPatch):

    asked = plan(parse({})).facts("audit")
    chosen = attacks.choose(asked)
    assert chosen is not None
    monkeypatch.setattr(type(chosen), "plugin", "of somebody 1.0")
    other = attacks.choose(asked)
    assert other is not None and other.name != chosen.name
