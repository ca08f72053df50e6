"""The bounds by hand. That no attack beats them is tested with identification in tests/leakage."""

from itertools import pairwise

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.attacks.findings import bounds
from ldp_core.attacks.findings.metrics import PSNR_CAP, clamped, ncc, ncc_pairs, psnr, psnr_pairs, ssim
from ldp_core.attacks.findings.verdict import judge, judge_share
from ldp_core.inference import wilson
from ldp_core.leakage.scores import score_real
from tests.data import digits


def test_the_table_of_the_reference():
    epsilon = np.array([0.1, 0.5, 1, 2, 3, 5, 8])
    assert bounds.mary(epsilon, 10) == pytest.approx(
        [0.109, 0.155, 0.232, 0.451, 0.691, 0.943, 0.997], abs=6e-4
    )
    assert bounds.gaussian(0.0, 0.1) == pytest.approx(0.1)
    assert bounds.mary(1e6, 10) == 1


def test_vacuous_bound_is_labelled_vacuous():
    wide = bounds.worst_case(5200.0, None, 10)
    assert wide.vacuous
    assert wide.label.endswith("excludes nothing")
    narrow = bounds.worst_case(1.0, None, 10)
    assert not narrow.vacuous
    none = bounds.worst_case(np.inf, None, 10)
    assert none.value == 1
    assert "no bound" in none.label
    normal = bounds.worst_case(np.inf, 0.5, 10)
    assert normal.name == "gaussian"
    assert normal.value < 0.3


def of_one_weight(name: str) -> bool:
    """Whether a mechanism gives the affinity of its answers for one weight, which it need not."""
    mechanism = mechanisms.get(name)
    return mechanism.scope == "coordinate" and mechanism.at(1.0, -0.2, 0.2).log_affinity(0, 0.1) is not None


CLOSED_FORMS = [name for name in mechanisms.names() if of_one_weight(name)]


def test_common_mechanisms_have_a_closed_form_affinity():
    assert {"laplace", "duchi", "pdpm", "piecewise", "hybrid", "gaussian", "ldpsign"} <= {*CLOSED_FORMS}


def test_harmony_affinity_sums_over_answers():
    law = mechanisms.get("harmony", dimension=3).at(1.0, -0.2, 0.2)
    one, other = np.array([-0.05, 0.2, 0.0]), np.array([0.11, -0.2, 0.0])
    sent = law.outputs()
    assert sent is not None
    total = np.exp((law.log_prob(sent, one) + law.log_prob(sent, other)) / 2).sum()
    assert np.exp(law.log_affinity(one, other)) == pytest.approx(total)


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_log_affinity_equals_its_integral(name: str, epsilon: float):
    """Against a sum over atoms and an integral between edges; closed forms only."""
    law, value, other = mechanisms.get(name).at(epsilon, -0.2, 0.2), -0.05, 0.11
    claimed = law.log_affinity(value, other)

    def root(y: np.ndarray) -> np.ndarray:
        return np.exp((law.marginal_log_prob(y, value) + law.marginal_log_prob(y, other)) / 2)

    atoms = law.atoms(value)
    total = root(atoms).sum() if len(atoms) else 0.0
    spread = 60 * float(np.sqrt(law.max_variance))
    ends = [law.edges(x) for x in (value, other)]
    edges = np.unique(np.clip(np.concatenate(ends), -spread, spread))
    for a, b in pairwise(edges.tolist()):
        y = a + (b - a) * (np.arange(20000) + 0.5) / 20000
        total += root(y).mean() * (b - a)
    assert np.exp(claimed) == pytest.approx(total, rel=2e-4)


def test_ncc_ignores_brightness_and_contrast():
    image = np.random.default_rng(0).random((1, 8, 8))
    assert ncc(0.2 + 0.5 * image, image)[0] == pytest.approx(1)
    assert ncc(1 - image, image)[0] == pytest.approx(-1)
    assert ncc(np.full((1, 8, 8), 0.5), image)[0] == 0, "a constant image is like nothing"
    matrix = np.corrcoef(image.ravel(), np.flip(image).ravel())
    assert ncc(np.flip(image), image)[0] == pytest.approx(matrix[0, 1])


def test_non_finite_pixels_become_black():
    assert clamped(np.array([np.nan, np.inf, -np.inf, 0.5])).tolist() == [0, 1, 0, 0.5]


