"""The ledger as four plain numbers: never one of them alone, never called a total."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ldp_core.accounting import DELTA, ledger
from ldp_core.experiment import Draft, Experiment
from pages.parts.series import Series
from pages.parts.text import number, plain

SCOPES = {
    "coordinate": ("per weight", "one weight of one upload, the figure that papers print"),
    "upload": ("per upload", "all {d} weights of one upload together"),
    "run_expected": ("this run, expected", "{expected} uploads of this client"),
    "run_worst": ("this run, worst case", "{worst} uploads of this client"),
}
COVERS = (
    "Each number bounds how well any two values in the client's safe range can be told apart. It does not "
    "cover that the client took part, nor how much data it has: both are sent in clear."
)


def ledger_section(draft: Draft) -> None:
    """The four numbers of one client, for the draft as it is now."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**What is promised to**")
            experiment = _variant(draft)
            named = named_clients(experiment)
            who = st.segmented_control(
                "Client",
                list(named),
                default=next(iter(named)),
                required=True,
                format_func=lambda name: f"client {named[name] + 1} ({name})",
                label_visibility="collapsed",
                key="ledger client",
            )
        four_numbers(experiment, named[who])
        st.caption(COVERS)


def _variant(draft: Draft) -> Experiment:
    """The variant whose ledger is shown; a choice only where the ledgers differ."""
    experiments = draft.experiments()
    ledgers = [_ledger(e.key, e, tuple(named_clients(e).values())) for e in experiments]
    if all(one == ledgers[0] for one in ledgers):
        return experiments[0]
    labels = [variant.label for variant in draft.variants]
    chosen = st.selectbox(
        "Run", range(len(labels)), format_func=labels.__getitem__, label_visibility="collapsed", width=180
    )
    return experiments[chosen]


def named_clients(experiment: Experiment) -> dict[str, int]:
    """The clients that stand for all: strictest, median, most permissive; fewer if they coincide."""
    budgets = experiment.clients.budgets()
    order = budgets.argsort(kind="stable")
    last = len(order) - 1
    if budgets[order[0]] == budgets[order[last]]:
        return {"like all": int(order[0])}
    found = {"strictest": int(order[0]), "most permissive": int(order[last])}
    middle = int(order[last // 2])
    if budgets[middle] not in (budgets[order[0]], budgets[order[last]]):
        found = {"strictest": found["strictest"], "median": middle, "most permissive": int(order[last])}
    return found


def spent_so_far(shown: Sequence[Series]) -> None:
    """What the clients have spent in the rounds that were trained, with what is left of their limits."""
    run = next((run for one in shown for run in one.runs if run.last.get("spent")), None)
    if run is None:
        return
    parts = []
    for client, line in run.last["spent"].items():
        cost = "no guarantee" if line["epsilon"] is None else f"ε {number(line['epsilon'], 4)}"
        left = "" if line["left"] is None else f", {number(line['left'], 4)} left"
        uploads = f"{number(line['uploads'], 6)} upload{'s' if line['uploads'] != 1 else ''}"
        parts.append(f"client {int(client) + 1}: {uploads}, {cost}{left}")
    stopped = run.last.get("stopped", 0)
    limit = f"; {stopped} clients have reached their own limit and send nothing more" if stopped else ""
    st.caption(f"Spent so far in “{plain(run.label)}”, at δ {number(DELTA)}: {'; '.join(parts)}{limit}")


def four_numbers(experiment: Experiment, client: int) -> None:
    """One client's ledger, each number with its δ and, where it differs, the plain sum."""
    entry = _ledger(experiment.key, experiment, (client,))[0]
    count, rounds = experiment.clients.count, experiment.rounds
    words = {
        "d": number(experiment.dimension, 6),
        "expected": number(experiment.selection.expected_uploads(count, rounds)),
        "worst": number(experiment.selection.most_uploads(count, rounds), 6),
    }
    for column, (scope, (title, what)) in zip(st.columns(4), SCOPES.items(), strict=True):
        with column:
            _line(title, what.format(**words), entry[scope])


def _line(title: str, what: str, line: dict[str, Any]) -> None:
    st.caption(title)
    if not line["guarantee"]:
        st.markdown(":red[**no guarantee**]")
        st.caption(plain(line["why"], 200))
        return
    st.markdown(f"#### ε {number(line['epsilon'], 4)}")
    basic = f"; plain sum {number(line['basic'], 5)}" if line["rule"] != "basic" else ""
    st.caption(
        f"{what}; δ {number(line['delta'])}{basic}", help=line["why"][0].upper() + line["why"][1:] + "."
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _ledger(key: str, _experiment: Experiment, clients: tuple[int, ...]) -> list[dict[str, Any]]:
    """The ledger of some clients of an experiment, computed once."""
    return ledger(_experiment, clients)
