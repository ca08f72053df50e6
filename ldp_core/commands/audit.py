"""The command `audit`: test a claimed ε against samples of a mechanism."""

from __future__ import annotations

import argparse
from pathlib import Path

from ldp_core.commands.options import number
from ldp_core.errors import InvalidInput

MOST_BYTES = 2**30
WIDTH = 24


def command_of_audit(added: argparse.ArgumentParser) -> None:
    columns = "[trial,] input, output[, coordinate, round, world]; without trial a row is one"
    added.add_argument("samples", metavar="SAMPLES.csv", help=f"columns {columns}")
    added.add_argument("--claimed", required=True, metavar="EPSILON", help="for all that one trial holds")
    added.add_argument("--delta", default="0", help="claimed with it (0)")
    added.add_argument("--confidence", default="0.95", help="of the bound (0.95)")


def audit(options: argparse.Namespace) -> int:
    """Print the verdict on the claimed ε, the outputs that distinguish two inputs, and bias and variance
    beside those of the built-in mechanisms. Raises StudioError: an option or the file is invalid, or there
    are too few samples.
    """
    from ldp_core.accounting.samples import audit_samples, beside, read_samples

    claimed, delta, sure = (
        number(name, getattr(options, name)) for name in ("claimed", "delta", "confidence")
    )
    samples = read_samples(_bytes(options.samples), MOST_BYTES)
    found = audit_samples(samples.inputs, samples.outputs, claimed, delta, sure, samples.worlds)
    print("\n".join(filter(None, (found.verdict, found.evidence))))
    _say("bias and variance at", [f"{one.input:g} ({one.trials} trials)" for one in found.answers])
    for label, row in beside(found, samples.inputs[0].size):
        _say(label, [f"{bias:.4g}, {variance:.4g}" for bias, variance in row])
    return int(found.refuted)


def _say(label: str, cells: list[str]) -> None:
    print(label.ljust(WIDTH), *(cell.rjust(WIDTH) for cell in cells))


def _bytes(source: str) -> bytes:
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from None
