"""Signing in is optional: who did is the same person on every browser, and none can claim they did.

The provider's part ends with a cookie that Streamlit signs; that cookie is made here with the server's
own secret, as its callback would.
"""

import asyncio
import json
from collections.abc import Iterator

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, generate_xsrf_token_string

from ldp_core.runs import jobs, queue
from ldp_core.runs.queue.permissions import signed_in
from tests.browser.server import Server, without_worker
from tests.server.client import Viewer

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


async def trained(server: Server, user: str) -> tuple[str | None, list[str]]:
    """Who owns a job that a visitor with this cookie launches, and what the start page says."""
    token = generate_xsrf_token_string()
    headers = {"Cookie": f"_streamlit_user={user}; _streamlit_xsrf={token}"}
    start = await Viewer.open(server.url, xsrf=token, **headers)
    viewer = await Viewer.open(server.url, "train", xsrf=token, **headers)
    await viewer.press("Train")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
        job = queue.find(most=1)[0]
        jobs.cancel(job.id)
    assert start.errors == viewer.errors == []
    await start.close()
    await viewer.close()
    return job.owner, start.written + [label for label in start.widgets if label.startswith("Sign")]


def test_who_has_signed_in_is_the_same_on_every_browser(school: Server):
    for _ in range(2):
        owner, output = asyncio.run(trained(school, cookie(school.url, "7")))
        assert owner == signed_in(ISSUER, "7").owner
        assert "Sign out" in output
        assert any("Signed in as \\*Anna\\*" in text for text in output)
    other, _ = asyncio.run(trained(school, cookie(school.url, "8")))
    assert other == signed_in(ISSUER, "8").owner != owner


def test_a_forged_cookie_counts_for_nothing(school: Server):
    forged = (cookie(school.url, "7", "w" * 40), cookie("http://evil.example", "7"), "nonsense")
    owners = {asyncio.run(trained(school, user))[0] for user in forged}
    assert signed_in(ISSUER, "7").owner not in owners
    assert len(owners) == len(forged), "each is a stranger of its own"


def test_without_a_provider_nothing_is_offered_and_no_cookie_counts(idle: Server):
    owner, output = asyncio.run(trained(idle, cookie(idle.url, "7")))
    assert owner != signed_in(ISSUER, "7").owner
    assert not any("Sign in" in text or "Signed in" in text for text in output)
