"""The command line: exit codes, one sentence on stderr, JSON lines on stdout.

There is a process of its own only where that is what is tested: imports take seconds.
"""

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from ldp_core import presets
from ldp_core.cli import main
from ldp_core.commands import COMMANDS, GONE
from ldp_core.experiment import parse
from ldp_core.runs import kinds, queue
from ldp_core.runs.record.computations import database
from tests.conftest import ROOT
from tests.pace import within
from tests.runs.processes import PATIENCE_SECONDS
from tests.warm import Interpreter


def ldp_core(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    out, err = io.StringIO(), io.StringIO()
    with patch.object(sys, "stdin", io.StringIO(stdin)), redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def ended(identity: str) -> dict[str, Any]:
    """What is said of a job once it is completed."""
    assert len(identity) == 12
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (state := json.loads(ldp_core("status", identity, "--json").stdout))["status"] != "completed":
        assert state["status"] in ("queued", "running") and time.monotonic() < deadline
        time.sleep(0.2)
    return state


def in_a_process(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ldp_core", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=200,
    )


@pytest.mark.parametrize("how", [ldp_core, in_a_process])
def test_malformed_experiment_exits_2_with_one_sentence(how: Callable[..., Any]):
    done = how("run", "-", stdin="hello")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "this is not JSON at line 1, column 1: it begins with “hello”\n" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("runs_dir")
@pytest.mark.parametrize(
    ("stdin", "command", "words"),
    [
        ('{"clients": {"epsilon": NaN}}', "run -", "clients.epsilon must be a number"),
        ("{}", "run - --set rounds", "--set takes NAME=VALUE"),
        ("{}", "run - --set kind=central", "; it could be partition.kind, selection.kind or trust.kind"),
        ("", "run two_volunteers", "`presets --show two_volunteers` prints its experiment"),
        ("", "prune --to nan", "--to takes gigabytes, 0 or more; got nan"),
        ('{"seed": 1}', "submit - --kind attack --set seed.x=1", "seed.x is not a field"),
        ("{}", "submit - --grid rounds=1,2", "--grid belongs to a sweep"),
        ("{}", "submit - --kind swep", f"kind of job must be {', '.join(kinds.names()[:-1])} or "),
    ],
)
def test_invalid_command_exits_2_with_one_sentence(stdin: str, command: str, words: str):
    done = ldp_core(*command.split(), stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr and "Traceback" not in done.stderr


def test_help_names_all_commands_without_importing_numpy():
    code = "import runpy, sys\ntry: runpy.run_module('ldp_core', run_name='__main__')\n"
    code += "except SystemExit: print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, cwd=ROOT)
    *listed, loaded = done.stdout.splitlines()
    assert loaded == "False"
    assert {line.split()[0] for line in listed if line.startswith("    ")} >= {*COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_command_explains_its_options(command: str):
    with pytest.raises(SystemExit, match="0"):
        ldp_core(command, "--help")


@pytest.mark.parametrize("command", GONE)
def test_removed_command_exits_2_with_its_replacement(command: str):
    done = ldp_core(command, "--some", "option")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert GONE[command] in done.stderr


@pytest.mark.usefixtures("runs_dir")
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("", "grid must name fields and their values"),
        ("--grid clients.epsilon", "--grid takes NAME=VALUE,VALUE…"),
        ("--grid clients.epsilon=1,,2", "clients.epsilon takes numbers or words between commas"),
        ("--grid rounds=1 --seeds many", "seeds must be a whole number between 1 and 20; got “many”"),
        ("--grid clients.epsilon=1,-1", "(in the cell clients.epsilon=-1)"),
    ],
)
def test_a_sweep_that_cannot_be_meant_is_one_sentence(asked: str, words: str):
    for command in ("sweep -", "submit - --kind sweep"):
        done = ldp_core(*f"{command} {asked}".split(), stdin="{}")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert words in done.stderr
    assert not queue.find()


def test_a_sweep_prints_a_line_a_cell_and_seed():
    grid = ("--grid", "clients.epsilon=0.5,8", "--grid", "mechanism.name=duchi,piecewise")
    done = ldp_core("sweep", "-", *grid, "--seeds", "2", "--set", "rounds=2", stdin='{"seed": 4}')
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(one["set"]["clients.epsilon"], one["set"]["mechanism.name"], one["seed"]) for one in lines} == {
        (epsilon, name, seed) for epsilon in (0.5, 8) for name in ("duchi", "piecewise") for seed in (4, 5)
    }
    assert len(lines) == 8
    for one in lines:
        assert (one["event"], one["status"], one["round"]) == ("cell", "completed", 2)
        assert 0 <= one["accuracy"] <= 1
    first = next(one for one in lines if (one["set"]["clients.epsilon"], one["seed"]) == (8, 4))
    changes = [f"{name}={value}" for name, value in first["set"].items()]
    alone = ldp_core("run", "-", "--set", "rounds=2", "seed=4", "attack=null", *changes, stdin="{}")
    assert json.loads(alone.stdout.splitlines()[-1])["weights_sha256"] == first["weights_sha256"]


