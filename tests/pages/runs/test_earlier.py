"""What is shown of earlier settings is said to be, and faint, on every page that makes results."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from ldp_core.tuning import parse_question
from tests.calibrated import RATES, calibrated
from tests.pages.conftest import Opened

DRAFT = presets.get("two_volunteers").draft
BASE = {"base": DRAFT.base.as_json()}
GRID = {"grid": {"clients.epsilon": [1, 2], "clients.range": [0.5, 1]}, "seeds": 3}


@pytest.mark.parametrize(
    ("page", "kind", "request_of"),
    [
        ("train", "run", lambda: {"draft": DRAFT.as_json()}),
        ("attack", "attack", lambda: {"ladder": parse_ladder(BASE).as_json()}),
        ("tune", "sweep", lambda: {"sweep": parse_sweep(BASE | GRID).as_json()}),
        ("tune", "tune", lambda: {"question": parse_question(BASE | {"accuracy": 0.8}).as_json()}),
    ],
)
def test_results_of_earlier_settings_are_faint_and_said_to_be(
    page: str, kind: str, request_of: Any, opened: Opened
):
    identity = drafts.new(DRAFT)
    queue.cancel(queue.add(kind, request_of(), identity))

    def said() -> tuple[bool, bool]:
        app = opened(page, draft=identity)
        faint = any("opacity" in one.proto.body for one in app.get("html"))
        result = "**The results below are of earlier settings**, so drawn faintly until pointed at"
        return faint, any(result in one.value for one in app.caption)

    assert said() == (False, False)
    drafts.update(identity, lambda draft: draft.with_base({"local.epochs": 3}))
    assert said() == (True, True)
    app = opened(page, draft=identity)
    words = [str(getattr(one, "value", "")) for one in app.main if one.type in ("title", "caption")]
    note = next(i for i, one in enumerate(words) if "results below are of earlier" in one)
    assert note > words.index(app.title[0].value), "in the line of buttons its length would move these"


@pytest.mark.parametrize("page", ["attack", "tune"])
def test_recalibration_allows_a_refused_launch(page: str, opened: Opened, runs_dir: Path):
    slow = json.dumps(dict.fromkeys(asdict(RATES), 1000.0))
    (calibrated(runs_dir) / "calibration.json").write_text(slow)
    app = opened(page)
    assert any("one job may take" in one.value for one in app.error)
    calibrated(runs_dir)
    assert not app.run().error
