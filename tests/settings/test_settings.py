"""What is read of the environment: folders as a shell would read them, and no secret for those who train."""

import re
from pathlib import Path

import pytest

from ldp_core import settings
from ldp_core.cli import main
from ldp_core.datasets import data_dir
from ldp_core.errors import InvalidInput
from ldp_core.runs.storage.paths import runs_dir as folder_of_runs
from ldp_core.settings import without_secrets
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "meant"), [("~", "."), ("~/x", "x"), (" ~/x/y ", "x/y"), ("x", "x"), ("a~b", "a~b")]
)
def test_folder_setting_expands_like_a_shell(
    typed: str, meant: str, home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_DATA_DIR", typed)
    assert settings.DATA_DIR.value() == home / meant


def test_every_folder_of_the_environment_is(home: Path, monkeypatch: pytest.MonkeyPatch):
    """Where no shell expands it, as in a unit file of systemd."""
    for name in ("EPSILON_RUNS_DIR", "EPSILON_DATA_DIR"):
        monkeypatch.setenv(name, "~/of studio")
    assert (folder_of_runs(), data_dir()) == (home / "of studio", home / "of studio")
    assert [one.name for one in home.iterdir()] == ["of studio"]


@pytest.mark.parametrize(
    "typed", ['"/srv/runs"', "'/srv/runs'", "$HOME/runs", "${HOME}/runs", r"C:\runs", "%TEMP%/x"]
)
def test_folder_that_only_a_shell_could_read_is_refused(
    typed: str, home: Path, monkeypatch: pytest.MonkeyPatch
):
    """As docker's env files and systemd's units pass them on."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", typed)
    with pytest.raises(InvalidInput, match="EPSILON_RUNS_DIR"):
        folder_of_runs()
    assert [*home.iterdir()] == []


def test_the_home_of_a_stranger_is_refused_with_the_setting(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_RUNS_DIR", "~no-such-user-here/runs")
    with pytest.raises(InvalidInput, match="EPSILON_RUNS_DIR must be a folder; got “~no-such"):
        folder_of_runs()


def test_secrets_are_for_the_server_alone():
    given = {
        "EPSILON_TEACHER": "chalk and board",
        "STREAMLIT_SERVER_COOKIE_SECRET": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "GITHUB_TOKEN": "c",
        "DB_PASSWORD": "d",
        "OPENAI_API_KEY": "e",
        "RAY_AUTH_TOKEN": "g",
    }
    needed = {
        "PATH": "/bin",
        "EPSILON_SLOT_CORES": "2",
        "HTTPS_PROXY": "http://proxy",
        "SSH_AUTH_SOCK": "/run/x",
    }
    assert without_secrets(given | needed) == needed
    cluster = {"EPSILON_RAY_ADDRESS": "10.0.0.5:6379"}
    of_it = {"RAY_AUTH_TOKEN": "g"}
    assert without_secrets(given | needed | cluster) == needed | cluster | of_it


def test_an_empty_variable_is_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch):
    for one in settings.SETTINGS:
        monkeypatch.setenv(one.name, " ")
        assert one.value() == one.default
    settings.refuse_nonsense()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("EPSILON_SLOTS", "1000", "must be a whole number from 1 to 64; got “1000”"),
        ("EPSILON_MEMORY_GB", "nan", "must be a number from 1e-06 to 1e+09, or inf; got “nan”"),
        ("EPSILON_ENGINE", "processes", "must be auto or batched; got “processes”, which is gone"),
        ("EPSILON_RAY_ADDRESS", "auto", "must be HOST:PORT, as `ray start` prints it, like 10.0.0.5:6379"),
        ("EPSILON_DATA_MIRROR", "/srv", "must be a web address, like https://data.example.org; got “/srv”"),
    ],
)
def test_invalid_setting_is_refused_at_start(
    name: str, text: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv(name, text)
    with pytest.raises(InvalidInput, match=re.escape(f"{name} {words}")):
        settings.refuse_nonsense()
    assert main(["presets"]) == 2
    assert capsys.readouterr().err.startswith(f"ldp_core presets: {name} {words}")


def test_doctor_prints_every_environment_variable(capsys: pytest.CaptureFixture[str]):
    """Also those that only a sentence, the container or nginx names."""
    named = set()
    texts = [*ROOT.glob("ldp_core/**/*.py"), *ROOT.glob("pages/**/*.py"), *ROOT.glob("assets/deploy/*")]
    for file in [ROOT / "app.py", ROOT / "Dockerfile", ROOT / "README.md", *texts]:
        named |= set(re.findall(r"EPSILON_[A-Z_]+[A-Z]", file.read_text(encoding="utf-8")))
    of_the_field = {"EPSILON_MODES", "EPSILON_STAR", "EPSILON_ADVICE"}
    assert named - of_the_field - set(settings.INTERNAL) - set(settings.GONE) == {
        one.name for one in settings.SETTINGS
    }
    assert main(["doctor", "--settings"]) == 0
    printed = capsys.readouterr().out
    assert [one.name for one in settings.SETTINGS if f"| `{one.name}` |" not in printed] == []


def test_removed_setting_names_its_replacement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert len(settings.SETTINGS) <= 16
    assert not set(settings.GONE) & {one.name for one in settings.SETTINGS}
    monkeypatch.setenv("EPSILON_CORES", "no number")
    settings.refuse_nonsense()
    (sentence,) = settings.given_and_gone()
    assert "EPSILON_CORES" in sentence and "EPSILON_SLOTS" in sentence
    main(["doctor"])
    assert sentence in " ".join(capsys.readouterr().out.split())
