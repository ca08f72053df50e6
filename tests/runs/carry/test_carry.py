"""An export equals the record; its program trains the same; its report runs nothing."""

import base64
import csv
import io
import json
import os
import re
import runpy
import shutil
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path
from unittest.mock import Mock
from zipfile import ZipFile

import numpy as np
import pytest
from PIL import Image

from ldp_core.accounting import entries, worth
from ldp_core.accounting.deployments import DEPLOYMENTS
from ldp_core.errors import InvalidInput, NotNow, UnknownJob
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.images import encode
from ldp_core.limits import at_most
from ldp_core.runs import carry, jobs, queue
from ldp_core.runs.carry import written
from ldp_core.runs.carry.card import as_card, card_picture
from ldp_core.runs.carry.training import pictures
from ldp_core.runs.jobs import archive
from ldp_core.runs.jobs.archive import export
from ldp_core.runs.jobs.listing import page
from ldp_core.runs.record.computations import database
from ldp_core.runs.record.events import events_of
from ldp_core.runs.view.styles import painted, styles
from tests.conftest import ROOT
from tests.runs.in_process import bodies, compute, queued
from tests.runs.in_process import trained as trained_here
from tests.warm import Interpreter

EVIL = "\"'''</title><script>alert(1)</script>{x}\\"
"""A name that tries to be markup, Python and a template."""
CLIENTS = {"count": 20, "epsilon": [0.01, 0.02] * 10}
DRAFT = Draft(
    parse({"rounds": 2, "name": EVIL, "attack": None, "clients": CLIENTS}),
    (Variant("mean"), Variant(EVIL, {"mechanism.name": "none"})),
    seeds=2,
)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A job that was trained, and a folder with its runs, of which each test has a copy, and its ZIP."""
    folder = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder / "runs"))
        identity = trained_here(DRAFT, reference=True).id
        carry.written(identity, folder / "out.zip")
    return identity, folder


@pytest.fixture
def trained(once: tuple[str, Path], runs_dir: Path) -> str:
    identity, folder = once
    shutil.copytree(folder / "runs", runs_dir)
    return identity


@pytest.fixture
def exported(once: tuple[str, Path], trained: str, tmp_path: Path) -> Path:
    return Path(shutil.copy(once[1] / "out.zip", tmp_path))


def accuracies(identity: str, label: str = "") -> list[float]:
    """Of all runs with noise, or of those with a label."""
    every = [run for run in jobs.status(identity)["runs"] if not run["label"].startswith("no noise")]
    return [run["accuracy"] for run in every if label in ("", run["label"])]


def test_earlier_import_is_listed_and_read_only(trained: str):
    """As they stored it: a job that names records by keys of their own."""
    job, before = queue.get(trained), bodies(queue.get(trained))
    keys = [f"imported-{number:016x}" for number in range(len(job.keys))]
    for old, new in zip(job.keys, keys, strict=True):
        database(old).rename(database(new))
    queue.update(trained, imported=True, keys=keys, status="cancelled")
    assert bodies(queue.get(trained)) == before
    assert [line.job.id for line in page(1, 50).lines] == [trained]
    with pytest.raises(NotNow):
        jobs.resume(trained)


def test_the_program_reproduces_the_accuracy_to_the_digit(
    trained: str, interpreter: Interpreter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    text = carry.as_script(trained)
    assert len(text.splitlines()) < 90
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    runpy.run_path(str(tmp_path / "program.py"), run_name="__mp_main__")  # as a spawned process begins
    assert capsys.readouterr().out == "", "it trains nothing then"
    for name in ("ldp_core", "assets"):
        (tmp_path / name).symlink_to(ROOT / name)
    found = interpreter.run(["program"], tmp_path, os.environ, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    said = [line.split()[-3:] for line in found.stdout.splitlines()]
    assert said == [[repr(accuracy), "the", "same"] for accuracy in accuracies(trained)]


def read(page: str) -> tuple[set[str], list[str], str]:
    """Tags of a page, what its attributes load or run, and its words."""
    loads = re.findall(r"<[^>]*\s(?:src|href|on\w+)\s*=\s*\"?([^\"> ]*)", page)
    return {*re.findall(r"<(\w+)", page)}, loads, unescape(re.sub("<[^>]*>", "", page))


ACTIVE = {"script", "link", "iframe", "object", "a"}


def test_report_is_self_contained_without_scripts(trained: str):
    text = carry.as_page(trained)
    tags, loads, words = read(text)
    assert not tags & {*ACTIVE, "img"}
    assert loads == []
    assert "default-src 'none'" in text
    assert EVIL in words
    end = next(body for body in bodies(queue.get(trained)) if body["event"] == "end")
    assert at_most(end["ledger"][0]["run_worst"]["epsilon"], 4) in words
    for svg in text.split("<svg")[1:]:
        ET.fromstring(f"<svg{svg.partition('</svg>')[0]}</svg>")
    assert text.count("<svg") == 3


def test_report_begins_with_the_figures_on_screen(trained: str):
    grey, colour = encode(np.eye(3)), encode(np.ones((3, 2, 4)))
    figures = [("Accuracy", "mean 90 %", "one seed"), ("What leaks", EVIL, ""), ("Privacy", "ε 3", "δ 0")]
    rows = [("Client 1", [(grey, "a 2"), (colour, "alike 1")], "not back")]
    screen = carry.Shown("One wins.", figures, [EVIL], ["image", "mean"], rows)
    text = carry.as_page(trained, screen)
    tags, loads, words = read(text)
    assert not tags & ACTIVE
    assert all(load.startswith("data:image/png;base64,") for load in loads)
    sizes = [Image.open(io.BytesIO(base64.b64decode(load.partition(",")[2]))).size for load in loads]
    assert sizes == [(3, 3), (4, 2)], "the pictures are in the page itself"
    assert words.index("One wins.") < words.index("Accuracy on held-out samples")
    paints = {painted(look.tint) for look in styles(DRAFT)}
    made = text, carry.as_page(trained), card_picture(trained), pictures(queue.get(trained))["accuracy.svg"]
    assert all(paint in one for one in made for paint in paints), (
        "a run has the colour that it has on the screen"
    )


def test_zip_holds_report_program_and_data(trained: str, exported: Path):
    with ZipFile(exported) as archive:
        assert archive.read("report.html").decode() == carry.as_page(trained)
        assert archive.read("program.py").decode() == carry.as_script(trained)
        data = {"rounds.csv", "events.jsonl", "experiments.json", "job.json", "README.txt"}
        assert data < {*archive.namelist()}
        found = {name: archive.read(name) for name in archive.namelist() if name.endswith(".svg")}
    assert found.keys() == {"accuracy.svg", "noise_variance.svg", "card.svg"}
    for text in found.values():
        tags = {one.tag.removeprefix("{http://www.w3.org/2000/svg}") for one in ET.fromstring(text).iter()}
        assert tags <= {"svg", "rect", "line", "text", "polyline", "polygon"}
    words = "".join(ET.fromstring(found["accuracy.svg"]).itertext())
    assert f"mean {np.mean(accuracies(trained, 'mean')):.1%}" in words


def test_unfinished_job_is_not_exported(runs_dir: Path, tmp_path: Path):
    waiting = queue.add("run", {"draft": DRAFT.as_json()})
    for write in (carry.as_page, carry.as_script, as_card):
        with pytest.raises(InvalidInput, match="queued"):
            write(waiting)
    with pytest.raises(InvalidInput, match=r"\.card\.svg, .*; got"):
        carry.written(waiting, tmp_path / "out.exe")


def test_card_states_the_worst_promise(trained: str):
    noisy, bare = json.loads(as_card(trained))["runs"]
    most = max((one.run_worst for one in entries(plan(DRAFT.experiments()[0]))), key=lambda one: one.bound)
    loss = noisy["privacy_loss"]
    assert loss["privacy_parameters"] == {"epsilon": pytest.approx(most.bound), "delta": most.delta}
    assert worth(most).promises in loss["privacy_parameters_details"]
    assert loss["number_of_privacy_units"] == 20
    assert noisy["deployment_model"]["model_name"] == "Local"
    assert bare["privacy_loss"]["privacy_parameters"]["epsilon"] is None, "no guarantee is no number"
    assert bare["dp_variant"]["unprotected_quantities"]
    words = " ".join(ET.fromstring(card_picture(trained)).itertext())
    assert "mean: " in words and f"{EVIL[:40]}: " in words and "no guarantee" in words
    assert f"ε ≤ {at_most(most.bound)}" in words
    assert all(one.name in words for one in DEPLOYMENTS)


SUM = "=1+1"
"""A label that a spreadsheet would compute."""


@pytest.fixture
def with_formula(runs_dir: Path) -> str:
    """A job whose two runs are recorded."""
    draft = Draft(parse({"rounds": 2}), (Variant(SUM), Variant("b", {"mechanism.name": "duchi"})), 1)
    job = queued(draft)
    assert compute(job).status == "completed"
    return job.id


@pytest.fixture
def files(with_formula: str) -> dict[str, bytes]:
    content, count = export(with_formula)
    assert count == len(events_of(queue.get(with_formula)))
    with ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_archive_equals_the_record(with_formula: str, files: dict[str, bytes]):
    stored = events_of(queue.get(with_formula))
    recorded = [json.loads(line) for line in files["events.jsonl"].splitlines()]
    assert recorded == [{"run": event.run, "at": event.at, **event.body} for event in stored]
    runs = json.loads(files["experiments.json"])
    assert [run["label"] for run in runs] == [SUM, "b"]
    assert all(plan(parse(run["experiment"])).key == run["key"] for run in runs)
    about = json.loads(files["job.json"])
    assert (about["id"], about["kind"]) == (with_formula, "run")
    assert about["exported_by"]["torch"].startswith("2.")
    assert b"simulation noise" in files["README.txt"]


def rows_of(text: bytes) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text.decode()))]


def test_archive_csv_holds_what_was_recorded(with_formula: str, files: dict[str, bytes]):
    stored = [body for body in bodies(queue.get(with_formula)) if body["event"] == "round"]
    rows = rows_of(files["rounds.csv"])
    assert [float(row["accuracy"]) for row in rows] == [event["accuracy"] for event in stored]
    assert {row["label"] for row in rows} == {f"'{SUM}", "b"}, "no formula"
    assert rows_of(files["attacks.csv"]) and "cells.csv" not in files


def test_export_of_an_unrecorded_job_is_refused(runs_dir: Path):
    waiting = queue.add("run", {"draft": {}}, None)
    with pytest.raises(InvalidInput, match=r"nothing is recorded of job \w+: it is queued"):
        export(waiting)
    with pytest.raises(UnknownJob):
        export("0" * 12)


def test_archive_is_written_atomically(with_formula: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out.zip"
    out.write_text("what was there before")
    monkeypatch.setattr(archive, "as_csv", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        written(with_formula, out)
    assert out.read_text() == "what was there before"
    assert [*tmp_path.glob("*out.zip*")] == [out]
