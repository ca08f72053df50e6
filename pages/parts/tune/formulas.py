"""Answers by formula: ε for a noise or a run's ε, and numbers of clients."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import streamlit as st

from ldp_core.accounting import AGAINST
from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.experiment import Experiment
from ldp_core.tuning import inverses
from ldp_core.tuning.inverses import Follows
from pages.parts.tune.kept import kept
from pages.parts.tune.price import promise_in_words
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import EPSILON, SIGMA, error_in_words
from pages.parts.ui.shared_cache import once
from pages.parts.ui.tables import table
from pages.parts.ui.text import at_least, at_most, covered, number, plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.workspace import Workspace

T = TypeVar("T")
Answer = Follows | str
"""An answer, or a sentence on why there is none."""
DIGITS = 4
SCOPE = (
    "σ is per weight: in the aggregate, for weights in the middle of their range, over all rounds; of one "
    "upload, for whichever weight has most. A run’s ε bounds how well any two values in a client’s range can "
    "be told apart if it uploads as often as it can; limits that clients set themselves are left out."
)


def formulas(workspace: Workspace) -> None:
    base = workspace.draft.base
    first = once(("first of formulas", base.key), lambda: _first(base))
    left, right = st.columns([1.1, 3.4], gap="medium")
    whom = f"against {AGAINST[base.trust.against]}"
    with left, st.container(border=True):
        st.header("What is known", anchor="known")
        given = (
            _field(workspace, "Noise σ in the aggregate, at most", first[0], SIGMA),
            _field(workspace, f"Budget ε{covered(base)}, the same for all", first[1], EPSILON),
            _field(workspace, "ε of the whole run, at most", first[2], f"Of any client, at worst, {whom}."),
        )
        st.caption("Everything else stays as this draft has it.")
    found = once(("formulas", base.key, given), lambda: answers(base, *given))
    with right, st.container(border=True):
        st.header("What follows", anchor="follows")
        covers = next((one.covers for _, one in found if isinstance(one, Follows)), None)
        head = ["for", f"ε, for {covers}" if covers else "ε", "clients", "σ in the aggregate"]
        head += ["σ of one upload, at worst", f"ε of the run, at worst, {whom}"]
        table(head, [_row(*one) for one in found])
        for asked, one in found:
            if isinstance(one, str):
                st.warning(plain(f"{asked}: {one}.", 400))
        if any(isinstance(one, Follows) and one.aggregate_error for _, one in found):
            st.caption("σ in the aggregate is an expectation over drawn turnouts; ± is one standard error.")
        st.caption(SCOPE)
        _take_over(workspace, found)


def answers(
    base: Experiment, sigma: float | None, epsilon: float | None, budget: float | None
) -> list[tuple[str, Answer]]:
    """Results by formula for the filled fields."""
    wanted: list[tuple[str, Callable[[], Follows]]] = []
    if sigma is not None:
        wanted.append((f"σ {number(sigma, DIGITS)}: the least ε", lambda: inverses.at_noise(base, sigma)))
    if epsilon is not None:
        wanted.append((f"ε {number(epsilon, DIGITS)}", lambda: inverses.follows(base, epsilon)))
    if budget is not None:
        words = f"a run’s ε {number(budget, DIGITS)}: the largest ε"
        wanted.append((words, lambda: inverses.at_run_budget(base, budget)))
    if sigma is not None and epsilon is not None:
        words = f"σ {number(sigma, DIGITS)} at ε {number(epsilon, DIGITS)}: how many clients"
        wanted.append((words, lambda: inverses.clients_for(base, epsilon, sigma)))
    return [(words, or_why(ask)) for words, ask in wanted]


def or_why(ask: Callable[[], T]) -> T | str:
    """Result, or the sentence of its error."""
    try:
        return ask()
    except StudioError as error:
        return error_in_words(error)


def _first(base: Experiment) -> tuple[float, float, float]:
    """Initial values of the fields, from the median ε."""
    epsilon = float(f"{float(np.median(base.clients.budgets())):.3g}")
    found = or_why(lambda: inverses.follows(base, epsilon))
    if isinstance(found, str):
        return 0.1, epsilon, 1000.0
    cost = found.run.bound if found.run.guarantee else 1000.0
    return float(f"{found.aggregate:.2g}"), epsilon, float(f"{cost:.2g}")


def _field(workspace: Workspace, label: str, first: float, help: str) -> float | None:
    field = kept(workspace, f"formula {label}", first)
    return st.number_input(label, format="%g", placeholder="any", help=help, **field)


def _row(asked: str, found: Answer) -> list[str]:
    words = f"**{plain(asked)}**"
    if isinstance(found, str):
        return [words, *["no answer"] * 5]
    figures = (found.epsilon, found.aggregate, found.worst)
    epsilon, aggregate, worst = (plain(number(one, DIGITS)) for one in figures)
    if "largest" in asked or "least" in asked:  # the digits shown keep what was asked
        epsilon = (at_least if "largest" in asked else at_most)(found.epsilon, DIGITS)
    if found.aggregate_error:
        aggregate += plain(f" ± {number(found.aggregate_error, 2)}")
    price = promise_in_words(found.run)
    if not found.run.guarantee:
        price = f":red[**no guarantee**]: {plain(found.run.why, 120)}"
    return [words, epsilon, number(found.clients, 6), aggregate, worst, price]


def _take_over(workspace: Workspace, found: list[tuple[str, Answer]]) -> None:
    settings = {(one.epsilon, one.clients): one for _, one in found if isinstance(one, Follows)}
    count = workspace.draft.base.clients.count
    with st.container(horizontal=True):
        for place, one in enumerate(settings.values()):
            clients = f", {number(one.clients, 6)} clients" if one.clients != count else ""
            st.button(
                f"Take ε {number(one.epsilon, DIGITS)}{clients}",
                key=f"take {place}",
                help="Into this draft, for all clients",
                on_click=_take,
                args=(workspace, one),
            )
    refusal()


@pressed
def _take(workspace: Workspace, one: Follows) -> None:
    fields = {"clients.epsilon": one.epsilon, "clients.count": one.clients}
    with refusing():
        if problems := workspace.renew(lambda draft: draft.with_base(fields)):
            raise InvalidExperiment(problems)
