"""Papers read from folders with `paper.toml`, which runs nothing, and maybe `program.py` beside it.

In a claim's labels `{axis}` stands for each value of an axis, so that one line makes many arms; in a
statement, an axis that its words do not name is averaged over, or of `of` the best is taken. "null" stands
for null.
"""

import re
import runpy
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ldp_core.errors import InvalidInput, StudioError
from ldp_core.experiment import Experiment
from ldp_core.papers.arms import Arm, Load
from ldp_core.papers.base import Claim, Control, Paper, TomlTable, WrittenClaim, WrittenPaper
from ldp_core.papers.statements import AT, QUANTITIES, TOLERANCE, Statement
from ldp_core.plugins.candidates import Candidate, by_order, folders, outside, refuse_changeable

FILE, PROGRAM = "paper.toml", "program.py"
Axes = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Settings by value, by axis."""
Chosen = Mapping[str, str]


class StatementInFile(TomlTable):
    says: str
    of: str | tuple[str, ...] = ()
    over: tuple[str, str] | tuple[tuple[str, str], ...] = ()
    paper: float | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimInFile(WrittenClaim):
    base: dict[str, Any] = field(default_factory=dict)
    axes: dict[str, dict[str, Any]] = field(default_factory=dict)
    arms: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    statements: Annotated[tuple[StatementInFile, ...], Field(min_length=1)]
    figures: dict[str, float] = field(default_factory=dict)
    tolerance: float | None = None
    table: tuple[str, str, str] | None = None
    """Labels of the paper's rows and columns, and of the arm of both."""
    printed: tuple[tuple[float, ...], ...] = ()
    """The table's figures, row by row; NaN for none."""
    readings: tuple[str, ...] | None = None
    """Names of the paper's readings that it is measured in, by default all; none if they change no arm."""


