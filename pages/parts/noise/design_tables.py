"""Tables of designs: noise at the server, audit, values in clear, the paper's figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from ldp_core.accounting import Audit, audit, exact_epsilon
from ldp_core.accounting.empirical import VECTOR, Precision
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.streams import stream
from ldp_core.theory import client_weights, sent_in_clear, server_noise
from ldp_core.theory.learnability import ENDS, hits_in_words, outlook
from pages.parts.noise.designs import Design, View, different
from pages.parts.noise.float_panel import arithmetic
from pages.parts.ui.tables import grouped, table
from pages.parts.ui.text import number, percent, plain

VERDICTS = {"learns": ":green", "borderline": ":orange", "chance": ":red", "unknown": ":gray"}
COVERS = {"coordinate": "one weight", "layer": "one layer", "upload": "one upload"}
SAMPLES = 100_000
SHOWN_FROM = 0.002
"""Relative error of the noise from which on it is shown."""


def at_the_server(shown: Sequence[Design], named: dict[int, str]) -> None:
    """Draw the aggregate's noise per weight, beside the size of trained weights, with a verdict and the
    weights of some clients.
    """
    st.markdown("**What is left of it at the server**, after all clients' uploads are combined")
    head = ["design", "verdict", "noise σ per weight", "variance", "trained weight"]
    head += [f"share of client {i + 1}{words}" for i, words in named.items()]
    rows = []
    for design in shown:
        view, noise = outlook(design.experiment), server_noise(design.experiment)
        empty, weights = noise.empty, client_weights(design.experiment)
        # one standard error, where rounds had to be imagined: half of it for σ, as that is a root
        doubt = noise.error / noise.variance / 2 if noise.variance else 0.0
        about = f" (±{percent(doubt, 1)})" if doubt > SHOWN_FROM else ""
        empty_words = f"; {percent(empty)} of the rounds are empty" if empty else ""
        rows.append(
            [
                f"**{plain(design.label)}**",
                f"{VERDICTS[view.word]}[**{view.word}**]: {plain(view.why, 200)}{empty_words}",
                f"{number(view.sigma)}{about}",
                number(view.sigma**2),
                number(view.size) if view.size else "not measured",
                *(percent(weights[i], 1) for i in named),
            ]
        )
    table(head, rows)
    st.caption(
        "Trained weight: the size (root mean square) of the model's weights after training without noise. "
        "The verdict is a rule of thumb, measured on digits: of weights, noise well below that size does "
        "little, and noise well above it drowns them; of changes, what counts is the noise of all rounds "
        "against how far all rounds can move a weight. It was "
        f"{hits_in_words()}. Right is {_counts_as_right()}. Noise is for weights in the middle of their safe "
        f"range{_otherwise(shown)}, averaged over the rounds in which anybody is heard; ± is one standard "
        "error, where rounds had to be imagined. Shares are for a round in which all take part. Train shows "
        "what really happens."
    )


def _counts_as_right() -> str:
    """Sentence on the final accuracy that confirms each verdict."""
    ends = {word: (percent(low), percent(high)) for word, (low, high) in ENDS.items()}
    return (
        f"“learns” that ends at {ends['learns'][0]} or more, “chance” at {ends['chance'][1]} or less, and "
        f"“borderline” between {ends['borderline'][0]} and {ends['borderline'][1]}"
    )


def _otherwise(shown: Sequence[Design]) -> str:
    """Note on designs with further assumptions than a weight in mid-range."""
    used = [design.experiment.randomiser for design in shown]
    notes = []
    if any(one.region == "ball" for one in used):
        notes.append("where whole uploads are shortened to a length, for one of that length")
    if any(isinstance(one, PiecewiseAsPrinted) for one in used):
        notes.append("where the scale is an upload's largest weight, with that at the end of its range")
    return f" ({'; '.join(notes)})" if notes else ""


def audits(seen: Sequence[View], measured: bool, key: str) -> None:
    """Draw claimed, exact and measured ε of each mechanism for one use.

    Samples are drawn once for the clients' own budgets, not for slider positions. In float32 they are what
    training sends, with the share that identifies its input.
    """
    st.markdown("**Does the mechanism keep its promise?** One use, on the two ends of the safe range")
    precision = arithmetic(key)
    single = precision == "float32"
    rows: list[tuple[str, list[str]]] = []
    for view in seen:
        mechanism = view.mechanism
        if mechanism.role == "identity":
            rows.append((view.design.label, ["none", ":red[**∞**]", "–", *["–"] * single, "–"]))
            continue
        name = f"{mechanism.name} {mechanism.form} {mechanism.model_dump_json(by_alias=True)}"
        use = (view.epsilon, view.low, view.high)
        bound = exact_epsilon(mechanism, *use)
        delta = f", δ {number(mechanism.delta_)}" if isinstance(mechanism, GaussianNoise) else ""
        exact = "∞" if math.isinf(bound) else number(bound, 4)
        exact = f":red[**{exact}**]" if bound > view.epsilon * (1 + 1e-6) else f"**{exact}**"
        seen_in = ["choose a client to measure", *["–"] * single]
        if measured:
            found = _audit(name, mechanism, *use, precision)
            least = f"≥ {number(found.measured)}"
            # a law that is known to cost more than it claims has said so in the column before
            least = f":red[**{least}**]" if found.measured > max(found.exact, view.epsilon) else least
            seen_in = [f"{least} ({number(found.samples, 6)} samples)", *[_alone(found)] * single]
        cells = [f"{number(view.epsilon, 4)}{delta}", exact, *seen_in, COVERS[mechanism.scope]]
        rows.append((view.design.label, cells))
    head = ["design", "claimed ε", "ε of the exact law", f"measured in {precision}"]
    table([*head, *["only one end gives"] * single, "one use is"], grouped(rows))
    st.caption(
        "Red: more is given away than was claimed. Measured: a lower bound from samples of each input "
        "(Clopper–Pearson, wrong at most once in a million); it can refute a promise, never prove one, and "
        "says little where what gives a weight away is rare. "
        + (
            "In float32 the event that is counted holds the answers that the other end of the safe range can "
            "give by no draw, of which the exact law knows nothing, and those that it makes likeliest."
            if single
            else "In float64 such samples show the law; training runs in float32."
        )
    )


def _alone(found: Audit) -> str:
    """Share of outputs that identify their input, red if above δ."""
    if found.given_away is None:
        return "not looked for"
    share = percent(found.given_away, 1)
    return f":red[**{share}**]" if found.given_away > found.delta else share


def in_clear(shown: Sequence[Design]) -> None:
    st.markdown("**What is sent in clear**: the server learns it as it is, and no ε covers it")
    rows: dict[tuple[str, str, str], list[str]] = {}
    for design in shown:
        for item in sent_in_clear(design.experiment):
            rows.setdefault((item.what, item.by, item.why), []).append(design.label)
    table(
        ["what", "told by", "why", "designs"],
        [
            [f":red[**{plain(what)}**]", plain(by), plain(why, 120), plain(", ".join(labels), 160)]
            for (what, by, why), labels in rows.items()
        ],
    )


def printed(seen: Sequence[View], value: float) -> None:
    """The paper's printed figures beside the exact ones, for each mechanism."""
    rows = []
    for view in different(list(seen)):
        use, budget = view.design.experiment.use(), (view.epsilon, view.low, view.high)
        weight = min(max(value, view.low), view.high)
        for item in view.mechanism.differences(weight, *budget, use):
            figures = [_figure(item.printed), f"**{_figure(item.corrected)}**"]
            rows.append([plain(view.name), plain(item.what, 120), *figures, plain(item.why, 160)])
    if rows:
        st.markdown("**What the papers print, and what is so**, for this client and this weight")
        table(["mechanism", "what", "the paper says", "in truth", "because"], rows)


def _figure(value: float) -> str:
    return "∞" if math.isinf(value) else ("−" if value < 0 else "") + number(abs(value), 4)


@st.cache_data(max_entries=512, show_spinner=False)
def _audit(
    key: str, _mechanism: Mechanism, epsilon: float, low: float, high: float, precision: Precision
) -> Audit:
    fitted = _mechanism.fitted(Use(VECTOR)) if _mechanism.scope == "layer" else _mechanism
    return audit(fitted, epsilon, low, high, stream(0, "audit"), SAMPLES, precision)
