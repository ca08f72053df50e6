"""Explanations of Train's terms."""

from collections.abc import Iterator, Sequence

import streamlit as st

from ldp_core import attacks
from pages.parts.charts.series import Series
from pages.parts.ui.meanings import glossary
from pages.parts.ui.text import joined, names_by, plain

TERMS = (
    "Accuracy",
    "Guessing",
    "No noise",
    "Noise variance",
    "Seed",
    "mean, 1/σ, 1/σ²",
    "Average of all images",
    "dB",
    "Picked",
    "Control",
    "At most",
    "δ (delta)",
)
WORDS = """
- **Lines and dots**: the open dots of the noise are computed from each round's own weights, once they are
  known, but not for votes; the dashed line before a launch is the prediction. Where weights are sent, every
  round begins with new noise; where changes are sent, the noise of all rounds adds up, and training corrects
  some of it. A band spans the lowest to the highest seed; the held-out images are always the same ones.
- **Points ahead**: the mean difference of two runs, taken seed by seed and held-out image by image. A 95 %
  *interval* made like this holds the truth in about 19 of 20 comparisons; if it holds 0, that may be chance.
- **Which image was it?** In each round that is attacked one of M images is drawn (the attacked one, and
  M − 1 held-out ones; M is 10 unless it is set otherwise); the server says from which the upload was made, by
  how likely the mechanism is to turn each into it. Equally likely images share a pick. It needs no pixels. A
  low share below a high bound proves nothing.
- **Real upload**: what the client sends of all its images, in all its steps. An image is *back* at 20 dB.
"""

SEEN = {"audit": "an upload of one image", "real": "a real upload"}


def how_to_read(shown: Sequence[Series] = ()) -> None:
    """Draw a popover with explanations, what the attackers know, and the engines."""
    with st.popover("How to read this"):
        st.markdown("\n\n".join([glossary(TERMS), WORDS, *attackers(shown), *engines(shown)]))


def attackers(shown: Sequence[Series]) -> Iterator[str]:
    spies = [(spy, one.label) for one in shown for spy in one.runs[0].start.get("spies", ())]
    found = names_by(((spy["upload"], spy["attacker"], *spy["knows"]), label) for spy, label in spies)
    for (upload, attacker, *knows), labels in found.items():
        whose = "" if len(labels) == len(shown) else f" ({plain(joined(labels), 160)})"
        known = "; ".join(plain(line, 300) for line in knows)
        who = plain(attacks.registry.labels().get(attacker, attacker))
        yield f"**Who attacks {SEEN[upload]}**{whose}: {who}. It knows: {known}."


def engines(shown: Sequence[Series]) -> Iterator[str]:
    ran = dict.fromkeys((str(run.start.get("engine", "")), one.label) for one in shown for run in one.runs)
    found = names_by(pair for pair in ran if pair[0])
    for words, labels in found.items():
        whose = f" ({plain(joined(labels), 160)})" if len(found) > 1 else ""
        yield f"**How it is computed**{whose}: {plain(words, 200)}."
