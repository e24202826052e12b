"""`{% row_cells list row %}`: the cells of a row of a long list (shared/lists.py), written without a template for each."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from collection.templatetags.labels import label_mark, vote_marks
from shared.lists import Row, Shown
from shared.numbers import written
from shared.tables import Column

register = template.Library()


@register.simple_tag
def row_cells(shown: Shown, row: Row) -> SafeString:
    """Returns the cells of the columns that are shown."""
    found = [
        KINDS.get(column.kind, _value)(shown, column, row.cells.get(column.key))
        for column in shown.view.shown
    ]
    if shown.ticks and row.name:
        box = '<td class="choose"><input type="checkbox" name="{}" value="{}" form="act" aria-label="Choose {} {}"></td>'
        found.insert(0, format_html(box, shown.ticks, row.name, shown.name, row.name))
    elif shown.ticks:
        found.insert(0, mark_safe("<td></td>"))
    return mark_safe("".join(found))


def marked(text: str, words: str) -> SafeString:
    """Returns the text as HTML, in which every place with the words is marked, in capitals or not."""
    if not words:
        return conditional_escape(text)
    parts = re.split(f"({re.escape(words)})", text, flags=re.IGNORECASE)
    return format_html_join(
        "",
        "{}",
        ((format_html("<mark>{}</mark>", part) if place % 2 else part,) for place, part in enumerate(parts)),
    )


def _name(shown: Shown, column: Column, value: tuple[str, str, str]) -> SafeString:
    """value: (name, address of its page, a few words). The page of a `name` opens beside the list."""
    name, href, below = value
    beside = mark_safe(" data-pair") if column.kind == "name" else ""
    link = format_html('<a{} href="{}">{}</a>', beside, href, name) if href else name
    return format_html('<th scope="row" class="name">{}<span class="below">{}</span></th>', link, below)


def _passage(shown: Shown, column: Column, value: str | Sequence[str] | None) -> SafeString:
    """value: a text, or the sentences of a premise."""
    if value is None:
        return mark_safe("<td></td>")
    if isinstance(value, str) or len(value) == 1:
        said = marked(value if isinstance(value, str) else value[0], shown.marked)
    else:
        items = format_html_join("", "<li>{}</li>", ((marked(each, shown.marked),) for each in value))
        said = format_html("<ol>{}</ol>", items)
    language = format_html(' lang="{}"', shown.language) if shown.language else ""
    cell = '<td class="passage"{} dir="{}"><div class="clamp">{}</div></td>'
    return format_html(cell, language, shown.direction, said)


def _label(shown: Shown, column: Column, value: Sequence[Any] | None) -> SafeString:
    """value: (label, words below it, and perhaps what stands under the pointer)."""
    if value is None:
        return mark_safe("<td></td>")
    label, below, *more = value
    return format_html(
        '<td class="mark"{}>{}<span class="below">{}</span></td>',
        format_html(' title="{}"', more[0] if more else below) if more or below else "",
        label_mark(label, shown.words.get(label or "", "")),
        below,
    )


def _votes(
    shown: Shown, column: Column, value: tuple[Mapping[str, int], Sequence[str], int, str]
) -> SafeString:
    """value: (votes, the labels in their order, answers that were left out, words below)."""
    votes, labels, left_out, below = value
    return format_html(
        '<td class="mark">{}<span class="below">{}</span></td>',
        vote_marks(votes, labels, shown.words, left_out),
        below,
    )


def _value(shown: Shown, column: Column, value: Any) -> SafeString:
    """value: as a table has it; or (text, address, and perhaps words for those who do not see the table)."""
    said = written(value, column.kind) if not isinstance(value, tuple) else value[0]
    if isinstance(value, tuple):
        more = format_html('<span class="visually-hidden"> {}</span>', value[2]) if value[2:] else ""
        said = format_html('<a href="{}">{}{}</a>', value[1], said, more)
    return format_html("<td{}>{}</td>", mark_safe(' class="number"') if column.is_number else "", said)


KINDS: Mapping[str, Callable[[Shown, Column, Any], SafeString]] = {
    "name": _name,
    "page": _name,
    "passage": _passage,
    "label": _label,
    "votes": _votes,
}
