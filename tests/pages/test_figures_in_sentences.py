# ruff: noqa: E501 (tables of patterns)
"""Each number that a visitor reads on runs follows from their events, ledger, theory or settings."""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from ldp_core import lessons
from ldp_core.accounting import entries, worth
from ldp_core.experiment import Draft, changed, plan
from ldp_core.runs import Job
from ldp_core.runs.record.events import runs_of
from tests.conftest import ROOT
from tests.pages.run_facts import Events, Facts
from tests.pages.shown_text import KINDS, NUMBER, RAW, everything_open, plainly, read, record, walked
from tests.runs.in_process import bodies

NOT_OF_A_RUN = r"""
formulas, and sums worked out (tests/pages/noise) :: \$\$.*|Plain sum:.*
measured on this machine :: in (?:less than )?# s\b|# s left|takes about # \w+|# [GMk]B\b|# clients at a time|# \w+ ago|# hours|attacks take about.*? times as long
names and dates :: about 10 is nothing, from 20 on|from 0.8 on|numbers scaled to.*each value|weights of client # reached # in|\d{4}-\d\d-\d\d[^ ]*|(?<!\d)(?:19|20)\d\d(?=[);])|paper \d{3}.*|the best # of #, |1/σ²?|\b[0-9a-f]{12}\b|\ban? \d(?=$|[,)])|rank 1|■ #|Or steps.*|between # and # *$
rates and weights that others have measured (tests/experiment/test_sweep, tests/theory) :: # fits this model.*|noise is # times what any weights in these ranges bear
cells of settings that no run has (tests/theory) :: ^.*not trained yet.*|# settings × # seeds = # runs|differ in # things|and # more(?= \(|\.|$)|^#–#%?$|^#(?:, #)+$
verdict before training (tests/test_pilot) :: # (?:short )?(?:runs|trials)(?: with #(?: of #)? clients? a round)? end at[^;|]*|nine of ten runs end between #%? and #%?|chance up to #%|learns from #% on|The verdict is from a short trial[^|]*|testing …
intervals of differences (tests/inference) :: interval -?# to #|\(# to #\)
shares of data (tests/partitions) :: , and some of .*|median #|#% strict|Drawn are # of the #|A share is unsure.*|The best # and|share of the average:.*
ε of other settings (test_costs) :: Promise ε # (?:\(δ #\) )?for|ε # for the whole run(?=[^.]*takes ε)|takes ε #|cost no more at δ #|price of # uploads|# of # clients upload.*?(?=[|]|$)|ranges longer than #|budgets from # on
links :: ask\?.*
ceiling of own data (tests/pages/train/test_measured_bar) :: one model of all the data #%|it rose by #% in the last (?:# )?rounds?
sizes of grids that may be run :: ^# runs$
deployments (tests/runs/carry) :: Known deployments.*|^(?:Gboard|Apple).*
names of classes :: \| run \| [^%]*?\| # \|[ |\d]*(?=\s\| ---)
one weight under the sliders (tests/pages/noise) :: for a weight of #|if it were #|#% at #$|grey: a weight[^|]*|variance #(?:, σ #)?|true weight #
"""
"""What is not of a run, or is derived in a test of its own; with # for a number."""
RULES = r"""
back :: «(\w)»: # of # images back(?= on average|[;,.]|$)
most :: the most of # (?:uploads|rounds), # on average
accuracy :: (?<!plain )«(\w)»:? (?:ends at |reaches |\()?#%(?: after round #)?(?! at| on(?! average)| picked| of)
noise :: «(\w)» # after round #
ledger\.bound :: = # for (?:an upload|the run)
worthless :: Beyond an ε of #, a factor of #
size\.weights :: # weights
asked\.local\.learning_rate :: learning rate(?: \(|, | )#|learning rate \| #(?: \| #)*
asked\.local\.batch_size :: batch size \(#|batch size \| #(?: \| #)*
asked\.local\.epochs :: epochs \(#|# local epochs|local epochs \| #(?: \| #)*
size\.data :: # (?:classes|handwritten|samples to train|held out|numbers|rows|columns)|\(?#[×]#\)?|# × #
odds :: at most # of # tries
caps :: more often than in #% of tries
ledger\.delta :: (?:δ(?: =| at most)?|plus a probability of) #
ledger\.factor :: more than (?:a factor of )?#%?
end\.measured\.most :: show ε #(?: to #)? at best
end\.measured\.trials :: (?:#(?: to #)?) simulated
end\.measured\.epsilon_lower :: (?:≥ #|ε # (?:or more|at least)|(?:at least|shows) ε #)
ledger\.bound|asked\.budget|round\.spent\..*epsilon :: ε = #|(?<!its )ε (?:of )?#(?: (?:to|and|or) #)?(?!\d*%)|≤ #|(?<=or )#(?= (?:per|for))|\(# if|any mechanism #|#(?= \(\s*\), against)|#,\s+(?=δ|: promises)|#(?=: promises)|plain sums?,?(?: with\s+(?:δ 0)?,? are)?(?: ε)? #(?: and #)?|(?:run|weight|upload)? → #(?!%)|to #(?= for the run)
theory\.sigma :: σ #
theory\.size :: \]:\s+\| # \| #|\| # \| # \| (?:#|not measured)
count\.rounds :: [Rr]ounds? #(?: (?:to|of) #)?(?!\d*%)|# (?:shared )?rounds?|# uploads?
guess|hits :: guessing # of #
guess :: guessing:? # or #
picks :: «(\w)»:? # of #
asked\.attack\.clients :: "clients": \[#(?:, #)*\]
came :: Of the # images in an upload .*?, # came back
pairs :: # of (?:its )?#(?! runs)(?: attempts)?
HITS :: Right in #%|95%: #%? to #%
round\.accuracy|gap :: \(#% to #%\)
count\.seeds|start\.experiment\.seed :: # (?:shared )?seeds?|seeds? #|# reach|(?:«\w»|no noise(?: \(# seeds?\))?) # (?=\s|–|\d)
hits :: chance #(?=[),;])|of #(?= \(|\s*; guessing| tries)|(?:by )?guessing:? #(?: or #)?(?![%\d]|\.\d)|(?:out of|which of|from|of) #(?= images| in|,| image|$)|different of # others
SHARE|HITS :: \(?#%? to #%\)?|(?:lowest|highest) #%|#%|#(?= %)
attack\.ncc.* :: alike #
attack\.(pairs\.)?psnr.*|good :: # dB|(?:class|all|is back) #$|(?:images|\)): #$
count\.asks :: # asks?|# for(?= )
count\.clients :: clients \| #(?: \| #)*|[Cc]lients? #(?: and #)?|# (?:of # )?(?:people|clients?)
count\.runs :: All # train|first # of # runs|# of them known|Trust: #|# (?:\w+ )?runs?|of the #|(?:all|more|of) #|# pairs?|# more
end\.held_out :: the # held-out (?:samples|images)|only # samples
size\.samples|end\.held_out :: (?:the|only|holds) #(?: to #)? (?:held-out )?(?:samples|images)|#(?: to #)? samples
gap :: ±# to # points|[A-L] - [A-L][^:;]*: #|#(?:, #)*,? and # by seed|[|:]\s+\+?#(?:, #)*(?: and #)?(?= \(one seed\)|\s+(?:\||:))|±?# points|# (?:above|ahead|apart)|\(#(?:, #)*,? and #|[-+]# ?:|: # and #|#(?:, #)* and #(?=\s+\|)
left|theory\.left :: ^(?:«\w»|[a-z]+) #$|noise variance:? #|#(?= at the end)
asked\.range :: \[#, #\]|ranges? (?:from|of) #(?: to #)?|±#
SHARE|asked\.(budget|range|attack\.clients)|theory\..*|attack\.psnr.* :: ^#$
"""
"""Names of facts and the words around their numbers, in the order in which they take these out of a text."""
SHARE = r"(round|start)\.accuracy.*|round\.clipped.*|start\.chance|weights|whole"
HITS = r"hit_share|end\.measured\.right|usual"


