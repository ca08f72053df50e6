"""What float32 gives away, by mechanism and budget: writes the table that the Noise page shows.

    python -m tests.benchmarks.float32

All 2²⁴ draws are tried, for both ends of the safe range; of Gaussian noise, 131 072 answers.
"""

import platform
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from ldp_core import mechanisms
from ldp_core.accounting import float_table
from ldp_core.accounting.floats import given_away
from ldp_core.mechanisms import Form, Mechanism
from tests.benchmarks.machine import described

NAMES = (
    "laplace", "piecewise", "hybrid", "gaussian", "duchi", "pdpm", "grr", "harmony", "ldpsign", "privunit",
)  # fmt: skip
SAME_NOISE = ("gaussian", "ldpsign")
"""Forms differ in the ledger alone, by the default parameters."""


def _one(name: str, form: Form) -> Mechanism:
    """Of Harmony's layer one weight is answered, whichever its values: its coin is all that counts."""
    found = mechanisms.get(name, form=form)
    return found.model_copy(update={"dimension": 1}) if name == "harmony" else found


def all_of_them() -> Iterator[tuple[Mechanism, list[Mechanism]]]:
    """Mechanisms with a law of one weight or one layer, and those that answer just as they do."""
    for name in NAMES:
        forms = [_one(name, form) for form in mechanisms.registry.kind(name).forms]
        if name in SAME_NOISE:
            yield forms[0], forms
            if name == "gaussian":
                whole = [one.for_uploads() for one in forms]
                yield whole[0], whole
        else:
            yield from ((one, [one]) for one in {float_table.key(form): form for form in forms}.values())


def main() -> None:
    lines = []
    for mechanism, alike in all_of_them():
        # atoms follow the range, so that another range makes no difference to what tells them apart
        bounded = mechanism.scope != "upload" and mechanism.at(1.0, -1.0, 1.0).edges(0.0).size
        spans = float_table.SPANS[: None if bounded else 1]
        for span in spans:
            for epsilon in float_table.EPSILONS:
                found = given_away(mechanism, epsilon, *span)
                if found.share is not None:
                    lines += [float_table.line(one, span, found, epsilon) for one in alike]
                    print(lines[-1], flush=True)
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": described(),
    }
    float_table.write(lines, about)


if __name__ == "__main__":
    main()
