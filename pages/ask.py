"""Ask: whose secret, from whom, how many, how good?"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from ldp_core import datasets, models
from ldp_core.accounting import DELTA, deployments, word_of, worth
from ldp_core.accounting.worth import RULE
from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.experiment import UNITS, Draft, Experiment, changed
from ldp_core.experiment.reading import typed
from ldp_core.runs import FIRST, AskProgress, Job, first_answer, jobs, own_data, points_of
from ldp_core.tuning.designs import BestDesign, answer_of, next_points
from ldp_core.tuning.needs import TRUSTS, Lever, Needs, parse_needs
from ldp_core.tuning.said import changes, design_of, enough, promised, promised_in_words, sentence
from pages.parts.clients.data_names import data_label
from pages.parts.clients.own_data import own_data_panel
from pages.parts.runs.job_state import far_state, is_gone
from pages.parts.tune.price import chip, design_line, three_figures
from pages.parts.ui.header import headline, question
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.shared_cache import once, watch_record
from pages.parts.ui.text import listed, number, percent, plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import look, me, visitor, who
from pages.parts.ui.workspace import start_with

WHOM = {
    "local": "Anybody: nobody is trusted",
    "shuffled": "The server, which sees a shuffled heap",
    "secure_sum": "The server, which sees only the sum",
    "central": "The model’s users; the server may know",
}
GIVEN_UP = {
    "shuffled": "A shuffler is trusted",
    "secure_sum": "Only the sum is seen",
    "central": "The server is trusted",
    "record": "One record is the secret",
    "client": "All that one sends is",
}
RECORD_TRUSTS = tuple(one for one in TRUSTS if one != "shuffled")
"""Trusts under which a record's promise is proved."""
WANTED = {"promise": "A promise", "accuracy": "An accuracy"}
EPSILONS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 15.0, 20.0, 50.0)
ASKED, JOBS, TIMES = "asked", "asked in jobs", "asked times"
ADDRESSED = ("unit", "trust", "clients", "records", "dataset", "model", "epsilon", "accuracy")
"""Parts of a question that an address may hold."""


def main() -> None:
    question(
        "What do you need, and what does it cost?",
        "Many train one model together without handing over their data; each adds noise to what they send. "
        "Answer four questions; the designs that fit are tried at once.",
    )
    begun = _begun()
    given = _fields(begun)
    with st.expander("Your own data; another model", key=_key("more")):
        given["model"] = _model(begun, given["dataset"])
        own_data_panel(ask=_ask_of)
    if (needs := _needs(begun, given)) is None:
        return
    st.session_state[ASKED] = needs
    stored = first_answer()
    if stored is not None and stored.needs == needs:
        _answer(stored.needs, stored.cells, stored.chance, stored.told)
    elif (job := _asked(needs)) is not None:
        watch_record(job, AskProgress, "question", partial(_watch, needs), own=True)
    refusal()


def _begun() -> Needs:
    """The question so far: that of the address, if one led here with it, else the last."""
    if given := {name: value for name, value in st.query_params.items() if name in ADDRESSED}:
        st.query_params.clear()
        with suppress(InvalidExperiment):
            _put(parse_needs({name: typed(value) for name, value in given.items()} | {"levers": True}))
    return st.session_state.setdefault(ASKED, FIRST)


def _put(needs: Needs) -> None:
    """Show another question in fields of new keys: of the old ones a browser sends what they had."""
    st.session_state[ASKED] = needs
    st.session_state[TIMES] = st.session_state.get(TIMES, 0) + 1


def _key(field: str) -> str:
    return f"ask {field}, {st.session_state.get(TIMES, 0)}"


def _ask_of(dataset: str) -> None:
    """Ask the question so far of a visitor's own data, with the clients that they name."""
    count = datasets.get(dataset).clients or min(20, datasets.get(dataset).train_size)
    before = st.session_state[ASKED]
    _put(replace(before.alone, dataset=dataset, model=None, clients=count, records=None, levers=True))


