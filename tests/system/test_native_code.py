"""Whether code that is made here may run: asked of the system, and never an error."""

import sys

import pytest

from ldp_core.system import native_code


@pytest.fixture(autouse=True)
def _asked_anew():
    native_code.refusal.cache_clear()
    yield
    native_code.refusal.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_a_system_that_refuses_is_believed(monkeypatch: pytest.MonkeyPatch):
    class Refuses:
        """The C library of a system that has not a page to execute."""

        def mprotect(place: int, size: int, how: int) -> int:  # type: ignore[misc]
            return -1

    monkeypatch.setattr("ctypes.CDLL", lambda _: Refuses)
    assert native_code.refusal() == "this system refuses to run code that was made here"
