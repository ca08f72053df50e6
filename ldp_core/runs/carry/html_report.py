"""A training as one HTML page that opens offline, loads nothing and runs no script; every text is escaped."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape as text
from math import inf

from ldp_core.accounting import (
    AGAINST,
    RULES,
    Entry,
    Promise,
    Scope,
    entries_in,
    of_whom,
    together_in_words,
    word_of,
)
from ldp_core.behaviour import version
from ldp_core.errors import InvalidInput
from ldp_core.experiment import PER
from ldp_core.images import as_data_url
from ldp_core.limits import at_most, percent, spelled
from ldp_core.runs.carry.card import card_picture
from ldp_core.runs.carry.training import Variants, picture, title, training, variants
from ldp_core.runs.jobs.archive import versions
from ldp_core.runs.view.final_figures import final

SCOPES: dict[Scope, str] = {
    "coordinate": PER["coordinate"],
    "upload": PER["upload"],
    "run_expected": "this run: price of an average number of uploads",
    "run_worst": "this run, worst case",
}
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;padding:0 1rem}
body{color:#0e1420;background:#fff}small{color:#4a5361}.wide,pre{overflow-x:auto}
table{border-collapse:collapse;margin:.6rem 0 1.4rem}
td,th{border:1px solid #d9dee6;padding:.3rem .6rem;text-align:left}pre{background:#f6f7f9;padding:.8rem}
.figures{display:flex;flex-wrap:wrap;gap:1rem 2.5rem}.figures div{flex:1 1 14rem}.figures b{font-size:1.15rem}
figure{display:inline-block;margin:.4rem .8rem .4rem 0;text-align:center}figcaption{font-size:.85rem}
svg{width:100%;height:auto}img{width:7rem;height:7rem;image-rendering:pixelated}
"""
SHELL = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
    "style-src 'unsafe-inline'\">"
    '<meta name="viewport" content="width=device-width">'
)
"""Beginning of the page, whose policy makes the browser refuse scripts and external content."""


@dataclass(frozen=True)
class Shown:
    """What a screen says of a training, to stand first in its report: name, value and remark of each of its
    `figures`, and of each client in its `pictures` a name, encoded images with captions, and a verdict.
    """

    headline: str
    figures: Sequence[tuple[str, str, str]]
    words: Sequence[str]
    columns: Sequence[str]
    """Headings of the images."""
    pictures: Sequence[tuple[str, Sequence[tuple[Mapping[str, object], str]], str]]


def as_page(identity: str, screen: Shown | None = None) -> str:
    """HTML page of a training, begun by what a screen shows of the training."""
    job = training(identity, "are written as a report")
    found, name = variants(job), title(job)
    if not any(run.round for runs in found.values() for run in runs):
        raise InvalidInput(f"nothing is recorded of job {job.id} to report: it is {job.status}")
    imported = ", imported" if job.imported else ""
    ended = f"ended {datetime.fromtimestamp(job.ended, UTC):%Y-%m-%d %H:%M} UTC" if job.ended else "not ended"
    parts = [["program", version()], *([name, str(number)] for name, number in versions().items())]
    settings = json.dumps(job.request["draft"], indent=1, ensure_ascii=False)
    card = list[str]()
    with suppress(InvalidInput):  # no run was completed
        card = ["<h2>Promised and measured</h2>", card_picture(identity)]
    body = [
        f"<h1>{text(name)}</h1>",
        f"<p>{text(job.note)}</p>" if job.note else "",
        *(_head(screen) if screen else [figures(found)]),
        f"<p><small>Job {job.id}{imported}, {job.status}, {ended}. The noise is simulation noise: "
        "reproducible, and no protection of real data.</small></p>",
        "<h2>Accuracy on held-out samples</h2>",
        picture(job, found, "accuracy"),
        "<h2>Noise variance per weight</h2>",
        picture(job, found, "noise_variance"),
        *(_behind(screen) if screen else []),
        *card,
        *(["<h2>What it came to</h2>", figures(found)] if screen else []),
        "<h2>What is promised</h2>",
        ledger(found),
        "<h2>Settings</h2>",
        f"<details><summary>As JSON</summary><pre>{text(settings)}</pre></details>",
        "<h2>Versions</h2>",
        table("Versions", ["part", "version"], parts),
    ]
    head = f'<head>{SHELL}<meta charset="utf-8"><title>{text(name)}</title><style>{STYLE}</style></head>'
    return f'<!doctype html><html lang="en">{head}<body><main>{"".join(body)}</main></body></html>\n'


