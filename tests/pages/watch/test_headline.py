"""The line over the charts and its three figures say what the runs gave, and no more."""

import json
from typing import Any

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.accounting import ledger
from ldp_core.experiment import Draft, Variant, changed, parse, parse_draft, plan
from ldp_core.images import encode
from ldp_core.runs import pilots
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.view.attack_curve import Tries
from ldp_core.runs.view.folded import CompactSeries
from ldp_core.runs.view.run_curves import RunProgress
from ldp_core.runs.view.styles import Style
from ldp_core.theory import server_noise
from pages.parts.charts.rounds import accuracy_figure
from pages.parts.charts.series import Series
from pages.parts.runs.job_state import amount
from pages.parts.runs.said import in_words
from pages.parts.train.server_panel import budget_of, server_panel
from pages.parts.ui.text import at_most, percent
from pages.parts.watch.headline import head, promised
from pages.parts.watch.leak import came_back, leak
from pages.parts.watch.live import _first_shown
from pages.parts.watch.trio import Pictured, trio
from tests.pages.charts.test_base import run
from tests.pages.conftest import try_out

SMALL: dict[str, Any] = {"rounds": 3, "attack": None}
DRAFT = presets.get("two_volunteers").draft


IMAGE = encode(np.eye(8))
TARGET = {"epsilon": 8.0, "label": 2, "image": IMAGE}


def said(pieces: list[tuple[str, int | None]]) -> str:
    return "".join(words for words, _ in pieces)


def series(place: int, label: str, seeds: int, changes: dict[str, Any]) -> Series:
    runs = tuple(run(place, label, seed, SMALL | changes) for seed in range(seeds))
    return Series(place, label, runs, Style(place))


@pytest.fixture(scope="module")
def apart() -> list[Series]:
    return [
        series(0, "mean", 2, {"aggregator": "mean"}),
        series(1, "1/σ²", 2, {"aggregator": "inverse_variance"}),
    ]


def headline_of(shown: list[Series], state: str = "completed", chance: float = 0.1) -> dict[str, Any]:
    return head(DRAFT, shown, chance, "audit", state, "nothing is attacked")


def test_the_best_and_the_last_are_named_in_their_colours(apart: list[Series]):
    best, last = (percent(one.final("accuracy").mean()) for one in (apart[1], apart[0]))
    found = headline_of(apart)
    assert said(found["line"]).startswith(f"1/σ² ({best}) leads mean ({last}) with each of 2 seeds")
    assert dict(found["line"])["1/σ²"] == 1
    assert said(found["chips"][0]["pieces"]) == f"1/σ² {best} · mean {last}"
    assert said(found["chips"][1]["pieces"]) == "nothing is attacked"


@pytest.mark.usefixtures("runs_dir")
def test_headline_claims_no_result_before_the_end(apart: list[Series]):
    assert said(headline_of(apart, "live")["line"]).startswith("After round 3: 1/σ² ")
    assert pilots.TESTING.why in said(headline_of([], "")["line"])
    try_out(DRAFT.experiments())
    before = said(headline_of([], "")["line"])
    assert before.endswith("1/σ² should learn; 1/σ is borderline; mean should not learn")
    asked = head(DRAFT, [], None, "audit", "", "", open_question=True)["line"]
    assert said(asked) == "mean, 1/σ and 1/σ² side by side", "and nothing answers it"
    assert dict(asked)["1/σ²"] == 2


def test_live_headline_agrees_with_labels_at_the_lines_ends(apart: list[Series]):
    """One run is a round further, and has another accuracy there."""
    behind = series(0, "mean", 1, {"aggregator": "mean", "rounds": 2})
    shown = [behind, apart[1]]
    labels = [note["text"] for note in accuracy_figure(shown, 3, 0.1)["layout"]["annotations"]]
    found = headline_of(shown, "live")
    for one, place in zip(shown, (2, 3), strict=True):
        now = percent(one.curve("accuracy")[0][place])
        assert f"{one.label} {now} (round {place})" in said(found["line"])
        assert f"{one.label} {now}" in said(found["chips"][0]["pieces"])
        assert f"<b>{one.label} {now}</b>" in labels


