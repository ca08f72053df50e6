"""Table of a client's four guarantees under several designs or runs, with explanations."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import streamlit as st

from ldp_core.accounting import AGAINST, Entry, Promise, Scope, promise, together_in_words
from ldp_core.composition.spending import Client
from ldp_core.experiment import PER, Experiment, kept, plan
from ldp_core.theory import sent_in_clear
from pages.parts.ui.tables import grouped, table
from pages.parts.ui.text import THIN, at_most, few, names_by, number, plain

SCOPES: dict[Scope, str] = {
    "coordinate": PER["coordinate"],
    "upload": PER["upload"],
    "run_expected": "this run: price of an average client",
    "run_worst": "this run, worst case",
}
SEEN = "what the attack is given, beside the run"
COVERS = (
    "Those per weight, per upload and in the worst case are bounds on how well any two values in the "
    "client's safe range can be told apart, also where a value follows from what was sent before: of values "
    "fixed in advance an upload can tell some per cent less. The price of an average client is what an "
    "average number of uploads costs: a client that is drawn more often spends more. First comes the "
    "smallest bound computed here for this mechanism; beside it, where they are larger, the bound for any "
    "mechanism of its ε, and the plain sum. All are bounds on the mechanism as its formulas stand: rounded "
    "numbers of computers can tell more."
)
NAMED = (
    " That the client took part is not covered, since the server sees it: so a random choice of clients adds "
    "nothing, and nothing is shuffled."
)
BALL = (
    " Where whole uploads are shortened to a length, there is no safe range: these bounds are on any two "
    "uploads whatever, and one weight may tell as much as all of them."
)
ROW = (
    " Where ε is a record's, the bounds are on two tables of equal size that differ in one record; how many "
    "records a client holds is public, and a record may show in a single weight."
)
DEARER = (
    "At budgets this small an upload's ε is below that of one of its weights: it comes with a δ, and one "
    "weight's has none."
)
FEW = 2
"""Largest number of guarantees side by side."""
FAR = 10.0
"""ε beyond which the bound on the odds is useless: at 10 they may change 22 026-fold."""
SLIGHT = 0.05
"""ε below which the factor e^ε is shown as an increase in percent."""


@dataclass(frozen=True)
class Promised:
    name: str
    experiment: Experiment
    client: Client
    limit: float = math.inf

    @classmethod
    def to(cls, client: int, name: str, experiment: Experiment, use: Client | None = None) -> Self:
        """Guarantees for one client (the last, if there are fewer), or with other ε and range ends."""
        i = min(client, experiment.clients.count - 1)
        population = plan(experiment).population
        own = float(population.epsilon[i]), float(population.low[i]), float(population.high[i])
        return cls(name, experiment, use or own, float(experiment.clients.run_limits()[i]))

    @cached_property
    def entry(self) -> Entry:
        return _promise(plan(self.experiment), self.client, self.limit)

    @property
    def seen(self) -> int:
        attack = self.experiment.attack
        return attack.rounds_observed if attack and plan(self.experiment).spies else 1

    @property
    def ball(self) -> bool:
        return plan(self.experiment).randomiser.region == "ball"

    @property
    def dearer(self) -> bool:
        """Whether one weight's ε is above that of the upload, which comes with a δ."""
        weight, upload = self.entry.coordinate, self.entry.upload
        return upload.guarantee and upload.bound < weight.bound < math.inf


_promise = kept(512)(promise)


def promise_table(promised: Sequence[Promised], beside: Callable[[], None] | None = None) -> None:
    again = any(one.seen > 1 for one in promised)
    rows = grouped([(one.name, list(cells(one, again))) for one in promised])
    weight, upload, *run = SCOPES.values()
    table(*laid_out([weight, upload, *[SEEN] * again, *run], rows))
    st.caption(plain(against_whom([(one.name, one.entry.against) for one in promised]), 600))
    if beside:
        beside()
    first = promised[0]
    st.markdown(in_words(first))
    if words := added_up(first):
        st.markdown(words)
    if any(one.dearer for one in promised):
        st.caption(DEARER)
    named = all(one.entry.against == "server" for one in promised)
    of_rows = [one for one in promised if one.entry.unit == "record"]
    ball = any(one.ball and one.entry.unit == "client" for one in promised)
    st.caption(COVERS + NAMED * named + BALL * ball + ROW * bool(of_rows))
    for one in of_rows:
        more = together_in_words(one.entry, at_most)
        st.caption(f"{plain(one.name, 100)}, this run, worst case: {more}.")
    for learnt in sorted({plan(one.experiment).source.learnt for one in promised} - {""}):
        st.caption(f"Not counted in any ε, as it was learnt before any mechanism: {learnt}.")


def against_whom(promised: Sequence[tuple[str, str]]) -> str:
    """Sentence on the adversaries that guarantees hold against, from labels of runs and keys of `AGAINST`."""
    found = names_by((AGAINST[against], name) for name, against in promised)
    if len(found) == 1:
        return f"All of it holds against {next(iter(found))}."
    return f"It holds against {'; '.join(f'{whom} ({few(names)})' for whom, names in found.items())}."


