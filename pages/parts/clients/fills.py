"""Budgets and ranges of all clients at once: quick fills, and a CSV file of them."""

from typing import Any

import streamlit as st

from ldp_core import limits
from ldp_core.accounting import DELTA, WHOLE_RUN
from ldp_core.errors import InvalidExperiment, InvalidInput, Problem
from ldp_core.experiment import (
    EPSILON_MODES,
    RANGE_MODES,
    Clients,
    Draft,
    plan,
    read_profiles,
    write_profiles,
)
from ldp_core.experiment.modes import Mode
from ldp_core.system.bounded import answer
from ldp_core.tables import MOST_BYTES
from pages.parts.clients.cells import resized
from pages.parts.clients.costs import costs
from pages.parts.clients.unit import unit_choice
from pages.parts.ui.fields import Apply, named, one_of, real, whole
from pages.parts.ui.meanings import EPSILON, SCOPES, TAU, error_in_words, problem_in_words
from pages.parts.ui.text import listed, number, plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import Workspace

SAME, TABLE = "same", "table"
NEVER, LIMIT = "never", "limit"
MOST_SHOWN = 12
"""Largest number of a file's problems that are shown, beside their total."""
AT_ONCE = 64_000
"""Largest number of bytes read in the server; they take 0.2 s at worst, a process for them 1 s."""


def fills(workspace: Workspace) -> None:
    base = workspace.draft.base
    clients, of_rows = base.clients, base.unit == "record"
    own = sorted(path.split(".")[1] for path in workspace.varied if path.startswith("clients."))
    if own:
        st.info(
            f"The runs of this scenario set {listed(own)} for themselves; what is chosen here for that "
            "does not change them."
        )
    whole(workspace, "clients.count", "Clients", limits.CLIENTS, clients.count, _set_count)
    unit_choice(workspace)
    epsilon = clients.epsilon
    now = epsilon if isinstance(epsilon, str) else SAME if isinstance(epsilon, float) else TABLE
    _law(workspace, "budgets", "Budgets ε", EPSILON_MODES, now, EPSILON, _set_budgets)
    if isinstance(epsilon, float):
        real(workspace, "clients.epsilon", "ε of every client", limits.EPSILON, epsilon)
    one_of(
        workspace,
        "clients.epsilon_scope",
        "One ε covers",
        SCOPES | ({"upload": "one record in an upload", "run": WHOLE_RUN["record"]} if of_rows else {}),
        clients.epsilon_scope,
        help="The papers' ε is per weight. What can spend an ε on a whole upload does so: "
        "Gaussian noise and PrivUnit. Otherwise it is divided evenly over its "
        f"{number(plan(base).uploaded, 6)} weights, whose plain sum with δ 0 it is, or over the layers where "
        "a mechanism answers for a whole one. For a whole run each use gets the most with which all uploads "
        "together cost no more at "
        f"δ {number(DELTA)}, by the tightest rule.",
    )
    _limit(workspace, clients)
    if of_rows:
        st.caption("Safe ranges play no part: what a record moves is bounded by the length of its gradient.")
        return
    now = _law_of_ranges(clients)
    _law(workspace, "ranges", "Safe ranges τ", RANGE_MODES, now, TAU, _set_ranges)
    if now == SAME:
        half = float(clients.bounds()[1][0])
        real(workspace, "clients.range", "Every range is ±", limits.HALF_WIDTH, half)


def _law(
    workspace: Workspace, name: str, title: str, modes: dict[str, Mode], now: str, about: str, apply: Apply
) -> None:
    """Field: the law of all clients' budgets or ranges."""
    laws = {SAME: "Everybody the same"} | {mode: one.label for mode, one in modes.items()}
    words = f"{modes[now].summary} {about}" if now in modes else about
    named(workspace, name, title, _with_table(laws, now), now, apply, help=words)


def _limit(workspace: Workspace, clients: Clients) -> None:
    """Field: a client's own limit on the ε of the whole run."""
    limit = clients.run_limit
    now = NEVER if limit is None else LIMIT if isinstance(limit, float) else TABLE
    laws = _with_table({NEVER: "Never", LIMIT: "At a limit of its own"}, now)
    named(
        workspace,
        "limit",
        "A client stops sending",
        laws,
        now,
        _set_limit,
        help="The ledger adds up what each upload costs; a client that would go beyond its limit sits out.",
    )
    if isinstance(limit, float):
        real(workspace, "clients.run_limit", "ε of a run, at most", limits.RUN_LIMIT, limit)


