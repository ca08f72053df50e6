# ruff: noqa: E501 (tables of patterns)
"""Each number that a visitor reads on pages on a run follows from events, ledger or
theory, or is a constant of the sources.
"""

import json
import re
from collections.abc import Iterator
from functools import cache, partial
from html import unescape
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from ldp_core import accounting, lessons
from ldp_core.accounting import entries, worth
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.inference import margin, wilson
from ldp_core.runs import Job, drafts
from ldp_core.runs.carry.html_report import figures, ledger, verdict
from ldp_core.runs.carry.training import variants
from ldp_core.runs.record.events import runs_of
from ldp_core.theory import client_variance, client_weights, server_noise, server_variance
from tests.conftest import ROOT
from tests.runs.in_process import bodies, trained
from tests.runs.processes import PATIENCE_SECONDS

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
    (folder / "sheet.json").write_text('{"target": "again"}', encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder / "runs"))
        patch.setenv("EPSILON_DATA_DIR", str(folder))
        patch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
        for part in ("tab", "popover", "expander"):  # all are open
            place = f"streamlit.elements.lib.mutable_{part}_container.{part.title()}Container.open"
            patch.setattr(place, property(lambda _: True, lambda *_: None))
        # tabs that are open at once use one key, of which the real page draws one
        patch.setattr("streamlit.elements.lib.utils._register_element_id", lambda *_: None)
        found = {}
        for name, (base, changes, seeds) in KINDS.items():
            own = tuple(Variant(label, one) for label, one in changes.items())
            draft = Draft(parse({**SMALL, **base}), own, seeds)
            found[name] = draft, trained(draft, reference=name != "own table")
        yield found


UNREAD = {"id", "bdata", "dtype", "pixels", "token", "keys", "ticktext", "deferredFileId", "rawValues"}
UNREAD |= {
    "code",
    "jsContent",
    "cssContent",
    "htmlContent",
    "componentName",
    "codeText",
    "url",
    "hovertemplate",
}
UNREAD |= {"options", "format"}
"""Keys of what is no sentence: identities, pictures, scales of axes, menus."""


def words_in(data: Any, *path: str) -> Iterator[str]:
    """Texts in what an element or a component was given; of charts, names and annotations."""
    if isinstance(data, str):
        if data[:2] in ('{"', "[{"):
            yield from words_in(json.loads(data), *path)
        elif "figure" not in path or path[-1] in ("text", "name", "label"):
            yield data
    elif isinstance(data, dict):
        for key in data.keys() - UNREAD:
            yield from words_in(data[key], *path, key)
    elif isinstance(data, list):
        for one in data:
            yield from words_in(one, *path)


def nodes(block: Block) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if isinstance(child, Block):
            yield from nodes(child)


def read(page: str, **address: str) -> Iterator[str]:
    """All that is written on a page, with popovers, tabs and expanders open."""
    app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=PATIENCE_SECONDS)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    for node in nodes(app._tree):
        proto: Any = getattr(node, "proto", None)
        if node.type == "bidi_component":
            if proto.component_name not in ("studio_memory", "studio_ahead", "studio_dots"):
                yield from words_in(json.loads(proto.bytes))
        elif node.type == "arrow_data_frame":
            yield from (f"{one}" for one in node.value.to_numpy().ravel() if isinstance(one, str))
        elif proto is not None:
            yield from words_in(MessageToDict(proto))


SUPER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
MARKS = re.compile(r"\\|\*\*|<[^>]*>|\u2060|:\w+(?:-badge)?\[|\]\(#?[^)]*\)")


def plainly(text: str) -> str:
    """Without marks, with numbers as Python reads them."""
    text = MARKS.sub("", unescape(text)).replace("−", "-")
    text = re.sub(r"(?<=\d)[\u202f\xa0\u2009 ](?=\d{3}(?!\d))", "", text)
    text = re.sub(r"([\d.]+)·10([⁻⁰-⁹¹²³]+)", lambda m: f"{m[1]}e{m[2].translate(SUPER)}", text)
    text = re.sub(r"(?<![\d.])10([⁻⁰-⁹¹²³]+)", lambda m: f"1e{m[1].translate(SUPER)}", text)
    return re.sub(r"\s+", " ", re.sub(r"\s%", "%", text))


