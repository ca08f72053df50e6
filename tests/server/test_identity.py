"""One connection is one person, signed in or not, whose presses are answered in their order."""

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, generate_xsrf_token_string

from ldp_core.classroom import Session, members, sessions
from ldp_core.runs import jobs, queue
from ldp_core.runs.queue.permissions import Person, signed_in
from tests.browser.server import Server, without_worker
from tests.conftest import ROOT
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


PAGE = """
import time
from pathlib import Path

import streamlit as st

KEPT = Path("kept")


def reset():
    Path("began").touch()
    while not Path("goes on").exists():
        time.sleep(0.01)
    KEPT.write_text("prepared")


st.button("Reset", on_click=reset)
st.markdown(KEPT.read_text())
"""


@pytest.mark.anyio
async def test_callback_finishes_before_the_next_draw(tmp_path: Path, visit: Visit):
    """Else the page would show for good what its draft no longer holds."""
    place = tmp_path / "page"
    shutil.copytree(ROOT / ".streamlit", place / ".streamlit")
    (place / "app.py").write_text(PAGE)
    (place / "kept").write_text("edited")
    with Server(tmp_path / "runs", place) as server:
        viewer = await visit(server.url)
        pressed = viewer.widgets["Reset"]
        viewer.states[pressed] = "trigger_value", True
        await viewer.ask()
        del viewer.states[pressed]
        while not (place / "began").exists():
            await asyncio.sleep(0.01)
        await viewer.ask()
        await asyncio.sleep(0.3)  # in which it would be drawn, if it could be
        (place / "goes on").touch()
        await viewer.rerun()
    assert viewer.written == ["edited", "prepared"]


Trained = Callable[[Server, str], Awaitable[tuple[str | None, str]]]
SECRET = "k" * 40
ISSUER = "https://id.example"


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("school")
    (folder / "secrets.toml").write_text(
        f"""[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "{SECRET}"
client_id = "studio"
client_secret = "s"
server_metadata_url = "{ISSUER}/.well-known/openid-configuration"
"""
    )
    secrets = str(folder / "secrets.toml")
    with Server(without_worker(folder / "runs"), STREAMLIT_SECRETS_FILES=secrets) as running:
        yield running


def cookie(url: str, subject: str, secret: str = SECRET) -> str:
    claims = {"origin": url, "is_logged_in": True, "iss": ISSUER, "sub": subject, "name": "*Anna*"}
    return create_signed_value(secret, "_streamlit_user", json.dumps(claims)).decode("latin-1")


@pytest.fixture
def trained(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> Trained:
    async def by(server: Server, user: str) -> tuple[str | None, str]:
        """Who owns a job that a visitor with this cookie launches, and what the start page says."""
        token = generate_xsrf_token_string()
        headers = {"xsrf": token, "Cookie": f"_streamlit_user={user}; _streamlit_xsrf={token}"}
        start = await visit(server.url, **headers)
        await (await visit(server.url, "train", **headers)).press("Train")
        monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
        job = queue.find(most=1)[0]
        jobs.cancel(job.id)
        return job.owner, "\n".join([*start.written, *start.widgets])

    return by


async def test_signed_in_user_has_one_identity(school: Server, trained: Trained):
    for _ in range(2):
        owner, output = await trained(school, cookie(school.url, "7"))
        assert owner == signed_in(ISSUER, "7").owner
        assert "Sign out" in output and "Signed in as \\*Anna\\*" in output
    other, _ = await trained(school, cookie(school.url, "8"))
    assert other == signed_in(ISSUER, "8").owner != owner


async def test_forged_cookie_is_ignored(school: Server, trained: Trained):
    forged = (cookie(school.url, "7", "w" * 40), cookie("http://evil.example", "7"), "nonsense")
    owners = {(await trained(school, user))[0] for user in forged}
    assert signed_in(ISSUER, "7").owner not in owners
    assert len(owners) == len(forged), "each is a stranger of its own"


async def test_sign_in_without_provider_is_not_offered(idle: Server, trained: Trained):
    owner, output = await trained(idle, cookie(idle.url, "7"))
    assert owner != signed_in(ISSUER, "7").owner
    assert "Sign in" not in output and "Signed in" not in output
