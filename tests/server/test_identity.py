"""One connection is one person, and an address's new ones are counted where they leave something."""

import json
from collections.abc import Iterator

import pytest

from ldp_core.classroom import Session, members, sessions
from ldp_core.runs.queue.permissions import Person
from tests.browser.server import Server, without_worker
from tests.server.client import Viewer
from tests.server.conftest import Visit

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server behind a proxy that tells addresses."""
    runs = without_worker(tmp_path_factory.mktemp("behind") / "runs")
    with Server(runs, EPSILON_ADDRESS_HEADER="X-Real-IP") as running:
        yield running


@pytest.fixture
def opened(behind: Server, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(behind.runs_dir))
    return sessions.open_class(Person("t" * 16, teacher=True), "two_volunteers", numbered=True)


async def tell(viewer: Viewer, token: str) -> None:
    """Draw the page again with another identity in the message."""
    memory = next(identity for label, identity in viewer.widgets.items() if label == "studio_memory")
    viewer.states[memory] = "json_value", json.dumps({"token": token})
    await viewer.rerun()


async def test_connection_with_new_tokens_stays_one_person(behind: Server, opened: Session, visit: Visit):
    viewer = await visit(behind.url, "class", f"code={opened.code}", **{"X-Real-IP": "192.0.2.1"})
    for n in range(6):
        await viewer.press("Join")
        await tell(viewer, f"{n:032x}")
    assert len(members.members(opened)) == 1
