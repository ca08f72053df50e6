"""Export formats of a job by file ending."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from ldp_core.errors import InvalidInput, on_one_line
from ldp_core.runs.carry.card import as_card, card_picture
from ldp_core.runs.carry.flower_app import as_flower
from ldp_core.runs.carry.html_report import as_page
from ldp_core.runs.carry.script import as_script
from ldp_core.runs.carry.training import pictures
from ldp_core.runs.jobs.archive import export
from ldp_core.runs.jobs.lookup import look


def _zip(identity: str) -> tuple[bytes, int]:
    """A job's ZIP, with its other export formats in it, and the number of its events."""
    more = pictures(look(identity))
    for name, make in BESIDE.items():
        with suppress(InvalidInput):
            more[name] = make(identity)
    return export(identity, more)


def _encoded(make: Callable[[str], str]) -> Callable[[str], bytes]:
    return lambda identity: make(identity).encode()


BESIDE = {"report.html": as_page, "program.py": as_script, "card.json": as_card, "card.svg": card_picture}
REGISTRY = "its privacy card, in the fields of the registry of deployments"
WAYS: dict[str, tuple[str, str, Callable[[str], bytes]]] = {
    ".zip": ("all of it, as a ZIP", "application/zip", lambda identity: _zip(identity)[0]),
    ".html": ("a report that opens offline", "text/html", _encoded(as_page)),
    ".card.svg": ("its privacy card, for a slide", "image/svg+xml", _encoded(card_picture)),
    ".card.json": (REGISTRY, "application/json", _encoded(as_card)),
    ".flower.zip": ("an app for Flower, ready for `flwr run`", "application/zip", as_flower),
    ".py": ("a program that trains it again", "text/x-python", _encoded(as_script)),
}
"""Description, MIME type and maker of each format, by file ending."""


def written(identity: str, out: Path) -> str:
    """Export a job to a file in the format of its ending; returns what was written, in words. InvalidInput:
    the ending is unknown, nothing is recorded, or the file cannot be written.
    """
    ending = max((one for one in WAYS if out.name.lower().endswith(one)), key=len, default="")
    if not ending:
        got = on_one_line(out.name)
        raise InvalidInput(f"a job is written to a file that ends in {', '.join(WAYS)}; got {got}")
    try:
        content, events = _zip(identity) if ending == ".zip" else (WAYS[ending][2](identity), 0)
        with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as folder:
            (draft := Path(folder) / "draft").write_bytes(content)
            draft.replace(out)
    except OSError as error:
        where = f"{on_one_line(str(out))} cannot be written ({error.strerror})"
        raise InvalidInput(f"{where}; name a file in a folder that is there and is yours") from error
    return f"{events} events" if events else WAYS[ending][0]
