"""The table of annotators on its page: sorted by any column, without the columns that nobody has a value in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from shared.sorted_lists import Column, Head, SortedList, sorted_list
from validation.models import Question
from validation.statistics.annotator_quality import Annotator
from validation.statistics.annotator_table import COLUMNS, columns_of, share_names, shown_figure, spread_of

MODELS = {"dawid_skene": "Dawid-Skene", "mace": "MACE"}
USUAL = "-labels"
OF_TWO = [
    Column("annotators", "Annotators", lambda row: row["annotators"]),
    Column("shared_pairs", "Shared pairs", lambda row: row["pairs"], is_number=True),
    Column("kappa", "Kappa", lambda row: row["kappa"], is_number=True),
]
COUNTED = {"controls": "controls_right", "calibration": "calibration_right"}


@dataclass(frozen=True)
class AnnotatorList:
    """The table of annotators.

    heads: the columns after code and flags in which somebody has a value. rows: (annotator, a text for each head).
    spread: (quartile, a text for each head).
    """

    heads: list[Head]
    rows: list[tuple[Annotator, list[str]]]
    spread: list[tuple[str, list[str]]]


def annotator_list(
    request: HttpRequest,
    found: Sequence[Annotator],
    models: Mapping[str, Mapping[str, float]],
    question: Question,
) -> AnnotatorList:
    """Makes the table in the order of the address; the usual one is by labels."""
    names = {**COLUMNS, **share_names(question), **MODELS}
    values: dict[str, dict[str, Any]] = {
        each.code: {**columns_of(each, question.labels), **models.get(each.code, {})} for each in found
    }
    keys = [key for key in names if any(row.get(key) is not None for row in values.values())]

    def value_in(key: str) -> Callable[[Annotator], Any]:
        return lambda each: values[each.code].get(key)

    columns = [
        Column("code", "Code", lambda each: each.code),
        Column("flags", "Flags", lambda each: ", ".join(each.flags) or None),
        *(Column(key, names[key], value_in(key), is_number=True) for key in keys),
    ]
    table = sorted_list(request, found, columns, USUAL, "people")
    return AnnotatorList(
        heads=table.heads,
        rows=[(each, [_text(key, each, values[each.code].get(key)) for key in keys]) for each in table.rows],
        spread=[
            (quarter, [shown_figure(key, figures.get(key)) for key in keys])
            for quarter, figures in spread_of(found, question.labels)
        ],
    )


def pairwise_list(request: HttpRequest, found: Sequence[dict[str, Any]]) -> SortedList:
    """Makes the table of kappas, the most shared pairs first."""
    return sorted_list(request, found, OF_TWO, "-shared_pairs", "pairwise")


def _text(key: str, each: Annotator, value: float | None) -> str:
    if value is None:
        return ""
    if key in COUNTED:
        return f"{getattr(each, COUNTED[key])} of {getattr(each, key)}"
    return f"{value:.2f}" if key in MODELS else shown_figure(key, value)
