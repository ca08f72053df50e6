"""What is carried away comes back equal or not at all; the program trains the same; the page runs nothing."""

from __future__ import annotations

import io
import json
import os
import runpy
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import carry, jobs, kinds, queue
from ldp_core.runs.jobs.archive import FORMAT
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.record.store import events_after, runs_of
from tests.conftest import ROOT
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
        identity = queue.add("run", {"draft": draft.as_json(), "reference": True})
        assert queue.take(identity)
        kind, job = kinds.get("run"), queue.get(identity)
        job.folder.mkdir(parents=True)
        assert queue.move(identity, kind.run(kind.parse(job.request), job.folder).status)
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


def state(identity: str) -> tuple[object, ...]:
    job = queue.get(identity)
    asked = (job.id, job.kind, job.request, job.status, job.message)
    # to the microsecond, as they are carried: what is rounded further may be rounded to either side
    times = [at and datetime.fromtimestamp(at, UTC) for at in (job.created, job.started, job.ended)]
    return asked, times, runs_of(job.folder), events_after(job.folder)


def test_exported_deleted_and_imported_it_is_equal_and_marked(trained: str, exported: Path):
    before = state(trained)
    jobs.remove(trained)
    assert carry.bring_back(exported, "me") == trained
    assert state(trained) == before
    assert queue.get(trained).owner == "me"
    assert describe(queue.get(trained)).imported
    other = carry.bring_back(exported)
    assert other != trained, "a job that is here stays as it is"
    assert state(other)[2:] == before[2:]


@pytest.mark.parametrize("ending", ["json", "html"])
def test_json_and_the_report_bring_it_back_as_the_zip_does(trained: str, tmp_path: Path, ending: str):
    before, file = state(trained), tmp_path / f"out.{ending}"
    carry.written(trained, file)
    jobs.remove(trained)
    assert carry.bring_back(file, "me") == trained
    assert state(trained) == before
    assert describe(queue.get(trained)).imported


@pytest.mark.parametrize(
    ("ending", "edit", "words"),
    [
        ("html", lambda text: text.replace(b"Settings", b"settings", 1), "was edited after it was written"),
        ("html", lambda text: text[:-200] + text[-100:], "was edited|holds its record"),
        ("html", lambda text: b"<p>hello</p>", "no report of Epsilon Studio that holds its record"),
        ("html", lambda text: text * 9, "larger than 0 MB"),
        ("json", lambda text: text[:-100], "makes no sense as JSON"),
        ("json", lambda text: b"{" * 99_999, "makes no sense as JSON"),
        ("json", lambda text: text.replace(b'accuracy": 0.', b'accuracy": 0.9', 1), "makes no sense"),
        ("json", lambda text: b'{"job": {}, "experiments": [], "events": []}', "makes no sense"),
    ],
)
def test_a_report_or_json_that_was_edited_gets_a_sentence(
    trained: str, tmp_path: Path, ending: str, edit: Callable[[bytes], bytes], words: str
):
    file = tmp_path / f"out.{ending}"
    carry.written(trained, file)
    most = 2 * file.stat().st_size if "larger" in words else 10**8
    file.write_bytes(edit(file.read_bytes()))
    jobs.remove(trained)
    with pytest.raises(InvalidInput, match=words) as refused:
        carry.bring_back(file, most=most)
    assert "\n" not in str(refused.value)
    assert queue.find() == []


Edit = Callable[[dict[str, bytes]], object]


