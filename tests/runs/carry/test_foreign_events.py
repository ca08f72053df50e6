"""Events that come from outside are typed, and come in the order in which a run records them."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import Any

import pytest

from ldp_core.events import event_of
from ldp_core.runs import kinds
from tests.runs.carry.foreign import Body, edited, events_in, files_of, refused, with_job

pytestmark = pytest.mark.usefixtures("runs_dir")
KINDS = kinds.names()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value but in what follows from the request anyway; of a list, its first two."""
    if path:
        yield path
    inner = enumerate(value[:2]) if isinstance(value, list) else ()
    for name, one in value.items() if isinstance(value, dict) else inner:
        if name not in ("experiment", "ladder", "departures"):
            yield from places(one, (*path, name))


def put(body: Body, path: tuple[Any, ...], value: Any) -> Body:
    body = deepcopy(body)
    reduce(getitem, path[:-1], body)[path[-1]] = value
    return body


@pytest.mark.parametrize("kind", KINDS)
def test_no_field_takes_another_type(kind: str):
    """`"status": [null]`, `"epsilon": [null]`, `"value": "=1+1"` tore the pages of such records."""
    made, listed = kinds.get(kind), events_in(files_of(kind))
    asked = made.parse(json.loads(files_of(kind)["job.json"])["request"])
    known = made.telling(asked, list(made.recorded(asked))).kinds
    seen = {(body["event"], body.get("upload"), body.get("control")): body for body in listed}
    for body in seen.values():
        del body["run"], body["at"]
        assert event_of(body, known).as_json() == body
        for path in places(body):
            for value in ([None], {"": [None]}, float("inf"), "x" * 10**6 + "x"):
                with pytest.raises((ValueError, LookupError)):
                    event_of(put(body, path, value), known)
        with pytest.raises(ValueError, match="no "):
            event_of(body | {"more": 1}, known)


Change = Callable[[list[Body]], Any]


def at(kind: str, *path: Any, value: Any) -> Change:
    """An edit: the first event of a kind, with another value at a place."""

    def edit(listed: list[Body]) -> None:
        number = next(n for n, body in enumerate(listed) if body["event"] == kind)
        listed[number] = put(listed[number], path, value)

    return edit


def dropped(kind: str) -> Change:
    return lambda listed: listed.remove(next(body for body in listed if body["event"] == kind))


def test_a_cell_that_cannot_run_is_none():
    files = files_of("sweep")
    request = json.loads(files["job.json"])["request"]
    request["sweep"]["grid"] = {"clients.epsilon": [1, "garbage"]}

    def change(listed: list[Body]) -> None:
        for body in listed:
            body["set"]["clients.epsilon"] = [1, "garbage"][body["cell"] % 2]

    refused(edited(with_job(files, request=request), change), "makes no sense")


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("run", lambda listed: [listed[0], *listed]),
        ("run", lambda listed: listed[1:]),
        ("run", lambda listed: [*listed, listed[-1]]),
        ("run", dropped("round")),
        ("run", dropped("target")),
        ("run", dropped("attack")),
        ("run", at("start", "key", value="0" * 12)),
        ("run", at("start", "accuracy_per_class", value=[0.5])),
        ("run", at("start", "run", value=9)),
        ("run", at("start", "run", value=-1)),
        ("run", at("start", "at", value="yesterday")),
        ("run", at("target", "client", value=99)),
        ("run", at("round", "round", value=7)),
        ("run", at("attack", "client", value=99)),
        ("run", at("frame", "iterations", value=2_000)),
        ("run", lambda listed: [body for body in listed if body["event"] != "attack" or body["run"] != 1]),
        ("run", at("attack", "image", "shape", value=[2, 32])),
        ("run", at("attack", "image", "pixels", value="AAAA")),
        ("run", at("attack", "image", "pixels", value="§")),
        ("run", at("end", "ledger", value=[])),
        ("run", at("end", "held_out", value=1)),
        ("run", at("end", "round", value=1)),
        ("run", at("end", "measured", 0, "client", value=99)),
        ("run", at("end", "measured", 0, "epsilon_lower", value=0)),
        ("attack", lambda listed: listed[1:]),
        ("attack", dropped("reference")),
        ("attack", dropped("cell")),
        ("attack", lambda listed: [body.pop("verdict", None) for body in listed] and None),
        ("attack", at("cell", "mechanism", value="hybrid")),
        ("attack", at("cell", "epsilon", value=3)),
        ("attack", at("cell", "n", value=0)),
        ("attack", at("guess", "iterations", value=2_000)),
        ("attack", at("ladder", "knows", value={})),
        ("sweep", lambda listed: [*listed, listed[0]]),
        ("sweep", at("cell", "cell", value=4)),
        ("sweep", at("cell", "set", value={"clients.epsilon": 3})),
        ("sweep", at("cell", "seed", value=3)),
        ("sweep", at("cell", "accuracy", value=None)),
        ("sweep", at("cell", "key", value="0" * 12)),
        ("tune", dropped("cell")),
        ("tune", at("cell", "half", value=3.0)),
        ("tune", at("cell", "accuracy", value=None)),
        ("tune", at("answer", "half", value=3.0)),
        ("claim", at("cell", "key", value="0" * 12)),
    ],
)
def test_what_cannot_have_been_told_is_refused(kind: str, change: Change):
    refused(edited(files_of(kind), change), "makes no sense")
