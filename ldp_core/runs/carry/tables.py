"""Tables of a report as HTML: final figures, and promises to the strictest and most permissive clients."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from math import inf

from ldp_core.accounting import AGAINST, RULES, Promise, Scope, entries_in, word_of
from ldp_core.limits import spelled
from ldp_core.runs.carry.pictures import Variants
from ldp_core.runs.view.final_figures import final

SCOPES: dict[Scope, str] = {
    "coordinate": "one weight of one upload",
    "upload": "one upload",
    "run_expected": "this run: price of an average number of uploads",
    "run_worst": "this run, worst case",
}


def figures(found: Variants) -> str:
    rows = []
    for runs in found.values():
        one = final(runs)
        reached = "–" if one.accuracy is None else f"{one.accuracy:.2%}"
        picked = (
            f"{one.hits:.3g} of {one.attempts} (guessing {one.chance * one.attempts:.3g})"
            if one.attempts
            else "–"
        )
        budget = (
            "no guarantee: promises nothing"
            if one.epsilon is None
            else f"{spelled(float(f'{one.epsilon:.4g}'))} (δ {spelled(one.delta)}): "
            f"promises {word_of(one.epsilon)}"
        )
        rows.append([one.label, str(len(runs)), reached, budget, picked])
    head = ["run", "seeds", "accuracy", "ε for the whole run at worst", "right image picked out"]
    return table("Final figures", head, rows)


def ledger(found: Variants) -> str:
    """A row for the strictest and one for the most permissive client of each run: a promise a scope."""
    rows, rules = [], dict[str, None]()
    for runs in found.values():
        end = next((run.end for run in runs if run.end and run.end.get("ledger")), None)
        if end is None:
            continue
        order = sorted(entries_in(end["ledger"]), key=lambda entry: _size(entry.run_worst))
        named = {"strictest client": order[0], "most permissive client": order[-1]}
        if _size(order[0].run_worst) == _size(order[-1].run_worst):
            named = {"every client": order[0]}
        for who, entry in named.items():
            rules |= dict.fromkeys(entry[scope].rule for scope in SCOPES if entry[scope].rule in RULES)
            lines = [_line(entry[scope]) for scope in SCOPES]
            rows.append([runs[0].label, who, *lines, AGAINST[entry.against]])
    by = "; ".join(RULES[rule] for rule in rules)
    how = f"How bounds are computed: {by}." if by else ""
    return (
        table("Ledger", ["run", "whom", *SCOPES.values(), "against"], rows)
        + f"<p><small>{text(how)}</small></p>"
    )


def _size(line: Promise) -> float:
    return inf if line.epsilon is None else line.epsilon


def _line(line: Promise) -> str:
    if line.epsilon is None:
        return f"no guarantee: {line.why}"
    delta = f" (δ {spelled(line.delta)})" if line.delta else ""
    return f"ε {spelled(float(f'{line.epsilon:.4g}'))}{delta}" + ("" if line.guarantee else f": {line.why}")


def table(what: str, head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    frame = f'<div class="wide" tabindex="0" role="region" aria-label="{text(what)}">'
    return f"{frame}<table><tr>{top}</tr>{lines}</table></div>"


def text(words: str) -> str:
    return html.escape(words, quote=True)