@cache
def written() -> str:
    """All sentences of the sources, with literals that are joined."""
    files = [
        one
        for part in ("ldp_core", "pages")
        for one in (ROOT / part).rglob("*.*")
        if one.stat().st_size < 2e5
    ]
    texts = [one.read_text(encoding="utf-8") for one in files if one.suffix in (".py", ".toml", ".json")]
    return "\n".join(plainly(re.sub(r'"\s*\n\s*f?r?"', "", one)) for one in texts)


def printed(x: float, given: str, side: int) -> bool:
    """Whether a value is printed so: rounded to its last digit, or up (1), or down (-1)."""
    mantissa, _, power = given.partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(power or 0) - digits)
    if not digits and not power and abs(float(given)) >= 1000:
        unit = 10.0 ** (len(mantissa) - len(mantissa.rstrip("0")))
    low, high = ((-0.5, 0.5), (0, 1), (-1, 0))[side]
    return low - 1e-6 <= (float(given) - x) / unit <= high + 1e-6


NUMBER = r"(?<![\w.,/·])(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?![\d.]*\d)"
SKIPPED = {
    "worked sums, and what they prove": r"[^|]*[×=√][^|]*|(?:more likely by more than|a factor of)[^|]*",
    "measured on this machine": r"attacks take about.*? times as long|in (?:less than )?# s\b|# s left|takes about # \w+|# [GMk]B\b|# clients at a time|# \w+ ago",
    "names and dates": r"\d{4}-\d\d-\d\d[^ ]*|\d{4}(?=[);])|ranges longer than #|budgets from # on|^ ?#%.?$|reached # in|«\w» #(?= \d)|1/σ²?|\b[0-9a-f]{12}\b|a \d(?=$|[,)])|rank 1|■ #|Or steps.*|# hours",
    "positions in a law": r"for a weight of #|if it were #|(?:#% )?at #$|^#$|grey: a weight[^|]*|variance #(?:, σ #)?|true weight #|^between #.*",
    "intervals (test_difference)": r"interval # to #|\(# to #\)|# to #% of|share of the average:.*",
    "rules of thumb (tests/theory)": r"rule of thumb was made.*? not #|(?:right|borderline”:) (?:for )?# of #[^|]*|(?:weights can grow|learns up) to.*"
    r"|chance from # on|(?:is|not|of) # times.*|should learn below #|expected: .*|^#–#%$|# fits this model.*|noisy ended at #% to #%|#, #: not trained.*",
    "shares of data (tests/partitions)": r", and some of .*|median #|#% strict|Drawn are # of the #|A share is unsure.*|and # more|# rows|The best # and|newest round: #",
    "attackers' own settings": r"(?:#(?: to #)?) simulated|with # random image|different of # others|about # is nothing, from # on|from # on it can"
    r"|show ε # at best|Linked over rounds.*|best # of #|20 dB|(?:average of all: |^)alike #|Third: what.*",
    "ε of other settings (test_costs)": r"Promise ε # for|ε # for the whole run(?=[^.]*takes ε)|takes ε #|cost no more at δ #|price of # uploads|# of # clients upload.*?(?=[|]|$)",
    "verdict before training (tests/test_pilot)": r"# (?:short )?(?:runs|trials)(?: with #(?: of #)? clients? a round)? end at[^;|]*|nine of ten runs end between #%? and #%?|chance up to #%|learns from #% on|The verdict is from a short trial[^|]*|testing …",
    "pairs of Compare (tests/inference)": r"[A-L] - [A-L][^;]*|#(?:, #)* and # by seed[^|]*",
    "deployments (tests/runs/carry)": r"Known deployments.*",
}
"""What is not of a run, or is derived in a test of its own."""
RULES = {
    "final": r"(?<!plain )«(\w)»:? (?:ends at |reaches )?#%(?! at| after| on| picked| of)",
    "odds": r"at most # of # tries",
    "delta": r"δ(?: at most)? #",
    "shown": r"(?:≥ #|ε # (?:or more|at least)|(?:at least|shows) ε #)",
    "bound asked shown": r"(?<!its )ε (?:of )?#(?: (?:to|and|or) #)?(?!\d*%)|≤ #|(?<=or )#(?= (?:per|for))|any mechanism #|#(?= \(\s*\), against)|#,\s+(?=δ|: promises)|#(?=: promises)"
    r"|plain sums?,?(?: with\s+(?:δ 0)?,? are)?(?: ε)? #(?: and #)?|(?:run|weight|upload)? → #(?!%)|to #(?= for the run)",
    "sigma": r"σ #",
    "rounds": r"[Rr]ounds? #(?: (?:to|of) #)?(?!\d*%)|# (?:shared )?rounds?|# uploads?",
    "hits": r"of #(?= \(|\s*; guessing| tries)|# of #(?! runs)(?: attempts)?|(?:by )?guessing:? #(?: or #)?(?![%\d.])|(?:out of|which of|from|of) #(?= images| in|,| image|$)",
    "share": r"\(?#%? to #%\)?|(?:lowest|highest) #%|#%|#(?= %)",
    "alike": r"alike #",
    "dB": r"# dB|(?:class|all|is back) #$|(?:images|\)): #$",
    "noise": r"^(?:«\w»|[a-z]+) #$|#(?= after)|noise variance:? #|#(?= at the end)",
    "clients": r"[Cc]lients? #(?: and #)?|# (?:of # )?(?:people|clients?)|# asks?|# for(?= )",
    "runs": r"Trust: #|# (?:\w+ )?runs?|of the #|(?:all|more|of) #|# pairs?|# more",
    "sigma noise": r"[;:] +\| # \| #(?= \|)",
    "seeds": r"# (?:shared )?seeds?|seeds? #|# reach",
    "samples": r"(?:the|only|only the|holds) #(?: to #)? (?:held-out )?(?:samples|images)|#(?: to #)? samples",
    "points settings": r"[|:]\s+\+?#(?:, #)*(?: and #)?(?= \(one seed\)|\s+(?:\||:))|±?# points|# (?:above|ahead|apart)|\(#(?:, #)*,? and #|[-+]# ?:|: # and #"
    r"|#(?:, #)* and #(?=\s+\|)",
    "range": r"\[#, #\]|ranges? (?:from|of) #(?: to #)?|±#",
}
"""What numbers are of, by the words around them; the first that fits."""
SIDES = {"odds": 1, "bound": 1, "shown": -1}
Pattern = re.Pattern[str]
PATTERNS: dict[str, Pattern] = {kinds: re.compile(one.replace("#", NUMBER)) for kinds, one in RULES.items()}
NOT_OF_A_RUN = [re.compile(one.replace("#", NUMBER)) for one in SKIPPED.values()]


