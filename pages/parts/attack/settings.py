"""Fields of an attack grid: client, mechanisms, budgets, observations, attacker."""

from typing import Any

import streamlit as st

from ldp_core import attacks, datasets, limits, mechanisms, models, presets
from ldp_core.attacks import servers
from ldp_core.attacks.servers import Server
from ldp_core.component import Component
from ldp_core.datasets import IMAGES
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Experiment, plan
from ldp_core.experiment.attack import HONEST
from ldp_core.experiment.attack_grid import RUNGS, Ladder, parse_ladder
from ldp_core.fields import Number, Whole
from ldp_core.runs import own_data
from pages.parts.clients.data_names import data_label, data_labels
from pages.parts.clients.own_data import through_lenet
from pages.parts.train.ledger_panel import named_clients
from pages.parts.ui.fields import named, own_parameters, switch
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import number, per, plain, signed
from pages.parts.ui.workspace import Workspace, start_with

UPLOADS = {"audit": "one image, one step", "real": "its real upload"}
SEEN = (1, 2, 5, 10, 20, 50, 100)
AUTO = "the one that suits"
READABLE = "picture_forms"
"""Scenario whose uploads can be read, offered where a draft’s cannot."""
KEPT = (
    "These pictures stay on this server and are sent nowhere else. What a run keeps of them, those that were "
    "attacked and what came back, is deleted with the last run that shows it."
)
IDLE = ("name", "attack", "mechanism", "aggregator", "seed")
IDLE_OF_CLIENTS = ("epsilon", "epsilon_scope", "run_limit")
"""Fields without effect on an attack grid, which trains without noise and has its own budgets."""


def settings(workspace: Workspace, before: Ladder) -> Ladder | None:
    """Draw the fields, at first as asked `before`; None, with an error on the page, if they are invalid."""
    base, key = workspace.draft.base, workspace.key
    named(workspace, "dataset", "Data", data_labels(), base.dataset, _choose_data)
    about, labels = base.model.summary, models.registry.labels()
    named(workspace, "model.name", "Model", labels, base.model.name, help=about)
    offered = mechanisms.offered(labelled=base.target == "class_means")
    noisy = {n: label for n, label in offered.items() if mechanisms.hides(n)}
    chosen = st.pills(
        "Mechanisms",
        list(noisy),
        selection_mode="multi",
        default=[one.name for one in before.mechanisms if one.name in noisy],
        format_func=noisy.__getitem__,
        key=key("mechanisms"),
    )
    if not chosen:
        st.error("Choose at least one mechanism.")
    lowest, highest = st.select_slider(
        f"Budgets ε {per(map(mechanisms.get, chosen))}",
        RUNGS,
        (_nearest(before.epsilons[0]), _nearest(before.epsilons[-1])),
        format_func=number,
        key=key("budgets"),
    )
    upload = switch(
        "Kind of upload",
        UPLOADS,
        key("upload"),
        before.upload,
        label_visibility="visible",
        help="One image, one step is the worst case. A real upload mixes a client's images over its batches "
        "and epochs.",
    )
    asked: dict[str, Any] = {
        "base": base,
        "mechanisms": list(chosen),
        "epsilons": [rung for rung in RUNGS if lowest <= rung <= highest],
        "upload": upload,
        "server": _server(workspace, before) if upload == "real" else HONEST,
        "client": _client(workspace, before),
        "rounds_observed": st.select_slider(
            "Uploads that the server sees",
            SEEN,
            before.rounds_observed if before.rounds_observed in SEEN else 1,
            key=key("observed"),
            help="The same values, each time with fresh noise. In training the values change from round to "
            "round, so as many rounds tell less about any one of them.",
        ),
        "round": st.slider(
            "Round of training",
            1,
            int(min(limits.LADDER_ROUND.maximum, 30)),
            min(before.round, 30),
            key=key("round"),
            help="The model is trained without noise up to there: later gradients are smaller.",
        ),
        "seed": before.seed,
    }
    with st.expander("Attacker and images"):
        own_parameters(workspace, "model", base.model)
        asked["attacker"] = _attacker(workspace, before, upload, asked["server"])
        if upload == "audit":
            words = "An upload for each; figures are medians and shares over them, with 95 % intervals."
            ends = int(limits.LADDER_IMAGES.minimum), int(limits.LADDER_IMAGES.maximum)
            asked["images"] = st.number_input(
                "Images attacked", *ends, before.images, key=key("images"), help=words
            )
    if base.dataset.startswith(IMAGES):
        st.caption(KEPT)
    if own_data.hours():
        st.page_link("clients.py", label=":blue[Bring a table or pictures of your own]")
    try:
        return parse_ladder(asked)
    except InvalidExperiment as error:
        for problem in error.problems if chosen else ():
            st.error(plain(problem_in_words(problem), 300))
        readable = presets.get(READABLE)
        if chosen and st.button(f"Attack “{readable.label}” instead", key=key("readable")):
            start_with(readable.draft)
            st.rerun()
        return None


