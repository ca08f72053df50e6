"""The examples of ldp_core/HOW_TO_ADD.md, put into a copy of the project, and its commands as they stand."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_core.contract.registries import REGISTRIES
from tests.calibrated import calibrated
from tests.conftest import ROOT
from tests.guide import EXAMPLES, TEXT
from tests.runs.processes import end_workers, until
from tests.warm import Interpreter

LINE = re.findall(r"^In `pages/shell.py`:\n\n(        .*\n)", TEXT, re.MULTILINE)
COMMANDS = re.findall(r"^    ((?:echo|python -m) .*)$", TEXT, re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all examples in it."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("ldp_core", "pages", "assets", "tests"):
        shutil.copytree(ROOT / name, folder / name)  # with what is compiled of it
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path, body in EXAMPLES.items():
        assert not (ROOT / path).exists(), f"{path} would be no addition"
        (folder / path).write_text(body, encoding="utf-8")
    shell = folder / "pages" / "shell.py"
    before = '        st.Page("runs.py"'
    text = shell.read_text(encoding="utf-8")
    assert before in text
    shell.write_text(text.replace(before, f"{LINE[0]}{before}"), encoding="utf-8")
    return folder


def test_there_is_an_example_of_each_kind():
    rooms = {str(Path(path).parent) for path in EXAMPLES}
    kinds = [registry.package.replace(".", "/") for registry in REGISTRIES.values()]
    assert rooms == {
        *kinds,
        "ldp_core/presets",
        "ldp_core/lessons",
        "ldp_core/runs/kinds",
        "pages",
        "tests/pages",
    }
    added = [Path(path).stem for path in EXAMPLES]
    assert [name for name in added if not any(name in command for command in COMMANDS)] == []
    assert len(LINE) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_guide_commands_run_as_printed(
    copy: Path, interpreter: Interpreter, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(calibrated(tmp_path)))
    monkeypatch.setenv("PYTHONPATH", str(copy))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider")
    given, _, typed = command.rpartition(" | ")
    words = shlex.split(typed)[2:]
    done = interpreter.run(words, copy, os.environ, tmp_path, shlex.split(given)[1] if given else "")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    if "ldp_core submit" in command:
        identity = done.stdout.strip()
        try:
            until(identity, lambda job: not job.live)
            asked = ["ldp_core", "status", identity, "--json"]
            output = interpreter.run(asked, copy, os.environ, tmp_path).stdout
            assert json.loads(output)["status"] == "completed"
        finally:
            end_workers(tmp_path)
    elif "ldp_core run" in command:
        assert '"event": "end"' in done.stdout.splitlines()[-1]
    elif "ldp_core check" in command:
        assert {line[:2] for line in done.stdout.splitlines()} == {"ok"}
    elif "ldp_core presets" in command:
        assert json.loads(done.stdout)["name"]
    else:
        assert "100%" in done.stdout, "pytest says so only where something was run"


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.endswith(".py")])
def test_an_example_is_as_clean_as_the_rest(copy: Path, path: str):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", path], cwd=copy, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_guide_names_existing_files():
    for name in re.findall(
        r"`((?:ldp_core|tests|pages)/[\w/]+(?:\.py|/))`", TEXT.split("## Anything else")[1]
    ):
        assert (ROOT / name).exists(), name
