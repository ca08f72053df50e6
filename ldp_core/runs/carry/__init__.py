"""A job carried away and brought back: as a ZIP (`jobs.archive`) that `arrival` reads again, as one page
that opens offline (`page`, with `pictures` and `drawing`), as a program that trains the same again
(`script`), and as an app for Flower (`flower_app`).
A draft travels in a `link`. Rounds that were measured elsewhere come in by `outside`.
What concerns a job raises as `runs.jobs` does."""

from ldp_core.runs.carry.arrival import bring_back
from ldp_core.runs.carry.flower_app import as_flower, why_not
from ldp_core.runs.carry.outside import ROUNDS, bring_rounds
from ldp_core.runs.carry.page import as_page
from ldp_core.runs.carry.script import as_script
from ldp_core.runs.carry.ways import WAYS, written
