"""One sentence or two that say what happened, from the viewer's own figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pages.parts.series import Series
from pages.parts.server_panel import attempt
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
    """Whose image came back in any round of any variant."""
    attacked = [one for one in shown if one.runs[0].targets]
    if not attacked:
        return ""
    seen = []
    for client in attacked[0].runs[0].targets:
        tries = [(found, one) for one in attacked if (found := attempt(one.runs[0], client, worst=True))]
        closest, where = max(tries, key=lambda pair: pair[0].psnr, default=(None, None))
        if closest and where and closest.verdict.kind in ("recovered", "partly"):
            epsilon = number(where.runs[0].targets[client]["epsilon"])
            seen.append(
                f"client {client + 1} (ε {epsilon}: {closest.psnr:.0f} dB in round {closest.round} of "
                f"{plain(where.label)}; the average image gets {closest.mean_image:.0f} dB)"
            )
    if seen:
        return f"The server saw into an upload of {listed(seen)}."
    return "The server got no image back in any round, which proves nothing about other attacks."
