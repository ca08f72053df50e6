"""The command line: run an experiment in this process, or through the queue of jobs."""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from ldp_core import presets
from ldp_core.commands import GONE, MODULE, dashboard, parser_of, records, sweep_options
from ldp_core.commands.answers import ask, command_of_ask, command_of_invert, invert
from ldp_core.commands.data import card_of, data, show
from ldp_core.commands.judge import (
    audit,
    check,
    command_of_audit,
    command_of_check,
    command_of_inspect,
    inspect,
)
from ldp_core.commands.options import add_experiment
from ldp_core.commands.papers import command_of_papers, papers
from ldp_core.commands.records import command_of_open, open_file
from ldp_core.datasets import Report, Step
from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.experiment import Experiment, amended, changed, departures, plan, read_json, typed_changes
from ldp_core.settings import markdown, refuse_nonsense

MOST_CHARACTERS = 50_000_000
"""Largest length of an experiment's JSON; the largest number of clients takes a fifth of it."""
ON_RUNS = (
    "submit", "status", "cancel", "resume", "pin", "unpin", "remove", "export", "still", "runs", "prune",
    "doctor",
)  # fmt: skip
"""Commands that open the folder of runs."""


def main(arguments: Sequence[str] | None = None, called: str = MODULE) -> int:
    """Run a command; exit code 0; 1 if a run diverged or failed; 2, with a sentence, for bad input; 3
    for a fault of this program.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in GONE:
        print(f"{called} {given[0]} is gone: {GONE[given[0]]}", file=sys.stderr)
        return 2
    options = _parser(called).parse_args(arguments)
    own = f"{called.removeprefix('python -m ')} {options.name}"
    if sys.stdout is None:
        print(f"{own}: cannot write: there is no standard output", file=sys.stderr)
        return 2
    try:
        if options.command is not _doctor:  # which reports them all
            refuse_nonsense()
        if options.name in ON_RUNS:
            _delete_expired()
        code: int = options.command(options)
        sys.stdout.flush()
        return code
    except StudioError as error:
        print(f"{own}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `… | head` has read enough
        _silence()
        return 0
    except KeyboardInterrupt:
        print(f"{own}: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"{own}: cannot write ({error.strerror})", file=sys.stderr)
        _silence()
        return 2
    except Exception:  # 1 is a verdict
        traceback.print_exc()
        return 3


def _silence() -> None:
    """Redirect buffered output to nowhere, so that Python does not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _delete_expired() -> None:
    """Delete visitors' data and classes whose time is over: there may be no server that does."""
    from ldp_core.runs import inventory, own_data

    for sweep in (inventory.sweep, own_data.sweep):
        with suppress(StudioError, OSError):
            sweep()


def _run(options: argparse.Namespace) -> int:
    experiment = _experiment(options)
    from ldp_core.runs import drive, one_thread

    one_thread()
    status = ""
    for turn in drive({0: experiment}, report=_on_stderr()):
        for event in turn.events:
            print(json.dumps(event, allow_nan=False), flush=True)
            status = event.get("status", status)
    return 0 if status == "completed" else 1


def _presets(options: argparse.Namespace) -> int:
    if options.outcomes is not None:
        from ldp_core.runs import stored_ladder

        stored_ladder.make_all(options.outcomes, _on_stderr())
    elif options.show is None:
        print("\n".join(presets.names()))
    if options.outcomes is not None or options.show is None:
        return 0
    draft = presets.get(options.show).draft
    if not options.variants:
        print(json.dumps(draft.base.as_json(), indent=2))
        for one in departures(draft.base):
            print(f"not as in the paper: {one}", file=sys.stderr)
        return 0
    for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
        print(json.dumps(changed(experiment, {"name": variant.label}).as_json()))
    return 0


