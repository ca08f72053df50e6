"""Every trust: its words, what it refuses, its ledger by a second implementation, its noise by its law."""

import math
import time
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_core import accounting, theory, trust
from ldp_core.accounting import DELTA, Spending, entries, shuffled
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.trust.secure_sum import WRAPS
from tests.accounting.test_compose import of_loss_distribution

SUM = {"clients": {"epsilon": 2.0, "epsilon_scope": "run", "range": 0.1}, "target": "update"}


def with_trust(kind: str, changes: dict[str, Any] | None = None, **parameters: Any) -> Experiment:
    return changed(parse({**SUM, "trust": {"kind": kind, **parameters}}), changes or {})


def refusal(kind: str, changes: dict[str, Any] | None = None, **parameters: Any) -> tuple[str, str]:
    with pytest.raises(InvalidExperiment) as caught:
        with_trust(kind, changes, **parameters)
    assert len(caught.value.problems) == 1, caught.value.problems
    return str(caught.value.problems[0].path), caught.value.problems[0].message


@pytest.mark.parametrize("kind", trust.names())
def test_the_promise_of_every_trust_is_nearly_spent(kind: str):
    kept = with_trust(kind)
    assert parse(kept.as_json()) == kept
    for entry in accounting.ledger(kept):
        assert entry["run_worst"]["epsilon"] >= 2 * (1 - 2e-4)
        assert (entry["against"], entry["worth"]) == (trust.get(kind).against, "some")


def test_local_trust_keeps_keys_and_json():
    plain, said = parse({}), parse({"trust": {"kind": "local"}})
    assert plain == said
    assert plan(plain).key == plan(said).key
    assert "trust" not in plain.as_json()
    others = {plan(parse({**SUM, "trust": kind})).key for kind in trust.names()}
    assert len(others) == len(trust.names())
    assert with_trust("central").as_json()["trust"] == {"kind": "central", "norm": None, "rule": "sampling"}
    assert changed(with_trust("central"), {"trust.kind": "local"}) == parse(SUM)
    assert changed(parse(SUM), {"trust.kind": "shuffled"}).trust.name == "shuffled"


UNEQUAL = [1.0] * 10 + [4.0] * 10


@pytest.mark.parametrize("kind", [name for name in trust.names() if name != "local"])
def test_fields_unfit_for_any_trust_are_refused(kind: str):
    assert refusal(kind, {"aggregator.name": "probability_selection"})[0] == "aggregator"
    assert "weighs a client by its samples" in refusal(kind, {"aggregator.name": "data_weighted"})[1]
    assert refusal(kind, {"selection": {"kind": "self_sampling"}})[0] == "selection"
    assert refusal(kind, {"clients.run_limit": 5.0})[0] == "clients.run_limit"
    assert refusal(kind, {"clients.epsilon": UNEQUAL, "selection": {"kind": "fraction"}})[0] == "selection"
    with pytest.raises(InvalidExperiment, match="choose no system"):
        parse({"system": "pprd_fl", "trust": {"kind": kind}})


def test_fields_unfit_for_one_trust_are_refused():
    for kind in ("secure_sum", "central"):
        assert refusal(kind, {"clients.epsilon_scope": "mechanism"})[0] == "clients.epsilon_scope"
        assert "counts no votes" in refusal(kind, {"aggregator.name": "sign_majority"})[1]
        assert refusal(kind, {"clients.range": [0.1, 0.2] * 10})[0] == "clients.range"
        with_trust(kind, {"clients.range": [0.1, 0.2] * 10}, norm=1.0)
    assert refusal("shuffled", {"mechanism.name": "privunit"}, message="coordinate")[0] == "trust.message"
    assert refusal("shuffled", {"mechanism.name": "gaussian"})[0] == "mechanism"
    assert refusal("central", {"clients.epsilon": UNEQUAL, "target": "weights"})[0] == "trust.rule"
    with_trust("central", {"clients.epsilon": UNEQUAL, "target": "weights"}, rule="clipping")
    field, why = refusal("secure_sum", colluding=20)
    assert field == "trust.colluding" and "of the 20 clients" in why
    gone, unequal = {"dropout": 0.5, "colluding": 5}, {"clients.epsilon": UNEQUAL}
    assert refusal("secure_sum", unequal, **gone)[0] == "trust.colluding"
    with_trust("secure_sum", unequal, **gone, unequal="strictest")


def test_a_modulus_that_overflows_is_refused_by_its_probability():
    field, why = refusal("secure_sum", bits=8)
    assert field == "trust.bits"
    least = int(why.split("must be at least ")[1].split(":")[0])
    fits = with_trust("secure_sum", bits=least)
    assert fits.trust.wraps(plan(fits).asked, least) <= WRAPS < fits.trust.wraps(plan(fits).asked, least - 1)  # type: ignore[attr-defined]
    # the bound itself, against the sum's exact law: the noise at its farthest end of all values
    row = fits.trust.rows_of(plan(fits).asked)[0]  # type: ignore[attr-defined]
    room = 2.0 ** (least - 2) - 20 * (0.1 / row.grid + 1)
    mean = 20 * (row.share / row.grid) ** 2 / 2
    beyond = 2 * stats.skellam.sf(room, mean, mean) * plan(fits).uploaded * fits.rounds
    assert beyond <= fits.trust.wraps(plan(fits).asked, least - 1)  # type: ignore[attr-defined]


