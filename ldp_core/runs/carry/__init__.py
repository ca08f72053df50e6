"""Export and import of jobs; InvalidInput says why not."""

from ldp_core.runs.carry.flower_app import as_flower, why_not
from ldp_core.runs.carry.html_report import Shown, as_page
from ldp_core.runs.carry.script import as_script
from ldp_core.runs.carry.ways import WAYS, written
from ldp_core.runs.carry.zip_import import import_zip
