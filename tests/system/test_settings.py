"""What is read of the environment: folders as a shell would read them, and no secret for those who train."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.datasets import data_dir
from ldp_core.errors import InvalidInput
from ldp_core.runs.storage.paths import runs_dir as folder_of_runs
from ldp_core.system.settings import folder, without_secrets


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "meant"), [("~", "."), ("~/x", "x"), (" ~/x/y ", "x/y"), ("x", "x"), ("a~b", "a~b"), ("", "d")]
)
def test_a_folder_is_read_as_a_shell_reads_it(
    typed: str, meant: str, home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_CACHE_DIR", typed)
    assert folder("EPSILON_CACHE_DIR", home / "d") == home / meant


def test_every_folder_of_the_environment_is(home: Path, monkeypatch: pytest.MonkeyPatch):
    """Where no shell expands it, as in a unit file of systemd."""
    compiled = pytest.importorskip("ldp_core.engines.fused.compiled")
    for name in ("EPSILON_RUNS_DIR", "EPSILON_DATA_DIR", "EPSILON_CACHE_DIR"):
        monkeypatch.setenv(name, "~/of studio")
    assert (folder_of_runs(), data_dir()) == (home / "of studio", home / "of studio")
    assert compiled.folder() == home / "of studio" / "kernels"
    assert [one.name for one in home.iterdir()] == ["of studio"]


def test_the_home_of_a_stranger_is_refused_with_the_setting(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_RUNS_DIR", "~no-such-user-here/runs")
    with pytest.raises(InvalidInput, match="EPSILON_RUNS_DIR must name a folder; got “~no-such"):
        folder_of_runs()


def test_secrets_are_for_the_server_alone():
    given = {
        "EPSILON_TEACHER": "chalk and board",
        "STREAMLIT_SERVER_COOKIE_SECRET": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "GITHUB_TOKEN": "c",
        "DB_PASSWORD": "d",
        "OPENAI_API_KEY": "e",
        "EPSILON_RAY_TOKEN": "f",
        "RAY_AUTH_TOKEN": "g",
    }
    needed = {"PATH": "/bin", "EPSILON_CORES": "2", "HTTPS_PROXY": "http://proxy", "SSH_AUTH_SOCK": "/run/x"}
    assert without_secrets(given | needed) == needed
    cluster = {"EPSILON_RAY_ADDRESS": "10.0.0.5:6379"}
    of_it = {"EPSILON_RAY_TOKEN": "f", "RAY_AUTH_TOKEN": "g"}
    assert without_secrets(given | needed | cluster) == needed | cluster | of_it
