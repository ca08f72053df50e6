"""Fields of the page Train."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from ldp_core import aggregators, limits, mechanisms, models, optimizers, partitions, selections
from ldp_core.door import network
from ldp_core.errors import Problem
from ldp_core.experiment import TARGETS, Draft, Fit, Variant, fit_of, plan
from ldp_core.runs import own_data
from pages.parts.clients.data_names import data_labels
from pages.parts.clients.unit import promised
from pages.parts.systems.field_words import SENT
from pages.parts.train.attack_choices import attack_choices
from pages.parts.ui.fields import (
    bind,
    complain,
    component,
    is_wrong,
    named,
    one_of,
    real,
    take,
    typed_in,
    whole,
)
from pages.parts.ui.meanings import AGGREGATOR, MECHANISM, each
from pages.parts.ui.memory import tab
from pages.parts.ui.tables import understood
from pages.parts.ui.text import asked_in_words, clipped_in_words, joined, names_by, number, percent, plain
from pages.parts.ui.workspace import Workspace

PREPARED = "As prepared"
COMPARE: dict[str, tuple[str, Any, str]] = {
    "Aggregators": ("aggregator", aggregators.registry, AGGREGATOR),
    "Mechanisms": ("mechanism", mechanisms.registry, MECHANISM),
}
"""Field, registry and meaning of what may be compared."""


def choices(workspace: Workspace) -> None:
    """Draw the fields; each saves its change, or shows why it is invalid."""
    draft = workspace.draft
    base = draft.base
    clients, noise, server, often = st.columns([1.1, 1, 1.2, 1], gap="medium")
    with clients:
        _clients(draft)
    with noise:
        for field, registry, meaning in reversed(COMPARE.values()):
            if f"{field}.name" not in workspace.varied:
                title, now = field.capitalize(), getattr(base, field)
                component(workspace, field, title, registry, now, what=meaning)
    with server:
        _compared(workspace)
    with often:
        whole(workspace, "rounds", "Rounds", limits.ROUNDS, base.rounds)
        whole(
            workspace,
            "seeds",
            "Seeds",
            limits.SEEDS,
            draft.seeds,
            lambda w, seeds: w.change(lambda draft: replace(draft, seeds=seeds)),
            help="Every run is repeated with each seed. Runs of one seed share data, batches and starting "
            "model, so that only what is compared differs.",
        )

    def training() -> None:
        _training(workspace)
        if own_data.hours():
            st.page_link("clients.py", label=":blue[Bring a table or pictures of your own]")

    left, right = st.columns(2, gap="medium")
    with left:
        _folded("Data, model and training", training)
    with right:
        _folded("The attack", lambda: attack_choices(workspace))


def _folded(label: str, draw: Callable[[], None]) -> None:
    """Draw an expander whose fields are there from its first opening on: what is typed in them stays while
    this page is shown.
    """
    box, unfolded = st.expander(label, key=label, on_change="rerun"), tab().page.unfolded
    if box.open:
        unfolded.add(label)
    if label in unfolded:
        with box:
            draw()


def _clients(draft: Draft) -> None:
    experiments = draft.experiments()
    labels = (plain(variant.label) for variant in draft.variants)
    every = names_by(zip((asked_in_words([one])[0] for one in experiments), labels, strict=True))
    for words, names in every.items():
        st.markdown(plain(words) + (f": {joined(names)}" if len(every) > 1 else ""))
    st.caption("; or ".join(dict.fromkeys(map(clipped_in_words, experiments))))
    st.page_link("clients.py", label=":blue[Change the clients]")


def _training(workspace: Workspace) -> None:
    base = workspace.draft.base
    named(workspace, "dataset", "Data", data_labels(), base.dataset)
    component(workspace, "partition", "How it is split", partitions.registry, base.partition, "kind")
    component(workspace, "model", "Model", models.registry, base.model)
    if base.model.given_by:
        field, source = f"model.{base.model.given_by}", plan(base).source
        seen = network(typed_in(workspace, field) or base.model, source)
        if seen and (seen.questions or not is_wrong(workspace, field)):
            answer = lambda stated: take(workspace, field, stated["layers"])  # noqa: E731
            understood(seen, field, answer)
    words = "; ".join(f"{name}: {what}" for name, what in TARGETS.items())
    one_of(workspace, "target", "What is sent", SENT, base.target, help=words)
    local = base.local
    component(workspace, "local.optimizer", "Optimiser", optimizers.registry, local.optimizer)
    if not local.optimizer.has_own_rate:
        rate = local.learning_rate
        real(workspace, "local.learning_rate", "Learning rate", limits.LEARNING_RATE, rate)
        if local.optimizer.name == "sgd" and (fit := fit_of(base.model.name)):
            st.caption(fits(fit))
    whole(workspace, "local.epochs", "Local epochs", limits.EPOCHS, base.local.epochs)
    whole(workspace, "local.batch_size", "Batch size", limits.BATCH_SIZE, base.local.batch_size)
    if local.clip is not None:
        title = "Length of a record's gradient"
        real(workspace, "local.clip", title, limits.NORM, local.clip, help=promised(base))
        st.caption("ε is for each record that a client holds: one step a round, on all of its records.")
    component(workspace, "selection", "Who takes part", selections.registry, base.selection, "kind")
    whole(workspace, "seed", "First seed", limits.SEED, base.seed)


def fits(fit: Fit) -> str:
    held = f", and a safe range of ±{number(fit.half)} costs at most a point" if fit.half else ""
    reaches = f"it reaches {percent(fit.accuracy)}"
    return f"{number(fit.rate)} fits this model: {reaches}{held} (measured on {fit.where})"


def _compared(workspace: Workspace) -> None:
    variants = workspace.draft.variants
    # each sets one and the same field: one that changes nothing is the visitor's own comparison
    paths = {tuple(variant.set) for variant in variants}
    now = next((name for name, (field, *_) in COMPARE.items() if paths == {(f"{field}.name",)}), PREPARED)
    options = [*([PREPARED] if now == PREPARED else []), *COMPARE]
    field, registry, meaning = COMPARE.get(now, ("", None, ""))
    about = each(meaning, registry) if registry else None
    names = dict(zip(options, options, strict=True))
    one_of(workspace, "compare", "Compare", names, now, _set_compared, help=about)
    if registry is None:
        st.caption(joined([plain(variant.label) for variant in variants]))
        return
    labels = registry.labels()
    st.pills(
        f"{now} compared",
        list(labels),
        selection_mode="multi",
        format_func=labels.__getitem__,
        label_visibility="collapsed",
        **bind(
            workspace,
            f"compared {now}",
            [*dict.fromkeys(variant.set[f"{field}.name"] for variant in variants)],
            lambda w, picked: _compare(w, now, picked),
            into="default",
        ),
    )
    complain(workspace, f"compared {now}")


def _set_compared(workspace: Workspace, what: str) -> tuple[Problem, ...]:
    if what == PREPARED:
        return ()
    field, registry, _ = COMPARE[what]
    others = [name for name in registry.labels() if mechanisms.hides(name)]
    now = getattr(workspace.draft.base, field).name
    return _compare(workspace, what, [*dict.fromkeys([now, *others])][:3])


def _compare(workspace: Workspace, what: str, picked: list[str]) -> tuple[Problem, ...]:
    field, registry, _ = COMPARE[what]
    if not picked:
        return (Problem("", f"choose at least one {field} to compare; until then the last choice is kept"),)
    labels = registry.labels().items()
    variants = tuple(Variant(label, {f"{field}.name": name}) for name, label in labels if name in picked)
    return workspace.change(lambda draft: replace(draft, variants=variants))
