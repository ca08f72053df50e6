"""Commands on the records of jobs that are kept on the disk."""

import argparse

from ldp_core.errors import InvalidExperiment, on_one_line


def runs(options: argparse.Namespace) -> int:
    from ldp_core.runs import listed, quota

    kept = {one.job.id: one for one in quota.kept()}
    for one in listed(most=10_000):
        if on_disk := kept.get(one.job.id):
            mark = "pinned" if on_disk.job.pinned else ""
            size, name = f"{on_disk.size / 1e6:9.1f} MB", on_one_line(one.in_words())
            print(f"{one.job.id}  {size}  {one.state:<11}  {mark:<6}  {name}")
    return 0


def remove(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.delete(options.id, for_good=True)
    print(f"removed {options.id}")
    return 0


def prune(options: argparse.Namespace) -> int:
    from ldp_core.runs import quota

    if options.to is not None and not 0 <= options.to <= 1e9:
        raise InvalidExperiment.at("--to", f"takes gigabytes, 0 or more; got {options.to:g}")
    removed = quota.prune(None if options.to is None else int(options.to * 1e9))
    for one in removed:
        print(f"removed {one.job.id}, {one.size / 1e6:.1f} MB")
    print(f"{quota.taken() / 1e6:.1f} MB are kept")
    return 0


def pin(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.pin(options.id, on=options.name == "pin")
    return 0
