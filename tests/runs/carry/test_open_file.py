"""Settings are opened from links and exports; anything else is one sentence, in bounded memory."""

import base64
import io
import json
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_LZMA

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import presets
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, Variant, parse, parse_draft
from ldp_core.runs import carry, drafts, kinds
from ldp_core.runs.carry import as_link
from ldp_core.runs.carry.open_file import MOST_IN_LINK, of_link
from ldp_core.runs.jobs.archive import FORMAT
from tests.measured import megabytes
from tests.runs.carry.exports import ASKED, export_of, files_of, with_job, zipped

pytestmark = pytest.mark.usefixtures("runs_dir")
DRAFT = parse_draft(ASKED["run"])
REPORT = "<!doctype html><h2>Settings</h2><pre>{}</pre>"
PROGRAM = "import sys\n\nDRAFT = {}\n\n# (label, seed)\n"


@pytest.mark.parametrize("kind", kinds.names())
def test_zip_of_any_kind_opens_as_its_experiment(kind: str):
    made, about = kinds.get(kind), json.loads(files_of(kind)["job.json"])
    if not made.listed:
        with pytest.raises(InvalidInput, match="no settings"):
            carry.settings_in(io.BytesIO(export_of(kind)))
        return
    found = carry.settings_in(io.BytesIO(export_of(kind)))
    asked = made.parse(about["request"])
    if kind == "run":
        assert found == (DRAFT, None)
    else:
        assert found.draft.base == asked.base
        assert (found.ladder or {}).get("images") == (2 if kind == "attack" else None)


@pytest.mark.parametrize("name", ["report.html", "program.py"])
def test_report_and_program_open_as_the_draft(name: str):
    content = files_of()[name]
    assert carry.settings_in(io.BytesIO(content)).draft == DRAFT
    windows = content.replace(b"\n", b"\r\n")
    assert carry.settings_in(io.BytesIO(windows)).draft == DRAFT


def test_report_of_earlier_versions_opens():
    text = REPORT.format(json.dumps({"base": {"name": "a &lt;b&gt;"}, "variants": [{"label": "a"}]}))
    assert carry.settings_in(io.BytesIO(text.encode())).draft.base.name == "a <b>"


def test_link_opens_from_its_text_or_a_snapshot_here():
    held = f"https://studio.example.org/x/train?settings={as_link(DRAFT)}"
    assert carry.settings_at(held).draft == DRAFT
    ladder = {"images": 2}
    assert carry.settings_at(f"host/attack?share={drafts.share(DRAFT, ladder)}") == (DRAFT, ladder)
    for address in ("http://[", "https://studio.example.org/", f"http://x/?share={'0' * 12}", "?settings=x"):
        with pytest.raises(InvalidInput):
            carry.settings_at(address)


def changed(**changes: object) -> bytes:
    return zipped(with_job(files_of(), **changes)).getvalue()


REFUSED: dict[str, Callable[[], bytes]] = {
    "newer version": lambda: changed(format=FORMAT + 1),
    "no job.json": lambda: zipped({"a": b""}).getvalue(),
    "shell": lambda: changed(kind="shell"),
    "rounds": lambda: changed(request={"draft": {"base": {"rounds": -1}, "variants": [{"label": "a"}]}}),
    "damaged": lambda: changed(request={}),
    "edited: export": lambda: zipped(
        {"job.json": b'{"format": 1e999, "kind": "run", "request": {}}'}
    ).getvalue(),
    "is no ZIP": lambda: b"\xff\xfe\x00",
    "no link with settings": lambda: b"round,accuracy\n1,0.5\n",
    "edited": lambda: REPORT.format("[" * 5_000).encode(),
    "longer than": lambda: PROGRAM.format("[" + "1," * 70_000 + "]").encode(),
    "used by this version": lambda: PROGRAM.format('{"base": {"height": 3}}').encode(),
    "10 MB": lambda: b" " * 10_000_001,
    "packed in another way": lambda: zipped({"job.json": b"{}"}, ZIP_LZMA).getvalue(),
}


@pytest.mark.parametrize("words", REFUSED)
def test_file_without_usable_settings_is_one_sentence(words: str):
    with pytest.raises(InvalidInput, match=words) as caught:
        carry.settings_in(io.BytesIO(REFUSED[words]()))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "code",
    ["__import__('pathlib').Path({path!r}).touch()", "[1if 1 else 2]", "'\\d'", "1-1-1", "{1, 2}", "b''"],
)
def test_code_in_place_of_settings_is_refused(code: str, tmp_path: Path, recwarn: pytest.WarningsRecorder):
    text = PROGRAM.format(code.replace("{path}", repr(str(tmp_path / "made"))))
    with pytest.raises(InvalidInput):
        carry.settings_in(io.BytesIO(text.encode()))
    assert not (tmp_path / "made").exists()
    assert not recwarn.list


