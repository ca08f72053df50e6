"""Checks of settings that concern visitors: environment variables, teacher, host names."""

import difflib
import os
import tomllib

from ldp_core.doctor.finding import Finding, note, ok, wrong
from ldp_core.errors import shown
from ldp_core.runs.cluster import connection
from ldp_core.settings.table import ADDRESS_HEADER, RAY_ADDRESS, SETTINGS, TEACHER, refuse_nonsense
from ldp_core.system.shipped import CONFIG

PREFIX = "EPSILON_"
OF_TESTS = ("EPSILON_CI", "EPSILON_TEST_ALL")
SHORT = 8
"""Number of characters of a secret that can be guessed within hours despite the rate limit."""


def settings() -> Finding:
    """Whether every set variable exists and is valid."""
    known = [one.name for one in SETTINGS]
    given = sorted(name for name in os.environ if name.startswith(PREFIX))
    for name in given:
        if name not in [*known, *OF_TESTS]:
            if near := difflib.get_close_matches(name, known, 1, cutoff=0.8):
                return wrong(f"nothing reads {shown(name)}", f"is {near[0]} meant?")
            return note(f"nothing reads {shown(name)}")
    refuse_nonsense()
    return ok(", ".join(given) or "none: all by default")


def teacher() -> Finding:
    """Whether a teacher's secret is set; it is never printed."""
    secret = TEACHER.value()
    if not secret:
        return note("no secret is set: nobody stops others' jobs from a page", f"{TEACHER.name}, for a class")
    if len(secret) < SHORT:
        return note(f"a secret of {len(secret)} characters is set", f"{SHORT} or more are hard to guess")
    return ok("a secret is set")


def cluster() -> Finding:
    if not (address := RAY_ADDRESS.value()):
        return ok("none: all is trained here")
    connection.refuse_open(address)
    trusted = "whoever may reach its port, or answers in its place, may run programs on this machine"
    return note(f"runs are trained at {shown(address)}", trusted)


def addresses() -> Finding:
    header = ADDRESS_HEADER.value()
    if not header:
        return ok("by their connections", f"behind a proxy name its header in {ADDRESS_HEADER.name}")
    return ok(f"by the header {header}", "only a proxy may reach the server, or visitors write it themselves")


def hosts() -> Finding:
    """Host names that the server answers to, as far as set in the environment or configuration."""
    server = tomllib.loads(CONFIG.read_text(encoding="utf-8")).get("server", {}) if CONFIG.exists() else {}
    given = os.environ.get("STREAMLIT_SERVER_ALLOWED_HOSTS")
    names = given.replace(",", " ").split() if given else [str(one) for one in server.get("allowedHosts", [])]
    address = os.environ.get("STREAMLIT_SERVER_ADDRESS") or str(server.get("address", ""))
    where = f"{', '.join(names) or 'any name'}, at {address or 'every address of this machine'}"
    if not names or "*" in names:
        return note(where, "somebody else's page can be made to lead here; name the host that people type")
    return ok(where, "others: --server.address 0.0.0.0 --server.allowedHosts NAME")