def drawn_experiments(kind: str, count: int) -> list[Experiment]:
    """Experiments of a trust with random budgets, ranges, rounds and parameters, the same each time."""
    generator, found = np.random.default_rng([7, *map(ord, kind)]), list[Experiment]()
    while len(found) < count:
        clients = int(generator.integers(2, 60))
        budgets = np.exp(generator.uniform(-1, 2, generator.integers(1, 4))).round(3)
        dealt = np.sort(generator.choice(budgets, clients)).tolist()
        own: dict[str, Any] = {"kind": kind}
        if kind in ("secure_sum", "central") and generator.random() < 0.5:
            own["norm"] = float(np.exp(generator.uniform(-2, 1)))
        if kind == "secure_sum":
            own["dropout"] = 0.2 * float(generator.random())
            own["unequal"] = str(generator.choice(["group", "strictest"]))
        if kind == "central":
            own["rule"] = str(generator.choice(["sampling", "clipping"]))
        if kind == "shuffled":
            own["message"] = str(generator.choice(["upload", "coordinate"]))
        experiment = {
            "clients": {"count": clients, "epsilon": dealt, "epsilon_scope": "run", "range": 0.05},
            "target": "update",
            "rounds": int(generator.integers(1, 20)),
            "mechanism": str(generator.choice(["duchi", "piecewise", "laplace"])),
            "aggregator": str(generator.choice(["mean", "inverse_variance"])),
            "trust": own,
        }
        try:
            found.append(parse(experiment))
        except InvalidExperiment as error:  # a group of one client that may not answer
            assert error.problems[0].path == "trust.colluding"
    return found


def other_figure(experiment: Experiment, client: int) -> tuple[float, float]:
    """A lower and an upper figure for a client's run, from the noise and not from the plan that chose it."""
    own: Any = experiment.trust
    rounds, asked = experiment.rounds, experiment.clients.budgets()
    population, size = plan(experiment).population, plan(experiment).uploaded
    alike = int((asked == asked[client]).sum())
    if own.name == "shuffled":
        use = float(population.epsilon[client])
        one = use if own.message == "coordinate" else use * size
        heaps = rounds * size if own.message == "coordinate" else rounds
        terms = use, float(population.low[client]), float(population.high[client])
        plain = (
            Spending(plan(experiment).releases).uploads(terms, rounds).bound
        )  # of the same uploads with names
        least, most = shuffled(one, alike, DELTA), heaps * shuffled(one, alike, DELTA / heaps)
        return min(plain, least), min(plain, most)
    law: Any = plan(experiment).randomiser.at(population.epsilon, population.low, population.high)
    noise = float(law.sigma[client])
    if own.name == "secure_sum":
        among = alike if own.unequal == "group" else len(asked)
        honest = among - math.ceil(own.dropout * among)
        grid = own.rows_of(plan(experiment).asked)[0].grid
        total = math.sqrt(honest * (noise**2 - grid**2 / 12))
        half = population.high[client] if own.norm else population.high[client] * math.sqrt(size)
        # rounding may move each weight of either value by half a step
        wider = (2 * half + grid * math.sqrt(size)) / total
        return of_loss_distribution(2 * half / total, 1.0, rounds), of_loss_distribution(wider, 1.0, rounds)
    total = noise * math.sqrt(len(asked))
    half = population.high[client] if own.norm else population.high[client] * math.sqrt(size)
    values = np.zeros((len(asked), size), np.float32)
    values[:] = population.high[0]
    rest = (
        own.contributed(plan(experiment).terms, values, np.arange(len(asked)), 1)
        if own.rule == "sampling"
        else values
    )
    chance = next(row.chance for row in own.rows_of(plan(experiment).asked) if row.epsilon == asked[client])
    if own.rule == "sampling":  # how often clients of this budget are in a sum, by many draws
        everybody = np.arange(len(asked))
        rounds_of = [
            own.contributed(plan(experiment).terms, values, everybody, number) for number in range(1, 100)
        ]
        drawn = np.concatenate([(one[asked == asked[client]] != 0).any(1) for one in rounds_of])
        # off by five standard errors once in a million draws of an experiment
        assert abs(drawn.mean() - chance) <= 5 * math.sqrt(chance * (1 - chance) / len(drawn)) + 1e-12
    assert rest.shape == values.shape
    found = of_loss_distribution(2 * half / total, chance, rounds)
    return found, found


