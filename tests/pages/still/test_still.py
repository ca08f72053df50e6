"""The page that needs no server: whole, small, of stored figures alone; and what of a job may be in it."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import lessons, presets
from ldp_core.cli import main
from ldp_core.errors import InvalidInput, UnknownJob
from ldp_core.runs import outcomes, promises_bought, queue, stored_ladder
from pages.parts.still import bundle
from pages.parts.still.parts import page
from pages.parts.still.stored import SCENARIO
from pages.parts.ui.text import percent
from tests.conftest import ROOT
from tests.runs.in_process import queued, trained

MOST_BYTES = 600_000
LADDER = {"base": {"dataset": "digits"}, "mechanisms": ["duchi"], "epsilons": [1, 8], "images": 2}


@pytest.fixture(scope="module")
def built() -> str:
    return page()


def parts_of(html: str, kind: str) -> list[dict[str, Any]]:
    return [part["data"] for part in bundle.unpacked(html)["parts"] if part["kind"] == kind]


def test_page_is_small_and_its_policy_allows_no_request(built: str):
    assert len(built.encode()) <= MOST_BYTES
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', built)
    assert policy and policy[1].startswith("default-src 'none'") and "http" not in policy[1]
    assert re.findall(r'(?:src|href|action)="(?!data:)', built) == []


def test_shipped_page_is_the_one_that_is_made(built: str):
    shipped = (ROOT / "assets" / "still.html").read_text(encoding="utf-8")
    assert bundle.unpacked(shipped) == bundle.unpacked(built), "python -m ldp_core still assets/still.html"
    around = [html.partition(bundle.OPENING)[0] for html in (shipped, built)]
    assert around[0] == around[1]


def test_promises_and_attacks_are_those_that_are_stored(built: str):
    stored, (drawn,) = promises_bought(), parts_of(built, "dissolve")
    assert stored is not None
    for row, trust in zip(stored.bought.values(), drawn["trusts"], strict=True):
        said = [step["figures"][0]["words"] for step in trust["steps"]]
        assert said == [percent(one.accuracy) for one in row.values()]
    ladder, (shown,) = stored_ladder.stored_ladder(), parts_of(built, "ladder")
    assert ladder is not None
    cells = [cell for row in shown["rows"] for cell in row["cells"]]
    assert len(cells) == len(ladder.desk.cells)
    for cell, found in zip(cells, ladder.desk.cells.values(), strict=True):
        assert cell["lines"][0].startswith(percent(found["identified"] / found["n"]))


def test_replay_comes_to_the_stored_outcome_in_each_round(built: str):
    found, (replay,) = outcomes.stored(SCENARIO), parts_of(built, "replay")
    assert found is not None
    assert len(replay["frames"]) == len(replay["rounds"]) == found.rounds
    for number, frame in enumerate(replay["frames"], 1):
        lines = {trace.get("name"): trace["y"] for trace in json.loads(frame["accuracy"]["figure"])["data"]}
        for variant, curve in zip(presets.get(SCENARIO).draft.variants, found.curves, strict=True):
            drawn = np.frombuffer(base64.b64decode(lines[variant.label]["bdata"]), dtype=np.float32)
            assert drawn == pytest.approx(curve[: number + 1], abs=1e-4)


def test_each_lesson_shows_the_stored_outcome(built: str):
    (shown,) = parts_of(built, "lessons")
    assert [one["lang"] for one in shown["languages"]] == lessons.languages()
    each = [one for spoken in shown["languages"] for one in spoken["lessons"]]
    assert [one["name"] for one in each] == lessons.names() * len(lessons.languages())
    assert sum("room" in one for one in each) == len(lessons.languages())
    for one in each:
        if "why" not in one:
            continue
        scenario = lessons.get(one["name"]).scenario
        preset, found = presets.get(scenario), outcomes.stored(scenario)
        assert found is not None
        ends = {line["name"]: line["end"] for line in one["shown"]["lines"]}
        for variant, curve in zip(preset.draft.variants, found.curves, strict=True):
            assert ends[variant.label].startswith(percent(curve[-1]))
        guesses = one.get("options") or [str(value) for value in range(one["most"] + 1)]
        assert list(one["replies"]) == guesses
        if change := one["change"]:
            assert len(change["steps"]) > 3 and change["start"] < len(change["steps"])


def test_replay_of_a_job_holds_no_trace_of_its_owner(runs_dir: Path, tmp_path: Path):
    who = {"owner": "owner0secret", "address": "address0secret"}
    draft = presets.get("two_volunteers").draft.with_base({"rounds": 3, "name": "Of a course"})
    job = trained(draft, reference=True, **who)
    queue.update(job.id, note="a note0secret")
    out = tmp_path / "out.html"
    assert main(["still", str(out), job.id]) == 0
    found = bundle.unpacked(out.read_text(encoding="utf-8"))
    assert found["parts"][0]["kind"] == "replay"
    assert len(found["parts"][0]["data"]["frames"]) == 3
    text = json.dumps(found, ensure_ascii=False) + out.read_text(encoding="utf-8")
    assert "Of a course" in text
    for secret in ("0secret", job.id, *job.keys, str(runs_dir), str(tmp_path)):
        assert secret not in text


def test_attack_is_replayed_with_its_cells(runs_dir: Path):
    job = trained(LADDER, "attack")
    first = bundle.unpacked(page([job.id]))["parts"][0]
    assert (first["kind"], len(first["data"]["rows"][0]["cells"])) == ("ladder", 2)


def test_drawings_and_own_data_stay_out(runs_dir: Path):
    job = trained(presets.get("two_volunteers").draft.with_base({"rounds": 1, "attack": None}))
    queue.update(job.id, room="0123456789abcdef")
    with pytest.raises(InvalidInput, match="--own"):
        page([job.id])
    assert bundle.unpacked(page([job.id], own=True))["parts"][0]["kind"] == "replay"
    queue.update(job.id, request=json.dumps({**job.request, "drawings": [[3, "AA=="]]}))
    with pytest.raises(InvalidInput, match="class"):
        page([job.id], own=True)


def test_job_without_replay_is_refused_in_a_sentence(
    runs_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    waiting = queued(presets.get("two_volunteers").draft)
    with pytest.raises(UnknownJob):
        page(["0123456789ab"])
    for job in (waiting, queued({"grid": {"clients.epsilon": [1, 2]}}, "sweep")):
        with pytest.raises(InvalidInput):
            page([job.id])
    (tmp_path / "file").touch()
    for out, ids in ((tmp_path / "out.html", ["0123456789ab"]), (tmp_path / "file" / "out.html", [])):
        assert main(["still", str(out), *ids]) == 2
        said = capsys.readouterr().err
        assert said.startswith("ldp_core still: ") and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir() if path.name != "runs"] == ["file"]
