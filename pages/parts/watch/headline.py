"""Headline and three figures over Train's charts, computed from the runs.

Text comes in pieces, each with the colour of the run it names (or None), for assets/web/head.js.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ldp_core.accounting import AGAINST, NOTHING, Promise, Worth, everyone, of_whom, worth
from ldp_core.experiment import Draft, Experiment, plan
from ldp_core.inference import Name, at_chance, finding, ranking
from ldp_core.runs import apart, ladders, pilots, styles
from pages.parts.charts.budget_axis import Steps, by_line
from pages.parts.charts.series import Series, final
from pages.parts.noise.promise_table import Promised
from pages.parts.train.ledger_panel import most_unlike, named_clients
from pages.parts.train.standings import blame, same_model
from pages.parts.ui.header import asked_at
from pages.parts.ui.meanings import GLOSSARY, STYLES
from pages.parts.ui.polling import within
from pages.parts.ui.text import (
    at_most,
    class_names,
    covered,
    few,
    listed,
    names_by,
    number,
    percent,
    shortened,
)
from pages.parts.watch import scenario
from pages.parts.watch.leak import came_back, leak

Chip = dict[str, Any]
RankedSeries = tuple[Series, float]
"""A run with its accuracy."""
MOST_NAMED = 4
"""Largest number of runs that are all named; of more, the best and the last."""
MOST_CLASSES, FEW = 10, 10
"""Largest number of classes that are named; number of held-out samples below which it is said."""
LEARNT, UNHEARD = 0.4, 0.01
"""Least overall accuracy, and largest accuracy on a class, of a run that has lost the class."""
EXPECTED = {"learns": "should learn", "borderline": "is borderline", "chance": "should not learn"}
TOLD = "Tried out in short: "
BLAMED = {
    "noise": ": it was the noise",
    "range": ": it was the noise of so wide a range",
    "rate": ": the learning rate is too large",
    "": "",
}
SEVERAL = "those that each run's trust names"
RUN = " for the run"
AT_WORST = "at worst "
WORTHLESS = ", no better than guessing"
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
        upload: kind of upload whose attack is shown; `nothing` is said without an image of it.
        state: "" before a launch, "live", "stopped" or "completed".
        open_question: the visitor has not guessed yet, so no prediction is shown.
    """
    whole = final([run for one in shown for run in one.runs])
    begun = [one for one in shown if one.round > 0 or one.diverged]
    return {
        "line": _line(draft, begun, chance, state, reference) if begun else _before(draft, open_question),
        "chips": [
            _accuracies(begun, state, ladders(draft), whole) | {"hint": GLOSSARY["Accuracy"]},
            leak(shown, upload, nothing)
            | ({} if begun else {"kind": WAITING})
            | {"hint": f"{GLOSSARY['dB']} {GLOSSARY['Picked']}"},
            promised(draft) | ({} if begun else {"kind": ""}),
        ],
    }


def _said(*words: str | Name | Sequence[Name]) -> list[Name]:
    """A sentence of words in the text's own colour, names in theirs, and other sentences."""
    found: list[Name] = []
    for one in words:
        found += [(one, None)] if isinstance(one, str) else [one] if isinstance(one, tuple) else one
    return found


def _strung(phrases: Iterable[Name | Sequence[Name]], mark: str) -> list[Name]:
    """Phrases with a mark between them."""
    return _said(*[word for phrase in phrases for word in (mark, phrase)][1:])


def _name(one: Series) -> Name:
    return (shortened(one.label, 26), one.style.tint)


def _lost(one: Series) -> Name:
    """Name of a diverged run, with the number of its diverged seeds."""
    many, (label, tint) = len(one.lost), _name(one)
    return (label if many == len(one.runs) else f"{label} with {many} of {len(one.runs)} seeds", tint)


