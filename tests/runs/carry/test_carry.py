"""What is carried away comes back equal or not at all; the program trains the same; the page runs nothing."""

import base64
import io
import os
import runpy
import shutil
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from PIL import Image

from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.images import encode
from ldp_core.limits import spelled
from ldp_core.runs import carry, jobs, queue
from ldp_core.runs.jobs.finding import Wanted, lines
from ldp_core.runs.record.events import events_of, runs_of
from tests.conftest import ROOT
from tests.runs.in_process import bodies
from tests.runs.in_process import trained as trained_here
from tests.warm import Interpreter

EVIL = "\"'''</title><script>alert(1)</script>{x}\\"
"""A name that tries to be markup, Python and a template."""


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A job that was trained, and a folder with its runs, of which each test has a copy, and its ZIP."""
    folder = tmp_path_factory.mktemp("once")
    variants = (Variant("mean"), Variant(EVIL, {"aggregator.name": "inverse_variance"}))
    draft = Draft(parse({"rounds": 2, "name": EVIL, "attack": None}), variants, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder / "runs"))
        identity = trained_here(draft, reference=True).id
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


def recorded(identity: str) -> tuple[object, ...]:
    job = queue.get(identity)
    return job.kind, job.request, job.status, runs_of(job), bodies(job)


def test_exported_deleted_and_imported_it_is_equal_and_marked(trained: str, exported: Path):
    before = recorded(trained)
    jobs.remove(trained)
    identity = carry.bring_back(exported, "me", "here")
    job = queue.get(identity)
    assert recorded(identity) == before
    assert (job.owner, job.address) == ("me", "here")
    assert job.imported
    (line,) = lines(Wanted())
    accuracies = [run["accuracy"] for run in jobs.status(identity)["runs"] if run["label"] == "mean"]
    assert line.finals[0].accuracy == pytest.approx(sum(accuracies) / 2), "the list need not look into it"


@pytest.mark.parametrize("ending", ["json", "html"])
def test_what_is_no_zip_is_not_brought_back(trained: str, tmp_path: Path, ending: str):
    file = tmp_path / f"out.{ending}"
    carry.written(trained, file)
    with pytest.raises(InvalidInput, match="no ZIP file"):
        carry.bring_back(file)
    assert b"<!--" not in file.read_bytes(), "nothing is hidden in a report"
    with pytest.raises(InvalidInput, match="no ZIP file"):
        carry.bring_back(io.BytesIO(b"PK\x03\x04 and no more"))
    with pytest.raises(InvalidInput, match=r"nowhere\.zip cannot be read"):
        carry.bring_back(tmp_path / "nowhere.zip")


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
    lines = found.stdout.splitlines()
    assert len(lines) == 4
    recorded = [
        run["accuracy"] for run in jobs.status(trained)["runs"] if not run["label"].startswith("no noise")
    ]
    assert [line.split()[-3] for line in lines] == [repr(accuracy) for accuracy in recorded]
    assert all(line.endswith(" the same") for line in lines)


class Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [
            str(value) for name, value in attrs if name in ("src", "href") or name.startswith("on")
        ]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_report_stands_alone_and_runs_nothing(trained: str):
    text = carry.as_page(trained)
    page = Read()
    page.feed(text)
    assert not page.tags & {"script", "link", "img", "iframe", "object", "a"}
    assert page.links == []
    assert "default-src 'none'" in text
    assert EVIL in page.words
    end = next(e.body for e in events_of(queue.get(trained)) if e.body["event"] == "end")
    assert spelled(float(f"{end['ledger'][0]['run_worst']['epsilon']:.4g}")) in page.words
    for svg in text.split("<svg")[1:]:
        ET.fromstring(f"<svg{svg.partition('</svg>')[0]}</svg>")
    assert text.count("<svg") == 3


def test_the_report_begins_with_what_the_screen_showed(trained: str):
    grey, colour = encode(np.eye(3)), encode(np.ones((3, 2, 4)))
    figures = [("Accuracy", "mean 90 %", "one seed"), ("What leaks", EVIL, ""), ("Privacy", "ε 3", "δ 0")]
    rows = [("Client 1", [(grey, "a 2"), (colour, "alike 1")], "not back")]
    screen = carry.Shown("One wins.", figures, [EVIL], ["image", "mean"], rows, {0: "#123456"})
    page, text = Read(), carry.as_page(trained, screen)
    page.feed(text)
    assert not page.tags & {"script", "link", "iframe", "object", "a"}
    sizes = [Image.open(io.BytesIO(base64.b64decode(link.partition(",")[2]))).size for link in page.links]
    assert sizes == [(3, 3), (4, 2)], "the pictures are in the page itself"
    assert all(link.startswith("data:image/png;base64,") for link in page.links)
    assert page.words.index("One wins.") < page.words.index("Accuracy on held-out samples")
    assert "#123456" in text, "a run has the colour that it has on the screen"


def test_the_zip_holds_all_of_it(trained: str, exported: Path):
    with ZipFile(exported) as archive:
        assert archive.read("report.html").decode() == carry.as_page(trained)
        assert archive.read("program.py").decode() == carry.as_script(trained)
        data = {"rounds.csv", "rounds.parquet", "events.jsonl", "experiments.json", "job.json", "README.txt"}
        assert data < {*archive.namelist()}

        found = {name: archive.read(name) for name in archive.namelist() if name.endswith(".svg")}
    assert found.keys() == {"accuracy.svg", "noise_variance.svg", "card.svg"}
    recorded = [run["accuracy"] for run in jobs.status(trained)["runs"] if run["label"] == "mean"]
    for text in found.values():
        top = ET.fromstring(text)
        assert top.tag == "{http://www.w3.org/2000/svg}svg"
        assert {one.tag.partition("}")[2] for one in top.iter()} <= {
            *("svg", "rect", "line", "text", "polyline", "polygon")
        }
    assert f"mean {sum(recorded) / len(recorded):.1%}" in "".join(
        ET.fromstring(found["accuracy.svg"]).itertext()
    )


def test_what_has_not_ended_is_not_written_and_an_ending_of_ours_is_asked_for(runs_dir: Path, tmp_path: Path):
    waiting = queue.add("run", {"draft": Draft(parse({}), (Variant("run"),)).as_json()})
    for write in (carry.as_page, carry.as_script):
        with pytest.raises(InvalidInput, match="queued"):
            write(waiting)
    with pytest.raises(InvalidInput, match=r"ends in \.zip, \.html, \.card\.svg, \.card\.json, .*; got"):
        carry.written(waiting, tmp_path / "out.exe")
