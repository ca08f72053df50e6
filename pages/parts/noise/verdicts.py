"""Verdict on learning and noise at the server for the sliders' positions."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from ldp_core.errors import StudioError
from ldp_core.experiment import Draft, Experiment, changed, plan
from ldp_core.runs import pilots
from ldp_core.theory import Outlook, client_weights, server_noise
from ldp_core.theory.learnability import certain, edges
from pages.parts.clients.costs import promise_words, run_promises
from pages.parts.noise.designs import Design, own_of, ranged
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui.polling import within
from pages.parts.ui.text import covered, names_by, number, percent, range_in_words, up_to
from pages.parts.ui.workspace import Workspace

MOST_CLIENTS = 5000
"""Number of clients above which the verdict does not follow a drag, which would take too long."""
MANY = " So many clients: the verdict is that of the draft, whatever is dragged."
REFUSED = " So asked, the clients could not run: the verdict is that of the draft."
MOVING = Outlook("unknown", "let go, and it is tried out")
"""Verdict where a slider is on its way, which the noise alone does not decide."""


def verdicts(
    now: WhatIf, shown: Sequence[Design], checked: bool = False, moving: bool = False
) -> dict[str, Any]:
    """Data for assets/web/verdicts.js; `checked` as in `asking`; where it is `moving`, what is stored is not
    looked up.
    """
    asked, still = all_asking(shown, now, checked)
    views = [certain(plan(own)) or MOVING for own in asked] if moving else pilots.known(asked)
    rows = [_row(*one, now) for one in zip(shown, asked, views, strict=True)]
    return {
        "title": "Left of it at the server",
        "rest": "" if still else who_ask(now, shown),
        **apart(rows),
        "note": still.strip(),
    }


def _row(design: Design, experiment: Experiment, view: Outlook, now: WhatIf) -> dict[str, Any]:
    noise = server_noise(plan(experiment))
    client = min(now.client, experiment.clients.count - 1)
    share = percent(float(client_weights(plan(experiment))[client]), 1)
    sigma = up_to(math.sqrt(noise.heard), math.sqrt(noise.most))
    figures = [["noise σ", sigma], [f"client {client + 1} counts", share]]
    figures += [["empty rounds", percent(noise.empty)]] if noise.empty else []
    return {
        "name": design.label,
        "run": design.style.tint,
        "word": "…" if view in (pilots.TESTING, MOVING) else view.word,
        "why": view.why,
        "figures": figures,
        "scale": _scale(view),
    } | promise(design.experiment, now)


def apart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows with their guarantees; a `promise` apart from them where several have the same."""
    first, none = rows[0]["promise"], {"promise": {"kind": "", "words": []}}
    if not rows[1:] or any(row["promise"] != first for row in rows):
        return {"rows": rows, **none}
    return {"rows": [row | none for row in rows], "promise": first}


def promise(experiment: Experiment, now: WhatIf) -> dict[str, Any]:
    clients, client = experiment.clients, min(now.client, experiment.clients.count - 1)
    own, low, high = own_of(experiment, client, now.tau)
    asked = own if now.epsilon is None else now.epsilon
    (found,) = run_promises(experiment, [asked], low, high, float(clients.run_limits()[client]))
    words = promise_words(experiment, found)
    return {"promise": words | {"words": [f"client {client + 1}: ", *words["words"]]}}


def who_ask(now: WhatIf, shown: Sequence[Design]) -> str:
    """Note on clients with other values than the sliders', for each design where they differ; "" if none."""
    if now.own:
        return ""
    found = names_by((_who_ask(now, design.experiment), design.label) for design in shown)
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{', '.join(labels)}{words}" for words, labels in found.items()).join((" (", ")"))


def _who_ask(now: WhatIf, experiment: Experiment) -> str:
    client = min(now.client, experiment.clients.count - 1)
    own, low, high = own_of(experiment, client)
    there = range_in_words(low, high)
    by_budget, by_range = alike(experiment, client)
    budget = f"if {_all(by_budget)} with ε {number(own)} asked for ε {number(now.epsilon or 0.0)}"
    budget += covered(experiment)
    if now.tau is None:
        return f", {budget}"
    if now.epsilon is None:
        return f", if {_all(by_range)} with a safe range of {there} asked for {now.range}"
    if (by_budget == by_range).all():
        return f", {budget} and a safe range of {now.range}"
    return f", {budget}, and {_all(by_range)} with a safe range of {there} for {now.range}"