def _model(before: Needs, dataset: str) -> str | None:
    shape = datasets.get(dataset).shape
    fitting = [name for name in models.names() if models.get(name).fits(shape)]
    return st.selectbox(
        "**Model**",
        [None, *fitting],
        [None, *fitting].index(before.model) if before.model in fitting else 0,
        format_func=lambda name: models.get(name).label if name else "What learns best, of few weights",
        key=_key(f"model of {dataset}"),
        help="Those that the data fit: the convolutional network needs images as large as MNIST’s.",
    )


def _fields(before: Needs) -> dict[str, Any]:
    secret, whom, many, need = st.columns([1, 1.25, 1, 1.35], gap="medium", border=True)
    unit = secret.radio(
        "**Whose secret is it?**",
        list(UNITS),
        index=list(UNITS).index(before.unit),
        format_func=lambda one: UNITS[one].capitalize(),
        key=_key("whose"),
    )
    offered = TRUSTS if unit == "client" else RECORD_TRUSTS
    trust = whom.selectbox(
        "**Who must not learn it?**",
        offered,
        index=offered.index(before.trust) if before.trust in offered else 0,
        format_func=WHOM.__getitem__,
        key=_key(f"whom of {unit}"),
    )
    names = [*own_data.labels(me()), *(name for name in datasets.names() if _is_here(name))]
    data = before.dataset if before.dataset in names else names[0]
    if len(names) > 1:
        data = many.selectbox(
            "**Their data**", names, index=names.index(data), format_func=data_label, key=_key("data")
        )
    source = datasets.get(data)
    size, count = source.train_size, source.clients or before.clients
    left, right = many.columns(2, gap="small")
    clients = left.number_input("**How many?**", 2, size, min(count, size), key=_key(f"many {data}"))
    most = size // int(clients)
    each = right.number_input(
        "**Each holds**",
        1,
        most,
        min(before.records or most, most),
        key=_key(f"each {data} {clients}"),
        help=f"Records; {source.label} has {number(size, 7)} to deal out.",
    )
    kind = need.segmented_control(
        "**What do you need?**",
        list(WANTED),
        required=True,
        default="promise" if before.epsilon is not None else "accuracy",
        format_func=WANTED.__getitem__,
        key=_key("what"),
    )
    wanted: dict[str, Any] = {"epsilon": None, "accuracy": None}
    if kind == "promise":
        value = before.epsilon or 4.0
        wanted["epsilon"] = need.select_slider(
            f"ε at most, δ {number(DELTA)}",
            sorted({*EPSILONS, value}),
            value,
            format_func=lambda epsilon: f"{number(epsilon)}: {word_of(epsilon)}",
            key=_key("epsilon"),
            help=f"For {UNITS[unit]}, in the whole run. {RULE} Known deployments have other units: "
            f"{'; '.join(deployments.listed())}.",
        )
    else:
        share = need.slider(
            "Accuracy at least, %", 15, 99, round(100 * (before.accuracy or 0.9)), key=_key("share")
        )
        wanted["accuracy"] = share / 100
    held = {"clients": int(clients), "records": int(each) if each < most else None}
    return {"unit": unit, "trust": trust, "dataset": data, **held, **wanted}


def _needs(before: Needs, given: dict[str, Any]) -> Needs | None:
    confirmed = before.confirmed and before.as_json() | given == before.as_json()
    place = json.dumps(given | {"confirmed": confirmed, "levers": True})
    try:
        return once(("needs", place), lambda: parse_needs(json.loads(place)))
    except InvalidExperiment as error:
        st.error(plain(f"{error_in_words(error)}.", 400))
        return None


@st.cache_data(ttl=5, show_spinner=False)
def _is_here(name: str) -> bool:
    return datasets.get(name).there(datasets.data_dir())


def _asked(needs: Needs) -> Job | None:
    """The visitor's job for this question, launched if there is none; earlier ones are given up."""
    known: dict[str, str] = st.session_state.setdefault(JOBS, {})
    place = json.dumps(needs.as_json())
    with suppress(StudioError):
        if place in known:
            return look(known[place])
    for other, job in [*known.items()]:
        with suppress(StudioError):
            if look(job).live:
                jobs.cancel(job, visitor())
                del known[other]  # who comes back to it asks anew
    with refusing():
        known[place] = jobs.launch("ask", needs, **who())
        return look(known[place])
    return None


