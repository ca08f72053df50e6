"""The words of Train, in a sentence each, where they are needed."""

from __future__ import annotations

import streamlit as st

WORDS = """
- **Accuracy**: the share of held-out images that the server's model names right. *Guessing* is naming
  the commonest class every time; *no noise* is the same training without a mechanism.
- **Noise variance**: how far, squared, the mechanism moves an average weight of the server's model.
  *Signal* is the size, squared, of what the clients really sent. Where weights are sent, noise above the
  signal drowns it; where changes are sent, it averages out over the rounds, and training corrects some.
- **Seed**: a repetition with other data splits, starting weights and noise. Runs of one seed share all
  but what is compared, so a band shows chance, and the order within a seed does not depend on it.
- **mean, 1/σ, 1/σ²**: how much a client counts: the same for all, less with more noise, or much less.
- **What the server sees**: one client's image, and what an attacker makes of its upload. *dB* (PSNR)
  tells how close: about 10 is nothing, 20 a sketch, above 30 the image. *Average image* is the guess of
  somebody who saw no upload. *Correlation* is 1 for the image itself and 0 for none.
- **Without noise, clipped only**: the same attack with the mechanism switched off. If it fails even then,
  it was not the noise that hid the image.
- **δ**: the small probability with which the promise of an ε may fail.
"""


def how_to_read() -> None:
    """A popover with what a newcomer may want to know."""
    with st.popover("How to read this", width="stretch"):
        st.markdown(WORDS)
