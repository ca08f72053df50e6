"""Words and numbers as text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ldp_core import datasets, limits
from ldp_core.accounting import WHOLE_RUN
from ldp_core.errors import StudioError
from ldp_core.experiment import PER, Draft, Experiment, plan
from ldp_core.mechanisms import Mechanism

K = TypeVar("K")
V = TypeVar("V")
THIN, percent, number, as_shown = limits.THIN, limits.percent, limits.number, limits.as_shown
at_most, at_least = limits.at_most, limits.at_least
ASSUMED = {"box": "weights in mid-range", "ball": "uploads of full length"}
"""Weights for which noise is predicted, by the mechanism's region."""
EXACT_DB = 100.0
NAME = 16
"""Largest number of characters of a class's name."""
MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>()#+-.!|~$:^=&"})
FOUND_LATER = re.compile(r"(:(?=material/|streamlit:|//)|www(?=\.)|@|1/(?=σ))", re.IGNORECASE)
JOINER = "\u2060"
"""Zero-width character against icons and links, which are recognised after Markdown is parsed, so that no
backslash prevents them; and against a new line within 1/σ.
"""


def plain(text: str, most: int = 80) -> str:
    """User's text, safe in Markdown: literal, on one line, shortened."""
    line = " ".join(text.split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return FOUND_LATER.sub(rf"\1{JOINER}", line).translate(MARKDOWN)


def shortened(label: str, most: int) -> str:
    """Label of at most `most` characters, keeping its end, which distinguishes labels."""
    tail = most // 3
    return label if len(label) <= most else f"{label[: most - tail - 1].rstrip()}…{label[-tail:].lstrip()}"


def apart(labels: Sequence[str], most: int) -> list[str]:
    """Labels of about `most` characters, distinct if given so: similar ones lose the beginning they share."""
    ends = [(label[: most // 2], label[-(most // 3) :]) for label in labels]
    found = []
    for label, end in zip(labels, ends, strict=True):
        alike = [other for other, its in zip(labels, ends, strict=True) if its == end]
        if len(label) > most + most // 4 and len(set(alike)) > 1:
            letters = zip(*alike, strict=False)
            first = next((i for i, each in enumerate(letters) if len(set(each)) > 1), min(map(len, alike)))
            while first and any(one[first - 1 : first + 1].isalnum() and one[first:] for one in alike):
                first -= 1
            found.append("…" + shortened(label[first:].lstrip(" ,"), most - 1))
        else:
            found.append(label if len(set(alike)) > 1 else shortened(label, most))
    twice = Counter(dict(zip(labels, found, strict=True)).values())
    return [label if twice[short] > 1 else short for label, short in zip(labels, found, strict=True)]


def span(whole: Iterable[int]) -> str:
    """`3 to 50`, or one number where that is all."""
    ends = sorted(whole)
    return " to ".join(dict.fromkeys(number(end, 6) for end in (ends[0], ends[-1])))


def up_to(low: float, high: float) -> str:
    """`0.5 to 0.8`, or one number where that is all."""
    return " to ".join(dict.fromkeys(map(number, (low, max(low, high)))))


def deltas(found: Iterable[float]) -> str:
    """δ of guarantees like ` (δ 10⁻⁵)`; "" if all are 0."""
    each = sorted({delta for delta in found if delta})
    return f" (δ {' or '.join(map(number, each))})" if each else ""


def decibels(psnr: float, digits: int = 0) -> str:
    """PSNR in words; “exact copy” above the precision of pixels."""
    return "exact copy" if psnr >= EXACT_DB else f"{psnr:.{digits}f} dB"


def runs_in_words(runs: int, clean: int) -> str:
    """Number of runs, with `clean` counting the one without noise."""
    own = runs - clean
    return f"{own} run{'' if own == 1 else 's'}" + (" and one without noise" if clean else "")


def seconds(value: float) -> str:
    if value < 0.05:
        return f"less than 0.1{THIN}s"
    if value < 90:
        return f"{value:.1f}{THIN}s" if value < 10 else f"{value:.0f}{THIN}s"
    return f"{value / 60:.0f}{THIN}min" if value < 5400 else f"{value / 3600:.1f}{THIN}h"


def bytes_in_words(count: float) -> str:
    if 0 < count < 5e4:
        return f"less than 0.1{THIN}MB"
    return f"{number(count / 1e9)}{THIN}GB" if count >= 1e9 else f"{count / 1e6:.1f}{THIN}MB"


def ago(value: float) -> str:
    return "just now" if value < 60 else f"{seconds(value) if value >= 90 else '1 min'} ago"


def listed(items: Iterable[str]) -> str:
    """Items as `a, b and c`."""
    words = list(items)
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def budgets_in_words(epsilons: Iterable[float]) -> str:
    """Budgets of a population: `20 clients: 18 ask for ε 0.5, 2 for ε 8`."""
    counts = Counter(epsilons)
    total = sum(counts.values())
    clients = f"{number(total, 6)} client{'s' if total > 1 else ''}"
    if len(counts) == 1:
        return f"{clients}{', each' if total > 1 else ''} asking for ε {number(next(iter(counts)))}"
    if len(counts) > 4:
        return f"{clients}, asking for ε {number(min(counts))} to {number(max(counts))}"
    (epsilon, count), *others = sorted(counts.items())
    first = f"{number(count, 6)} ask{'s' if count == 1 else ''} for ε {number(epsilon)}"
    return ", ".join([f"{clients}: {first}", *(f"{number(n, 6)} for ε {number(e)}" for e, n in others)])


def asked_in_words(experiments: Iterable[Experiment]) -> list[str]:
    """Budgets and ranges of each population once, in words."""
    found = [budgets_in_words(one.clients.budgets().tolist()) + covered(one) for one in experiments]
    return list(dict.fromkeys(found))


def covered(experiment: Experiment) -> str:
    """What a budget covers, to follow its ε: ` per weight`."""
    return f" {plan(experiment).covers}"


def whole_runs(experiments: Iterable[Experiment]) -> str:
    """What an ε for all that is sent covers in these experiments: `a person's whole run`."""
    return " or ".join(dict.fromkeys(WHOLE_RUN[one.unit] for one in experiments))


def per(used: Iterable[Mechanism]) -> str:
    """What an ε in these mechanisms' own scopes covers: `per weight or per upload`."""
    return " or ".join(dict.fromkeys(PER[one.scope] for one in used))


def labels_cover(draft: Draft) -> str:
    """What the ε in labels of a draft's runs covers: `; ε per weight`; "" if no label has one, or all say."""
    each = zip(draft.variants, map(covered, draft.experiments()), strict=True)
    found = dict.fromkeys(scope for one, scope in each if "ε" in one.label and scope not in one.label)
    return f"; ε{' or'.join(found)}" if found else ""


def clipped_in_words(experiment: Experiment) -> str:
    """What the size of uploads is bounded by: safe ranges, or the length of each record's gradient."""
    if experiment.local.clip is not None:
        return f"each record's gradient shortened to {number(experiment.local.clip)}"
    people = plan(experiment).population
    return ranges_in_words(people.low.tolist(), people.high.tolist())


def ranges_in_words(lows: Iterable[float], highs: Iterable[float]) -> str:
    pairs = sorted(set(zip(lows, highs, strict=True)))
    if len(pairs) == 1:
        low, high = pairs[0]
        return f"safe range [{signed(low)}, {signed(high)}] for all"
    return f"safe ranges from {signed(min(p[0] for p in pairs))} to {signed(max(p[1] for p in pairs))}"


def range_in_words(low: float, high: float) -> str:
    """Safe range as ±1, or [−0.5, 2]."""
    return f"±{number(high)}" if low == -high else f"[{signed(low)}, {signed(high)}]"


def few(labels: Sequence[str], most: int = 3) -> str:
    """The first labels, and the number of others."""
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return joined(labels[:most]) + more


def joined(labels: Sequence[str]) -> str:
    """Labels joined with commas, or with dots if one has a comma."""
    return (" · " if any("," in label for label in labels) else ", ").join(labels)


def names_by(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Names of whatever shares a key, such as a sentence on it."""
    found = dict[K, list[V]]()
    for key, name in pairs:
        found.setdefault(key, []).append(name)
    return found


def signed(value: float, digits: int = 3) -> str:
    return ("−" if value < 0 else "") + number(abs(value), digits)


def class_names(recorded: Mapping[str, Any], count: int = 0) -> list[str]:
    """Short, distinct class names of a recorded experiment's data; numbers from 1 if it is gone."""
    try:
        names = datasets.get(recorded["dataset"]).class_names
    except (StudioError, KeyError):
        names = ()
    if not names or count not in (0, len(names)):
        return [f"class {i + 1}" for i in range(count)]
    short = [name if len(name) <= NAME else f"{name[: NAME - 1]}…" for name in names]
    twice = Counter(short)
    return [name if twice[name] == 1 else f"{name} ({i + 1})" for i, name in enumerate(short)]


def an_image_of(recorded: Mapping[str, Any], label: int) -> str:
    """Class of an image in words: a 3, an 8, or dogs."""
    names = class_names(recorded)
    name = names[label] if label < len(names) else f"class {label + 1}"
    return f"{'an' if name[0] == '8' else 'a'} {name}" if name.isdigit() else name
