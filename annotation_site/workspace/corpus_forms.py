"""Forms over a corpus file: sections of fields that are made from its schema, and what a posted form says in the file.

A field is named after its place, such as `prompts.0.pay_cents`. Titles, limits, choices and help are those of the schema.
A section names the tables that it shows; all that is in them follows from the schema.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any

from django.conf import settings
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from accounts.templatetags.money import an_hour
from collection.corpora.corpus_file import Fault
from collection.corpus_schema import CorpusFile
from collection.joining.estimates import (
    Estimate,
    Task,
    count_words,
    with_reading,
    words_of_fields,
    words_to_read,
)
from nli.labels import SCHEMES
from schemas.base import Place, choices_of, default_of, field_at, is_list, limit_of, limits_of, part_in
from shared.findings import in_place

Content = dict[str, Any]
NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
MOST_ROWS = 500  # of a list; a longer one is changed in the file
LINE, SHORTEST, TALLEST = 70, 2, 10  # letters of a line, and lines of a field for longer texts
TRANSLATIONS = "translations"
TRANSLATES = {"comments": ("examples", "comment"), "explanations": ("check", "explanation")}
_PAY = ("pay_cents", "seconds", "reading_pay_cents")
_POOL = ("pool_is_open", "pool_needs_exam", "qualification", "exam")


@dataclass(frozen=True)
class Part:
    """A table of the file that a section shows. `*` in its place stands for each table of a list.

    `keys`: those that are shown; none: all that no other part of this place names, and the table can be added and taken out.
    """

    place: str
    keys: tuple[str, ...] = ()

    def shows(self, key: str) -> bool:
        if self.keys:
            return key in self.keys
        return not any(key in part.keys for part in _parts() if part.place == self.place)


@dataclass(frozen=True)
class Section:
    slug: str
    title: str
    about: str
    parts: tuple[Part, ...]


SECTIONS = (
    Section(
        "about",
        "What it is",
        "The name, the labels, the language, and how a release is divided.",
        (Part("corpus"), Part("advice")),
    ),
    Section(
        "prompts",
        "Prompts",
        "What writers read: instructions, fields, worked examples, a check. A change makes a new version once people"
        " have worked under the old one.",
        (Part("prompts.*"),),
    ),
    Section("genres", "Genres", "The kinds of text, and the prompt of each.", (Part("genres.*"),)),
    Section(
        "questions",
        "Questions",
        "What annotators are asked about each pair, in which words, and how many of them; items whose label is known.",
        (Part("question"), Part("questions.*")),
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
        (Part("corpus", ("language_models",)), Part("consent")),
    ),
    Section(
        "people",
        "Who may come",
        "Who writes, who labels, how much of it, the exams that stand before, and the levels of writers.",
        (
            Part(
                "corpus",
                (
                    *("writing", "sign_up", "max_tasks_per_day", "max_genre_share", "writers_per_premise"),
                    "pause_after_reports",
                ),
            ),
            Part("exam"),
            Part("levels.*"),
            Part("question", _POOL),
            Part("questions.*", _POOL),
        ),
    ),
    Section(
        "languages",
        "Other languages",
        "What people who write and label read in place of the texts of the file, if they read the pages in another"
        " language. What is left empty stays in the language of the corpus.",
        (Part(f"{TRANSLATIONS}.*"),),
    ),
)


def _parts() -> Iterator[Part]:
    return (part for section in SECTIONS for part in section.parts)


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
    """A field of a form. `kind`: line, text, number, yes, or choice. `original`: the text that it translates."""

    help: str
    kind: str
    value: Any
    choices: tuple[tuple[str, str], ...] = ()
    limits: str = ""
    needed: bool = False
    faults: tuple[str, ...] = ()
    original: str = ""

    @property
    def rows(self) -> int:
        """Returns how many lines of a longer text are in sight."""
        text = str(self.value) or self.original
        return min(TALLEST, max(SHORTEST, text.count("\n") + len(text) // LINE + 1))


@dataclass
class Group(Placed):
    """A table as a set of fields, with the tables and lists of tables in it. `is_there`: the file has it.

    `previews`: what of it can be seen as people will see it, and the words of the button.
    """

    fields: list[Field] = field(default_factory=list)
    tables: list["Group | Rows"] = field(default_factory=list)
    may_go: bool = False
    is_there: bool = True
    faults: tuple[str, ...] = ()
    previews: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_prompt(self) -> bool:
        return self.place[:-1] == ("prompts",)

    @property
    def has_faults(self) -> bool:
        """Returns whether something in it is to be corrected."""
        return (
            bool(self.faults)
            or any(each.faults for each in self.fields)
            or any(each.has_faults for each in self.tables)
        )

    @property
    def is_new(self) -> bool:
        """Returns whether it has no short name yet, or nothing was written into its texts, which are not translations."""
        if any(each.place[-1] == "slug" and not each.value for each in self.fields):
            return True
        texts = [each for each in self.fields if each.kind in ("line", "text")]
        return bool(texts) and not any(each.value or each.original for each in texts)


# Kind of table -> what can be seen of it as people will see it: (what, words of the button).
_QUESTION_PREVIEWS = (("judge", "Preview of labelling"), ("read", "Preview of its instructions"))
_EXAM_PREVIEW, _ITEM_PREVIEW = (("exam", "Preview of the exam"),), (("item", "Preview of the item"),)
PREVIEWS: dict[str, tuple[tuple[str, str], ...]] = {
    "prompts.*": (("write", "Preview as writers see it"),),
    **dict.fromkeys(("question", "questions.*"), _QUESTION_PREVIEWS),
    **dict.fromkeys(("exam", "question.exam", "questions.*.exam"), _EXAM_PREVIEW),
    **dict.fromkeys(("question.calibration.*", "questions.*.calibration.*"), _ITEM_PREVIEW),
}


@dataclass
class Rows(Placed):
    """A list of tables, to which one can be added."""

    groups: list[Group] = field(default_factory=list)
    faults: tuple[str, ...] = ()

    @property
    def has_faults(self) -> bool:
        return bool(self.faults) or any(group.has_faults for group in self.groups)


def name_of(place: Place) -> str:
    return ".".join(map(str, place))


def section_named(slug: str) -> Section | None:
    return next((section for section in SECTIONS if section.slug == slug), None)


def section_of(place: Place) -> Section | None:
    """Returns the section in which a place of the file can be changed."""
    for section in SECTIONS:
        for part in section.parts:
            steps = part.place.split(".")
            table, key = place[: len(steps)], place[len(steps) : len(steps) + 1]
            is_its = all(step in ("*", here) for step, here in zip(steps, table, strict=False))
            if len(table) == len(steps) and is_its and (not key or part.shows(str(key[0]))):
                return section
    return None


def previews_at(place: Place) -> tuple[tuple[str, str], ...]:
    """Returns what of a table can be seen as people will see it: (what, words of the button)."""
    steps = place[2:] if place[0] == TRANSLATIONS else place
    return PREVIEWS.get(".".join("*" if isinstance(step, int) else step for step in steps), ())


def parts_of(section: Section, content: Content, faults: Sequence[Fault] = ()) -> list[Group | Rows]:
    """Returns the fields of a section, filled from the content of a file."""
    shown: list[Group | Rows] = []
    for part in section.parts:
        found = _shown((part.place.removesuffix(".*"),), content, content, faults, part)
        shown += found.groups if isinstance(found, Rows) and part.keys else [found]
    return shown


def _shown(
    place: Place, table: Content, content: Content, faults: Sequence[Fault], part: Part | None = None
) -> Group | Rows:
    """Returns a table, or list of tables, of the table around it. `part`: what is shown of it; None: all."""
    info, value = _info(place), table.get(str(place[-1]))
    if not is_list(info):
        return _group(place, value if isinstance(value, dict) else None, content, faults, part)
    rows = Rows(place, _title(place), faults=_of(faults, place))
    rows.groups = [
        _group((*place, number), row, content, faults, part) for number, row in enumerate(_tables(value))
    ]
    return rows


def _group(
    place: Place, table: Content | None, content: Content, faults: Sequence[Fault], part: Part | None
) -> Group:
    group = Group(place, _title(place, table), faults=_of(faults, place))
    is_whole = part is None or not part.keys
    group.may_go = is_whole and _may_go(place)
    group.is_there = table is not None or not group.may_go
    if not group.is_there:
        return group
    if is_whole:
        group.previews = [(f"{what}:{group.name}", words) for what, words in previews_at(place)]
    table = table or {}
    shown = [key for key in _kind(place).model_fields if part is None or part.shows(key)]
    for key in sorted(shown, key=part.keys.index if part and part.keys else lambda key: key != "slug"):
        here, info = (*place, key), _info((*place, key))
        if (
            part_in(info.annotation)
            and here[0] == TRANSLATIONS
            and not (table.get(key) or original(here, content))
        ):
            continue  # the file has nothing there to translate
        if part_in(info.annotation) is not None:
            group.tables.append(_shown(here, table, content, faults))
        elif is_list(info):
            group.fields += _texts(here, info, table, content, faults)
        else:
            group.fields.append(_field(here, info, table, content, faults))
    return group


def _may_go(place: Place) -> bool:
    """Returns whether the file may lack the table at a place, or have fewer of its list."""
    return isinstance(place[-1], int) or _info(place).default is None


def _field(place: Place, info: FieldInfo, table: Content, content: Content, faults: Sequence[Fault]) -> Field:
    default = "" if info.is_required() else info.default
    value = table.get(str(place[-1]), default)
    kind, choices = "line", _choices(place, info, content)
    if choices:
        kind = "choice"
        if value not in dict(choices):
            choices = (*choices, (str(value), str(value) or "choose"))
    elif info.annotation is bool:
        kind = "yes"
    elif info.annotation in (int, float):
        kind = "number"
    elif limit_of(info, "max_length") is None:
        kind = "text"
    return Field(
        place,
        info.title or _words(str(place[-1])),
        _help(info),
        kind,
        value.strip() if isinstance(value, str) else value,
        choices,
        limits_of(info) if kind == "number" else "",
        needed=info.is_required(),
        faults=_of(faults, place),
        original=_original_text(place, content),
    )


def _texts(
    place: Place, info: FieldInfo, table: Content, content: Content, faults: Sequence[Fault]
) -> list[Field]:
    """Returns a field for each text of a list, and for each one more that the file has to translate."""
    values = table.get(str(place[-1]))
    texts = [str(each) for each in values] if isinstance(values, list) else []
    texts += [""] * (len(_tables(original(place, content))) - len(texts))
    title = info.title or _words(str(place[-1]))
    return [
        Field(
            (*place, number),
            f"{title}, {number + 1}",
            "",
            "text",
            text.strip(),
            faults=() if number else _of(faults, place),
            original=_original_text((*place, number), content),
        )
        for number, text in enumerate(texts[:MOST_ROWS])
    ]


def original(place: Place, content: Content) -> Any:
    """Returns what the file says at the place that a place of a translation translates; None without one.

    Tables of lists are found again by slug or label, else by their number.
    """
    if place[0] != TRANSLATIONS:
        return None
    about = content.get("corpus")
    said: Any = _at(content, place[:2])
    of: Any = content | (about if isinstance(about, dict) else {})
    if said is None:
        return None
    for step in place[2:]:
        said = _at(said, (step,))
        if isinstance(step, str):
            of = _at(of, (TRANSLATES.get(step, (step,))[0],))
            continue
        by = next((key for key in ("slug", "label") if isinstance(said, dict) and key in said), "")
        rows = [row for row in _tables(of) if row.get(by) == said[by]] if by else _tables(of)[step:]
        of = rows[0] if rows else None
    return of


def said_at(place: Place, content: Content) -> Any:
    """Returns what the file says at a place, or at what the place of a translation translates; None where nothing is."""
    return original(place, content) if place[0] == TRANSLATIONS else _at(content, place)


def is_filled(place: Place, content: Content) -> bool:
    """Returns whether something other than an empty text stands at a place."""
    return not place or _at(content, place) != ""


def language_of(place: Place, content: Content) -> str | None:
    """Returns the language of a place in a translation; None elsewhere."""
    return str(_at(content, (*place[:2], "language"))) if place[0] == TRANSLATIONS else None


def question_around(place: Place) -> Place:
    """Returns the place of the question that a place is in; () where it is in none."""
    skipped = 2 if place[0] == TRANSLATIONS else 0
    kind = place[skipped] if len(place) > skipped else ""
    return place[: skipped + 1 + (kind == "questions")] if kind in ("question", "questions") else ()


def _original_text(place: Place, content: Content) -> str:
    found = original(place, content)
    if isinstance(found, dict) and isinstance(place[-1], int):
        found = found.get(TRANSLATES.get(str(place[-2]), ("", ""))[1])
    return found.strip() if isinstance(found, str) and place[-1] not in ("slug", "label", "language") else ""


def _choices(place: Place, info: FieldInfo, content: Content) -> tuple[tuple[str, str], ...]:
    key = str(place[-1])
    if place[0] == TRANSLATIONS and key in ("slug", "label"):
        return tuple((str(row[key]),) * 2 for row in _tables(original(place[:-2], content)) if row.get(key))
    if place[0] == TRANSLATIONS and key == "language":
        return tuple(settings.LANGUAGES)
    if key == "label" and len(place) > 1:
        return tuple((label, label) for label in _labels(place, content))
    if key == "prompt":
        slugs = [str(each.get("slug", "")) for each in _tables(content.get("prompts"))]
        return (("", "none: nobody writes"), *((slug, slug) for slug in slugs if slug))
    if key == "arm_of":
        prompts = _tables(content.get("prompts"))
        of = [str(each.get("slug", "")) for number, each in enumerate(prompts) if number != place[1]]
        arms = {str(each.get("slug", "")) for each in prompts if each.get("arm_of")}
        return (("", "none: it is no arm"), *((slug, slug) for slug in of if slug and slug not in arms))
    return tuple((one, one or "not said") for one in choices_of(info))


def _labels(place: Place, content: Content) -> tuple[str, ...]:
    """Returns the labels of the scheme that holds at a place."""
    question = question_around(place)
    around = [_at(content, ("corpus",)), _at(content, question) if question else None]
    named = [table["scheme"] for table in around if isinstance(table, dict) and table.get("scheme")]
    return SCHEMES.get(str(named[-1]) if named else "", SCHEMES["nli3"])


def posted(section: Section, content: Content, form: Mapping[str, str]) -> Content:
    """Returns the content of a file as a posted form of this section says it. What the form lacks stays."""
    changed = deepcopy(content)
    for each in fields_in(parts_of(section, content)):
        if each.kind != "yes" and each.name not in form:
            continue
        value, last = _value(each, form.get(each.name, "")), each.place[-1]
        if value == each.value and type(value) is type(each.value):
            continue
        if isinstance(last, int):
            _set_text(changed, each.place[:-1], last, value, len(_tables(original(each.place[:-1], content))))
        elif (table := _table_at(changed, each.place[:-1])) is None:
            continue
        elif value == "" and not (each.needed and each.kind != "number"):
            table.pop(last, None)
        else:
            table[last] = value
    return changed


def _set_text(content: Content, place: Place, number: int, text: str, least: int) -> None:
    """Sets a text of a list, which is as long as what it translates (`least`), and goes where nothing is in it."""
    table, key = _table_at(content, place[:-1]), str(place[-1])
    if table is None:
        return
    texts = list(table[key]) if isinstance(table.get(key), list) else []
    texts += [""] * (max(least, number + 1) - len(texts))
    texts[number] = text
    while len(texts) > least and not texts[-1]:
        texts.pop()
    table[key] = texts
    if not any(texts):
        del table[key]


def fields_in(parts: Sequence[Group | Rows]) -> Iterator[Field]:
    for part in parts:
        if isinstance(part, Rows):
            yield from fields_in(part.groups)
        else:
            yield from part.fields
            yield from fields_in(part.tables)


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


def prompt_named(slug: str, content: Content) -> str:
    """Returns the name of the place of the prompt with this slug; empty without one."""
    prompts = _tables(content.get("prompts"))
    return next((f"prompts.{n}" for n, each in enumerate(prompts) if slug and each.get("slug") == slug), "")


def with_arm(content: Content, name: str) -> Content:
    """Returns the content with an arm of the prompt at a place: a copy of it that wants a short name of its own."""
    changed, place = deepcopy(content), place_of(name)
    table = _at(changed, place)
    if place[:-1] != ("prompts",) or not isinstance(table, dict) or len(changed["prompts"]) >= MOST_ROWS:
        return changed
    of = table.get("arm_of") or table.get("slug", "")
    arms = [each for each in _tables(changed["prompts"]) if of in (each.get("slug"), each.get("arm_of"))]
    own = {"slug": "", "name": f"{table.get('name', '')}, arm {len(arms) + 1}", "arm_of": of}
    kept = {key: deepcopy(value) for key, value in table.items() if key not in (*own, *OF_FIRST_ARM)}
    changed["prompts"].append({**own, **kept})
    return changed


def removed(content: Content, name: str) -> Content:
    """Returns the content without the table at a place."""
    changed, place = deepcopy(content), place_of(name)
    last = place[-1]
    names = place[:-1] if isinstance(last, int) else place
    info = field_at(CorpusFile, names)
    table = _table_at(changed, names[:-1]) if info and part_in(info.annotation) and _may_go(place) else None
    if table is None:
        return changed
    rows = table.get(str(names[-1]))
    if isinstance(last, str):
        table.pop(last, None)
    elif isinstance(rows, list) and last < len(rows):
        del rows[last]
        if not rows:
            del table[str(names[-1])]
    return changed


def place_of(name: str) -> Place:
    return tuple(int(step) if step.isdecimal() and len(step) < 6 else step for step in name.split("."))


def _blank(place: Place, content: Content) -> Content:
    """Returns a new table with its needed texts empty, and rows for each label, or for each table to translate."""
    kind = part_in(_info(place).annotation)
    assert kind is not None
    if place[0] == TRANSLATIONS:
        return _to_translate(kind, _next_original(place, content))
    new = _needed(kind)
    labels = _labels(place, content)
    if place == ("prompts",):
        new["fields"] = [{"label": label, "wording": ""} for label in labels]
        new["examples"] = [{"premise": "", "label": label, "hypothesis": ""} for label in labels]
    if place == ("questions",):
        new["labels"] = [{"label": label, "wording": ""} for label in labels]
    if place[-1] == "exam":
        new["items"] = [{"premise": "", "label": labels[0]}]
    return new


def _needed(kind: type[BaseModel]) -> Content:
    return {
        key: "" for key, info in kind.model_fields.items() if info.is_required() and info.annotation is str
    }


def _next_original(place: Place, content: Content) -> Content:
    """Returns the first table of the file that a translation lacks at a place; empty without one."""
    if place == (TRANSLATIONS,):
        return content
    of, there = (
        original(place, content),
        [original((*place, n), content) for n in range(len(_tables(_at(content, place))))],
    )
    if isinstance(of, dict):
        return of
    return next((row for row in _tables(of) if row not in there), {})


def _to_translate(kind: type[BaseModel], of: Content) -> Content:
    """Returns a translation with a table for each table of the file that it can translate, without words."""
    new = _needed(kind) | {
        key: of[key] for key in ("slug", "label") if key in kind.model_fields and key in of
    }
    for key, info in kind.model_fields.items():
        part, value = part_in(info.annotation), of.get(key)
        if part is None:
            continue
        if is_list(info) and _tables(value):
            new[key] = [_to_translate(part, row) for row in _tables(value)]
        elif isinstance(value, dict):
            new[key] = _to_translate(part, value)
    return new


def _info(place: Place) -> FieldInfo:
    info = field_at(CorpusFile, place)
    assert info is not None
    return info


def _kind(place: Place) -> type[BaseModel]:
    """Returns the schema of the table at a place."""
    kind = part_in(_info(place[:-1] if isinstance(place[-1], int) else place).annotation)
    assert kind is not None
    return kind


def _at(value: Any, place: Place) -> Any:
    """Returns what is at a place; None where there is nothing."""
    for step in place:
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


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
    *names, last = place
    key = str(names[-1] if isinstance(last, int) else last)
    if not isinstance(last, int):
        return _info(place).title or _words(key)
    known = next(
        (table[key] for key in KNOWN_BY if table and isinstance(table.get(key), str) and table[key]), ""
    )
    known = shorten(known, SHOWN, placeholder=" ...")
    one = ONE.get(key) or _words(key.removesuffix("s"))
    return f"{one}: {known}" if known else f"{one} {last + 1}"


KNOWN_BY = (
    "language",
    "name",
    "slug",
    "fact",
    "wording",
    "hypothesis",
    "question",
    "premise",
    "label",
    "partition",
)
OF_FIRST_ARM = (
    "status",
    "share",
    "drawn_by",
    "drawn_by_genre",
)  # keys that a copy for another arm begins anew
TASKS = 10  # of the visit whose pay is told with reading
SHOWN = 70  # characters of what a table is known by
ONE = {
    "check": "Check question",
    "faq": "Question",
    "labels": "Answer",
    "calibration": "Item",
    TRANSLATIONS: "Language",
}


def _words(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _help(info: FieldInfo) -> str:
    """Returns what the reference says of a key, without links into its page."""
    return re.sub(r"\[([^\]]+)\]\(#[^)]*\)", r"\1", info.description or "")


def hourly(content: Content, file: CorpusFile | None = None) -> list[tuple[str, int, Estimate | None]]:
    """Returns what each prompt and question pays an hour: (title, cents, a visit with reading), as far as pay is numbers.

    `file`: what the content says, once it can be read; without it nobody knows how long its instructions are.
    """
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
                visit = None if file is None else _visit(file, *place)
                found.append((_title(place, table), an_hour(cents, seconds), visit))
    return found


def _visit(file: CorpusFile, key: Any, number: int | None = None) -> Estimate:
    """Returns the estimate of a first visit of TASKS tasks under a prompt or question of a file."""
    part: Any = getattr(file, str(key))
    part = part if number is None else part[number]
    answers = words_of_fields(part.fields) if key == "prompts" else [each.help for each in part.labels]
    size = 1 if key == "prompts" else part.batch_size
    words = words_to_read(part.instructions, answers, part.examples, part.check)
    consent, policy = file.consent, file.corpus.language_models
    welcome = (
        [fact for fact, _ in consent.facts_under(policy)] or [consent.text_under(policy)] if consent else []
    )
    task = Task("", size * part.seconds, size * part.pay_cents, part.reading_pay_cents, words=words)
    return with_reading(task, TASKS, count_words(welcome))
