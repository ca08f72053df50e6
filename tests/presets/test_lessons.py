"""Lessons hold: every sentence that names a figure or an order is checked, with seeds of its own."""

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.accounting import ledger
from ldp_core.datasets import get
from ldp_core.experiment import changed
from ldp_core.presets.evidence import Evidence, Missing, Outcome
from ldp_core.runs import outcomes
from ldp_core.runs.view.evidence import evidence
from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.simulate import simulate
from ldp_core.theory import server_variance
from tests.extent import in_gate

SEEDS = (101, 102, 103, 104, 105)
"""Not those of the pages. The gate trains one of them and counts it five times, so that an order must show
in that seed; EPSILON_TEST_ALL trains all five, and an order must hold by their interval."""
ORDER = re.compile(
    r"""\d | \b(?: more|less|fewer|most|least|best|better|worst|worse|first|last|ahead|behind|all|none|every
    |each|never|always|only|both|times|half|hundred|thousand|\w+fold|nearly|hardly|little|same
    |equal(?!\ budgets)
    |one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|far|large)\b""",
    re.VERBOSE | re.IGNORECASE,
)


READ: dict[str, dict[str, dict[str, Any]]] = {
    "twenty_images": {
        "no LDP": {"attack.uploads": "real"},
        "Piecewise, ε 8": {"attack.uploads": "both"},
        "Piecewise, ε 20": {"attack.uploads": "real"},
        "Duchi, ε 8": {"attack.uploads": "real"},
    },
    "picture_forms": {
        label: {"attack.candidates": 10, "attack.clients": [1]}
        for label in ("no LDP", "Piecewise, ε 12", "Piecewise, ε 4", "Duchi, ε 12")
    },
}
"""Of a costly scenario, only what its sentences speak of is attacked: which uploads, variant by variant.

Each kind has noise of its own, so what comes back is the same without the other; a sentence that speaks of
more finds nothing, and the test fails. Few speak of picking: for others two candidates will do.
"""


SMALLER: dict[str, dict[str, Any]] = {"promise_and_repair": {"selection.fraction": 0.1, "rounds": 5}}
"""Of a scenario that takes minutes a run, what a test changes, with a single seed: ten clients a round
instead of seventy, so that the mean has more noise than where the sentences are shown."""
LARGER_STEPS: dict[str, Any] = {"rounds": 4, "local.epochs": 2, "local.learning_rate": 0.05}
SHORTER: dict[str, dict[str, Any]] = in_gate(
    {
        # a twenty-fifth of the clients, three of which are attacked
        "twenty_images": {"rounds": 1, "attack.rounds": [1], "selection.fraction": 0.04},
        "picture_forms": {"rounds": 2, "attack.attacker.iterations": 120},
        "again_and_again": {"rounds": 1},
        "everybody_equal": {"rounds": 8},
        "pd_ldpfl": {"rounds": 20},
        "two_volunteers": {"rounds": 10},
        "promise_and_repair": {"rounds": 4, "local.epochs": 2},
        "promise_and_repair, Duchi, changes in ±0.01": LARGER_STEPS,
        "promise_and_repair, FedAvg": LARGER_STEPS,
    },
    {},
)
"""What the gate leaves out of a costly scenario, or of one of its variants: their sentences hold of any round
that is attacked, of a search that has made a likeness, and of steps that are fewer and larger."""

UNSAID = in_gate(("rpss_in_clear, 20 % in clear, Adam",), ())
"""A variant of which no sentence says anything that is checked: the gate need not train it."""
ATTACKED = (*READ, "two_volunteers", "send_changes", "same_epsilon", "again_and_again", "rpss_in_clear",
            "what_is_kept")  # fmt: skip
"""Whose sentences speak of attacks, so that nothing is trained without them first."""
STORED = in_gate(("sixty_thousand",), ())
"""Whose runs take a minute of computing for each seed: the gate reads their shipped outcome, and
EPSILON_TEST_ALL trains them."""


