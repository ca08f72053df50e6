"""Compared runs: curves on one chart, final figures and differing settings as tables."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ldp_core.accounting import entries_in, word_of
from ldp_core.paired import in_points
from ldp_core.runs import final_figures
from pages.parts.charts.course import course
from pages.parts.charts.pareto import Bought, front, pareto_figure
from pages.parts.charts.rounds import accuracy_figure, noise_figure, noise_words
from pages.parts.charts.series import Series
from pages.parts.charts.tally import Tally
from pages.parts.compare.arms import Arm
from pages.parts.compare.elsewhere import Curve, drawn
from pages.parts.compare.verdict import gap
from pages.parts.noise.promise_table import against_whom
from pages.parts.systems.unlike import Field, causes
from pages.parts.train.heard import heard
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.tables import table
from pages.parts.ui.text import THIN, listed, number, percent, plain

NAMED_APART = "Everything else is the same."


def curves(arms: Sequence[Arm], moment: Moment, others: Sequence[Curve] = ()) -> None:
    """Draw accuracy and noise over rounds, with imported curves."""
    place = ("compared curves", moment.job)
    sheet = once(place, lambda: components.sheet(_cards(arms, others)), moment)
    components.draw("cards", sheet, key="compared-curves")


def _cards(arms: Sequence[Arm], others: Sequence[Curve]) -> list[Card]:
    taken = [arm.series.style.tint for arm in arms]
    beside = {name: drawn(others, name, taken) for name in ("accuracy", "noise_variance")}
    chance = _chance(arms)
    shown = [arm.series for arm in arms]
    rounds = max(arm.experiment.rounds for arm in arms)
    seeds = max(len(one.runs) for one in shown)
    return [
        Card(
            title="Accuracy",
            rest=" on held-out samples"
            + (f"; band: lowest to highest of {seeds} seeds" if seeds > 1 else ""),
            caption="",
            figure=accuracy_figure(shown, rounds, chance, beside=beside["accuracy"]),
            label=course("Accuracy by round", shown, Series.mean, percent),
            row=2,
        ),
        Card(
            title="Noise variance per weight",
            rest=f" {_noise_words(shown)}",
            caption="",
            figure=noise_figure(shown, rounds, {}, beside["noise_variance"]),
            label=course("Noise variance per weight by round", shown, Series.noise, number),
            row=2,
        ),
    ]


def _noise_words(shown: Sequence[Series]) -> str:
    """Caption of the noise chart; a sweep's settings have their last round only."""
    followed = [one for one in shown if any(run.start for run in one.runs)]
    return noise_words(followed) if followed else "measured in the last round"


def _chance(arms: Sequence[Arm]) -> float | None:
    found = {run.start["chance"] for arm in arms for run in arm.series.runs if run.start}
    return float(found.pop()) if len(found) == 1 else None


def figures(arms: Sequence[Arm], fields: Sequence[Field]) -> None:
    """Draw final accuracy, difference from the first run, ε of the whole run, identification."""
    st.header("Where they end", anchor=False)
    if both := matrix(arms, fields):
        head, *cells = ([plain(one, 80) for one in row] for row in both)
        table(head, cells)
    rows = [
        [f"**{plain(arm.series.label, 40)}**", plain(arm.name, 40), *_figures(arm, arms[0])] for arm in arms
    ]
    first = arms[0].letter
    table(
        [
            "run",
            "of",
            "accuracy",
            f"against {first}, in points: by seed (95{THIN}% interval)",
            "ε for the whole run at worst",
            "right image picked out",
        ],
        rows,
    )
    whom = plain(against_whom([(arm.series.label, arm.experiment.trust.against) for arm in arms]), 300)
    st.caption(
        "ε is that of the client that gives most away, over all its uploads at worst, for any two values in "
        f"its safe range. {whom} Picked out: of uploads of one image, over clients, seeds and rounds; beside "
        "it what guessing gives."
    )


def matrix(arms: Sequence[Arm], fields: Sequence[Field]) -> list[list[str]]:
    """Final accuracy by the two settings in which all runs differ, with headings; empty for other numbers."""
    why = causes(fields)
    if len(why) != 2 or len(arms) < 3 or not all(len(arm.series.final("accuracy")) for arm in arms):
        return []
    down, across = why
    ends = {
        (down.values[i], across.values[i]): percent(float(arm.series.final("accuracy").mean()))
        for i, arm in enumerate(arms)
    }
    columns = dict.fromkeys(across.values)
    rows = [
        [down_is, *(ends.get((down_is, one), "–") for one in columns)]
        for down_is in dict.fromkeys(down.values)
    ]
    return [[f"{down.name}, by {across.name}", *columns], *rows]


def _figures(arm: Arm, first: Arm) -> list[str]:
    ends = arm.series.final("accuracy")
    if not len(ends) or arm.series.round == 0:
        return [arm.state or "–", "–", "–", "–"]
    span = f" ({percent(ends.min(), 1)} to {percent(ends.max(), 1)})" if len(ends) > 1 else ""
    reached = percent(ends.mean(), 1) + span + (f"; {plain(arm.state)}" if arm.state else "")
    return [reached, _against(arm, first), _promised(arm), _picked(arm)]


