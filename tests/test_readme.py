"""The README holds what it promises, and the container file what it must."""

import ast
import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions

import pytest
from packaging.requirements import Requirement

from ldp_core import __main__
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PINNED = (ROOT / "requirements.txt").read_text(encoding="utf-8")
LOCK = (ROOT / "assets" / "deploy" / "requirements.lock").read_text(encoding="utf-8")


def test_exactly_two_commands_of_one_line_each():
    commands = re.findall(r"^    (python3 -m venv .*)$", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith(".venv/bin/epsilon-studio")
    assert commands[1].endswith("python -m tests")
    assert not re.search(r"[A-Z]{2,}_", " ".join(commands)), "no setting of one machine"
    for one in commands:
        assert ".venv/bin/pip install -q --no-deps -e ." in one.split(" && ")[1], (
            "which says what Python it takes"
        )


def test_named_commands_exist():
    from ldp_core.cli import _parser

    named = re.findall(r"python -m ldp_core (\w+)([^#;`\n]*)", README)
    assert len({name for name, _ in named} - {"data"}) <= 10
    for name, rest in named:
        arguments = ["0123456789ab" if word == "ID" else word for word in rest.split()]
        assert _parser().parse_args([name, *arguments]).name == name


def test_contributing_names_folders_and_commands_that_are_there():
    named = re.findall(r"\b(?:pages|tests|ldp_core)/[\w/]+(?:\.\w+)?", CONTRIBUTING)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []
    modules = re.findall(r"\.venv/bin/python -m (\w+)", CONTRIBUTING)
    assert {"pytest", "ruff", "mypy", "tests"} == set(modules)


def test_requirements_are_pinned():
    for file in ("requirements.txt", "tests/requirements.txt", "tests/requirements-ray.txt"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        wanted = [line for line in lines if line and not line.startswith(("#", "-r"))]
        assert wanted
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in wanted)


def _bounded(requirements: str) -> set[str]:
    """As pinned at least, and below the next major version."""
    pins = re.findall(r"^([\w-]+)==((\d+)[\d.]*)$", requirements, re.M)
    return {f"{name}>={pin},<{int(major) + 1}" for name, pin, major in pins}


def test_dependencies_are_bounded_by_the_pins():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["dependencies"]) == _bounded(PINNED.partition("# What those pull in")[0])
    extra = project["optional-dependencies"]
    tests = (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8")
    assert set(extra["tests"]) == _bounded(tests)
    ray = (ROOT / "tests" / "requirements-ray.txt").read_text(encoding="utf-8")
    assert set(extra["ray"]) == _bounded(ray)
    assert set(extra["auth"]) == {
        one.replace("t>", "t[auth]>") for one in _bounded(PINNED) if "streamlit" in one
    }


def test_supported_pythons_agree_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (oldest, too_new) = re.findall(r"3\.(\d+)", project["requires-python"])
    taken = ((3, int(oldest)), (3, int(too_new)))
    assert taken == (__main__.OLDEST, __main__.TOO_NEW)
    assert f"any Python from 3.{oldest} to 3.{int(too_new) - 1} " in README


def test_another_python_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch):
    for version in ((3, 10, 13), (3, 15, 0)):
        monkeypatch.setattr(sys, "version_info", version)
        with pytest.raises(SystemExit, match=r"takes Python 3\.11 to 3\.14, and this is .*: make the env"):
            __main__.refuse_others()


