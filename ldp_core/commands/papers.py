"""The command `papers`: what the papers claim, ours beside theirs, exported or measured again."""

import argparse
from pathlib import Path

from ldp_core.datasets import Report
from ldp_core.errors import InvalidExperiment


def command_of_papers(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "--rerun", metavar="NAME", help="measure a paper's claims, or “five”; what is known stays"
    )
    added.add_argument("--only", metavar="CLAIM", help="with --rerun: one claim")
    added.add_argument(
        "--reading", metavar="NAME", help="with --only: one reading of what a paper leaves open"
    )
    added.add_argument("--seeds", type=int, metavar="N", help="with --rerun: of each arm")
    added.add_argument("--fresh", action="store_true", help="with --rerun: what is known as well")
    text = "write claims, readings, arms and controls as CSV and JSON, and BibTeX"
    added.add_argument("--export", type=Path, metavar="FOLDER", help=text)
    text = "with --rerun: where figures are kept"
    added.add_argument("--into", type=Path, metavar="FOLDER", help=text)


def papers(options: argparse.Namespace, progress: Report) -> int:
    """Print, export or measure claims. Raises StudioError: an option or a name is wrong."""
    from ldp_core.runs import claims

    if options.export is not None:
        from ldp_core.runs import of_claims

        print("\n".join(str(options.export / name) for name in of_claims.write(options.export)))
        return 0
    say, known = (lambda line: print(line, flush=True)), progress
    if options.rerun is None:
        if wrong := [
            name for name in ("only", "reading", "seeds", "fresh", "into") if getattr(options, name)
        ]:
            raise InvalidExperiment.at(f"--{wrong[0]}", "belongs to --rerun NAME")
        print("\n".join(claims.listed()))
        return 0
    if options.reading and not options.only:
        raise InvalidExperiment.at("--reading", "is one of a claim's: --only CLAIM says which")
    asked = (options.rerun, options.only, options.reading, options.seeds, options.fresh, options.into)
    claims.rerun(*asked, say=say, progress=known)
    return 0