def kept(name: str) -> Evidence:
    """What a scenario's shipped outcome shows, with the ledger of its runs and the noise that they expect."""
    draft, found = presets.get(name).draft, outcomes.stored(name)
    assert found is not None
    runs = zip(draft.variants, draft.experiments(), found.ends, strict=True)
    return Evidence(
        Outcome(
            variant.label,
            seed,
            accuracy=accuracy,
            per_class=(),
            permissive=0.0,
            noise=np.array([server_variance(experiment)]),
            ledger=ledger(experiment),
        )
        for variant, experiment, ends in runs
        for seed, accuracy in enumerate(ends)
    )


@cache
def shown(name: str, attacked: bool) -> Evidence:
    """What a scenario shows with other seeds; downloaded data from EPSILON_DATA_DIR.

    Most of the time goes into attacks, and most sentences do not speak of them.
    """
    if name in STORED:
        return kept(name)
    draft = presets.get(name).draft
    data = get(draft.base.dataset).load(Path(os.environ.get("EPSILON_DATA_DIR", "nowhere")))
    runs = []
    for number, (variant, experiment) in enumerate(zip(draft.variants, draft.experiments(), strict=True)):
        if f"{name}, {variant.label}" in UNSAID:
            continue
        for seed in in_gate(SEEDS[:1], SEEDS[:1] if name in SMALLER else SEEDS):
            counted = SEEDS if in_gate(True, name in SMALLER) else [seed]
            result = [RunProgress(number, variant.label, each, "{}") for each in counted]
            changes: dict[str, Any] = {"attack": None}
            if attacked:
                changes = {"attack.candidates": 2} | READ[name][variant.label] if name in READ else {}
            for table in (SMALLER, SHORTER):
                changes |= table.get(name, {}) | table.get(f"{name}, {variant.label}", {})
            for event in simulate(changed(experiment, {"seed": seed} | changes), data):
                for run in result:
                    run.fold(event.as_json())
            runs += result
    return evidence(runs)


def marked(name: str) -> object:
    needs_mnist = presets.get(name).draft.base.dataset == "mnist" and name not in STORED
    return pytest.param(name, marks=pytest.mark.mnist) if needs_mnist else name


@pytest.mark.parametrize("name", [marked(name) for name in presets.names()])
def test_what_a_lesson_says_holds_with_other_seeds(name: str, request: pytest.FixtureRequest):
    if request.node.get_closest_marker("mnist") is not None:
        request.getfixturevalue("mnist_dir")
    attacked = name in ATTACKED
    for sentence in presets.get(name).says:
        found = sentence.found(shown(name, attacked)) or sentence.found(shown(name, True))
        assert found is not None, f"the runs do not tell: {sentence.text}"
        assert found.outcome == "holds", f"“{sentence.text}”, but in these runs {found.shows}"
    ask = presets.get(name).ask
    try:
        answers = ask.answers(shown(name, attacked))
    except Missing:  # an attack tells it
        answers = ask.answers(shown(name, True))
    assert answers, "the first question is answered by the same runs"


@pytest.mark.parametrize("name", presets.names())
def test_a_lesson_rests_on_three_seeds_at_least(name: str):
    """And its shipped outcome tells every sentence: none was replaced by what its own runs show."""
    preset, found = presets.get(name), outcomes.stored(name)
    assert preset.draft.seeds >= 3
    if found is not None:
        assert found.seeds == preset.draft.seeds
        assert "In these runs" not in found.lesson


@pytest.mark.parametrize("name", presets.names())
def test_a_sentence_that_names_a_figure_or_an_order_has_a_check(name: str):
    for sentence in presets.get(name).says:
        assert sentence.text.endswith(".")
        assert sentence.check or not ORDER.search(sentence.text), sentence.text


@pytest.mark.parametrize(
    "text",
    ["Half of them come back.", "PDPM comes last.", "It holds for every seed.", "Seven times less.", "ε 8."],
)
def test_such_words_are_seen(text: str):
    assert ORDER.search(text)