def test_imported_packages_are_pinned():
    """Also what comes along with something else: it might not, one day."""
    found = set()
    for file in [ROOT / "app.py", *(ROOT / "ldp_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
    packages = packages_distributions()
    own = {"ldp_core", "pages", "ray"}  # a cluster has pins of its own, held above
    outside = {name.split(".")[0] for name in found} - set(sys.stdlib_module_names) - own
    needed = {packages.get(name, [name])[0].lower().replace("-", "_") for name in outside}
    assert all(name in packages for name in outside)
    pinned = re.findall(r"^([\w-]+)==", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
    assert needed <= {name.lower().replace("-", "_") for name in pinned}


def _pulled_in() -> dict[str, Distribution]:
    """What is installed here of all that the product needs, by its name in small letters."""
    found: dict[str, Distribution] = {}
    waiting = re.findall(r"^([\w-]+)==", PINNED, re.M)
    while waiting:
        name = waiting.pop()
        key = name.lower().replace("_", "-")
        try:
            package = distribution(name)
        except PackageNotFoundError:  # optional, or of another system
            continue
        if key not in found:
            found[key] = package
            wanted = map(Requirement, package.requires or [])
            waiting += [one.name for one in wanted if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


def test_transitive_packages_are_pinned_as_tested():
    """Torch's own CUDA packages follow torch, and are not here."""
    pins = {
        name.lower().replace("_", "-"): version for name, version in re.findall(r"^(.+)==(.+)$", PINNED, re.M)
    }
    found = _pulled_in()
    assert len(found) > 50
    assert {name: one.version.partition("+")[0] for name, one in found.items()}.items() <= pins.items()


def test_container_installs_pins_with_hashes():
    """Torch and torchvision come from an index of the builder's choice; nothing else comes without a hash."""
    hashed = r"^[\w.-]+==[\w.]+(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    locked = [one.partition(" ")[0] for one in re.findall(hashed, LOCK, re.M)]
    assert re.sub(rf"{hashed}|^#.*\n", "", LOCK, flags=re.M).strip() == ""
    names = [name.lower().replace("_", "-") for name in locked]
    assert len(set(names)) == len(names)
    pins = re.findall(r"^[\w.-]+==[\w.]+$", PINNED, re.M)
    from_torch = {pin for pin in pins if pin.startswith(("torch==", "torchvision=="))}
    assert len(from_torch) == 2
    assert set(names) == {pin.lower().replace("_", "-") for pin in set(pins) - from_torch}

    installs = re.findall(r"pip install ([^\\\n&]*)", DOCKERFILE.partition("ARG BASE")[2])
    assert "--no-deps --require-hashes -r requirements.lock " in installs
    assert all("requirements.lock" in one or "-r torch.txt" in one for one in installs)


FAMILIES = r"MIT(?!-CMU)|BSD|Apache|PSF"


def test_licences_are_stated_as_they_are():
    """Whatever is none of the usual families is named beside them."""

    def says(package: Distribution) -> str:
        fields = ("License-Expression", "License")
        said = [text for name in fields for text in package.metadata.get_all(name) or []]
        known = [c for c in package.metadata.get_all("Classifier") or [] if c.startswith("License")]
        return " ".join([*(text[:80] for text in said), *known])

    beside = {name for name, one in _pulled_in().items() if not re.search(FAMILIES, says(one))}
    assert beside == {"certifi", "pillow"}
    head = PINNED.partition("streamlit==")[0]
    assert all(name in head for name in [*beside, "MPL-2.0", "MIT-CMU", "libgfortran", "proprietary"])


def test_container_is_slim_and_non_root():
    """Statically: no engine runs here."""
    steps = [line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if re.match(r"[A-Z]+ ", line)]
    words = [word for word, _ in steps]
    assert steps[:2] == [["ARG", "BASE=python:3.11-slim"], ["FROM", "${BASE}"]], "and a digest can be named"
    assert "--extra-index-url" not in DOCKERFILE, "of two indexes either may give a package"
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


TEXT = (ROOT / "tests" / "RELIABILITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)))


def test_named_tests_exist():
    defined = {file: names_in(file) for file, _ in NAMED}
    assert len(defined) > 20
    assert [(file, name) for file, name in NAMED if name not in defined[file]] == []


def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign
    return {
        target
        for node in tree.body
        if isinstance(node, kinds)
        for target in (
            [node.name] if not isinstance(node, ast.Assign) else [ast.unparse(t) for t in node.targets]
        )
    }