@dataclass(frozen=True, kw_only=True)
class PaperInFile(WrittenPaper):
    tolerance: float = TOLERANCE
    axes: dict[str, dict[str, Any]] = field(default_factory=dict)
    claims: Annotated[tuple[ClaimInFile, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Beside:
    """A function of the program beside a paper, which is loaded when it is called."""

    folder: Path
    name: str

    def __call__(self, experiment: Experiment, load: Load) -> Any:
        file = self.folder / PROGRAM
        refuse_changeable(file)
        return runpy.run_path(str(file))[self.name](experiment, load)


class _Wrong(Exception):
    """What is wrong, in which claim by number, beside which word."""

    def __init__(self, what: str, claim: int | None = None, words: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.what, self.claim, self.words = what, claim, words


def found(refused: dict[str, str]) -> dict[str, Paper]:
    """Papers of the house in their order, then those from outside; `refused` receives why one is left out."""
    here = Path(__file__).parent
    house = by_order({file.parent.name: read(file.parent) for file in sorted(here.glob(f"*/{FILE}"))})
    package = __name__.rpartition(".")[0]
    more = outside(package, _admitted, refused, house, folders(package))
    return house | by_order(more)


def _admitted(one: Candidate) -> Paper:
    return read(one.load(), one.name, one.origin)


def read(folder: Path, name: str = "", origin: str = "") -> Paper:
    """Paper of a folder; of one from outside all arms' experiments are tried.

    Raises InvalidInput with file and line: the file is missing or malformed.
    """
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"{folder.name}/{FILE} cannot be read ({error})") from None
    try:
        made = _read(tomllib.loads(text), folder, name or folder.name, origin)
        for number, claim in enumerate(made.claims if origin else ()):
            for arm in (arm for each in claim.read_each.values() for arm in each.measured):
                try:
                    arm.experiment()
                except StudioError as error:
                    raise _Wrong(f"the arm “{arm.label}”: {error}", number, ["arms"]) from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{folder.name}/{FILE} is no TOML: {error}") from None
    except _Wrong as wrong:
        line = _line(text, wrong.claim, wrong.words)
        raise InvalidInput(f"{folder.name}/{FILE}, line {line}: {wrong.what}") from None
    return made


def _line(text: str, claim: int | None, words: Sequence[str]) -> int:
    """Line of the first of the words that stands in the claim, else of its heading."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.strip() == "[[claims]]"]
    ends = [*heads, len(lines)]
    start, end = (ends[claim], ends[claim + 1]) if claim is not None and claim < len(heads) else (0, ends[0])
    for word in words:
        for number in range(start, end):
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", lines[number]):
                return number + 1
    return start + 1


def _read(given: dict[str, Any], folder: Path, name: str, origin: str) -> Paper:
    claims = given.get("claims")
    if isinstance(claims, list):
        given = {**given, "claims": _inherited(claims)}
    try:
        written = TypeAdapter(PaperInFile).validate_python(given)
    except ValidationError as error:
        one = error.errors()[0]
        place = [*one["loc"]]
        words = [str(part) for part in reversed(place) if isinstance(part, str) and part != "claims"]
        number = place[1] if place[0] == "claims" and len(place) > 1 and isinstance(place[1], int) else None
        extra, lacks = "no field has that name", "it is missing"
        why = {"extra_forbidden": extra, "unexpected_keyword_argument": extra, "missing": lacks}
        said = (why | {"missing_argument": lacks}).get(one["type"], one["msg"])
        raise _Wrong(f"{'.'.join(map(str, place))}: {said}", number, words) from None
    made = tuple(_claim(written, number, folder) for number in range(len(written.claims)))
    main = next((one for one in made if one.id == written.main.claim), None)
    known = {one.label for one in main.measured} | {one.what for one in main.statements} if main else set()
    if main is None or {*written.main.shows, *written.main.statements} - known:
        raise _Wrong("main: it names a claim, statement or arm that there is not", None, ["main"])
    labels = {arm.label for one in made for arm in one.measured}
    if lost := [name for one in written.readings for name in one.arms if name not in labels]:
        raise _Wrong(f"readings: no arm is called “{lost[0]}”", None, [lost[0], "readings"])
    return Paper(name=name, folder=folder, origin=origin, claims=made, **_same(written, WrittenPaper))


def _same(written: Any, kind: type[Any]) -> dict[str, Any]:
    return {one.name: getattr(written, one.name) for one in fields(kind)}


def _inherited(claims: Sequence[Any]) -> list[Any]:
    """Claims with what they take over from others: `like` names one above; base and axes are joined."""
    known = dict[Any, dict[str, Any]]()
    every = []
    for number, one in enumerate(claims):
        if isinstance(one, dict) and (like := one.get("like")) is not None:
            if like not in known:
                raise _Wrong(f"like: no claim above is called {like}", number, ["like"])
            above = known[like]
            one = {**above, **{key: value for key, value in one.items() if key != "like"}}
            one |= {key: {**above.get(key, {}), **one.get(key, {})} for key in ("base", "axes")}
        if isinstance(one, dict):
            known[one.get("id")] = one
        every.append(one)
    return every


def _claim(paper: PaperInFile, number: int, folder: Path) -> Claim:
    own = paper.claims[number]
    axes = {name: _values(each) for name, each in {**paper.axes, **own.axes}.items()}
    base = {**paper.base, **own.base}
    if own.about not in QUANTITIES:
        raise _Wrong(f"about: must be one of {', '.join(QUANTITIES)}", number, ["about"])
    arms = dict[str, Arm]()
    for template, settings in own.arms.items():
        program = str(settings.get("program", ""))
        sets = {key: None if v == "null" else v for key, v in settings.items() if key != "program"}
        for chosen in _chosen([template], axes):
            changes = {
                key: v for axis, value in chosen.items() for key, v in axes[axis][value].items()
            } | sets
            label = _filled(template, chosen)
            arms[label] = Arm(label, base, changes, program, Beside(folder, program) if program else None)
    labels = list[list[str]]()
    for row, column, label in [own.table] if own.table else []:
        columns = _chosen([column], axes)
        labels += [[_filled(label, {**chosen, **c}) for c in columns] for chosen in _chosen([row], axes)]
    if own.printed and [*map(len, labels)] != [*map(len, own.printed)]:
        raise _Wrong("printed: its rows and columns are not the table's", number, ["printed"])
    figures = {n: v for row, each in zip(labels, own.printed) for n, v in zip(row, each) if v == v}  # noqa: B905
    figures |= own.figures
    readings = tuple(one for one in paper.readings if own.readings is None or one.name in own.readings)
    tolerance = paper.tolerance if own.tolerance is None else own.tolerance
    statements = tuple(
        one for each in own.statements for one in _statements(each, number, figures, axes, tolerance)
    )
    controls = tuple(
        Control(arm=_filled(one.arm, chosen), why=one.why, against=_filled(one.against, chosen))
        for one in own.controls
        for chosen in _chosen([one.arm, one.against], axes)
    )
    spoken = [name.partition(AT)[0] for one in statements for name in one.operands]
    spoken += [name for one in controls for name in (one.arm, one.against) if name]
    spoken += [label for row in labels for label in row]
    if unknown := [name for name in spoken if name not in arms]:
        raise _Wrong(f"no arm of {own.id} is called “{unknown[0]}”", number, [unknown[0], "statements"])
    if lost := [name for name in figures if name not in {*arms, *(one.what for one in statements)}]:
        raise _Wrong(f"figures: {own.id} has no arm nor statement “{lost[0]}”", number, ["figures"])
    return Claim(
        **_same(own, WrittenClaim) | {"controls": controls},
        statements=statements,
        measured=tuple(arms.values()),
        paper={name: value for name, value in figures.items() if name in arms},
        readings=readings,
    )


def _statements(
    one: StatementInFile, number: int, figures: Mapping[str, float], axes: Axes, tolerance: float
) -> Iterator[Statement]:
    several = [one.of] if isinstance(one.of, str) else [*one.of]
    pairs = [one.over] if one.over and isinstance(one.over[0], str) else [*one.over]
    for named in _chosen([one.says], axes):
        says = _filled(one.says, named)
        best = [_filled(name, {**named, **c}) for name in several for c in _chosen([name], axes, named)]
        over = [
            (_filled(first, {**named, **c}), _filled(second, {**named, **c}))
            for first, second in pairs
            for c in _chosen([first, second], axes, named)
        ]
        paper = figures.get(says, one.paper)
        if bool(best) == bool(over) or (best and paper is None):
            raise _Wrong(f"“{says}” needs `of` with a figure, or `over`", number, [f'says = "{one.says}"'])
        yield Statement(says, tuple(best), tuple(over), paper, tolerance)


def _values(axis: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Settings by value; `{"clients.count" = [5, 10]}` is short for a value each of one field."""
    if len(axis) == 1 and isinstance(values := next(iter(axis.values())), list):
        return {_spelled(value): {next(iter(axis)): value} for value in values}
    return axis


def _spelled(value: Any) -> str:
    return f"{value:g}".replace("-", "−") if isinstance(value, int | float) else f"{value}"


def _chosen(templates: Sequence[str], axes: Axes, but: Mapping[str, str] | None = None) -> list[Chosen]:
    """All choices of values of the axes that the templates name."""
    named = [
        axis for axis in axes if any(f"{{{axis}}}" in one for one in templates) and axis not in (but or ())
    ]
    return [dict(zip(named, each, strict=True)) for each in product(*(axes[axis] for axis in named))]


def _filled(template: str, chosen: Chosen) -> str:
    for axis, value in chosen.items():
        template = template.replace(f"{{{axis}}}", value)
    return template
