"""The desk on a folder of the visitor's own, in colour; what becomes of it is said."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ldp_core import presets
from ldp_core.runs.record import drafts
from pages.parts.attack.settings import KEPT
from tests.pages.conftest import Opened


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