def table(text: str) -> list[tuple[str, re.Pattern[str]]]:
    lines = (line.replace("SHARE", SHARE).replace("HITS", HITS) for line in text.strip().splitlines())
    return [
        (name, re.compile(words.replace("#", NUMBER))) for name, words in (one.split(" :: ") for one in lines)
    ]


SKIPPED, PATTERNS = table(NOT_OF_A_RUN), table(RULES)
CARD = re.compile(r"(«(\w)» [\d.]+%); (\w+): (.+?)(?:, as printed)?; ε (\S+)$")
LISTED = re.compile(r"«(\w)»: ((?:[^;:()]*?(?:at the start|after round \d+),? ?)+)")


@cache
def written() -> str:
    """All sentences of the sources, with literals that are joined."""
    files = [one for part in ("ldp_core", "pages") for one in (ROOT / part).rglob("*.*")]
    texts = [
        one.read_text(encoding="utf-8")
        for one in files
        if one.suffix in (".py", ".toml", ".json") and one.stat().st_size < 2e5
    ]
    joined = [re.sub(r'"\s*\n\s*f?r?"', "", one) for one in texts]
    lines = [line for one in joined for line in one.splitlines()]  # where "a < b" opens no mark-up
    return "\n".join(map(plainly, joined + lines))


