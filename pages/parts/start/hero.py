"""Reconstruction under a slider over ε, beside the accuracy at that ε."""

from functools import cache
from typing import Any

import streamlit as st

from ldp_core import mechanisms, presets
from ldp_core.accounting import AGAINST, everyone, promise, worth
from ldp_core.experiment import Draft, Experiment, changed
from ldp_core.runs import stored_ladder
from pages.parts.ui import components
from pages.parts.ui.text import at_most, covered, deltas, number, percent
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import start_with

KEY = "dissolve"
FIRST = 4.0
"""Initial ε of the slider."""


def hero() -> None:
    if (stored := _data()) is None:
        return
    data, date = stored
    components.draw("dissolve", data, key=KEY, on_trained_change=_pressed)
    if (epsilon := st.session_state.pop("hero trains", None)) is not None:
        start_with(Draft.alone(_equal(epsilon), presets.get(stored_ladder.EQUAL).draft.seeds))
        st.switch_page("train.py")
    law = mechanisms.registry.labels()[stored_ladder.LAW]
    st.caption(
        f"Image: from one upload under {law}; accuracy and promise: 20 such clients, digits of 8×8 pixels.",
        help="ε as the papers count it, for one weight; the promise is for all weights of all rounds. "
        f"Stored, {date}.",
    )


@uncut
def _pressed() -> None:
    pressed, stored = st.session_state[KEY].get("trained"), _data()
    if stored and isinstance(pressed, int) and 0 <= pressed < len(stored[0]["steps"]):
        st.session_state["hero trains"] = stored[0]["budgets"][pressed]


def _equal(epsilon: float) -> Experiment:
    """Equal clients whose accuracy at ε is stored."""
    changes = {"clients.epsilon": epsilon, "mechanism.name": stored_ladder.LAW}
    return changed(presets.get(stored_ladder.EQUAL).draft.base, changes)


@cache
def _data() -> tuple[dict[str, Any], str] | None:
    """Stored reconstructions and accuracies at each ε (for assets/web/dissolve.js), and their date."""
    stored = stored_ladder.stored_ladder()
    if stored is None:
        return None
    of_law = {e: cell for (name, e), cell in stored.desk.cells.items() if name == stored_ladder.LAW}
    budgets = sorted(of_law.keys() & stored.accuracies)
    start = stored.desk.start
    data = {
        "steps": [_step(e, of_law[e], stored.accuracies[e]) for e in budgets],
        "budgets": budgets,
        "start": budgets.index(FIRST),
        "slider": "Budget ε for each weight",
        "original": {"image": start["image"], "label": f"the image itself, a {start['label']}"},
    }
    return data, stored.date


def _step(epsilon: float, cell: dict[str, Any], accuracy: float) -> dict[str, Any]:
    picked, n = cell["identified"], cell["n"]
    experiment = _equal(epsilon)
    line = promise(experiment, everyone(experiment)[0]).run_worst  # equal for all clients
    found, whom = worth(line), AGAINST[experiment.trust.against]
    promised = f"ε {at_most(line.bound)}{deltas([line.delta])} for a person's run"
    apart, right = f"{whom} tells values apart {found.odds}", f"picks {round(picked)} of {n} right"
    figures = (
        ("What the attacker knows", right, "from ten images; guessing: 1 in 10", picked > n / 4),
        ("What the model learns", f"{percent(accuracy)} accuracy", "on unseen images", False),
        ("What is promised", found.promises, f"{promised}: {apart}", found.word == "nothing"),
    )
    return {
        "name": f"ε {number(epsilon)}",
        "image": cell["image"],
        "label": f"what the attacker makes of it at ε {number(epsilon)}",
        "train": f"Take {experiment.clients.count} such clients at ε {number(epsilon)}{covered(experiment)} "
        "to Train",
        "figures": [
            {"name": name, "words": words, "rest": rest, "kind": "bad" * bad}
            for name, words, rest, bad in figures
        ],
    }
