"""What the server sees: original, reconstructions and mean image of each client under attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldp_core.attacks.verdict import Verdict, judge
from ldp_core.runs.progress import RunProgress
from pages.parts.series import Series
from pages.parts.text import number

MOST_COLUMNS = 3
NOTE = (
    "The server knows its model, the learning rate, the mechanism, ε and range. The average image is "
    "what a guess without any upload looks like. A failed attack proves nothing."
)


@dataclass(frozen=True)
class Attempt:
    """One reconstruction from one upload, with its controls."""

    round: int
    image: dict[str, Any]
    psnr: float
    ncc: float
    mean_image: float
    clean: float
    clipped: float

    @property
    def verdict(self) -> Verdict:
        """What may be said of it."""
        return judge(self.psnr, self.mean_image, self.clean, self.clipped)


def attempt(run: RunProgress, client: int, worst: bool) -> Attempt | None:
    """The newest attempt on a client, or the one that came closest so far; None before the first."""
    rounds = run.attacked_rounds(client)
    if rounds == 0:
        return None
    sent = run.psnr[client, None][:rounds]
    at = max(range(rounds), key=sent.__getitem__) if worst else rounds - 1
    return Attempt(
        round=at + 1,
        image=run.images[client][at],
        psnr=sent[at],
        ncc=run.ncc[client, None][at],
        mean_image=run.baseline[client],
        clean=run.psnr[client, "clean"][at],
        clipped=run.psnr[client, "clipped"][at],
    )


def server_panel(shown: Sequence[Series], worst: bool, empty: str) -> dict[str, Any]:
    """The third panel's data: a row a client, a column a variant (at most three).

    `empty` is shown where there is no reconstruction yet.
    """
    title = {"title": "What the server sees", "subtitle": "one image, one step: the worst case"}
    attacked = [one for one in shown if one.runs[0].targets][:MOST_COLUMNS]
    clients = attacked[0].runs[0].targets if attacked else ()
    rows = [row for client in clients if (row := _row(attacked, client, worst))]
    if not rows:
        return title | {"columns": [], "rows": [], "empty": empty}
    columns = ["the image", *(one.label for one in attacked), "average image"]
    return title | {"columns": columns, "rows": rows, "empty": "", "note": NOTE}


def _row(attacked: Sequence[Series], client: int, worst: bool) -> dict[str, Any] | None:
    tries = [attempt(one.runs[0], client, worst) for one in attacked]
    made = [one for one in tries if one is not None]
    if len(made) < len(tries):
        return None
    run = attacked[0].runs[0]
    target = run.targets[client]
    budgets = sorted({one.runs[0].targets[client]["epsilon"] for one in attacked})
    closest = max(made, key=lambda one: one.psnr)
    return {
        "name": f"Client {client + 1}",
        "budget": "ε " + " or ".join(number(epsilon) for epsilon in budgets),
        "cells": [
            {"image": target["image"], "caption": f"a {target['label']}"},
            *(
                {"image": one.image, "caption": f"{one.psnr:.1f} dB", "mark": one.verdict.kind}
                for one in made
            ),
            {"image": run.start["mean_image"], "caption": f"{closest.mean_image:.1f} dB"},
        ],
        "verdict": closest.verdict.text,
        "detail": f"round {closest.round}, correlation {closest.ncc:.2f}; without noise "
        f"{closest.clean:.0f} dB, clipped only {closest.clipped:.0f} dB",
        "kind": closest.verdict.kind,
    }
