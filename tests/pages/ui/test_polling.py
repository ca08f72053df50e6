"""A class asks each second; who has left counts no more; what a file leads to tears no page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core.runs import queue
from pages.parts.ui import polling
from tests.runs.processes import PATIENCE_SECONDS


def test_viewer_count_sets_the_polling_pace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(polling, "_asked", {})
    monkeypatch.setattr(polling, "crowding", lambda: 1.0)
    for n in range(1, polling.FEW + 1):
        assert polling._viewers(f"viewer {n}", 100.0) == n
    assert polling._viewers("viewer 1", 101.0) == polling.FEW
    assert polling.pace() == polling.FEW_SECONDS  # they have all gone: that was long ago
    now = polling._asked[""]
    for n in range(polling.FEW):
        polling._viewers(f"viewer {n}", now)
    assert polling.pace() == polling.MANY_SECONDS


@pytest.mark.parametrize(("crowd", "seconds"), [(0.0, 0.5), (2.0, 0.5), (2.1, 1.0), (4.0, 1.0), (4.1, 2.0)])
def test_machine_load_sets_the_polling_pace(monkeypatch: pytest.MonkeyPatch, crowd: float, seconds: float):
    monkeypatch.setattr(polling, "_asked", {})
    monkeypatch.setattr("os.getloadavg", lambda: (crowd * 3, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert polling.pace() == seconds


def torn() -> None:
    from pages.parts.ui.polling import refreshing

    refreshing(lambda: [][1])()


@pytest.mark.parametrize("parameter", ["job", "runs"])
def test_imported_run_error_is_a_sentence_own_is_raised(runs_dir: Path, parameter: str):
    own = queue.add("run", {})
    foreign = queue.add("run", {})
    queue.update(foreign, status="completed", imported=True)
    for named, said, raised in ((foreign, 1, 0), (own, 0, 1), ("nothing", 0, 1)):
        app = AppTest.from_function(torn, default_timeout=PATIENCE_SECONDS)
        app.query_params[parameter] = f"{named}.0" if parameter == "runs" else named
        app.run()
        assert (len(app.error), len(app.exception)) == (said, raised), named
