"""Each design in figures: the server's noise, the promise, its audit, what is in clear, what was printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

from ldp_core.accounting import Audit, audit, ledger
from ldp_core.accounting.empirical import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.outlook import outlook
from ldp_core.streams import stream
from ldp_core.theory import client_weights, nobody, sent_in_clear
from pages.parts.designs import Design
from pages.parts.text import number, percent, plain

VERDICTS = {"learns": ":green", "borderline": ":orange", "chance": ":red", "unknown": ":gray"}
SAMPLES = 100_000
SCOPES = {
    "coordinate": "one weight",
    "upload": "one upload",
    "run_expected": "this run, expected",
    "run_worst": "this run, worst case",
}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table; cells are Markdown."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    st.markdown("\n".join(f"| {line} |" for line in lines))


def grouped(rows: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Rows with the same cells as one, under all their names."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, cells in rows:
        found.setdefault(tuple(cells), []).append(name)
    return [[f"**{plain(', '.join(names), 120)}**", *cells] for cells, names in found.items()]


def at_the_server(shown: Sequence[Design], named: dict[str, int]) -> None:
    """Noise per weight after aggregation, beside the size of trained weights, with a verdict."""
    st.markdown("**What is left of it at the server**, after all clients' uploads are combined")
    head = ["design", "verdict", "noise σ per weight", "variance", "trained weight"]
    head += [f"weight of client {i + 1} ({name})" for name, i in named.items()]
    rows = []
    for design in shown:
        view, weights = outlook(design.experiment), client_weights(design.experiment)
        empty = nobody(design.experiment)
        lottery = f"; {percent(empty)} of the rounds are empty" if empty > 0 else ""
        rows.append(
            [
                f"**{plain(design.label)}**",
                f"{VERDICTS[view.word]}[**{view.word}**]: {plain(view.why, 200)}{lottery}",
                number(view.sigma),
                number(view.sigma**2),
                number(view.size) if view.size else "not measured",
                *(percent(weights[i], 1) for i in named.values()),
            ]
        )
    table(head, rows)
    st.caption(
        "The verdict is a rule of thumb, measured on digits: noise well below a trained weight does little, "
        "noise above it drowns it. Train shows what really happens."
    )


def promises(shown: Sequence[Design], client: int, who: str) -> None:
    """The four numbers of one client under each design, in words for the first of them."""
    st.markdown(f"**What is promised to client {client + 1}** ({who})")
    rows, lines = [], []
    for design in shown:
        entry = _entry(design, client)
        lines.append(entry)
        cells = []
        for scope in SCOPES:
            line = entry[scope]
            if not line["guarantee"]:
                cells.append(f":red[**no guarantee**] ({plain(line['why'], 120)})")
                continue
            basic = f"<br>plain sum {number(line['basic'], 5)}" if line["rule"] != "basic" else ""
            basic = basic.replace("<br>", "; ")
            cells.append(f"**ε {number(line['epsilon'], 4)}**, δ {number(line['delta'])}{basic}")
        rows.append((design.label, cells))
    table(["design", *SCOPES.values()], grouped(rows))
    st.markdown(in_words(shown[0], lines[0]))
    st.caption(
        "Each number bounds how well any two values in the client's safe range can be told apart; the "
        "smallest valid bound comes first. Sampling of clients adds nothing, because the server sees who "
        "takes part; nothing is shuffled."
    )


def in_words(design: Design, entry: dict[str, dict[str, Any]]) -> str:
    """What the first two numbers mean, as odds."""
    one, upload = entry["coordinate"], entry["upload"]
    if (
        not one["guarantee"]
        or not isinstance(one["epsilon"], float)
        or not isinstance(upload["epsilon"], float)
    ):
        return "In words: nothing is promised."
    odds = math.exp(min(one["epsilon"], 700))
    d = design.experiment.dimension
    whole = upload["epsilon"]
    far = "no protection at all" if whole > 15 else "which still hides something"
    return (
        f"In words, for {plain(design.label)}: looking at **one weight**, an attacker's odds between any two "
        f"values change by a factor of at most {number(odds)} (e to the {number(one['epsilon'])}). Looking "
        f"at **all {number(d, 6)} weights of one upload**, by e to the {number(whole, 4)}, {far}: a budget "
        "for one weight is not a budget for a person."
    )


def audits(shown: Sequence[Design], epsilon: float, low: float, high: float) -> None:
    """Claimed, exact and measured ε of each mechanism for one use."""
    st.markdown("**Does the mechanism keep its promise?** One use, on the two ends of the safe range")
    rows = []
    for design in shown:
        mechanism = design.experiment.randomiser
        if mechanism.name == "none":
            rows.append((design.label, ["none", ":red[**∞**]", "–", "–"]))
            continue
        found = _audit(mechanism.model_dump_json(by_alias=True), mechanism, epsilon, low, high)
        delta = f", δ {number(found.delta)}" if found.delta else ""
        broken = found.exact > found.claimed * (1 + 1e-9)
        exact = "∞" if math.isinf(found.exact) else number(found.exact, 4)
        covers = {"coordinate": "one weight", "layer": "one layer", "upload": "one upload"}[mechanism.scope]
        shown_exact = f":red[**{exact}**]" if broken else f"**{exact}**"
        cells = [f"{number(found.claimed)}{delta}", shown_exact, f"≥ {number(found.measured)}", covers]
        rows.append((design.label, cells))
    table(["design", "claimed ε", "exact ε", "measured", "covers"], grouped(rows))
    st.caption(
        f"Measured: a lower bound from {number(SAMPLES, 6)} samples of each input (Clopper–Pearson, wrong at "
        "most once in a million). A lower bound can refute a promise, never prove one."
    )


def in_clear(shown: Sequence[Design]) -> None:
    """What no ε covers."""
    st.markdown("**What is sent in clear**, and carries no ε")
    rows: dict[tuple[str, str, str], list[str]] = {}
    for design in shown:
        for item in sent_in_clear(design.experiment):
            rows.setdefault((item.what, item.by, item.why), []).append(design.label)
    table(
        ["what", "told by", "why", "designs"],
        [
            [f":red[**{plain(what)}**]", plain(by), plain(why, 120), plain(", ".join(labels), 120)]
            for (what, by, why), labels in rows.items()
        ],
    )


def printed(shown: Sequence[Design], value: float, epsilon: float, low: float, high: float) -> None:
    """Each paper's own figures beside the right ones, where they differ."""
    rows = []
    for experiment in {d.experiment.randomiser: d.experiment for d in shown}.values():
        for item in experiment.randomiser.differences(value, epsilon, low, high, experiment.use()):
            rows.append(
                [
                    experiment.mechanism.label,
                    plain(item.what, 120),
                    _figure(item.printed),
                    f"**{_figure(item.corrected)}**",
                    plain(item.why, 160),
                ]
            )
    if rows:
        st.markdown("**As printed, and as it is**: the papers' figures for this client and this weight")
        table(["mechanism", "what", "as printed", "corrected", "because"], rows)


def _figure(value: float) -> str:
    return "∞" if math.isinf(value) else ("−" if value < 0 else "") + number(abs(value), 4)


@st.cache_data(max_entries=256, show_spinner=False)
def _audit(key: str, _mechanism: Mechanism, epsilon: float, low: float, high: float) -> Audit:
    fitted = _mechanism if _mechanism.scope == "coordinate" else _mechanism.fitted(Use(VECTOR))
    return audit(fitted, epsilon, low, high, stream(0, "audit"), SAMPLES)


def _entry(design: Design, client: int) -> dict[str, dict[str, Any]]:
    return _ledger(design.experiment.key, design.experiment, client)


@st.cache_data(max_entries=256, show_spinner=False)
def _ledger(key: str, _experiment: object, client: int) -> dict[str, dict[str, Any]]:
    return ledger(_experiment, [client])[0]  # type: ignore[arg-type]