def _against(arm: Arm, first: Arm) -> str:
    if arm is first or not (arm.ended and first.ended) or arm.series.diverged or first.series.diverged:
        return "–"
    found = gap(arm, first)
    mean = "+" * (found.mean >= 0) + in_points(found.mean)
    if found.seeds < 2:
        return f"{mean} (one seed)"
    each = f": {found.each}" if found.each else ""
    alone = "" if found.gaps else ", unpaired"
    return f"{mean}{each} ({in_points(found.low)} to {in_points(found.high)}{alone})"


def _promised(arm: Arm) -> str:
    end = next((run.end for run in arm.series.runs if run.end and run.end.get("ledger")), None)
    if end is None:
        return "told at the end"
    lines = (entry.run_worst for entry in entries_in(end["ledger"]))
    weakest = max(lines, key=lambda line: (line.bound, line.delta))
    if not weakest.guarantee:
        return ":red[no guarantee: promises nothing]"
    return f"{number(weakest.bound)}, δ {number(weakest.delta)}: promises {word_of(weakest.bound)}"


def _picked(arm: Arm) -> str:
    found = final_figures.final(arm.series.runs)
    if not found.attempts:
        return "not attacked"
    count = Tally(found.hits, found.attempts, found.chance)
    low, high = count.interval
    return (
        f"{percent(count.share)} of {number(count.n, 6)} ({100 * low:.0f} to {percent(high)}); "
        f"guessing {percent(found.chance)}"
    )


def settings(arms: Sequence[Arm], fields: Sequence[Field]) -> None:
    """Draw the settings in which the runs differ, a column per run."""
    st.header("In what they differ", anchor=False)
    seeds = [_seeds(arm) for arm in arms]
    rows = [[plain(field.name), *(plain(value, 120) for value in field.values)] for field in fields]
    if len(set(seeds)) > 1:
        rows.append(["seeds", *seeds])
    if not rows:
        st.caption("In nothing: these runs have the same settings and the same seeds.")
        return
    table(["setting", *(f"**{plain(arm.series.label, 40)}**" for arm in arms)], rows)
    st.caption(NAMED_APART)


def _seeds(arm: Arm) -> str:
    found = sorted({run.seed for run in arm.series.runs})
    if not found:
        return "–"
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def served(arms: Sequence[Arm], moment: Moment) -> None:
    """Draw accuracy on each class, for runs with the same data set."""
    first = arms[0].experiment.dataset
    followed = [arm for arm in arms if any(run.last for run in arm.series.runs)]  # a sweep's cells are not
    alike = [arm.series for arm in followed if arm.experiment.dataset == first]
    if alike:
        heard(alike, moment)
    if any(arm.experiment.dataset != first for arm in arms):
        others = listed(arm.letter for arm in arms if arm.experiment.dataset != first)
        st.caption(f"Of {arms[0].letter} and those on the same data; {others}: on other data, other classes.")


def bought(arms: Sequence[Arm], moment: Moment) -> None:
    """Draw accuracy over the run's ε and over identification."""
    points, picked, without, unsure = [], [], [], 0.0
    for arm in arms:
        found = final_figures.final(arm.series.runs)
        if found.accuracy is None:
            continue
        if found.attempts:
            picked.append(Bought(arm.series, found.accuracy, found.hits / found.attempts))
            low, high = Tally(found.hits, found.attempts, found.chance).interval
            unsure = max(unsure, (high - low) / 2)
        if found.epsilon is None or found.epsilon <= 0:
            without.append(arm.series.label)
        else:
            points.append(Bought(arm.series, found.accuracy, found.epsilon))
    shown = [_budgets(points, without)] if len({point.price for point in points}) > 1 else []
    shown += [_leaks(picked, unsure)] if len(picked) > 1 else []
    if not shown:
        return
    place = ("compared budgets", moment.job)
    components.draw("cards", once(place, lambda: components.sheet(shown), moment), key="compared-budgets")


def _leaks(points: Sequence[Bought], unsure: float) -> Card:
    """Card of accuracy over identification; `unsure` is half the widest interval of a share."""
    unbeaten = [each.one.label for each in front(points)]
    sentences = (
        f"{p.one.label}: {percent(p.accuracy, 1)}, {percent(p.price)} of images picked out" for p in points
    )
    return Card(
        title="What the leak buys",
        rest=" Accuracy against the share of one-image uploads whose image was picked out",
        caption=(
            f"By count, not beaten by another of which as many or fewer were picked out: {listed(unbeaten)}. "
            f"A share is unsure by up to ±{number(100 * unsure, 2)} points (95{THIN}%)."
        ),
        figure=pareto_figure(points, picked=True),
        label="; ".join(sentences),
        row=2,
    )


def _budgets(points: Sequence[Bought], without: Sequence[str]) -> Card:
    unbeaten = [each.one.label for each in front(points)]
    rest = f" No guarantee, so no place here: {listed(without)}." if without else ""
    return Card(
        title="What the budget buys",
        rest=" Accuracy against ε for the whole run at worst, of the client that gives most away",
        caption=f"Not beaten by another at the same ε or less: {listed(unbeaten)}.{rest}",
        figure=pareto_figure(points),
        label="; ".join(f"{p.one.label}: {percent(p.accuracy, 1)} at ε {number(p.price)}" for p in points),
        row=2,
    )
