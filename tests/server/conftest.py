"""A real server for the tests of this folder, which need no browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server") / "runs")
    yield running
    running.stop()
