"""Export of jobs as files, and opening of the settings in such files; InvalidInput says why not."""

from ldp_core.runs.carry.flower_app import as_flower, why_not
from ldp_core.runs.carry.html_report import Shown, as_page
from ldp_core.runs.carry.open_file import Opened, as_link, of_link, settings_at, settings_in
from ldp_core.runs.carry.ways import WAYS, as_script, put, written
