"""What many see is made once, and what is not seen any more is forgotten."""

import threading
import time
import weakref

import pytest

from pages.parts.ui.shared_cache import MOST, Moment, once


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
