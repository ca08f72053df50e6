"""A real server for the tests of this folder, which need no browser."""

from collections.abc import Iterator

import pytest

from tests.browser.server import Server, without_worker


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is, and wait for no training."""
    with Server(without_worker(tmp_path_factory.mktemp("idle") / "runs")) as running:
        yield running
