"""The table of annotators on its page: sorted by any column, without the columns that nobody has a value in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from validation.models import Question
from validation.questions.addresses import address_in
from validation.questions.lookup import answer_words
from validation.statistics.annotator_quality import Annotator
from validation.statistics.annotator_table import COLUMNS, columns_of, shown_figure, spread_of

MODELS = {"dawid_skene": "Dawid-Skene", "mace": "MACE"}
CODE, FLAGS = "code", "flags"
USUAL = "-labels"
COUNTED = {"controls": "controls_right", "calibration": "calibration_right"}


@dataclass(frozen=True)
class Head:
    """The head of a column: its name, the address that sorts by it, and its order now (ascending, descending or "")."""

    name: str
    address: str
    order: str
    is_number: bool


@dataclass(frozen=True)
class AnnotatorList:
    """heads: of the columns that somebody has a value in. rows: (annotator, texts of the columns after code and flags).
    spread: (quartile, texts); the texts are in the order of the heads."""

    heads: list[Head]
    rows: list[tuple[Annotator, list[str]]]
    spread: list[tuple[str, list[str]]]


def annotator_list(
    found: Sequence[Annotator], models: Mapping[str, Mapping[str, float]], question: Question, sort: str
) -> AnnotatorList:
    """Makes the table. sort: the key of a column, after "-" for the largest first; anything else sorts by labels."""
    words = {f"share: {label}": word for label, word in answer_words(question).items()}
    names = {**COLUMNS, **words, **MODELS}
    values: dict[str, dict[str, Any]] = {
        each.code: {**columns_of(each, question.labels), **models.get(each.code, {})} for each in found
    }
    keys = [key for key in names if any(row.get(key) is not None for row in values.values())]
    by = sort if sort.removeprefix("-") in (CODE, FLAGS, *keys) else USUAL
    rows = _sorted(found, values, by)
    return AnnotatorList(
        heads=[
            Head(
                {CODE: "Code", FLAGS: "Flags", **names}[key],
                address_in("annotators", question, sort=_next(key, by)),
                "" if by.removeprefix("-") != key else "descending" if by.startswith("-") else "ascending",
                key not in (CODE, FLAGS),
            )
            for key in (CODE, FLAGS, *keys)
        ],
        rows=[(each, [_text(key, each, values[each.code].get(key)) for key in keys]) for each in rows],
        spread=[
            (quarter, [shown_figure(key, figures.get(key)) for key in keys])
            for quarter, figures in spread_of(found, question.labels)
        ],
    )


def _sorted(found: Sequence[Annotator], values: Mapping[str, Mapping[str, Any]], by: str) -> list[Annotator]:
    """Sorts people; those without a value are last either way."""
    key, largest_first = by.removeprefix("-"), by.startswith("-")

    def value(each: Annotator) -> Any:
        if key in (CODE, FLAGS):
            return each.code if key == CODE else ", ".join(each.flags) or None
        return values[each.code].get(key)

    known = sorted((each for each in found if value(each) is not None), key=value, reverse=largest_first)
    return [*known, *(each for each in found if value(each) is None)]


def _next(key: str, by: str) -> str:
    """Returns the order that a click on a head leads to: numbers begin with the largest, texts with A."""
    if by.removeprefix("-") == key:
        return key if by.startswith("-") else f"-{key}"
    return key if key in (CODE, FLAGS) else f"-{key}"


def _text(key: str, each: Annotator, value: float | None) -> str:
    if value is None:
        return ""
    if key in COUNTED:
        return f"{getattr(each, COUNTED[key])} of {getattr(each, key)}"
    return f"{value:.2f}" if key in MODELS else shown_figure(key, value)
