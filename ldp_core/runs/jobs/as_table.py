"""Jobs as one table, for spreadsheets and programs: settings and final figures."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from ldp_core import models
from ldp_core.accounting import word_of
from ldp_core.experiment.overrides import at
from ldp_core.runs.jobs.finding import Line, asked, whole
from ldp_core.runs.jobs.tables import Row
from ldp_core.runs.view.final_figures import Final

FIELDS = {
    "dataset": "dataset",
    "model": "model",
    "clients": "clients.count",
    "epsilon_asked": "clients.epsilon",
    "target": "target",
    "mechanism": "mechanism.name",
    "aggregator": "aggregator.name",
    "rounds": "rounds",
}
"""Columns of settings, with the experiment's field of each."""


def rows(some: Sequence[Line]) -> list[Row]:
    """A row per variant; one row for a job without variants or without figures yet (see `tables`)."""
    return [row for line in whole(some) for row in _rows(line)]


def _rows(line: Line) -> Iterator[Row]:
    job, (part, variants) = line.job, asked(line.job.brief)
    base = part.get("base")
    for place, final in enumerate(line.finals or (None,)):
        changes = variants[place].get("set") if place < len(variants) else None
        own = changes if isinstance(changes, dict) else {}
        yield {
            "id": job.id,
            "name": job.name or str(at(base, "name") or ""),
            "note": job.note,
            "kind": job.kind,
            "status": job.status,
            "launched": datetime.fromtimestamp(job.created, UTC).isoformat(timespec="seconds"),
            "imported": job.imported,
            **{name: _plain(own.get(path, at(base, path))) for name, path in FIELDS.items()},
            **(_figures(final) if final else {}),
        }


def _plain(value: Any) -> Any:
    """Setting as a cell: the name of a part with parameters, or its layers; None for lists."""
    if isinstance(value, dict) and "layers" in value:
        return models.title_of(value)
    value = value.get("name") if isinstance(value, dict) else value
    return value if isinstance(value, str | int | float) else None


def _figures(final: Final) -> Row:
    promised = final.seeds > 0 or final.epsilon is not None
    return {
        "label": final.label,
        "seeds": final.seeds,
        "accuracy": final.accuracy,
        "epsilon_run": final.epsilon,
        "delta": final.delta if final.epsilon is not None else None,
        "promises": word_of(final.epsilon) if promised else None,
        "picked": final.hits / final.attempts if final.attempts else None,
        "guessing": final.chance if final.attempts else None,
        "answer": final.answer or None,
        "curve": list(final.curve) or None,
    }
