"""The command line: run an experiment here, or through the queue that the pages use."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ldp_core.datasets import Step, Told
from ldp_core.errors import InvalidExperiment, Problem, StudioError, on_one_line
from ldp_core.experiment import Draft, Experiment, changed, loads, parse_draft, read_json
from ldp_core.experiment.attack_grid import Ladder, parse_ladder

MOST_CHARACTERS = 50_000_000
"""Of an experiment: the budgets and ranges of as many clients as there may be take a fifth of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0, or 2 with one sentence on stderr for bad input."""
    options = _parser().parse_args(arguments)
    if sys.stdout is None:
        print(f"ldp_core {options.name}: cannot write: there is no standard output", file=sys.stderr)
        return 2
    try:
        code: int = options.command(options)
        sys.stdout.flush()
        return code
    except StudioError as error:
        print(f"ldp_core {options.name}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `… | head` has read enough
        _silence()
        return 0
    except KeyboardInterrupt:
        print(f"ldp_core {options.name}: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"ldp_core {options.name}: cannot write ({error.strerror})", file=sys.stderr)
        _silence()
        return 2


def _silence() -> None:
    """Send what is still buffered nowhere, or Python would complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(options: argparse.Namespace) -> int:
    experiment = _experiment(options)
    from ldp_core.runs.lockstep import drive, one_thread

    one_thread()
    for turn in drive({0: experiment}, told=_on_stderr()):
        for event in turn.events:
            print(json.dumps(event, allow_nan=False), flush=True)
    return 0


def _presets(options: argparse.Namespace) -> int:
    from ldp_core import presets

    if options.show is None:
        print("\n".join(presets.names()))
        return 0
    draft = presets.get(options.show).draft
    if options.variants:
        for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
            print(json.dumps(changed(experiment, {"name": variant.label}).as_json()))
    else:
        print(json.dumps(draft.base.as_json(), indent=2))
    return 0


