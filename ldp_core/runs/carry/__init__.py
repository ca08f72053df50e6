"""Export and import: a ZIP (`jobs.archive`) that `arrival` reads again, a page that opens offline
(`html_report`), a program that trains the same runs (`script`), an app for Flower (`flower_app`), a draft
in a `link`; `outside` imports rounds of other programs. InvalidInput says why a job cannot be written in a
format.
"""

from ldp_core.runs.carry.arrival import bring_back
from ldp_core.runs.carry.flower_app import as_flower, why_not
from ldp_core.runs.carry.html_report import Shown, as_page
from ldp_core.runs.carry.outside import ROUNDS, bring_rounds
from ldp_core.runs.carry.script import as_script
from ldp_core.runs.carry.ways import WAYS, written
