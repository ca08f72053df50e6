"""One sentence or two that say what happened, from the viewer's own figures."""

from __future__ import annotations

from collections.abc import Sequence

from pages.parts.series import Series
from pages.parts.server_panel import attempt
from pages.parts.text import listed, number, percent, plain


def findings(shown: Sequence[Series], reference: Series | None, chance: float | None) -> str:
    """What the finished (or stopped) runs show, as Markdown."""
    scored = [(one, one.final("accuracy")) for one in shown if one.round > 0]
    if not scored:
        return ""
    seeds = max(len(values) for _, values in scored)
    ranked = sorted(scored, key=lambda item: -item[1].mean())
    told = listed(
        f"**{plain(one.label)}** ends at {percent(values.mean())}"
        + (f" ({percent(values.min())} to {percent(values.max())})" if len(values) > 1 else "")
        for one, values in ranked
    )
    parts = [f"{told}{f', over {seeds} seeds' if seeds > 1 else ''}."]
    if reference is not None and reference.round > 0:
        parts.append(f"Without noise the same training reaches {percent(reference.final('accuracy').mean())}")
        parts[-1] += f"; guessing gives {percent(chance)}." if chance is not None else "."
    if len(ranked) > 1 and seeds > 1:
        parts.append(_order(ranked))
    leak = _leaks(shown)
    return " ".join([*parts, *([leak] if leak else [])])


def _order(ranked: Sequence[tuple[Series, object]]) -> str:
    """Whether the best beats the second in every seed: runs of one seed are paired."""
    (best, first), (second, other) = ranked[0], ranked[1]
    pairs = zip(first, other, strict=False)  # type: ignore[call-overload]
    wins = [a > b for a, b in pairs]
    if all(wins):
        return f"{plain(best.label)} is ahead of {plain(second.label)} for every seed."
    return f"{plain(best.label)} is ahead of {plain(second.label)} for {sum(wins)} of {len(wins)} seeds."


def _leaks(shown: Sequence[Series]) -> str:
    """Whose image came back in any round of any variant."""
    attacked = [one.runs[0] for one in shown if one.runs[0].targets]
    if not attacked:
        return ""
    seen = []
    for client, target in attacked[0].targets.items():
        tries = [found for run in attacked if (found := attempt(run, client, worst=True))]
        closest = max(tries, key=lambda one: one.psnr, default=None)
        if closest and closest.verdict.kind in ("recovered", "partly"):
            seen.append(
                f"client {client + 1} (ε {number(target['epsilon'])}: {closest.psnr:.0f} dB in round "
                f"{closest.round}, where a guess gets {closest.mean_image:.0f} dB)"
            )
    if seen:
        return f"The server saw into an upload of {listed(seen)}."
    return "The server got no image back in any round, which proves nothing about other attacks."
