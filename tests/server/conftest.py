"""A real server for the tests of this folder, which need no browser, and its visitors."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.browser.server import Server, without_worker
from tests.server.client import Viewer

Visit = Callable[..., Awaitable[Viewer]]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is, and wait for no training."""
    with Server(without_worker(tmp_path_factory.mktemp("idle") / "runs")) as running:
        yield running


@pytest.fixture
async def visit() -> AsyncIterator[Visit]:
    """Opens pages, on which nothing has gone wrong when the test ends."""
    viewers: list[Viewer] = []

    async def one(*place: Any, **others: Any) -> Viewer:
        viewers.append(await Viewer.open(*place, **others))
        return viewers[-1]

    yield one
    for viewer in viewers:
        await viewer.close()
    assert [(one.page, one.errors) for one in viewers if one.errors] == []
