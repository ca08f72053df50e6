"""What runs, searches and attacks came to: one finding, and its one sentence for all who say it.

A sentence has names and figures alone; intervals stand beside it (`Difference.in_words`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import Formatter
from typing import NamedTuple

from ldp_core.inference.difference import Difference
from ldp_core.inference.outcome import at_chance
from ldp_core.limits import percent

WIDE = 0.03
"""Mean difference above which a run that is ahead with each seed is said to lead."""
GUESS = ", no better than guessing"
SENTENCES: Mapping[str, Mapping[str, str]] = {
    "English": {
        "one": "{best} ends at {top}{guess}",
        "same model": "All {many} train the same model: {top}",
        "nothing learns": "Nothing learns: none of the {many} is better than guessing ({top} at most)",
        "luck": "Luck alone sets {best} ({top}) and {worst} ({least}) apart: same settings, other seeds",
        "ahead": "{best} reaches {top}, {worst} {least}{guess}",
        "cause": "{cause} made the difference: {best} reaches {top}, {worst} {least}{guess}",
        "cause, next close": "{cause} made the difference: {best} reaches {top}, {worst} {least}{guess}; "
        "{second} ({close}) may be as good",
        "leads": "{best} ({top}) leads {second} ({close}) with each of {seeds} seeds: too few to tell",
        "leads once": "{best} ({top}) leads {second} ({close}), with one seed only",
        "no difference": "{best} ({top}) and {second} ({close}): no difference",
        "cannot tell": "{best} ({top}) and {second} ({close}): cannot tell which is ahead",
        "and the last": "; {worst} ends at {least}{guess}",
        "silenced": "{best} reaches {top} and {often} names {which} right",
        "swept": "First of {many}{tied}: {best}",
        "swept, nothing learns": "Nothing learns: {top} with {best} at most",
        "asked": "{budget} buys {reached} with {who}",
        "asked, nothing learns": "Nothing learns with {who} at {budget}: {reached}, as guessing",
        "asked, not reached": "{wanted} is not reached with {who}: {reached} even at {budget}",
        "least": "{budget} reaches {wanted}",
        "no least": "{wanted} is not reached surely: {top} at most, {clean} without noise",
        "back": "{name} gives the image back {where}{read}",
        "back at some": "{name} gives it back at some ε, and not at every one above",
        "not back": "{name} does not up to ε {most}{read}",
        "clipped": "{name} does not give it back, nor would clipping alone",
        "attack fails": "{name} cannot be judged: this attack fails even without noise",
        "promised": "ε ≤ {epsilon}: promises {worth}, values told apart {odds}",
    }
}
"""Templates by language and finding."""
Name = tuple[str, int | None]
"""A run's name, and the number of its colour."""
Between = Callable[[int, int], Difference]


class Finding(NamedTuple):
    kinds: tuple[str, ...]
    """Keys of `SENTENCES`, one after another."""
    facts: Mapping[str, str | Name]
    gap: Difference | None = None
    """Between the runs that the sentence compares."""

    def pieces(self, language: str = "English") -> Iterator[Name]:
        """The sentence in pieces: names with their colours, and text between them."""
        for kind in self.kinds:
            for text, fact, *_ in Formatter().parse(SENTENCES[language][kind]):
                if text:
                    yield text, None
                if fact and (found := self.facts[fact]):
                    yield (found, None) if isinstance(found, str) else found

    def text(self, marked: Callable[[str], str] = str) -> str:
        """The sentence, in which names are `marked`."""
        named = {found for found in self.facts.values() if not isinstance(found, str)}
        return "".join(marked(one[0]) if one in named else one[0] for one in self.pieces())


def finding(kind: str, **facts: str | Name) -> Finding:
    return Finding((kind,), facts)


def ranking(
    ranked: Sequence[tuple[Name, float]],
    chance: float | None,
    between: Between,
    cause: str | None = "",
    same: bool = False,
) -> Finding:
    """Finding on runs with their accuracies, the best first.

    Args:
        ranked: at least one run.
        between: difference of two of them, by place.
        cause: the one setting in which the best and the last differ, as a noun; "" if several,
            None if none.
        same: whether all have trained the same model.
    """
    (best, top), (worst, least) = ranked[0], ranked[-1]
    second, close = ranked[min(1, len(ranked) - 1)]
    facts: dict[str, str | Name] = {"best": best, "worst": worst, "second": second, "many": str(len(ranked))}
    facts |= {"top": percent(top), "least": percent(least), "close": percent(close)}
    facts["cause"] = cause[:1].upper() + cause[1:] if cause else ""
    facts["guess"] = GUESS * at_chance(least, chance)
    if len(ranked) == 1 or same:
        return Finding(("same model" if ranked[1:] else "one",), facts)
    if at_chance(top, chance):
        return Finding(("nothing learns",), facts)
    gap, last = between(0, 1), between(0, len(ranked) - 1)
    if cause is None:
        return Finding(("luck",), facts, last)
    if last.clear and cause:
        return Finding(("cause" if gap.clear else "cause, next close",), facts, last)
    if gap.clear:
        return Finding(("ahead",), facts, gap)
    facts["seeds"] = str(gap.seeds)
    kind = "no difference" if gap.outcome == "no difference" else "cannot tell"
    alike = facts["top"] == facts["close"]
    if (gap.every and gap.mean > WIDE) or (gap.seeds == 1 and not alike):
        kind = "leads" if gap.seeds > 1 else "leads once"
    return Finding((kind, *(["and the last"] if ranked[2:] else [])), facts, gap)
