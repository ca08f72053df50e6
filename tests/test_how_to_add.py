"""The examples of ldp_core/HOW_TO_ADD.md, put into a copy of the project, and its commands as they stand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "ldp_core" / "HOW_TO_ADD.md").read_text(encoding="utf-8")
FILES = re.findall(r"^`(ldp_core/\w+/\w+\.py)`\n\n```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^    ((?:echo|python -m) .*)$", TEXT, re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all examples in it."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("ldp_core", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path, body in FILES:
        assert not (ROOT / path).exists(), f"{path} would be no addition"
        (folder / path).write_text(body, encoding="utf-8")
    return folder


def test_there_is_an_example_of_each_kind():
    assert [Path(path).parent.name for path, _ in FILES] == ["mechanisms", "aggregators", "selections"]
    assert len(COMMANDS) == 2 * len(FILES)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_run_as_they_stand(copy: Path, command: str, tmp_path: Path):
    environment = os.environ | {
        "PYTHONPATH": str(copy),
        "EPSILON_RUNS_DIR": str(tmp_path),
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }
    command = command.replace("python -m", f"{sys.executable} -m")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    if "ldp_core run" in command:
        assert '"event": "end"' in done.stdout.splitlines()[-1]
    else:
        assert "100%" in done.stdout, "pytest says so only where something was run"


@pytest.mark.parametrize("path", [path for path, _ in FILES])
def test_an_example_is_as_clean_as_the_rest(copy: Path, path: str):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", path], cwd=copy, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_what_it_tells_to_copy_is_there():
    for name in re.findall(
        r"`((?:ldp_core|tests|pages)/[\w/]+(?:\.py|/))`", TEXT.split("## Anything else")[1]
    ):
        assert (ROOT / name).exists(), name
