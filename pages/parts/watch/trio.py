"""Data of Train's headline and three panels: accuracy, noise variance, the server's view."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_core.experiment import Draft, plan
from ldp_core.runs import Job, ladders
from ldp_core.theory import ServerNoise, server_noise
from pages.parts.charts.budget_axis import accuracy_by_budget, noise_by_budget
from pages.parts.charts.course import course
from pages.parts.charts.rounds import accuracy_figure, noise_figure, noise_words
from pages.parts.charts.series import Series, announced, final
from pages.parts.charts.split import served, served_figure
from pages.parts.runs.job_state import is_gone
from pages.parts.train.attributes import of_rows
from pages.parts.train.server_panel import server_panel
from pages.parts.ui import components
from pages.parts.ui.meanings import GLOSSARY
from pages.parts.ui.text import ASSUMED, class_names, covered, labels_cover, number, percent
from pages.parts.watch.headline import head


@dataclass(frozen=True)
class Pictured:
    """Displayed reconstructions: runs and kind of upload."""

    shown: list[Series]
    upload: str = "audit"


def trio(
    draft: Draft,
    shown: list[Series],
    reference: Series | None,
    pictured: Pictured,
    empty: str,
    state: str = "",
    guess: float | None = None,
    open_question: bool = False,
) -> dict[str, Any]:
    """Data of headline and panels; `guess` is an accuracy in [0, 1], the rest as in `headline.head`."""
    rounds, steps = draft.lengths[1], ladders(draft)
    noises = (
        [server_noise(plan(e)) for e in draft.experiments()] if all(one.round == 0 for one in shown) else []
    )
    expected = {i: noise.heard for i, noise in enumerate(noises) if not noise.unknown}
    why = [f"No noise is predicted, as {reason}." for reason in _unknown(noises)]
    lines = shown or announced(draft)
    seeds = max((len(one.runs) for one in shown), default=draft.seeds)
    chance = chance_of(shown)
    many = f"; band: {seeds} seeds" if seeds > 1 else ""
    if steps:
        covers = " or".join(dict.fromkeys(map(covered, draft.experiments())))
        accuracy = accuracy_by_budget(shown, steps, covers, chance, reference)
        by_the_end = {one.number: one.rounds if one.adds else 1 for one in lines}
        expected = {number: by_the_end[number] * variance for number, variance in expected.items()}
        noise, words = (
            noise_by_budget(lines, steps, covers, expected),
            f"{_after(shown, rounds)}, against ε{covered(draft.base)}",
        )
        drawn = (
            words
            if any(one.round for one in shown)
            else _predicted(draft, noises, f"{{}}, against ε{covered(draft.base)}")
        )
    else:
        accuracy = accuracy_figure(shown, rounds, chance, reference, guess)
        noise, words = noise_figure(lines, rounds, expected), labels_cover(draft).strip(" ,;")
        drawn = _predicted(draft, noises, _dashed(lines)) if noises else noise_words(shown)
    panel = {
        "title": "Noise variance per weight",
        "hint": " ".join([GLOSSARY["Noise variance"], *why]),
        "subtitle": drawn,
        "figure": components.written(noise),
        "label": course("Noise variance per weight by round", shown, Series.noise, number),
    }
    if draft.base.partition.name == "group_labels" and (found := served(shown)):
        panel = _served(draft, shown, found)
    body = {
        "head": head(
            draft, shown, chance, pictured.upload, state, empty.partition(":")[0], reference, open_question
        ),
        "accuracy": {
            "title": "Accuracy",
            "hint": f"On held-out images. {GLOSSARY['Accuracy']}",
            "subtitle": f"{words}{many}".removeprefix("; "),
            "figure": components.written(accuracy),
            "label": course("Accuracy by round", shown, Series.mean, percent),
        },
        "noise": panel,
        "server": server_panel(pictured.shown, pictured.upload, empty, stopped=state != "live")
        | {"hint": f"{GLOSSARY['dB']} {GLOSSARY['Control']}"},
    }
    return dict(of_rows(body, draft.base.dataset))


def _served(
    draft: Draft, shown: Sequence[Series], found: Mapping[str, Sequence[float | None]]
) -> dict[str, Any]:
    """Panel in place of the noise for clients with different classes: accuracy on each class."""
    names = class_names({"dataset": draft.base.dataset}, len(next(iter(found.values()))))
    lines = (
        f"{name}: {', '.join('none held out' if value is None else percent(value) for value in values)}"
        for name, values in found.items()
    )
    return {
        "title": "Accuracy on each class",
        "hint": GLOSSARY["Accuracy"],
        "subtitle": _after(shown, draft.lengths[1]),
        "figure": components.written(served_figure(shown, names)),
        "label": f"Accuracy on each class. {'; '.join(lines)}.",
    }


def _after(shown: Sequence[Series], rounds: int) -> str:
    """Rounds that the runs which have begun are drawn after."""
    done = sorted({one.round for one in shown if one.round}) or [0]
    return f"after round {' to '.join(map(str, dict.fromkeys((done[0], done[-1]))))} of {rounds}"


def chance_of(shown: Sequence[Series]) -> float | None:
    """Accuracy of always naming the commonest class, once a run has begun."""
    starts = [run.start for one in shown for run in one.runs if run.start]
    return float(starts[0]["chance"]) if starts else None


def expected_view(draft: Draft) -> str:
    experiments = draft.experiments()
    if any(plan(experiment).spies for experiment in experiments):
        return "press Train"
    why = next((why for experiment in experiments if (why := plan(experiment).why_not)), "")
    return f"no picture is drawn here: {why}" if why else "no attack in this experiment"


def nothing_yet(job: Job, draft: Draft, shown: Sequence[Series]) -> str:
    """Text of the server's panel while it has no image."""
    if is_gone(job):
        return "there is nothing left to show"
    notes = [note for one in shown for run in one.runs if (note := run.start.get("attack_note"))]
    if notes and not any(run.targets for one in shown for run in one.runs):
        return f"no picture is drawn here: {notes[0]}"
    if not any(plan(experiment).spies for experiment in draft.experiments()):
        return expected_view(draft)
    if job.status == "queued":
        return "waiting for its turn"
    if job.live and final([run for one in shown for run in one.runs]):
        return "attacks follow"
    return "waiting for the first upload" if job.live else "nothing was uploaded"


def _predicted(draft: Draft, noises: Sequence[ServerNoise], drawn: str) -> str:
    """Caption of the noise chart before the first round; `drawn` names the curve."""
    if any(noise.heard > 0 for noise in noises):
        some = ", where it can be" if any(noise.unknown for noise in noises) else ""
        regions = {plan(experiment).randomiser.region for experiment in draft.experiments()}
        which = " or ".join(words for region, words in ASSUMED.items() if region in regions)
        if votes := [noise.most for noise in noises if noise.most > noise.heard]:
            which += f" (signs: elsewhere up to {number(max(votes))} a round)"
        return drawn.format(f"predicted, for {which}{some}")
    why = next(iter(_unknown(noises)), "")
    return f"no noise is predicted, as {why}" if why else "no noise is added"


def _dashed(lines: Sequence[Series]) -> str:
    some = "" if all(one.adds for one in lines) else "of changes "
    return f"dashed: {{}}{f'; {some}added up' if any(one.adds for one in lines) else ''}"


def _unknown(noises: Sequence[ServerNoise]) -> list[str]:
    """Reasons for missing curves, each once."""
    return list(dict.fromkeys(noise.unknown for noise in noises if noise.unknown))
