"""Sentences below Train's charts on what happened (the line above is `watch.headline`)."""

from __future__ import annotations

from collections.abc import Sequence

from ldp_core.runs import Tries, success, verdict_on
from pages.parts.charts.series import Series
from pages.parts.charts.tally import Tally, attempts_on, tally
from pages.parts.train.server_panel import asked_by, perturbed, seed_of, uploads_in
from pages.parts.train.standings import same_model, standings
from pages.parts.ui.text import listed, number, plain


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


def _one_by_one(shown: Sequence[Series]) -> str:
    """Closest reconstruction of each run, if runs differ in what is attacked only; "" if one has none."""
    ends = []
    for one in shown:
        closest, _ = _closest([one], "audit", list(one.runs[0].targets))
        if closest is None or closest.closest is None:
            return ""
        ends.append(f"**{plain(one.label)}** {closest.closest['psnr']:.0f} dB")
    return f"The closest reconstructions of an upload of one image: {listed(ends)}."


def _leaks(shown: Sequence[Series]) -> str:
    """Reconstruction and identification by ε, then real uploads."""
    attacked = [one for one in shown if one.runs[0].targets]
    attacked = [one for one in attacked if perturbed(one)] or attacked
    if not attacked:
        return ""
    kinds, groups, parts = uploads_in(attacked), _groups(attacked), []
    for upload, says in (("audit", _audit), ("real", _real)):
        if upload in kinds:
            found = [words for budgets, clients in groups if (words := says(attacked, budgets, clients))]
            parts += found or [_nothing(attacked, upload)]
    return " ".join(parts)


def _nothing(attacked: Sequence[Series], upload: str) -> str:
    """Sentence on an attack without a finding."""
    clients = list(attacked[0].runs[0].targets)
    runs = [run for one in attacked for run in one.runs]
    tries = [found for run in runs for c in clients if (found := run.tries.get((upload, c)))]
    kinds = {verdict_on(one, one.closest).kind for one in tries if one.closest}
    left_out = any(one.closest and one.numbers[-1] > len(one.numbers) for one in tries)
    tried = "round that was attacked" if left_out else "round"
    what = "an upload of one image" if upload == "audit" else "real uploads"
    if kinds == {"inconclusive"}:
        return f"The attack on {what} fails even without noise, so it shows nothing."
    why = " (for some, clipping alone already hides it)" if "clipping" in kinds else ""
    if upload == "real":
        some = any(one.closest and one.closest.get("recovered") for one in tries)
        back = (
            "No more images of real uploads came back than by chance"
            if some
            else "No image of a real upload came back"
        )
        return f"{back}{why}, which proves nothing about other attacks."
    return (
        f"The server got no image back in any {tried}{why}, and picked none out more often than by chance, "
        "which proves nothing about other attacks."
    )


def _groups(attacked: Sequence[Series]) -> list[tuple[tuple[float, ...], list[int]]]:
    """Attacked clients by their ε (one per run)."""
    found: dict[tuple[float, ...], list[int]] = {}
    for client in attacked[0].runs[0].targets:
        asked = (budget for one in attacked for budget in _budget(one, client))
        found.setdefault(tuple(asked), []).append(client)
    return list(found.items())


def _named(clients: Sequence[int], budgets: Sequence[float]) -> str:
    numbers = listed(str(client + 1) for client in clients)
    epsilons = " or ".join(number(epsilon) for epsilon in sorted(set(budgets)))
    return f"client{'s' if len(clients) > 1 else ''} {numbers} (ε {epsilons})"


def _audit(attacked: Sequence[Series], budgets: Sequence[float], clients: Sequence[int]) -> str:
    """Findings on one-image uploads; "" if chance explains them."""
    closest, where = _closest(attacked, "audit", clients)
    if closest is None or closest.closest is None:
        return ""
    event, picked = closest.closest, _picked(attacked, clients)
    kind, who = verdict_on(closest, event).kind, _named(clients, budgets)
    if kind in ("recovered", "partly"):
        of = f"of {who} " if len(clients) > 1 else ""
        also = f"; {of}it {picked}" if picked else ""
        back = "the image" if kind == "recovered" else "a likeness of the image"
        whose = _named([closest.client], _budget(where, closest.client))
        return (
            f"From an upload of one image by {whose} the server can get {back}: {event['psnr']:.0f} dB in "
            f"round {event['round']} of {_run(where, closest)}, where the average image gets "
            f"{event['psnr_mean_image']:.0f} dB{also}."
        )
    if not picked:
        return ""
    hid = {
        "inconclusive": "the attack on the pixels fails even without noise",
        "clipping": "the pixels are not recovered by this attack (clipping alone already hides them)",
        "hidden": "the pixels are not recovered by this attack",
    }[kind]
    return f"Of {who}, {hid}, yet the server {picked}."


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


def _real(attacked: Sequence[Series], budgets: Sequence[float], clients: Sequence[int]) -> str:
    """Findings on real uploads; "" if chance explains them."""
    closest, where = _closest(attacked, "real", clients)
    if closest is None or closest.closest is None:
        return ""
    event = closest.closest
    if verdict_on(closest, event).kind not in ("recovered", "partly"):
        return ""
    by_chance = round((event.get("recovered_non_members") or 0) * event["images"])
    whose = _named([closest.client], _budget(where, closest.client))
    return (
        f"Of the {event['images']} images in an upload as {whose} makes it, {event['recovered']} came back "
        f"in round {event['round']} of {_run(where, closest)} (by chance {by_chance})."
    )


def _closest(attacked: Sequence[Series], upload: str, clients: Sequence[int]) -> tuple[Tries | None, Series]:
    """The closest attempts over clients, variants and seeds, and the variant."""
    found = [(run.tries.get((upload, c)), one) for one in attacked for run in one.runs for c in clients]
    made = [(tries, one) for tries, one in found if tries is not None and tries.closest]
    return max(made, key=lambda pair: success(pair[0].closest or {}), default=(None, attacked[0]))


def _run(one: Series, tries: Tries) -> str:
    """The run's name, with its seed if it is not the first, as pictures are of the first."""
    seed = seed_of(one, tries)
    return f"“{plain(one.label)}”" + (f" with seed {number(seed, 10)}" if seed is not None else "")


def _budget(one: Series, client: int) -> list[float]:
    """The client's ε in one run, as a list; empty if not attacked."""
    return [asked_by(one, client)] if client in one.runs[0].targets else []
