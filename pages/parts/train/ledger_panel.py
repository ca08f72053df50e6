"""The ledger on Train: four ε for each run, never one alone, never called a total."""

from collections.abc import Callable, Sequence

import streamlit as st

from ldp_core.accounting import DELTA
from ldp_core.experiment import Draft, Experiment, plan
from pages.parts.charts.series import Series
from pages.parts.noise.promise_table import Promised, promise_table
from pages.parts.ui.fields import switch
from pages.parts.ui.text import at_least, at_most, names_by, number, plain


def ledger_section(draft: Draft, shown: Callable[[], None] | None = None) -> None:
    """Draw the four guarantees of one client for each variant of the draft, then call `shown`."""
    experiments = draft.experiments()
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**What is promised to**")
            named = named_clients(most_unlike(experiments))
            labels = {name: f"client {i + 1}: {name}" for name, i in named.items()}
            client = named[switch("Client", labels, "ledger client")]
        variants = zip(draft.variants, experiments, strict=True)
        promise_table(
            [Promised.to(client, one.label, own) for one, own in variants if client < own.clients.count],
            shown,
        )
        for printed, words in dict.fromkeys(
            (one.form == "as_printed", plan(one).correction) for one in experiments
        ):
            if words:
                st.caption(plain(("These are the numbers as printed. " if printed else "") + words, 700))


def most_unlike(experiments: Sequence[Experiment]) -> Experiment:
    """The one whose clients' ε differ most: the first may ask all alike."""
    return max(experiments, key=lambda one: float(one.clients.budgets().max() / one.clients.budgets().min()))


def named_clients(experiment: Experiment) -> dict[str, int]:
    """Clients with the least, median and greatest ε by description, from 0; fewer if they coincide."""
    budgets = experiment.clients.budgets()
    order = budgets.argsort(kind="stable")
    first, middle, last = (int(order[place]) for place in (0, (len(order) - 1) // 2, -1))
    if budgets[first] == budgets[last]:
        return {"all ask alike": first}
    median = {"median": middle} if budgets[first] < budgets[middle] < budgets[last] else {}
    return {"strictest": first} | median | {"most permissive": last}


def spent_so_far(shown: Sequence[Series], live: bool) -> None:
    """ε spent in the trained rounds, and what is left of clients' limits."""
    spent = "Spent so far" if live else "Spent"
    known = [one for one in shown if one.runs and one.runs[0].last.get("spent")]
    for words, labels in names_by((spent_words(one), one.label) for one in known).items():
        st.caption(f"{spent}, {plain(', '.join(labels), 160)}, {words}")


def spent_words(one: Series) -> str:
    """ε and δ spent by each attacked client in the first seed."""
    last, parts = one.runs[0].last, []
    for client, line in last["spent"].items():
        cost = "no guarantee" if line["epsilon"] is None else f"ε {at_most(line['epsilon'], 4)}"
        left = "" if line["left"] is None else f", {at_least(line['left'], 4)} left"
        uploads = f"{number(line['uploads'], 6)} upload{'s' if line['uploads'] != 1 else ''}, {cost}"
        parts.append(f"client {int(client) + 1}: {uploads if line['uploads'] else 'no upload'}{left}")
    never = [int(client) for client, line in last["spent"].items() if not line["uploads"]]
    missed = any(client in one.runs[0].targets for client in never)
    tried = "; the attacks are on what a client would upload if it were chosen" if missed else ""
    stopped = last.get("stopped", 0)
    clients = "1 client has reached its" if stopped == 1 else f"{stopped} clients have reached their"
    limit = f"; {clients} own limit and send{'s' if stopped == 1 else ''} nothing more" if stopped else ""
    delta = max(line.get("delta", DELTA) for line in last["spent"].values())
    return f"at δ {number(delta)}: {'; '.join(parts)}{limit}{tried}"
