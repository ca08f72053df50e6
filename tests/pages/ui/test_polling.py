"""A class asks each second; who has left counts no more; what a file leads to tears no page."""

import threading
import time
import weakref
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core.runs import queue
from pages.parts.ui import polling
from pages.parts.ui.shared_cache import MOST, Moment, once
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


class Chart:
    """Stands for something large."""


def test_thirty_viewers_at_once_compute_one_value():
    made: list[Chart] = []

    def make() -> Chart:
        time.sleep(0.02)
        made.append(Chart())
        return made[-1]

    seen: list[Chart] = []
    moment = Moment("a job", "running", 7)
    viewers = [threading.Thread(target=lambda: seen.append(once("thirty", make, moment))) for _ in range(30)]
    for viewer in viewers:
        viewer.start()
    for viewer in viewers:
        viewer.join()
    assert len(made) == 1
    assert seen == made * 30


def test_slow_value_does_not_block_other_keys():
    """A draft of many clients costs its own visitor; and if it cannot be made, the next one tries."""
    begun, enough = threading.Event(), threading.Event()

    def slow() -> Chart:
        begun.set()
        assert enough.wait(60)
        raise ZeroDivisionError

    def visit() -> None:
        with pytest.raises(ZeroDivisionError):
            once("a big draft", slow)

    visitor = threading.Thread(target=visit)
    visitor.start()
    assert begun.wait(60)
    other = threading.Thread(target=lambda: once("somebody else's", Chart))
    other.start()
    other.join(60)
    assert not other.is_alive()
    assert visitor.is_alive(), "and that while it is still being made"
    enough.set()
    visitor.join(60)
    assert isinstance(once("a big draft", Chart), Chart)


def test_a_new_moment_takes_the_place_of_the_one_before():
    charts = [weakref.ref(once("live", Chart, Moment("a job", "running", seq))) for seq in range(50)]
    assert [chart() is None for chart in charts] == [True] * 49 + [False]
    assert once("live", Chart, Moment("a job", "running", 49)) is charts[-1]()
    once("live", Chart, Moment("a job", "completed", 49))
    assert charts[-1]() is None


def test_least_recently_used_value_is_evicted():
    first = weakref.ref(once(("place", -1), Chart))
    for n in range(MOST - 1):
        once(("place", n), Chart)
        once(("place", -1), Chart)
    assert first() is not None
    for n in range(MOST):
        once(("another place", n), Chart)
    assert first() is None