def constant(match: re.Match[str]) -> bool:
    """Whether a number is part of a sentence of the sources, with the words beside it."""
    around = match.string[max(0, match.start() - 14) : match.end() + 10].strip()
    return bool(re.search(r"[a-z]{4}", around)) and around in written()


def unexplained(text: str, facts: Facts) -> list[str]:
    """Numbers of a text that do not follow from the facts, with the words around them."""
    wrong: list[str] = []
    if "%{" in text:
        return []
    text = whole = plainly(text)
    trusts = {one.trust.label for one in facts.used[:-1]}
    if (said := re.fullmatch(r"Trust: (\D.*)", text)) and trusts != {said[1]}:
        wrong.append(f"not the trust of all: {text}")
    for label in sorted(facts.labels, key=len, reverse=True):
        text = re.sub(rf"(?<![\w«]){re.escape(plainly(label))}(?!\w)", f"«{facts.labels[label]}»", text)
    if card := CARD.search(text):
        wrong += [] if facts.ran(card[2]) == card.group(3, 4, 5) else [f"another trust or mechanism: {text}"]
        text = card[1]
    for _, pattern in SKIPPED:
        text = pattern.sub("", text)
    text = LISTED.sub(_each_by_its_run, text)
    voted = any(plan(one).randomiser.role == "vote" for one in facts.used)
    wrong += [f"no run votes: {text[:200]}"] if "after the vote" in text and not voted else []

    def judge(kinds: str, match: re.Match[str]) -> str:
        if not (facts.holds(kinds, match.groups()) or constant(match)):
            near = match.string[max(0, match.start() - 40) : match.end() + 20]
            wrong.append(f"{kinds}: {whole[:60]} …{near}…")
        return " "

    for kinds, pattern in PATTERNS:
        text = pattern.sub(partial(judge, kinds), text)
    left = [one for one in re.finditer(NUMBER, text) if not constant(one)]
    return wrong + [
        f"of nothing known: {whole[:60]} …{text[max(0, x.start() - 40) : x.end() + 20]}…" for x in left
    ]


def _each_by_its_run(listed: re.Match[str]) -> str:
    """`«A»: 9% at the start, 49% after round 1` with the run's name before each."""
    each = re.findall(rf"({NUMBER}%?) (?:at the start|after round (\d+))", listed[2])
    return ", ".join(f"«{listed[1]}» {one[0]} after round {one[-1] or 0}" for one in each) + " "


Walk = tuple[Draft, Job, list[tuple[str, str]]]


def events_of(job: Job) -> Events:
    return [(label, bodies(job, place)) for place, (_, label, _, _) in enumerate(runs_of(job))]


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Walk]]:
    """Draft, job and texts of a kind of run; all are trained before the first page is opened."""
    folder = tmp_path_factory.mktemp("figures")
    with everything_open(folder):
        recorded = {name: record(name, folder) for name in KINDS}
        yield cache(lambda name: (*recorded[name], [*dict.fromkeys(walked(*recorded[name]))]))


@pytest.mark.parametrize("name", KINDS)
def test_numbers_on_pages_follow_from_events_and_ledger(name: str, walks: Any):
    draft, job, texts = walks(name)
    facts, wrong = Facts(draft, events_of(job)), set[str]()
    for page, text in texts:
        wrong |= {f"{page}: raw {text}" for _ in RAW.findall(text)}
        wrong |= {f"{page}: {one}" for one in unexplained(text, facts)}
    assert not wrong, "\n".join(sorted(wrong))
    lines = [entries(plan(one))[0].run_worst for one in draft.experiments()]
    said = [text for page, text in texts if page == "train" and text.startswith("Privacy of the run")]
    assert said
    for text in said:  # of client 1, whom the third figure names: of all promises, and not of the best
        assert ("10⁻⁵" in text) == any(line.delta for line in lines if line.guarantee)
        if odds := re.search(r"in at most (\d+) of (\d+) tries", plainly(text)):
            assert all(int(odds[1]) / int(odds[2]) >= 1 - np.exp(worth(line).wrong) - 1e-9 for line in lines)
        else:
            assert any(worth(line).right is None for line in lines)


