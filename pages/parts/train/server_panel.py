"""The server's view: image, reconstructions and mean image of each attacked client."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from ldp_core import mechanisms
from ldp_core.attacks.findings.metrics import wilson
from ldp_core.attacks.findings.verdict import Verdict
from ldp_core.experiment import Experiment, parse
from ldp_core.runs import RunProgress, Tries, success, verdict_on
from pages.parts.charts.frames import NOTHING, alike, shot, through
from pages.parts.charts.series import Series
from pages.parts.charts.tally import attempts_on, between, tally
from pages.parts.ui.text import PER, an_image_of, asked_per, decibels, joined, number, percent

MOST_COLUMNS = 3
MOST_PAIRS = 6
UPLOADS = {"audit": "one image", "real": "real upload"}
SUBTITLES = {
    "audit": "an upload of one image, one step: the worst case",
    "real": "an upload as the client sends it: all its images",
}
SHORT = {
    "recovered": "the image is back",
    "partly": "it can be read, or nearly",
    "inconclusive": "fails even without noise",
    "clipping": "clipping hides it",
    "hidden": "not recovered by this attack",
}
"""Verdicts in short, shown beside the images; the whole sentence is one click away."""
SHORT_REAL = SHORT | {
    "recovered": "images are back",
    "partly": "some are back",
    "clipping": "clipping hides them",
}
NOTE = {
    "audit": "The average image is what a guess without any upload looks like. Picking is a test of its own: "
    "in each round that is attacked an upload is made from one of several images, drawn afresh, and the "
    "server says from which; equally likely images share a pick. "
    "A failed attack proves nothing.",
    "real": "Above: the client's images; below: what comes closest in the server's guesses. An image is back "
    "at 20 dB. By chance: as many held-out images, treated alike. A failed attack proves nothing.",
}


def event_of(tries: Tries, worst: bool) -> dict[str, Any] | None:
    """Event of the latest attempt or, if `worst`, of the closest one so far; None before the first."""
    return tries.closest if worst else tries.newest


def uploads_in(shown: Sequence[Series]) -> list[str]:
    """Kinds of attacked uploads."""
    found = {upload for one in shown for upload, _ in one.runs[0].tries}
    found |= {"audit" for one in shown if one.runs[0].frames}
    return [upload for upload in UPLOADS if upload in found]


def perturbed(one: Series) -> bool:
    """False for a run without noise, where leaks are no finding."""
    mechanism: Any = one.runs[0].start.get("experiment", {}).get("mechanism", {})
    return not isinstance(mechanism, dict) or mechanisms.hides(mechanism.get("name"))


def server_panel(
    shown: Sequence[Series], upload: str, worst: bool, empty: str, back: bool = False
) -> dict[str, Any]:
    """Data of the panel: a row per client, a column per variant (at most three).

    Args:
        empty: text while there is no reconstruction.
        back: include the frames of searches.
    """
    title = {"title": "What the server sees", "subtitle": SUBTITLES[upload]}
    attacked = [one for one in shown if one.runs[0].targets][:MOST_COLUMNS]
    clients = attacked[0].runs[0].targets if attacked else ()
    steps = _steps(attacked, clients) if back and upload == "audit" else []
    rows = []
    for client in clients:
        if upload == "real":
            rows.append(_gallery(attacked, client, worst))
        else:
            forming = _forming(attacked, client, worst, stopped=back)
            rows.append(forming or _row(attacked, client, worst, steps))
    rows = [row for row in rows if row]
    if not rows:
        return title | {"columns": [], "rows": [], "empty": empty}
    columns = ["image", *(one.label for one in attacked), "average"]
    return title | {
        "columns": columns if upload == "audit" else [],
        "rows": rows,
        "steps": steps,
        "empty": "",
        "note": NOTE[upload] + " Pictures are of the first seed." * any(one.runs[1:] for one in attacked),
    }


def _steps(attacked: Sequence[Series], clients: Iterable[int]) -> list[int]:
    """Steps of the searches with frames, then one for the end."""
    frames_by_round = [one.runs[0].frames.get(client, {}) for one in attacked for client in clients]
    found = sorted({step for rounds in frames_by_round for frames in rounds.values() for step in frames})
    return [*found, found[-1] + 1] if found else []


def _forming(attacked: Sequence[Series], client: int, worst: bool, stopped: bool) -> dict[str, Any] | None:
    """Row of an unfinished search; None without one, or if the closest attempts are wanted and exist."""
    runs = [one.runs[0] for one in attacked]
    forming = [run.forming(client) for run in runs]
    tries = [run.tries.get(("audit", client)) for run in runs]
    if not any(forming) or (worst and all(one and one.closest for one in tries)):
        return None
    cells, target = [], runs[0].targets[client]
    for frame, one in zip(forming, tries, strict=True):
        event = frame or (one.newest if one else None)
        step = f"step {frame['iterations']}" if frame else NOTHING
        if event:
            cells.append({"image": event["image"], "captions": [decibels(event["psnr"], 1), step]})
        else:
            cells.append({"image": runs[0].start["mean_image"], "captions": ["not yet", NOTHING]})
    return {
        "name": f"Client {client + 1}",
        "budget": _budgets(attacked, client),
        "cells": [
            {"image": target["image"], "captions": [_class_of(runs[0], client)]},
            *cells,
            {"image": runs[0].start["mean_image"], "captions": [NOTHING]},
        ],
        "verdict": "stopped as it formed" if stopped else "the picture forms",
        "says": "The search was stopped" if stopped else "The search goes on",
        "kind": "",
        "picked": None,
        "detail": "what it ends with, and what the controls give, is told when it has ended",
    }


def _class_of(run: RunProgress, client: int) -> str:
    return an_image_of(run.start["experiment"], run.targets[client]["label"])


def _formed(one: Series, client: int, event: dict[str, Any], steps: Sequence[int]) -> dict[str, Any]:
    """Frames of the displayed attempt, if it was a search and `steps` are wanted."""
    frames = one.runs[0].frames.get(client, {}).get(event["round"])
    if not steps or not frames:
        return {}
    return {"frames": [shot(f["image"], [decibels(f["psnr"], 1)], 1) for f in through(steps, frames)]}


def _row(
    attacked: Sequence[Series], client: int, worst: bool, steps: Sequence[int] = ()
) -> dict[str, Any] | None:
    """Row of a one-image upload: image, reconstruction of each variant, mean image."""
    tries, made = _attempts(attacked, "audit", client, worst)
    if not made:
        return None
    run = attacked[0].runs[0]
    target = run.targets[client]
    best = max(range(len(made)), key=lambda i: success(made[i]))
    event, verdicts = made[best], [verdict_on(*pair) for pair in zip(tries, made, strict=True)]
    at = tries[best].place(event["round"])
    clean, clipped = (tries[best].psnr[control][at] for control in ("clean", "clipped"))
    guess = event.get("psnr_class_mean")
    label = "" if guess is None else f"; the average image of {_class_of(run, client)}: {guess:.1f} dB"
    return {
        "name": f"Client {client + 1}",
        "budget": _budgets(attacked, client),
        "cells": [
            {"image": target["image"], "captions": [_class_of(run, client)]},
            *(
                {
                    "image": one["image"],
                    "captions": [alike(one["image"], target["image"])],
                    "mark": verdict.kind,
                    **_formed(series, client, one, steps),
                }
                for series, one, verdict in zip(attacked, made, verdicts, strict=True)
            ),
            {"image": run.start["mean_image"], "captions": [alike(run.start["mean_image"], target["image"])]},
        ],
        "verdict": SHORT[verdicts[best].kind],
        "says": _said(attacked, verdicts, best),
        "kind": verdicts[best].kind,
        "picked": _how_often(attacked, client),
        "detail": f"round {event['round']}: {decibels(event['psnr'], 1)}; without noise: {decibels(clean)}; "
        f"clipped, without noise: {decibels(clipped)}{label}",
    }


def _gallery(attacked: Sequence[Series], client: int, worst: bool) -> dict[str, Any] | None:
    """Row of a many-image upload: pairs of the leakiest variant, a line for each variant."""
    tries, made = _attempts(attacked, "real", client, worst)
    if not made:
        return None
    best = max(range(len(made)), key=lambda i: success(made[i]))
    event, verdicts = made[best], [verdict_on(*pair) for pair in zip(tries, made, strict=True)]
    controls = [f"{percent(tries[best].share(control, event['round']))}" for control in ("clean", "clipped")]
    pairs = event.get("pairs", [])[:MOST_PAIRS]
    return {
        "name": f"Client {client + 1}",
        "budget": _budgets(attacked, client),
        "pairs": [
            {"original": pair["original"], "image": pair["image"], "caption": decibels(pair["psnr"])}
            for pair in pairs
        ],
        "lines": [f"{one.label}: {_back(event)}" for one, event in zip(attacked, made, strict=True)],
        "verdict": SHORT_REAL[verdicts[best].kind],
        "says": _said(attacked, verdicts, best),
        "kind": verdicts[best].kind,
        "detail": f"shown: the best {len(pairs)} of {tries[best].images}, {attacked[best].label}, round "
        f"{event['round']}; without noise {controls[0]} are back; clipped, without noise, {controls[1]}",
    }


def _attempts(
    attacked: Sequence[Series], upload: str, client: int, worst: bool
) -> tuple[list[Tries], list[dict[str, Any]]]:
    """The first seed's attempts of each variant; empty until all variants have one."""
    tries = [found for one in attacked if (found := one.runs[0].tries.get((upload, client)))]
    made = [event for one in tries if (event := event_of(one, worst))]
    return (tries, made) if len(made) == len(attacked) else ([], [])


