"""The page of papers: every card, each claim's row, and what is said where nothing can be shown."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import papers
from ldp_core.experiment import plan
from ldp_core.papers.base import Paper
from ldp_core.papers.five import ARMS, RUNS, points
from ldp_core.papers.measuring import keep
from ldp_core.papers.stored import StoredFigure
from ldp_core.runs import claims, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.record import drafts
from pages.parts.papers.five import _how, price_figure
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS

CLAIM = papers.get("pldp_fl").claim("relative-error")
ORDERED = {"ε₁ τ₂": 40.0, "ε₂ τ₂": 20.0, "ε₃ τ₂": 10.0, "ε₂ τ₁": 10.0, "ε₂ τ₃": 30.0}


@pytest.fixture
def page(runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(Paper, "figures", property(lambda paper: tmp_path / "shipped" / paper.name))
    monkeypatch.setattr(claims, "ASSETS", tmp_path / "shipped")
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(lookup, "ensure_worker", lambda _: None)
    page = AppTest.from_file(str(ROOT / "pages" / "papers.py"), default_timeout=PATIENCE_SECONDS)
    page.query_params["system"] = "pldp_fl"
    return page


def said(page: AppTest) -> str:
    assert not page.exception
    each = [one.value for one in [*page.header, *page.markdown, *page.caption, *page.error]]
    return "\n".join([*each, *(one.label for one in page.expander)]).replace("\\", "")


def store(given: Mapping[str, float] | None = None, of: str = "") -> None:
    """Figures of this machine's own, in per cent, for three seeds, of this version or another."""
    assert CLAIM
    for label, value in {**ORDERED, **(given or {})}.items():
        for seed in range(3):
            arm = CLAIM.arm(label)
            share, setting = (value + seed) / 100, arm.setting
            figure = StoredFigure(
                arm.key(seed), seed, share, "completed", 1.0, of or arm.version, "2026-11-23", setting
            )
            keep(claims.own("pldp_fl"), figure)


def test_papers_without_figures_show_empty_cards(page: AppTest):
    text = said(page.run())
    for name in papers.names():
        assert papers.get(name).label in [one.value for one in page.header]
    assert f"**{len(papers.names())}** were not run here" in text
    assert "badge[holds]" not in text


def test_the_five_are_drawn_from_their_figures_alone(page: AppTest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("streamlit.switch_page", lambda _: None)
    assert "Not measured yet. `python -m ldp_core papers --rerun five`" in said(page.run())
    for place, arm in enumerate(ARMS.values()):
        leaked = {"identified": place / 100, "identified_clipped": 0.99, "trials": 100.0}
        for seed, right in enumerate((0.6, 0.61)):
            right -= 0.5 * arm.label.endswith("ε 10")
            figure = StoredFigure(
                arm.key(seed), seed, right, "completed", 1.0, "0ld", "2026-11-23", arm.setting, also=leaked
            )
            keep(claims.own("five"), figure)
    text = said(page.run())
    assert "**Unlike data, ε 100 a run.** Take PLDP-FL (60 % right, 9 % picked out)." in text
    assert "at least 99 %" in text and "version 0ld" in text
    (line,) = price_figure(points(claims.shelf("five"))[:4], {"PLDP-FL": 2})["data"]
    assert len(line["x"]) == len(RUNS) and line["name"] == "PLDP-FL" and line["showlegend"], "for a phone"
    (one, *_) = points(claims.shelf("five"))
    sure = [replace(each, also={"identified_clipped": 1.0}) for each in one.figures]
    assert "without noise all are" in _how((replace(one, figures=tuple(sure)),))
    (none, *_, last) = [one for one in page.button if str(one.key).startswith("five ")]
    assert (none.label, last.label) == ("See it with 60\u202f000 people", "Open in Train")
    last.click().run()
    row = drafts.load("".join(page.query_params["draft"]))
    assert row and plan(row.base).key == plan(ARMS["PLDP-FL", "Unlike data", 10_000.0].experiment()).key


def test_a_claim_is_stated_with_its_figures_and_its_verdict(page: AppTest):
    store()
    text = said(choose(page, "relative-error"))
    assert text.count(":green-badge[holds]") == 5, "the claim and its statements have rows"
    assert "2026-11-23, 3 seeds" in text
    store({"ε₂ τ₁": 35.0})
    assert ":orange-badge[in part]" in said(page.run())


def choose(page: AppTest, claim: str) -> AppTest:
    page.query_params["claim"] = claim
    return page.run()


def test_a_claim_is_run_again_as_a_job(page: AppTest):
    choose(page, "relative-error")
    page.button(key="again pldp_fl relative-error").click().run()
    (job,) = queue.find()
    assert (job.kind, job.request["claim"]["claim"]) == ("claim", "relative-error")
    assert not [one for one in page.button if one.key == "again pldp_fl relative-error"]
    assert page.button(key=f"stop {job.id}")
    queue.move(job.id, "running")
    queue.move(job.id, "failed", "the disk is full")
    assert "The last try failed: the disk is full" in said(page.run())
    assert page.button(key="again pldp_fl relative-error")


def test_a_claim_without_its_data_cannot_be_run(page: AppTest):
    choose(page, "modes-mnist")
    assert page.button(key="again pldp_fl modes-mnist").disabled
    assert "needs data that are not on this machine: MNIST" in said(page)


def test_main_claim_is_judged_by_its_own_statements(page: AppTest):
    """Of figure 6 FedAvg's figure holds, which is no merit of PLDP-FL: it ends at chance."""
    paper = papers.get("pldp_fl")
    made = paper.main_claim.read("perturbed weights")
    for label, value in (("PLDP-FL", 10.0), ("Laplace, plain mean", 11.0), ("FedAvg", 97.5)):
        for seed in range(3):
            arm = made.arm(label)
            keep(
                claims.own("pldp_fl"),
                StoredFigure(
                    arm.key(seed), seed, value / 100, "completed", 1.0, arm.version, "2026-11-23", arm.setting
                ),
            )
    text = said(page.run())
    lines = text.splitlines()
    (row,) = (line for line in lines if "](#pldp_fl)" in line)
    (place,) = (n for n, line in enumerate(lines) if line.startswith("Here: "))
    here, why = lines[place : place + 2]
    assert ":red-badge[contradicted]" in row and "FedAvg 97.5" in here
    assert "PLDP-FL: 97.5 %" in why and "FedAvg: 97.5 %" not in why, "of its own statements it says why"
    assert "**1** is contradicted" in text


def test_a_claim_opens_in_train_as_a_draft(page: AppTest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("streamlit.switch_page", lambda _: None)
    choose(page, "modes-mnist")
    page.button(key="open pldp_fl modes-mnist").click().run()
    claim = papers.get("pldp_fl").claim("modes-mnist")
    opened = drafts.load("".join(page.query_params["draft"]))
    assert claim and claim.draft and opened and opened.base == claim.draft.base
