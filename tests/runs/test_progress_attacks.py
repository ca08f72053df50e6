"""Attack events as pages fold them: real uploads do not mix with audits, and old records still read."""

from __future__ import annotations

from typing import Any

from ldp_core.runs.progress import Progress, RunProgress
from pages.parts.server_panel import attempt
from tests.data import events

OLD = {
    *("event", "round", "client", "upload", "control", "attacker", "psnr", "psnr_mean_image"),
    *("ncc", "identification_rank", "candidates", "image"),
}
"""Every key that an attack's event had before there were other attackers."""


def folded(bodies: list[dict[str, Any]]) -> RunProgress:
    run = RunProgress(0, "run", 0, "{}")
    for body in bodies:
        Progress._fold(run, body)
    return run


def test_real_uploads_leave_the_curves_of_audits_alone():
    both = folded(events({"rounds": 2, "attack": {"uploads": "both"}}))
    alone = folded(events({"rounds": 2}))
    assert both.psnr == alone.psnr
    assert both.images == alone.images
    assert all(len(values) == 2 for values in both.psnr.values())


def test_only_real_uploads_are_no_audit():
    run = folded(events({"rounds": 1, "attack": {"uploads": "real"}}))
    assert run.psnr == {}
    assert all(attempt(run, client, worst=True) is None for client in run.targets)


def test_a_record_of_an_older_version_is_read():
    bodies = events({"rounds": 2})
    old = [{k: b[k] for k in OLD} if b["event"] == "attack" else b for b in bodies]
    for body in old:
        if body["event"] == "start":
            body.pop("spies"), body.pop("attack_note")
            body["experiment"] = body["experiment"] | {
                "attack": {"attacker": "least_squares", "clients": None}
            }
    run = folded(old)
    found = attempt(run, 19, worst=True)
    assert found is not None
    assert found.verdict.kind == "recovered"
