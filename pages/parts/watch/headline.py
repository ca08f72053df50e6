"""Headline and three figures over Train's charts, computed from the runs.

Text comes in pieces, each with the colour of the run it names (or None), for assets/web/head.js.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldp_core.accounting import AGAINST, Promise, Worth, everyone, worth
from ldp_core.experiment import Draft, Experiment
from ldp_core.judgement import at_chance
from ldp_core.runs import apart
from ldp_core.theory import outlook
from pages.parts.charts.budget_axis import Steps, by_line
from pages.parts.charts.series import Series
from pages.parts.charts.styles import ladders, styles
from pages.parts.noise.promise_table import Promised
from pages.parts.train.blame import blame
from pages.parts.train.ledger_panel import named_clients
from pages.parts.train.measured_bar import in_short
from pages.parts.train.standings import WIDE, same_model
from pages.parts.ui.meanings import GLOSSARY
from pages.parts.ui.text import (
    all_of,
    asked_per,
    class_names,
    few,
    listed,
    number,
    percent,
    shortened,
    upwards,
)
from pages.parts.watch import scenario
from pages.parts.watch.leak import came_back, leak

Piece = tuple[str, int | None]
"""Text, and the number of its colour (None: the text's own)."""
Chip = dict[str, Any]
MOST_NAMED = 4
"""Largest number of runs that are all named; of more, the best and the last."""
MOST_CLASSES = 10
LEARNT, UNHEARD = 0.4, 0.01
"""Least overall accuracy, and largest accuracy on a class, of a run that has lost the class."""
EXPECTED = {"learns": "should learn", "borderline": "is borderline", "chance": "should not learn"}
BLAMED = {
    "noise": ": it was the noise",
    "range": ": it was the noise of so wide a range",
    "rate": ": the learning rate is too large",
    "": "",
}
KINDS = {"much": "kept", "some": "", "little": "partly", "nothing": "recovered"}
"""Style of the guarantee's chip by worth."""
SEVERAL = "those that each run's trust names"
RUN = " for the run"
WAITING = "waiting"
"""Style of a figure that is not known yet."""
COVERS = "Per weight, per upload, for the run"


def head(
    draft: Draft,
    shown: Sequence[Series],
    chance: float | None,
    upload: str,
    state: str,
    nothing: str,
    reference: Series | None = None,
    open_question: bool = False,
) -> dict[str, Any]:
    """Headline and figures.

    Args:
        shown: the runs; none before the launch.
        chance: accuracy of always naming the commonest class.
        upload: kind of upload whose attack is shown.
        state: "" before a launch, "live", "stopped" or "completed".
        nothing: text if no attack has an image.
        reference: the run without noise, if there is one.
        open_question: the visitor has not guessed yet, so no prediction is shown.
    """
    begun = [one for one in shown if one.round > 0 or one.diverged]
    return {
        "line": _line(draft, begun, chance, state, reference) if begun else _before(draft, open_question),
        "chips": [
            _accuracies(begun, state, ladders(draft)) | {"hint": GLOSSARY["Accuracy"]},
            leak(shown, upload, nothing)
            | ({} if begun else {"kind": WAITING})
            | {"hint": f"{GLOSSARY['dB']} {GLOSSARY['Picked']}"},
            promised(draft, shown) | {"hint": f"{GLOSSARY[COVERS]} {GLOSSARY['Worst case']}"},
        ],
    }


def _name(one: Series) -> Piece:
    return (shortened(one.label, 26), one.style.tint)


def _lost(one: Series) -> Piece:
    """Name of a diverged run, with the number of its diverged seeds."""
    many, (label, tint) = len(one.lost), _name(one)
    return (label if many == len(one.runs) else f"{label} with {many} of {len(one.runs)} seeds", tint)


def _before(draft: Draft, open_question: bool) -> list[Piece]:
    """Headline before training: the variants, if the visitor may guess, else the prediction."""
    if not open_question:
        return _expected(draft)
    names = [(one.label, look.tint) for one, look in zip(draft.variants, styles(draft), strict=True)]
    beside = " side by side" if len(names) > 1 else ""
    return [*_joined(names), (f"{beside}: what do you expect?", None)]


def _expected(draft: Draft) -> list[Piece]:
    """Predictions by the rule of thumb, run by run."""
    looks = styles(draft)
    words: dict[str, list[Piece]] = {}
    for variant, experiment, look in zip(draft.variants, draft.experiments(), looks, strict=True):
        if hope := EXPECTED.get(outlook(experiment).word):
            words.setdefault(hope, []).append((variant.label, look.tint))
    if not words:
        return [("Not trained yet: what theory can say is drawn already", None)]
    pieces: list[Piece] = [("Rule of thumb: ", None)]
    for place, hope in enumerate(one for one in EXPECTED.values() if one in words):
        names = words[hope]
        pieces += [("; ", None)] * bool(place) + _joined(names) + [(f" {_plural(hope, len(names))}", None)]
    return pieces


def _plural(hope: str, many: int) -> str:
    return hope.replace("is ", "are ", 1) if many > 1 else hope


def _joined(names: Sequence[Piece]) -> list[Piece]:
    named = [*names[: MOST_NAMED - 1], (f"{len(names) - MOST_NAMED + 1} more", None)]
    names = names if len(names) <= MOST_NAMED else named
    found: list[Piece] = []
    for place, name in enumerate(names):
        found += [(" and " if place == len(names) - 1 else ", ", None)] * bool(place) + [name]
    return found


def _ranked(shown: Sequence[Series]) -> list[tuple[Series, float]]:
    going = [(one, float(one.final("accuracy").mean())) for one in shown if not one.diverged and one.round]
    return sorted(going, key=lambda pair: pair[1], reverse=True)


def _abreast(ranked: list[tuple[Series, float]]) -> tuple[int, list[tuple[Series, float]]]:
    """Last common round, and each run's accuracy then."""
    rounds = min(one.round for one, _ in ranked)
    then = [(one, float(one.curve("accuracy")[0][rounds])) for one, _ in ranked]
    return rounds, sorted(then, key=lambda pair: pair[1], reverse=True)


def _line(
    draft: Draft, shown: Sequence[Series], chance: float | None, state: str, reference: Series | None
) -> list[Piece]:
    ranked, lost = _ranked(shown), [one for one in shown if one.diverged]
    gone: list[Piece] = []
    if lost:
        every = [*shown, *([reference] if reference else [])]
        found = {blamed.cause if (blamed := blame(one, every)) else "" for one in lost}
        why = BLAMED[found.pop()] if len(found) == 1 else ""
        gone = [*_joined([_lost(one) for one in lost]), (f" diverged{why}", None)]
    if not ranked:
        return gone
    (best, top), (worst, least) = ranked[0], ranked[-1]
    if state != "completed":
        rounds, ranked = _abreast(ranked)
        (best, top), (worst, least) = ranked[0], ranked[-1]
        said = [(f"After round {number(rounds, 6)}: ", None), _name(best), (f" {percent(top)}", None)]
        if best is not worst:
            said += [(", ", None), _name(worst), (f" {percent(least)}", None)]
        return said + ([("; ", None), *gone] if gone else [])
    rest = [("; ", None), *gone] if gone else []
    guessing = at_chance(top, chance)
    if len(ranked) == 1:
        better = ", no better than guessing" if guessing else ""
        return [_name(best), (f" ends at {percent(top)}{better}", None), *rest]
    asked = scenario.compared(draft, [one for one, _ in ranked])
    if asked.leaks and (leaks := _by_attack(asked.runs)):
        return [*leaks, *rest]
    if same_model([one for one, _ in ranked]):
        same = [(f"{all_of(len(ranked))} train the same model: {percent(top)}", None)]
        return [*(_by_attack([one for one, _ in ranked]) or same), *rest]
    if guessing:
        none = f"Nothing learns: none of the {len(ranked)} is better than guessing ({percent(top)} at most)"
        return [(none, None), *rest]
    if silenced := _silenced(ranked):
        return [*silenced, *rest]
    ranked = [pair for pair in ranked if pair[0] in asked.runs]
    (best, top), (worst, least), (second, close) = ranked[0], ranked[-1], ranked[1]
    gap = apart(best.runs, second.runs, len(ranked))
    last = ", no better than guessing" if at_chance(least, chance) else ""
    if gap.clear:
        said = [(f"The {asked.cause} made the difference: ", None)] * bool(asked.cause)
        said += [_name(best), (f" reaches {percent(top)}, ", None), _name(worst)]
        return [*said, (f" {percent(least)}{last}", None), *rest]
    if gap.every and gap.mean > WIDE:
        each = (
            f" with each of {gap.seeds} seeds: too few to tell" if gap.seeds > 1 else ", with one seed only"
        )
        said = [_name(best), (f" ({percent(top)}) leads ", None), _name(second)]
        said += [(f" ({percent(close)}){each}", None)]
    else:
        said = [_name(best), (f" ({percent(top)}) and ", None), _name(second)]
        alike = gap.outcome == "no difference"
        said += [(f" ({percent(close)}): {'no difference' if alike else 'cannot tell which is ahead'}", None)]
    if len(ranked) > 2:
        said += [("; ", None), _name(worst), (f" ends at {percent(least)}{last}", None)]
    return [*said, *rest]


def _by_attack(shown: Sequence[Series]) -> list[Piece]:
    """What is recovered from each run; empty if an attack has no result."""
    found: list[Piece] = []
    for place, one in enumerate(shown):
        if not (came := came_back(one)):
            return []
        found += [("; " if place else "", None), _name(one), (f": {came}", None)]
    return found


def _silenced(ranked: Sequence[tuple[Series, float]]) -> list[Piece]:
    """A run with good accuracy that never names some classes right; empty if there is none."""
    for one, mean in ranked:
        per_class = [run.last.get("accuracy_per_class") or [] for run in one.runs]
        if mean < LEARNT or not all(per_class) or len({len(each) for each in per_class}) > 1:
            continue
        never = [c for c, shares in enumerate(zip(*per_class, strict=True)) if max(shares) <= UNHEARD]
        if len(never) > 1:
            names = class_names(one.runs[0].start.get("experiment", {}), len(per_class[0]))
            which, once = _span(never, names), any(each[c] > 0 for each in per_class for c in never)
            often = "hardly ever" if once else "never"
            return [_name(one), (f" reaches {percent(mean)} and {often} names {which} right", None)]
    return []


def _span(classes: Sequence[int], names: Sequence[str]) -> str:
    numbers = all(name.isdigit() for name in names)
    if numbers and len(classes) > 2 and classes[-1] - classes[0] == len(classes) - 1:
        return f"the classes {classes[0]} to {classes[-1]}"
    named = [names[c] for c in classes[:MOST_CLASSES]]
    more = len(classes) - len(named)
    return f"the classes {listed([*named, *([f'{more} others'] if more else [])])}"


def _accuracies(shown: Sequence[Series], state: str, steps: Steps) -> Chip:
    """First figure: accuracy of each run, or of each design from its least ε to its largest."""
    name = "Accuracy" if state in ("completed", "") else "Accuracy so far"
    ranked = _ranked(shown)
    if ranked and state != "completed":
        _, ranked = _abreast(ranked)
    if not ranked:
        words = "waiting for the first round" if state == "live" else "press Train"
        return {"name": "Accuracy", "pieces": [(words, None)], "rest": "", "kind": WAITING}
    if steps:
        return {"name": name, **_climbs(shown, steps)}
    named = ranked if len(ranked) <= MOST_NAMED else [*ranked[: MOST_NAMED - 1], ranked[-1]]
    pieces: list[Piece] = []
    for place, (one, mean) in enumerate(named):
        pieces += [(" · ", None)] * bool(place)
        label, tint = _name(one)
        pieces.append((f"{label} {percent(mean)}", tint))
    seeds = max(len(one.runs) for one, _ in ranked)
    rest = f"mean of {seeds} seeds" if seeds > 1 else "one seed"
    best = f"; best {MOST_NAMED - 1} and last of {len(ranked)}" if len(ranked) > MOST_NAMED else ""
    return {"name": name, "pieces": pieces, "rest": f"on held-out samples, {rest}{best}"}


def _climbs(shown: Sequence[Series], steps: Steps) -> Chip:
    pieces: list[Piece] = []
    for design, points in by_line(shown, steps).items():
        ends = [percent(float(one.final("accuracy").mean())) for _, one in (points[0], points[-1])]
        pieces += [(" · ", None)] * bool(pieces)
        pieces.append((f"{design} {ends[0]} → {ends[1]}", points[0][1].style.tint))
    budgets = [number(epsilon) for _, epsilon in sorted(steps, key=lambda step: step[1])]
    return {"pieces": pieces, "rest": f"on held-out samples, from ε {budgets[0]} to ε {budgets[-1]}"}


def promised(draft: Draft, shown: Sequence[Series] = ()) -> Chip:
    """The headline's third figure: ε of the whole run for the clients with the least and the greatest ε, with
    the ε measured for the former.
    """
    experiments = draft.experiments()
    named = list(named_clients(experiments[0]).values())
    both = dict.fromkeys((named[0], named[-1]))
    promises = [_promises(draft, client, client == named[0]) for client in both]
    words, delta, least = promises[0]
    others = "".join(f"; client {named[-1] + 1} {also.removesuffix(RUN)}" for also, _, _ in promises[1:])
    seen = list(dict.fromkeys(AGAINST[one.trust.against] for one in experiments))
    against = (
        ""
        if experiments[0].trust.name == "local" and not seen[1:]
        else f", against {seen[0] if len(seen) == 1 else SEVERAL}"
    )
    first = f"for client {named[0] + 1}{'' if others else _others(experiments)}, at worst{delta}{against}"
    rest = f"{first}: told apart {least.odds}{in_short(shown, named[0])}{others}"
    kind = KINDS[least.word]
    rest += _repeated([Promised.to(named[0], "", one) for one in experiments])
    return {"name": "Privacy of the run", "pieces": [(words, None)], "rest": rest, "kind": kind}


def _repeated(variants: Sequence[Promised]) -> str:
    """Guarantee for equal uploads that an attack sees several times, where variants differ in how many."""
    lines = [(one.seen, one.experiment.prices.again(one.client, one.seen)) for one in variants]
    if len({seen for seen, _ in lines}) < 2 or not all(line.guarantee for _, line in lines):
        return ""
    each = sorted(dict(lines).items())
    prices = [f"{number(upwards(line.bound, 2))} seen {seen} times" for seen, line in each]
    return f"; the same values in one upload: ε {listed(prices)}".replace("seen 1 times", "seen once")


def _promises(draft: Draft, client: int, whole: bool = True) -> tuple[str, str, Worth]:
    """Guarantee for a client, its δ and the worth of the weakest: `promises nothing: ε 0.5 per weight → 1 396
    for the run`; `whole` adds the names of runs without a guarantee.
    """
    own, lines, per, bare = list[float](), list[Promise](), set[str](), list[str]()
    for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
        if client >= experiment.clients.count:
            continue
        one = Promised.to(client, variant.label, experiment)
        line = one.entry.run_worst
        if experiment.mechanism.role == "identity":
            bare.append(variant.label)
            continue
        own.append(experiment.clients.budgets()[client])
        per.add(asked_per(experiment))
        if not line.guarantee:
            bare.append(variant.label)
            continue
        lines.append(line)
    if not own:
        return "promises nothing: no mechanism, no guarantee", "", worth(Promise())
    before = f"ε {_between(own, exact=True)} per {listed(sorted(per))}"
    if not lines:
        return f"promises nothing: {before}, no guarantee for the run", "", worth(Promise())
    run, delta = [line.bound for line in lines], max(line.delta for line in lines)
    # a δ makes a run cheaper than one of its uploads was asked to be: say what it is without, if it is
    pure = all(line.generic is not None for line in lines) and bool(delta) and min(run) < min(own)
    without = f" ({_between([line.sum for line in lines])} if δ = 0)" if pure else ""
    none = f"; {few(bare)}: no guarantee" if bare and whole else ""
    least, most = (worth(choose(lines, key=lambda line: line.bound)) for choose in (max, min))
    promise = least.promises if least.word == most.word else f"{most.promises} to {least.word}"
    words = f"{promise}: {before} → {_between(run)}{RUN}{without}{none}"
    return words, f" (δ\u00a0{number(delta)})" if delta else "", worth(Promise()) if bare else least


def _between(values: Sequence[float], exact: bool = False) -> str:
    """One value, or least to greatest; rounded up to two digits unless `exact`."""
    low, high = min(values), max(values)
    if number(low) == number(high):
        return number(high, 4)
    return " to ".join(number(end if exact else upwards(end, 2), 4) for end in (low, high))


def _others(experiments: Sequence[Experiment]) -> str:
    """Note that all clients have the same guarantee, if so."""
    if experiments[0].clients.count == 1:
        return ""
    alike = all(
        len(set(everyone(one))) == 1 and len(set(one.clients.run_limits().tolist())) == 1
        for one in experiments
    )
    return " as for all others" if alike else "; others have other ranges or limits"
