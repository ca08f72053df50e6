"""Signing in is optional: who did is the same person on every browser, and none can claim they did.

The provider's part ends with a cookie that Streamlit signs; that cookie is made here with the server's
own secret, as its callback would.
"""

import json
from collections.abc import Awaitable, Callable, Iterator

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, generate_xsrf_token_string

from ldp_core.runs import jobs, queue
from ldp_core.runs.queue.permissions import signed_in
from tests.browser.server import Server, without_worker
from tests.server.conftest import Visit

pytestmark = pytest.mark.anyio
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
