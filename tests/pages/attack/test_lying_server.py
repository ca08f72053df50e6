"""The choice of a server that lies, on Train and Attack, and what the pages say of its attacks."""

from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.record import drafts
from tests.pages.conftest import Opened, drawn


def choices() -> None:
    import streamlit as st

    from ldp_core.runs.record import drafts
    from pages.parts.train.attack_choices import attack_choices
    from pages.parts.ui.workspace import Workspace

    identity = st.session_state["draft"]
    draft = drafts.load(identity)
    assert draft is not None
    attack_choices(Workspace(identity, draft, "train"))


def selectbox(app: Any, label: str) -> Any:
    return next(one for one in app.selectbox if one.label == label)


@pytest.mark.parametrize(("model", "taken"), [("mlp", True), ("logistic_regression", False)])
@pytest.mark.usefixtures("runs_dir")
def test_server_chosen_on_train_comes_with_real_uploads(model: str, taken: bool):
    identity = drafts.new(Draft(parse({"model": model}), (Variant("run"),), 1))
    app = drawn(choices, draft=identity)
    selectbox(app, "The server").set_value("trap").run()
    assert not app.exception
    kept = drafts.load(identity)
    assert kept and kept.base.attack
    assert (kept.base.attack.server.name, kept.base.attack.uploads) == (
        ("trap", "real") if taken else ("honest", "audit")
    )
    assert bool(app.error) is not taken


def test_server_chosen_on_attack_is_kept_with_the_grid(opened: Opened):
    identity = drafts.new(Draft(parse({"model": "mlp", "attack": {"uploads": "real"}}), (Variant("run"),), 1))
    app = opened("attack", draft=identity)
    server = selectbox(app, "The server")
    assert "silencing" not in server.options  # no sum is seen here
    server.set_value("imprint").run()
    assert not app.exception and not app.error
    assert (drafts.ladder_of(identity) or {})["server"] == "imprint"
    within = next(one for one in app.number_input if one.label.startswith("Clients refuse"))
    within.set_value(0.5).run()
    assert (drafts.ladder_of(identity) or {})["server"] == {"name": "imprint", "within": 0.5}
    next(one for one in app.segmented_control if one.label == "Kind of upload").set_value("audit").run()
    assert not app.exception and not app.error
    assert "server" not in (drafts.ladder_of(identity) or {})
