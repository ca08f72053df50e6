"""A run survives its server."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Browser, expect

from ldp_core.runs import jobs, queue
from tests.browser.conftest import Visitor
from tests.browser.server import Server

pytestmark = pytest.mark.alone


def test_the_server_is_killed_and_the_run_finishes(browser: Browser, tmp_path, monkeypatch):
    server = Server(tmp_path / "runs")
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
    try:
        visitor = Visitor(browser, server)
        page = visitor.open("/train", ".es-panels .js-plotly-plot")
        rounds = page.get_by_label("Rounds", exact=True)
        rounds.fill("40")
        rounds.press("Enter")
        page.get_by_role("button", name="Train", exact=True).click()
        page.locator(".es-panels canvas").first.wait_for()
        address = page.url
        (job,) = queue.find()
        assert job.status == "running"
        server.kill()
        deadline = time.monotonic() + 60
        while jobs.look(job.id).live:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert queue.get(job.id).status == "completed"
        visitor.context.close()

        server.start()
        again = Visitor(browser, server)
        again.page.goto(address)
        expect(again.page.get_by_text("Finished: 10 runs of 40 rounds")).to_be_visible()
        expect(again.page.locator(".es-row")).to_have_count(3)
        again.context.close()
        assert again.complaints == []
    finally:
        server.stop()
