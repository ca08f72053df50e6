"""Tables of designs: noise at the server, audit, values in clear, the paper's figures."""

import math
from collections.abc import Sequence

import streamlit as st

from ldp_core.accounting import Audit, audit, exact_epsilon
from ldp_core.accounting.mechanism_audit import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.streams import stream
from ldp_core.theory import client_weights, sent_in_clear, server_noise
from ldp_core.theory.learnability import ENDS, hits_in_words, outlook
from pages.parts.noise.designs import Design, View, different
from pages.parts.ui.shared_cache import once
from pages.parts.ui.tables import grouped, table
from pages.parts.ui.text import at_least, at_most, names_by, number, percent, plain, signed

VERDICTS = {"learns": ":green", "borderline": ":orange", "chance": ":red", "unknown": ":gray"}
RED = ":red[**{}**]"
COVERS = {"coordinate": "one weight", "layer": "one layer", "upload": "one upload"}
SAMPLES = 100_000
SHOWN_FROM = 0.002
"""Relative error of the noise from which on it is shown."""


def at_the_server(shown: Sequence[Design], named: dict[int, str]) -> None:
    """Draw the aggregate's noise beside the size of trained weights, a verdict, and some clients' shares."""
    st.markdown("**What is left of it at the server**, after all clients' uploads are combined")
    head = ["design", "verdict", "noise σ per weight", "variance", "trained weight"]
    head += [f"share of client {i + 1}{words}" for i, words in named.items()]
    rows = []
    for design in shown:
        view, noise = outlook(design.experiment), server_noise(design.experiment)
        weights = client_weights(design.experiment)
        # one standard error, where rounds had to be imagined: half of it for σ, as that is a root
        doubt = noise.error / noise.variance / 2 if noise.variance else 0.0
        about = f" (±{percent(doubt, 1)})" if doubt > SHOWN_FROM else ""
        empty = f"; {percent(noise.empty)} of the rounds are empty" if noise.empty else ""
        rows.append(
            [
                f"**{plain(design.label)}**",
                f"{VERDICTS[view.word]}[**{view.word}**]: {plain(view.why, 200)}{empty}",
                f"{number(view.sigma)}{about}",
                number(view.sigma**2),
                number(view.size) if view.size else "not measured",
                *(percent(weights[i], 1) for i in named),
            ]
        )
    table(head, rows)
    ends = {word: (percent(low), percent(high)) for word, (low, high) in ENDS.items()}
    st.caption(
        "Trained weight: the size (root mean square) of the model's weights after training without noise. "
        "The verdict is a rule of thumb, measured on digits: of weights, noise well below that size does "
        "little, and noise well above it drowns them; of changes, what counts is the noise of all rounds "
        "against how far all rounds can move a weight. It was "
        f"{hits_in_words()}. Right is “learns” that ends at {ends['learns'][0]} or more, “chance” at "
        f"{ends['chance'][1]} or less, and “borderline” between {ends['borderline'][0]} and "
        f"{ends['borderline'][1]}. Noise is for weights in the middle of their safe range"
        f"{_otherwise(shown)}, averaged over the rounds in which anybody is heard; ± is one standard "
        "error, where rounds had to be imagined. Shares are for a round in which all take part. Train shows "
        "what really happens."
    )


def _otherwise(shown: Sequence[Design]) -> str:
    used = [design.experiment.randomiser for design in shown]
    notes = []
    if any(one.region == "ball" for one in used):
        notes.append("where whole uploads are shortened to a length, for one of that length")
    if any(isinstance(one, PiecewiseAsPrinted) for one in used):
        notes.append("where the scale is an upload's largest weight, with that at the end of its range")
    return f" ({'; '.join(notes)})" if notes else ""


def audits(seen: Sequence[View], measured: bool) -> None:
    """Draw claimed, exact and measured ε of each mechanism for one use; measured for the clients' own budgets
    only.
    """
    st.markdown("**Does the mechanism keep its promise?** One use, on the two ends of the safe range")
    rows = [(view.design.label, _audited(view, measured)) for view in seen]
    table(["design", "claimed ε", "ε of the exact law", "measured", "one use is"], grouped(rows))
    st.caption(
        "Red: more is given away than was claimed. Measured: a lower bound from samples of each input "
        "(Clopper–Pearson, wrong at most once in a million); it can refute a promise, never prove one, and "
        "says little where what gives a weight away is rare."
    )


def _audited(view: View, measured: bool) -> list[str]:
    """Cells of a mechanism: claimed, exact and measured ε, its use."""
    mechanism = view.mechanism
    if mechanism.role == "identity":
        return ["none", RED.format("∞"), "–", "–"]
    if view.design.experiment.trust.own_noise:  # a client's share of the noise alone does not keep it
        return [f"{number(view.epsilon, 4)}{view.per}", "–", "the noise of all keeps it", "a sum"]
    bound = exact_epsilon(mechanism, *view.use)
    delta = f", δ {number(mechanism.delta_)}" if isinstance(mechanism, GaussianNoise) else ""
    claimed = number(view.epsilon, 4)
    exact = claimed if math.isclose(bound, view.epsilon, rel_tol=1e-6) else at_most(bound, 4)
    exact = (RED if bound > view.epsilon * (1 + 1e-6) else "**{}**").format(exact)
    found_in = "choose a client to measure"
    if measured:
        found = _audit(mechanism, *view.use)
        least = f"≥ {at_least(found.measured)}"
        # a law that is known to cost more than it claims has said so in the column before
        least = RED.format(least) if found.measured > max(found.exact, view.epsilon) else least
        found_in = f"{least} ({number(found.samples, 6)} samples)"
    return [f"{claimed}{delta}", exact, found_in, COVERS[mechanism.scope]]


def in_clear(shown: Sequence[Design]) -> None:
    st.markdown("**What is sent in clear**: the server learns it as it is, and no ε covers it")
    found = names_by(
        ((item.what, item.by, item.why), design.label)
        for design in shown
        for item in sent_in_clear(design.experiment)
    )
    rows = [
        [RED.format(plain(what)), plain(by), plain(why, 120), plain(", ".join(labels), 160)]
        for (what, by, why), labels in found.items()
    ]
    table(["what", "revealed by", "why", "designs"], rows)


def printed(seen: Sequence[View], value: float) -> None:
    rows = []
    for view in different(seen):
        weight = min(max(value, view.low), view.high)
        for item in view.mechanism.differences(weight, *view.use, view.design.experiment.use()):
            figures = [signed(item.printed, 4), f"**{signed(item.corrected, 4)}**"]
            rows.append([plain(view.name), plain(item.what, 120), *figures, plain(item.why, 160)])
    if rows:
        st.markdown("**What the papers print, and what is so**, for this client and this weight")
        table(["mechanism", "what", "the paper says", "in truth", "because"], rows)


def _audit(mechanism: Mechanism, epsilon: float, low: float, high: float) -> Audit:
    fitted = mechanism.fitted(Use(VECTOR)) if mechanism.scope == "layer" else mechanism
    use = epsilon, low, high
    place = ("audit", mechanism, *use)
    return once(place, lambda: audit(fitted, *use, stream(0, "audit"), SAMPLES))