def _all(chosen: NDArray[np.bool_]) -> str:
    many = int(chosen.sum())
    return "the client" if many == 1 else f"all {number(many, 6)} clients"


def _scale(view: Outlook) -> dict[str, Any] | None:
    """Interval of the accuracy on a line from 0 to 1; None without a verdict."""
    if view.low is None or view.high is None or view.guess is None:
        return None
    limits = edges(view.guess)
    names = [f"chance up to {percent(limits[0])}", f"learns from {percent(limits[1])} on"]
    ends = [round(view.low, 4), round(view.high, 4)]
    return {"limits": [*limits], "ends": ends, "names": names, "words": within(view)}


def all_asking(shown: Sequence[Design], now: WhatIf, checked: bool = False) -> tuple[list[Experiment], str]:
    """`asking` for all designs; if one cannot change, none does."""
    asked = [asking(design.experiment, now, checked) for design in shown]
    still = next((why for _, why in asked if why), "")
    return [design.experiment if still else own for design, (own, _) in zip(shown, asked, strict=True)], still


def asking(experiment: Experiment, now: WhatIf, checked: bool = False) -> tuple[Experiment, str]:
    """Experiment in which all clients with this client's ε have the slider's, and all with its range one of
    half-width τ; or the unchanged experiment and a sentence why. `checked`: validation may be skipped.
    """
    # where whole uploads are shortened to a length there is no range to be changed
    tau = None if experiment.mechanism.region == "ball" else now.tau
    if now.epsilon is None and tau is None:
        return experiment, ""
    count, clients = experiment.clients.count, experiment.clients
    if count > MOST_CLIENTS:
        return experiment, MANY
    budgets, (low, high) = clients.budgets(), clients.bounds()
    client = min(now.client, count - 1)
    by_budget, by_range = alike(experiment, client)
    asked: dict[str, tuple[float, ...]] = {}
    if now.epsilon is not None:
        asked["epsilon"] = tuple(np.where(by_budget, now.epsilon, budgets).tolist())
    if tau is not None:
        ends = zip(("low", "high"), (low, high), ranged(experiment, low, high, tau), strict=True)
        asked |= {end: tuple(np.where(by_range, moved, own).tolist()) for end, own, moved in ends}
    if checked:
        own = {"range": None} if tau is not None else {}
        fields = {name: getattr(experiment, name) for name in Experiment.model_fields}
        fields["clients"] = clients.model_copy(update={**asked, **own})
        return Experiment.model_construct(**fields), ""
    try:
        return changed(experiment, {f"clients.{field}": list(values) for field, values in asked.items()}), ""
    except StudioError:  # a system that fixes its clients' budgets, or a range too narrow for where it lies
        return experiment, REFUSED


def alike(experiment: Experiment, client: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    budgets, (low, high) = experiment.clients.budgets(), experiment.clients.bounds()
    return budgets == budgets[client], (low == low[client]) & (high == high[client])


def take_button(workspace: Workspace) -> None:
    """Draw the button; dragged values become the draft's, which Undo reverts."""
    now: WhatIf | None = st.session_state.get(workspace.key("what if"))
    dragged = now is not None and _moves(workspace.draft, now)
    help = "With what the sliders ask for; Undo takes it back" if dragged else "Where they learn, or do not"
    if st.button("Take these designs to Train", type="primary", help=help):
        if now is not None and dragged:
            workspace.renew(lambda draft: taken(draft, now))
        st.switch_page("train.py")


def taken(draft: Draft, now: WhatIf) -> Draft:
    """Draft with the sliders' values for all clients like the dragged one; unchanged if it cannot run."""
    return replace(draft, base=asking(draft.base, now)[0]) if _moves(draft, now) else draft


def _moves(draft: Draft, now: WhatIf) -> bool:
    paths = [path for variant in draft.variants for path in variant.set]
    return not now.own and not any(path.split(".")[0] in ("clients", "system") for path in paths)