def _budgets(attacked: Sequence[Series], client: int) -> str:
    budgets = sorted({asked_by(one, client) for one in attacked})
    covers = {asked_per(_settings(one.runs[0].experiment)) for one in attacked}
    words = " or ".join(f"per {what}" for what in PER.values() if what in covers)
    return f"ε {' or '.join(number(epsilon) for epsilon in budgets)} {words}"


def asked_by(one: Series, client: int) -> float:
    """The client's ε in the scope of the experiment, while events hold that of one use."""
    return float(_settings(one.runs[0].experiment).clients.budgets()[client])


@lru_cache(maxsize=256)
def _settings(experiment: str) -> Experiment:
    return parse(json.loads(experiment))


def _how_often(attacked: Sequence[Series], client: int) -> dict[str, Any] | None:
    """Identification rate of the variant with the highest one."""
    counts = {one.label: found for one in attacked if (found := tally(attempts_on(one, "audit", client)))}
    if not counts:
        return None
    whose, most = max(counts.items(), key=lambda one: one[1].share)
    often = f"in {most.picked} of {most.n} tries{f' under {whose}' * (len(counts) > 1)}"
    leaks = most.above_chance(len(counts))
    return {
        "text": f"picked from {most.candidates} {often} (guessing: {most.guessed})",
        "kind": "" if not leaks else "mostly" if most.share > 0.5 else "often",
    }


def seed_of(one: Series, tries: Tries) -> int | None:
    """Seed of the displayed attempts, if not the first."""
    return next((run.seed for run in one.runs[1:] if any(tries is made for made in run.tries.values())), None)


def _said(attacked: Sequence[Series], verdicts: Sequence[Verdict], best: int) -> str:
    """Verdict on the variant that leaks most, with the names of all variants that have the same verdict."""
    alike = [one.label for one, v in zip(attacked, verdicts, strict=True) if v.kind == verdicts[best].kind]
    if len(alike) == len(verdicts):
        return verdicts[best].text
    # the run without a mechanism shows that the attack works, and is shown last
    noisy = [one.label for one in attacked if one.label in alike and perturbed(one)]
    labels = [*noisy, *(label for label in alike if label not in noisy)]
    return f"{joined(labels)}: {verdicts[best].text}"


def _back(event: dict[str, Any]) -> str:
    """Share of a real upload that came back, with interval and chance."""
    back, n = event.get("recovered") or 0, event.get("images", 1)
    by_chance = round((event.get("recovered_non_members") or 0.0) * n)
    return f"{back} of {n} images back ({between(*wilson(back, n))}; chance {by_chance})"
