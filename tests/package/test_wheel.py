"""What a person has who installs the wheel: the dashboard and every command, from any folder."""

import json
import stat
import time
import urllib.request
from pathlib import Path

import pytest

from tests.package.installed import Installed
from tests.server.client import Viewer


def test_wheel_installs_only_its_own_top_packages(installed: Installed):
    (record,) = installed.packages.glob("epsilon_studio-*.dist-info/RECORD")
    top = {line.partition("/")[0] for line in record.read_text(encoding="utf-8").splitlines()}
    assert {one for one in top if one != ".."} == {"ldp_core", "epsilon_studio", record.parent.name}
    found = installed.run("python", "-c", "import ldp_core; print(ldp_core.__file__)").strip()
    assert Path(found).is_relative_to(installed.packages), "not the tree that the wheel was made of"


def test_installed_wheel_serves_trains_and_exports(installed: Installed):
    browser = installed.place / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {installed.place}/opened\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    with installed.serving("--server.headless=false", BROWSER=str(browser)) as url:
        for path in ("/_stcore/health", "/assets/web/dom.js"):
            with urllib.request.urlopen(url + path, timeout=10) as answer:
                assert answer.status == 200
        found = Viewer.visited(url, "train", "scenario=two_volunteers")
        deadline = time.monotonic() + 30
        while not (opened := installed.place / "opened").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert opened.read_text().strip() == f"{url}/"
    assert found.errors == []
    assert any("How accurate will the plain mean be?" in one for one in found.written), "as the scenario asks"

    identity = installed.run("epsilon-studio", "submit", "-", stdin="{}").strip()
    while (status := json.loads(installed.run("epsilon-studio", "status", identity, "--json")))["status"] in (
        "queued",
        "running",
    ):
        time.sleep(0.5)
    assert status["status"] == "completed" and status["round"] == 15
    for name in ("run.zip", "run.html", "run.py", "app.flower.zip"):
        installed.run("epsilon-studio", "export", identity, "--out", name)
        assert (installed.place / name).stat().st_size > 1000
    assert "mnist_sample" in installed.run("epsilon-studio", "data"), "what is shipped is found"
    assert "holds" in installed.run("epsilon-studio", "papers")


def test_invalid_start_argument_is_one_sentence(installed: Installed, tmp_path: Path):
    def refused(*words: str) -> str:
        done = installed.asked("epsilon-studio", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("epsilon-studio: ") and done.stderr.count("\n") == 1
        return done.stderr

    assert "no command “swep”; did you mean sweep?" in refused("swep")
    (tmp_path / "file").touch()
    for name, text, words in (
        ("EPSILON_RUNS_DIR", str(tmp_path / "file" / "runs"), "name another one in EPSILON_RUNS_DIR"),
        ("EPSILON_PAGES", "many", "EPSILON_PAGES must be a whole number from 1 to 100000; got “many”"),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(installed.environment, name, text)
            assert words in refused()
    assert "epsilon-studio [OPTIONS" in installed.run("epsilon-studio", "--help").replace("\n", " ")
