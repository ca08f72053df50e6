"""The JavaScript that the pages use is the one that plotly's Python package writes figures for."""

from plotly.offline import get_plotlyjs_version

from pages.parts.ui.components import WEB, version
from tests.conftest import ROOT

SVG = "http://www.w3.org/2000/svg"
"""The name of a language, which is not fetched."""


def test_plotly_js_is_of_the_version_of_the_python_package():
    with (ROOT / "assets" / "plotly" / "plotly-cartesian.min.js").open(encoding="utf-8") as file:
        head = file.read(200)
    assert f"v{get_plotlyjs_version()}" in head
    assert "MIT" in (ROOT / "assets" / "plotly" / "LICENSE").read_text(encoding="utf-8")


def test_no_script_asks_another_host():
    for file in [*WEB.glob("*.js"), *WEB.glob("*.css"), ROOT / "assets" / "studio.css"]:
        written = file.read_text(encoding="utf-8").replace(SVG, "")
        assert "http" not in written, file.name
    assert len(version()) == 8