@pytest.mark.parametrize("kind", trust.names())
def test_a_hundred_ledgers_by_a_second_implementation(kind: str):
    """None below the truth (the exact figure of the noise), none over 1.2 times the other bound."""
    for experiment in drawn_experiments(kind, 100 if kind != "local" else 10):
        asked = experiment.clients.budgets()
        for client in {0, len(asked) - 1}:
            line = entries(plan(experiment), [client])[0].run_worst
            assert line.guarantee and line.bound <= asked[client]
            if kind != "local":
                least, most = other_figure(experiment, client)
                assert line.bound >= least * 0.99 - 2e-3, experiment.as_json()
                assert line.bound <= 1.2 * most + 2e-3, experiment.as_json()


def test_sum_noise_follows_its_law():
    """The mean square over 650 weights, as a χ²: of all 200, one is off by chance once in a million times."""
    generator, worst = np.random.default_rng(11), 1.0
    for experiment in [one for kind in ("secure_sum", "central") for one in drawn_experiments(kind, 100)]:
        population, own = plan(experiment).population, plan(experiment).randomiser
        values = generator.uniform(-0.2, 0.2, (len(population.epsilon), plan(experiment).uploaded)).astype(
            np.float32
        )
        everybody = np.arange(len(values))
        here = np.flatnonzero(experiment.trust.answering(plan(experiment).terms, everybody, generator))
        columns, values = population.columns(here), values[here]
        law, exact = own.at(*columns), own.clip(values, *columns[1:])
        weights = theory.client_weights(plan(experiment))[here]
        noise = weights / weights.sum() @ (law.perturb(values, generator).astype(np.float64) - exact)
        expected = theory.server_variance(experiment)
        square = (noise**2).sum() / expected
        worst = min(worst, 2 * min(stats.chi2.cdf(square, len(noise)), stats.chi2.sf(square, len(noise))))
        assert abs(noise.mean()) <= 6 * math.sqrt(expected / len(noise))
    assert worst >= 1e-6 / 200


def run_of(experiment: Experiment) -> Any:
    import ldp_core

    return ldp_core.run(changed(experiment, {"attack": None}).as_json())


def test_shuffler_mixes_uploads_or_each_weight():
    rows = np.arange(40, dtype=np.float32).reshape(8, 5)
    terms = tuple(np.array([[one] for one in (1.0, 2.0) * 4]) for _ in range(3))
    for message in ("upload", "coordinate"):
        mixed = trust.get("shuffled", message=message).handed_on(rows, terms, np.random.default_rng(1))
        together = (mixed - mixed[:, :1] == rows[0]).all()
        assert together == (message == "upload") and (mixed != rows).any()


@pytest.mark.parametrize(
    ("kind", "own"), [("secure_sum", {}), ("secure_sum", {"dropout": 0.25}), ("central", {})]
)
@pytest.mark.parametrize("budgets", [UNEQUAL, 2.0])
def test_a_run_has_the_noise_that_theory_says(kind: str, own: dict[str, Any], budgets: Any):
    """χ² of 650 weights a round, both sides 1e-6; of 20 clients a stated share does not answer."""
    experiment = with_trust(kind, {"clients.epsilon": budgets, "rounds": 3}, norm=1.0, **own)
    found = run_of(experiment)
    gone = (6 if budgets is UNEQUAL else 5) if own else 0  # of two sums of ten, three each
    assert (found.rounds["participants"].dropna() == 20 - gone).all()
    expected = theory.server_variance(experiment)
    for measured in found.rounds["noise_variance"].dropna():
        square = measured * 650 / expected
        assert stats.chi2.ppf(1e-6, 650) <= square <= stats.chi2.isf(1e-6, 650)
    assert found.status == "completed"
    assert "noise in the sum" in repr(found) and accounting.AGAINST[found.ledger[0]["against"]] in repr(found)


def test_hidden_draws_lower_the_noise_of_a_trusted_server_only():
    few = {"selection": {"kind": "fraction", "fraction": 0.2}, "rounds": 15}
    line = entries(plan(with_trust("central", few)))[0].run_worst
    assert line.rule == "sampled"
    everybody = with_trust("central", {"rounds": 15})
    per_sum = [
        theory.server_variance(one) * n**2 for one, n in ((with_trust("central", few), 4), (everybody, 20))
    ]
    assert per_sum[0] < per_sum[1] / 2
    assert theory.server_variance(with_trust("secure_sum", few)) * 16 > per_sum[1]


@pytest.mark.parametrize("kind", trust.names())
@pytest.mark.parametrize(("clients", "most"), [(20, 0.1), (60_000, 0.3)])
def test_a_switch_redraws_theory_at_once(kind: str, clients: int, most: float):
    """Seconds of a processor, the least of three budgets that were never asked for."""
    data = {"clients.count": clients, "dataset": "mnist"} if clients > 1000 else {}
    base, times = changed(parse(SUM), data), []
    for epsilon in (2.001, 2.002, 2.003):
        began = time.process_time()
        switched = changed(base, {"trust.kind": kind, "clients.epsilon": epsilon})
        assert theory.server_noise(plan(switched)).variance > 0 and entries(plan(switched), [0])
        theory.certain(plan(switched))
        times.append(time.process_time() - began)
    assert min(times) <= most
