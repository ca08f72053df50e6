"""View of an attack grid: images, charts and findings."""

from functools import cache
from typing import Any

import streamlit as st

from ldp_core.cost.seconds import seconds, work_of_ladder
from ldp_core.experiment import parse
from ldp_core.runs import Desk, Job, Place, kinds, rates, stored_ladder
from pages.parts.attack.head import head
from pages.parts.attack.settings import setting_of
from pages.parts.attack.words import (
    CONTROLS,
    KNOWS,
    PROVES,
    caption,
    controls,
    known,
    label_of,
    limits,
)
from pages.parts.charts.attack_grid import ends_in_words, identification_figure, picture_figure, share_figure
from pages.parts.charts.frames import alike, through
from pages.parts.charts.frames import shot as framed
from pages.parts.runs.job_state import far_state
from pages.parts.train.attributes import RULE, attributes, is_table, of_rows
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.shared_cache import watch_record
from pages.parts.ui.text import THIN, an_image_of, decibels, number, percent, plain
from pages.parts.ui.text import seconds as in_words

Body = dict[str, Any]


def desk_view(job: Job | None, own: bool = False) -> None:
    """A job's attack grid (`own` as for `watch_record`), or the stored one, which is of another draft."""
    if job is None:
        _stored()
    else:
        watch_record(job, Desk, "ladder", _watch, own)


def _watch(job: Job, desk: Desk) -> None:
    if not isinstance(job.request.get("ladder"), dict):
        st.error("What was asked of the attacker cannot be read any more.")
        return
    _state(job, desk)
    if desk.start:
        _drawn(desk, job.live)
    elif job.live:
        _stored()


def _stored() -> None:
    found = _read()
    how = (
        "the model is trained without noise up to the round that you set; then a client's uploads are made "
        "under each mechanism and budget, and the server tries to get the images back."
    )
    if not found:
        st.caption(f"Press Attack: {how} A ladder of your own draft fills here.")
        return
    old = "" if found.current else f"; stored, of an earlier version ({found.date})"
    ladder = found.desk.start["ladder"]
    st.markdown(
        f":orange[**An example, not yours**]: “{plain(found.scenario)}”",
        help=f"{plain(setting_of(parse(ladder['base']), ladder['client'] - 1), 200)}{old}. With Attack {how}",
    )
    _drawn(found.desk, live=False)


_read = cache(stored_ladder.stored_ladder)


def _drawn(desk: Desk, live: bool) -> None:
    dataset = desk.start["ladder"]["base"]["dataset"]
    drawn = pictures(desk, back=not live) | {"head": head(desk, live)}
    components.draw("ladder", of_rows(drawn, dataset), key="ladder")
    st.caption(of_rows(caption(desk), dataset))
    real = desk.start["ladder"]["upload"] == "real"
    if not real and is_table(dataset):
        _attributes(desk, dataset)
    charts = [_shares(desk)] if real else [_likeness(desk), _identified(desk)]
    charts = [ChartCard(**of_rows(vars(one), dataset)) for one in charts]
    components.draw("cards", components.sheet(charts), key="desk charts")
    with st.container(horizontal=True):
        with st.popover(KNOWS):
            for who, lines in known(desk).items():
                st.markdown(f"{who}:")
                st.markdown("\n".join(f"- {line}" for line in lines))
        with st.popover(CONTROLS):
            for sentence in controls(desk):
                st.markdown(f"- {sentence}")
            for sentence in limits(desk):
                st.caption(sentence)
            st.caption(PROVES)


def _attributes(desk: Desk, dataset: str) -> None:
    last = {name: (epsilon, cell) for (name, epsilon), cell in sorted(desk.cells.items()) if cell}
    found = {
        f"{label_of(name)}, ε {number(epsilon)}": cell["image"] for name, (epsilon, cell) in last.items()
    }
    if found:
        with st.expander("The row, attribute by attribute"):
            start = desk.start
            attributes(dataset, "At the largest budget", start["image"], found, start["mean_image"])
            st.caption(RULE)


def _state(job: Job, desk: Desk) -> None:
    ladder = job.request["ladder"]
    every, done = len(ladder["mechanisms"]) * len(ladder["epsilons"]), len(desk.cells)
    guesses = sum(epsilon is not None for _, epsilon, _ in desk.frames)
    cells = live = f"{done} of {every} cells"
    if guesses and done < every:
        live = f"a guess in {guesses} of {every} cells, {done} as good as it gets"

    def doing(left: str) -> str:
        known = rates()
        if not desk.start:
            return "training the model"
        if left or known is None:
            return f"{live}{left}"
        planned = seconds([work_of_ladder(kinds.get("attack").parse(job.request))], known)
        return f"{live}, about {in_words(planned)} in all"

    far_state(job, done / every, doing, cells)


def _shares(desk: Desk) -> ChartCard:
    return ChartCard(
        title="Images that came back",
        rest=f" from one upload of {desk.start['n']}",
        caption="20 dB or more; band: 95 % interval; by chance: held-out images that fit as well",
        figure=share_figure(desk),
        label=f"Share of images back. {ends_in_words(desk, 'recovered')}",
    )


