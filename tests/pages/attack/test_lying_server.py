"""The choice of a server that lies, on Train and Attack, and what the pages say of its attacks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ldp_core import presets
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.record import drafts
from pages.parts.attack.settings import KEPT
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


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Slopes of colour, six of each of two kinds."""
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    slope = np.linspace(0, 255, 32, dtype=np.uint8)
    for kind, axis in (("across", 0), ("down", 1)):
        place = tmp_path / "holiday" / kind
        place.mkdir(parents=True)
        for n in range(6):
            plane = np.broadcast_to(slope if axis == 0 else slope[:, None], (32, 32))
            pixels = np.stack([plane, plane[::-1, ::-1], np.full_like(plane, 40 * n)], axis=2)
            Image.fromarray(pixels).save(place / f"{n}.png")
    return "images:holiday"


@pytest.mark.usefixtures("runs_dir")
def test_own_pictures_and_model_are_fields_of_the_page(mine: str, opened: Opened):
    identity = drafts.new(presets.get("two_volunteers").draft)
    app = opened("attack", draft=identity)
    assert KEPT not in [one.value for one in app.caption]
    for label, choice in (("Data", mine), ("Model", "mlp")):
        next(one for one in app.selectbox if one.label == label).set_value(choice).run()
        assert not app.exception
        assert not app.error
    draft = drafts.load(identity)
    assert draft is not None
    assert (draft.base.dataset, draft.base.model.name) == (mine, "mlp")
    assert KEPT in [one.value for one in app.caption]
