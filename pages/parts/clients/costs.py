"""ε of an upload and of a whole run, for the clients' table and for its groups of equal clients."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.accounting import AGAINST, NOTHING, Promise, entries, together_in_words, word_of, worth
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import PER, Experiment, Population, changed, plan
from ldp_core.mechanisms.base import Floats
from ldp_core.theory import client_variance
from pages.parts.ui.header import asked_at
from pages.parts.ui.ladders import BUDGETS
from pages.parts.ui.text import at_most, deltas, number
from pages.parts.ui.workspace import Workspace

LITTLE = 8.0
"""ε of a whole run that still promises a little."""
MOST_GROUPS, MOST_CLIENTS = 12, 1000
"""Largest numbers of different clients, and of clients, for which lines are drawn."""
MOST_OPEN = 60
"""Largest group whose clients have lines of their own."""


def costs(experiment: Experiment, clients: Iterable[int] | None = None) -> dict[str, Floats]:
    """Worst-case ε of an upload and of the run, for all clients or some; infinite if unbounded."""
    found = entries(plan(experiment), clients)
    return {
        "upload_costs": np.array([entry.upload.bound for entry in found]),
        "run_costs": np.array([entry.run_worst.bound for entry in found]),
    }


def run_promises(
    experiment: Experiment, asked: Sequence[float], low: float, high: float, limit: float
) -> list[Promise]:
    """Worst-case guarantee of the run for each of several ε that a client with its own limit may choose."""
    ends = np.full(len(asked), low), np.full(len(asked), high)
    spending, most = plan(experiment).prices, plan(experiment).most_uploads
    found = []
    for use in plan(experiment).per_use(np.array(asked), *ends).tolist():
        client = use, low, high
        uploads = most if math.isinf(limit) else min(most, spending.affordable(client, limit))
        found.append(spending.uploads(client, uploads))
    return found


def promise_words(experiment: Experiment, promise: Promise) -> dict[str, Any]:
    """Parts of a sentence like `ε 8 (δ 10⁻⁵) for the run promises little: a server …`."""
    found = worth(promise)
    bound = f"ε {at_most(promise.bound)}{deltas([promise.delta])}"
    whom = AGAINST[experiment.trust.against]
    what = "one record in the run" if experiment.unit == "record" else "the run"
    words = [bound if promise.guarantee else "no bound", f" for {what} ", found.promises]
    return {"kind": found.word, "words": [*words, f": {whom} tells values apart {found.odds}"]}


def rule_in_words(experiment: Experiment, client: int) -> str:
    """δ, rule and adversary of `costs`, and a client's plain sums; "" without bounds."""
    entry = entries(plan(experiment), [client])[0]
    both, whom = (entry.upload, entry.run_worst), AGAINST[entry.against]
    if not all(line.guarantee for line in both):
        return ""
    words = f"An upload and the run: tightest bounds{deltas(line.delta for line in both)}, against {whom}."
    if more := together_in_words(entry, at_most):
        words += f" They are for one record of a client, exchanged for any other; the run is {more}."
    if both[1].generic is None or both[1].bound == both[1].sum:
        return words
    asked = ": what is asked for an upload is such a sum, for a whole run a bound at that δ"
    asked *= experiment.clients.epsilon_scope == "upload"
    sums = " and ".join(at_most(line.sum) for line in both)
    return f"{words} Client {client + 1}'s plain sums, with δ 0, are ε {sums}{asked}."


def offer(workspace: Workspace) -> None:
    """Where the run has no useful guarantee, a button that sets a small ε for it, and the way to Ask."""
    base = workspace.draft.base
    strictest = int(base.clients.budgets().argmin())
    worst = entries(plan(base), [strictest])[0].run_worst.bound
    if plan(base).randomiser.role == "identity" or word_of(worst) != NOTHING:
        return
    _small(workspace, strictest)
    st.markdown(f"[What promises more, and learns?]({asked_at(base)})")


def _small(workspace: Workspace, strictest: int) -> None:
    kept = {"clients.epsilon": LITTLE, "clients.epsilon_scope": "run"}
    try:
        there = changed(workspace.draft.base, kept)
    except InvalidExperiment:  # as printed, some noise bounds nothing at any ε
        return
    use = float(plan(there).population.epsilon[strictest])
    at = deltas([entries(plan(there), [strictest])[0].run_worst.delta])
    pressed = st.button(
        f"Promise ε {LITTLE:g}{at} for the whole run",
        key="promise a little",
        help=f"As it is, a run promises nothing. ε {LITTLE:g} for the whole run{at}, "
        f"against {AGAINST[there.trust.against]}, promises little, and takes ε {number(use)} "
        f"{PER[plan(there).randomiser.scope]}.",
    )
    if pressed:
        workspace.edit(kept)
        st.rerun()


def group_data(experiment: Experiment) -> dict[str, Any] | None:
    """Data for assets/web/dots.js; None for too many different clients."""
    clients = experiment.clients
    if clients.count > MOST_CLIENTS:
        return None
    budgets, (low, high) = clients.budgets(), clients.bounds()
    found: dict[tuple[float, float, float], list[int]] = {}
    for i, key in enumerate(zip(budgets.tolist(), low.tolist(), high.tolist(), strict=True)):
        found.setdefault(key, []).append(i)
        if len(found) > MOST_GROUPS:
            return None
    ladder, limits = BUDGETS.over(budgets.tolist()), clients.run_limits()
    return {
        "words": [number(step) for step in ladder],
        "values": [repr(step) for step in ladder],
        "groups": [
            {
                "name": f"{number(len(mine), 6)} clients" if len(mine) > 1 else f"client {mine[0] + 1}",
                "clients": [i + 1 for i in mine[:MOST_OPEN]],
                "all": [i + 1 for i in mine],
                "at": ladder.index(key[0]),
                "noise": [f"σ {number(float(each))}" for each in _noise(experiment, ladder, *key[1:])],
                "worth": [
                    promise_words(experiment, promise)
                    for promise in run_promises(experiment, ladder, *key[1:], limit=float(limits[mine].max()))
                ],
            }
            for key, mine in found.items()
        ],
    }


def _noise(experiment: Experiment, ladder: Sequence[float], low: float, high: float) -> Floats:
    """Standard deviation of the noise per weight at each ε, for a client with that range."""
    ends = np.full(len(ladder), low), np.full(len(ladder), high)
    others = Population(plan(experiment).per_use(np.array(ladder), *ends), *ends)
    found: Floats = np.sqrt(client_variance(plan(experiment), others=others))
    return found
