"""Images of an attack grid for the browser, with the frames of searches."""

from typing import Any

from ldp_core.runs import Desk, Place
from pages.parts.attack.words import caption, label_of
from pages.parts.charts.frames import alike, through
from pages.parts.charts.frames import shot as framed
from pages.parts.ui.text import an_image_of, decibels, number, percent

Body = dict[str, Any]


def pictures(desk: Desk, back: bool = True) -> Body:
    """Data for `assets/web/ladder.js`; with all frames if `back`."""
    start, ladder = desk.start, desk.start["ladder"]
    names = [one["name"] if isinstance(one, dict) else one for one in ladder["mechanisms"]]
    audit, seen = ladder["upload"] == "audit", ladder["rounds_observed"]
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
        "title": f"What the server sees in {'one upload' if seen == 1 else f'{seen} uploads'}",
        "known": known,
        "image": known[0] if audit else None,
        "budgets": [f"ε {number(epsilon)}" for epsilon in ladder["epsilons"]],
        "rows": [
            {
                "name": label_of(name),
                "figures": "picked, alike" if audit else "",  # of `brief`
                "cells": [_cell(desk, name, epsilon, steps) for epsilon in ladder["epsilons"]],
            }
            for name in names
        ],
        "caption": caption(desk),
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
        lines = [f"{cell['recovered']} of {cell['n']} back", f"best: {decibels(cell['psnr'], 1)}"]
    elif cell["identified"] is not None:
        lines = [f"{percent(cell['identified'] / cell['n'])} picked", *lines]  # the stronger fact comes first
    words = f"{at}: {', '.join(lines)}; {cell['verdict']['text']}"
    brief = [line.removesuffix(" picked").removeprefix("alike ") for line in lines]
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
