"""One sentence or two that say what happened, from the viewer's own figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldp_core.runs.tries import Tries, success
from pages.parts.series import Series
from pages.parts.server_panel import uploads_in, verdict_on
from pages.parts.tally import attempts_on, tally
from pages.parts.text import listed, number, percent, plain

GUESSING = 0.05
"""An accuracy that is not further above guessing is no better than it."""
MOST_NAMED = 4
"""Of more runs than this, only the best ones and the worst are named."""


def findings(
    shown: Sequence[Series], reference: Series | None, chance: float | None, stopped: bool = False
) -> str:
    """What the finished (or stopped) runs show, as Markdown."""
    scored = [(one, one.final("accuracy")) for one in shown if one.round > 0]
    if not scored:
        return ""
    seeds = max(len(values) for _, values in scored)
    ranked = sorted(scored, key=lambda item: -item[1].mean())
    named = ranked if len(ranked) <= MOST_NAMED else [*ranked[: MOST_NAMED - 1], ranked[-1]]
    told = listed(
        f"**{plain(one.label)}** {_at(one, stopped)} {percent(values.mean())}"
        + (f" ({percent(values.min())} to {percent(values.max())})" if len(values) > 1 else "")
        for one, values in named
    )
    parts = [f"{told}{f', over {seeds} seeds' if seeds > 1 else ''}."]
    if reference is not None and reference.round > 0:
        parts.append(f"Without noise a plain mean reaches {percent(reference.final('accuracy').mean())}")
        guess = f"; always naming the commonest class gives {percent(chance)}." if chance is not None else "."
        parts[-1] += guess
    if len(ranked) > 1 and seeds > 1 and not stopped:
        parts.append(_order(ranked, chance or 0.0))
    leak = _leaks(shown)
    return " ".join([*parts, *([leak] if leak else [])])


def _order(ranked: Sequence[tuple[Series, Any]], chance: float) -> str:
    """Whether the best beats the second in every seed: runs of one seed are paired."""
    (best, first), (second, other) = ranked[0], ranked[1]
    if first.mean() < chance + GUESSING:
        return "None of them is better than guessing."
    pairs = zip(first, other, strict=False)
    wins = [a > b for a, b in pairs]
    if all(wins):
        return f"{plain(best.label)} is ahead of {plain(second.label)} for every seed."
    ahead = f"{plain(best.label)} is ahead of {plain(second.label)} for {sum(wins)} of {len(wins)} seeds"
    return f"{ahead}: too close to call."


def _at(one: Series, stopped: bool) -> str:
    return f"stands at round {one.round} at" if stopped else "ends at"


def _leaks(shown: Sequence[Series]) -> str:
    """What pixels and identification say together, client by client; then what real uploads gave away."""
    attacked = [one for one in shown if one.runs[0].targets]
    if not attacked:
        return ""
    kinds, parts = uploads_in(attacked), []
    if "audit" in kinds:
        told = [words for client in attacked[0].runs[0].targets if (words := _audit(attacked, client))]
        parts += told or [
            "The server got no image back in any round, and picked none out more often than by chance, which "
            "proves nothing about other attacks."
        ]
    if "real" in kinds:
        told = [words for client in attacked[0].runs[0].targets if (words := _real(attacked, client))]
        parts += told or ["No image of a real upload came back, which proves nothing about other attacks."]
    return " ".join(parts)


def _audit(attacked: Sequence[Series], client: int) -> str:
    """What came of a client's one-image uploads; "" if nothing that guessing does not explain."""
    closest, where = _closest(attacked, "audit", client)
    if closest is None or where is None or closest.closest is None:
        return ""
    event, who = closest.closest, f"client {client + 1} (ε {_budget(where, client)}"
    kind = verdict_on(closest, event).kind
    counts = [(count, one) for one in attacked if (count := tally(attempts_on(one, "audit", client)))]
    often, most = max(counts, key=lambda pair: pair[0].hits / pair[0].n, default=(None, None))
    picked = ""
    if often and most and often.above_chance(len(counts)):
        picked = (
            f"picks its image out of {round(1 / often.chance)} in {often.hits} of {often.n} rounds"
            f"{f' of {plain(most.label)}' if len(attacked) > 1 else ''} "
            f"(chance {number(often.chance * often.n, 2)})"
        )
    if kind in ("recovered", "partly"):
        return (
            f"The server saw into an upload of {who}: {event['psnr']:.0f} dB in round {event['round']} of "
            f"{plain(where.label)}; the average image gets {event['psnr_mean_image']:.0f} dB)"
            f"{f', and {picked}' if picked else ''}."
        )
    if not picked:
        return ""
    hid = (
        "the attack on its pixels fails even without noise"
        if kind == "inconclusive"
        else (
            "its pixels are not recovered by this attack"
            + (", though that is due to clipping, not noise" if kind == "clipping" else "")
        )
    )
    return f"Of {who}), {hid}, yet the server {picked}."


def _real(attacked: Sequence[Series], client: int) -> str:
    """What came of a client's real uploads; "" if no more than by chance."""
    closest, where = _closest(attacked, "real", client)
    if closest is None or where is None or closest.closest is None:
        return ""
    event = closest.closest
    if verdict_on(closest, event).kind not in ("recovered", "partly"):
        return ""
    return (
        f"Of the {event['images']} images of a real upload of client {client + 1} "
        f"(ε {_budget(where, client)}), {event['recovered']} came back in round {event['round']} of "
        f"{plain(where.label)} (by chance {round((event['recovered_non_members'] or 0) * event['images'])})."
    )


def _closest(attacked: Sequence[Series], upload: str, client: int) -> tuple[Tries | None, Series | None]:
    """The attempts that came closest, over all variants."""
    found = [(one.runs[0].tries.get((upload, client)), one) for one in attacked]
    made = [(tries, one) for tries, one in found if tries is not None and tries.closest]
    return max(made, key=lambda pair: success(pair[0].closest or {}), default=(None, None))


def _budget(one: Series, client: int) -> str:
    return number(one.runs[0].targets[client]["epsilon"])
