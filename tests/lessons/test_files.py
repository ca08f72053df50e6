"""A lesson and a translation are a file each, of the house or in EPSILON_PARTS_DIR; a bad one is left out."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ldp_core import doctor, lessons
from ldp_core.classroom import sessions, topics
from ldp_core.lessons import files
from ldp_core.plugins import folder
from ldp_core.presets.questions import OptionQuestion

OWN = """
label = "How fast to learn"
scenario = "half_and_half"
setting = "Ten people ask for a strict budget, ten for a generous one."
free = "local.learning_rate"
order = 45

[transfer]
text = "Each answer is cut to a safe range. What can larger steps do?"
right = "lift the signal, up to the cut"
why = "Only the signal comes from training."
wrong = {"lower ε" = "ε is asked for.", "shrink the noise" = "Noise follows from the range."}
"""
Put = Callable[..., None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Put]:
    """Writes files into a folder of parts, which is read anew."""
    monkeypatch.setattr(folder, "__path__", [str(tmp_path)])
    (tmp_path / "lessons").mkdir()

    def forget() -> None:
        lessons.refused.clear()
        for each in (lessons._found, lessons._translated, lessons.get):
            each.cache_clear()

    def written(**texts: str) -> None:
        for name, text in texts.items():
            (tmp_path / "lessons" / f"{name.replace('__', '.')}.toml").write_text(text, encoding="utf-8")
        forget()

    monkeypatch.setattr(lessons, "refused", lessons.refused)
    yield written
    monkeypatch.undo()
    forget()


def test_own_lesson_stands_on_the_path_at_its_place(put: Put):
    put(how_fast=OWN)
    before, after = lessons.names().index("safe_range"), lessons.names().index("whom")
    assert before < lessons.names().index("how_fast") < after
    assert "how_fast" in topics.names() and sessions.free_fields("how_fast")[0] == "local.learning_rate"
    assert not lessons.refused


def test_translation_beside_a_lesson_is_another_language(put: Put):
    fast, whom = 'label = "Vite"', 'label = "Qui écouter"'
    put(
        how_fast=OWN,
        how_fast__fr=fast,
        whom__fr=whom,
        classroom_words__fr='[words]\n"go in" = "Entrer"',
    )
    assert "fr" in lessons.languages()
    assert lessons.get("how_fast", "fr").label == "Vite"
    assert lessons.get("how_fast", "fr").setting == lessons.get("how_fast").setting
    assert lessons.get("whom", "fr").label == "Qui écouter"
    assert (lessons.said("go in", "fr"), lessons.said("leave", "fr")) == ("Entrer", "Leave the class")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[words]\nleave = "Sortir"\n"go out" = "Sortir"', "line 3"),
        ('[words]\nhere = "{n} sur {tous}"', "line 2"),
        ('[words]\nhere = "{n} ici }"', "line 2"),
        ('[words]\n"drawing sent" = "ε {epsilon:x}"', "line 2"),
    ],
)
def test_sentence_that_no_page_can_fill_is_left_out_with_its_line(put: Put, text: str, line: str):
    put(classroom_words__fr=text)
    assert lessons.said("here", "fr", n=3) == "3 here" and line in lessons.refused["classroom_words.fr"]


def test_own_sentence_stands_among_the_houses(put: Put):
    put(classroom_words__de='[words]\nleave = "Tschüss"')
    assert (lessons.said("leave", "de"), lessons.said("go in", "de")) == ("Tschüss", "Mitmachen")


def test_options_in_another_language_are_the_same_answers(put: Put):
    put(other_secrets__fr='[options]\nneither = "aucun"')
    ask, english = lessons.get("other_secrets", "fr").ask, lessons.get("other_secrets").ask
    assert isinstance(ask, OptionQuestion) and isinstance(english, OptionQuestion)
    assert ask.options == english.options and ask.called("neither") == "aucun"


def test_own_question_for_the_coin_has_the_coins_words(put: Put):
    text = re.sub(r"scenario = .*", 'kind = "one_bit"\nquestion = "Do you skip lectures?"', OWN)
    put(skips=text.replace('free = "local.learning_rate"', ""))
    assert topics.get("skips").question == "Do you skip lectures?"
    assert lessons.get("skips", "de").words["yes"] == "Ja"
    assert sessions.free_fields("skips") == sessions.free_fields("one_bit")


@pytest.mark.parametrize(
    ("bad", "line"),
    [
        (OWN.replace("order = 45", 'order = "late"'), "line 6"),
        (OWN.replace("free =", "fre ="), "line 5"),
        (OWN.replace("half_and_half", "half_and_halve"), "line 3"),
        (OWN.replace('label = "', "label = "), "line 2"),
        (OWN.replace("[transfer]", "[transfers]"), "line 8"),
        (OWN.replace("why = ", "wy = "), "line "),
    ],
)
def test_bad_lesson_is_left_out_with_file_and_line(put: Put, bad: str, line: str):
    put(how_fast=bad, whom__xx="label = 3")
    assert "how_fast" not in lessons.names() and "xx" not in lessons.languages()
    assert "how_fast.toml" in lessons.refused["how_fast"] and line in lessons.refused["how_fast"]
    assert "whom.xx.toml, line 1" in lessons.refused["whom.xx"]
    kind, said = doctor.parts()
    assert kind == "note" and lessons.refused["how_fast"] in said


@pytest.mark.parametrize("name", [file.stem for file in files._files(files.HOUSE) if "." in file.stem])
def test_translation_of_the_house_fits_its_lesson(name: str):
    """The same placeholders and as many options: else a page would say less, or fail."""
    english, _, language = name.partition(".")
    if english == files.WORDS:
        own_words, words = (
            files._read(files.HOUSE / f"classroom_words.{one}.toml", files.PageWords).words
            for one in (language, "en")
        )
        assert own_words.keys() == words.keys()
        pairs = [(words[key], said) for key, said in own_words.items()]
    else:
        plan, own = lessons.get(english), lessons.get(english, language)
        assert len(own.transfer.options) == len(plan.transfer.options)
        assert own.words.keys() == plan.words.keys() and len(own.terms) == len(plan.terms)
        assert own.wrong.keys() == plan.wrong.keys()
        if own.options and isinstance(plan.ask, OptionQuestion):
            assert own.options.keys() <= {*plan.ask.options}
        assert not plan.scenario or type(own.ask) is type(plan.ask)
        pairs = [(plan.words[key], own.words[key]) for key in plan.words]
    for first, second in pairs:
        assert sorted(re.findall(r"\{\w+\}", first)) == sorted(re.findall(r"\{\w+\}", second)), second