def _likeness(desk: Desk) -> ChartCard:
    n = desk.start["n"]
    # under six values allow no 95 % interval of their median
    band = "95 % interval of the median" if n > 5 else f"lowest and highest of {n}"
    return ChartCard(
        title="Does the picture come back?",
        rest=f" Median of {n} images",
        caption=f"band: {band}; a copy above 45 dB is drawn at 45",
        figure=picture_figure(desk),
        label=f"PSNR against the budget. {ends_in_words(desk, 'psnr')}",
        row=2,
    )


def _identified(desk: Desk) -> ChartCard:
    candidates = desk.start["ladder"]["candidates"]
    return ChartCard(
        title=f"Can the server tell which of {candidates} images it was?",
        rest=" By the mechanism's exact likelihood",
        caption="band: 95 % interval; dashed: no attacker picks more often, on average over which of the "
        f"{candidates} is the right one",
        figure=identification_figure(desk),
        label=f"Share picked out of {candidates}. {ends_in_words(desk, 'identified')}",
        row=2,
    )


def pictures(desk: Desk, back: bool = True) -> Body:
    """Data for `assets/web/ladder.js`; with all frames if `back`."""
    start, ladder = desk.start, desk.start["ladder"]
    names = [one["name"] if isinstance(one, dict) else one for one in ladder["mechanisms"]]
    audit = ladder["upload"] == "audit"
    guess, of_class = (
        alike(start[name], start["image"]) if audit else f"{start[f'psnr_{name}']:.1f} dB"
        for name in ("mean_image", "class_mean")
    )
    steps = sorted({at for frames in desk.frames.values() for at in frames}) if back else []
    known = [_shot([start["mean_image"]], ["average of all", guess], "The average of all images")]
    if audit:
        image = ["the image", an_image_of(ladder["base"], start["label"])]
        known.insert(0, _shot([start["image"]], image, "The image"))
        known.append(_shot([start["class_mean"]], ["of its class", of_class], "The average of its class"))
        if control := _control(desk, names[0], steps):
            known.append(control)
    return {
        "known": known,
        "image": known[0] if audit else None,
        "budgets": [f"ε {number(epsilon)}" for epsilon in ladder["epsilons"]],
        "rows": [
            {
                "name": label_of(name),
                "figures": "% picked" if audit else "",  # of `brief`
                "cells": [_cell(desk, name, epsilon, steps) for epsilon in ladder["epsilons"]],
            }
            for name in names
        ],
        "steps": steps,
    }


def _control(desk: Desk, name: str, steps: list[int]) -> Body | None:
    """Reconstruction from the upload without noise, for comparison."""
    place: Place = (name, None, "clean")
    found = desk.references.get((name, "clean")) or desk.newest(place)
    if found is None:
        return None
    lines = ["without noise", alike(found["image"], desk.start["image"])]
    return _formed(_shot([found["image"]], lines, f"Without noise: {lines[1]}"), desk, place, steps)


def _cell(desk: Desk, name: str, epsilon: float, steps: list[int]) -> Body | None:
    cell, place, at = desk.cells.get((name, epsilon)), (name, epsilon, None), f"{name} at ε {number(epsilon)}"
    if cell is None:
        found = desk.newest(place)
        if found is None:
            return None
        lines = [f"step {found['iterations']}", decibels(found["psnr"], 1)]
        shot = _shot([found["image"]], lines, f"{at}, so far: {', '.join(lines)}")
        return _formed(shot, desk, place, steps)
    images, lines = [cell["image"]], [alike(cell["image"], desk.start["image"])]
    if cell["pairs"]:
        images = [cell["pairs"][0]["original"], cell["pairs"][0]["image"]]
        read = f"{cell['read']} read" if (cell.get("read") or 0) > cell["recovered"] else ""
        lines = [f"{cell['recovered']} of {cell['n']} back", read or f"best: {decibels(cell['psnr'], 1)}"]
    elif cell["identified"] is not None:
        lines = [f"{percent(cell['identified'] / cell['n'])} picked", *lines]  # the stronger fact comes first
    words = f"{at}: {', '.join(lines)}; {cell['verdict']['text']}"
    brief = [lines[0].removesuffix(f"{THIN}% picked").removeprefix("alike ")]
    shot = _shot(images, lines, words, cell["verdict"]["kind"]) | {"brief": brief}
    return _formed(shot, desk, place, steps)


def _formed(shot: Body, desk: Desk, place: Place, steps: list[int]) -> Body:
    frames = desk.frames.get(place)
    if not frames or not steps or len(shot["images"]) > 1:
        return shot
    shown, height = [], len(shot["lines"])
    for then in through(steps, frames):
        likeness = decibels(then["psnr"], 1)
        lines = [shot["lines"][0], likeness] if place[2] else [f"step {then['iterations']}", likeness]
        shown.append(framed(then["image"], lines, height))
    return shot | {"frames": shown}


def _shot(images: list[Any], lines: list[str], label: str, mark: str = "") -> Body:
    return {"images": images, "lines": lines, "label": label, "mark": mark}