OLD_FAULTS: dict[str, tuple[str, str, str]] = {
    "the asked trust and mechanism": ("trusts at ε 8", r"Distributed: [^;]*", "Local: Piecewise"),
    "one trust of several": ("trusts at ε 8", r"Trust: 4 compared", "Trust: no one"),
    "noise without LDP": ("no mechanism", r"plain: 0 after round 1", "plain: 4.7·10⁻³⁵ after round 1"),
    "votes where none are cast": ("no mechanism", r"^Noise variance per weight", "Of votes after the vote"),
    "the most of several uploads": (
        "real uploads",
        r"duet: [\d.]+ of 15 images back on average",
        "duet: 4 of 15 images back",
    ),
}
"""Sentences of a kind of run, and what stood there once."""


@pytest.mark.parametrize("fault", OLD_FAULTS)
def test_fault_that_was_mended_is_reported(fault: str, walks: Any):
    run, now, then = OLD_FAULTS[fault]
    draft, job, texts = walks(run)
    facts = Facts(draft, events_of(job))
    said = [(text, re.sub(now, then, text)) for _, text in texts if re.search(now, text)]
    assert said and all(unexplained(false, facts) for _, false in said)
    assert not any(unexplained(true, facts) for true, _ in said)


FALSIFIED: dict[str, tuple[str, str, Any, str]] = {
    "accuracy": ("three seeds", "round accuracy", lambda x: x - 0.013, "train compare report card"),
    "noise": ("several ε", "round noise_variance", lambda x: 1.2 * x, "train compare"),
    "pairs": ("real uploads", "attack recovered", lambda x: x + 4, "train"),
    "psnr": ("one client", "attack psnr", lambda x: x + 0.7, "train"),
    "epsilon_lower": ("three seeds", "end measured", lambda _: [], "train"),
    "bound": ("trusts at ε 8", "clients.epsilon", 12.5, "train noise clients report"),
    "odds": ("trusts at ε 1", "clients.epsilon", 0.9, "train"),
}
"""What a number is of: kind of run, changed field of its events (or setting), its change, pages to be reported."""


@pytest.mark.parametrize("kind", FALSIFIED)
def test_falsified_figure_is_reported_on_each_page_with_it(kind: str, walks: Any):
    run, field, edit, pages = FALSIFIED[kind]
    (draft, job, texts), (event, _, key) = walks(run), field.partition(" ")

    def edited(one: dict[str, Any]) -> dict[str, Any]:
        return one | {key: edit(one[key])} if one["event"] == event and one.get(key) is not None else one

    each = [(label, [edited(one) for one in own]) for label, own in events_of(job)]
    base = draft.base if key else changed(draft.base, {field: edit})
    facts = Facts(Draft(base, draft.variants, draft.seeds), each)
    wrong = [(page, one.partition(": ")[0]) for page, text in texts for one in unexplained(text, facts)]
    assert {page for page, kinds in wrong if kind in kinds} >= {*pages.split()}


@pytest.mark.parametrize(
    ("page", "lesson"),
    [*product(("start", "papers", "classroom", "learn"), [""]), *product(["learn"], lessons.names())],
)
def test_pages_of_stored_results_show_no_raw_numbers(page: str, lesson: str, walks: Any):
    texts = [*read(page, **({"lesson": lesson} if lesson else {}))]
    assert texts and not [text for text in texts if RAW.search(text.replace("\\", ""))]


def test_rows_on_runs_count_their_own_runs_and_rounds(walks: Any):
    texts = [plainly(one) for page in ("start", "runs") for one in read(page)]
    rows = [one for text in texts for one in re.findall(r"(\d+) runs?\b.*?(\d+) rounds? each", text)]
    drafts = [walks(name)[0] for name in KINDS]
    known = {(one.seeds * len(one.variants), rounds) for one in drafts for rounds in one.lengths}
    found = {(int(runs), int(rounds)) for runs, rounds in rows}
    assert len(found) > 1 and found <= known and not any(map(RAW.search, texts))
