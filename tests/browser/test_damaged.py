"""What is damaged, or gone, is said on the page that needs it, and costs no other page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import queue
from ldp_core.runs.record import drafts, quota
from tests.browser.conftest import Visitor, at_rest
from tests.browser.server import Server, without_worker
from tests.runs.in_process import queued, record_of, recorder_of

DRAFT = presets.get("two_volunteers").draft


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(without_worker(tmp_path_factory.mktemp("damaged") / "runs")) as running:
        yield running


def test_damaged_queue_shows_one_sentence_per_page(visitor: Visitor, server: Server):
    page = visitor.open("/noise")
    before = queue.queue_path().read_bytes() if queue.queue_path().exists() else b""
    queue.queue_path().write_bytes(b"no database at all, " * 500)
    text = page.get_by_text("studio.sqlite in the folder of runs cannot be used")
    runs = page.get_by_role("heading", name="What has been trained on this server?")
    for path in ("/", "/runs", "/train", "/attack"):
        if path == "/train":
            page.get_by_role("link", name="Train", exact=True).click()
            expect(runs).to_have_count(0)  # what was shown there is gone
        else:
            page.goto(server.url + path)
        if path == "/":
            expect(page.get_by_role("button", name="Try it")).to_be_visible()
        if path == "/runs":
            expect(runs).to_be_visible()
        at_rest(page)
        expect(text).to_have_count(1)
        expect(page.get_by_text("encountered an error")).to_have_count(0)
        expect(page.get_by_text(str(server.runs_dir))).to_have_count(0)
    visitor.go("Noise")
    expect(text).to_have_count(0)
    queue.queue_path().write_bytes(before)
    visitor.go("Runs")
    expect(page.get_by_text("All runs take")).to_be_visible()


def test_a_damaged_ladder_does_not_close_its_drafts_attack_page(visitor: Visitor):
    draft = drafts.new(DRAFT)
    job = queued(Ladder(base=DRAFT.base).as_json(), "attack", draft=draft)
    queue.cancel(job.id)
    record_of(job).parent.mkdir(parents=True, exist_ok=True)
    record_of(job).write_bytes(b"no database at all, " * 500)
    page = visitor.open(f"/attack?draft={draft}", "text=Kind of upload")
    expect(page.get_by_text(f"{record_of(job).name} in the folder of runs cannot be used")).to_be_visible()
    expect(page.get_by_role("button", name="Attack again")).to_be_enabled()


def test_removed_record_offers_to_train_again(visitor: Visitor):
    draft = drafts.new(DRAFT)
    job = queued(DRAFT, reference=True, draft=draft)
    identity = job.id
    queue.cancel(identity)
    recorder_of(job).close()
    assert identity in [one.job.id for one in quota.prune(0)]
    page = visitor.open(f"/train?draft={draft}", "text=there is nothing to show any more")
    expect(page.get_by_text("This was stopped; later its record was removed to make room")).to_be_visible()
    expect(page.get_by_text("Stopped at round")).to_have_count(0)
    expect(page.get_by_role("button", name="Go on where it stopped")).to_have_count(0)
    expect(page.get_by_role("button", name="Train again")).to_be_enabled()
    visitor.open(f"/train?job={identity}", "text=there is nothing to show any more")
