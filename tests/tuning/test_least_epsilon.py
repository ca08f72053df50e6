"""The search finds the least ε of a world whose answer is known, whenever it is interrupted."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from ldp_core.errors import InvalidExperiment
from ldp_core.limits import SEED
from ldp_core.tuning import Answer, Point, Question, answer_of, next_points, parse_question
from ldp_core.tuning.least_epsilon import tried

HEIGHT = {0.5: 0.89, 1.0: 0.95}
"""What each range reaches without noise."""


def world(point: Point) -> float:
    """Accuracy rises with log ε up to what the range allows; seeds shift all settings alike."""
    shift = 0.004 * np.sin(point.seed)
    if point.epsilon is None:
        return HEIGHT[point.half] + shift
    middle = 1.0 if point.half == 0.5 else 1.6
    return float(HEIGHT[point.half] / (1 + (middle / point.epsilon) ** 3) + shift)


def least(half: float, accuracy: float) -> float:
    """The ε at which the world's mean crosses the accuracy."""
    middle = 1.0 if half == 0.5 else 1.6
    return float(middle / (HEIGHT[half] / accuracy - 1) ** (1 / 3))


def searched(
    question: Question, known: dict[Point, float], world: Callable[[Point], float] = world
) -> tuple[Answer, dict[Point, float]]:
    while wanted := next_points(question, known):
        assert not set(wanted) & set(known), "nothing is trained twice"
        known |= {point: world(point) for point in wanted}
    return answer_of(question, known), known


def asked(**more: Any) -> Question:
    return parse_question({"accuracy": 0.8, "ranges": [0.5, 1], **more})


def test_least_epsilon_is_found_at_the_better_range():
    answer, known = searched(asked(), {})
    true = least(0.5, 0.8)
    assert answer.half == 0.5
    assert answer.epsilon is not None
    # seeds spread by some 0.3 %, which a sure answer stays above
    assert answer.above is not None
    assert true < answer.epsilon < 1.35 * true
    assert answer.above < answer.epsilon <= 1.2 * answer.above * 1.001
    assert len(known) < 300
    high, _ = searched(asked(accuracy=0.92), {})
    assert high.half == 1.0, "the narrow range cannot"


