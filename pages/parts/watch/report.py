"""Report of a training with the screen's headline, figures, images and sentences."""

from typing import Any

from ldp_core.experiment import parse_draft
from ldp_core.runs import Job, Person, carry, describe, jobs, progress_of
from pages.parts.charts.series import series
from pages.parts.runs.take_away import take_away as files
from pages.parts.train.attributes import of_rows
from pages.parts.train.chosen_job import lesson_of
from pages.parts.train.server_panel import MOST_COLUMNS, MOST_PAIRS, server_panel, uploads_in
from pages.parts.train.standings import standings
from pages.parts.ui.text import listed
from pages.parts.watch.headline import head
from pages.parts.watch.trio import chance_of, nothing_yet


def take_away(job: Job) -> None:
    """Draw the download buttons of a training."""
    files(job, describe(job).name, "share", report)


def report(identity: str, person: Person) -> bytes:
    """The report of an ended training, as HTML, for a person who may see it; called beside script runs, where
    no visitor is known. Raises UnknownJob.
    """
    job = jobs.look(identity, person)
    draft, progress = parse_draft(job.request["draft"]), progress_of(job).update()
    shown, reference = series(progress, draft)
    empty, chance = nothing_yet(job, draft, shown), chance_of(shown)
    attacked = [one for one in shown if one.runs[0].tries]
    upload = next(iter(uploads_in(attacked)), "audit")
    done, dataset = job.status == "completed", draft.base.dataset
    begun = head(draft, shown, chance, upload, "completed" if done else "stopped", empty, reference)
    begun, panel = of_rows([begun, server_panel(attacked[-MOST_COLUMNS:], upload, empty)], dataset)
    lesson = " ".join(lesson_of(job)) if done else ""
    words = of_rows([*standings(shown, reference, chance, stopped=not done), lesson], dataset)
    screen = carry.Shown(
        headline=_joined(begun["line"]) + ".",
        figures=[(chip["name"], _joined(chip["pieces"]), chip["rest"]) for chip in begun["chips"]],
        words=[one.replace("**", "").replace("\\", "") for one in words if one],
        columns=panel["columns"] or ["as it was", "what came back"] * MOST_PAIRS,
        pictures=[_row(row) for row in panel["rows"]],
    )
    return carry.as_page(identity, screen).encode()


def _joined(pieces: list[tuple[str, int | None]]) -> str:
    return "".join(words for words, _ in pieces)


def _row(row: dict[str, Any]) -> tuple[str, list[tuple[dict[str, Any], str]], str]:
    images = [(cell["image"], cell["captions"][0]) for cell in row.get("cells", [])]
    for pair in row.get("pairs", []):
        images += [(pair["original"], ""), (pair["image"], pair["caption"])]
    says = listed(
        [row["says"], *row.get("lines", []), *([row["picked"]["text"]] if row.get("picked") else [])]
    )
    return f"{row['name']}, {row['budget']}", images, f"{says}; {row['detail']}."
