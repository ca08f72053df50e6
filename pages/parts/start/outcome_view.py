"""A scenario's stored results as a small chart, with their provenance."""

from collections.abc import Collection
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.cost.estimate import cost
from ldp_core.experiment import Draft, plan
from ldp_core.experiment.draft import without_noise
from ldp_core.inference import in_points, interval
from ldp_core.presets import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy
from ldp_core.runs import Training, kinds, ladders, outcomes, rates, styles
from pages.parts.charts.budget_axis import common
from pages.parts.charts.frames import alike
from pages.parts.train.standings import training
from pages.parts.ui.text import covered, decibels, labels_cover, number, percent, seconds

MOST_PICTURES = 3
"""Largest number of reconstructions beside the image; of more runs, those of the last."""
BACK = {"recovered": ", back", "partly": ", partly", "hidden": ", not back", "clipping": ", not back"}
"""Verdicts beside pictures, as a guess may be as alike as what was recovered."""


def picture(
    draft: Draft,
    found: outcomes.ScenarioResult,
    height: int,
    asked: Collection[str] = (),
    guess: float | None = None,
) -> dict[str, Any]:
    """Data for assets/web/outcome.js; of images those `asked` about come first."""
    steps = ladders(draft)
    dots = not steps and one_round(found)
    lines = _by_budget(draft, found) if steps else _by_round(draft, found)
    guides = [{"name": f"guessing {percent(found.chance)}", "y": found.chance}]
    if words := reference_words(draft, found):
        end = found.reference[-1]
        guides.append({"name": words, "short": f"{without_noise(found.seeds)} {percent(end)}", "y": end})
    if found.control is not None:
        guides.append({"name": f"public digits alone {percent(found.control)}", "y": found.control})
    if guess is not None:
        guides.append({"name": f"your guess {percent(guess)}", "y": guess})
    across = [np.log(epsilon) for _, epsilon in steps] if steps else [0, found.rounds]
    ends = "; ".join(f"{line['name']} {line['end']}" for line in lines)
    budgets = sorted({epsilon for _, epsilon in steps})
    return {
        "lines": lines,
        "guides": guides,
        "range": [min(across, default=0), max(across, default=1)],
        "axis": f"accuracy, ε {number(budgets[0])} to {number(budgets[-1])}{covered(draft.base)}"
        if steps
        else f"accuracy{'' if dots else f' over {found.rounds} rounds'}{labels_cover(draft)}",
        "dots": dots,
        "images": _images(draft, found, asked),
        "height": height,
        "label": f"Accuracy: {ends}",
    }


def levels(preset: Preset, found: outcomes.ScenarioResult) -> str:
    """Accuracies beside which a share is guessed: of guessing, and without noise; "" for other questions."""
    if not isinstance(preset.ask, NumberQuestion) or not preset.ask.unit:
        return ""
    clean = reference_words(preset.draft, found)
    words = " · ".join(filter(None, (f"guessing {percent(found.chance)}", clean)))
    return words if preset.ask.read is accuracy else f"over all classes: {words}"


def reference_words(draft: Draft, found: outcomes.ScenarioResult) -> str:
    """The stored run without noise, as charts name it, with its accuracy; "" where there is none."""
    if not found.reference:
        return ""
    unknown = ", but class shares unknown" if plan(draft.experiments()[-1]).randomiser.labelled else ""
    unlike = len({str(training(one)) for one in draft.experiments()}) > 1
    whose = f"{'last run, ' if unlike else ''}{without_noise(found.seeds)}{unknown}"
    return f"{whose} {percent(found.reference[-1])}"


def _by_round(draft: Draft, found: outcomes.ScenarioResult) -> list[dict[str, Any]]:
    dots = one_round(found)
    return [
        {
            "name": variant.label,
            "run": look.tint,
            "points": [[i, value] for i, value in enumerate(curve)],
            "end": "diverged" if place in found.diverged else percent(curve[-1]) + _room(found, place) * dots,
            "half": _half(found, place),
        }
        for place, (variant, look, curve) in enumerate(
            zip(draft.variants, styles(draft), found.curves, strict=True)
        )
    ]


