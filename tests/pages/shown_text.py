"""Runs of different kinds, and what a visitor reads of them on pages, in the report and on the card."""

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from itertools import product
from pathlib import Path
from sqlite3 import connect
from types import NoneType
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import Job, drafts, queue
from ldp_core.runs.carry.card import as_card, card_picture
from ldp_core.runs.carry.html_report import figures, ledger
from ldp_core.runs.carry.training import variants
from tests.conftest import ROOT
from tests.runs.in_process import record_of, trained
from tests.runs.processes import PATIENCE_SECONDS

CLIENTS: dict[str, Any] = {"count": 6, "epsilon": 4.0, "range": 0.1}
SMALL: dict[str, Any] = {"clients": CLIENTS, "target": "update", "rounds": 2, "attack": None, "seed": 41}
WHOLE = {**CLIENTS, "epsilon_scope": "run", "epsilon": 2.0}
STOPPED = 2  # the round after which the job of this name ends
TABLE = "".join(f"{i % 7},{(i * 5) % 11},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(120))
ATTACKED: dict[str, Any] = {"attack": {"clients": [1, 2]}}
LEARNS: dict[str, Any] = {
    "clients": {"count": 6, "epsilon": [0.5, 4.0, 4.0, 64.0, 64.0, 64.0], "range": 0.5},
    "target": "weights",
    "rounds": 4,
}
AGGREGATORS: dict[str, Any] = {"mean": {}, "inverse": {"aggregator.name": "inverse_variance"}}
TRUSTS: dict[str, Any] = {
    one.replace("_", " "): {"trust.kind": one} for one in ("local", "shuffled", "secure_sum", "central")
}
ONE_MESSAGE = {"target": "class_means", "features": "orientation", "selection": "once", "rounds": 1}
MEANS: dict[str, Any] = ONE_MESSAGE | {"mechanism": "labelunit", "clients": {"count": 200, "epsilon": 8.0}}
SYSTEMS = {one: {"system.name": one, "dataset": "digits", "rounds": 2} for one in ("pldp_fl", "pd_ldpfl")}
LADDER = {
    f"{name} ε {epsilon:g}": {"mechanism.name": name, "clients.epsilon": epsilon}
    for name, epsilon in product(("duchi", "piecewise"), (1.0, 8.0, 64.0))
}
REAL = {
    "attack": {"clients": [1, 2], "uploads": "real"},
    "clients": {**CLIENTS, "count": 100},
    "model": "mlp",
    "mechanism": "none",
    "local": {"epochs": 1, "batch_size": 20},
}
HEAP = {"clients": {**WHOLE, "epsilon": 600.0}, "rounds": 1, "trust": "shuffled", "attack": {"clients": [2]}}
FAINT = {"clients": {**CLIENTS, "epsilon": 0.1}}
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "trusts at ε 1": ({"clients": {**WHOLE, "epsilon": 1.0}}, TRUSTS, 2),
    "trusts at ε 8": ({"clients": {**WHOLE, "epsilon": 8.0}}, TRUSTS, 2),
    "no mechanism": ({**ATTACKED, "mechanism": "none"}, {"plain": {}}, 1),
    "one client": ({"attack": {}, "clients": {**CLIENTS, "count": 1}}, {"alone": {}}, 2),
    "diverged": ({"target": "weights"}, {"steady": {}, "wild": {"local.learning_rate": 1e5}}, 1),
    "stopped": (LEARNS, AGGREGATORS, 2),
    "three seeds": ({**LEARNS, **ATTACKED}, AGGREGATORS, 3),
    "nothing learns": (FAINT, {"first": {}, "second": {"mechanism.name": "laplace"}}, 2),
    "two systems": ({}, SYSTEMS, 1),
    "class means": (MEANS, {"means": {}, "strict": {"clients.epsilon": 2.0}}, 2),
    "shuffler": (HEAP, {"heap": {}}, 1),
    "several ε": (ATTACKED, LADDER, 1),
    "real uploads": (REAL, {"solo": {"attack.clients": [1]}, "duet": {}}, 1),
    "own table": ({"dataset": "table:sheet"}, {"mean": {}, "exact": {"mechanism.name": "none"}}, 2),
}
NUMBER = r"(?<![\w.,/·])(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?![\d.]*\d)"
RAW = re.compile(r"(?<![\w.])\d+(?:\.\d+)?[eE][+-]?\d{2}\b|\bnan\b|\binf\b|\b0\.(?!\d)|%\{\w+:[^}]*[eg]\}")
"""Numbers as Python or a chart's exponents print them, which no visitor reads."""
UNREAD = re.compile(
    "id|bdata|dtype|pixels|token|keys|ticktext|deferredFileId|rawValues|code|(js|css|html)Content|componentName"
    "|codeText|url|options|format|steps"
)
"""Keys of what is no sentence: identities, pictures, scales of axes, menus."""
SUPER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
MARKS = re.compile(r"\\|\*\*|<[^>]*>|\u2060|:\w+(?:-badge)?\[|\]\(#?[^)]*\)")
LADDERS = ("noise", "tune")
"""Pages with headings of cells, and with sliders, of settings that no run has."""


