"""Commands on the records of jobs kept on the disk; and `open`: an exported file's settings as a draft."""

import argparse
import sys
from pathlib import Path

from ldp_core.errors import InvalidExperiment, InvalidInput, on_one_line
from ldp_core.settings import PUBLIC_URL

AT_HOME = "http://localhost:8501"


def command_of_open(added: argparse.ArgumentParser) -> None:
    added.add_argument("source", metavar="FILE|LINK", help="a ZIP, a report or a program; or a shared link")


def open_file(options: argparse.Namespace) -> int:
    """Print the address of the draft, and on stderr how long training takes. Raises StudioError: the file or
    link holds no settings that this version can use.
    """
    from ldp_core.cost.estimate import cost
    from ldp_core.runs import Training, carry, drafts, jobs, kinds, rates

    source = options.source
    try:
        if "?" in source and not Path(source).is_file():
            found = carry.settings_at(source)
        else:
            with Path(source).open("rb") as stream:
                found = carry.settings_in(stream)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(source)} cannot be read ({error.strerror})") from error
    identity, page = drafts.new(found.draft), "train"
    if found.ladder:
        drafts.keep_ladder(identity, found.ladder)
        page = "attack"
    elif kinds.is_known("run", Training(found.draft, reference=True)):
        jobs.submit(found.draft, identity, reference=True)
        print("trained here before: it is shown at once", file=sys.stderr)
    elif known := rates():
        seconds = cost(found.draft).seconds(known)
        print(f"to train it takes about {seconds:.0f} s on this machine", file=sys.stderr)
    print(f"{(PUBLIC_URL.value() or AT_HOME).rstrip('/')}/{page}?draft={identity}")
    return 0


def runs(options: argparse.Namespace) -> int:
    from ldp_core.runs import inventory, listed, quota

    kept = {one.job.id: one for one in quota.kept()}
    for one in listed(most=10_000):
        if on_disk := kept.get(one.job.id):
            mark = "pinned" if on_disk.job.pinned else ""
            size, name = f"{on_disk.size / 1e6:9.1f} MB", on_one_line(one.in_words())
            print(f"{one.job.id}  {size}  {one.state:<11}  {mark:<6}  {name}")
    for kind, (count, left) in inventory.taken().items():
        print(f"{count:>12}  {left / 1e6:9.1f} MB  {inventory.KINDS[kind].what}")
    return 0


def remove(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.delete(options.id, for_good=True)
    print(f"removed {options.id}")
    return 0


def prune(options: argparse.Namespace) -> int:
    from ldp_core.runs import inventory, quota

    if options.to is not None and not 0 <= options.to <= 1e9:
        raise InvalidExperiment.at("--to", f"takes gigabytes, 0 or more; got {options.to:g}")
    limit = quota.most_bytes() if options.to is None else int(options.to * 1e9)
    removed = quota.prune(limit)
    for one in removed:
        print(f"removed {one.job.id}, {one.size / 1e6:.1f} MB")
    records = quota.taken()
    for entry in inventory.free(limit - records):
        print(f"removed of the {inventory.KINDS[entry.kind].what}: {entry.id}, {entry.size / 1e6:.1f} MB")
    left = records + sum(size for _, size in inventory.taken().values())
    print(f"{left / 1e6:.1f} MB are kept, {records / 1e6:.1f} MB of them records of runs")
    return 0


def pin(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.pin(options.id, on=options.name == "pin")
    return 0
