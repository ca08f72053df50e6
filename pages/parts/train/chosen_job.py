"""Choice of the displayed job among a draft's jobs."""

from collections.abc import Sequence

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.runs import Job, jobs
from pages.parts.systems.unlike import changes, differing
from pages.parts.ui.visitor import look
from pages.parts.ui.workspace import Workspace


def chosen_job(workspace: Workspace) -> Job | None:
    """A running job, else the one closest to the draft; None if there is none."""
    found = jobs.of_draft(workspace.id)
    chosen = next((job for job in found if job.live), None) or closest(found, workspace.draft)
    return look(chosen.id) if chosen else None


def closest(found: Sequence[Job], draft: Draft) -> Job | None:
    """The scenario's job with the fewest differences to the draft, newest first, so that small edits are
    compared with the results shown before; an identical one may be of any scenario.
    """
    now = draft.as_json()
    many = [(len(differing(job.request["draft"], now)), job) for job in found]
    name = draft.base.name
    mine = [one for one in many if one[0] == 0 or one[1].request["draft"]["base"]["name"] == name]
    return min(mine, key=lambda one: one[0])[1] if mine else None


def differs(job: Job, draft: Draft) -> str:
    """Changes since a job was launched, in a few words; "" if none."""
    return changes(job.request["draft"], draft.as_json())


def lesson_of(job: Job | None) -> tuple[str, ...]:
    """Sentences of a scenario; empty unless the job ran it unchanged."""
    if job is None:
        return ()
    name = job.request["draft"]["base"]["name"]
    preset = next((one for one in map(presets.get, presets.names()) if one.label == name), None)
    return preset.says if preset and not differs(job, preset.draft) else ()