def test_paths_of_an_archive_are_never_written(runs_dir: Path):
    more = {"../../evil.py": b"x", "/etc/passwd": b"x", "events.jsonl": b"no JSON"}
    before = {*runs_dir.parent.rglob("*")}
    assert carry.settings_in(zipped(files_of() | more)).draft == DRAFT
    assert {*runs_dir.parent.rglob("*")} == before


BRACES = b"{}," * 3_000_000
"""9 MB that are 200 MB as objects of Python's, and 9 kB in a ZIP."""


def with_long_directory(content: bytes, entries: int) -> bytes:
    """A ZIP that lists one file so many times over."""
    size, start = struct.unpack("<2L", content[-10:-2])
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, size * entries, start, 0)
    return content[:start] + content[start : start + size] * entries + end


BOMBS: dict[str, Callable[[], bytes]] = {
    "job": lambda: zipped({"job.json": b'{"a":[' + BRACES + b"{}]}"}).getvalue(),
    "values": lambda: zipped({"job.json": b'{"a":[' + b"[]," * 99_000 + b"{}]}"}).getvalue(),
    "directory": lambda: with_long_directory(zipped({"a": b""}).getvalue(), 60_000),
    "report": lambda: REPORT.format("[" + "{}," * 2_000_000 + "{}]").encode(),
    "program": lambda: PROGRAM.format("[" + "[]," * 29_000 + "1]").encode(),
    "sums": lambda: PROGRAM.format("1" + " -1" * 600_000).encode(),
}
ACT = """
from pathlib import Path
from ldp_core.errors import StudioError
from ldp_core.runs import carry
def opened(name):
    try:
        with Path(name).open("rb") as stream:
            return carry.settings_in(stream).draft.seeds
    except StudioError as error:
        return str(error)
opened(sys.argv[1])  # whatever is loaded first
def act():
    return opened(sys.argv[2])
"""


@pytest.mark.parametrize("what", BOMBS)
def test_bomb_takes_bounded_memory(what: str, tmp_path: Path):
    (tmp_path / "sound.zip").write_bytes(export_of("run"))
    (tmp_path / "bomb").write_bytes(BOMBS[what]())
    assert megabytes(ACT, str(tmp_path / "sound.zip"), str(tmp_path / "bomb")) < 60


@pytest.mark.parametrize("name", presets.names())
def test_every_scenario_fits_into_one_and_comes_out_equal(name: str):
    draft = presets.get(name).draft
    text = as_link(draft)
    assert re.fullmatch(r"[\w-]+", text)
    assert len(text) <= MOST_IN_LINK
    assert of_link(text) == draft


def test_names_are_text_and_a_long_one_has_no_link():
    evil = Draft(parse({"name": "<script>&?#%00"}), (Variant("\"'{}"),))
    assert of_link(as_link(evil)) == evil
    budgets = [0.5 + 1 / (n + 3) for n in range(1000)]
    assert as_link(parse_draft({"clients": {"count": 1000, "epsilon": budgets}})) == ""


def of(content: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(content)).decode().rstrip("=")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cut short or changed"),
        ("not base64!", "cut short or changed"),
        (as_link(presets.get("two_volunteers").draft)[:-9], "cut short or changed"),
        (of(b" " * 2_000_000), "cut short or changed"),
        (of(b"[" * 100_000), "cut short or changed"),
        (of(b"[]"), "cannot be run by this version"),
        (of(b'{"base": {"rounds": -1}}'), "cannot be run by this version: .*rounds"),
        (of(b'{"base": {"field of tomorrow": 1}}'), "cannot be run by this version: .*tomorrow"),
    ],
)
def test_damaged_settings_link_is_refused(text: str, words: str):
    with pytest.raises(InvalidInput, match=words) as refused:
        of_link(text)
    assert "\n" not in str(refused.value)


@given(st.text(max_size=100) | st.binary(max_size=100).map(of))
def test_any_text_is_a_draft_or_a_sentence(text: str):
    try:
        of_link(text)
    except InvalidInput as error:
        assert str(error)
