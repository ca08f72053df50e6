"""A run survives its server, and so does the page that watches it."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.run_curves import progress_of
from tests.browser.conftest import TRAINING, Visitor, enter, press, stored, visiting
from tests.browser.server import Server, without_worker
from tests.gate import GATED, holding
from tests.pace import within
from tests.runs.processes import PATIENCE_SECONDS


def of_its_own(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of one test alone, to be killed; jobs of the worker that it starts can be held."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(runs_dir))
    with Server(runs_dir, PYTHONPATH=GATED) as server:
        yield server


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    yield from of_its_own(tmp_path / "runs", monkeypatch)


@pytest.fixture
def idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    yield from of_its_own(without_worker(tmp_path / "runs"), monkeypatch)


def ask_for(page: Page, rounds: int) -> None:
    field = page.get_by_label("Rounds", exact=True)
    enter(field, str(rounds))
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(field).to_have_value(str(rounds))


def trains(visitor: Visitor, rounds: int) -> tuple[Page, Job]:
    """A page on which so many rounds are under way, and the job."""
    page = visitor.open("/train")
    ask_for(page, rounds)
    press(page, "Train")
    page.get_by_text(re.compile("Train(ing|ed): round [1-9]")).wait_for(timeout=TRAINING)
    return page, queue.find(most=1)[0]


def test_the_first_change_after_a_restart_counts(profile: BrowserContext, idle: Server):
    """The page is as it was, and knows nothing of the restart; the server knows nothing of the page."""
    with visiting(profile, idle) as visitor:
        page = visitor.open("/train")
        page.wait_for_url("**draft=*")
        identity = page.url.rpartition("=")[2]
        idle.kill()
        idle.start()
        page.wait_for_timeout(3000)
        ask_for(page, 18)
        assert stored(identity).base.rounds == 18


ROUNDS = 22


@pytest.mark.alone
def test_the_server_is_killed_and_the_run_finishes(profile: BrowserContext, mortal: Server):
    with holding(mortal.runs_dir, 20) as hold_after:
        with visiting(profile, mortal) as visitor:
            page, job = trains(visitor, ROUNDS)
            address = page.url
            assert job.status == "running"
            mortal.kill()
            before = progress_of(job).update().rounds_done()
            hold_after(100)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while progress_of(job).update().rounds_done() < before + 4:
                assert time.monotonic() < deadline, "rounds keep coming without a server"
                time.sleep(0.05)

        mortal.start()
        with visiting(profile, mortal) as again:
            up = time.monotonic()
            again.page.goto(address)
            expect(again.page.get_by_text(re.compile("Train(ing|ed): round"))).to_be_visible()
            again.page.locator(".es-panels .js-plotly-plot").first.wait_for()
            assert time.monotonic() - up < within(5)
            assert queue.get(job.id).status == "running"
            hold_after(10**6)
            expect(
                again.page.get_by_text(f"Finished: {ROUNDS} rounds of 9 runs and one without noise")
            ).to_be_visible(timeout=TRAINING)
            expect(again.page.locator(".es-row")).to_have_count(3)
            assert again.complaints == []
