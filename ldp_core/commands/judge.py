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

from ldp_core.commands.data import card_of
from ldp_core.commands.options import number
from ldp_core.errors import InvalidInput, on_one_line

MOST_BYTES = 2**30
WIDTH = 110
"""Width of a line in characters."""
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
    text = "for all that one trial holds; not needed where a column epsilon says it"
    added.add_argument("--claimed", metavar="EPSILON", help=text)
    added.add_argument("--delta", help="claimed with it (0)")
    added.add_argument("--confidence", default="0.95", help="of the bound (0.95)")


def audit(options: argparse.Namespace) -> int:
    """Print the samples as understood, the verdict on the claimed ε, and the outputs that distinguish two
    inputs. 2 where no ε is claimed. Raises StudioError: an option or the file is invalid, or there are too
    few samples.
    """
    from ldp_core.accounting.samples import audit_samples, read_samples

    given = {"epsilon": ("claimed", options.claimed), "delta": ("delta", options.delta)}
    own = {name: number(*one) for name, one in given.items() if one[1] is not None}
    sure = number("confidence", options.confidence)
    samples = read_samples(_bytes(options.samples), MOST_BYTES, own)
    print("\n".join(card_of(samples.seen)), file=sys.stderr)
    if samples.seen.open:
        raise InvalidInput("--claimed EPSILON is missing")
    claimed, delta = (({"delta": 0.0} | dict(samples.claimed) | own)[name] for name in ("epsilon", "delta"))
    found = audit_samples(samples.inputs, samples.outputs, claimed, delta, sure, samples.worlds)
    print("\n".join(filter(None, (found.verdict, found.evidence))))
    return int(found.refuted)


def _bytes(source: str) -> bytes:
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from None


def command_of_inspect(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "upload", metavar="UPLOAD.npz", help="arrays before/… and after/…, or update/…, gradient/…"
    )
    words = "model, shape, classes, learning_rate, …; by default UPLOAD.json beside it"
    added.add_argument("--card", type=Path, metavar="CARD.json", help=words)
    added.add_argument("--yes", action="store_true", help="keep the first answer to each question there")


def inspect(options: argparse.Namespace) -> int:
    """Print the upload as understood and, unless it leaves a question open (2), the result as JSON; 1 if an
    assumption of the attack fails. Raises StudioError: the file or the card cannot be read.
    """
    from ldp_core import inspection
    from ldp_core.inspection.arrays import read_arrays
    from ldp_core.inspection.look import look
    from ldp_core.inspection.upload_card import stated
    from ldp_core.runs import one_thread

    one_thread()
    card = options.card or Path(options.upload).with_suffix(".json")
    given = stated(card) if options.card or card.exists() else {}
    seen = look(read_arrays(options.upload), given)
    print("\n".join(card_of(seen)), file=sys.stderr)
    if seen.open and options.yes:
        given = seen.first(given)
        card.write_text(json.dumps(given, indent=1), encoding="utf-8")
        print(f"kept as {card}", file=sys.stderr)
        seen = look(read_arrays(options.upload), given)
    if seen.open:
        raise InvalidInput(f"leaves open what its card says: --yes keeps each first answer as {card}")
    found = inspection.inspect(options.upload, seen.first(given))
    print(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False))
    return int(any(one["holds"] is False for one in found["assumptions"]))