def _set_limit(workspace: Workspace, law: str) -> tuple[Problem, ...]:
    return _set(workspace, "run_limit", law, limits.RUN_LIMIT.default if law == LIMIT else None)


def _law_of_ranges(clients: Clients) -> str:
    low, high = clients.bounds()
    alike = len(set(low.tolist())) == 1 == len(set(high.tolist())) and low[0] == -high[0]
    return clients.range if isinstance(clients.range, str) else SAME if alike else TABLE


def _with_table(laws: dict[str, str], now: str) -> dict[str, str]:
    """Options with "As in the table" only while it is so."""
    return ({TABLE: "As in the table"} if now == TABLE else {}) | laws


def _set(workspace: Workspace, field: str, law: str, value: Any) -> tuple[Problem, ...]:
    return () if law == TABLE else workspace.edit({f"clients.{field}": value})


def _set_count(workspace: Workspace, count: int) -> tuple[Problem, ...]:
    def stretched(draft: Draft) -> Draft:
        clients = draft.base.clients
        lists = {field: getattr(clients, field) for field in ("epsilon", "low", "high", "range", "run_limit")}
        resize = {f"clients.{f}": resized(v, count) for f, v in lists.items() if isinstance(v, tuple)}
        return draft.with_base({"clients.count": count, **resize})

    return workspace.change(stretched)


def _set_budgets(workspace: Workspace, law: str) -> tuple[Problem, ...]:
    clients = workspace.draft.base.clients
    median = float(sorted(clients.budgets())[clients.count // 2])
    return _set(workspace, "epsilon", law, median if law == SAME else law)


def _set_ranges(workspace: Workspace, law: str) -> tuple[Problem, ...]:
    return _set(workspace, "range", law, limits.HALF_WIDTH.default if law == SAME else law)


def profiles(workspace: Workspace) -> None:
    """Popover with both; a file is applied as a whole or not at all."""
    key = workspace.key("profiles")
    refused: tuple[str, tuple[Problem, ...]] | None = st.session_state.get(f"refused {key}")
    with st.popover("As a CSV file", width="stretch"):
        experiment = workspace.draft.base
        clients = experiment.clients
        if refused:  # first: what comes last may be below the window
            name, problems = refused
            more = len(problems) - MOST_SHOWN
            lines = [f"- {plain(problem_in_words(problem), 300)}" for problem in problems[:MOST_SHOWN]]
            lines += [f"- and {number(more, 6)} more"] if more > 0 else []
            st.error(f"Nothing of {plain(name, 40)} was taken over:\n\n" + "\n".join(lines))
        st.download_button(
            "Download the clients",
            lambda: write_profiles(clients, costs(experiment)),
            file_name="clients.csv",
            mime="text/csv",
            width="stretch",
            on_click="ignore",
        )
        st.file_uploader(
            "Replace them by a file",
            key=key,
            on_change=_take,
            args=(workspace, key),
            help="A line a client, with the columns client, epsilon, low and high (if wanted, scope: "
            "weight, upload or run; and run_limit); "
            f"up to {MOST_BYTES >> 20} MB, as spreadsheets write it.",
        )


@uncut
def _take(workspace: Workspace, key: str) -> None:
    file = st.session_state[key]
    st.session_state.pop(f"refused {key}", None)
    if file is None:
        return

    def taken(draft: Draft) -> Draft:
        limit = resized(draft.base.clients.run_limit, changes["clients.count"])
        return draft.with_base({"clients.run_limit": limit} | changes)

    try:  # to read takes a second or two, in which the store of drafts is not held
        data = file.getvalue()
        if len(data) > AT_ONCE:
            changes = answer(read_profiles.__module__, {}, {"clients": data}).checked()
        else:
            changes = read_profiles(data)
        problems = workspace.renew(taken)
    except InvalidExperiment as error:
        problems = error.problems
    except InvalidInput as error:
        problems = (Problem("", error_in_words(error)),)
    if problems:
        st.session_state[f"refused {key}"] = (file.name, problems)
    else:
        st.toast(f"The clients of {plain(file.name, 40)} are here; Undo takes them back.")