def one_round(found: outcomes.ScenarioResult) -> bool:
    """Whether most of the runs have one round, and so no curve."""
    return 2 * sum(len(curve) == 2 for curve in found.curves) > len(found.curves)


def _half(found: outcomes.ScenarioResult, place: int) -> float:
    """Half the 95 % interval of a variant's final accuracy over seeds; 0 if unknown or not finite."""
    spread = interval(found.ends[place]).half if found.ends else np.inf
    return float(spread) if np.isfinite(spread) else 0.0


def _room(found: outcomes.ScenarioResult, place: int) -> str:
    return f" ± {in_points(half)}" if (half := _half(found, place)) else ""


def _by_budget(draft: Draft, found: outcomes.ScenarioResult) -> list[dict[str, Any]]:
    """A line per design, over log ε."""
    looks = styles(draft)
    lines: dict[str, list[tuple[float, float, int]]] = {}
    for place, (name, epsilon) in enumerate(ladders(draft)):
        lines.setdefault(name, []).append((float(np.log(epsilon)), found.curves[place][-1], place))
    drawn = []
    for points in lines.values():
        labels = [draft.variants[place].label for _, _, place in points]
        name, run = common(labels), looks[points[0][2]].tint
        across = sorted(points)
        (_, end, last), ends = across[-1], [list(one[:2]) for one in across]
        drawn.append({"name": name, "run": run, "points": ends, "end": percent(end) + _room(found, last)})
    return drawn


def _images(draft: Draft, found: outcomes.ScenarioResult, asked: Collection[str]) -> list[dict[str, Any]]:
    """An attacked image (of real uploads the first design's best), and reconstructions under designs."""
    pairs = [
        (variant.label, one)
        for variant, one in zip(draft.variants, found.pictures, strict=False)
        if one is not None
    ]
    about = [pair for pair in pairs if pair[0] in asked]
    first = [*about, *(pair for pair in pairs[::-1] if pair[0] not in asked)][:MOST_PICTURES]
    chosen = [pair for pair in pairs if pair in first]
    original = found.original or (chosen[0][1].get("original") if chosen else None)
    shots: list[dict[str, Any]] = []
    if original is not None:
        whose = f"client {number(found.client + 1, 6)}"
        which = f"one of its {chosen[0][1]['images']}" if found.upload == "real" else "its image"
        shots.append({"image": original, "name": whose, "caption": which, "mark": ""})
    for label, one in chosen:
        caption = alike(one["image"], dict(original)) if original else decibels(one["psnr"])
        caption += BACK.get(one["kind"], "")
        if found.upload == "real":
            caption = f"{one['recovered']} of {one['images']} back"
        mark = one["kind"] if one["kind"] in ("recovered", "partly") else ""
        shots.append({"image": one["image"], "name": label, "caption": caption, "mark": mark})
    return shots


def made(draft: Draft, found: outcomes.ScenarioResult) -> str:
    """Where stored results come from, and the time to recompute them here."""
    return f"{seeds_of(found)}; {_takes(found.key, draft, found.seconds)}"


def seeds_of(found: outcomes.ScenarioResult) -> str:
    """Seeds of stored results, and whether they are outdated."""
    many = f"{found.seeds} seeds" if found.seeds > 1 else "one seed"
    old = "" if found.current else f", of an earlier version ({found.date})"
    return f"{many}{old}{'; pictures: the closest of one seed' if any(found.pictures) else ''}"


@st.cache_data(max_entries=64, show_spinner=False, ttl=5)
def _takes(key: str, _draft: Draft, before: float) -> str:
    """Estimated time on this machine, if not trained here yet; before its speed is measured, that of the
    stored results.
    """
    if kinds.are_known(_keys(key, _draft)):
        return "trained here as well"
    known = rates()
    return f"about {seconds(cost(_draft).seconds(known))} here" if known else f"took {seconds(before)}"


@st.cache_resource(max_entries=64, show_spinner=False)
def _keys(key: str, _draft: Draft) -> list[str]:
    return kinds.keys_of("run", Training(_draft, reference=True))
