"""The tree holds: files are one idea and short, folders are no halls, the top is as it was fixed."""

import ast
import subprocess
from pathlib import Path

from ldp_core.contract.registries import REGISTRIES
from tests.conftest import ROOT
from tests.test_layers import PRODUCT, module_of, of_each

MOST_FILES = 15
"""In one folder, so that a newcomer finds any room in a minute; one or two more are no hall."""
PARTS = [registry.package.removeprefix("ldp_core.") for registry in REGISTRIES.values()]
"""The files of a shelf of discovered parts are not counted: they are all alike."""


@of_each(PRODUCT)
def test_a_file_is_one_idea(file: Path):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    tree = ast.parse(text)
    assert ast.get_docstring(tree), f"{module_of(file)} does not say what it is for"
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Assert)], "asserts vanish under -O"


def test_most_files_are_short():
    lengths = sorted(len(file.read_text(encoding="utf-8").splitlines()) for file in PRODUCT)
    assert lengths[int(len(lengths) * 0.9)] <= 250


ROOMS = sorted({file.parent for file in PRODUCT if file.parent != ROOT})


@of_each(ROOMS)
def test_a_room_has_a_face_and_is_no_hall(room: Path):
    rooms_of_parts = {ROOT / "ldp_core" / kind for kind in PARTS}
    assert room in rooms_of_parts or len([*room.glob("*.py")]) <= MOST_FILES + 2
    face = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    assert face, f"{room} does not say what is in it"


def test_top_level_holds_only_the_fixed_names():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = tracked.stdout.splitlines() or [path.name for path in ROOT.iterdir()]
    top = {Path(name).parts[0] for name in names}
    fixed = {"app.py", "pages", "ldp_core", "assets", "tests", "requirements.txt", "Dockerfile"}
    tools = {"README.md", "LICENSE", "CONTRIBUTING.md", "CITATION.cff", "pyproject.toml"}
    assert {name for name in top if not name.startswith(".")} <= fixed | tools
    assert fixed <= top