def _submit(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    asked = _asked(options, options.kind)
    identity = jobs.launch(options.kind, asked)
    if options.kind == "sweep":
        _estimate(options.kind, asked)
    print(identity)
    return 0


def _sweep(options: argparse.Namespace) -> int:
    sweep = _asked(options, "sweep")
    from ldp_core.runs import cell_body, kinds, one_thread, train_all

    kinds.get("sweep").refuse_what_cannot_fit(sweep)
    _estimate("sweep", sweep)
    one_thread()
    lost = 0
    for number, figures in train_all.train_all([cell.experiment for cell in sweep.cells], _on_stderr()):
        body = cell_body(number, sweep.cells[number], figures.as_json())
        print(json.dumps(body, allow_nan=False), flush=True)
        lost += figures.status != "completed"
    return 1 if lost else 0


def _estimate(kind: str, asked: Any) -> None:
    from ldp_core.runs import kinds, rates

    cost = kinds.get(kind).cost(asked)
    if known := rates():
        print(f"{len(cost.work)} runs, about {cost.seconds(known):.0f} s on this machine", file=sys.stderr)


def _status(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    jobs.look_twice(options.id)
    state = jobs.status(options.id)
    if options.json:
        print(json.dumps(state))
        return 0
    counts = {"rounds": "round {round} of {rounds}", "cells": "{cells} of {cells_in_all} cells"}
    far = (words.format(**state) for name, words in counts.items() if name in state)
    place = state["doing"] or next(far, f"{state['runs']} runs" if "runs" in state else "")
    if state["status"] == "queued":
        place = f"{state['ahead']} jobs before it" if state["ahead"] != 1 else "1 job before it"
    accuracy = f", accuracy {state['accuracy']:.1%}" if state.get("accuracy") is not None else ""
    reason = f": {state['message']}" if state["message"] else ""
    print(f"{state['status']}{place and f', {place}'}{accuracy}{reason}")
    return 0


def _change(options: argparse.Namespace) -> int:
    from ldp_core.runs import jobs

    print({"cancel": jobs.cancel, "resume": jobs.resume}[options.name](options.id).status)
    return 0


def _export(options: argparse.Namespace) -> int:
    from ldp_core.runs import carry

    print(f"{options.out}: {carry.written(options.id, Path(options.out))}")
    return 0


def _papers(options: argparse.Namespace) -> int:
    return papers(options, _on_stderr())


def _data(options: argparse.Namespace) -> int:
    if options.show:
        return show(options.show, options.yes, _on_stderr())
    return data(options.dataset, _on_stderr())


def _on_stderr() -> Report:
    """Progress on stderr: an updated line on a terminal, a line per step elsewhere."""
    shown_last = {"doing": ""}

    def tell(step: Step) -> None:
        if sys.stderr.isatty():
            print(f"\r{step}\x1b[K", end="", file=sys.stderr, flush=True)
        elif step.doing != shown_last["doing"]:
            print(step, file=sys.stderr, flush=True)
        shown_last["doing"] = step.doing

    return tell


def _doctor(options: argparse.Namespace) -> int:
    from ldp_core.doctor import doctor
    from ldp_core.runs import write_brought_rounds

    if options.settings or options.rounds:
        print(markdown() if options.settings else write_brought_rounds(options.rounds))
    return 0 if options.settings or options.rounds else doctor()


def _experiment(options: argparse.Namespace) -> Experiment:
    return _with_its_layers(amended(read_json(_text(options.experiment)), typed_changes(options.set)))


def _with_its_layers(experiment: Experiment) -> Experiment:
    """The experiment, after its listed layers are said on stderr as understood."""
    from ldp_core.door import network

    seen = network(experiment.model, plan(experiment).source)
    if seen and experiment.model.given_by:
        print("\n".join(card_of(seen)), file=sys.stderr)
    return experiment


def _asked(options: argparse.Namespace, kind: str) -> Any:
    """Request of a kind of job from a file, with `--set` applied."""
    from ldp_core.runs import kinds

    made = kinds.get(kind)
    data = read_json(_text(options.experiment))
    if kind == "sweep":
        data = sweep_options.swept(data, options)
    elif option := sweep_options.given(options):
        raise InvalidExperiment.at(option, "belongs to a sweep (--kind sweep)")
    asked = made.read(data, typed_changes(options.set))
    if base := getattr(getattr(asked, "draft", asked), "base", None):
        _with_its_layers(base)
    return asked


def _text(source: str) -> str:
    """Content of a file, or of stdin for "-"."""
    if source == "-" and sys.stdin is None:
        raise InvalidExperiment.at("", "cannot read -: there is no standard input")
    try:
        with nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        if source in presets.names():
            reason = f"{reason}; that is a prepared scenario: `presets --show {source}` prints its experiment"
        raise InvalidExperiment.at("", f"cannot read {source}: {reason}") from None
    if len(text) > MOST_CHARACTERS:
        message = f"cannot read {source}: it is longer than {MOST_CHARACTERS // 10**6} million characters"
        raise InvalidExperiment.at("", message)
    return text


def _parser(called: str = MODULE) -> argparse.ArgumentParser:
    parser, commands = parser_of(called)

    def command(name: str, function: Any) -> argparse.ArgumentParser:
        commands[name].set_defaults(command=function)
        return commands[name]

    for name, function in (("run", _run), ("sweep", _sweep), ("submit", _submit)):
        add_experiment(command(name, function))
    added = commands["submit"]
    added.add_argument("--kind", default="run", help="run (by default), attack, sweep, tune or claim")
    command_of_ask(command("ask", ask))
    command_of_invert(command("invert", invert), _experiment)
    for name in ("sweep", "submit"):
        sweep_options.add_options(commands[name])
    added = command("presets", _presets)
    added.add_argument("--show", metavar="NAME", help="print its base experiment")
    added.add_argument("--variants", action="store_true", help="with --show: one experiment a line")
    text = "train these scenarios (by default all that Start shows) and store what they come to, for Start"
    added.add_argument("--outcomes", nargs="*", metavar="NAME", help=text)
    command_of_papers(command("papers", _papers))
    for name, function in (
        *(("status", _status), ("cancel", _change), ("resume", _change), ("export", _export)),
        *(("pin", records.pin), ("unpin", records.pin), ("remove", records.remove)),
    ):
        command(name, function).add_argument("id")
    commands["status"].add_argument("--json", action="store_true", help="as JSON")
    commands["export"].add_argument("--out", required=True, metavar="FILE.zip")
    dashboard.command_of_still(command("still", dashboard.still))
    command_of_open(command("open", open_file))
    added = command("data", _data)
    added.add_argument("dataset", nargs="?", metavar="NAME")
    added.add_argument("--show", metavar="NAME", help="what is understood of a table, folder or file")
    added.add_argument("--yes", action="store_true", help="with --show: keep its card as shown")
    command("runs", records.runs)
    added = command("prune", records.prune)
    added.add_argument("--to", type=float, metavar="GB", help="instead of the quota (EPSILON_QUOTA_GB)")
    command_of_check(command("check", check))
    command_of_audit(command("audit", audit))
    command_of_inspect(command("inspect", inspect))
    added = command("doctor", _doctor)
    added.add_argument("--settings", action="store_true", help="list what can be set in the environment")
    added.add_argument(
        "--rounds", type=Path, metavar="FOLDER", help="write old rounds measured elsewhere there"
    )
    return parser
