"""Lessons in each language: question, every guess with its reply, stored result, one field's values."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ldp_core import lessons, mechanisms, presets
from ldp_core.lessons import LessonPlan, coin
from ldp_core.presets.questions import NumberQuestion, accuracy
from ldp_core.runs import Final, GuessValue, outcomes, stored_ladder
from pages.parts.learn import figures, line_up
from pages.parts.learn.language import NAMES
from pages.parts.learn.lesson import HEIGHT, NEEDS_ROOM, said_of_guess
from pages.parts.learn.one_thing import came_to, first_new, free_name, options
from pages.parts.start.outcome_view import levels, picture, seeds_of
from pages.parts.train.guess_words import reply, shown
from pages.parts.ui.components import written

Body = dict[str, Any]
Changes = Mapping[str, Sequence[tuple[Any, Final]]]
WORDS = ("show", "elsewhere", "change one thing", "next")
"""Keys of the words of a class that stand here as well."""
Said = list[tuple[str, str]]
MARKS = {"**": "strong", "`": "code"}


def every(changes: Changes) -> Body:
    """Data for assets/web/still.js."""
    spoken = [
        {
            "name": NAMES.get(language, language),
            "lang": language,
            "words": {key: sentence(lessons.said(key, language, label="{label}")) for key in WORDS},
            "lessons": [_lesson(name, language, changes.get(name, ())) for name in lessons.names()],
        }
        for language in lessons.languages()
    ]
    return {"languages": spoken}


def _lesson(name: str, language: str, changes: Sequence[tuple[Any, Final]]) -> Body:
    plan = lessons.get(name, language)
    terms = [sentence(f"**{term}**: {says}") for term, says in plan.terms.items()]
    own: Body = {"ask": plan.question, "needs": NEEDS_ROOM}
    if plan.kind == "one_bit":
        own = _one_bit(plan)
    elif plan.kind == "scenario":
        own = _scenario(plan, language, changes)
    last = plan.transfer
    right = f"**{lessons.said('right', language)}** {last.why}"
    wrong = f"{lessons.said('right is', language)} **{last.right}**."
    replies = [f"{last.wrong[one]} {wrong}" if one in last.wrong else right for one in last.options]
    return {
        "name": name,
        "title": lessons.numbered(name, language),
        "setting": plan.setting,
        "terms": terms,
        **own,
        "transfer": {"ask": last.text, "options": last.options, "replies": [*map(sentence, replies)]},
    }


def _one_bit(plan: LessonPlan) -> Body:
    name = next(iter(coin.BUDGETS))
    right, tries = coin.odds(coin.BUDGETS[name])
    odds = plan.words["one"].format(right=right, tries=tries)
    return {
        "ask": plan.question,
        "coin": {**coin.law(1, name), "at": name, "bit": None, "words": plan.words, "alone": True},
        "odds": f"ε {name}. {odds}",
        "room": coin.simulated() | {"words": plan.words, "look": plan.look},
    }


def _scenario(plan: LessonPlan, language: str, changes: Sequence[tuple[Any, Final]]) -> Body:
    """What is made of results is English; another language has the lesson's own sentences in its place."""
    preset, found, ask = presets.get(plan.scenario), outcomes.stored(plan.scenario), plan.ask
    if found is None:
        raise LookupError(plan.scenario)
    answers, english = ask.answers(found.results), language == lessons.ENGLISH

    def came(guess: GuessValue | None) -> Said:
        words = reply(ask, guess, answers, language).words
        return sentence(f"**{words}** {said_of_guess(plan, guess, answers)}".strip())

    why = preset.lesson if english else ask.why
    return {
        "ask": ask.text,
        "beside": levels(preset, found) if english else "",
        **_guesses(plan),
        "replies": dict(zip(_named(plan), map(came, _every(plan)), strict=True)),
        "bare": came(None),
        "why": [sentence(words) for words in (why, plan.look, seeds_of(found) * english) if words],
        "shown": picture(preset.draft, found, HEIGHT, ask.of),
        "figures": _figures(plan, found),
        "change": _change(plan, changes, language) if changes else None,
    }


def _every(plan: LessonPlan) -> Sequence[GuessValue]:
    ask = plan.ask
    return range(ask.most + 1) if isinstance(ask, NumberQuestion) else ask.options


def _named(plan: LessonPlan) -> Sequence[str]:
    ask = plan.ask
    return [str(one) if isinstance(ask, NumberQuestion) else ask.called(str(one)) for one in _every(plan)]


def _guesses(plan: LessonPlan) -> Body:
    ask = plan.ask
    if not isinstance(ask, NumberQuestion):
        return {"options": _named(plan)}
    named = [shown(ask, guess) for guess in _every(plan)]
    level = {"level": [f"your guess {words}" for words in named]} if ask.read is accuracy else {}
    return {"most": ask.most, "start": ask.most // 2, "named": named, **level}


def _change(plan: LessonPlan, changes: Sequence[tuple[Any, Final]], language: str) -> Body:
    named = options(plan.scenario, plan.free)
    first = [*named][first_new(plan.scenario, plan.free)]
    return {
        "name": free_name(plan.free, language),
        "start": [value for value, _ in changes].index(first),
        "steps": [{"name": named[value], "said": sentence(came_to(one, language))} for value, one in changes],
    }


def _figures(plan: LessonPlan, found: outcomes.ScenarioResult) -> list[Body]:
    ladder = stored_ladder.stored_ladder()
    if plan.figure == "classes":
        return [_chart(figures.CLASSES, "", *figures.classes_figure(plan, found))]
    if plan.figure == "releases":
        return [{"kind": "dots", "title": figures.RELEASES, "caption": [], "data": _releases()}]
    if plan.figure == "leak" and ladder:
        labels = mechanisms.registry.labels()
        laws = [{"name": labels[name], "data": line_up.data(name)} for name in line_up.LAWS]
        data = {"name": "Mechanism", "options": laws}
        who = {"kind": "lineup", "title": line_up.TITLE, "caption": sentence(line_up.CAPTION), "data": data}
        return [_chart(figures.LEAK, figures.leak_caption(ladder), *figures.leak_figure(ladder)), who]
    return []


def _chart(title: str, caption: str, drawn: dict[str, Any], words: str) -> Body:
    data = {"figure": written(drawn), "height": 320, "label": words}
    return {"kind": "chart", "title": title, "caption": sentence(caption), "data": data}


def _releases() -> Body:
    sliders = [
        {"name": figures.SENT, "steps": list(figures.SIZES)},
        {"name": "Rounds", "steps": [str(one) for one in figures.ROUNDS]},
    ]
    return {
        "sliders": sliders,
        "cells": [[_dots(size * rounds) for rounds in figures.ROUNDS] for size in figures.SIZES.values()],
    }


def _dots(uses: int) -> Body:
    shown, side, less = figures.dots_across(uses)
    says = [sentence(words) for words in filter(None, [less, *figures.added_up(uses)])]
    return {"shown": shown, "side": side, "label": figures.dots_in_words(uses), "says": says}


def sentence(markdown: str) -> Said:
    """Pieces of a sentence in Markdown as our pages write it: bold, code, and escaped characters."""
    found: Said = []
    tag = "span"
    for part in re.split(r"(?<!\\)(\*\*|`)", markdown):
        if part in MARKS:
            tag = "span" if tag == MARKS[part] else MARKS[part]
        elif part:
            found.append((re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)[*]", "", part)), tag))
    return found