def _before(draft: Draft, open_question: bool) -> list[Name]:
    """Headline before training: the variants, if the visitor may guess, else the prediction."""
    names = [(one.label, look.tint) for one, look in zip(draft.variants, styles(draft), strict=True)]
    if open_question:
        return _said(_joined(names), " side by side" if len(names) > 1 else "")
    words: dict[str, list[Name]] = {}
    views = pilots.known(draft.experiments())
    for name, view in zip(names, views, strict=True):
        hope = EXPECTED.get(view.word, "") if not view.between else f"is {view.between}"
        words.setdefault(hope, []).append(name)
    hopes = [
        _said(_joined(some), f" {hope.replace('is ', 'are ', 1) if some[1:] else hope}")
        for hope, some in sorted(words.items(), key=lambda pair: [*EXPECTED.values(), pair[0]].index(pair[0]))
        if hope
    ]
    if len(views) == 1 and (range := within(views[0])):
        hopes[0] += _said(f": accuracy {range}")
    if pilots.TESTING in views:
        hopes.append(_said(pilots.TESTING.why))
    if not hopes:
        return _said("Not trained yet: what theory can say is drawn already")
    return _said(TOLD, _strung(hopes, "; "))


def _joined(names: Sequence[Name]) -> list[Name]:
    more = (f"{len(names) - MOST_NAMED + 1} more", None)
    names = names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], more]
    return _said(_strung(names[:-1], ", "), *([" and "] if names[1:] else []), names[-1])


def _ranked(shown: Sequence[Series]) -> list[RankedSeries]:
    going = [(one, float(one.final("accuracy").mean())) for one in shown if not one.diverged and one.round]
    return sorted(going, key=lambda pair: pair[1], reverse=True)


def _line(
    draft: Draft, shown: Sequence[Series], chance: float | None, state: str, reference: Series | None
) -> list[Name]:
    ranked, lost = _ranked(shown), [one for one in shown if one.diverged]
    gone: list[Name] = []
    if lost:
        every = [*shown, *([reference] if reference else [])]
        found = {blamed.cause if (blamed := blame(one, every)) else "" for one in lost}
        why = BLAMED[found.pop()] if len(found) == 1 else ""
        gone = _said(_joined([_lost(one) for one in lost]), f" diverged{why}")
    if not ranked:
        return gone
    return _strung([_compared(draft, ranked, chance, state), *([gone] if gone else [])], "; ")


def _compared(draft: Draft, ranked: list[RankedSeries], chance: float | None, state: str) -> list[Name]:
    """What the runs that did not diverge came to."""
    if state != "completed":
        (best, top), (worst, _) = ends = ranked[0], ranked[-1]
        unlike = best.round != worst.round
        said = [
            _said(_name(one), f" {percent(mean)}{f' (round {number(one.round, 6)})' if unlike else ''}")
            for one, mean in ends
        ]
        when = "So far: " if unlike else f"After round {number(best.round, 6)}: "
        if at_chance(top, chance):
            none = f"none of the {len(ranked)} is better than guessing ({percent(top)} at most)"
            alone = _said(_name(best), f" {percent(top)}{WORTHLESS}")
            return _said(when, *([none] if ranked[1:] else [alone]))
        return _said(when, _strung(said if ranked[1:] else said[:1], ", "))
    runs = [one for one, _ in ranked]
    asked = scenario.compared(draft, runs)
    same = same_model(runs)
    if ranked[1:] and (asked.leaks or same) and (leaks := _by_attack(asked.runs if asked.leaks else runs)):
        return leaks
    if ranked[1:] and not (same or at_chance(ranked[0][1], chance)):
        if silenced := _silenced(ranked):
            return silenced
        ranked = [pair for pair in ranked if pair[0] in asked.runs]
    every = [one.runs for one, _ in ranked]
    found = ranking(
        [(_name(one), mean) for one, mean in ranked],
        chance,
        lambda one, other: apart(every[one], every[other], every),
        asked.cause,
        same,
    )
    return [*found.pieces()]


def _by_attack(shown: Sequence[Series]) -> list[Name]:
    """What is recovered from each run; empty if an attack has no result."""
    came = [(one, came_back(one)) for one in shown]
    if not all(words for _, words in came):
        return []
    return _strung([_said(_name(one), f": {words}") for one, words in came], "; ")


def _silenced(ranked: Sequence[RankedSeries]) -> list[Name]:
    """A run with good accuracy that never names some classes right; empty if there is none."""
    for one, mean in ranked:
        per_class = [run.last.get("accuracy_per_class") or [] for run in one.runs]
        if mean < LEARNT or not all(per_class) or len({len(each) for each in per_class}) > 1:
            continue
        each = enumerate(zip(*per_class, strict=True))
        never = [c for c, shares in each if None not in shares and max(shares) <= UNHEARD]
        if len(never) > 1:
            names = class_names(one.runs[0].start.get("experiment", {}), len(per_class[0]))
            which, once = _span(never, names), any(shares[c] > 0 for shares in per_class for c in never)
            often = "hardly ever" if once else "never"
            said = finding("silenced", best=_name(one), top=percent(mean), often=often, which=which)
            return [*said.pieces()]
    return []


