"""What tests of pages share."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from ldp_core.experiment import Experiment
from ldp_core.runs.record import pilots
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS

Opened = Callable[..., AppTest]


def try_out(experiments: Sequence[Experiment]) -> None:
    """Make and store verdicts, as a worker does."""
    request = json.dumps([one.as_json() for one in experiments])
    pilots.try_out(pilots.PilotRequest("anna", request, 0.0))


@pytest.fixture(scope="session", autouse=True)
def _packages_are_looked_through_once() -> Iterator[None]:
    """For parts of pages that packages bring along: to read them takes each page a tenth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests)
        )
        yield


@pytest.fixture
def opened(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens a page by its name, with these parameters in its address."""
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
    monkeypatch.setattr("pages.parts.ui.polling.ensure_worker", lambda: None)

    def one(name: str, **address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=PATIENCE_SECONDS)
        for parameter, value in address.items():
            app.query_params[parameter] = value
        app.run()
        assert not app.exception
        return app

    return one


def drawn(part: Callable[[], None], /, **state: Any) -> AppTest:
    """A part of a page by itself, with this state of its session."""
    app = AppTest.from_function(part, default_timeout=PATIENCE_SECONDS)
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception
    return app
