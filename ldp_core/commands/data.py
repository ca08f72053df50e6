"""The command `data`: list data sets, show what is understood of one's own, or download and verify one."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from ldp_core import datasets
from ldp_core.datasets import Report, Seen, folders
from ldp_core.errors import InvalidInput, on_one_line
from ldp_core.experiment import read_json


def data(asked: str | None, report: Report) -> int:
    """List all data sets; or download one and verify each of its files."""
    root = datasets.data_dir()
    if asked:
        source = datasets.get(asked)
        source.fetch(root, report)
        source.check(root, report)
        return 0
    print(f"in {root}")
    for name in datasets.registry.labels():
        source = datasets.get(name)
        state = "here" if source.there(root) else f"{source.download / 1e6:.1f} MB to download"
        count = source.train_size + source.test_size
        print(f"{name:<24} {count:>8,} samples  {source.classes:>4} classes  {state}")
        if source.left_out:
            print(f"    {on_one_line(source.left_out)}")
    for sentence in datasets.registry.unusable():
        print(sentence)
    return 0


def show(name: str, yes: bool, report: Report) -> int:
    """Print the card of a table or folder of the data folder, or of a file with a network, an upload or
    samples, and if `yes` keep it as shown; 2 if a question stays open, or the data will not do.
    """
    if ":" not in name and Path(name).suffix:
        return _show_file(Path(name), yes)
    if name not in datasets.registry.brought():
        datasets.get(name)
        raise InvalidInput(f"{name} comes with the program, and needs no card")
    root, look = datasets.data_dir(), datasets.registry.look(name)
    if look.kind:
        datasets.give(look, root, report)
    print("\n".join(card_of(look.seen)))
    if look.refused:
        print(f"{folders.called(name)} {look.refused}", file=sys.stderr)
        return 2
    if yes:
        card = root / f"{name.partition(':')[2]}.json"
        taken = json.dumps(look.seen.taken().as_json(), ensure_ascii=False, indent=1)
        card.write_text(taken, encoding="utf-8")
        print(f"kept as {card}")
    elif look.seen.open:
        print(f"--yes takes each first answer; another one goes to {name.partition(':')[2]}.json as written")
    return 2 if look.seen.open and not yes else 0


def _show_file(file: Path, yes: bool) -> int:
    from ldp_core.door import look

    seen, card = look(file), file.with_suffix(".json")
    print("\n".join(card_of(seen)))
    if seen.open and yes and all(one["answers"] for one in seen.open):
        known = read_json(card.read_text(encoding="utf-8")) if card.exists() else {}
        stated = {"model": known} if "layers" in known else known
        first = seen.first({})
        taken = stated | ({"model": first} if "layers" in first else first)
        card.write_text(json.dumps(taken, ensure_ascii=False, indent=1), encoding="utf-8")
        print(f"kept as {card}")
        return 0
    return 2 if seen.open else 0


def card_of(seen: Seen) -> list[str]:
    """What is understood of something foreign, and asked, a line each."""
    return [*map(on_one_line, _lines(seen))]


def _lines(seen: Seen) -> Iterator[str]:
    yield from (" | ".join(row) for row in seen.rows)
    for name, kind, scale, origin in seen.columns:
        yield f"  {name}: {kind}, {scale} ({origin})"
    yield from (f"- {one}" for one in (*seen.gives, *seen.notes))
    for one in seen.questions:
        yield f"{'? ' if one['open'] else ''}{one['asks']}"
        for number, answer in enumerate(one["answers"], start=1):
            yield f"    {number}  {answer['says']}   {json.dumps(answer['card'], ensure_ascii=False)}"
