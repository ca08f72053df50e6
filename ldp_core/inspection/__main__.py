"""`python -m ldp_core.inspection`: inspection of an upload in a process of its own, for a server without
torch. Stdin: length of the card in bytes as a line of digits, the card, the npz file. Stdout: the result as
JSON, or `{"refused": sentence}`.
"""

import json
import sys

from ldp_core.errors import StudioError
from ldp_core.experiment import read_json
from ldp_core.inspection import inspect
from ldp_core.system.threads import one_thread

MOST_BYTES = 64_000_000


def main() -> None:
    given = sys.stdin.buffer
    length = int(given.readline())
    card, upload = given.read(length), given.read()
    try:
        with one_thread():
            found = inspect(upload, read_json(card.decode()), MOST_BYTES)
    except UnicodeDecodeError:
        found = {"refused": "the card is no text: save it as JSON in UTF-8"}
    except StudioError as error:
        found = {"refused": str(error)}
    print(json.dumps(found, allow_nan=False))


if __name__ == "__main__":
    main()