class Facts:
    """What a job's events, ledger and theory hold, by what a number is of."""

    def __init__(self, draft: Draft, job: Job) -> None:
        self.labels = {one.label: chr(65 + i) for i, one in enumerate(draft.variants)}
        experiments = [*draft.experiments(), draft.base]
        each = [(label, bodies(job, place)) for place, (_, label, _, _) in enumerate(runs_of(job))]
        rounds = [one for _, own in each for one in own if one["event"] == "round"]
        attacks = [one for _, own in each for one in own if one["event"] == "attack"]
        measured = [row for _, own in each for row in own[-1].get("measured", ())]
        curves: dict[Any, list[list[float]]] = {}
        noises: dict[Any, list[list[float]]] = {}
        for label, own in each:
            of = [one for one in own if one["event"] == "round"]
            curves.setdefault(label, []).append([one["accuracy"] for one in (own[0], *of)])
            noises.setdefault(label, []).append([one["noise_variance"] for one in of])
        means = {
            label: [float(np.mean(at)) for at in zip(*one, strict=False)] for label, one in curves.items()
        }
        noise = [[float(np.mean(at)) for at in zip(*one, strict=False)] for one in noises.values()]
        finals = {label: [run[-1] for run in one] for label, one in curves.items()}
        self.final = {self.labels.get(label): float(np.mean(one)) for label, one in finals.items()}
        shares = [
            0.0,
            0.1,
            0.5,
            0.95,
            1.0,
            *(own[0]["chance"] for _, own in each),
            *(x for one in means.values() for x in one),
        ]
        shares += [x for one in curves.values() for run in one for x in run]
        for one in rounds:
            shares += [
                *one["accuracy_per_class"],
                *one.get("accuracy_per_group", {}).values(),
                one.get("clipped_fraction"),
            ]
        shares += [row.get("right") for row in measured]
        shares += [x for one in experiments for x in client_weights(plan(one)).tolist()]
        pictures: dict[Any, list[dict[str, Any]]] = {}
        for label, own in each:
            for one in own:
                if one["event"] == "attack" and one.get("psnr"):
                    pictures.setdefault((label, one["upload"], one["control"], one["round"]), []).append(one)
        attacks += [
            {key: float(np.mean([one[key] or 0 for one in many])) for key in ("psnr", "ncc")}
            for many in pictures.values()
        ]
        ranks, real = (
            [one for one in attacks if one.get("identification_rank")],
            [one for one in attacks if one.get("recovered") is not None],
        )
        tried = [(k, n) for n in range(1, len(ranks) + 1) for k in range(n + 1)] + [
            (one["recovered"], one["images"]) for one in real
        ]
        shares += [x for k, n in tried for x in (k / n, *wilson(k, n))]
        shares = [x for x in shares if x is not None and np.isfinite(x)]
        held = [own[-1].get("held_out") or 0 for _, own in each]
        gaps = [float(np.mean(a) - np.mean(b)) for a, b in permutations(finals.values(), 2)]
        gaps += [x - y for a, b in permutations(finals.values(), 2) for x, y in zip(a, b, strict=False)]
        gaps += [margin(x, max(held)) for x in shares if 0 < x < 1]
        ledgers = [entry for one in experiments for entry in entries(plan(one))]
        self.lines = [
            line for one in ledgers for line in (one.coordinate, one.upload, one.run_expected, one.run_worst)
        ]
        bounds = [x for line in self.lines for x in (line.bound, line.sum, line.generic)]
        bounds += [
            line[key]
            for one in experiments
            for own in accounting.ledger(one)
            for line in own.values()
            if isinstance(line, dict)
            for key in ("epsilon", "basic")
        ]
        sources = [plan(one).source for one in experiments]
        each_holds = [plan(one).source.train_size / one.clients.count for one in experiments]
        settings = json.dumps([one.as_json() for one in experiments])
        self.known: dict[str, list[float]] = {
            "share": [100 * x for x in shares],
            "noise": [x for one in noise for x in (*one, *np.cumsum(one))]
            + [server_variance(one) * n for one in experiments for n in (1, one.rounds)],
            "sigma": [
                float(x) ** 0.5
                for one in experiments
                for x in (*client_variance(plan(one)), server_variance(one))
            ],
            "size": [0.0, *(server_noise(plan(one)).heard ** 0.5 for one in experiments)],
            "bound": [x for x in bounds if x is not None and np.isfinite(x)],
            "asked": [
                float(x)
                for one in experiments
                for x in (*one.clients.budgets(), *plan(one).population.epsilon)
            ],
            "shown": [row["epsilon_lower"] for row in measured],
            "delta": [line.delta for line in self.lines],
            "range": [float(x) for one in experiments for end in one.clients.bounds() for x in (*end, *-end)],
            "clients": [*range(max(one.clients.count for one in experiments) + 1)],
            "rounds": [*range(1 + max(one.rounds for one in experiments))],
            "seeds": [draft.seeds, 1, *(draft.base.seed + i for i in range(draft.seeds))],
            "runs": [*range(draft.seeds * len(draft.variants) + 1), 15, 75],
            "samples": [
                *held,
                *map(np.floor, each_holds),
                *map(np.ceil, each_holds),
                *(one.train_size for one in sources),
            ],
            "points": [100 * x for x in gaps],
            "dB": [
                20.0,
                *(float(one[key]) for one in attacks for key in one if key.startswith("psnr") and one[key]),
            ],
            "alike": [
                float(one[key])
                for one in attacks
                for key in one
                if key.startswith("ncc") and one[key] is not None
            ],
            "hits": [*range(len(ranks) + 1), 10, *(x for pair in tried for x in pair)],
            "settings": [
                *map(float, re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", settings)),
                *held,
                *(own[0]["dimension"] for _, own in each),
            ]
            + [x for one in sources for x in (one.classes, one.train_size, *one.shape)],
        }

    def holds(self, kinds: str, groups: tuple[str | None, ...]) -> bool:
        if kinds == "final":
            return printed(100 * self.final.get(groups[0], np.nan), groups[1] or "", 0)
        if kinds == "odds":
            right, tries = (float(one or 0) for one in groups)
            caps = [
                (np.exp(one.bound) + one.delta) / (1 + np.exp(one.bound))
                for one in self.lines
                if one.bound < 500
            ]
            return any(0.5 <= right / tries <= cap + 1 / tries for cap in caps)
        return all(
            any(printed(x, one, SIDES.get(kind, 0)) for kind in kinds.split() for x in self.known[kind])
            for one in groups
            if one
        )


def unexplained(text: str, facts: Facts) -> list[str]:
    """Numbers of a text that do not follow from the facts, with the words around them."""
    wrong: list[str] = []
    text = whole = plainly(text)
    for label in sorted(facts.labels, key=len, reverse=True):
        text = re.sub(rf"(?<![\w«]){re.escape(plainly(label))}(?!\w)", f"«{facts.labels[label]}»", text)
    for skipped in NOT_OF_A_RUN:
        text = skipped.sub("", text)

    def judge(kinds: str, match: re.Match[str]) -> str:
        around = match.string[max(0, match.start() - 14) : match.end() + 10].strip()
        constant = kinds not in ("delta", "odds", "final") and around in written()
        if not constant and not facts.holds(kinds, match.groups()):
            wrong.append(
                f"{kinds}: {whole[:60]} …{match.string[max(0, match.start() - 40) : match.end() + 20]}…"
            )
        return " "

    for kinds, pattern in [*PATTERNS.items(), ("settings", re.compile(NUMBER))]:
        text = pattern.sub(partial(judge, kinds), text)
    return wrong


RAW = re.compile(r"(?<![\w.])\d+(?:\.\d+)?[eE][+-]?\d{2}\b|\bnan\b|\binf\b")
"""Numbers as Python prints them, which no visitor reads."""


def walked(draft: Draft, job: Job) -> Iterator[tuple[str, str]]:
    """All texts on one run, with their page; with its report and its card."""
    identity = drafts.new(draft)
    runs = variants(job)
    yield (
        "report",
        "\n".join(re.sub("<[^>]*>", " ", one) for one in (verdict(runs), figures(runs), ledger(runs))),
    )
    for page, address in [("train", {"job": job.id}), ("compare", {"runs": job.id})]:
        yield from ((page, text) for text in read(page, **address))
    for page in ("train", "noise", "clients", "tune", "attack"):
        yield from ((page, text) for text in read(page, draft=identity))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_on_pages_follow_from_events_and_ledger(name: str, recorded: Recorded):
    draft, job = recorded[name]
    facts, wrong, said = Facts(draft, job), set[str](), list[str]()
    for page, text in walked(draft, job):
        wrong |= {f"{page}: raw {text}" for _ in RAW.findall(text)}
        if page != "attack":  # without a job of its own it shows a stored example: tests/pages/attack
            wrong |= {f"{page}: {one}" for one in unexplained(text, facts)}
        said += [text] if page == "train" and text.startswith("for client") else []
    assert not wrong, "\n".join(sorted(wrong))
    lines = [
        entries(plan(one))[0].run_worst for one in draft.experiments()
    ]  # of client 1, whom the third figure names
    assert said
    for text in said:
        assert ("10⁻⁵" in text) == any(line.delta for line in lines if line.guarantee)
        if odds := re.search(r"in at most (\d+) of (\d+) tries", plainly(text)):
            assert all(int(odds[1]) / int(odds[2]) >= 1 - np.exp(worth(line).wrong) - 1e-9 for line in lines)
        else:
            assert any(worth(line).right is None for line in lines)


OTHERS = [
    ("start", ""),
    ("learn", ""),
    *(("learn", one) for one in lessons.names()),
    ("papers", ""),
    ("runs", ""),
    ("classroom", ""),
]


@pytest.mark.parametrize(("page", "lesson"), OTHERS)
def test_pages_of_stored_results_open_without_raw_numbers(page: str, lesson: str, recorded: Recorded):
    texts = [*read(page, **({"lesson": lesson} if lesson else {}))]
    assert texts and not [text for text in texts if RAW.search(text)]
