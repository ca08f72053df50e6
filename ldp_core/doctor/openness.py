"""Open to others: what the operator has set, and what a visitor could do with what was not."""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path

from ldp_core.doctor.finding import Finding, note, ok, wrong
from ldp_core.engines import choice
from ldp_core.errors import InvalidInput, shown
from ldp_core.runs.cluster import connection
from ldp_core.runs.visitor_limits import address_header, limits

PREFIX = "EPSILON_"
NAMES = """
ADDRESS_HEADER CACHE_DIR CONNECTIONS CONNECTIONS_EACH CORES DATA_DIR DATA_MIRROR DRAFTS_MB ENGINE
FRAME_ANCESTORS IDLE_MINUTES MEMORY_GB MOST_HOURS PAGES PAGES_EACH QUOTA_GB RAY_ADDRESS RAY_TOKEN RUNS_DIR
SILENT_SECONDS SLOTS TEACHER UPLOADS_MB
UPLOADS_EACH_MB WAITING WAITING_EACH WAITING_ADDRESS WORKER_IDLE_SECONDS
"""
SETTINGS = tuple(PREFIX + name for name in NAMES.split())
"""All that this program reads of the environment under a name of its own; what its tests read follows."""
OF_TESTS = ("EPSILON_CI", "EPSILON_TEST_ALL")
POSITIVE = ("EPSILON_CORES", "EPSILON_MEMORY_GB", "EPSILON_QUOTA_GB", "EPSILON_SLOTS")
"""Numbers that count for nothing where they are none."""
SHORT = 8
"""Characters of a secret that can be guessed in an afternoon, however slowly."""
CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def settings() -> Finding:
    """Whether every setting is one, and makes sense."""
    given = sorted(name for name in os.environ if name.startswith(PREFIX))
    for name in given:
        if name not in SETTINGS + OF_TESTS:
            if near := difflib.get_close_matches(name.removeprefix(PREFIX), NAMES.split(), 1):
                return wrong(f"nothing reads {shown(name)}", f"is {PREFIX}{near[0]} meant?")
            return note(f"nothing reads {shown(name)}")
    try:
        limits()
        choice.chosen(batched=True, on_cpu=True, fit=None)
    except InvalidInput as error:
        return wrong(str(error))
    for name in POSITIVE:
        if name in os.environ and not _is_positive(os.environ[name]):
            return note(f"{name} is {shown(os.environ[name])}, which counts for nothing", "a positive number")
    return ok(", ".join(given) or "none: all by default")


def _is_positive(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False


def teacher() -> Finding:
    """Whether somebody can end what others have launched; the secret itself is told nowhere."""
    secret = os.environ.get("EPSILON_TEACHER", "")
    if not secret:
        return note("no secret is set: nobody stops others' jobs from a page", "EPSILON_TEACHER, for a class")
    if len(secret) < SHORT:
        return note(f"a secret of {len(secret)} characters is set", f"{SHORT} or more are hard to guess")
    return ok("a secret is set")


def cluster() -> Finding:
    """Who may run programs here because runs are trained elsewhere."""
    if not (address := connection.named()):
        return ok("none: all is trained here")
    connection.refuse_open(address)
    trusted = "whoever may reach its port, or answers in its place, may run programs on this machine"
    return note(f"runs are trained at {shown(address)}", trusted)


def addresses() -> Finding:
    """By what visitors are told apart."""
    header = address_header()
    if not header:
        return ok("by their connections", "behind a proxy name its header in EPSILON_ADDRESS_HEADER")
    return ok(f"by the header {header}", "only a proxy may reach the server, or visitors write it themselves")


def hosts() -> Finding:
    """The names that the server answers to, as far as they do not stand on its command line."""
    server = tomllib.loads(CONFIG.read_text(encoding="utf-8")).get("server", {}) if CONFIG.exists() else {}
    told = os.environ.get("STREAMLIT_SERVER_ALLOWED_HOSTS")
    names = told.replace(",", " ").split() if told else [str(one) for one in server.get("allowedHosts", [])]
    address = os.environ.get("STREAMLIT_SERVER_ADDRESS") or str(server.get("address", ""))
    where = f"{', '.join(names) or 'any name'}, at {address or 'every address of this machine'}"
    if not names or "*" in names:
        return note(where, "somebody else's page can be made to lead here; name the host that people type")
    return ok(where, "others: --server.address 0.0.0.0 --server.allowedHosts NAME")
