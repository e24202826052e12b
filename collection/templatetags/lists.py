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
    if shown.acts and row.name:
        box = '<td class="choose"><input type="checkbox" name="pair" value="{0}" form="act" aria-label="Choose {0}"></td>'
        found.insert(0, format_html(box, row.name))
    elif shown.acts:
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
    """value: (name, address of its page, a few words)."""
    name, href, below = value
    link = format_html('<a data-pair href="{}">{}</a>', href, name) if href else name
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


def _link(shown: Shown, column: Column, value: tuple[str, str] | None) -> SafeString:
    if value is None:
        return mark_safe("<td></td>")
    return format_html('<td><a href="{}">{}</a></td>', value[1], value[0])


def _value(shown: Shown, column: Column, value: Any) -> SafeString:
    return format_html(
        "<td{}>{}</td>", mark_safe(' class="number"') if column.is_number else "", written(value, column.kind)
    )


KINDS: Mapping[str, Callable[[Shown, Column, Any], SafeString]] = {
    "name": _name,
    "passage": _passage,
    "label": _label,
    "votes": _votes,
    "link": _link,
}