@pytest.mark.parametrize(
    ("figures", "kind"),
    [
        ((25, 0.95, 0.5, 11, 120, 120), "recovered"),
        ((18, 0.5, 0.5, 12, 120, 120), "partly"),
        ((13, 0.9, 0.5, 12, 120, 120), "partly"),  # a wrong contrast, which an eye forgives
        ((13, 0.9, None, 12, 120, 120), "partly"),
        ((13, 0.9, 0.95, 12, 120, 120), "hidden"),  # what any image of its class looks like
        ((18, 0.7, 0.5, 16, 120, 120), "hidden"),  # explained by its label
        ((19.5, 0.7, 0.5, 16, 120, 120), "partly"),
        ((11, 0.9, 0.5, 12, 120, 120), "hidden"),  # no closer than the average image
        ((13, 0.5, 0.2, 12, 120, 60), "hidden"),
        ((13, 0.5, 0.2, 12, 120, 15), "clipping"),
        ((25, 0.95, 0.2, 11, 18, 18), "inconclusive"),
        ((6, 0.1, 0.2, 12, 18, 18), "inconclusive"),
    ],
)
def test_verdicts(figures: tuple[float, float, float, float, float, float], kind: str):
    verdict = judge(*figures)
    assert verdict.kind == kind
    assert "private" not in verdict.text


@pytest.mark.parametrize(
    ("figures", "kind"),
    [
        ((0.4, 0, 0.4, 0.4), "recovered"),
        ((0.1, 0, 0.4, 0.4), "partly"),
        ((0.0, 0, 0.4, 0.4), "hidden"),
        ((0.0, 0, 0.4, 0.0), "clipping"),
        ((0.0, 0, 0.05, 0.0), "inconclusive"),
        ((0.3, 0.3, 0.4, 0.4), "hidden"),
    ],
)
def test_verdicts_on_batches(figures: tuple[float, float, float, float], kind: str):
    verdict = judge_share(*figures, images=50)
    assert verdict.kind == kind
    assert "private" not in verdict.text


@pytest.mark.parametrize(
    ("read", "by_chance", "kind", "word"),
    [(0.0, 0.0, "hidden", "none"), (1.0, 0.0, "partly", "can be read"), (0.5, 0.5, "hidden", "none")],
)
def test_batch_without_close_copies_can_be_read(read: float, by_chance: float, kind: str, word: str):
    """At ε 8 a lesion was plainly seen beside “0 of 4 back”."""
    found = judge_share(0, 0, 0.9, 0.9, 4, read, by_chance)
    assert found.kind == kind and word in found.text


def test_darker_copies_of_a_batch_can_be_read():
    members, others = (digits().train_x[part].astype(np.float64) for part in (slice(0, 6), slice(50, 56)))
    found = score_real(0.7 * members, members, others, digits().test_x.mean(axis=0).astype(np.float64))
    assert (found["recovered"], found["read"]) == (0, 6)
    assert found["read_non_members"] == 0


def test_pairs_agree_with_one_at_a_time():
    images = digits().train_x[:6].astype(np.float64)
    noisy = images + np.random.default_rng(1).normal(0, 0.2, images.shape)
    noisy[2] = images[4]
    for pairs, single in ((psnr_pairs, psnr), (ncc_pairs, ncc)):
        table = pairs(noisy, images)
        for i in range(6):
            assert table[i] == pytest.approx(single(np.repeat(noisy[i : i + 1], 6, axis=0), images))
    assert psnr_pairs(noisy, images)[2, 4] == PSNR_CAP


def test_guesses_at_once_have_the_bits_of_one_at_a_time():
    x = digits().train_x.astype(np.float64)
    guesses, originals = x[:6].reshape(2, 3, 8, 8) / 2, x[6:9]
    for name in (psnr, ssim, ncc):
        at_once = name(guesses.reshape(6, 8, 8), np.concatenate([originals] * 2))
        for a in range(2):
            assert np.array_equal(at_once[3 * a : 3 * a + 3], name(guesses[a], originals))


def test_images_of_different_shapes_are_not_spread_silently():
    for metric in (psnr, ncc, ssim):
        with pytest.raises(ValueError, match="differ"):
            metric(np.zeros((3, 1, 8, 8)), np.zeros((3, 8, 8)))


def test_ssim_and_psnr_agree_with_scikit_image():
    """Against the library's own defaults; it is only needed here."""
    oracle = pytest.importorskip("skimage.metrics")
    rng = np.random.default_rng(2)
    for shape in ((8, 8), (28, 28), (3, 32, 32)):
        a = rng.random((4, *shape))
        b = np.clip(a + rng.normal(0, 0.3, a.shape), 0, 1)
        axis = 0 if len(shape) == 3 else None
        for i in range(4):
            expected = oracle.structural_similarity(a[i], b[i], data_range=1.0, channel_axis=axis)
            assert ssim(a, b)[i] == pytest.approx(expected, abs=1e-12)
            ratio = oracle.peak_signal_noise_ratio(b[i], a[i], data_range=1.0)
            assert psnr(a, b)[i] == pytest.approx(ratio, abs=1e-9)


def test_wilson_by_hand():
    assert wilson(10, 10) == pytest.approx((0.7224672, 1.0), abs=1e-6)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611252), abs=1e-6)
    assert wilson(8, 20) == pytest.approx((0.2188065, 0.6134185), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)
