"""Popovers with a figure's formula and source."""

import streamlit as st

SERVER = (
    r"\begin{aligned}\sigma^2_{\text{server}}=\mathbb E\Big[&\sum_{i\in\mathcal P} w_i^2\,V_i\\"
    r"&+\Big(\sum_{i\in\mathcal P} w_i\,B_i\Big)^2\Big]\end{aligned}",
    "P: who takes part; w: how much each of them counts; V and B: variance and bias of each client's noise "
    "for a weight in the middle of its range. The mean is over whom the server chooses, over what an "
    "aggregator draws, and over the rounds until clients reach limits of their own. Shares come from the "
    "worst case over the range, which depends on no data. Mathematics, section 2.",
)
PROMISE = (
    r"\begin{aligned}\delta(\varepsilon)=\max_{l}\Big(&\sum_{j\ge l}\tbinom kj p^j q^{k-j}\\"
    r"&-e^{\varepsilon}\sum_{j\ge l}\tbinom kj q^j p^{k-j}\Big),\\"
    r"p=\tfrac{e^{\varepsilon_0}}{1+e^{\varepsilon_0}}&=1-q\end{aligned}",
    "For any mechanism whose answers have an ε₀ each: the exact worst case of k of them, of which j point "
    "to the true one of two values; l is where the sums are furthest apart (Kairouz, Oh and Viswanath 2015, "
    "theorem 3.3). "
    "For this mechanism: the same sum over its own law of privacy losses, from its exact curve δ(ε) on a "
    "lattice, never below the truth (Zhu, Dong and Wang 2022; Doroshenko et al. 2022). "
    "Gaussian noise: exactly, by the root of the sum of squares (Balle and Wang 2018; Dong, Roth and Su "
    "2022); its plain sum splits δ evenly over the uses. Where a δ would save less than one in a thousand, "
    "the plain sum stands alone: it needs no δ.",
)


def formula(label: str, which: tuple[str, str]) -> None:
    latex, source = which
    with st.popover(label, type="tertiary"):
        st.latex(latex)
        st.caption(source)
