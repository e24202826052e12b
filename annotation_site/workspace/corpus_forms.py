"""Forms over a corpus file: sections of fields that are made from its schema, and what a posted form says in the file.

A field is named after its place, such as `prompts.0.pay_cents`. Titles, limits, choices and help are those of the schema.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from collection.corpora.corpus_file import Fault
from collection.corpus_schema import CorpusFile
from nli.labels import SCHEMES
from schemas.base import Place, choices_of, default_of, field_at, is_list, limits_of, part_in
from shared.findings import in_place

Content = dict[str, Any]
LONG = {
    "description",
    "payment",
    "text",
    "instructions",
    "care",
    "differs",
    "answer",
    "language_models",
    "more",
}
MIDDLE = {"premise", "hypothesis", "comment", "explanation", "wording", "help", "question"}
NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
MOST_ROWS = 500  # of a list; a longer one is changed in the file
_PAY = ("pay_cents", "seconds", "reading_pay_cents")
_RULES = (
    "seats",
    "threshold",
    "gold_rule",
    "most_labels",
    "batch_size",
    "correct_minutes",
    "calibration_percent",
)


@dataclass(frozen=True)
class Part:
    """A table of the file that a section shows. `*` in its place stands for each table of a list.

    `keys`: those that are shown, None: all. `lists`: lists of tables in it. `may_go`: the table can be added and taken out.
    """

    place: str
    keys: tuple[str, ...] | None = None
    lists: tuple[str, ...] = ()
    may_go: bool = False


@dataclass(frozen=True)
class Section:
    slug: str
    title: str
    about: str
    parts: tuple[Part, ...]


def _question(place: str, *, may_go: bool = False) -> Part:
    own = ("slug", "hides_premise", "by_sentence") if may_go else ()
    lists = ("labels", "examples", "check", "faq")
    return Part(place, (*own, "wording", "instructions", "scheme", *_RULES), lists, may_go)


SECTIONS = (
    Section(
        "about",
        "What it is",
        "The name, the labels, the language, and how a release is divided.",
        (
            Part(
                "corpus",
                (
                    *(
                        "slug",
                        "name",
                        "description",
                        "scheme",
                        "protocol",
                        "language",
                        "licence",
                        "made_for_demo",
                    ),
                    *(
                        "min_hypothesis_chars",
                        "max_hypothesis_chars",
                        "dev_pairs_per_genre",
                        "test_pairs_per_genre",
                        "withheld",
                    ),
                ),
            ),
            Part("advice"),
        ),
    ),
    Section(
        "genres", "Genres", "The kinds of text, and the prompt of each.", (Part("genres.*", may_go=True),)
    ),
    Section(
        "prompts",
        "Prompts",
        "What writers read: instructions, fields, worked examples, a check. A change makes a new version once people"
        " have worked under the old one.",
        (
            Part(
                "prompts.*",
                ("slug", "name", "status", "instructions", "care", "differs"),
                ("fields", "examples", "check", "faq"),
                may_go=True,
            ),
        ),
    ),
    Section(
        "questions",
        "Questions",
        "What annotators are asked about each pair, in which words, and how many of them.",
        (_question("question"), _question("questions.*", may_go=True)),
    ),
    Section(
        "pay",
        "Pay and time",
        "What a piece of work pays, and how long it takes. Pay that was earned stays.",
        (
            Part("corpus", ("hourly_floor_cents", "platform_fee_percent", "payment")),
            Part("prompts.*", (*_PAY, "skip_pay_cents", "paid_skips_per_day")),
            Part("question", (*_PAY, "control_bonus_cents")),
            Part("questions.*", (*_PAY, "control_bonus_cents")),
        ),
    ),
    Section(
        "consent",
        "Consent",
        "What everybody reads and agrees to before they begin. A new text is agreed to anew.",
        (Part("corpus", ("language_models",)), Part("consent", lists=("facts",), may_go=True)),
    ),
    Section(
        "people",
        "Who may come",
        "Who writes, who labels, and how much of it.",
        (
            Part(
                "corpus",
                (
                    *("writing", "sign_up", "max_tasks_per_day", "max_genre_share", "writers_per_premise"),
                    "pause_after_reports",
                ),
            ),
            Part("exam", lists=("items",), may_go=True),
            Part("question", ("pool_is_open", "pool_needs_exam", "qualification")),
            Part("questions.*", ("pool_is_open", "pool_needs_exam", "qualification")),
        ),
    ),
)


@dataclass
class Placed:
    """What a form shows of a place in the file. `faults`: what is wrong there."""

    place: Place
    title: str

    @property
    def name(self) -> str:
        return name_of(self.place)

    @property
    def id(self) -> str:
        return self.name.replace(".", "-")


@dataclass
class Field(Placed):
    """A field of a form. `kind`: line, text, number, yes, or choice."""

    help: str
    kind: str
    value: Any
    choices: tuple[tuple[str, str], ...] = ()
    limits: str = ""
    rows: int = 1
    needed: bool = False
    faults: tuple[str, ...] = ()


@dataclass
class Group(Placed):
    """A table as a set of fields with the lists of tables in it. `is_there`: the file has it."""

    fields: list[Field] = field(default_factory=list)
    lists: list["Rows"] = field(default_factory=list)
    may_go: bool = False
    is_there: bool = True
    faults: tuple[str, ...] = ()

    @property
    def has_faults(self) -> bool:
        """Returns whether something in it is to be corrected."""
        inner = (part.faults or any(group.has_faults for group in part.groups) for part in self.lists)
        return bool(self.faults) or any(each.faults for each in self.fields) or any(inner)

    @property
    def is_new(self) -> bool:
        """Returns whether nothing has been written into its texts."""
        return not any(each.value for each in self.fields if each.kind in ("line", "text"))

    @property
    def is_prompt(self) -> bool:
        return self.place[0] == "prompts" and len(self.place) == 2 and bool(self.lists)

    @property
    def is_question(self) -> bool:
        is_one = self.place == ("question",) or (self.place[0] == "questions" and len(self.place) == 2)
        return is_one and bool(self.lists)


@dataclass
class Rows(Placed):
    """A list of tables, to which one can be added."""

    groups: list[Group] = field(default_factory=list)
    faults: tuple[str, ...] = ()


def name_of(place: Place) -> str:
    return ".".join(map(str, place))


def section_named(slug: str) -> Section | None:
    return next((section for section in SECTIONS if section.slug == slug), None)


def section_of(place: Place) -> Section | None:
    """Returns the section in which a place of the file can be changed."""
    for section in SECTIONS:
        for part in section.parts:
            steps = part.place.split(".")
            table = place[: len(steps)]
            if len(table) == len(steps) and all(
                step in ("*", here) for step, here in zip(steps, table, strict=True)
            ):
                rest = place[len(steps) :]
                if not rest or part.keys is None or rest[0] in part.keys or rest[0] in part.lists:
                    return section
    return None


def parts_of(section: Section, content: Content, faults: Sequence[Fault] = ()) -> list[Group | Rows]:
    """Returns the fields of a section, filled from the content of a file."""
    shown: list[Group | Rows] = []
    for part in section.parts:
        name, _, each = part.place.partition(".")
        if each:
            place: Place = (name,)
            rows = Rows(place, _title(place), faults=_of(faults, place))
            tables = _tables(content.get(name))
            rows.groups = [
                _group(part, (name, number), table, content, faults) for number, table in enumerate(tables)
            ]
            shown += [rows] if part.may_go else rows.groups
        else:
            table = content.get(name)
            shown.append(_group(part, (name,), table if isinstance(table, dict) else None, content, faults))
    return shown


def _group(
    part: Part, place: Place, table: Content | None, content: Content, faults: Sequence[Fault]
) -> Group:
    kind = _kind(place)
    group = Group(
        place, _title(place, table), may_go=part.may_go, is_there=table is not None or not part.may_go
    )
    group.faults = _of(faults, place)
    if not group.is_there:
        return group
    table = table or {}
    for key, info in kind.model_fields.items():
        here = (*place, key)
        if part_in(info.annotation) is not None:
            if key in part.lists:
                rows = Rows(here, info.title or _words(key), faults=_of(faults, here))
                for number, row in enumerate(_tables(table.get(key))):
                    rows.groups.append(_group(Part("", may_go=True), (*here, number), row, content, faults))
                group.lists.append(rows)
        elif part.keys is None or key in part.keys:
            group.fields.append(_field(here, info, table, content, faults))
    if part.keys:
        order = {key: number for number, key in enumerate(part.keys)}
        group.fields.sort(key=lambda each: order[str(each.place[-1])])
    return group


def _field(place: Place, info: FieldInfo, table: Content, content: Content, faults: Sequence[Fault]) -> Field:
    key = str(place[-1])
    default = "" if info.is_required() else info.default
    value = table.get(key, default)
    kind, choices = "line", _choices(place, info, content)
    if choices:
        kind = "choice"
        if value not in dict(choices):
            choices = (*choices, (str(value), str(value) or "choose"))
    elif info.annotation is bool:
        kind = "yes"
    elif info.annotation in (int, float):
        kind = "number"
    elif key in LONG | MIDDLE:
        kind = "text"
    return Field(
        place,
        info.title or _words(key),
        _help(info),
        kind,
        value.strip() if isinstance(value, str) else value,
        choices,
        limits_of(info) if kind == "number" else "",
        rows=8 if key in LONG and value else 3 if key in LONG else 2,
        needed=info.is_required(),
        faults=_of(faults, place),
    )


def _choices(place: Place, info: FieldInfo, content: Content) -> tuple[tuple[str, str], ...]:
    key = str(place[-1])
    if key == "label" and len(place) > 1:
        return tuple((label, label) for label in _labels(place, content))
    if key == "prompt":
        slugs = [str(each.get("slug", "")) for each in _tables(content.get("prompts"))]
        return (("", "none: nobody writes"), *((slug, slug) for slug in slugs if slug))
    return tuple((one, one or "not said") for one in choices_of(info))


def _labels(place: Place, content: Content) -> tuple[str, ...]:
    """Returns the labels of the scheme that holds at a place."""
    corpus = content.get("corpus")
    scheme = corpus.get("scheme", "nli3") if isinstance(corpus, dict) else "nli3"
    table: Any = content
    for step in place:
        if isinstance(table, list) and isinstance(step, int):
            table = table[step] if step < len(table) else None
        else:
            table = table.get(step) if isinstance(table, dict) else None
        if place[0] in ("question", "questions") and isinstance(table, dict) and table.get("scheme"):
            scheme = table["scheme"]
    return SCHEMES.get(str(scheme), SCHEMES["nli3"])


def posted(section: Section, content: Content, form: Mapping[str, str]) -> Content:
    """Returns the content of a file as a posted form of this section says it. What the form lacks stays."""
    changed = deepcopy(content)
    for each in fields_in(parts_of(section, content)):
        if each.kind != "yes" and each.name not in form:
            continue
        value = _value(each, form.get(each.name, ""))
        table = (
            None
            if value == each.value and type(value) is type(each.value)
            else _table_at(changed, each.place[:-1])
        )
        if table is None:
            continue
        if value == "" and not each.needed:
            table.pop(str(each.place[-1]), None)
        else:
            table[str(each.place[-1])] = value
    return changed


def fields_in(parts: Sequence[Group | Rows]) -> Iterator[Field]:
    for part in parts:
        if isinstance(part, Rows):
            yield from fields_in(part.groups)
        else:
            yield from part.fields
            yield from fields_in(part.lists)


def _value(shown: Field, text: str) -> Any:
    """Returns what a posted field means; a text in place of a number stays one, and is reported."""
    value = text.replace("\r\n", "\n").strip()
    if shown.kind == "yes":
        return text == "yes"
    if shown.kind == "number" and NUMBER.fullmatch(value):
        return float(value) if "." in value else int(value)
    return value


def added(content: Content, name: str) -> Content:
    """Returns the content with a new table at a place: of a list (`prompts`), or by itself (`consent`)."""
    changed, place = deepcopy(content), place_of(name)
    info, last = field_at(CorpusFile, place), place[-1]
    if info is None or part_in(info.annotation) is None or not isinstance(last, str):
        return changed
    table = _table_at(changed, place[:-1])
    if table is None:
        return changed
    new = _blank(place, changed)
    if is_list(info):
        rows = table.setdefault(last, [])
        if isinstance(rows, list) and len(rows) < MOST_ROWS:
            rows.append(new)
    else:
        table.setdefault(last, new)
    return changed


def removed(content: Content, name: str) -> Content:
    """Returns the content without the table at a place."""
    changed, place = deepcopy(content), place_of(name)
    last = place[-1]
    if place in (("consent",), ("exam",)):
        changed.pop(str(last), None)
    elif isinstance(last, int) and len(place) > 1 and field_at(CorpusFile, place[:-1]):
        table = _table_at(changed, place[:-2])
        rows = table.get(str(place[-2])) if table else None
        if table and isinstance(rows, list) and last < len(rows):
            del rows[last]
            if not rows:
                del table[str(place[-2])]
    return changed


def place_of(name: str) -> Place:
    return tuple(int(step) if step.isdecimal() and len(step) < 6 else step for step in name.split("."))


def _blank(place: Place, content: Content) -> Content:
    """Returns a new table with its needed keys empty, and for a prompt a field and an example of each label."""
    kind = part_in(_info(place).annotation)
    assert kind is not None
    new: Content = {key: "" for key, info in kind.model_fields.items() if info.is_required()}
    labels = _labels(place, content)
    if place == ("prompts",):
        new["fields"] = [{"label": label, "wording": ""} for label in labels]
        new["examples"] = [{"premise": "", "label": label, "hypothesis": ""} for label in labels]
    if place == ("questions",):
        new["labels"] = [{"label": label, "wording": ""} for label in labels]
    if place == ("exam",):
        new["items"] = [{"premise": "", "label": labels[0]}]
    return new


def _info(place: Place) -> FieldInfo:
    info = field_at(CorpusFile, place)
    assert info is not None
    return info


def _kind(place: Place) -> type[BaseModel]:
    """Returns the schema of the table at a place."""
    names = place[:-1] if isinstance(place[-1], int) else place
    kind = part_in(_info(names).annotation)
    assert kind is not None
    return kind


def _table_at(content: Content, place: Place) -> Content | None:
    """Returns the table at a place, made where it is missing; None where something else is there."""
    table: Any = content
    for step in place:
        if isinstance(step, int):
            table = table[step] if isinstance(table, list) and step < len(table) else None
        elif isinstance(table, dict):
            table = table.setdefault(step, {})
        else:
            return None
    return table if isinstance(table, dict) else None


def _tables(value: Any) -> list[Content]:
    return [each for each in value[:MOST_ROWS] if isinstance(each, dict)] if isinstance(value, list) else []


def _of(faults: Sequence[Fault], place: Place) -> tuple[str, ...]:
    return tuple(in_place(fault.what) for fault in faults if fault.place == place)


def _title(place: Place, table: Content | None = None) -> str:
    """Returns the heading of a table: by what people know it, else what it is."""
    *_, last = place
    names = [step for step in place if isinstance(step, str)]
    title = TITLES.get(names[-1]) or _words(names[-1])
    if not isinstance(last, int):
        return title
    known = next(
        (table[key] for key in KNOWN_BY if table and isinstance(table.get(key), str) and table[key]), ""
    )
    known = shorten(known, SHOWN, placeholder=" ...")
    one = ONE.get(names[-1], title)
    return f"{one}: {known}" if known else f"{one} {last + 1}"


TITLES = {
    "corpus": "The corpus",
    "advice": "Advice on sentences",
    "exam": "Exam before writing",
    "question": "The main question",
    "questions": "Questions beside the main one",
    "consent": "Consent form",
}
KNOWN_BY = ("name", "slug", "fact", "wording", "hypothesis", "question", "premise")
SHOWN = 70  # characters of what a table is known by
ONE = {
    "genres": "Genre",
    "prompts": "Prompt",
    "questions": "Question",
    "fields": "Field",
    "examples": "Example",
    "check": "Check question",
    "faq": "Question",
    "facts": "Fact",
    "items": "Item",
    "labels": "Answer",
}


def _words(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _help(info: FieldInfo) -> str:
    """Returns what the reference says of a key, without links into its page."""
    return re.sub(r"\[([^\]]+)\]\(#[^)]*\)", r"\1", info.description or "")


def hourly(content: Content) -> list[tuple[str, int, int]]:
    """Returns what each prompt and question pays an hour: (title, cents, seconds), as far as both are numbers."""
    found = []
    for key in ("prompts", "question", "questions"):
        value = content.get(key)
        tables = (
            [((key,), value)]
            if isinstance(value, dict)
            else [((key, n), t) for n, t in enumerate(_tables(value))]
        )
        for place, table in tables:
            kind = _kind(place)
            cents, seconds = (table.get(name, default_of(kind, name)) for name in ("pay_cents", "seconds"))
            if type(cents) is int and type(seconds) is int and seconds > 0:
                found.append((_title(place, table), cents * 3600 // seconds, seconds))
    return found
