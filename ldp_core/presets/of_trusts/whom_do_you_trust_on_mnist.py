"""Scenario: the question “Whom do you trust?” of as many clients, with MNIST's images."""

from dataclasses import replace

from ldp_core.presets.of_trusts import whom_do_you_trust

PRESET = replace(
    whom_do_you_trust.PRESET,
    order=23,
    label="Whom do you trust? On MNIST",
    question="As many people with harder images, the same ε for each: what does trust buy?",
    base={**whom_do_you_trust.PRESET.base, "dataset": "mnist"},
)