@contextmanager
def everything_open(folder: Path) -> Iterator[None]:
    """Pages with tabs, popovers and expanders open, over runs and data in this folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder / "runs"))
        patch.setenv("EPSILON_DATA_DIR", str(folder))
        patch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
        for part in ("tab", "popover", "expander"):
            place = f"streamlit.elements.lib.mutable_{part}_container.{part.title()}Container.open"
            patch.setattr(place, property(lambda _: True, lambda *_: None))
        patch.setattr("pages.parts.ui.polling.ensure_worker", lambda: None)
        # tabs that are open at once use one key, of which the real page draws one
        patch.setattr("streamlit.elements.lib.utils._register_element_id", lambda *_: None)
        yield


def record(name: str, folder: Path) -> tuple[Draft, Job]:
    base, changes, seeds = KINDS[name]
    (folder / "sheet.csv").write_text(f"visits,days,again\n{TABLE}", encoding="utf-8")
    (folder / "sheet.json").write_text('{"target": "again"}', encoding="utf-8")
    own = tuple(Variant(label, one) for label, one in changes.items())
    draft = Draft(parse({**SMALL, **base}), own, seeds)
    job = trained(draft, reference=name != "own table")
    return draft, stopped(job) if name == "stopped" else job


def stopped(job: Job) -> Job:
    """A job as Stop leaves it: without what came after a round."""
    after = "json_extract(body, '$.event') = 'end' OR json_extract(body, '$.round') > ?"
    for run in range(len(job.keys)):
        with closing(connect(record_of(job, run))) as database, database:
            database.execute(f"DELETE FROM events WHERE {after}", (STOPPED,))
            database.execute(
                "UPDATE about SET began = began + 1, status = NULL, figures = NULL, events = NULL"
            )
    assert queue.update(job.id, "status = 'completed'", status="cancelled", figures=None)
    return queue.get(job.id)


def walked(draft: Draft, job: Job) -> Iterator[tuple[str, str]]:
    """All texts on one run, with their page; with its report and its card."""
    identity, runs = drafts.new(draft), variants(job)
    parts = (figures(runs), ledger(runs))
    yield "report", "\n".join(re.sub("<[^>]*>", " ", one) for one in parts)
    if job.status == "completed":
        for one in re.findall(">([^<]+)</text>", card_picture(job.id)):
            if not re.fullmatch(r"ε [\d.\u202f]+", one):  # of its scale
                yield "card", one
        for one in json.loads(as_card(job.id))["runs"]:
            loss, ran = one["privacy_loss"], one["implementation"]
            label, model = one["basic"]["name"].rpartition(": ")[2], one["deployment_model"]["model_name"]
            promised, ended = loss["privacy_parameters"]["epsilon"], f"{100 * ran['utility']:.4f}%"
            yield "card", f"{label} {ended}; {model}: {ran['mechanisms']}; ε {promised}"
            yield "card", f"{loss['number_of_privacy_units']} clients; {loss['privacy_parameters_details']}"
    for page, address in [("train", {"job": job.id}), ("compare", {"runs": job.id})]:
        yield from ((page, text) for text in read(page, **address))
    for page in ("train", "noise", "clients", "tune"):
        for text in read(page, draft=identity):
            if page not in LADDERS or not re.fullmatch(NUMBER, plainly(text)):
                yield page, text


def read(page: str, **address: str) -> Iterator[str]:
    """All that is written on a page, with popovers, tabs and expanders open."""
    app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=PATIENCE_SECONDS)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    for node in nodes(app._tree):
        proto: Any = getattr(node, "proto", None)
        if node.type == "bidi_component":
            if proto.component_name not in ("studio_memory", "studio_ahead", "studio_dots"):
                yield from words_in(json.loads(proto.bytes))
        elif node.type == "arrow_data_frame":
            yield from (f"{one}" for one in node.value.to_numpy().ravel() if isinstance(one, str))
        elif proto is not None:
            yield from words_in(MessageToDict(proto))


def nodes(block: Block) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if isinstance(child, Block):
            yield from nodes(child)


def words_in(data: Any, *path: str) -> Iterator[str]:
    """Texts in what an element or a component was given; of charts, names, annotations and hovers."""
    if isinstance(data, str):
        if data[:2] in ('{"', "[{"):
            yield from words_in(json.loads(data), *path)
        elif "figure" not in path or path[-1] in ("text", "name", "label", "hovertemplate"):
            yield data
    elif isinstance(data, dict):
        if "pieces" in data:  # a figure, with its heading and its remark
            yield f"{data['name']}: {in_one(data['pieces'])}; {data['rest']}"
        for key, one in data.items():
            told = "pieces" in data and key in ("name", "pieces", "rest")
            yield from () if told or UNREAD.fullmatch(key) else words_in(one, *path, key)
    elif isinstance(data, list):
        pieces = all(
            isinstance(one, list) and [*map(type, one)] in ([str, int], [str, NoneType]) for one in data
        )
        yield from (
            [in_one(data)] if data and pieces else (text for one in data for text in words_in(one, *path))
        )


def in_one(pieces: list[list[Any]]) -> str:
    """A sentence that comes in pieces, each with its colour."""
    return "".join(words for words, _ in pieces)


def plainly(text: str) -> str:
    """Without marks, with numbers as Python reads them."""
    text = MARKS.sub("", unescape(text)).replace("−", "-")
    text = re.sub(r"(?<=\d)[\u202f\xa0\u2009 ](?=\d{3}(?!\d))", "", text)
    text = re.sub(r"([\d.]+)·10([⁻⁰-⁹¹²³]+)", lambda m: f"{m[1]}e{m[2].translate(SUPER)}", text)
    text = re.sub(r"(?<![\d.])10([⁻⁰-⁹¹²³]+)", lambda m: f"1e{m[1].translate(SUPER)}", text)
    return re.sub(r"\s+", " ", re.sub(r"\s%", "%", text))
