"""Lessons: question, every guess with its reply, stored result, one field with all its values."""

from collections.abc import Sequence
from typing import Any

from ldp_core import lessons, mechanisms, presets
from ldp_core.lessons import LessonPlan
from ldp_core.presets.questions import Figure, Question, accuracy
from ldp_core.runs import Final, outcomes, stored_ladder
from pages.parts.learn import figures, line_up
from pages.parts.learn.one_thing import came_to, first_new, free_name, options
from pages.parts.start.outcome_view import levels, picture, seeds_of
from pages.parts.still.words import sentence
from pages.parts.train.guess_words import reply, shown
from pages.parts.ui.components import written

Body = dict[str, Any]
HEIGHT = 300


def lesson(name: str, changes: Sequence[tuple[Any, Final]]) -> Body:
    """Data for assets/web/still.js."""
    plan = lessons.get(name)
    preset, found = presets.get(plan.scenario), outcomes.stored(plan.scenario)
    if found is None:
        raise LookupError(plan.scenario)
    ask, answers = preset.ask, preset.ask.answers(found.results)
    last = plan.transfer
    return {
        "name": name,
        "title": lessons.numbered(name),
        "setting": plan.setting,
        "ask": ask.text,
        "beside": levels(preset, found),
        **_guesses(ask, answers),
        "bare": sentence(f"**{reply(ask, None, answers).words}**"),
        "why": [sentence(words) for words in (preset.lesson, plan.look, seeds_of(found))],
        "shown": picture(preset.draft, found, HEIGHT, ask.of),
        "figures": _figures(plan, found),
        "change": _change(plan, changes) if changes else None,
        "transfer": {
            "ask": last.text,
            "options": last.options,
            "replies": [
                sentence(
                    f"**Right.** {last.why}"
                    if one == last.right
                    else f"Not quite: **{last.right}**. {last.why}"
                )
                for one in last.options
            ],
        },
    }


def _guesses(ask: Question, answers: Sequence[float | str]) -> Body:
    guesses: Sequence[float | str] = range(ask.most + 1) if isinstance(ask, Figure) else ask.options
    found: Body = {
        "replies": {str(one): sentence(f"**{reply(ask, one, answers).words}**") for one in guesses}
    }
    if not isinstance(ask, Figure):
        return found | {"options": ask.options}
    named = [shown(ask, one) for one in guesses]
    level = {"level": [f"your guess {words}" for words in named]} if ask.read is accuracy else {}
    return found | {"most": ask.most, "start": ask.most // 2, "named": named, **level}


def _change(plan: LessonPlan, changes: Sequence[tuple[Any, Final]]) -> Body:
    named = options(plan.scenario, plan.free)
    known = [value for value, _ in changes]
    first = [*named][first_new(plan.scenario, plan.free)]
    return {
        "name": free_name(plan.free),
        "start": known.index(first),
        "steps": [{"name": named[value], "said": sentence(came_to(final))} for value, final in changes],
    }


def _figures(plan: LessonPlan, found: outcomes.Outcome) -> list[Body]:
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
