"""The five systems side by side: one setting, and one price for every client."""

import pytest

from ldp_core import presets, systems
from ldp_core.accounting import DELTA, epsilon_for, ledger
from ldp_core.experiment import plan
from ldp_core.presets.of_systems import five_at_ten, five_side_by_side
from ldp_core.presets.of_systems.five_side_by_side import FIVE, SHARED

PRICES = {"five_side_by_side": five_side_by_side.RUN, "five_at_ten": five_at_ten.RUN}


@pytest.mark.parametrize(("name", "price"), PRICES.items())
def test_a_run_costs_every_client_of_every_system_the_same(name: str, price: float):
    for experiment in presets.get(name).draft.experiments():
        for entry in ledger(experiment):
            line = entry["run_worst"]
            assert line["guarantee"] and line["delta"] <= DELTA
            assert line["epsilon"] == pytest.approx(price, rel=0.01)


@pytest.mark.parametrize(("name", "price"), PRICES.items())
def test_the_epsilon_of_each_is_the_one_that_costs_so_much(name: str, price: float):
    for experiment in presets.get(name).draft.experiments():
        asked = float(plan(experiment).population.epsilon[0])
        assert epsilon_for(experiment, price) == pytest.approx(asked, rel=1e-3)


@pytest.mark.parametrize("name", PRICES)
def test_five_arms_differ_by_their_system_only(name: str):
    draft = presets.get(name).draft
    made = dict(zip((v.label for v in draft.variants), draft.experiments(), strict=True))
    used = {one.system.name for one in made.values() if one.system}
    assert len(used) == len(FIVE) and used <= set(systems.names())
    for label, one in made.items():
        assert one.system is not None
        fill = one.system.fill("digits")
        assert one.mechanism.name == fill["mechanism"]["name"], label
        assert one.aggregator.name == fill["aggregator"]["name"], label
        assert one.selection.name == fill["selection"]["kind"], label
        assert one.dataset == "digits" and one.target == "weights"
        assert one.form == "corrected" and one.model.name == SHARED["model.name"]
        assert one.clients == made[FIVE[0]].clients.model_copy(update={"epsilon": one.clients.epsilon})
        assert (one.partition, one.local, one.rounds) == (
            made[FIVE[0]].partition,
            made[FIVE[0]].local,
            made[FIVE[0]].rounds,
        )