def _watch(needs: Needs, job: Job, found: AskProgress) -> None:
    if st.session_state[ASKED] != needs:  # changed by a press here, which redraws this part alone
        st.rerun()
    if is_gone(job):
        return
    cells = points_of(found.cells)
    if found.chance is None or (whole := _answered(needs, cells)) is None:
        runs = f"{len(cells)} runs"
        far_state(job, 0.0, lambda left: f"Trying designs: {runs} so far{left}", runs)
        return
    _answer(needs if whole else replace(needs, levers=False), cells, found.chance, found.told)


def _answered(needs: Needs, cells: Mapping[Any, float]) -> bool | None:
    """Whether all is answered, or the question itself at least (False); None if it is not."""
    if not next_points(needs, cells):
        return True
    return None if next_points(replace(needs, levers=False), cells) else False


def _answer(needs: Needs, cells: Mapping[Any, float], chance: float, told: float | None) -> None:
    found = once(("answer", needs, len(cells)), lambda: answer_of(needs, cells))
    design = design_of(needs, found)
    headline(sentence(needs, found, chance))
    _figures(found, design, chance, told)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Found**: {design_line(design)}")
        if not found.measured:
            st.button("Confirm it with fresh seeds", type="primary", key="confirm", on_click=_confirm)
        if st.button("Train and attack it", key="open found"):
            start_with(Draft.alone(changed(design, {"attack": "auto"})))
            st.switch_page("train.py")
    st.header("What would have to change", anchor=False)
    if not needs.levers:
        st.caption("Trying each change …")
    levers = once(("levers", needs, len(cells)), lambda: changes(needs, cells))
    if levers and not enough(found, chance):
        would = [_named(lever) for lever, other in levers if enough(other, chance)]
        none = "None of these alone is enough."
        st.markdown(f"Alone enough: **{plain(listed(would))}**." if would else none)
    for column, some in zip(st.columns(2, gap="medium"), (levers[::2], levers[1::2]), strict=True):
        with column:
            for lever, other in some:
                _lever(lever, needs, other, chance)


def _figures(found: BestDesign, design: Experiment, chance: float, told: float | None) -> None:
    how = (
        f"Mean of {found.runs} fresh runs."
        if found.measured
        else "Expected, from two more runs of the best of the designs that were tried."
    )
    rest = f"{_span(found)}; guessing {percent(chance)}, without noise {percent(found.ceiling)}"
    accuracy, attacker = chip("Accuracy", percent(found.mean), rest, how), None
    if told is not None:
        right, odds = f"right in {round(100 * told)} of 100 tries", worth(promised(design)).odds
        odds = odds.removeprefix("in ").removesuffix(" of 100 tries")
        rest = f"telling two images apart; coin: 50; promised: {odds}"
        attacker = chip("What an attacker did", right, rest, "From one upload.")
    three_figures(design, accuracy, attacker)


def _span(found: BestDesign) -> str:
    return f"nine of ten runs: {100 * found.low:.0f}–{percent(found.high)}"


def _named(lever: Lever) -> str:
    return GIVEN_UP.get(lever.label, lever.label)


def _lever(lever: Lever, needs: Needs, other: BestDesign, chance: float) -> None:
    bar, press = st.columns([3.4, 1], vertical_alignment="center")
    text = percent(other.mean)
    if needs.epsilon is None:
        text = f"{promised_in_words(lever.needs, other)}, {text}"
    none = "" if enough(other, chance) else " :gray[not enough]"
    bar.progress(other.mean, text=f"**{plain(_named(lever))}** {text}{none}")
    taken: dict[str, Any] = {"on_click": pressed(_put), "args": (replace(lever.needs, levers=True),)}
    key, span = f"lever {lever.label}", _span(other).capitalize()
    press.button("Take it", key=key, help=span, width="stretch", **taken)


@pressed
def _confirm() -> None:
    st.session_state[ASKED] = replace(st.session_state[ASKED], confirmed=True)


main()
