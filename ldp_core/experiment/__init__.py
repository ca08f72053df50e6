"""Experiments: what a run is, read from JSON, checked, and changed by name."""

from ldp_core.experiment.attack import Attack
from ldp_core.experiment.clients import Clients
from ldp_core.experiment.departures import Departure, departures
from ldp_core.experiment.draft import Draft, Run, Variant, checked, parse_draft
from ldp_core.experiment.modes import EPSILON_MODES, RANGE_MODES, Mode
from ldp_core.experiment.overrides import amended, changed
from ldp_core.experiment.profiles import MOST_BYTES, read_profiles, write_profiles
from ldp_core.experiment.reading import loads, parse, read_json, typed, typed_changes
from ldp_core.experiment.schema import TARGETS, Experiment, Local, Population

__all__ = [
    "EPSILON_MODES",
    "MOST_BYTES",
    "RANGE_MODES",
    "TARGETS",
    "Attack",
    "Clients",
    "Departure",
    "Draft",
    "Experiment",
    "Local",
    "Mode",
    "Population",
    "Run",
    "Variant",
    "amended",
    "changed",
    "checked",
    "departures",
    "loads",
    "parse",
    "parse_draft",
    "read_json",
    "read_profiles",
    "typed",
    "typed_changes",
    "write_profiles",
]