def laid_out(scopes: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Head and rows: a column per run for few, which suits a phone; a row per run for more."""
    if len(rows) > FEW:
        return ["run", *scopes], rows
    names, *lines = zip(*rows, strict=True)
    return ["for", *names], [[scope, *line] for scope, line in zip(scopes, lines, strict=True)]


def cells(one: Promised, again: bool) -> Iterator[str]:
    """A cell for each scope; after that of an upload, one for repeated uploads if any attack has them."""
    for scope in SCOPES:
        yield _price(one) if scope == "run_expected" else _cell(one.entry[scope])
        if scope == "upload" and again:
            times = "1 upload" if one.seen == 1 else f"{one.seen} uploads of the same values"
            yield f"{times}: {_cell(plan(one.experiment).prices.again(one.client, one.seen))}"


def _cell(line: Promise) -> str:
    """The computed ε, and where larger also ε for any mechanism with this ε per use, and the plain sum."""
    if not line.guarantee:
        return f":red[**no guarantee**]: {plain(line.why, 120)}"
    nominal = " (summed from the paper's own ε)" if line.rule == "nominal" else ""
    parts = [f"**ε {at_most(line.bound, 4)}**{nominal}, δ {number(line.delta)}"]
    if line.generic is not None and line.bound * 1.001 < line.generic < line.sum:
        parts.append(f"any mechanism {at_most(line.generic, 4)}")
    if line.sum > line.bound * 1.001:
        parts.append(f"plain sum {at_most(line.sum, 5)}")
    return "; ".join(parts)


def _price(one: Promised) -> str:
    """ε of the expected number of uploads, which bounds no client's where they are random."""
    line = one.entry.run_expected
    if line.epsilon is None or line.rule == "nominal" or line == one.entry.run_worst:
        return _cell(line)
    return f"ε {at_most(line.epsilon, 4)}, δ {number(line.delta)}, no bound"


def in_words(one: Promised) -> str:
    weight, upload = one.entry.coordinate, one.entry.upload
    if not (weight.guarantee and upload.guarantee):
        return f"In words, for {plain(one.name, 100)}: nothing is promised."
    if one.entry.unit == "record":
        neighbours, others = "one record of the client were any other", ""
    elif one.ball:
        neighbours, others = "an upload were any other", ""
    else:
        neighbours, others = "one value in the safe range were another", ", if all its values were others,"
    many = number(plan(one.experiment).uploaded, 6)
    text = (
        f"In words, for {plain(one.name, 100)}: if {neighbours}, nothing that can be seen in **one weight** "
        f"would become more likely by more than {growth(weight)}; and nothing in **all "
        f"{many} weights of one upload**{others} by more than {growth(upload)}."
    )
    if upload.bound > FAR:
        text += (
            " Beyond an ε of 10, a factor of 22\u202f026, a bound promises nothing; that is no leak yet, "
            "which only an attack can show."
        )
        if upload.bound > 3 * weight.bound:
            text += " A budget for one weight is not a budget for a person."
    return text


def added_up(one: Promised) -> str:
    """How the plain sum comes about, for mechanisms on single weights without δ; else ""."""
    experiment, lines = one.experiment, (one.entry.coordinate, one.entry.upload, one.entry.run_worst)
    bounded = all(line.guarantee and line.rule != "nominal" for line in lines) and not lines[0].delta
    if plan(experiment).randomiser.scope != "coordinate" or not bounded:
        return ""
    each, once, whole = (line.sum for line in lines)
    weights, uploads = round(once / each), round(whole / once)
    answers = weights * uploads
    if not uploads or not math.isclose(answers * each, whole, rel_tol=1e-9):
        return ""
    perturbed = "" if weights == plan(experiment).uploaded else "perturbed "
    most = "" if one.entry.run_expected == lines[2] else " at most"  # where lots are drawn
    if uploads < experiment.rounds and math.isfinite(one.limit):
        most = ", more than which its own limit forbids,"
    times = f"{number(uploads, 6)} upload{'s' if uploads != 1 else ''}{most}"
    total = (
        f"Plain sum: {number(weights, 6)} {perturbed}weights × ε {number(each, 4)} = {at_most(once, 5)} for "
        f"an upload; × {times} = {at_most(whole, 5)} for the run"
    )
    if lines[2].bound * 1.001 >= whole:
        return f"{total}."
    return (
        f"{total}, if each of the {number(answers, 7)} answers (a weight, sent once) gave its full ε in the "
        f"same direction. But for a probability of δ = {number(lines[2].delta)} they tell less together: "
        f"**ε {at_most(lines[2].bound, 4)}**."
    )


def in_clear(shown: Sequence[tuple[str, Experiment]]) -> None:
    """Draw what designs, by label, send without noise; nothing if none does."""
    found = names_by(
        ((item.what, item.by, item.why), label)
        for label, experiment in shown
        for item in sent_in_clear(plan(experiment))
    )
    if not found:
        return
    st.markdown("**What is sent in clear**: the server learns it as it is, and no ε covers it")
    rows = [
        [f":red[**{plain(what)}**]", plain(by), plain(why, 120), plain(", ".join(labels), 160)]
        for (what, by, why), labels in found.items()
    ]
    table(["what", "revealed by", "why", "designs"], rows)


def growth(line: Promise) -> str:
    epsilon = line.bound
    if epsilon > FAR:
        return "a factor so large that nothing is promised"
    if epsilon < SLIGHT:
        grown = f"{at_most(100 * math.expm1(epsilon))}{THIN}%"
    else:
        grown = f"a factor of {at_most(math.exp(epsilon))}"
    return grown + (f" plus a probability of {number(line.delta)}" if line.delta else "")