def test_a_class_that_is_never_named_is_in_the_headline(apart: list[Series]):
    one = Series(1, "1/σ²", apart[1].runs, Style(1))
    kept = [run.last for run in one.runs]
    lines = []
    for rest in ([0.0] * 5, [0.0] * 4 + [0.009], [None] * 5):  # nine of a thousand images are not none
        for mine in one.runs:
            mine.last = {**mine.last, "accuracy_per_class": [0.9] * 5 + rest}
        lines.append(said(headline_of([apart[0], one])["line"]))
    assert "right" not in lines[2], "of classes that are not held out nothing is known"
    for mine in one.runs:
        mine.last = {**mine.last, "accuracy_per_class": [0.9] * 5 + [0.0] * 5}
    first = one.runs[0]
    kept_start, first.start = first.start, first.start | {"experiment": {"dataset": "fashion_mnist"}}
    named = said(headline_of([apart[0], one])["line"])
    assert named.endswith("names the classes sandal, shirt, sneaker, bag and ankle boot right")
    first.start = kept_start
    for mine, last in zip(one.runs, kept, strict=True):
        mine.last = last
    assert lines[0].endswith("and never names the classes 5 to 9 right")
    assert lines[1].endswith("and hardly ever names the classes 5 to 9 right")


def test_partly_diverged_run_is_not_called_diverged(apart: list[Series]):
    one = Series(1, "1/σ²", apart[1].runs, Style(1))
    kept = one.runs[1].end
    one.runs[1].end = {**(kept or {}), "status": "diverged"}
    line = said(headline_of([apart[0], one])["line"])
    one.runs[1].end = kept
    assert line.endswith("; 1/σ² with 1 of 2 seeds diverged")
    lost = series(2, "too fast", 1, {"local": {"learning_rate": 1e9}})
    assert said(headline_of([lost])["chips"][0]["pieces"]) == "every run diverged", (
        "and none is to be trained"
    )


def test_the_privacy_of_the_run_is_the_ledgers_worst_case():
    worst = ledger(DRAFT.experiments()[0])[0]["run_worst"]["epsilon"]
    chip = promised(DRAFT)
    run = f"promises nothing: ε 0.5 per weight → {at_most(worst, 4)} for the run"
    assert said(chip["pieces"]) == run
    whom = "at worst (δ\u00a010⁻⁵), against a server that sees each upload"
    assert chip["rest"] == f"for client 1, {whom}: told apart in practically every try"
    assert chip["hint"].startswith("client 20 ε 8 per weight")
    assert "clients=20" in chip["link"][1], "to what would promise something"
    alone = promised(presets.get("twenty_images").draft.with_base({"mechanism": "none"}))
    assert alone["kind"] == "recovered"
    assert said(alone["pieces"]).endswith("; no LDP: no guarantee"), "one of four promises nothing"
    assert "where guaranteed, against a server that sees each upload: told apart" in alone["rest"]


def test_each_budget_keeps_its_own_scope():
    """Of ε 6 per upload and 0.4 per weight it said “ε 0.4 or 6 per upload or per weight”."""
    asked = {"privunit": 6.0, "ldpsign": 0.4}
    variants = [{"mechanism.name": one, "clients.epsilon": epsilon} for one, epsilon in asked.items()]
    draft = Draft(parse(SMALL | {"target": "update"}), tuple(Variant(str(one), one) for one in variants))
    shown = [Series(i, "", (run(i, "", 0, one.as_json()),)) for i, one in enumerate(draft.experiments())]
    for words in (budget_of(shown, 0), said(promised(draft)["pieces"])):
        assert "6 per upload" in words and "0.4 per weight" in words


@pytest.mark.parametrize(("epsilon", "odds"), [(1.0, "74 of 100"), (8.0, "9\u202f997 of 10\u202f000")])
def test_odds_beside_several_promises_are_the_weakest(epsilon: float, odds: str):
    base = presets.get("whom_do_you_trust").draft.with_base({"clients.epsilon": epsilon}).base
    # without “no one”, whose ε is the largest by a digit, the server's is, with its lower odds
    kinds = ("shuffled", "secure_sum", "central")
    draft = Draft(base, tuple(Variant(kind, {"trust.kind": kind}) for kind in kinds))
    rest = promised(draft)["rest"]
    assert f"told apart in at most {odds} tries" in rest


def test_images_back_are_counted_over_all_attacked_uploads():
    uploads = Tries("real", 0, numbers=CompactSeries(), images=20)
    for number, back in enumerate((15, 3), 1):
        for control, count in ((None, back), ("clean", 18), ("clipped", 18)):
            uploads.fold(
                {"round": number, "control": control, "attacker": "", "psnr": 30.0, "recovered": count}
                | {"images": 20, "recovered_non_members": 0.0, "psnr_mean_image": 10.0}
            )
    one = run(0, "no LDP", 0, SMALL)
    one.tries, one.targets = {("real", 0): uploads}, {0: {}}
    shown = [Series(0, "no LDP", (one,), Style(0))]
    assert came_back(shown[0]).startswith("9 of 20 ")
    chip = leak(shown, "real", "")
    assert "most of 2" in chip["rest"] and "9 on average" in chip["rest"]


