"""Figure on the attacks over Train's charts."""

from collections.abc import Sequence
from typing import Any

from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.runs import verdict_on
from pages.parts.charts.series import Series
from pages.parts.charts.tally import attempts_on, tally
from pages.parts.train.findings import attacked_among, closest_of, each_upload, the_most_of
from pages.parts.train.server_panel import budget_of, perturbed, seed_of
from pages.parts.ui.text import decibels, number

KINDS = {
    "inconclusive": "the attack fails even without noise",
    "clipping": "not recovered: clipping alone hides it",
    "hidden": "no image recovered by this attack",
}


def leak(shown: Sequence[Series], upload: str, nothing: str) -> dict[str, Any]:
    """The best recovered upload, with its client and run; `nothing` without an attack."""
    attacked = attacked_among(shown)
    if not (found := closest_of(attacked, upload)):
        return {"name": "What leaks", "pieces": [(nothing, None)], "rest": ""}
    closest, event, where = found
    client = closest.client
    kind = verdict_on(closest, event).kind
    said = KINDS.get(kind, "")
    seed = seed_of(where, closest)
    rest = f"{where.label}, {'' if seed is None else f'seed {number(seed, 10)}, '}round {event['round']}"
    if upload == "real":
        back = f"{event.get('recovered') or 0} of {event['images']}"
        by_chance = round((event.get("recovered_non_members") or 0.0) * event["images"])
        most = the_most_of(each_upload([where], upload))
        counted = ", ".join(filter(None, [f"by chance {by_chance}", most]))
        rest = f"{back} back, {counted}; {rest}" if said else f"{counted}; {rest}"
        said = said or f"{back} images of client {client + 1}'s upload are back"
    elif not said:
        whole = "image is back" if kind == "recovered" else "image can be read, or nearly"
        said = f"client {client + 1}'s {whole}: {decibels(event['psnr'])}"
        rest = f"{'it asks for ' if perturbed(where) else ''}{budget_of([where], client)}; {rest}"
    else:
        picked = _picked(attacked, upload)
        rest = picked or f"best {decibels(event['psnr'])}; a failed attack proves nothing"
    return {
        "name": "What leaks",
        "pieces": [(said, None)],
        "rest": rest,
        "kind": kind if kind in ("recovered", "partly") else "",
    }


def came_back(one: Series) -> str:
    """What attacks on a run's uploads recovered, in a few words; "" without one."""
    for upload in ("real", "audit"):
        if not (found := closest_of([one], upload)):
            continue
        tries, event, _ = found
        kind = verdict_on(tries, event).kind
        if kind == "inconclusive":
            return ""
        each = each_upload([one], upload)
        if upload == "real":
            average = " on average" if len(each) > 1 else ""
            return f"{number(each.mean(), 3)} of {event['images']} images back{average}"
        word = {"recovered": "the image is back", "partly": "it can be read, or nearly"}.get(kind, "not back")
        if kind == "recovered" and len(each) > 1:
            return f"{word} from {(each >= RECOVERED_DB).sum()} of {len(each)} uploads"
        return f"{word} ({'best ' if len(each) > 1 and kind != 'partly' else ''}{decibels(event['psnr'])})"
    return ""


def _picked(attacked: Sequence[Series], upload: str) -> str:
    """Highest identification rate; "" if chance explains it."""
    counts = [
        (count, client, one.label)
        for one in attacked
        for client in one.runs[0].targets
        if (count := tally(attempts_on(one, upload, client)))
    ]
    if not counts:
        return ""
    most, client, label = max(counts, key=lambda found: found[0].share)
    if not most.above_chance(len(counts)):
        return ""
    return (
        f"yet client {client + 1}'s is picked from {most.candidates} in {most.picked} of {most.n} tries "
        f"(guessing: {most.guessed}; {label})"
    )
