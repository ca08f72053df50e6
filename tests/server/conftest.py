"""A real server for the tests of this folder, which need no browser."""

from collections.abc import Iterator

import pytest

from tests.browser.server import Server, begun_warm, without_worker
from tests.warm import Interpreter


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is, and wait for no training."""
    running = Server(without_worker(tmp_path_factory.mktemp("idle") / "runs"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    running = Server(begun_warm(tmp_path_factory.mktemp("server") / "runs", interpreter))
    yield running
    running.stop()
