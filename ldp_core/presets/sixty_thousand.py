"""Sixty thousand people, one image each: one ε for all that a person ever sends, made useful by numbers.

Step, norm and rounds were set by hand. What others give at ε 8, held out, with seed 0 (here 80.9 %): norm 1
74.0 %, norm 4 79.6 %; a step of 0.25 80.4 %, of 1 80.5 %; 10 rounds 78.1 %, 40 rounds 83.8 %.
"""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, both, budget, ranked, reaches, times_the_noise
from ldp_core.presets.questions import Figure, accuracy

MILD, MIDDLE, STRICT, FEW = "ε 8", "ε 4", "ε 2", "600 people, ε 8"
TOTALS = {MILD: 8, MIDDLE: 4, STRICT: 2, FEW: 8}
BY_NUMBERS = Sentence(
    "With sixty thousand people ε 8 ends above 75 %, ε 4 behind it, and even ε 2 names more than half of "
    "the digits right.",
    both(ranked(MILD, MIDDLE, STRICT), reaches(MILD, low=0.75), reaches(STRICT, low=0.5)),
)

PRESET = Preset(
    order=21,
    label="Sixty thousand people, one image each",
    question="Nobody spends more than ε 8, 4 or 2 in total. Do sixty thousand such answers make a model?",
    says=(
        Sentence(
            "Everybody uploads once, under one ε for the whole upload, and that is all the run costs: 8, 4 "
            "or 2.",
            both(
                *(
                    budget(label, scope, total - 1e-6, total + 1e-6)
                    for label, total in TOTALS.items()
                    for scope in ("upload", "run_worst")
                )
            ),
        ),
        BY_NUMBERS,
        Sentence(
            "At ε 8 six hundred people, who hold the same images, have about a hundred times the noise "
            "variance in a round, and end far behind.",
            both(times_the_noise(FEW, MILD, 90, 110), ranked(MILD, FEW, by=0.15)),
        ),
        Sentence(
            "The step, the length that uploads are shortened to and the number of rounds were set by hand, "
            "for MNIST, whose images are public: to choose them on private images costs budget that is not "
            "counted here."
        ),
    ),
    ask=Figure("How accurate will the model be at ε 2?", (STRICT,), accuracy, BY_NUMBERS),
    base={
        "dataset": "mnist",
        "clients": {"count": 60_000, "epsilon": 8},
        "target": "update",
        "mechanism": {"name": "privunit", "norm": 2},
        "selection": "once",
        # one step each, also where a person holds a hundred images
        "local": {"epochs": 1, "batch_size": 100, "learning_rate": 0.5},
        "rounds": 20,
        "attack": None,
    },
    variants=(
        *((label, {"clients.epsilon": TOTALS[label]}) for label in (MILD, MIDDLE, STRICT)),
        (FEW, {"clients.count": 600}),
    ),
)
