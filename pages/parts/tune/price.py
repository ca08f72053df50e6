"""Description of a found setting, with accuracy, ε and identification."""

import streamlit as st

from ldp_core.accounting import AGAINST, WHOLE_RUN, Promise, of_whom, worth
from ldp_core.experiment import Experiment, plan
from ldp_core.tuning.leaks import Leak
from pages.parts.train.attributes import of_rows
from pages.parts.tune.found import dearest, dearest_promise
from pages.parts.ui.text import at_most, number, percent, plain

COLOUR = {"much": "green", "some": "blue", "little": "orange", "nothing": "red"}


def setting_line(experiment: Experiment) -> str:
    """Text like `Digits · logistic regression, 650 weights · 20 clients · Piecewise · trust: no one · …`."""
    parts = [
        plan(experiment).source.label,
        f"{experiment.model.title}, {number(plan(experiment).dimension, 6)} weights",
        f"{number(experiment.clients.count, 6)} clients",
        plan(experiment).randomiser.label,
        f"trust: {experiment.trust.label}",
        experiment.aggregator.label,
        f"{number(experiment.rounds, 6)} rounds",
    ]
    return plain(" · ".join(parts), 300)


def promise_in_words(line: Promise) -> str:
    """Text like `ε 8, δ 10⁻⁵: promises little`, coloured by worth."""
    found = worth(line)
    epsilon = f"ε {at_most(line.bound, 4)}" if line.guarantee else "no guarantee"
    delta = f", δ {number(line.delta)}" if line.guarantee and line.delta else ""
    return f":{COLOUR[found.word]}[**{epsilon}{delta}: {found.promises}**]"


def run_line(experiment: Experiment) -> str:
    """Weakest guarantee of the whole run, and against whom; "" for too many different clients."""
    if (line := dearest(experiment)) is None:
        return ""
    whom = AGAINST[experiment.trust.against]
    client = of_whom(experiment.unit, "the client that gives most away")
    whose = f"The whole run at worst, for {client}"
    return f"{whose}, against {whom}: {promise_in_words(line)}"


def three_figures(experiment: Experiment, mean: float, leaks: list[Leak]) -> None:
    """Draw the setting's accuracy over fresh seeds, ε of the run and identification rate."""
    accuracy, privacy, picked = st.columns(3)
    with accuracy:
        st.markdown(f"Accuracy  \n**{percent(mean, 1)}**")
        st.caption("mean of fresh seeds, on held-out samples")
    with privacy:
        line = dearest_promise(experiment)
        st.markdown(f"Privacy of the run  \n{promise_in_words(line)}")
        st.caption(
            f"of {WHOLE_RUN[experiment.unit]}, against {AGAINST[experiment.trust.against]}; who has to tell "
            f"two values apart is right {worth(line).odds}"
        )
    with picked:
        name = of_rows("Right image picked out", experiment.dataset)
        if leaks:
            made, hits = sum(one.made for one in leaks), sum(one.picked for one in leaks)
            st.markdown(f"{name}  \n**{percent(hits / made)}**")
            st.caption(
                of_rows(
                    f"of {number(made, 6)} single uploads of one image, from ten; guessing 10 %",
                    experiment.dataset,
                )
            )
        else:
            st.markdown(f"{name}  \nnot asked for")
            st.caption("limit it beside, or open the answer on Train and see")
