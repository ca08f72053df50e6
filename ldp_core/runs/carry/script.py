"""A training as a short Python program that trains the same runs and compares their figures."""

import pprint
from typing import Any

from ldp_core.behaviour import version
from ldp_core.errors import InvalidInput
from ldp_core.runs.carry.training import training
from ldp_core.runs.jobs.archive import versions
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
