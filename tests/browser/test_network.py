"""C4: a network that drops, delays and resets neither launches twice nor leaves a hole in a curve."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Error, Page, expect

from ldp_core.presets import get
from ldp_core.runs import jobs
from ldp_core.runs.record import drafts
from ldp_core.runs.view.run_curves import progress_of
from pages.parts.charts.rounds import thinned
from tests.browser.conftest import PATIENCE, TRAINING, Visitor, press, visiting, wait_until
from tests.browser.proxy import Proxy
from tests.browser.server import Server
from tests.extent import in_gate
from tests.pace import within
from tests.runs.processes import stop_all

DROPS = in_gate(3, 15)
RECOVERY_SECONDS = 5.0
LINES = """() => Object.fromEntries([...(document.querySelector(".es-panels .es-plot")?._fullData ?? [])]
  .filter((trace) => trace._input.name && trace.x?.length > 1)
  .map((trace) => [trace.name, [Array.from(trace.x), Array.from(trace.y)]]))"""
ROUND = f"() => Math.max(0, ...Object.values(({LINES})()).map(([x]) => x.at(-1)))"


@pytest.fixture
def line(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
    proxy = Proxy(server.port)
    yield proxy
    stop_all()
    proxy.close()


@pytest.fixture
def far(profile: BrowserContext, line: Proxy) -> Iterator[Visitor]:
    with visiting(profile, line) as visitor:
        yield visitor


def opened(visitor: Visitor, **changes: Any) -> tuple[Page, str]:
    """A draft of its own on Train, seen through a proxy; its training leaves the machine to the browser."""
    draft = replace(get("two_volunteers").draft, seeds=1)
    identity = drafts.new(draft.with_base({"attack": None} | changes))
    return visitor.open(f"/train?draft={identity}"), identity


def until_further(page: Page) -> float:
    """Wait until the curve goes on; returns the seconds until it did."""
    start, at = time.monotonic(), page.evaluate(ROUND)
    page.wait_for_function(f"(at) => ({ROUND})() > at", arg=at, polling=100)
    return time.monotonic() - start


def assert_whole(page: Page, identity: str) -> None:
    """What is drawn in the end is what was recorded, every round once."""
    (job,) = jobs.of_draft(identity)
    curves: dict[str, list[Any]] = {}
    for run in progress_of(job).update().runs:
        curves.setdefault(run.label, []).append(run.curves["accuracy"])
    ends = {label: min(map(len, found)) - 1 for label, found in curves.items()}
    assert len(ends) >= 3
    wait_until(page, lambda: {label: x[-1] for label, (x, _) in page.evaluate(LINES).items()} == ends)
    for label, (x, y) in page.evaluate(LINES).items():
        pick = thinned(ends[label] + 1)
        assert x == pick.tolist()
        mean = np.array([curve[: ends[label] + 1] for curve in curves[label]], dtype=float).mean(axis=0)
        np.testing.assert_allclose(y, mean[pick], atol=1e-6)


@pytest.mark.alone
def test_a_connection_that_drops_again_and_again(far: Visitor, line: Proxy):
    page, identity = opened(far, rounds=5000)
    press(page, "Train")
    page.wait_for_function(f"() => ({ROUND})() > 1", polling=100)
    times = []
    sockets: list[object] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    for n in range(DROPS):
        start = time.monotonic()
        line.drop()
        while len(sockets) <= n:  # the one that was open is gone
            assert time.monotonic() - start < PATIENCE / 1000
            page.wait_for_timeout(20)
        until_further(page)
        times.append(time.monotonic() - start)
    print(f"{DROPS} drops, until the curve goes on: {sorted(round(t, 1) for t in times)} s")
    assert len(jobs.of_draft(identity)) == 1
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Train again")).to_be_visible()
    assert_whole(page, identity)
    # beside other work on the machine one of them may have to knock again
    assert sorted(times)[DROPS - 1 - DROPS // 3] <= within(RECOVERY_SECONDS), times
    assert far.foreign == []


def test_a_click_while_the_connection_drops_is_one_job_at_most(far: Visitor, line: Proxy):
    page, identity = opened(far, rounds=3)
    press(page, "Train")
    line.drop()
    page.wait_for_timeout(500)
    line.drop()
    # whatever has become of the click, the page can be used again and there is one job in the end
    page.wait_for_timeout(3000)
    while not jobs.of_draft(identity):
        with suppress(Error):  # it may have come meanwhile
            page.get_by_role("button", name="Train", exact=True).click(timeout=2000)
    expect(page.get_by_role("button", name="Train again")).to_be_visible(timeout=TRAINING)
    assert len(jobs.of_draft(identity)) == 1


@pytest.mark.alone
def test_a_slow_line_that_loses_one_chunk_in_a_hundred(far: Visitor, line: Proxy):
    page, identity = opened(far, rounds=5000)
    line.latency, line.rate, line.resets = 0.3, 64_000, 0.01
    press(page, "Train")
    page.wait_for_function(f"() => ({ROUND})() > 1", polling=100)
    deadline = time.monotonic() + in_gate(3, 8)
    slowest = 0.0
    while time.monotonic() < deadline:
        slowest = max(slowest, until_further(page))
    print(f"{line.dropped} connections were lost, the longest silence was {slowest:.1f} s")
    assert len(jobs.of_draft(identity)) == 1
    line.latency, line.rate, line.resets = 0.0, None, 0.0
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Train again")).to_be_visible()
    assert_whole(page, identity)
    assert slowest <= within(2 * RECOVERY_SECONDS)
