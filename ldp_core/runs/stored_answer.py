"""The answer that the page Ask shows first (`python -m ldp_core presets --outcomes`)."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ldp_core.datasets import Report
from ldp_core.runs import outcomes
from ldp_core.runs.kinds.ask import designed
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.view.cells import points_of
from ldp_core.system.json_file import read_json, write_json
from ldp_core.tuning.designs import DesignRun, KnownAccuracies, next_points
from ldp_core.tuning.needs import Needs, parse_needs

NAME = "asked"
FIRST = Needs(trust="secure_sum", confirmed=True, levers=True)


class StoredAnswer(NamedTuple):
    needs: Needs
    cells: KnownAccuracies
    chance: float
    told: float | None
    stamp: Mapping[str, str]

    @property
    def current(self) -> bool:
        """Whether this version of the program would train the same."""
        return self.stamp == _stamp()


def _stamp() -> dict[str, str]:
    return outcomes.stamp([design for one in FIRST.questions for design in one.designs(one.epsilon or 1.0)])


@cache
def first_answer() -> StoredAnswer | None:
    """None if it is missing, or of other designs."""
    try:
        data = read_json(outcomes.SHIPPED / f"{NAME}.json")
        cells = {DesignRun(*point): float(accuracy) for *point, accuracy in data["cells"]}
        chance, told = float(data["chance"]), data["told"]
        found = StoredAnswer(parse_needs(data["needs"]), cells, chance, told, data["stamp"])
        return None if next_points(found.needs, cells) else found
    except (OSError, ValueError, TypeError, LookupError):
        return None


def make_answer(progress: Report) -> None:
    if (known := first_answer()) and known.current:
        print(f"{NAME}: of this version already")
        return
    one_thread()
    guessing, *events = designed(FIRST, [], progress)
    cells = [[*point, accuracy] for point, accuracy in points_of(events).items()]
    (told,) = (event["right"] for event in events if event["event"] == "told")
    body = {"needs": FIRST.as_json(), "chance": guessing["chance"], "told": told, "cells": cells}
    body |= {"stamp": _stamp()}
    write_json(outcomes.SHIPPED / f"{NAME}.json", body)
    print(f"{NAME}: {len(cells)} runs")
