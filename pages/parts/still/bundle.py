"""One HTML file of modules, styles and data, which opens from a disk and fetches nothing."""

import base64
import gzip
import json
import re
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any

from ldp_core.system.shipped import ASSETS, CONFIG
from pages.parts.ui.components import WEB

ENTRY = "still.js"
INSTEAD = {"plot.js": "still_chart.js"}
"""The module that stands in for that which needs Plotly."""
STYLES = ("dissolve", "ladder", "panels", "outcome", "lineup", "coin", "coin_room", "still")
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";$', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.M)
BEGIN = """const at = (id) => document.getElementById(id);
modules["still.js"].start(at("data").textContent, at("parts")).catch((error) => {
  console.error(error);
  at("parts").textContent = at("undrawn").textContent;
});"""
OPENING = '<script type="text/plain" id="data">'
DERIVED = {
    "light": {
        "border-color-light": "rgba(217, 222, 230, 0.45)",
        "gray-text-color": "#686255",
        "green-color": "#079464",
        "green-text-color": "#0C5A44",
        "orange-color": "#E0682B",
        "orange-text-color": "#9B4519",
        "red-color": "#D94A57",
        "red-text-color": "#9E303B",
    },
    "dark": {
        "border-color-light": "rgba(54, 64, 77, 0.45)",
        "gray-text-color": "#B8B3A8",
        "green-color": "#7ED5B0",
        "green-text-color": "#7ED5B0",
        "orange-color": "#F2A56D",
        "orange-text-color": "#F2A56D",
        "red-color": "#F2919A",
        "red-text-color": "#F2919A",
    },
}
"""What Streamlit makes of its theme's settings by itself; a test asks it."""


def bundled(entry: str = ENTRY) -> str:
    """A script of a module and all that it imports, each one a function: a browser loads no module from a
    disk. It relies on the style of our modules, which a test holds.
    """
    done = dict[str, str]()

    def take(name: str) -> None:
        name = INSTEAD.get(name, name)
        if name in done:
            return
        source = (WEB / name).read_text(encoding="utf-8")
        for _, other in IMPORT.findall(source):
            take(other)
        body = IMPORT.sub(_taken, EXPORT.sub("", source))
        offered = ", ".join(EXPORT.findall(source))
        done[name] = f"(() => {{\n{body}\nmodules[{name!r}] = {{ {offered} }};\n}})();"

    take(entry)
    return "\n".join(['"use strict";', "const modules = {};", *done.values()])


def _taken(found: re.Match[str]) -> str:
    name = INSTEAD.get(found[2], found[2])
    return f"const {{{found[1].replace(' as ', ': ')}}} = modules[{name!r}];"


def theme() -> dict[str, dict[str, str]]:
    """Values of Streamlit's variables that our styles and scripts use, by scheme."""
    given = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
    common = {"font": '"Source Sans", system-ui, sans-serif', "base-radius": given["baseRadius"]}
    return {scheme: {**_variables(given[scheme]), **common, **DERIVED[scheme]} for scheme in DERIVED}


def _variables(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings of the theme under the names that Streamlit gives them in CSS."""
    return {
        re.sub("([A-Z])", r"-\1", name).lower(): ",".join(one) if isinstance(one, list) else one
        for name, one in settings.items()
    }


def _styles() -> str:
    light, dark = (
        ":root{" + "".join(f"--st-{name}:{value};" for name, value in values.items()) + "}"
        for values in theme().values()
    )
    sheets = [ASSETS / "studio.css", *(WEB / f"{name}.css" for name in STYLES)]
    own = "\n".join(file.read_text(encoding="utf-8") for file in sheets)
    schemes = f":root{{color-scheme:light dark}}\n{light}\n@media(prefers-color-scheme:dark){{{dark}}}"
    return f"{schemes}\n{own}"


def pooled(value: Any, pool: dict[str, int]) -> Any:
    """A value in which the pixels of each image are a number into the `pool`, in which they stand once."""
    if isinstance(value, Mapping):
        return {
            name: pool.setdefault(one, len(pool)) if name == "pixels" else pooled(one, pool)
            for name, one in value.items()
        }
    return [pooled(one, pool) for one in value] if isinstance(value, list | tuple) else value


def packed(data: Mapping[str, Any]) -> str:
    pool = dict[str, int]()
    body = {**pooled(data, pool), "pool": list(pool)}
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def unpacked(page: str) -> dict[str, Any]:
    """The data in a page, images in their pool."""
    body = page.partition(OPENING)[2].partition("</script>")[0]
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(body)))
    return found


def page(title: str, lead: str, foot: str, undrawn: str, data: Mapping[str, Any]) -> str:
    """The page; its policy allows its own script and styles, and no request."""
    script, styles = f"{bundled()}\n{BEGIN}\n".replace("</", "<\\/"), f"{_styles()}\n"
    policy = f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(styles)}; img-src data:"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{escape(title)}</title><style>{styles}</style></head><body><main><h1>{escape(title)}</h1>"
        f'<p>{escape(lead)}</p><noscript id="undrawn">{escape(undrawn)}</noscript><div id="parts"></div>'
        f"<footer>{escape(foot)}</footer></main>\n{OPENING}{packed(data)}</script>\n"
        f"<script>{script}</script></body></html>\n"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
