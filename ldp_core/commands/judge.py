"""Commands that judge: a part by its contract, a claimed ε by samples, an upload by what comes back of it."""

import argparse
import json
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldp_core.commands.options import number
from ldp_core.errors import InvalidInput, on_one_line

MOST_BYTES = 2**30
WIDTH, COLUMN = 110, 24
"""Widths of a line and of a column in characters."""
TELL_SECONDS = 5.0


def command_of_check(added: argparse.ArgumentParser) -> None:
    added.add_argument("part", metavar="PART", help="its name; or KIND:NAME, where two kinds have it")


def check(options: argparse.Namespace) -> int:
    """Print the result of each check; 1 if one fails."""
    import numpy as np

    from ldp_core.contract.promises import left_out, promises
    from ldp_core.runs import one_thread

    if why := left_out(options.part):
        print(f"no  {why}")
        return 1
    one_thread()
    failed = False
    for promise in promises(options.part):
        try:
            with np.errstate(all="ignore"), _still_at(promise.words):
                promise.check()
        except Exception as error:  # whatever the code of others does
            failed, kind = True, "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            text = on_one_line(f"{promise.words}: {kind}{error}")
            print(textwrap.fill(text, WIDTH, initial_indent="no  ", subsequent_indent="    "), flush=True)
        else:
            print(f"ok  {promise.words}", flush=True)
    return int(failed)


@contextmanager
def _still_at(words: str) -> Iterator[None]:
    """Say on stderr, every few seconds, that a check goes on."""
    done, begun = threading.Event(), time.monotonic()

    def tell() -> None:
        while not done.wait(TELL_SECONDS):
            print(f"…   {words}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


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
    own = {"epsilon": claimed, "delta": delta}
    samples = read_samples(_bytes(options.samples), MOST_BYTES, own)
    found = audit_samples(samples.inputs, samples.outputs, claimed, delta, sure, samples.worlds)
    print("\n".join(filter(None, (found.verdict, found.evidence))))
    _say("bias and variance at", [f"{one.input:g} ({one.trials} trials)" for one in found.answers])
    for label, row in beside(found, samples.inputs[0].size):
        _say(label, [f"{bias:.4g}, {variance:.4g}" for bias, variance in row])
    return int(found.refuted)


def _say(label: str, cells: list[str]) -> None:
    print(label.ljust(COLUMN), *(cell.rjust(COLUMN) for cell in cells))


def _bytes(source: str) -> bytes:
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from None


def command_of_inspect(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "upload", metavar="UPLOAD.npz", help="arrays before/… and after/…, or update/…, gradient/…"
    )
    added.add_argument(
        "--card", required=True, metavar="CARD.json", help="model, shape, classes, learning_rate, …"
    )


def inspect(options: argparse.Namespace) -> int:
    """Print the result as JSON; returns 1 if an assumption of the attack fails. Raises StudioError: the file
    or the card cannot be read.
    """
    from ldp_core import inspection
    from ldp_core.runs import one_thread

    one_thread()
    found = inspection.inspect(options.upload, options.card)
    print(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False))
    return int(any(one["holds"] is False for one in found["assumptions"]))