@pytest.mark.parametrize("kind", ["secure_sum", "central"])
def test_trusts_own_noise_counts_without_a_mechanism(kind: str):
    clients = {"epsilon": 0.5, "epsilon_scope": "run"}
    base = {"mechanism": "none", "trust": kind, "clients": clients, "target": "update"}
    draft = parse_draft({"base": base, "variants": [{"label": "A"}]})
    assert said(promised(draft)["pieces"]).startswith("promises much: ε 0.5 for the whole run")
    assert promised(draft)["link"] is None
    assert draft.reference() is not None, "the run without noise is another one"
    signs = changed(draft.base, {"mechanism": "ldpsign"})
    assert server_noise(plan(signs)) == server_noise(plan(draft.base))


def test_picture_that_can_be_read_counts_before_one_of_more_db():
    """By the closest alone nothing came back, beside a row in which a picture can be read."""
    one = run(0, "Duchi", 0, SMALL)
    one.tries, one.targets = {}, {0: {"epsilon": 8.0}, 1: {"epsilon": 8.0}}
    for client, (psnr, ncc, guess) in enumerate(((16.0, 0.7, 14.0), (13.0, 0.9, 12.0))):
        tries = Tries("audit", client, numbers=CompactSeries())
        for control, found in ((None, psnr), ("clean", 30.0), ("clipped", 30.0)):
            tries.fold(
                {"round": 1, "control": control, "attacker": "", "psnr": found, "ncc": ncc, "images": 1}
                | {"psnr_mean_image": guess, "psnr_class_mean": guess, "ncc_non_members": 0.1}
                | {"image": IMAGE}
            )
        one.tries["audit", client] = tries
    shown = [Series(0, "Duchi", (one,), Style(0))]
    assert came_back(shown[0]).startswith("it can be read") and "13" in came_back(shown[0])
    assert said(leak(shown, "audit", "")["pieces"]).startswith("client 2's image can be read")

    of_two = [run(i, label, 0, SMALL) for i, label in enumerate(("closest", "read"))]
    for each, client in zip(of_two, (0, 1), strict=True):
        each.tries, each.targets = {("audit", 0): one.tries["audit", client]}, {0: TARGET}
        each.start |= {"mean_image": IMAGE, "experiment": {"dataset": "digits"}}
    (row,) = server_panel([Series(i, r.label, (r,), Style(i)) for i, r in enumerate(of_two)], "audit", "")[
        "rows"
    ]
    assert row["kind"] == "partly", "as the frame around one of the pictures says"


def test_noiseless_run_is_shown_first():
    assert _first_shown({0: False, 1: True, 2: True, 3: True}) == [0, 1, 2]
    assert _first_shown({0: True, 1: True, 2: True, 3: False}) == [0, 1, 3], "in the scenario's order"
    assert _first_shown(dict.fromkeys(range(9), True)) == [6, 7, 8]


def after(draft_of: dict[str, Any]) -> dict[str, Any]:
    """The panel when all rounds are done."""
    draft = Draft(parse({}), (Variant("v", draft_of),))
    shown = [Series(0, "v", (run(0, "v", 0, draft_of),))]
    panel: dict[str, Any] = trio(draft, shown, None, Pictured([]), "nothing", "completed")["noise"]
    return panel


UNSEEN: dict[str, Any] = {"attack": None}


def test_noise_caption_of_a_ladder_counts_runs_that_have_begun():
    """Before all had begun it said that no noise is added, beside the lines of those that had."""
    ladder = {f"Duchi ε {one}": {"clients.epsilon": float(one)} for one in range(1, 9)}
    base = {"mechanism": "duchi", "rounds": 2} | UNSEEN
    draft = Draft(parse(base), tuple(Variant(*one) for one in ladder.items()))
    begun = run(0, "Duchi ε 1", 0, base | {"clients": {"epsilon": 1.0}})
    waiting = [RunProgress(i - 1, f"Duchi ε {i}", 0, begun.experiment) for i in range(2, 9)]
    shown = [Series(i, one.label, (one,)) for i, one in enumerate((begun, *waiting))]
    panel: dict[str, Any] = trio(draft, shown, None, Pictured([]), "nothing", "live")["noise"]
    assert panel["subtitle"].startswith("after round 2 of 2")


def test_variants_of_unequal_length_are_drawn_and_counted_whole():
    """A system brings its rounds along: of 3 to 50 rounds the charts showed 3, and lists counted 3."""
    draft = Draft(parse({"rounds": 3} | UNSEEN), (Variant("short"), Variant("long", {"rounds": 50})))
    panels = trio(draft, [], None, Pictured([]), "nothing")
    for panel in ("accuracy", "noise"):
        assert json.loads(panels[panel]["figure"])["layout"]["xaxis"]["range"][1] >= 50
    assert "3 to 50 rounds" in amount(draft)
    assert "3 to 50 rounds" in in_words("run", Training(draft, False, ())).size
