"""The server's view: image, reconstructions and mean image of each attacked client."""

import math
from collections.abc import Sequence

import numpy as np

from ldp_core.attacks.findings.bounds import VACUOUS
from ldp_core.attacks.findings.verdict import READ, LeakVerdict
from ldp_core.attacks.servers import how_sent
from ldp_core.experiment import plan
from ldp_core.inference import wilson
from ldp_core.runs import RunProgress, Tries, success, verdict_on
from pages.parts.charts.frames import NOTHING, Body, alike
from pages.parts.charts.series import Series
from pages.parts.charts.tally import attempts_on, between, tally
from pages.parts.ui.text import (
    THIN,
    an_image_of,
    at_most,
    covered,
    decibels,
    few,
    joined,
    names_by,
    number,
    percent,
    shortened,
)

MOST_COLUMNS = 3
MOST_PAIRS = 6
UPLOADS = {"audit": "one image", "real": "real upload"}
SUBTITLES = {
    "audit": "one image, one step: the worst case",
    "real": "an upload as the client sends it: all its images",
}
SHORT = {
    "recovered": "the image is back",
    "partly": "it can be read, or nearly",
    "inconclusive": "fails even without noise",
    "clipping": "clipping hides it",
    "hidden": "not recovered by this attack",
}
SHORT_REAL = SHORT | {
    "recovered": "images are back",
    "partly": "some are back",
    "clipping": "clipping hides them",
}
NOTE = {
    "audit": "The average of all images is what a guess without any upload looks like. Picking is a test "
    "apart: in each round that is attacked an upload is made from one of several images, drawn afresh, and "
    "the server says from which; equally likely images share a pick. A failed attack proves nothing.",
    "real": "Above: the client's images; below: what comes closest in the server's guesses. An image is back "
    "at 20 dB. By chance: as many held-out images, treated alike. A failed attack proves nothing.",
}


def uploads_in(shown: Sequence[Series]) -> list[str]:
    found = {upload for one in shown for upload, _ in one.runs[0].tries}
    found |= {"audit" for one in shown if one.runs[0].frames}
    return [upload for upload in UPLOADS if upload in found]


def perturbed(one: Series) -> bool:
    """False for a run without noise, where leaks are no finding."""
    return plan(one.experiment).randomiser.role != "identity"


def leaked(tries: Tries, event: Body) -> tuple[int, tuple[int, float]]:
    """Sort key of an attempt: a picture that can be read may have fewer dB than one that cannot."""
    kind = verdict_on(tries, event).kind
    return 2 * (kind == "recovered") + (kind == "partly"), success(event)


def _noisy(attacked: Sequence[Series]) -> Sequence[Series]:
    """Runs with noise, of which sentences are; all without any."""
    return [one for one in attacked if perturbed(one)] or attacked


def asked_by(one: Series, client: int) -> float:
    """The client's ε in the scope of the experiment, while events hold that of one use."""
    return float(one.experiment.clients.budgets()[client])


def seed_of(one: Series, tries: Tries) -> int | None:
    """Seed of the displayed attempts, if not the first."""
    return next((run.seed for run in one.runs[1:] if any(tries is made for made in run.tries.values())), None)


def server_panel(shown: Sequence[Series], upload: str, empty: str, stopped: bool = False) -> Body:
    """Data of the panel: a row per client, a column per variant (at most three). `empty`: text while there is
    no reconstruction; `stopped`: no search goes on.
    """
    attacked = [one for one in shown if one.runs[0].targets][:MOST_COLUMNS]
    lied = [one.label for one in attacked if (own := one.experiment.attack) and own.server.reader]
    under = f" under {few(lied)}" if len(lied) < len(attacked) else ""
    title = {
        "title": "What the server sees",
        "subtitle": SUBTITLES[upload] + (f"; the server lies{under}" if lied else ""),
    }
    clients = attacked[0].runs[0].targets if attacked else ()
    audit = upload == "audit"
    rows = [
        (audit and _forming(attacked, client, stopped)) or _row(attacked, upload, client)
        for client in clients
    ]
    rows = [row for row in rows if row]
    if not rows:
        return title | {"columns": [], "rows": [], "empty": empty}
    return title | {
        "columns": ["image", *(one.label for one in attacked), "average of all"] if audit else [],
        "rows": rows,
        "empty": "",
        "note": " ".join([NOTE[upload], *_sent(attacked)])
        + (" Pictures are of the first seed." if any(one.runs[1:] for one in attacked) else ""),
    }


