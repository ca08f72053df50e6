"""Names of the commands, without what they import; `cli` has their options.

`answers` searches a design or answers by formula, `records` keeps and opens jobs, `judge` tests parts,
samples and uploads, `sweep_options` reads a sweep's settings.
"""

import argparse
from collections.abc import Mapping

MODULE, INSTALLED = "python -m ldp_core", "epsilon-studio"
COMMANDS = {
    "run": "run an experiment here and print its events as JSON lines",
    "sweep": "train many settings here; one JSON line a cell and seed",
    "submit": "put an experiment in the queue that the pages use; prints the job's id",
    "ask": "the design that learns best under a promise, or the least ε for an accuracy",
    "invert": "the ε for a noise or for a run's price, and how many clients it takes",
    "presets": "list the prepared scenarios, or show one",
    "papers": "what the papers claim, ours beside theirs; or measure it again",
    "status": "how far a job is",
    "cancel": "stop a job, queued or running",
    "resume": "take up a job that was stopped, where it stopped",
    "pin": "keep a job's record whatever happens",
    "unpin": "no longer",
    "remove": "delete a job that has ended, with its record, for good",
    "export": "write a job to a file: .zip (all), .html (a report), .py (a program), .flower.zip (an app for "
    "Flower)",
    "still": "write one page that needs no server, with stored results, or with the replays of jobs",
    "open": "make a draft of the settings in an exported file or a link",
    "data": "list the data sets; show one's own as understood; or bring one here, and look into its files",
    "runs": "list what is kept on the disk, the newest first",
    "prune": "remove the oldest records until the rest fits into the quota",
    "check": "whether a part keeps its contract: what holds; 1 if not all",
    "audit": "what a mechanism's samples show of its ε: a lower bound; 1 if its claim is refuted",
    "inspect": "what comes back of an upload that was saved elsewhere",
    "doctor": "what of all that is promised holds on this machine; 1 if something does not",
}
GONE = {
    "attack": "submit LADDER.json --kind attack puts it in the queue, and export writes its cells",
    "tune": "submit QUESTION.json --kind tune puts it in the queue, and ask finds the least ε",
    "outlook": "ldp_core.theory.outlook(experiment) says it in Python, and the page Noise",
    "allocate": "invert gives the ε for a noise, and how many clients it takes",
    "import": "open FILE makes a draft of the settings in an export, a report or a program",
}
"""What takes the place of a command that is gone."""


def parser_of(called: str) -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Parser of the command line, and that of each command, still without options."""
    words = "Federated learning under personalised local privacy."
    if called == INSTALLED:
        words += f" Without a command: the dashboard, as {called} [OPTIONS OF STREAMLIT]."
    parser = argparse.ArgumentParser(prog=called, description=words)
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")
    return parser, {name: commands.add_parser(name, help=s, description=s) for name, s in COMMANDS.items()}
