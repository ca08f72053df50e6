"""Rates of a machine, put where a worker would put those that it measures, which takes it seconds.

Else every worker of a new folder measured beside the tests. Those who ask what is measured do it themselves.
"""

import json
from dataclasses import asdict
from pathlib import Path

from ldp_core.cost.seconds import Rates

RATES = Rates(
    products=5e-10, convolutions=2.2e-10, values=8e-8, rounds=5e-3, attacks=2e-3, attacked=5e-7,
    likelihoods=1.2e-8, searches=4.6e-9, chains=1.1e-10,
)  # fmt: skip
"""Measured once on a core of the machine that the tests were written on."""


def calibrated(folder: Path) -> Path:
    """The folder of runs, made if need be, of a machine that has been measured."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "calibration.json").write_text(json.dumps(asdict(RATES)))
    return folder
