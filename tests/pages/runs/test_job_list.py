"""What the list of runs says of each, so that two of them are distinct."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ldp_core import presets
from ldp_core.datasets import Step
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.kinds import Words
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import Reporter
from pages.parts.runs.said import _places, said, state
from pages.parts.runs.said import in_words as in_words_of

DRAFT = presets.get("two_volunteers").draft


def in_words(kind: str, request: dict[str, Any]) -> Words:
    return in_words_of(kind, kinds.get(kind).parse(request))


def test_run_line_lists_comparison_and_budgets():
    found = in_words("run", {"draft": DRAFT.as_json(), "reference": True})
    assert found == Words(
        "Two volunteers among twenty",
        f"9 runs and one without noise, {DRAFT.base.rounds} rounds each",
        "Piecewise: mean, 1/σ, 1/σ²",
        "20 clients: 18 ask for ε 0.5, 2 for ε 8 per weight",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rounds": 7}, "rounds 15 → 7"),
        ({"mechanism.name": "duchi", "rounds": 7}, "mechanism Piecewise → Duchi and 1 more"),
        ({"clients.epsilon": 3.0}, "budgets Two volunteers → ε 3 for all"),
    ],
)
def test_changed_settings_are_in_the_run_name(change: dict[str, object], words: str):
    prepared = in_words("run", {"draft": DRAFT.as_json()})
    changed = in_words("run", {"draft": DRAFT.with_base(change).as_json()})
    assert changed.name == f"{prepared.name}: {words}"
    assert changed[1:] != prepared[1:]


def test_ladder_line_lists_target_and_mechanisms():
    ladder = parse_ladder({"base": DRAFT.base, "mechanisms": ["duchi", "piecewise"]})
    words = in_words("attack", _asked(ladder))
    assert words.name == f"from “{DRAFT.base.name}”", "its draft is what it trains: nobody has edited it"
    assert words.size == "an attack on 20 images, one upload each"
    assert words.compared == "Duchi, Piecewise"
    for changes, size in (
        ({"images": 1}, "on one image"),
        ({"rounds_observed": 10}, "on 20 images, 10 uploads each"),
        ({"images": 1, "rounds_observed": 5}, "on one image, 5 uploads"),
        ({"upload": "real"}, "on a real upload"),
    ):
        assert in_words("attack", _asked(ladder, **changes)).size == f"an attack {size}"


def _asked(ladder: Ladder, **changes: object) -> dict[str, Any]:
    trained = Draft(changed(ladder.base, {"attack": None, "rounds": 1}), (Variant("ladder"),))
    return {"draft": trained.as_json(), "ladder": ladder.as_json() | changes}


def test_runs_with_budgets_of_their_own_say_them_all():
    words = in_words("run", {"draft": presets.get("everybody_equal").draft.as_json()})
    each = [f"20 clients, each asking for ε {epsilon} per weight" for epsilon in (1, 4, 8)]
    assert words.asked == "; or ".join(each)
    uploads = in_words("run", {"draft": presets.get("what_epsilon_says").draft.as_json()})
    assert uploads.asked.endswith("; or 20 clients, each asking for ε 650 per upload")
    many = tuple(Variant(f"ε {n}", {"clients.epsilon": float(n)}) for n in range(1, 6))
    assert in_words("run", {"draft": replace(DRAFT, variants=many).as_json()}).asked.endswith("; or 2 more")


def test_a_request_of_another_version_keeps_its_name():
    request = {"draft": {"base": {"name": "older", "a field of then": 1, "rounds": 3}, "seeds": 1}}
    job = SimpleNamespace(kind="run", request=request, brief=request, long=False)
    assert said("a job", cast(Job, job)) == Words("older")


def test_job_state_states_its_progress(runs_dir: Path):
    request = {"draft": DRAFT.as_json(), "reference": True}
    first, second, third = (queue.add("run", request) for _ in range(3))
    assert queue.claim()

    def states() -> list[str]:
        _places.clear()
        return [state(describe(queue.get(identity))) for identity in (first, second, third)]

    folder = queue.get(first).folder
    folder.mkdir(parents=True)
    assert states()[0] == "running", "nothing is reported yet"
    Reporter(folder)(Step("", 4.5, 15, "rounds"))
    assert states() == ["running, 4 of 15 rounds", "queued, 1 before it", "queued, 2 before it"]
    queue.cancel(first)
    queue.cancel(second)
    assert states() == ["cancelling, 4 of 15 rounds", "stopped", "queued, 1 before it"]
    assert queue.move(first, "cancelled")
    assert states() == ["stopped", "stopped", "queued"]
