"""What float32 gives away: counted over all draws, found again by search, and as the table says."""

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.accounting import float_table
from ldp_core.accounting.floats import DRAWS, Client, Given, GivenAway, can_give, countable, given_away
from ldp_core.contract.stated import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.shared.caps import GRID_BITS
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.streams import stream
from tests.cases import case
from tests.extent import every, turns
from tests.mechanisms.test_contract import ALL, named

COUNTABLE = [m for m in ALL if countable(m)]
TOLERANCE = 0.01
"""Of a share whose mechanism takes a logarithm: processors differ in its last bit."""


def table(mechanism: Mechanism, low: float = -1.0, high: float = 1.0) -> float_table.Measured:
    found = float_table.measured(mechanism, low, high)
    assert found is not None
    return found


def test_what_is_given_is_what_is_drawn():
    given = Given(np.arange(6) / 8)
    assert given.random((2, 2), np.float32).tolist() == [[0, 0.125], [0.25, 0.375]]
    assert given.standard_normal((2,), dtype=np.float32).tolist() == [0.5, 0.625]
    for law in ("integers", "poisson", "normal", "exponential", "bit_generator"):
        with pytest.raises(NotImplementedError, match=f"Given gives no {law}"):
            getattr(given, law)


def test_the_draws_are_those_of_the_generator():
    """A float32 uniform is a multiple of 2^-24, so that 2^24 draws are all of them."""
    drawn = np.random.Generator(np.random.Philox(key=1)).random(1_000_000, dtype=np.float32) * DRAWS
    assert (drawn == np.floor(drawn)).all()


@pytest.mark.parametrize("mechanism", COUNTABLE, ids=named)
def test_what_a_value_was_answered_it_can_be_answered(mechanism: Mechanism):
    """No false alarm: whatever a value sends is found among what it can send."""
    for epsilon, (low, high) in turns([0.1, 1.0, 8.0, 20.0, 60.0], [(-1.0, 1.0), (0.1, 0.3)]):
        for value in (low, high):
            with case(epsilon, low, high, value):
                values = np.full(2000, value, np.float32)
                sent = mechanism.perturb(values, epsilon, low, high, np.random.default_rng(4))
                assert can_give(Client(mechanism, value, epsilon, low, high), sent).all()


