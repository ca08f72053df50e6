"""Glossary of the studio: at most thirty terms, each explained in a sentence."""

import re
from functools import cache
from typing import Any

from ldp_core.accounting import WHOLE_RUN
from ldp_core.component import Registry
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Experiment
from pages.parts.ui.text import plain

GLOSSARY = {
    "ε (epsilon)": "A client's privacy budget: the smaller it is, the less can be told from what the client "
    "sends, and the more noise that takes.",
    "δ (delta)": "What an ε leaves open: no event's probability grows by more than the factor e^ε, plus δ.",
    "τ (tau)": "How far a client's weights may reach: what lies outside its safe range is clipped before "
    "noise is added, and the longer the range, the more noise that takes.",
    "σ (sigma)": "The size of the noise, as a standard deviation; its square is the noise variance.",
    "κ (kappa)": "How far apart the clients' true weights are taken to be, as a standard deviation: with it "
    "an aggregator no longer listens to the least noisy clients alone.",
    "Client": "Somebody whose data never leave her: she trains on them, and sends what her mechanism makes "
    "of the result.",
    "Weight": "One number of the model, as logistic regression on digits has 650. How much a client counts "
    "is called its share.",
    "Upload": "Everything that one client sends in one round: every weight once.",
    "Round": "All who take part train and upload once, and the server makes one model of it.",
    "Mechanism": "How a client randomises what it sends.",
    "Aggregator": "How the server makes one model of what all send, and which share each client has in it.",
    "mean, 1/σ, 1/σ²": "How much a client counts: as much as any other; half as much if its noise σ is twice "
    "as large; or a quarter as much.",
    "Safe range": "The values that a mechanism takes: what lies outside is clipped before, and any two "
    "inside are what ε makes hard to tell apart. What is sent is noise as well, and may lie outside.",
    "Per weight, per upload, for the run": "What an ε covers: the papers' covers one weight; an upload has "
    "many of them, and a run many uploads.",
    "Worst case": "The smallest bound computed here that holds for a client who uploads as often as it can.",
    "Accuracy": "The share of held-out images that the server's model names right.",
    "Guessing": "Naming the commonest class always, or picking any of the candidates.",
    "No noise": "The same training without a mechanism, under a plain mean: one run, with the first seed.",
    "Seed": "A repetition with the same data dealt out anew, other starting weights and other noise; runs of "
    "one seed share all but what is compared.",
    "Noise variance": "How far, squared, the mechanism moves an average weight of the server's aggregate. "
    "Its model is moved as far, or less where the corrected form brings weights back into their range. "
    "Where changes are sent, the noise of all rounds adds up.",
    "Tried out": "A verdict before training, from a short trial of a few clients with the noise of all: it "
    "learns, it is borderline, or it stays at chance.",
    "dB": "How close a reconstruction is (PSNR): about 10 is nothing, from 20 on the image counts as back, "
    "30 is a close copy. Alike is its correlation with the image: from 0.8 on it can be read, "
    "unless another image, or a guess, is as close.",
    "Average of all images": "What is guessed without any upload; that of its class: with the label alone.",
    "Picked": "An upload is made from one of several images, drawn afresh, and the server says from which.",
    "Control": "The same attack without noise, and clipped only: where it fails as well, the attack shows "
    "nothing of the noise.",
    "At most": "No attacker can be right more often, on average over which image is the right one; at 100 % "
    "the bound excludes nothing.",
    "As printed, corrected": "A paper's own form, and the form in which its promise holds.",
    "In clear": "Sent without noise: no ε covers it.",
    "Strict, permissive": "Clients who ask for at most the median ε (for less, where most ask for the "
    "largest), and the others.",
}
"""Explanation by term."""
EPSILON, TAU, MECHANISM, AGGREGATOR = (
    f"{term}: {GLOSSARY[term][0].lower()}{GLOSSARY[term][1:]}"
    for term in ("ε (epsilon)", "τ (tau)", "Mechanism", "Aggregator")
)


@cache  # a live page asks at every poll
def glossary(terms: tuple[str, ...] = tuple(GLOSSARY)) -> str:
    """These terms, by default all of them, as Markdown."""
    return "\n".join(f"- **{plain(term)}**: {plain(GLOSSARY[term], 400)}" for term in terms)


def each(what: str, registry: Registry[Any]) -> str:
    """Explanation of a kind of part, and a line for each part."""
    lines = [f"- **{plain(kind.label)}**: {kind.summary}" for kind in map(registry.kind, registry.labels())]
    return "\n".join([what, "", *lines])


FIELDS = {
    "clients.count": "clients",
    "clients.epsilon": "budgets",
    "clients.epsilon_scope": "one ε covers",
    "clients.low": "safe ranges",
    "clients.high": "safe ranges",
    "clients.range": "safe ranges",
    "clients.run_limit": "limits of a run",
    "dataset": "data",
    "features": "what a client turns its image into",
    "partition": "how it is split",
    "partition.alpha": "concentration α",
    "partition.groups": "groups",
    "selection": "who takes part",
    "target": "what is sent",
    "variants": "what is compared",
    "seed": "first seed",
    "local.epochs": "local epochs",
    "local.optimizer": "optimiser",
}
"""Names of fields by dotted path, where they differ from its last component."""
NAMES = re.compile(
    r"“[^”]*”|(?<![\w:/.])[a-z]\w*\.[a-z_]+\b(?![(.])|(?<![\w:/.])[a-z]+(?:_[a-z]+)+\b(?![(.])"
)
"""Names as files and programs have them: `local.epochs`, `sign_majority`; or a quotation."""
STYLES = {"much": "kept", "some": "", "little": "partly", "nothing": "recovered"}
"""Style of a figure (assets/studio.css) by the worth of what is promised."""
SCOPES = {"mechanism": "one weight", "upload": "a whole upload", "run": WHOLE_RUN["client"]}


def problem_in_words(problem: Problem) -> str:
    """Problem with its field in the page's words instead of its path."""
    if not problem.path or problem.path.startswith("line "):
        return str(problem)
    path = problem.path.removeprefix("base.").removesuffix(".name")
    if ".layers." not in path:
        path = path.removesuffix(".kind")
    name, message = FIELDS.get(path, path.rpartition(".")[2].replace("_", " ")), problem.message
    if path == "clients.epsilon_scope":
        message = re.sub(
            r"(must be|got) (\w+)", lambda one: f"{one[1]} {SCOPES.get(one[2], one[2])}", message
        )
    return f"{name} {NAMES.sub(_without_marks, message)}"


def _without_marks(found: re.Match[str]) -> str:
    """A field's path or a part's name in a message, as words; what is quoted stays."""
    text = found[0]
    part, _, last = text.rpartition(".")
    if text[0] == "“" or (part and part not in Experiment.model_fields):
        return text
    words = FIELDS.get(text, last.replace("_", " "))
    return f"{words} of the {part}" if part not in ("", "clients", "local") and text not in FIELDS else words


def error_in_words(error: Exception) -> str:
    if isinstance(error, InvalidExperiment):
        return "; ".join(map(problem_in_words, error.problems))
    return str(error)
