"""Reconstruction under a slider over ε, beside the accuracy at that ε."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from ldp_core import mechanisms, presets
from ldp_core.accounting import Promise, everyone, promise, worth
from ldp_core.experiment import Experiment, changed
from ldp_core.runs import stored_ladder
from pages.parts.ui import components
from pages.parts.ui.text import number, percent

FIRST = 4.0
"""Initial ε of the slider."""


def hero() -> None:
    stored = _stored()
    if stored is None:
        return
    components.draw("dissolve", _data(), key="dissolve")
    law = mechanisms.registry.labels()[stored_ladder.LAW]
    st.caption(
        "ε: budget for one weight",
        help="As the papers count it; the promise is for all weights of all rounds, against the server. "
        f"Image: from one upload under {law}; accuracy: 20 such clients on digits. Stored, {stored.date}.",
    )


@cache
def _stored() -> stored_ladder.StoredLadder | None:
    return stored_ladder.stored_ladder()


@cache
def _data() -> dict[str, Any]:
    """Stored reconstructions of one image with accuracy, for each ε of the slider, as assets/web/dissolve.js
    takes them.
    """
    stored = _stored()
    if stored is None:
        return {}
    cells = {
        e: cell
        for (name, e), cell in stored.desk.cells.items()
        if name == stored_ladder.LAW and e in stored.accuracies
    }
    budgets = sorted(cells)
    label = str(stored.desk.start["label"])
    return {
        "steps": [_step(e, cells[e], stored.accuracies[e]) for e in budgets],
        "start": budgets.index(FIRST),
        "slider": "Budget ε for each weight",
        "original": {"image": stored.desk.start["image"], "label": f"the image itself, a {label}"},
    }


def _step(epsilon: float, cell: dict[str, Any], accuracy: float) -> dict[str, Any]:
    picked, n = cell["identified"], cell["n"]
    found, bound = _worth(epsilon)
    return {
        "name": f"ε {number(epsilon)}",
        "image": cell["image"],
        "label": f"what the attacker makes of it at ε {number(epsilon)}",
        "figures": [
            {
                "name": "What the attacker knows",
                "words": f"picks {number(picked, 2)} of {n} right",
                "rest": "from ten images; guessing: 1 in 10",
                "kind": "bad" if picked > n / 4 else "",
            },
            {
                "name": "What the model learns",
                "words": f"{percent(accuracy)} accuracy",
                "rest": "on unseen images",
                "kind": "",
            },
            {
                "name": "What is promised",
                "words": found.promises,
                "rest": f"ε {bound} for a person's run: told apart {found.odds}",
                "kind": "bad" if found.word == "nothing" else "",
            },
        ],
    }


def _worth(epsilon: float) -> tuple[Any, str]:
    line = _worst(
        changed(
            presets.get(stored_ladder.EQUAL).draft.base,
            {"clients.epsilon": epsilon, "mechanism.name": stored_ladder.LAW},
        )
    )
    return worth(line), f"{number(line.bound)}{f' (δ {number(line.delta)})' if line.delta else ''}"


def _worst(experiment: Experiment) -> Promise:
    """Guarantee for the whole run, equal for all clients."""
    return promise(experiment, everyone(experiment)[0]).run_worst
