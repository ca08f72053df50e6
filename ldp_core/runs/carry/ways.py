"""Export formats of a job by file ending, and the program that trains its runs again."""

import pprint
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ldp_core.behaviour import version
from ldp_core.errors import InvalidInput, on_one_line
from ldp_core.runs.carry.card import as_card, card_picture
from ldp_core.runs.carry.flower_app import as_flower
from ldp_core.runs.carry.html_report import as_page
from ldp_core.runs.carry.training import pictures, training
from ldp_core.runs.jobs.archive import export, versions
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.view.run_curves import progress_of

PROGRAM = '''"""Trains the runs of a job of Epsilon Studio again: each ends as it was recorded, to the digit.

Put it into the folder that holds ldp_core, and run it there. With other versions than these the last bits
may differ: {versions}
"""

import sys

from ldp_core.experiment import parse_draft
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.simulate import simulate

DRAFT = {draft}

# (label, seed) -> accuracy on the held-out samples at the end, and the hash of the final weights
RECORDED = {recorded}


def main() -> int:
    one_thread()
    wrong = 0
    for run in parse_draft(DRAFT).runs():
        *_, end = simulate(run.experiment, load(run.experiment.dataset))
        accuracy, weights = RECORDED[run.label, run.experiment.seed]
        same = (end.accuracy, end.weights_sha256) == (accuracy, weights)
        wrong += not same
        verdict = "the same" if same else f"not {{accuracy}}"
        print(ascii(run.label), "seed", run.experiment.seed, end.accuracy, verdict)
    return 1 if wrong else 0


if __name__ == "__main__":  # where processes are spawned, each of them imports this file
    sys.exit(main())
'''


def as_script(identity: str) -> str:
    """Text of the program, in which user input is quoted data only."""
    job = training(identity, "can be written as a program")
    runs = [run for run in progress_of(job).update().runs if run.variant >= 0]
    if not runs or any(run.end is None for run in runs):
        raise InvalidInput(f"job {job.id} has not ended ({job.status}), so there is nothing to train again")
    recorded = {
        (run.label, run.seed): (run.end["accuracy"], run.end["weights_sha256"]) for run in runs if run.end
    }
    known = {"program": version(), **versions()}
    said = ", ".join(f"{name} {known[name]}" for name in ("program", "torch", "numpy", "scipy"))
    return PROGRAM.format(draft=_literal(job.request["draft"]), recorded=_literal(recorded), versions=said)


def _literal(value: Any) -> str:
    """Python literal; text is quoted ASCII."""
    text = pprint.pformat(value, width=108, compact=True, sort_dicts=False)
    return text.encode("ascii", "backslashreplace").decode()


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
    content, events = _zip(identity) if ending == ".zip" else (WAYS[ending][2](identity), 0)
    put(out, content)
    return f"{events} events" if events else WAYS[ending][0]


def put(out: Path, content: bytes) -> None:
    """Write a whole file, or InvalidInput."""
    try:
        with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as folder:
            (draft := Path(folder) / "draft").write_bytes(content)
            draft.replace(out)
    except OSError as error:
        raise InvalidInput(
            f"{on_one_line(str(out))} cannot be written ({error.strerror}); name a file in a folder that is "
            "there and is yours"
        ) from error