def _span(classes: Sequence[int], names: Sequence[str]) -> str:
    numbers = all(name.isdigit() for name in names)
    if numbers and len(classes) > 2 and classes[-1] - classes[0] == len(classes) - 1:
        return f"the classes {classes[0]} to {classes[-1]}"
    named = [names[c] for c in classes[:MOST_CLASSES]]
    more = len(classes) - len(named)
    return f"the classes {listed([*named, *([f'{more} others'] if more else [])])}"


def _accuracies(shown: Sequence[Series], state: str, steps: Steps, whole: bool) -> Chip:
    """First figure: accuracy of each run, or of each design from its least ε to its largest; `whole`: after
    all rounds.
    """
    name = "Accuracy" if state in ("completed", "") or whole else "Accuracy so far"
    ranked = _ranked(shown)
    if not ranked:
        words = "waiting for the first round" if state == "live" else "press Train"
        pieces = _said("every run diverged" if shown and state == "completed" else words)
        return {"name": "Accuracy", "pieces": pieces, "rest": "", "kind": WAITING}
    if steps:
        return {"name": name, **_climbs(shown, steps)}
    named = ranked if len(ranked) <= MOST_NAMED else [*ranked[: MOST_NAMED - 1], ranked[-1]]
    ends = [(f"{_name(one)[0]} {percent(mean)}", one.style.tint) for one, mean in named]
    seeds = max(len(one.runs) for one, _ in ranked)
    rest = f"mean of {seeds} seeds" if seeds > 1 else "one seed"
    best = f"; best {MOST_NAMED - 1} and last of {len(ranked)}" if len(ranked) > MOST_NAMED else ""
    held = plan(ranked[0][0].experiment).source.test_size
    on = (
        "on held-out samples"
        if held >= FEW
        else f"on {held} held-out samples, each worth {percent(1 / held)}"
    )
    return {"name": name, "pieces": _strung(ends, " · "), "rest": f"{on}, {rest}{best}"}


def _climbs(shown: Sequence[Series], steps: Steps) -> Chip:
    ends = []
    for design, points in by_line(shown, steps).items():
        least, most = (percent(float(one.final("accuracy").mean())) for _, one in (points[0], points[-1]))
        ends.append((f"{design} {least} → {most}", points[0][1].style.tint))
    budgets = sorted(epsilon for _, epsilon in steps)
    rest = f"on held-out samples, from ε {number(budgets[0])} to ε {number(budgets[-1])}"
    rest += covered(shown[0].experiment)
    return {"pieces": _strung(ends, " · "), "rest": rest}


def promised(draft: Draft) -> Chip:
    """Third figure: ε of the whole run for the client with the least ε, and for that with the greatest where
    it is worth less; else, as what the same values cost again, as a hint.
    """
    experiments = draft.experiments()
    named = list(named_clients(most_unlike(experiments)).values())
    both = dict.fromkeys((named[0], named[-1]))
    promises = [_promises(draft, client, client == named[0]) for client in both]
    words, delta, least = promises[0]
    promise = f"{words.partition(': ')[0]}: "
    others = "".join(
        f"; client {named[-1] + 1} {also.removeprefix(promise).removesuffix(RUN)}"
        for also, _, _ in promises[1:]
    )
    seen = list(dict.fromkeys(AGAINST[one.trust.against] for one in experiments))
    units = {one.unit for one in experiments}
    who = of_whom("record" if units == {"record"} else "client", f"client {named[0] + 1}")
    who += " or each of its records, as a run has it" if len(units) > 1 else ""
    rest = f"for {who}, at worst{delta}, against {SEVERAL if seen[1:] else seen[0]}: "
    rest += f"told apart {least.odds.removeprefix(AT_WORST)}"
    if any(one.word != least.word for _, _, one in promises):
        rest, others = rest + others, ""
    more = others.removeprefix("; ") or _others(experiments)
    more += _repeated([Promised.to(named[0], "", one) for one in experiments])
    return {
        "name": "Privacy of the run",
        "pieces": [(words, None)],
        "rest": rest,
        "kind": STYLES[least.word],
        "hint": f"{more}. {GLOSSARY[COVERS]} {GLOSSARY['Worst case']}".removeprefix(". "),
        "link": ["What would have to change?", asked_at(draft.base)] if least.word == NOTHING else None,
    }