def _sent(attacked: Sequence[Series]) -> list[str]:
    """Sentences on whether the servers of these runs lie, each once."""
    servers = [one.experiment.attack.server for one in attacked if one.experiment.attack]
    return [how_sent(server) for server in dict.fromkeys(servers)]


def budget_of(attacked: Sequence[Series], client: int) -> str:
    """A client's ε in the runs with noise, with what it covers: `ε 0.5 or 8 per weight`; or “no noise”."""
    noisy = [one for one in attacked if perturbed(one)]
    if not noisy:
        return "no noise"
    budgets = sorted((covered(one.experiment), asked_by(one, client)) for one in noisy)
    by_scope = names_by((scope, number(budget)) for scope, budget in budgets)
    return f"ε {' or '.join(' or '.join(dict.fromkeys(asked)) + scope for scope, asked in by_scope.items())}"


def _whose(attacked: Sequence[Series], client: int) -> Body:
    return {"name": f"Client {client + 1}", "budget": budget_of(attacked, client)}


def _class_of(run: RunProgress, client: int) -> str:
    return an_image_of(run.start["experiment"], run.targets[client]["label"])


def _forming(attacked: Sequence[Series], client: int, stopped: bool) -> Body | None:
    """Row of an unfinished search; None without one, or if all runs have an attempt."""
    runs = [one.runs[0] for one in attacked]
    forming = [run.forming(client) for run in runs]
    tries = [run.tries.get(("audit", client)) for run in runs]
    if not any(forming) or all(one and one.closest for one in tries):
        return None
    mean_image = runs[0].start["mean_image"]
    cells = [{"image": runs[0].targets[client]["image"], "captions": [_class_of(runs[0], client)]}]
    for frame, one in zip(forming, tries, strict=True):
        event = frame or (one.closest if one else None)
        step = f"step {frame['iterations']}" if frame else NOTHING
        captions = [decibels(event["psnr"], 1) if event else "not yet", step]
        cells.append({"image": event["image"] if event else mean_image, "captions": captions})
    return _whose(attacked, client) | {
        "cells": [*cells, {"image": mean_image, "captions": [NOTHING]}],
        "verdict": "stopped as it formed" if stopped else "the picture forms",
        "says": "The search was stopped" if stopped else "The search goes on",
        "kind": "",
        "picked": None,
        "detail": "its result, and what the controls give, follow when it has ended",
    }


def _row(attacked: Sequence[Series], upload: str, client: int) -> Body | None:
    """Verdict on the variant that leaks most, with pictures; None until all variants have an attempt."""
    tries = [found for one in attacked if (found := one.runs[0].tries.get((upload, client)))]
    made = [event for one in tries if (event := one.closest)]
    if len(made) < len(attacked):
        return None
    noisy = _noisy(attacked)
    best = max((i for i, one in enumerate(attacked) if one in noisy), key=lambda i: leaked(tries[i], made[i]))
    pairs = [*zip(tries, made, strict=True)]
    verdicts = [verdict_on(*pair) for pair in pairs]
    kind = verdicts[best].kind
    seen = (
        _gallery(attacked[best], tries[best], made[best])
        | {"lines": [f"{one.label}: {_back(*pair)}" for one, pair in zip(attacked, pairs, strict=True)]}
        if upload == "real"
        else _pictures(attacked, client, made, [verdict.kind for verdict in verdicts])
        | {"detail": _detail(attacked[0], client, tries[best], made[best])}
    )
    short = (SHORT_REAL if upload == "real" else SHORT)[kind]
    if upload == "audit" and kind == "hidden" and made[best]["ncc"] >= READ:
        stranger = made[best].get("ncc_non_members")
        other = stranger is not None and made[best]["ncc"] <= stranger
        short = f"alike, but so is {'another image' if other else 'a guess'}"
    if any(verdict.kind != kind for one, verdict in zip(attacked, verdicts, strict=True) if one in noisy):
        short += f", {shortened(attacked[best].label, 18)}"
    said = {"verdict": short, "says": _said(attacked, verdicts, best), "kind": kind}
    return _whose(attacked, client) | seen | said