@pytest.mark.parametrize("name", every(4, ["laplace", "piecewise", "hybrid", "grr"]))
def test_a_search_finds_what_trying_all_draws_finds(name: str):
    mechanism, budget = mechanisms.get(name), (8.0, -1.0, 1.0)
    every = Client(mechanism, 1.0, *budget).answers(np.arange(DRAWS))
    sent = mechanism.perturb(np.full(3000, -1, np.float32), *budget, np.random.default_rng(5))
    sent = np.concatenate([sent, every[:: DRAWS // 3000]])
    possible = np.sort(every.view(np.uint32))
    bits = sent.view(np.uint32)
    truth = possible[np.minimum(np.searchsorted(possible, bits), len(possible) - 1)] == bits
    assert (can_give(Client(mechanism, 1.0, *budget), sent) == truth).all()


@pytest.mark.parametrize(
    ("name", "epsilon"), every(2, [("piecewise", 0.5), ("laplace", 0.5), ("duchi", 17.0), ("pdpm", 8.0)])
)
def test_the_table_is_what_is_measured_here(name: str, epsilon: float):
    mechanism = mechanisms.get(name)
    here, there = given_away(mechanism, epsilon, -1.0, 1.0), table(mechanism).found[epsilon]
    if name == "laplace":
        assert here.low == pytest.approx(there.low, abs=TOLERANCE)
        assert here.high == pytest.approx(there.high, abs=TOLERANCE)
    else:
        assert here == there


def test_a_sample_of_gaussian_answers_agrees_with_the_table():
    """20 000 answers against 131 072: 6 standard errors, beyond which chance goes once in 1e9."""
    gaussian, budget = mechanisms.get("gaussian"), (1.0, -1.0, 1.0)
    share = table(gaussian).found[1.0].low
    assert share is not None
    sent = gaussian.perturb(np.full(20_000, -1, np.float32), *budget, np.random.default_rng(6))
    seen = 1 - can_give(Client(gaussian, 1.0, *budget), sent).mean()
    assert seen == pytest.approx(share, abs=6 * np.sqrt(share * (1 - share) * (1 / 20_000 + 1 / 131_072)))


def test_the_table_says_what_is_known():
    def shares(name: str) -> dict[float, float | None]:
        return {epsilon: one.share for epsilon, one in table(mechanisms.get(name)).found.items()}

    for name, least in (("laplace", 0.8), ("piecewise", 0.55), ("gaussian", 0.03)):
        assert tuple(shares(name)) == float_table.EPSILONS
        assert all(share is not None and share > least for share in shares(name).values())
    for epsilon, one in table(mechanisms.get("duchi")).found.items():
        assert (one.loss == np.inf) == (epsilon >= 17)
        assert one.loss == pytest.approx(epsilon, rel=0.05) or epsilon >= 17


def test_the_nearest_budget_is_read_and_another_range_from_the_usual_one():
    found = table(mechanisms.get("piecewise"), -3.0, 5.0)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert [found.nearest(e) for e in (1e-6, 0.3, 3.0, 700.0)] == [0.1, 0.2, 4.0, 20.0]
    update = table(mechanisms.get("piecewise"), -0.1, 0.1)
    assert (update.low, update.high) == (-0.1, 0.1)


@pytest.mark.parametrize("name", ["gaussian", "harmony", "laplace", "ldpsign"])
def test_a_mechanism_that_an_experiment_has_fitted_is_found(name: str):
    assert table(mechanisms.get(name).fitted(Use(650, 15, 1, 70)))


def test_what_was_not_measured_is_not_made_up():
    assert float_table.measured(mechanisms.get("grr", levels=9), -1.0, 1.0) is None
    assert float_table.measured(mechanisms.get("piecewise", form="as_printed"), -1.0, 1.0) is None
    assert not countable(mechanisms.get("piecewise", form="as_printed"))
    assert not countable(mechanisms.get("gaussian", per="upload").fitted(Use(VECTOR)))


def test_harmony_tosses_a_finer_coin():
    harmony = mechanisms.get("harmony", dimension=1)
    assert given_away(harmony, 20.0, -1.0, 1.0).loss == pytest.approx(20, rel=1e-6)
    assert given_away(harmony, 40.0, -1.0, 1.0).loss == np.inf


@pytest.mark.parametrize("mechanism", ["privunit", "gaussian"])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_no_answer_of_a_whole_upload_tells_whether_a_weight_is_zero(mechanism: str, epsilon: float):
    whole = mechanisms.get(mechanism).for_uploads()
    measured = table(whole).found[epsilon]
    assert given_away(whole, epsilon, -1.0, 1.0) == measured == GivenAway(0, 0, None, False)


@pytest.mark.parametrize("norm", [None, 0.3])
@pytest.mark.parametrize("name", ["gaussian", "dynamic_gaussian"])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.5, 9.0)])
def test_gaussian_answers_of_whole_uploads_lie_on_a_grid_that_no_input_moves(
    name: str, norm: float | None, low: float, high: float
):
    import torch

    noise = mechanisms.get(name, norm=norm).for_uploads().model_copy(update={"dimension": 50})
    values = np.full((400, 50), (low + high) / 2, np.float32)
    values[:, :25] += stream(0, "audit").uniform(0, 0.4, 25)
    sent = noise.perturb(values, 2.0, low, high, stream(1, "audit"))
    tensor = noise.perturb(torch.from_numpy(values), 2.0, low, high, torch.Generator().manual_seed(1))
    grids = []
    for answers in (sent[:, :25], sent[:, 25:], tensor[:, :25].numpy(), tensor[:, 25:].numpy()):
        assert answers.dtype == np.float32
        odd = np.frexp(np.float64(answers[answers != 0]))
        grids.append(float(np.min(odd[1] - 53 + _twos(odd[0] * 2.0**53))))
    assert isinstance(noise, GaussianNoise)
    spread = np.log2(float(noise.at(2.0, low, high).sigma))
    assert min(grids) == max(grids)
    assert -24 < grids[0] - spread < -12


def _twos(wholes: np.ndarray) -> np.ndarray:
    number = wholes.astype(np.int64)
    return np.log2((number & -number).astype(np.float64))


@pytest.mark.parametrize("norm", [0.3, 2.0])
def test_answers_of_privunit_lie_on_a_grid_that_no_input_moves(norm: float):
    """In float32, of numpy and torch alike: a weight that is 0 and one that is not."""
    import torch

    privunit = mechanisms.get("privunit", norm=norm, dimension=50)
    values = np.zeros((400, 50), np.float32)
    values[:, :25] = stream(0, "audit").standard_normal(25)
    sent = privunit.perturb(values, 2.0, -1, 1, stream(1, "audit"))
    tensor = privunit.perturb(torch.from_numpy(values), 2.0, -1, 1, torch.Generator().manual_seed(1))
    for answers in (sent, tensor.numpy()):
        assert answers.dtype == np.float32
        least = np.abs(answers[answers != 0]).min()
        grid = 2.0 ** np.floor(np.log2(answers.std()) - GRID_BITS - 1)
        assert grid <= least
        assert (answers.astype(np.float64) / grid == np.round(answers.astype(np.float64) / grid)).all()
