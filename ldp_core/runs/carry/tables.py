"""Tables of a report as HTML: final figures, and promises to the strictest and most permissive clients."""

from collections.abc import Iterable, Sequence
from html import escape as text
from math import inf

from ldp_core.accounting import AGAINST, RULES, Entry, Promise, Scope, entries_in, word_of
from ldp_core.limits import spelled
from ldp_core.runs.carry.training import Variants
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
        picked, budget = "–", "no guarantee: promises nothing"
        if one.attempts:
            picked = f"{one.hits:.3g} of {one.attempts} (guessing {one.chance * one.attempts:.3g})"
        if one.epsilon is not None:
            budget = f"{_rounded(one.epsilon)} (δ {spelled(one.delta)}): promises {word_of(one.epsilon)}"
        rows.append([one.label, str(len(runs)), reached, budget, picked])
    head = ["run", "seeds", "accuracy", "ε for the whole run at worst", "right image picked out"]
    return table("Final figures", head, rows)


def ledger(found: Variants) -> str:
    """A row for the strictest and one for the most permissive client of each run: a promise a scope."""
    rows, rules = [], dict[str, None]()
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
            rows.append([runs[0].label, who, *lines, AGAINST[entry.against]])
    how = f"How bounds are computed: {'; '.join(RULES[rule] for rule in rules)}." if rules else ""
    head = ["run", "whom", *SCOPES.values(), "against"]
    return f"{table('Ledger', head, rows)}<p><small>{text(how)}</small></p>"


def _epsilon(entry: Entry) -> float:
    return inf if entry.run_worst.epsilon is None else entry.run_worst.epsilon


def _line(line: Promise) -> str:
    if line.epsilon is None:
        return f"no guarantee: {line.why}"
    delta = f" (δ {spelled(line.delta)})" if line.delta else ""
    return f"ε {_rounded(line.epsilon)}{delta}" + ("" if line.guarantee else f": {line.why}")


def _rounded(epsilon: float) -> str:
    return spelled(float(f"{epsilon:.4g}"))


def table(what: str, head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    frame = f'<div class="wide" tabindex="0" role="region" aria-label="{text(what)}">'
    return f"{frame}<table><tr>{top}</tr>{lines}</table></div>"