def _pictures(attacked: Sequence[Series], client: int, made: Sequence[Body], kinds: Sequence[str]) -> Body:
    run = attacked[0].runs[0]
    image, average = run.targets[client]["image"], run.start["mean_image"]
    cells = [{"image": image, "captions": [_class_of(run, client)]}]
    for event, kind in zip(made, kinds, strict=True):
        captions = [alike(event["image"], image)]
        cells.append({"image": event["image"], "captions": captions, "mark": kind})
    cells.append({"image": average, "captions": [alike(average, image)]})
    return {"cells": cells, "picked": _how_often(attacked, client)}


def _detail(one: Series, client: int, tries: Tries, event: Body) -> str:
    at, of_class = tries.place(event["round"]), event.get("psnr_class_mean")
    clean, clipped = (decibels(tries.psnr[control][at]) for control in ("clean", "clipped"))
    whose = _class_of(one.runs[0], client)
    label = "" if of_class is None else f", of its class ({whose}): {of_class:.1f} dB"
    return (
        f"round {event['round']}: {decibels(event['psnr'], 1)}; without noise: {clean}; clipped, without "
        f"noise: {clipped}; the average of all images: {event['psnr_mean_image']:.1f} dB{label}{_most(tries)}"
    )


def _most(tries: Tries) -> str:
    """The bound on how often any attacker picks the right image; "" without one."""
    cap = float(np.mean(tries.caps[:])) if len(tries.caps) else math.nan
    if math.isnan(cap):
        return ""
    if cap >= VACUOUS:
        return "; no bound excludes that some attacker always picks the right image"
    share = f"{at_most(100 * cap)}{THIN}%"
    return f"; no attacker picks the right image more often than in {share} of tries, on average"


def _gallery(one: Series, tries: Tries, event: Body) -> Body:
    clean, clipped = (percent(tries.share(control, event["round"])) for control in ("clean", "clipped"))
    pairs = event.get("pairs", [])[:MOST_PAIRS]
    return {
        "pairs": [
            {"original": pair["original"], "image": pair["image"], "caption": decibels(pair["psnr"])}
            for pair in pairs
        ],
        "detail": f"shown: the best {len(pairs)} of {tries.images}, {one.label}, round {event['round']}; "
        f"without noise {clean} are back; clipped, without noise, {clipped}",
    }


def _how_often(attacked: Sequence[Series], client: int) -> Body | None:
    own = _noisy(attacked)
    counts = {one.label: found for one in own if (found := tally(attempts_on(one, "audit", client)))}
    if not counts:
        return None
    most = max(counts.values(), key=lambda one: one.share)
    first = [label for label, count in counts.items() if count.share == most.share]
    whose = "each" if len(first) == len(counts) else few(first)
    often = f"in {most.picked} of {most.n} tries{f' under {whose}' if len(counts) > 1 else ''}"
    leaks = most.above_chance(len(counts))
    return {
        "text": f"picked from {most.candidates} {often} (guessing: {most.guessed})",
        "kind": "" if not leaks else "mostly" if most.share > 0.5 else "often",
    }


def _said(attacked: Sequence[Series], verdicts: Sequence[LeakVerdict], best: int) -> str:
    """Verdict on the variant that leaks most, with the names of all variants that have the same verdict."""
    alike = [one for one, v in zip(attacked, verdicts, strict=True) if v.kind == verdicts[best].kind]
    if len(alike) == len(verdicts):
        return verdicts[best].text
    # the run without a mechanism shows that the attack works, and is shown last
    alike.sort(key=perturbed, reverse=True)
    return f"{joined([one.label for one in alike])}: {verdicts[best].text}"


def _back(tries: Tries, event: Body) -> str:
    back, n, every = (
        event.get("recovered") or 0,
        event.get("images", 1),
        tries.recovered[None][: tries.rounds],
    )
    by_chance = round((event.get("recovered_non_members") or 0.0) * n)
    # an interval after the choice of a round would not hold
    sure = between(*wilson(back, n))
    if len(every) > 1:
        sure = f"the most of {len(every)} rounds, {number(every.mean(), 3)} on average"
    return f"{back} of {n} images back ({sure}; chance {by_chance})"