def _repeated(variants: Sequence[Promised]) -> str:
    """Guarantee for equal uploads that an attack sees several times, where variants differ in how many."""
    lines = [(one.seen, plan(one.experiment).prices.again(one.client, one.seen)) for one in variants]
    if len({seen for seen, _ in lines}) < 2 or not all(line.guarantee for _, line in lines):
        return ""
    each = sorted(dict(lines).items())
    prices = [f"{at_most(line.bound, 2)} seen {seen} times" for seen, line in each]
    return f"; the same values in one upload: ε {listed(prices)}".replace("seen 1 times", "seen once")


def _promises(draft: Draft, client: int, whole: bool = True) -> tuple[str, str, Worth]:
    """Guarantee for a client, its δ and the worth of the weakest, with the odds of the weakest that has one:
    `promises nothing: ε 0.5 per weight → 1 397 for the run`; `whole` adds the names of runs without any.
    """
    own, lines, bare = list[tuple[str, float]](), list[Promise](), list[str]()
    for variant, experiment in zip(draft.variants, draft.experiments(), strict=True):
        if client >= experiment.clients.count:
            continue
        line = Promised.to(client, variant.label, experiment).entry.run_worst
        noisy = plan(experiment).randomiser.role != "identity"
        if noisy:
            own.append((covered(experiment), experiment.clients.budgets()[client]))
        if noisy and line.guarantee:
            lines.append(line)
        else:
            bare.append(variant.label)
    if not own:
        return "promises nothing: no mechanism, no guarantee", "", worth(Promise())
    by_scope = names_by(sorted(own))
    before = f"ε {' and '.join(_between(of, exact=True) + scope for scope, of in by_scope.items())}"
    if not lines:
        return f"promises nothing: {before}, no guarantee for the run", "", worth(Promise())
    run, delta = [line.bound for line in lines], max(line.delta for line in lines)
    # a δ makes a run cheaper than one of its uploads was asked to be: say what it is without, if it is
    pure = (
        all(line.generic is not None for line in lines)
        and bool(delta)
        and min(run) < min(asked for _, asked in own)
    )
    without = f" ({_between([line.sum for line in lines])} if δ = 0)" if pure else ""
    none = f"; {few(bare)}: no guarantee" if bare and whole else ""
    least, most = (worth(choose(lines, key=lambda line: line.bound)) for choose in (max, min))
    # of equal ε one law gives away more than another
    least = Worth(least.word, min(worth(line).wrong for line in lines))
    promise = least.promises if least.word == most.word else f"{most.promises} to {least.word}"
    kept = all(one.clients.epsilon_scope == "run" for one in draft.experiments())
    kept = kept and _between(run) == _between([asked for _, asked in own])
    comes_to = "" if kept else f" → {_between(run)}{RUN}"
    words = f"{promise}: {before}{comes_to}{without}{none}"
    counted = (f" (δ\u00a0{number(delta)})" if delta else "") + (" where guaranteed" if bare else "")
    return words, counted, Worth(NOTHING, least.wrong) if bare else least


def _between(values: Sequence[float], exact: bool = False) -> str:
    """One value, or least to greatest; rounded up, to two digits or to whole numbers, unless `exact`."""
    low, high = min(values), max(values)
    say, digits = (number, 4) if exact else (at_most, 2)
    if number(low) == number(high):
        return say(high, 4)
    return " to ".join(dict.fromkeys(say(end, digits) for end in (low, high)))


def _others(experiments: Sequence[Experiment]) -> str:
    """Note that all clients have the same guarantee, if so."""
    if experiments[0].clients.count == 1:
        return ""
    both = [
        kinds for one in experiments for kinds in (everyone(plan(one)), one.clients.run_limits().tolist())
    ]
    alike = all(len(set(kinds)) == 1 for kinds in both)
    return "All others have the same" if alike else "Others have other ranges or limits"
