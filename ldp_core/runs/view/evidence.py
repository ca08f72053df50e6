"""Runs as figures that a lesson's questions are judged by."""

from collections.abc import Iterable
from typing import Any

from ldp_core.attacks.findings.verdict import Verdict, judge, judge_share
from ldp_core.presets.evidence import Attempts, Evidence, Outcome
from ldp_core.runs.view.attack_curve import Tries
from ldp_core.runs.view.run_curves import RunProgress


def evidence(runs: Iterable[RunProgress]) -> Evidence:
    every = list(runs)
    return Evidence(
        (_outcome(run) for run in every if run.status == "completed"),
        [(run.label, run.seed) for run in every if run.status == "diverged"],
    )


def verdict_on(tries: Tries, event: dict[str, Any]) -> Verdict:
    """Verdict on an attempt, given its controls and the guess without an upload."""
    at = event["round"]
    if tries.upload == "real":
        by_chance = event.get("recovered_non_members") or 0.0
        return judge_share(
            tries.share(None, at), by_chance, tries.share("clean", at), tries.share("clipped", at)
        )
    clean, clipped = (tries.psnr[control][tries.place(at)] for control in ("clean", "clipped"))
    guess = max(event["psnr_mean_image"], event.get("psnr_class_mean") or 0.0)
    return judge(event["psnr"], event["ncc"], event.get("ncc_non_members"), guess, clean, clipped)


def _outcome(run: RunProgress) -> Outcome:
    return Outcome(
        label=run.label,
        seed=run.seed,
        accuracy=run.curves["accuracy"][-1],
        per_class=tuple(run.last.get("accuracy_per_class", ())),
        permissive=run.last.get("client_weights", {}).get("permissive", 0.0),
        noise=run.curves["noise_variance"][1:],
        attempts={where: _attempts(tries) for where, tries in run.tries.items() if tries.closest},
        ledger=(run.end or {}).get("ledger", ()),
        chance=run.start.get("chance"),
    )


def _attempts(tries: Tries) -> Attempts:
    closest = tries.closest or {}
    kind, back = verdict_on(tries, closest).kind, closest.get("recovered") or 0
    return Attempts(tries.psnr[None][:], kind, *tries.identified(), back, tries.images)
