"""Every number in a sentence on a recorded run is one of the run's events or of its ledger, with its unit."""

import json
import re
from collections.abc import Iterator
from html import unescape
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from ldp_core.accounting import entries, worth
from ldp_core.attacks.findings.metrics import wilson
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.limits import at_least, at_most, number, percent, spelled
from ldp_core.paired import in_points, margin
from ldp_core.runs import Job, progress_of, rows_of_jobs
from ldp_core.runs.carry.html_report import figures, ledger, verdict
from ldp_core.runs.carry.training import variants
from ldp_core.runs.jobs.listing import lines
from ldp_core.runs.record.events import runs_of
from ldp_core.runs.view.run_curves import replay_of
from pages.parts.charts.series import series
from pages.parts.compare import verdict as compared
from pages.parts.compare.arms import arms
from pages.parts.systems.unlike import unlike
from pages.parts.train.findings import findings
from pages.parts.train.measured_bar import bars, guesses
from pages.parts.train.server_panel import server_panel, uploads_in
from pages.parts.watch.headline import head
from pages.parts.watch.trio import chance_of
from tests.runs.in_process import bodies, trained

CLIENTS: dict[str, Any] = {"count": 6, "epsilon": 4.0, "range": 0.1}
SMALL: dict[str, Any] = {"clients": CLIENTS, "target": "update", "rounds": 2, "attack": None, "seed": 41}
WHOLE = {**CLIENTS, "epsilon_scope": "run", "epsilon": 2.0}
TRUSTS = ("local", "shuffled", "secure_sum", "central")
STOPPED = 2  # the round after which the job of this name is looked at
TABLE = "".join(f"{i % 7},{(i * 5) % 11},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(120))


ATTACKED: dict[str, Any] = {"attack": {"clients": [1, 2]}}
LEARNS: dict[str, Any] = {
    "clients": {"count": 6, "epsilon": [0.5, 4.0, 4.0, 64.0, 64.0, 64.0], "range": 0.5},
    "target": "weights",
    "rounds": 4,
}
AGGREGATORS: dict[str, Any] = {"mean": {}, "inverse": {"aggregator.name": "inverse_variance"}}
OF_TRUSTS: dict[str, Any] = {kind.replace("_", " "): {"trust.kind": kind} for kind in TRUSTS}
MEANS: dict[str, Any] = {
    "target": "class_means",
    "features": "orientation",
    "selection": "once",
    "mechanism": "labelunit",
    "clients": {"count": 200, "epsilon": 8.0},
    "rounds": 1,
}
SYSTEMS = {one: {"system.name": one, "dataset": "digits", "rounds": 2} for one in ("pldp_fl", "pd_ldpfl")}
LADDER = {
    f"{name} ε {epsilon:g}": {"mechanism.name": name, "clients.epsilon": epsilon}
    for name, epsilon in product(("duchi", "piecewise"), (1.0, 8.0, 64.0))
}
REAL = {"attack": {"clients": [1], "uploads": "real"}, "clients": {**CLIENTS, "count": 100}, "rounds": 1}
HEAP = {"clients": {**WHOLE, "epsilon": 600.0}, "rounds": 1, "trust": "shuffled", "attack": {"clients": [2]}}
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "trusts at ε 1": ({"clients": {**WHOLE, "epsilon": 1.0}}, OF_TRUSTS, 2),
    "trusts at ε 8": ({"clients": {**WHOLE, "epsilon": 8.0}}, OF_TRUSTS, 2),
    "no mechanism": ({**ATTACKED, "mechanism": "none"}, {"plain": {}}, 1),
    "one client": ({"attack": {}, "clients": {**CLIENTS, "count": 1}}, {"alone": {}}, 2),
    "diverged": ({"target": "weights"}, {"steady": {}, "wild": {"local.learning_rate": 1e5}}, 1),
    "stopped": (LEARNS, AGGREGATORS, 2),
    "three seeds": ({**LEARNS, **ATTACKED}, AGGREGATORS, 3),
    "nothing learns": (
        {"clients": {**CLIENTS, "epsilon": 0.1}},
        {"first": {}, "second": {"mechanism.name": "laplace"}},
        2,
    ),
    "two systems": ({}, SYSTEMS, 1),
    "class means": (MEANS, {"means": {}, "strict": {"clients.epsilon": 2.0}}, 2),
    "shuffler": (HEAP, {"heap": {}}, 1),
    "several ε": ({}, LADDER, 1),
    "real uploads": (REAL, {"real": {}}, 1),
    "own table": ({"dataset": "table:sheet"}, {"mean": {}, "exact": {"mechanism.name": "none"}}, 2),
}
NAMES = [*KINDS]
Recorded = dict[str, tuple[Draft, Job]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    folder = tmp_path_factory.mktemp("figures")
    (folder / "sheet.csv").write_text(f"visits,days,again\n{TABLE}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder / "runs"))
        patch.setenv("EPSILON_DATA_DIR", str(folder))
        found = {}
        for name, (base, changes, seeds) in KINDS.items():
            own = tuple(Variant(label, one) for label, one in changes.items())
            draft = Draft(parse({**SMALL, **base}), own, seeds)
            found[name] = draft, trained(draft, reference=name != "own table")
        yield found


def seen(name: str, draft: Draft, job: Job) -> dict[str, str]:
    """Sentences on a job by the part of a page, a report or a card that says them."""
    last = STOPPED if name == "stopped" else 0
    shown, reference = series(replay_of(job, last) if last else progress_of(job).update(), draft)
    chance, state = chance_of(shown), "stopped" if last else "completed"
    uploads = uploads_in(shown) or ["audit"]
    top = head(draft, shown, chance, uploads[-1], state, "not attacked", reference)
    said = {"headline": "".join(words for words, _ in top["line"])}
    for chip in top["chips"]:
        said[chip["name"].partition(" of ")[0]] = (
            f"{chip['name']} {''.join(words for words, _ in chip['pieces'])} | {chip['rest']}"
        )
    said["findings"] = findings(shown, reference, chance, stopped=bool(last)).replace("\\", "")
    for upload in uploads:
        rows = server_panel([one for one in shown if one.runs[0].tries][:3], upload, "")["rows"]
        picked = (json.dumps(row.get("picked"), ensure_ascii=False) for row in rows)
        words = (" ".join([row["says"], *row.get("lines", []), row["detail"]]) for row in rows)
        said[f"pictures, {upload}"] = " ".join([*words, *picked])
    said["measured"] = " ".join(f"{bar.scope} {' '.join(bar.ends)}" for bar in bars(draft, shown, 0))
    said["questions"] = " ".join(guesses(draft, one, 0) for one in shown)
    if not last:
        said["report"] = verdict(variants(job))
        said["report's table"] = unescape(re.sub("<[^>]*>", " ", figures(variants(job))))
        said["report's ledger"] = unescape(re.sub("<[^>]*>", " ", ledger(variants(job))))
        found, _ = arms([(job.id, place) for place in range(min(6, len(draft.variants)))])
        said["Compare"] = compared.verdict(found, unlike([arm.experiment for arm in found]))
    return said


class Facts:
    """What a job's events and ledger hold, as it may be printed, by unit."""

    def __init__(self, name: str, draft: Draft, job: Job) -> None:
        last = STOPPED if name == "stopped" else 10**6
        self.accuracy: dict[str, list[float]] = {}
        self.lost, events = set[str](), list[dict[str, Any]]()
        for place, (_, label, _, _) in enumerate(runs_of(job)):
            own = [one for one in bodies(job, place) if one.get("round", 0) <= last or one["event"] == "end"]
            events += own
            rounds = [one["accuracy"] for one in own if one["event"] == "round"]
            self.accuracy.setdefault(label, []).append(rounds[-1] if rounds else np.nan)
            if own[-1].get("status") == "diverged":
                self.lost.add(label)
        self.chance = next(one["chance"] for one in events if one["event"] == "start")
        self.held_out = int(events[-1]["held_out"])
        self.promises = [[one.run_worst for one in entries(each)] for each in draft.experiments()]
        means = {label: float(np.mean(each)) for label, each in self.accuracy.items()}
        shares = [*means.values(), self.chance, *(x for each in self.accuracy.values() for x in each)]
        attacks = [one for one in events if one["event"] == "attack"]
        measured = [row for one in events if one["event"] == "end" for row in one.get("measured", ())]
        rights = [row["right"] for row in measured if "right" in row]
        real = [one for one in attacks if one.get("images")]
        back = [one["recovered"] or 0 for one in real]
        shares += [1.0, 0.5, 0.1, *rights, *(b / one["images"] for b, one in zip(back, real, strict=True))]
        for b, one in zip(back, real, strict=True):
            shares += wilson(b, one["images"])
        ranks = [one for one in attacks if one.get("identification_rank")]
        hits = range(len(ranks) + 1)
        shares += [hit / n for n in range(1, len(hits)) for hit in hits] * bool(ranks)
        gaps = [a - b for a, b in permutations(means.values(), 2)]
        each = self.accuracy.values()
        gaps += [x - y for a, b in permutations(each, 2) for x, y in zip(a, b, strict=False)]
        self.percents = {f"{100 * share:.{digits}f}" for share in shares for digits in (0, 1, 2)}
        unsure = [number(100 * margin(x, self.held_out), 2) for x in shares if 0 < x < 1]
        self.points = {in_points(gap) for gap in gaps} | {*unsure}
        images = [one[key] for one in attacks for key in one if key.startswith("psnr") and one[key]]
        self.decibels = {f"{db:.{digits}f}" for db in map(float, images) for digits in (0, 1)}
        lines = [
            line
            for each in draft.experiments()
            for entry in entries(each)
            for line in (entry.coordinate, entry.upload, entry.run_expected, entry.run_worst)
        ]
        bounds = {x for line in lines for x in (line.bound, line.sum) if np.isfinite(x)}
        asked = {x for each in draft.experiments() for x in each.clients.budgets().tolist()}
        shown = {row["epsilon_lower"] for row in measured if row["epsilon_lower"]}
        self.epsilons = {at_most(x, digits) for x in bounds for digits in (2, 3, 4)}
        self.epsilons |= {number(x, 4) for x in asked} | {at_least(x) for x in shown}
        base = draft.base
        counts = {draft.seeds, len(draft.variants), len(draft.variants) - 1, self.held_out, 3, len(ranks), 95}
        counts |= {base.seed + i for i in range(draft.seeds)} | {one.get("round", 0) for one in events}
        counts |= (
            {one["images"] for one in real}
            | {*back, 0, 6}
            | {base.attack.candidates, base.attack.candidates - 1}
            if base.attack
            else set()
        )
        counts |= {*hits} | {each.clients.count for each in draft.experiments()} | {1}
        self.counts = {spelled(count) for count in counts} | {"0.00001"}
        self.counts |= {f"{each.local.learning_rate:g}" for each in draft.experiments()}
        assert ("wild" in self.lost) == bool(self.lost) == (name == "diverged")


SKIPPED = re.compile(
    r"95%(?: interval|:) ?[^,)]*|[^(]* by seed|10[⁻⁵]+|\(1 seed\)|ε [\d.]+(?= (?:ends|\()|\*\*)"
    r"|(?:\(Kairouz|\(Feldman)[^)]*\)|price of [\d.]+ uploads|in at most [^;|]* tries|and \d+ more"
    r"|in \d+ things"
)
NUMBER = re.compile(r"(ε |[≤≥] )?(?<![\w.])(\d+(?:\u202f\d{3})*(?:\.\d+)?)(%| dB| points| above| apart)?")


def unexplained(text: str, facts: Facts) -> list[str]:
    """Numbers of a text that are in none of the facts of their unit."""
    wrong, text = [], re.sub(r"\s%", "%", text)
    for match in NUMBER.finditer(SKIPPED.sub(" ", text)):
        before, value, unit = match[1], match[2], (match[3] or "").strip()
        known = {"%": facts.percents, "dB": facts.decibels, "": facts.epsilons}.get(unit, facts.points)
        if value not in known and (unit or before or value not in facts.counts):
            wrong.append(match.string[max(0, match.start() - 40) : match.end() + 20])
    return wrong


@pytest.mark.parametrize("name", NAMES)
def test_numbers_in_sentences_are_those_of_events_and_ledger(name: str, recorded: Recorded):
    draft, job = recorded[name]
    facts = Facts(name, draft, job)
    wrong = {
        part: found for part, text in seen(name, draft, job).items() if (found := unexplained(text, facts))
    }
    assert wrong == {}


@pytest.mark.parametrize("name", NAMES)
def test_accuracy_beside_a_name_is_that_runs_mean(name: str, recorded: Recorded):
    draft, job = recorded[name]
    facts = Facts(name, draft, job)
    for row in rows_of_jobs([line for line in lines() if line.job.id == job.id and name != "stopped"]):
        assert row["accuracy"] is None or row["accuracy"] == pytest.approx(
            np.mean(facts.accuracy[row["label"]])
        )
    for part, text in seen(name, draft, job).items():
        for label, values in facts.accuracy.items():
            before, after = r"(?:^|[·:;,|*(] ?|and )", r"(?:\*\*)?(?: ends at | reaches | \(| )(\d+)\u202f%"
            for match in re.finditer(before + re.escape(label) + after, text):
                assert percent(float(np.mean(values))).startswith(match[1]), (part, label, text)
            if f"{label} diverged" in text.replace("*", ""):
                assert label in facts.lost, part


@pytest.mark.parametrize("name", NAMES)
def test_odds_and_delta_of_the_run_hold_for_every_promise(name: str, recorded: Recorded):
    draft, job = recorded[name]
    said, facts = seen(name, draft, job)["Privacy"], Facts(name, draft, job)
    lines = [promises[0] for promises in facts.promises]  # of client 1, whom the figure names
    assert ("10⁻⁵" in said) == any(line.delta for line in lines if line.guarantee)
    if odds := re.search(r"in at most ([\d\u202f]+) of ([\d\u202f]+) tries", said):
        right, tries = (int(each.replace("\u202f", "")) for each in odds.groups())
        assert all(right / tries >= 1 - np.exp(worth(line).wrong) - 1e-9 for line in lines)
    else:
        assert any(worth(line).right is None for line in lines)