def _server(workspace: Workspace, before: Ladder) -> Server:
    every = servers.registry.labels().items()
    labels = {name: label for name, label in every if not servers.get(name).silences}  # no sum is seen here
    place = [*labels].index(before.server.name) if before.server.name in labels else 0
    key = workspace.key("server")
    name = str(st.selectbox("The server", list(labels), place, format_func=labels.__getitem__, key=key))
    st.caption(plain(servers.get(name).summary, 300))
    if not servers.get(name).reader:
        return servers.get(name)
    within = st.number_input(
        "Clients refuse weights beyond ±",
        limits.NORM.minimum,
        limits.NORM.maximum,
        before.server.within,
        placeholder="none",
        key=workspace.key("within"),
        help="A client may send nothing where a weight of the model lies beyond. A liar then keeps within, "
        "which costs it little where there is no noise: large weights make steps that stand out from noise.",
    )
    return servers.get(name, within=within)


def _choose_data(workspace: Workspace, name: str) -> tuple[Problem, ...]:
    """Set the data; with pictures of the visitor's own, what else has to fit them."""
    if not name.startswith(IMAGES):
        return workspace.edit({"dataset": name})
    base = workspace.draft.base
    fits = base.model.fits(datasets.get(name).shape)
    changes = through_lenet(name, base.clients.count)
    return workspace.edit({field: value for field, value in changes.items() if field != "model" or not fits})


def _client(workspace: Workspace, before: Ladder) -> int:
    base = workspace.draft.base
    names = {index: f"{index + 1}: {name}" for name, index in named_clients(base).items()}
    options = sorted({*range(min(base.clients.count, 200)), *names})
    client = st.selectbox(
        "Client",
        options,
        options.index(before.client - 1) if before.client - 1 in options else 0,
        format_func=lambda index: names.get(index, str(index + 1)),
        key=workspace.key("client"),
    )
    st.caption(f"sends {plain(_sent(base, client))}")
    st.page_link("clients.py", label=":blue[Change the clients]")
    return int(client) + 1


def setting_of(base: Experiment, client: int) -> str:
    """Clipping, model and data of a client's upload, in words."""
    return f"{_sent(base, client)}; {base.model.title}, {data_label(base.dataset)}"


def _sent(base: Experiment, client: int) -> str:
    low, high = (float(end[client]) for end in base.clients.bounds())
    what = "weights" if base.target == "weights" else "changes"
    return f"{what} in [{signed(low)}, {signed(high)}]"


def _attacker(workspace: Workspace, before: Ladder, upload: str, server: Server) -> Any:
    """Draw the attacker's fields; returns its name, or name and parameters as JSON."""
    if server.reader:
        kind = attacks.registry.kind(server.reader)
        st.caption(plain(f"Read by “{kind.label}”, for which the model is made. {kind.summary}", 600))
        return "auto"
    labels, names = attacks.registry.labels() | {"auto": AUTO}, ["auto", *attacks.reconstructors()]
    now, key = before.attacker, workspace.key("attacker")
    place = names.index(now.name if now else "auto")
    chosen = st.selectbox("Attacker", names, place, format_func=labels.__getitem__, key=key)
    if chosen == "auto":
        if found := attacks.choose(plan(workspace.draft.base).facts(upload)):
            st.caption(plain(f"Here: {found.label}. {found.summary} {found.cannot}", 600))
        return "auto"
    kind = attacks.registry.kind(chosen)
    st.caption(plain(f"{kind.summary} {kind.cannot}", 600))
    return {"name": chosen, **_parameters(workspace, now if now and now.name == chosen else kind())}


def _parameters(workspace: Workspace, attacker: Component) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, parameter in type(attacker).model_fields.items():
        mark = next((m for m in parameter.metadata if isinstance(m, Number | Whole)), None)
        if mark is None:
            continue
        kind, words = int if isinstance(mark, Whole) else float, parameter.description or name
        given[name] = st.number_input(
            words[0].upper() + words[1:],
            kind(mark.limit.minimum),
            kind(mark.limit.maximum),
            kind(getattr(attacker, name)),
            key=workspace.key(f"{attacker.name} {name}"),
            help=f"{mark.limit}; part of what the attacker knows".capitalize(),
        )
    return given


def _nearest(epsilon: float) -> float:
    return min(RUNGS, key=lambda rung: abs(rung - epsilon))


def asks_same(before: Ladder, now: Ladder) -> bool:
    return _asked(before) == _asked(now)


def _asked(ladder: Ladder) -> dict[str, Any]:
    """All that has an effect on an attack grid."""
    asked = ladder.as_json()
    base = {key: value for key, value in ladder.base.as_json().items() if key not in IDLE}
    clients = {key: value for key, value in base["clients"].items() if key not in IDLE_OF_CLIENTS}
    if ladder.upload == "real":
        asked.pop("images", None)  # it has as many as its client holds
    return asked | {"base": base | {"clients": clients}}
