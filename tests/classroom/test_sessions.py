"""A class: only its teacher moves it on, a guess counts once, and nothing of a student outlives it."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ldp_core import lessons
from ldp_core.classroom import PHASES, members, sessions, topics
from ldp_core.classroom.store import CLASSES, UnknownClass
from ldp_core.errors import InvalidInput, NotNow, NotYours, UnknownName
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.storage import inventory
from tests.runs.in_process import found_in

TEACHER, OTHER, STUDENT = Person("t" * 16, teacher=True), Person("u" * 16, teacher=True), Person("s" * 16)


def asked(scenario: str) -> sessions.Session:
    """A class that has begun with its question."""
    begun = sessions.open_class(TEACHER, scenario)
    sessions.move(begun, TEACHER, "ask")
    return sessions.find(begun.code)


@pytest.fixture
def opened(runs_dir: Path) -> sessions.Session:
    return asked("two_volunteers")


def test_a_code_is_five_letters_typed_in_any_way(opened: sessions.Session):
    assert len(opened.code) == 5
    assert set(opened.code) <= set(sessions.LETTERS)
    assert not set(sessions.LETTERS) & set("AEIOUQJ01")
    typed = f" {opened.code[:2].lower()}-{opened.code[2:].lower()} "
    assert sessions.find(typed) == opened
    with pytest.raises(UnknownClass, match="there is no class ZZZ "):
        sessions.find("zzz")


def test_class_is_moved_by_a_teacher_only(opened: sessions.Session):
    for forged in (
        lambda: sessions.open_class(STUDENT, "two_volunteers"),
        lambda: sessions.move(opened, STUDENT, "closed"),
        lambda: sessions.ask(opened, STUDENT, "half_and_half"),
        lambda: sessions.leave_free(opened, STUDENT, "rounds"),
        lambda: sessions.open_now(STUDENT),
        lambda: sessions.lead(opened, STUDENT),
        lambda: sessions.end(opened, STUDENT),
        lambda: sessions.lock(opened, STUDENT, True),
        lambda: members.remove(opened, STUDENT, 1),
        lambda: members.rename(opened, STUDENT, 1, "Ben"),
        lambda: members.let_in(opened, STUDENT),
    ):
        with pytest.raises(NotYours, match="only a teacher"):
            forged()
    assert sessions.find(opened.code) == opened


def test_unknown_scenario_or_free_field_is_refused(opened: sessions.Session):
    with pytest.raises(UnknownName, match="two_volunteers"):
        sessions.open_class(TEACHER, "two_volunters")
    with pytest.raises(InvalidInput, match="cannot be left free; one of these can: aggregator"):
        sessions.leave_free(opened, TEACHER, "dataset")


def test_two_teachers_at_once_move_a_class_one_step(opened: sessions.Session):
    assert sessions.move(opened, TEACHER, "closed")
    assert not sessions.move(opened, OTHER, "closed"), "what the second one saw has passed"
    assert sessions.find(opened.code).phase == "closed"


def test_second_browser_of_a_teacher_finds_the_class(opened: sessions.Session):
    assert [one.code for one in sessions.open_now(OTHER)] == [opened.code]
    assert not sessions.leads(opened, OTHER.owner or "")
    sessions.lead(opened, OTHER)
    assert sessions.leads(opened, OTHER.owner or "") and not sessions.leads(opened, STUDENT.owner or "")
    sessions.end(opened, OTHER)
    assert not CLASSES.rows("SELECT * FROM leader")


def test_question_is_open_to_members_until_the_run(opened: sessions.Session):
    members.join(opened, "anna", "Anna")
    assert members.asked("anna") and not members.asked("ben")
    members.guess(opened, "anna", 40)
    assert not members.answered("anna")
    sessions.move(opened, TEACHER, "running")
    assert not members.asked("anna")
    assert members.answered("anna") == {"two_volunteers": 40}


def test_next_question_leaves_its_own_field_free(opened: sessions.Session):
    for lesson in lessons.names():
        sessions.ask(opened, TEACHER, lesson)
        free = sessions.find(opened.code).free
        assert free == sessions.free_fields(lesson)[0] and lessons.get(lesson).free in ("", free)


def test_address_of_a_class_is_its_code(opened: sessions.Session):
    assert sessions.is_code(opened.code.lower())
    assert not any(map(sessions.is_code, ("class", "train", "bcdf", "robots.txt")))


def test_a_guess_counts_until_guesses_are_closed(opened: sessions.Session):
    with pytest.raises(NotNow, match="join the class first"):
        members.guess(opened, "anna", 40)
    members.join(opened, "anna", "Anna")
    with pytest.raises(InvalidInput, match="no answer"):
        members.guess(opened, "anna", 140)
    members.guess(opened, "anna", 40)
    members.guess(opened, "anna", 60)
    sessions.move(opened, TEACHER, "closed")
    with pytest.raises(NotNow, match="yours came too late"):
        members.guess(opened, "anna", 19)
    assert members.guess_of(opened, "anna") == 60


def test_removed_student_leaves_no_data_and_stays_out(opened: sessions.Session, runs_dir: Path):
    members.join(opened, "anna", "Rude Name")
    members.guess(opened, "anna", 40)
    members.remove(opened, TEACHER, 1)
    assert not members.members(opened) and not found_in(runs_dir, b"Rude Name")
    with pytest.raises(NotNow, match="taken you out"):
        members.join(opened, "anna", "Anna")
    assert members.removed(opened) == 1
    members.let_in(opened, TEACHER)
    assert members.join(opened, "anna", "Anna").name == "Anna"
    members.rename(opened, TEACHER, 1, "")
    assert members.members(opened) == [members.Member(1, "no. 1")]
    with pytest.raises(NotNow, match="teacher has given"):
        members.join(opened, "anna", "Rude Name")


def test_locked_class_takes_nobody_new(opened: sessions.Session):
    members.join(opened, "anna", "Anna")
    sessions.lock(opened, TEACHER, True)
    assert sessions.find(opened.code).locked
    with pytest.raises(NotNow, match="locked"):
        members.join(opened, "ben", "Ben")
    assert members.join(opened, "anna", "Anne").number == 1
    sessions.lock(opened, TEACHER, False)
    assert members.join(opened, "ben", "Ben").number == 2


def test_one_address_cannot_fill_a_class(opened: sessions.Session, runs_dir: Path):
    for number in range(inventory.KINDS["member"].near):
        members.join(opened, f"bot {number}", address="one network")
    with pytest.raises(NotNow, match="from your network"):
        members.join(opened, "one more", address="one network")
    assert members.join(opened, "bot 0", "Anna", address="one network").number == 1
    members.join(opened, "cleo", address="another network")
    members.leave(opened, "bot 1")
    members.join(opened, "one more", address="one network")
    sessions.end(opened, TEACHER)
    assert found_in(runs_dir, b"one network") == []


def test_open_class_of_four_letters_stays_open(opened: sessions.Session):
    CLASSES.change("UPDATE class SET code = 'BCDF'")
    assert sessions.find("bc-df").code == "BCDF"


def test_class_with_numbers_keeps_no_name(runs_dir: Path):
    numbered = sessions.open_class(TEACHER, "two_volunteers", numbered=True)
    assert members.join(sessions.find(numbered.code), "anna", "Anna").name == "no. 1"


@pytest.mark.parametrize(
    "alike", ["\u0430dmin", "ADMIN", "adm1n", "a d m i n", "adm\u00edn", "adm\u0131n", "\uff41dmin"]
)
def test_name_that_looks_like_another_is_refused(opened: sessions.Session, alike: str):
    members.join(opened, "anna", "admin")
    with pytest.raises(InvalidInput, match="already"):
        members.join(opened, "ben", alike)


def test_number_stays_free_for_who_gives_no_name(opened: sessions.Session):
    for name in ("No. 2", "n\u043e. 2"):
        with pytest.raises(InvalidInput, match="give none"):
            members.join(opened, "anna", name)
    assert [members.join(opened, who).name for who in ("anna", "ben")] == ["no. 1", "no. 2"]


def test_ended_class_takes_no_rule(opened: sessions.Session, runs_dir: Path):
    sessions.end(opened, TEACHER)
    sessions.lock(opened, TEACHER, True)
    assert not CLASSES.rows("SELECT * FROM rule")


def test_letter_with_many_marks_is_refused(opened: sessions.Session):
    assert members.join(opened, "anna", "Việt").name == "Việt"
    with pytest.raises(InvalidInput, match="accents"):
        members.join(opened, "ben", "Z" + "\u0301" * 15)


def test_class_file_of_an_earlier_version_opens(opened: sessions.Session):
    with CLASSES.writing() as db:
        db.execute("DROP TABLE rule")
        db.execute("DROP TABLE removed")
    assert sessions.find(opened.code) == opened
    assert members.join(opened, "anna", "Anna").number == 1


@pytest.mark.parametrize("phase", PHASES)
def test_guesses_are_read_once_they_are_shown(opened: sessions.Session, phase: sessions.Phase):
    members.join(opened, "anna", "Anna")
    members.guess(opened, "anna", 60)
    if phase != "ask":
        sessions.move(opened, TEACHER, phase)
    shown = members.guesses(sessions.find(opened.code))
    assert shown == ([members.Guess("Anna", 60)] if phase in ("shown", "free") else [])
    assert members.members(opened) == [members.Member(1, "Anna", guessed=True)]


def test_hundred_guesses_at_once_count_once_each(opened: sessions.Session):
    def one(number: int) -> None:
        members.join(opened, f"student {number}")
        members.guess(opened, f"student {number}", number)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(one, range(100)))
    sessions.move(opened, TEACHER, "shown")
    found = members.guesses(sessions.find(opened.code))
    assert sorted(one.value for one in found) == list(range(100))
    assert len({one.name for one in found}) == 100


@pytest.mark.parametrize(
    ("typed", "called"),
    [
        ("", "no. 2"),
        ("  Zoë \n\x1b[31m ", "Zoë [31m"),
        ("<script>", "<script>"),  # pages show names as they are typed
        ("anna", "called “anna” already"),
        ("x" * 21, "at most 20 letters; this one has 21"),
    ],
)
def test_a_name_of_ones_own_choice(opened: sessions.Session, typed: str, called: str):
    members.join(opened, "first", "Anna")
    if "already" in called or "at most" in called:
        with pytest.raises(InvalidInput, match=called):
            members.join(opened, "second", typed)
        assert members.member(opened, "second") is None
        return
    assert members.join(opened, "second", typed) == members.Member(2, called)
    assert members.join(opened, "first", "Anne").number == 1, "a new name is no new student"


def test_tries_are_taken_when_the_teacher_allows_them(opened: sessions.Session):
    members.join(opened, "anna", "Anna")

    def launched() -> str:
        raise AssertionError("nothing may be launched now")

    with pytest.raises(NotNow, match="the teacher opens that"):
        members.submit_try(opened, "anna", "mean", launched)
    sessions.move(opened, TEACHER, "free")
    free = sessions.find(opened.code)
    jobs = iter(f"{number:012x}" for number in range(100))
    for _ in range(members.MOST_TRIES):
        members.submit_try(free, "anna", "mean", lambda: next(jobs))
    with pytest.raises(NotNow, match="you have tried 20 times"):
        members.submit_try(free, "anna", "mean", launched)
    assert members.tries(free)[0] == members.Try("Anna", f"{0:012x}", "mean")
    assert members.tries(free, "ben") == []


@pytest.mark.parametrize("overnight", [False, True])
def test_student_data_are_gone_from_disk_after_the_class(
    opened: sessions.Session, runs_dir: Path, monkeypatch: pytest.MonkeyPatch, overnight: bool
):
    """A class that is left open ends by itself."""
    members.join(opened, "digest-of-anna", "Anna-Karenina")
    members.guess(opened, "digest-of-anna", 61)
    assert found_in(runs_dir, b"Anna-Karenina")
    if overnight:
        monkeypatch.setattr(time, "time", lambda: opened.opened + sessions.HOURS * 3600 + 1)
        with pytest.raises(UnknownClass):
            sessions.find(opened.code)
        inventory.sweep()
    else:
        sessions.end(opened, TEACHER)
    for left in (b"Anna-Karenina", b"digest-of-anna", opened.code.encode()):
        assert not found_in(runs_dir, left)
    with pytest.raises(UnknownClass):
        members.guess(opened, "digest-of-anna", 61)
    with pytest.raises(UnknownClass):
        members.join(opened, "late")


def test_class_trains_no_more_runs_than_its_lesson_asks_about():
    topic = topics.get("honest_epsilon")
    assert topic.plan and topic.draft.seeds <= topics.LESSON_SEEDS
    assert [one.label for one in topic.draft.variants] == [*topic.plan.which]


@pytest.mark.parametrize(("name", "attacked"), [("budget_of_what", False), ("other_secrets", True)])
def test_class_waits_for_an_attack_only_if_its_question_is_about_it(name: str, attacked: bool):
    topic = topics.get(name)
    assert topic.preset.draft.base.attack and bool(topic.draft.base.attack) == attacked
    assert [one.label for one in topic.draft.variants] == [*topic.ask.of]