def _head(screen: Shown) -> list[str]:
    cells = (
        f"<div>{text(name)}<br><b>{text(value)}</b><br><small>{text(rest)}</small></div>"
        for name, value, rest in screen.figures
    )
    return [
        f"<p><strong>{text(screen.headline)}</strong></p>",
        f'<div class="figures">{"".join(cells)}</div>',
    ]


def _behind(screen: Shown) -> list[str]:
    """Pictures, then the paragraphs."""
    parts = ["<h2>What the server sees</h2>"] * bool(screen.pictures)
    for name, images, says in screen.pictures:
        shown = (
            f'<figure><img alt="{text(column)}" src="{as_data_url(dict(image))}">'
            f"<figcaption>{text(column)}<br>{text(caption)}</figcaption></figure>"
            for column, (image, caption) in zip(screen.columns, images, strict=True)
        )
        parts.append(f"<h3>{text(name)}</h3>{''.join(shown)}<p>{text(says)}</p>")
    parts += ["<h2>In words</h2>"] * bool(screen.words)
    return [*parts, *(f"<p>{text(words)}</p>" for words in screen.words)]


def figures(found: Variants) -> str:
    rows = []
    for runs in found.values():
        one = final(runs)
        reached = "–" if one.accuracy is None else f"{one.accuracy:.2%}"
        ended = any(run.end and run.end.get("ledger") for run in runs)
        picked, budget = "–", "no guarantee: promises nothing" if ended else "–"
        if one.attempts:
            share, chance = percent(one.hits / one.attempts), percent(one.chance)
            picked = f"{share} of {one.attempts} tries (guessing {chance})"
        if one.epsilon is not None:
            budget = f"{at_most(one.epsilon, 4)} (δ {spelled(one.delta)}), against {one.whom}: "
            budget += f"promises {word_of(one.epsilon)}"
        rows.append([one.label, str(one.seeds), reached, budget, picked])
    head = ["run", "seeds", "accuracy", "ε for the whole run at worst", "right image picked out"]
    return table("Final figures", head, rows)


def ledger(found: Variants) -> str:
    """A promise a scope to the strictest and the most permissive client of each run."""
    rows, rules, notes = [], dict[str, None](), list[str]()
    for runs in found.values():
        stored = next((run.end["ledger"] for run in runs if run.end and run.end.get("ledger")), None)
        if stored is None:
            continue
        order = sorted(entries_in(stored), key=_epsilon)
        named = {"strictest client": order[0], "most permissive client": order[-1]}
        if _epsilon(order[0]) == _epsilon(order[-1]):
            named = {"every client": order[0]}
        for who, entry in named.items():
            rules |= dict.fromkeys(entry[scope].rule for scope in SCOPES if entry[scope].rule in RULES)
            lines = [_line(entry[scope]) for scope in SCOPES]
            rows.append([runs[0].label, of_whom(entry.unit, who), *lines, AGAINST[entry.against]])
            if more := together_in_words(entry, at_most):
                notes.append(f"{runs[0].label}, {who}, the run at worst: {more}.")
    how = f"How bounds are computed: {'; '.join(RULES[rule] for rule in rules)}." if rules else ""
    how = " ".join([*notes, how])
    head = ["run", "whom", *SCOPES.values(), "against"]
    return f"{table('Ledger', head, rows)}<p><small>{text(how)}</small></p>"


def _epsilon(entry: Entry) -> float:
    return inf if entry.run_worst.epsilon is None else entry.run_worst.epsilon


def _line(line: Promise) -> str:
    if line.epsilon is None:
        return f"no guarantee: {line.why}"
    delta = f" (δ {spelled(line.delta)})" if line.delta else ""
    return f"ε {at_most(line.epsilon, 4)}{delta}" + ("" if line.guarantee else f": {line.why}")


def table(what: str, head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    frame = f'<div class="wide" tabindex="0" role="region" aria-label="{text(what)}">'
    return f"{frame}<table><tr>{top}</tr>{lines}</table></div>"
