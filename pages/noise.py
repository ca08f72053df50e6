"""Noise: what does the mechanism do to one weight, and what is left of it at the server?"""

from collections.abc import Callable, Iterator

import streamlit as st

from ldp_core.experiment import plan
from pages.parts.noise import own_samples
from pages.parts.noise.ahead import ahead, laws
from pages.parts.noise.designs import Design, add_button, choose, designs, different
from pages.parts.noise.promise_table import Promised, in_clear, promise_table
from pages.parts.noise.variance_charts import against_budget, against_value
from pages.parts.noise.verdicts import all_asking, take_button, verdicts
from pages.parts.noise.what_if import WhatIf, settled, what_if
from pages.parts.systems.panel import system_panel
from pages.parts.systems.trust import trust_panel
from pages.parts.train.ledger_panel import most_unlike, named_clients
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.formulas import PROMISE, SERVER, formula
from pages.parts.ui.header import header, question
from pages.parts.ui.polling import refreshing, wait_for
from pages.parts.ui.text import number
from pages.parts.ui.workspace import Workspace, open_workspace


def main() -> None:
    workspace = open_workspace("noise")
    with st.container(gap="small"):
        with header(workspace):
            system_panel(workspace)
            trust_panel(workspace)
            take_button(workspace)
            add_button(workspace)
        question(
            "What does the mechanism do to a weight?",
            "Drag the budget or the range: the law of what is sent, and the verdict on learning, follow.",
        )
        shown = designs(workspace)
        # apart from the rest, so that a slider moves only what follows from it
        refreshing(_live)(workspace, shown)
        choose(workspace, shown)
        if (stands := st.session_state.get(workspace.key("what if"))) is not None:
            wait_for(all_asking(shown, stands)[0])
        tabs = st.tabs([*BEHIND], key="behind", on_change="rerun")
        now = st.session_state.get(workspace.key("what if"))
        for tab, draw in zip(tabs, BEHIND.values(), strict=True):
            if tab.open and now is not None:
                with tab:
                    draw(workspace, shown, now)


def _live(workspace: Workspace, shown: list[Design]) -> None:
    """Draw what follows the sliders; the rest follows once they rest."""
    now = what_if(workspace, shown, _named(shown))
    with st.container(key="results-first"):
        left, right = st.columns([1.25, 1], gap="small")
    with left:
        components.draw("cards", components.sheet(laws(now), now.keys), key="laws")
    with right:
        components.draw("verdicts", verdicts(now, shown) | {"keys": now.keys}, key="verdicts")
    components.draw("ahead", ahead(now, shown), key="ahead")
    st.session_state[workspace.key("what if")] = now
    moved, key = settled(workspace), workspace.key("moved")
    if moved > st.session_state.get(key, 0):
        st.session_state[key] = moved
        st.rerun()


def _named(shown: list[Design]) -> dict[str, int]:
    """Clients by description, of the design whose ε differ most, which is named if others ask otherwise."""
    most = most_unlike([design.experiment for design in shown])
    named = named_clients(most)
    if all(named_clients(design.experiment) == named for design in shown):
        return named
    label = next(design.label for design in shown if design.experiment is most)
    return {f"{name} of {label}": i for name, i in named.items()}


def _variances(workspace: Workspace, shown: list[Design], now: WhatIf) -> None:
    budgets = [one for design in shown for one in set(plan(design.experiment).population.epsilon.tolist())]
    components.draw("cards", components.sheet(_charts(now, budgets)), key="charts")
    formula("Formula of what is left at the server", SERVER)


def _charts(now: WhatIf, budgets: list[float]) -> Iterator[ChartCard]:
    """Variance of an upload over ε and over the safe range."""
    seen = list(now.seen)
    once, use = different(seen), plan(seen[0].design.experiment).asked.first_use
    alike = len({view.use[1:] for view in seen}) == 1
    within = f", on a safe range of {now.range}" if now.tau and alike else ""
    low, high = min(view.low for view in seen), max(view.high for view in seen)
    weight = min(max(now.weight, low), high)  # outside its range it is clipped
    crosses = "; crosses: where two of the designs change places" if len(once) > 1 else ""
    yield ChartCard(
        title="Variance against the budget",
        rest=f", for this weight{within}",
        caption=f"dots: the clients' budgets{crosses}; grey: mechanisms of no design",
        figure=against_budget(once, use, weight, budgets),
        label=f"Variance of what is sent against the budget, for a weight of {number(weight)}",
        row=2,
    )
    at = " or ".join(dict.fromkeys(f"{number(view.epsilon)}{view.per}" for view in once))
    yield ChartCard(
        title="Variance against the weight",
        rest=f", at ε {at}{within}",
        caption="a flat line: as much noise for one weight as for any other; grey: mechanisms of no design; "
        "ldpsign sends a sign: left out",
        figure=against_value(once, use, weight),
        label=f"Variance of what is sent against the weight, at ε {at}",
        row=2,
    )


def _promises(workspace: Workspace, shown: list[Design], now: WhatIf) -> None:
    st.markdown(f"**What is promised to {now.words}**")
    promise_table(
        [Promised.to(now.client, view.design.label, view.design.experiment, view.use) for view in now.seen]
    )
    in_clear([(design.label, design.experiment) for design in shown])
    formula("Formula of the bounds", PROMISE)
    st.caption(
        "**Simulation noise is not production noise.** It is drawn from a seed, so that a run can be "
        "repeated: anyone who knows the seed can subtract it. And a float32 answer can give its weight away, "
        "whatever ε says. A real deployment needs a cryptographic generator and a mechanism made for finite "
        "precision."
    )


BEHIND: dict[str, Callable[[Workspace, list[Design], WhatIf], None]] = {
    "Variance": _variances,
    "What is promised": _promises,
    "Samples of your own": lambda workspace, *_: own_samples.own_samples(workspace.key("samples")),
}


main()
