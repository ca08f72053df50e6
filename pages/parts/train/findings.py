"""Sentences below Train's charts on what happened (the line above is `watch.headline`)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ldp_core.experiment import Plan, plan
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import Tries, verdict_on
from pages.parts.charts.series import Series
from pages.parts.charts.tally import Tally, attempts_on, tally
from pages.parts.train.server_panel import asked_by, budget_of, leaked, perturbed, seed_of, uploads_in
from pages.parts.train.standings import same_model, standings
from pages.parts.ui.text import listed, number, percent, plain

NEAR, CUT, RISING = 0.02, 0.001, 0.01
"""Distance to the ceiling that is none; share of clipped numbers, and late rise, that are some."""


def findings(
    shown: Sequence[Series], reference: Series | None, chance: float | None, stopped: bool = False
) -> str:
    """Results of finished (or stopped) runs as Markdown, differences first."""
    ranking, leak = standings(shown, reference, chance, stopped), _leaks(shown)
    if not ranking:
        return ""
    if not stopped and same_model(shown):
        return " ".join(filter(None, [_one_by_one(shown), leak, *ranking]))
    return " ".join(filter(None, [*ranking, leak]))


def held_back(shown: Sequence[Series], reference: Series | None, ceiling: float) -> str:
    """What keeps training without noise below what one model of all the data reaches; "" if nothing does."""
    clean = [one for one in shown if _noiseless(plan(one.experiment))]
    one = next((one for one in (reference, *clean) if one and one.round and not one.diverged), None)
    if one is None or (reached := float(one.final("accuracy").mean())) > ceiling - NEAR:
        return ""
    course, cut = one.mean("accuracy"), float(one.final("clipped_fraction").mean())
    late = max(1, one.round // 3)
    rise = float(course[-1] - course[-1 - late])
    causes = []
    if cut > CUT:
        causes.append(f"{percent(cut, 1)} of what is sent is clipped, which a wider range is not")
    if rise > RISING:
        rounds = "round" if late == 1 else f"{late} rounds"
        causes.append(f"it rose by {percent(rise, 1)} in the last {rounds}: more of them, or a larger step")
    neither = "neither range nor rounds bind, as far as is seen: try another step, or another model"
    return (
        f"Without noise this training reaches {percent(reached)}, one model of all the data "
        f"{percent(ceiling)}: {'; '.join(causes) or neither}."
    )


def _noiseless(plan: Plan) -> bool:
    return plan.randomiser.role == "identity" and plan.experiment.trust.name == "local"


def attacked_among(shown: Sequence[Series]) -> list[Series]:
    """Attacked runs with noise; all attacked ones if none has any."""
    attacked = [one for one in shown if one.runs and one.runs[0].targets]
    return [one for one in attacked if perturbed(one)] or attacked


def closest_of(
    shown: Sequence[Series], upload: str, clients: Iterable[int] | None = None
) -> tuple[Tries, dict[str, Any], Series] | None:
    """The closest attempts on these clients (None: on any) over runs and seeds, their event, and the run."""
    found = [
        (tries, tries.closest, one)
        for one in shown
        for run in one.runs
        for (kind, client), tries in run.tries.items()
        if kind == upload and tries.closest and (clients is None or client in clients)
    ]
    return max(found, key=lambda one: leaked(one[0], one[1]), default=None)


def each_upload(shown: Sequence[Series], upload: str, clients: Iterable[int] | None = None) -> Floats:
    """Images recovered from each attacked real upload, or dB of each upload of one image, of these clients
    (None: of all), over runs, seeds and rounds.
    """
    found = [
        (tries.recovered if upload == "real" else tries.psnr)[None][: tries.rounds]
        for one in shown
        for run in one.runs
        for (kind, client), tries in run.tries.items()
        if kind == upload and (clients is None or client in clients)
    ]
    return np.concatenate([np.empty(0), *found])


def the_most_of(back: Floats) -> str:
    """`the most of 18 uploads, 10.6 on average`; "" for a single one."""
    return f"the most of {len(back)} uploads, {number(back.mean(), 3)} on average" if len(back) > 1 else ""


def _one_by_one(shown: Sequence[Series]) -> str:
    """Closest reconstruction of each run, if runs differ in what is attacked only; "" if one has none."""
    found = [(one, closest_of([one], "audit")) for one in shown]
    ends = [f"**{plain(one.label)}** {best[1]['psnr']:.0f} dB" for one, best in found if best]
    if len(ends) < len(found):
        return ""
    return f"The closest reconstructions of an upload of one image: {listed(ends)}."


def _leaks(shown: Sequence[Series]) -> str:
    if not (attacked := attacked_among(shown)):
        return ""
    groups: dict[tuple[float, ...], list[int]] = {}  # clients by their ε in each run
    for client in attacked[0].runs[0].targets:
        asked = (asked_by(one, client) for one in attacked if client in one.runs[0].targets)
        groups.setdefault((*asked,), []).append(client)
    kinds, parts = uploads_in(attacked), []
    for upload, says in (("audit", _audit), ("real", _real)):
        if upload in kinds:
            found = [words for clients in groups.values() if (words := says(attacked, clients))]
            parts += found or [_nothing(attacked, upload)]
    return " ".join(parts)


def _nothing(attacked: Sequence[Series], upload: str) -> str:
    clients, runs = attacked[0].runs[0].targets, [run for one in attacked for run in one.runs]
    tries = [found for run in runs for c in clients if (found := run.tries.get((upload, c)))]
    tries = [one for one in tries if one.closest]
    kinds = {verdict_on(one, one.closest).kind for one in tries if one.closest}
    if kinds == {"inconclusive"}:
        what = "an upload of one image" if upload == "audit" else "real uploads"
        return f"The attack on {what} fails even without noise, so it shows nothing."
    why = " (for some, clipping alone already hides it)" if "clipping" in kinds else ""
    lie = any(one.experiment.attack and one.experiment.attack.server.reader for one in attacked)
    lies = "" if lie else ", nor about a server that breaks the protocol"
    if upload == "real":
        back = "No image of a real upload came back"
        if any(one.closest and one.closest.get("recovered") for one in tries):
            back = "No more images of real uploads came back than by chance"
        return f"{back}{why}, which proves nothing about other attacks{lies}."
    left_out = any(one.numbers[-1] > len(one.numbers) for one in tries)
    return (
        f"The server got no image back in any round{' that was attacked' if left_out else ''}{why}, and "
        f"picked none out more often than by chance, which proves nothing about other attacks{lies}."
    )


def _named(clients: Sequence[int], attacked: Iterable[Series]) -> str:
    numbers = listed(str(client + 1) for client in clients)
    asked = [one for one in attacked if clients[0] in one.runs[0].targets]
    return f"client{'s' if len(clients) > 1 else ''} {numbers} ({budget_of(asked, clients[0])})"


def _audit(attacked: Sequence[Series], clients: Sequence[int]) -> str:
    if not (found := closest_of(attacked, "audit", clients)):
        return ""
    tries, event, where = found
    kind, who = verdict_on(tries, event).kind, _named(clients, attacked)
    picked = _picked(attacked, clients)
    if kind in ("recovered", "partly"):
        of = f"of {who} " if len(clients) > 1 else ""
        also = f"; {of}it {picked}" if picked else ""
        back = "the image" if kind == "recovered" else "a likeness of the image"
        whose = _named([tries.client], [where])
        return (
            f"From an upload of one image by {whose} the server can get {back}: {event['psnr']:.0f} dB in "
            f"round {event['round']} of {_run(where, tries)}, where the average of all images gets "
            f"{event['psnr_mean_image']:.0f} dB{also}."
        )
    hid = {
        "inconclusive": "the attack on the pixels fails even without noise",
        "clipping": "the pixels are not recovered by this attack (clipping alone already hides them)",
        "hidden": "the pixels are not recovered by this attack",
    }[kind]
    return f"Of {who}, {hid}, yet the server {picked}." if picked else ""


def _picked(attacked: Sequence[Series], clients: Sequence[int]) -> str:
    """Highest identification rate of all runs; "" if chance explains it."""
    counts = []
    for one in attacked:
        each = [count for client in clients if (count := tally(attempts_on(one, "audit", client)))]
        if each:
            count = Tally(sum(c.hits for c in each), sum(c.n for c in each), each[0].chance)
            counts.append((count, one.label))
    most, label = max(counts, key=lambda pair: pair[0].share, default=(None, ""))
    if most is None or not most.above_chance(len(counts)):
        return ""
    run = f"“{plain(label)}”; " if len(attacked) > 1 else ""
    return (
        f"picks the right image out of {most.candidates} in {most.hits:.0f} of {most.n} attempts "
        f"({run}guessing: {most.guessed})"
    )


def _real(attacked: Sequence[Series], clients: Sequence[int]) -> str:
    if not (found := closest_of(attacked, "real", clients)):
        return ""
    tries, event, where = found
    if verdict_on(tries, event).kind not in ("recovered", "partly"):
        return ""
    by_chance = round((event.get("recovered_non_members") or 0) * event["images"])
    whose, most = _named([tries.client], [where]), the_most_of(each_upload([where], "real", clients))
    return (
        f"Of the {event['images']} images in an upload as {whose} makes it, {event['recovered']} came back "
        f"in round {event['round']} of {_run(where, tries)} "
        f"(by chance {by_chance}{'; ' if most else ''}{most})."
    )


def _run(one: Series, tries: Tries) -> str:
    """The run's name, with its seed if it is not the first, as pictures are of the first."""
    seed = seed_of(one, tries)
    return f"“{plain(one.label)}”" + (f" with seed {number(seed, 10)}" if seed is not None else "")
