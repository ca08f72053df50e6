"""`python -m ldp_core.behaviour --record`: compute the recorded runs anew and write their results."""

import json
import sys

from ldp_core.behaviour import RECORDED
from ldp_core.behaviour.figures import differing, measured, names
from ldp_core.system.json_file import read_json


def record() -> None:
    """Print what is new or different, and write it; unchanged results keep their digits."""
    known, now = read_json(RECORDED), {name: measured(name) for name in names()}
    for name in sorted({*known, *now}):
        if name not in now or name not in known:
            print(f"{name}: {'new' if name in now else 'gone'}")
        elif different := differing(known[name], now[name]):
            print(f"{name}: {'; '.join(different)}")
        else:
            now[name] = known[name]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in sorted(now.items()))
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--record"]:
        sys.exit("usage: python -m ldp_core.behaviour --record")
    record()
