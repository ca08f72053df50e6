"""Compared runs: curves, final figures, pictures that came back, differing settings."""

from collections.abc import Sequence

import streamlit as st

from ldp_core.accounting import entries_in, word_of
from ldp_core.runs import final_figures
from pages.parts.charts.course import course
from pages.parts.charts.frames import enlarged
from pages.parts.charts.pareto import ParetoPoint, front, pareto_figure
from pages.parts.charts.rounds import accuracy_figure, noise_figure, noise_words
from pages.parts.charts.series import Series
from pages.parts.compare.arms import ComparedRun
from pages.parts.compare.pairs import pairs_card
from pages.parts.noise.promise_table import against_whom
from pages.parts.systems.unlike import Field
from pages.parts.train.heard import heard
from pages.parts.train.server_panel import MOST_COLUMNS, server_panel, uploads_in
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.tables import table
from pages.parts.ui.text import as_shown, at_most, listed, number, percent, plain, whole_runs

SIDE = 112
"""Pixels of a picture on the page, at least."""


def pairs(arms: Sequence[ComparedRun], moment: Moment) -> None:
    place = ("compared pairs", moment.job)
    if sheet := once(place, lambda: (card := pairs_card(arms)) and components.sheet([card]), moment):
        components.draw("cards", sheet, key="compared-pairs")


def curves(arms: Sequence[ComparedRun], moment: Moment) -> None:
    place = ("compared curves", moment.job)
    sheet = once(place, lambda: components.sheet(_cards(arms)), moment)
    components.draw("cards", sheet, key="compared-curves")


def _cards(arms: Sequence[ComparedRun]) -> list[ChartCard]:
    shown = [arm.series for arm in arms]
    rounds = max(arm.experiment.rounds for arm in arms)
    seeds = max(len(one.runs) for one in shown)
    chances = {run.start["chance"] for one in shown for run in one.runs if run.start}
    chance = float(chances.pop()) if len(chances) == 1 else None
    band = f" band: {seeds} seeds" if seeds > 1 else ""
    return [
        ChartCard(
            title="Accuracy",
            rest=band,
            caption="",
            figure=accuracy_figure(shown, rounds, chance),
            label=course("Accuracy by round", shown, Series.mean, percent),
            row=2,
        ),
        ChartCard(
            title="Noise variance per weight",
            rest=f" {_noise_words(shown)}",
            caption="",
            figure=noise_figure(shown, rounds, {}),
            label=course("Noise variance per weight by round", shown, Series.noise, number),
            row=2,
        ),
    ]


def _noise_words(shown: Sequence[Series]) -> str:
    """Caption of the noise chart; a sweep's settings have their last round only."""
    followed = [one for one in shown if any(run.start for run in one.runs)]
    return noise_words(followed) if followed else "measured in the last round"


def figures(arms: Sequence[ComparedRun]) -> None:
    st.header("Where they end", anchor=False)
    whole = whole_runs(arm.experiment for arm in arms)
    head = ["run", "of", "accuracy", f"ε for {whole} at worst", "right image picked out"]
    table(head, [[_bold(arm), plain(arm.name, 40), *_figures(arm)] for arm in arms])
    whom = plain(against_whom([(arm.series.label, arm.experiment.trust.against) for arm in arms]), 300)
    st.caption(
        "ε is that of the client that gives most away, over all its uploads at worst, for any two values in "
        f"its safe range. {whom} Picked out: of uploads of one image, over clients, seeds and rounds; beside "
        "it what guessing gives."
    )


def _bold(arm: ComparedRun) -> str:
    return f"**{plain(arm.series.label, 40)}**"


def _figures(arm: ComparedRun) -> list[str]:
    ends = arm.series.final("accuracy")
    if not len(ends) or arm.series.round == 0:
        return [arm.state or "–", "–", "–"]
    span = f" ({percent(ends.min(), 1)} to {percent(ends.max(), 1)})" if len(ends) > 1 else ""
    reached = percent(ends.mean(), 1) + span + (f"; {plain(arm.state)}" if arm.state else "")
    return [reached, _promised(arm), _picked(arm)]


