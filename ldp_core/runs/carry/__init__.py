"""Export and import of jobs: a ZIP (`jobs.archive`) that `arrival` reads again, an HTML page that opens
offline (`html_report`, with `drawing`), a Python program that trains the same runs (`script`),
and an app for Flower (`flower_app`).
A draft travels in a `link`; `outside` imports rounds that were measured by other programs. Errors that
concern a job are those of `runs.jobs`; InvalidInput says why a job cannot be written in a format.
"""

from ldp_core.runs.carry.arrival import bring_back
from ldp_core.runs.carry.flower_app import as_flower, why_not
from ldp_core.runs.carry.html_report import Shown, as_page
from ldp_core.runs.carry.outside import ROUNDS, bring_rounds
from ldp_core.runs.carry.script import as_script
from ldp_core.runs.carry.ways import WAYS, written
