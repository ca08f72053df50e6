"""The command line, in processes of its own: exit codes, one sentence on stderr, JSON lines on stdout."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.cli import main
from ldp_core.experiment import parse
from ldp_core.runs import queue
from tests.busy import within
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.alone


def ldp_core(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ldp_core", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=200,
    )


@pytest.mark.parametrize(
    ("stdin", "arguments", "words"),
    [
        ("", (), "this is not JSON"),
        ("hello", (), "this is not JSON"),
        ('{"rounds": 0}', (), "rounds must be a whole number between 1"),
        ('{"clients": {"epsilon": NaN}}', (), "clients.epsilon must be a number"),
        ("{}", ("--set", "rounds"), "--set takes NAME=VALUE"),
        ("{}", ("--set", "mechanism.name=lapalce"), "did you mean laplace"),
        ("{}", ("--set", "clients.count=1000000"), "clients.count must be"),
    ],
)
def test_a_bad_experiment_exits_with_2_and_one_sentence(stdin: str, arguments: tuple[str, ...], words: str):
    done = ldp_core("run", "-", *arguments, stdin=stdin)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("prune", "--to", "nan"), "", "--to takes gigabytes, 0 or more; got nan"),
        (("prune", "--to", "-1"), "", "--to takes gigabytes, 0 or more; got -1"),
        (("submit", "-", "--kind", "attack", "--set", "seed.x=1"), '{"seed": 1}', "seed.x is not a field"),
        (("submit", "-", "--kind", "attack"), '{"images": 0}', "images must be a whole number between 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_this_process(
    arguments: tuple[str, ...],
    stdin: str,
    words: str,
    runs_dir: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_without_a_standard_output_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["presets"]) == 2
    assert "no standard output" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    done = ldp_core("run", str(tmp_path / "nothing.json"))
    assert done.returncode == 2
    assert "nothing.json: No such file" in done.stderr
    binary = tmp_path / "image.json"
    binary.write_bytes(b"\xff\xfe\x00\x89PNG")
    done = ldp_core("submit", str(binary))
    assert done.returncode == 2
    assert "it is not text" in done.stderr
    done = ldp_core("run", "/dev/zero")
    assert done.returncode == 2
    assert "longer than 50 million characters" in done.stderr


def test_run_prints_events_and_settings_override_the_file(tmp_path: Path):
    file = tmp_path / "experiment.json"
    file.write_text('{"rounds": 9, "seed": 1}', encoding="utf-8")
    done = ldp_core("run", str(file), "--set", "rounds=2", "mechanism.name=duchi", "--set", "attack=null")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["start", "round", "round", "end"]
    experiment = lines[0]["experiment"]
    assert (experiment["seed"], experiment["mechanism"]["name"], experiment["attack"]) == (1, "duchi", None)
    assert 0 < lines[-1]["seconds"] < within(5)


def test_the_default_demonstration_takes_at_most_five_seconds_after_imports():
    done = ldp_core("run", "-", stdin="{}")
    assert json.loads(done.stdout.splitlines()[-1])["seconds"] <= within(5)


def test_a_reader_that_leaves_early_is_no_error():
    done = subprocess.run(
        f"echo '{{}}' | {sys.executable} -m ldp_core run - | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert json.loads(done.stdout)["event"] == "start"
    assert "Traceback" not in done.stderr


def test_presets_are_listed_shown_and_can_be_run():
    names = ldp_core("presets").stdout.split()
    assert names[0] == "two_volunteers"
    for name in names:
        base = ldp_core("presets", "--show", name).stdout
        assert parse(json.loads(base)) == presets.get(name).draft.base
    variants = ldp_core("presets", "--show", names[0], "--variants").stdout.splitlines()
    assert [json.loads(line)["aggregator"]["name"] for line in variants] == [
        "mean",
        "inverse_std",
        "inverse_variance",
    ]
    assert ldp_core("run", "-", "--set", "rounds=1", stdin=variants[2]).returncode == 0
    unknown = ldp_core("presets", "--show", "two_volunters")
    assert unknown.returncode == 2
    assert "did you mean two_volunteers" in unknown.stderr


def test_a_job_from_submit_to_its_end(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "1")
    submitted = ldp_core("submit", "-", "--set", "rounds=3", stdin="{}")
    identity = submitted.stdout.strip()
    assert len(identity) == 12, submitted.stderr
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (state := json.loads(ldp_core("status", identity, "--json").stdout))["status"] != "completed":
        assert state["status"] in ("queued", "running")
        assert time.monotonic() < deadline
    assert state["round"] == state["rounds"] == 3
    assert state["pid"] is None
    run = json.loads(ldp_core("run", "-", "--set", "rounds=3", stdin="{}").stdout.splitlines()[-1])
    assert state["weights_sha256"] == run["weights_sha256"]
    assert ldp_core("status", identity).stdout.startswith("completed, round 3 of 3, accuracy ")
    assert ldp_core("cancel", identity).stdout.strip() == "completed"
    for command in ("status", "cancel"):
        unknown = ldp_core(command, "0123456789ab")
        assert unknown.returncode == 2
        assert "there is no job" in unknown.stderr


def test_a_run_that_has_ended_can_be_removed(runs_dir: Path):
    identity = queue.add(
        "run", {"draft": {"base": {"name": "old\x1b[2J\n", "rounds": 3}, "variants": [{}], "seeds": 1}}
    )
    queue.get(identity).folder.mkdir(parents=True)
    (queue.get(identity).folder / "events.sqlite").write_bytes(b"garbage" * 1000)
    refused = ldp_core("remove", identity)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.strip().endswith(f"job {identity} is queued; stop it before it is deleted")
    queue.move(identity, "cancelled")
    listed = ldp_core("runs").stdout
    assert f"{identity}        0.0 MB  cancelled, damaged: its record" in listed
    assert listed.endswith("old [2J\n"), "nothing in a name steers a terminal"
    assert ldp_core("remove", identity).stdout == f"removed {identity}\n"
    assert not queue.find()
    assert not (runs_dir / "jobs" / identity).exists()
    assert "there is no job" in ldp_core("remove", identity).stderr