def test_missing_standard_output_exits_2(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["presets"]) == 2
    assert "no standard output" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    binary = tmp_path / "image.json"
    binary.write_bytes(b"\xff\xfe\x00\x89PNG")
    for command, file, words in (
        ("run", tmp_path / "nothing.json", "nothing.json: No such file"),
        ("submit", binary, "it is not text"),
        ("run", "/dev/zero", "longer than 50 million characters"),
    ):
        done = ldp_core(command, str(file))
        assert done.returncode == 2
        assert words in done.stderr


@pytest.mark.alone
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


@pytest.mark.alone
def test_default_demo_takes_at_most_five_seconds():
    done = ldp_core("run", "-", stdin="{}")
    assert json.loads(done.stdout.splitlines()[-1])["seconds"] <= within(5)


def test_a_reader_that_leaves_early_is_no_error(interpreter: Interpreter, tmp_path: Path):
    """As `head -n 1` does."""
    words = ["ldp_core", "run", "-", "--set", "rounds=2", "attack=null"]
    process, printed = interpreter.piped(words, ROOT, os.environ, tmp_path, "{}")
    with printed:
        first = printed.readline()
    process.wait(PATIENCE_SECONDS)
    assert json.loads(first)["event"] == "start"
    assert "Traceback" not in (tmp_path / "stderr").read_text(encoding="utf-8")


def test_presets_are_listed_shown_and_can_be_run():
    names = ldp_core("presets").stdout.split()
    assert names[0] == "two_volunteers"
    for name in names:
        base = ldp_core("presets", "--show", name).stdout
        assert parse(json.loads(base)) == presets.get(name).draft.base
    variants = ldp_core("presets", "--show", names[0], "--variants").stdout.splitlines()
    weighed = [json.loads(line)["aggregator"]["name"] for line in variants]
    assert weighed == ["mean", "inverse_std", "inverse_variance"]
    assert ldp_core("run", "-", "--set", "rounds=1", stdin=variants[2]).returncode == 0
    unknown = ldp_core("presets", "--show", "two_volunters")
    assert unknown.returncode == 2
    assert "did you mean two_volunteers" in unknown.stderr


@pytest.mark.usefixtures("warm")
def test_a_job_from_submit_to_its_end():
    identity = ldp_core("submit", "-", "--set", "rounds=3", stdin='{"seed": 305}').stdout.strip()
    state = ended(identity)
    assert state["round"] == state["rounds"] == 3
    assert state["pid"] is None
    run = json.loads(ldp_core("run", "-", "--set", "rounds=3", stdin='{"seed": 305}').stdout.splitlines()[-1])
    assert state["weights_sha256"] == run["weights_sha256"]
    assert ldp_core("cancel", identity).stdout.strip() == "completed"
    for command in ("status", "cancel"):
        unknown = ldp_core(command, "0123456789ab")
        assert unknown.returncode == 2
        assert "there is no job" in unknown.stderr


def test_a_run_that_has_ended_can_be_removed(runs_dir: Path):
    identity = queue.add(
        "run", {"draft": {"base": {"name": "old\x1b[2J\n", "rounds": 3}, "variants": [{}], "seeds": 1}}
    )
    queue.update(identity, keys=["0" * 16])
    database("0" * 16).parent.mkdir(parents=True)
    database("0" * 16).write_bytes(b"garbage" * 1000)
    refused = ldp_core("remove", identity)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.strip().endswith(f"job {identity} is queued; stop it before it is deleted")
    queue.move(identity, "cancelled")
    listed = ldp_core("runs").stdout
    assert f"{identity}        0.0 MB  cancelled, damaged: its record" in listed
    assert " old [2J\n" in listed, "nothing in a name steers a terminal"
    assert ldp_core("remove", identity).stdout == f"removed {identity}\n"
    assert not queue.find()


BROUGHT = """
CREATE TABLE rounds (id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT, place TEXT, at REAL NOT NULL,
    lines TEXT NOT NULL);
INSERT INTO rounds VALUES ('0123456789ab', '=lab', NULL, NULL, 1.0,
    '[{"label":"a","seed":2,"figures":{"accuracy":[[0,0.1],[10,0.5]],"loss":[[10,null]]}}]');
PRAGMA user_version = 1;
"""


def test_rounds_stored_by_earlier_versions_become_csv(runs_dir: Path, tmp_path: Path):
    runs_dir.mkdir(exist_ok=True)
    with closing(sqlite3.connect(runs_dir / "rounds.sqlite")) as db:
        db.executescript(BROUGHT)
    done = ldp_core("doctor", "--rounds", str(tmp_path / "out"))
    assert (done.returncode, done.stderr) == (0, "")
    rows = [*csv.reader((tmp_path / "out" / "rounds.csv").read_text(encoding="utf-8").splitlines())]
    assert rows == [
        ["file", "label", "seed", "round", "accuracy", "loss"],
        ["'=lab", "a", "2", "0", "0.1", ""],
        ["'=lab", "a", "2", "10", "0.5", ""],
    ]


def test_a_run_that_diverges_exits_with_1():
    wild = json.dumps({"local": {"learning_rate": 1e6}, "attack": None, "rounds": 2})
    found = ldp_core("run", "-", stdin=wild)
    assert json.loads(found.stdout.splitlines()[-1])["status"] == "diverged"
    assert found.returncode == 1
    assert ldp_core("sweep", "-", "--grid", "seed=1,2", stdin=wild).returncode == 1