def _promised(arm: ComparedRun) -> str:
    end = next((run.end for run in arm.series.runs if run.end and run.end.get("ledger")), None)
    if end is None:
        return "known at the end"
    weakest = final_figures.weakest(entries_in(end["ledger"]))
    if not weakest.guarantee:
        return ":red[no guarantee: promises nothing]"
    return f"{at_most(weakest.bound)}, δ {number(weakest.delta)}: promises {word_of(weakest.bound)}"


def _picked(arm: ComparedRun) -> str:
    if (count := arm.picked) is None:
        return "not attacked"
    low, high = count.interval
    return (
        f"{percent(count.share)} of {number(count.n, 6)} ({100 * low:.0f} to {percent(high)}); "
        f"guessing {percent(count.chance)}"
    )


def settings(arms: Sequence[ComparedRun], fields: Sequence[Field]) -> None:
    st.header("In what they differ", anchor=False)
    every = [[run.seed for run in arm.series.runs] for arm in arms]
    seeds = [" to ".join(dict.fromkeys((str(min(one)), str(max(one))))) if one else "–" for one in every]
    rows = [[plain(field.name), *(plain(value, 120) for value in field.values)] for field in fields]
    if len(set(seeds)) > 1:
        rows.append(["seeds", *seeds])
    if not rows:
        st.caption("In nothing: these runs have the same settings and the same seeds.")
        return
    table(["setting", *map(_bold, arms)], rows)
    st.caption("Everything else is the same.")


def served(arms: Sequence[ComparedRun]) -> None:
    """Draw accuracy on each class, for runs with the same data set."""
    data = arms[0].experiment.dataset
    followed = [arm for arm in arms if any(run.last for run in arm.series.runs)]  # a sweep's cells are not
    if alike := [arm.series for arm in followed if arm.experiment.dataset == data]:
        heard(alike)
    if others := [arm.letter for arm in arms if arm.experiment.dataset != data]:
        elsewhere = f"{listed(others)}: on other data, other classes"
        st.caption(f"Of {arms[0].letter} and those on the same data; {elsewhere}.")


def bought(arms: Sequence[ComparedRun], moment: Moment) -> None:
    known = [arm for arm in arms if arm.final.accuracy is not None]
    bounded = [arm for arm in known if arm.final.epsilon]
    points = [ParetoPoint(a.series, a.final.accuracy or 0.0, a.final.epsilon or 0.0) for a in bounded]
    without = [arm.series.label for arm in known if not arm.final.epsilon]
    if len({as_shown(point.price) for point in points}) < 2:
        return
    whole = whole_runs(point.one.experiment for point in points)
    card = ChartCard(
        title="What the budget buys",
        rest=f" Accuracy against ε for {whole} at worst, of the client that gives most away",
        caption=f"Not beaten by another at the same ε or less: {_unbeaten(points)}."
        + (f" No guarantee, so no place here: {listed(without)}." if without else ""),
        figure=pareto_figure(points, whole),
        label="; ".join(f"{p.one.label}: {percent(p.accuracy, 1)} at ε {at_most(p.price)}" for p in points),
    )
    place = ("compared budgets", moment.job)
    components.draw("cards", once(place, lambda: components.sheet([card]), moment), key="compared-budgets")


def _unbeaten(points: Sequence[ParetoPoint[Series]]) -> str:
    return listed(each.one.label for each in front(points))


def pictures(arms: Sequence[ComparedRun]) -> None:
    """Draw a row for each client that all of the first attacked runs have attacked; nothing without any."""
    attacked = [arm.series for arm in arms if arm.series.runs and arm.series.runs[0].targets][:MOST_COLUMNS]
    kinds = uploads_in(attacked)
    panel = server_panel(attacked, "audit" if "audit" in kinds else next(iter(kinds), "audit"), "")
    rows = [row for row in panel["rows"] if row.get("cells")]
    if not rows:
        return
    st.header("What the server sees", anchor=False)
    for row in rows:
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"seen {row['name']}"):
            for title, cell in zip(panel["columns"], row["cells"], strict=True):
                words = f"{title}: {', '.join(cell['captions'])}"
                st.image(enlarged(cell["image"], SIDE), caption=plain(words), width=SIDE, alt=words)
        st.markdown(f"**{plain(row['name'])}**, {plain(row['budget'])}: {plain(row['says'], 300)}")
    st.caption(plain(panel["note"], 500))