def test_one_that_was_cut_off_ends_with_the_same_answer():
    answer, known = searched(asked(), {})
    for kept in (1, len(known) // 2, len(known) - 1):
        again, _ = searched(asked(), dict(list(known.items())[:kept]))
        assert again == answer


def test_answer_is_stated_from_fresh_seeds():
    answer, known = searched(asked(), {})
    fresh = [value for point, value in known.items() if point.seed >= 16 and point.epsilon == answer.epsilon]
    assert len(fresh) == 8
    assert answer.mean == pytest.approx(np.mean(fresh))
    assert answer.sure is not None and 0.8 <= answer.sure < np.mean(fresh)
    assert "8 reach 80.0\u202f%" in answer.why
    assert next_points(asked(), known) == []
    early = {point: value for point, value in known.items() if point.seed < 23}
    assert answer_of(asked(), early).mean is None
    assert [point.seed for point in next_points(asked(), early)] == [23]


def test_search_goes_on_where_fresh_seeds_fall_below():
    """Three of eight fresh seeds are five points worse: with them the answer of the others is not sure."""

    def unlucky(point: Point) -> float:
        return world(point) - (0.05 if 16 <= point.seed < 19 else 0)

    lucky, (answer, known) = searched(asked(), {})[0], searched(asked(), {}, unlucky)
    assert answer.epsilon and lucky.epsilon and answer.epsilon > lucky.epsilon
    given_up = {p.epsilon for p in known if p.seed == 23} - {answer.epsilon}
    assert given_up and max(e or 0.0 for e in given_up) < answer.epsilon


def test_answer_whose_fresh_seeds_fall_below_says_so_first():
    fresh = dict.fromkeys(range(16, 24), 0.9) | {20: 0.795}
    known = {Point(0.5, 3.0, seed): 0.9 + 0.001 * (seed % 2) for seed in range(16)}
    answer = answer_of(asked(), known | {Point(0.5, 3.0, seed): value for seed, value in fresh.items()})
    assert answer.epsilon == 3.0
    assert answer.why.startswith("by its fresh seeds")


def test_mechanism_without_ranges_races_one_design():
    privunit = {"target": "update", "mechanism": {"name": "privunit", "norm": 1.0}}
    question = asked(base=privunit, ranges=[0.5, 1])
    assert len(question.ranges) == 1

    def of_one_design(point: Point) -> float:
        return world(Point(0.5, point.epsilon, point.seed))

    for accuracy in (0.8, 0.97):
        answer, _ = searched(replace(question, accuracy=accuracy), {}, of_one_design)
        assert "±" not in answer.why and "range" not in answer.why


def test_lucky_setting_is_retried_and_given_up():
    true = searched(asked(), {})[0].epsilon
    assert true is not None

    def lucky(point: Point) -> float:
        """The first eight seeds are two points better everywhere."""
        return world(point) + (0.02 if point.seed < 8 else 0.0)

    answer, known = searched(asked(), {}, lucky)
    seems = [p.epsilon for p in known if p.half == 0.5 and p.epsilon and lucky(p) >= 0.8 and p.seed < 8]
    assert answer.epsilon is not None and answer.epsilon > min(seems), "the eight alone would have had less"
    both = [value for p, value in known.items() if p[:2] == (answer.half, answer.epsilon) and p.seed < 16]
    assert len(both) == 16 and np.mean(both) >= 0.8
    given_up = {p.epsilon for p in known if p.half == 0.5 and 8 <= p.seed < 16} - {answer.epsilon}
    assert given_up and max(e or 0.0 for e in given_up) < answer.epsilon


def test_fresh_runs_meet_the_stated_accuracy():
    """Runs spread by 3 points, a quarter of that variance with the seed. What a search tells holds for 97.5 %
    of fresh runs on average, give or take 3 points a search: 120 searches are good to 0.3, and a right
    program fails here for 1 of 15 000 generators' seeds. By the seeds that chose, it was 95 %.
    """
    generator = np.random.default_rng(7)
    question, spread = asked(ranges=[0.5, 0.6, 0.8, 1.0]), 0.03
    held, met = list[float](), list[float]()
    for _ in range(120):
        common = generator.normal(0, spread / 2, 100)

        def height(half: float, epsilon: float | None) -> float:
            return 0.92 / (1 + (half / epsilon) ** 2.2) if epsilon else 0.93

        def noisy(point: Point, common: Any = common) -> float:
            own = float(generator.normal(0, spread * np.sqrt(3) / 2))
            return height(point.half, point.epsilon) + float(common[point.seed]) + own

        answer, _ = searched(question, {}, noisy)
        assert answer.half is not None and answer.sure is not None
        top = height(answer.half, answer.epsilon)
        held.append(1 - ndtr((answer.sure - top) / spread))
        met.append(1 - ndtr((question.accuracy - top) / spread))
    assert np.mean(held) == pytest.approx(0.975, abs=4 * 0.03 / np.sqrt(len(held)))
    # of 20 searches the worst is to name a setting of which 93 of 100 runs do; by the seeds that chose it, 90
    assert np.quantile(met, 0.05) > 0.93


def test_negative_answer_names_the_obstacle():
    answer, _ = searched(asked(accuracy=0.97), {})
    assert answer.epsilon is None
    assert "±0.5 reaches 89" in answer.why
    assert "% without noise)" in answer.why
    lost, _ = searched(asked(accuracy=0.97), {}, lambda point: 0.0)
    assert "±0.5 diverges even without noise" in lost.why
    bound, _ = searched(asked(run_budget=2000), {})
    assert bound.epsilon is None
    assert "allows no more than ε" in bound.why


def noisy(mean: float, spread: float, seed: int = 5) -> Callable[[Point], float]:
    """A world in which every setting does equally well."""
    own = np.random.default_rng(seed).normal(mean, spread, 6000)
    return lambda point: float(own[point.seed])


def test_sure_shortfall_differs_from_an_open_answer():
    short, known = searched(asked(), {}, noisy(0.78, 0.01))
    assert "80.0\u202f% is not reached surely: ±0.5 reaches 7" in short.why and short.more is None
    assert "ε 700 per weight is the largest" in short.why
    assert len(known) < 100
    above, _ = searched(asked(), {}, noisy(0.81, 0.02))
    assert (
        "% on average at ε 700, in 8 runs," in above.why
        and "but fewer than 97.5\u202f% of runs reach 80.0\u202f%" in above.why
    )
    # 97.5 % of runs reach 0.8003: more runs than the usual ones are needed to tell
    opened, known = searched(asked(ranges=[1]), {}, noisy(0.81989, 0.01))
    assert "was not found to be reached surely" in opened.why and "it is open whether" in opened.why
    assert opened.more is not None and opened.more.effort > 1 and opened.more.runs > 0
    again, more = searched(asked(ranges=[1], effort=opened.more.effort), dict(known), noisy(0.81989, 0.01))
    assert len(more) > len(known) and (again.epsilon is not None or again.more != opened.more)


def test_search_reaches_the_largest_allowed_budget():
    """650 weights that share an ε of an upload need more than each for itself."""

    def far(point: Point) -> float:
        return 0.9 if (point.epsilon or 700) > 300 else 0.5

    answer, _ = searched(asked(base={"clients": {"epsilon_scope": "upload"}}), {}, far)
    assert answer.epsilon is not None and 300 < answer.epsilon < 400


def test_wrong_shortfalls_occur_in_one_of_forty():
    """97.5 % of runs reach the target exactly. 4 000 tries are good to 0.25 %: a right program fails here for
    1 of 15 000 generators' seeds."""
    own = np.random.default_rng(11).normal(1.959964 * 0.01 + 0.8, 0.01, (4000, 8))
    found = [
        tried(asked(ranges=[1]), {Point(1.0, 1.0, s): one for s, one in enumerate(row)}, 1.0)[0]
        for row in own.tolist()
    ]
    assert np.mean([one.most < 0.8 for one in found]) == pytest.approx(0.025, abs=0.01)


def test_a_question_survives_json():
    question = asked(run_budget=9000, precision=1.5, effort=4)
    assert parse_question(json.loads(json.dumps(question.as_json()))) == question


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "a question must be a JSON object"),
        ({"accuracy": 1}, "accuracy must be a number between 0 and 1, both excluded, like 0.85; got 1"),
        ({"accuracy": 0}, "both excluded"),
        ({}, "accuracy must be a number"),
        ({"accuracy": 0.8, "ranges": [0.5, "x"]}, "ranges must be half-widths"),
        ({"accuracy": 0.8, "ranges": [1, 1]}, "8 different half-widths at most"),
        ({"accuracy": 0.8, "run_budget": -1}, "run_budget must be an ε above 0"),
        ({"accuracy": 0.8, "run_budget": 1e-9}, "the budget of the run must lie between"),
        ({"accuracy": 0.8, "base": {"mechanism": "none"}}, "adds no noise, so any ε would do"),
        ({"accuracy": 0.8, "base": {"seed": int(SEED.maximum) - 10}}, "seed must be"),
        ({"accuracy": 0.8, "sedes": 3}, "did you mean seeds?"),
        ({"accuracy": 0.8, "effort": 0}, "effort must be a whole number between 1 and 64; got 0"),
    ],
)
def test_invalid_question_is_refused(data: Any, words: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse_question(data)
    assert words in str(caught.value)
