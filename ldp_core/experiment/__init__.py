"""Experiments: all settings of a run, parsed from JSON, validated, and changed by field name."""

from ldp_core.experiment.attack import Attack, Spy
from ldp_core.experiment.clients import Clients
from ldp_core.experiment.draft import Draft, Run, Variant, checked, parse_draft
from ldp_core.experiment.kept import kept
from ldp_core.experiment.modes import EPSILON_MODES, RANGE_MODES, Mode
from ldp_core.experiment.of_system import (
    Departure,
    back_to_paper,
    departures,
    form_of,
    with_form,
    with_system,
)
from ldp_core.experiment.overrides import Fit, amended, changed, fit_of, with_fit
from ldp_core.experiment.planning import Plan, plan
from ldp_core.experiment.profiles import read_profiles, write_profiles
from ldp_core.experiment.reading import loads, parse, read_json, typed, typed_changes
from ldp_core.experiment.schema import PER, TARGETS, UNITS, Experiment, LocalTraining
from ldp_core.trust import Piece, Population, Terms