def _submit(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    if options.kind == "attack":
        print(jobs.submit_ladder(_ladder(options)))
    else:
        print(jobs.submit(_draft(options)))
    return 0


def _attack(options: argparse.Namespace) -> int:
    ladder = _ladder(options)
    from ldp_core.leakage.grid import climb
    from ldp_core.runs.lockstep import load, one_thread

    one_thread()
    for event in climb(ladder, load(ladder.base.dataset, _on_stderr())):
        print(json.dumps(event.as_json(), allow_nan=False), flush=True)
    return 0


def _status(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    state = jobs.status(options.id)
    if options.json:
        print(json.dumps(state))
    elif state["kind"] == "attack":
        reason = f": {state['message']}" if state["message"] else ""
        print(f"{state['status']}, {state['cells']} of {state['cells_in_all']} cells{reason}")
    else:
        accuracy = "" if state["accuracy"] is None else f", accuracy {state['accuracy']:.1%}"
        reason = f": {state['message']}" if state["message"] else ""
        place = state["doing"] or f"round {state['round']} of {state['rounds']}"
        if state["status"] == "queued":
            place = f"{state['ahead']} jobs before it" if state["ahead"] != 1 else "1 job before it"
        print(f"{state['status']}, {place}{accuracy}{reason}")
    return 0


def _cancel(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    print(jobs.cancel(options.id).status)
    return 0


def _resume(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    print(jobs.resume(options.id).status)
    return 0


def _data(options: argparse.Namespace) -> int:
    from ldp_core import datasets

    root = datasets.data_dir()
    if options.dataset:
        datasets.get(options.dataset).fetch(root, _on_stderr())
        return 0
    print(f"in {root}")
    for name in datasets.registry.labels():
        source = datasets.get(name)
        state = "here" if source.there(root) else f"{source.download / 1e6:.1f} MB to download"
        count = source.train_size + source.test_size
        print(f"{name:<24} {count:>8,} samples  {source.classes:>4} classes  {state}")
    for sentence in datasets.registry.unusable():
        print(sentence)
    return 0


def _on_stderr() -> Told:
    """Tells progress on stderr: as a line that is written over on a terminal, once a step elsewhere."""
    told = {"doing": ""}

    def tell(step: Step) -> None:
        if sys.stderr.isatty():
            print(f"\r{step}\x1b[K", end="", file=sys.stderr, flush=True)
        elif step.doing != told["doing"]:
            print(step, file=sys.stderr, flush=True)
        told["doing"] = step.doing

    return tell


def _runs(options: argparse.Namespace) -> int:
    from ldp_core.runs.record import quota
    from ldp_core.runs.view.listing import listed

    kept = {one.job.id: one for one in quota.kept()}
    for one in listed(most=10_000):
        if on_disk := kept.get(one.job.id):
            mark = "pinned" if on_disk.pinned else ""
            size, name = f"{on_disk.size / 1e6:9.1f} MB", on_one_line(one.name)
            print(f"{one.job.id}  {size}  {one.state:<11}  {mark:<6}  {name}")
    return 0


def _remove(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.remove(options.id)
    print(f"removed {options.id}")
    return 0


def _prune(options: argparse.Namespace) -> int:
    from ldp_core.runs.record import quota

    if options.to is not None and not 0 <= options.to <= quota.MOST_GB:
        raise InvalidExperiment([Problem("--to", f"takes gigabytes, 0 or more; got {options.to:g}")])
    removed = quota.prune(None if options.to is None else int(options.to * 1e9))
    for one in removed:
        print(f"removed {one.job.id}, {one.size / 1e6:.1f} MB")
    print(f"{quota.taken() / 1e6:.1f} MB are kept")
    return 0


def _pin(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.pin(options.id, on=options.name == "pin")
    return 0


def _experiment(options: argparse.Namespace) -> Experiment:
    return changed(loads(_text(options.experiment)), _changes(options.set))


def _draft(options: argparse.Namespace) -> Draft:
    """A draft (base, variants, seeds) or a bare experiment, from a file."""
    draft = parse_draft(read_json(_text(options.experiment)))
    return draft.with_base(_changes(options.set))


def _ladder(options: argparse.Namespace) -> Ladder:
    """An attacker's ladder from a file; `--set` changes its fields, `base.…` those of its experiment."""
    data = read_json(_text(options.experiment))
    if isinstance(data, dict):
        for path, value in _changes(options.set).items():
            *parents, last = path.split(".")
            where: Any = data
            for name in parents:
                where = where.setdefault(name, {}) if isinstance(where, dict) else None
            if not isinstance(where, dict):
                raise InvalidExperiment([Problem(path, "is not a field of a ladder")])
            where[last] = value
    return parse_ladder(data)


def _text(source: str) -> str:
    """The contents of a file, or of stdin for "-"."""
    if source == "-" and sys.stdin is None:
        raise InvalidExperiment([Problem("", "cannot read -: there is no standard input")])
    try:
        with nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InvalidExperiment([Problem("", f"cannot read {source}: {reason}")]) from None
    if len(text) > MOST_CHARACTERS:
        message = f"cannot read {source}: it is longer than {MOST_CHARACTERS // 10**6} million characters"
        raise InvalidExperiment([Problem("", message)])
    return text


def _changes(pairs: Sequence[str]) -> dict[str, Any]:
    """`rounds=5 mechanism.name=duchi` as a dict; values are JSON, or else bare words."""
    changes = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise InvalidExperiment([Problem("--set", f"takes NAME=VALUE, like rounds=5; got “{pair}”")])
        try:
            changes[name] = json.loads(value)
        except (ValueError, RecursionError):
            changes[name] = value
    return changes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ldp_core", description="Federated learning under personalised local privacy."
    )
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")

    def command(name: str, function: Any, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=function)
        return added

    for name, function, text in (
        ("run", _run, "run an experiment here and print its events as JSON lines"),
        ("submit", _submit, "put an experiment in the queue that the pages use; prints the job's id"),
    ):
        added = command(name, function, text)
        added.add_argument("experiment", metavar="EXPERIMENT.json", help="a JSON file, or - for stdin")
        added.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", action="extend")
        if name == "submit":
            added.add_argument("--kind", choices=("run", "attack"), default="run", help="run by default")
    added = command("attack", _attack, "climb an attacker's ladder here and print its cells as JSON lines")
    added.add_argument("experiment", metavar="LADDER.json", help="a JSON file, or - for stdin")
    added.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", action="extend")
    added = command("presets", _presets, "list the prepared scenarios, or show one")
    added.add_argument("--show", metavar="NAME", help="print its base experiment")
    added.add_argument("--variants", action="store_true", help="with --show: one experiment a line")
    added = command("status", _status, "how far a job is")
    added.add_argument("id")
    added.add_argument("--json", action="store_true", help="as JSON")
    added = command("cancel", _cancel, "stop a job, queued or running")
    added.add_argument("id")
    added = command("data", _data, "list the data sets, or download one ahead of its first use")
    added.add_argument("dataset", nargs="?", metavar="NAME")
    command("runs", _runs, "list what is kept on the disk, the newest first")
    added = command("prune", _prune, "remove the oldest records until the rest fits into the quota")
    added.add_argument("--to", type=float, metavar="GB", help="instead of the quota (EPSILON_QUOTA_GB)")
    for name, text in (("pin", "keep a job's record whatever happens"), ("unpin", "no longer")):
        added = command(name, _pin, text)
        added.add_argument("id")
    added = command("remove", _remove, "delete a job that has ended, with its record, for good")
    added.add_argument("id")
    added = command("resume", _resume, "take up a job that was stopped, where it stopped")
    added.add_argument("id")
    return parser