def _set(files: dict[str, bytes], **changes: object) -> None:
    files["job.json"] = json.dumps(json.loads(files["job.json"]) | changes).encode()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda files: files.update({"../../evil.py": b"x"}), "holds “../../evil.py”, which no export has"),
        (lambda files: files.update({"/etc/passwd": b"x"}), "which no export has"),
        (lambda files: _set(files, format=FORMAT + 1), "newer version of Epsilon Studio"),
        (lambda files: files.pop("job.json"), "has no job.json"),
        (lambda files: _set(files, kind="shell"), "cannot be done by this version"),
        (
            lambda files: _set(files, request={"draft": {"base": {"rounds": -1}}}),
            "cannot be done by this version",
        ),
        (lambda files: _set(files, request=[]), "cannot be done by this version"),
        (lambda files: _set(files, created="yesterday"), "makes no sense"),
        (
            lambda files: files.update({"events.jsonl": files["events.jsonl"].replace(b"0.", b"0.9", 1)}),
            "edited",
        ),
        (lambda files: files.update({"events.jsonl": b"[" * 100_000}), "makes no sense"),
        (
            lambda files: files.update({"rounds.csv": b"0" * 3_000_000}),
            "unpacks to 3 MB, and 2 MB is the most",
        ),
        (lambda files: files.update({"experiments.json": b"[{}]"}), "makes no sense"),
    ],
)
def test_what_is_no_export_gets_a_sentence_and_leaves_nothing(
    trained: str, exported: Path, tmp_path: Path, edit: Edit, words: str
):
    with ZipFile(exported) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    edit(files)
    with ZipFile(tmp_path / "edited.zip", "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    jobs.remove(trained)
    with pytest.raises(InvalidInput, match=words) as refused:
        carry.bring_back(tmp_path / "edited.zip", most=2_000_000)
    assert "\n" not in str(refused.value)
    assert queue.find() == []
    assert [*queue.queue_path().parent.glob("jobs/*"), *queue.queue_path().parent.glob("jobs/.*")] == []


def test_what_is_no_zip_gets_a_sentence(runs_dir: Path, tmp_path: Path):
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
    told = [run["accuracy"] for run in jobs.status(trained)["runs"] if run["label"] != "no noise"]
    assert [line.split()[-3] for line in lines] == [repr(accuracy) for accuracy in told]
    assert all(line.endswith(" the same") for line in lines)


class Read(HTMLParser):
    """Which elements there are, and what is read of them."""

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
    end = next(e.body for e in events_after(queue.get(trained).folder) if e.body["event"] == "end")
    assert f"{end['ledger'][0]['run_worst']['epsilon']:.6g}" in page.words
    for svg in text.split("<svg")[1:]:
        ET.fromstring(f"<svg{svg.partition('</svg>')[0]}</svg>")
    assert text.count("<svg") == 2


def test_the_zip_holds_all_of_it(trained: str, exported: Path):
    with ZipFile(exported) as archive:
        assert archive.read("report.html").decode() == carry.as_page(trained)
        assert archive.read("program.py").decode() == carry.as_script(trained)
        tables = {
            "rounds.csv",
            "rounds.parquet",
            "events.jsonl",
            "experiments.json",
            "job.json",
            "README.txt",
        }
        assert tables < {*archive.namelist()}


def test_its_pictures_are_files_that_stand_alone(trained: str, exported: Path):
    with ZipFile(exported) as archive:
        found = {name: archive.read(name) for name in archive.namelist() if name.endswith(".svg")}
    assert found.keys() == {"accuracy.svg", "noise_variance.svg"}
    told = [run["accuracy"] for run in jobs.status(trained)["runs"] if run["label"] == "mean"]
    for text in found.values():
        top = ET.fromstring(text)
        assert top.tag == "{http://www.w3.org/2000/svg}svg"
        assert {one.tag.partition("}")[2] for one in top.iter()} <= {
            *("svg", "rect", "line", "text", "polyline", "polygon")
        }
    assert f"mean {sum(told) / len(told):.1%}" in "".join(ET.fromstring(found["accuracy.svg"]).itertext())


def test_what_has_not_ended_is_not_written_and_an_ending_of_ours_is_asked_for(runs_dir: Path, tmp_path: Path):
    waiting = queue.add("run", {"draft": Draft(parse({}), (Variant("run"),)).as_json()})
    for write in (carry.as_page, carry.as_script):
        with pytest.raises(InvalidInput, match="queued"):
            write(waiting)
    with pytest.raises(InvalidInput, match=r"ends in \.zip, \.html, \.json, \.flower\.zip, \.py; got"):
        carry.written(waiting, tmp_path / "out.exe")
