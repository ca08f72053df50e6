"""The README holds what it promises, and the container file what it must."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import packages_distributions

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_exactly_two_commands_of_one_line_each():
    commands = re.findall(r"^    (python3\.11 -m venv .*)$", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("streamlit run app.py")
    assert commands[1].endswith("python -m tests")


def test_the_picture_is_there_and_of_the_running_thing():
    (picture,) = re.findall(r"!\[.+\]\((.+)\)", README)
    header = (ROOT / picture).read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(header[16:20]) >= 1200


def test_the_commands_it_names_exist():
    from ldp_core.cli import _parser

    for name, rest in re.findall(r"python -m ldp_core (\w+)([^#;`\n]*)", README):
        arguments = ["0123456789ab" if word == "ID" else word for word in rest.split()]
        assert _parser().parse_args([name, *arguments]).name == name


def test_requirements_are_pinned():
    for file in ("requirements.txt", "tests/requirements.txt"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        wanted = [line for line in lines if line and not line.startswith(("#", "-r"))]
        assert wanted
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in wanted)


def test_whatever_is_imported_is_pinned():
    """Also what comes along with something else: it might not, one day."""
    found = set()
    for file in [ROOT / "app.py", *(ROOT / "ldp_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
    packages = packages_distributions()
    outside = {name.split(".")[0] for name in found} - set(sys.stdlib_module_names) - {"ldp_core", "pages"}
    optional = {"llvmlite"}  # need not be here
    needed = {packages.get(name, [name])[0].lower().replace("-", "_") for name in optional | outside}
    assert all(name in packages for name in outside - optional)
    pinned = re.findall(r"^([\w-]+)==", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
    assert needed <= {name.lower().replace("-", "_") for name in pinned}


def test_the_container_is_slim_non_root_watched_and_keeps_its_runs():
    """Statically: no engine runs here, so the file has been read and not built."""
    steps = [line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if re.match(r"[A-Z]+ ", line)]
    words = [word for word, _ in steps]
    assert ["FROM", "python:3.11-slim"] in steps
    assert any(word == "ARG" and rest.startswith("TORCH_INDEX") for word, rest in steps)
    assert ["USER", "studio"] in steps
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert "/_stcore/health" in DOCKERFILE
    assert "HEALTHCHECK" in words
    assert ["VOLUME", "/data"] in steps
    for word, rest in steps:
        if word == "COPY":
            *sources, _ = rest.split()
            assert all((ROOT / source).exists() for source in sources)
