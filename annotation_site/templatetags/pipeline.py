"""Draws the small pictures of home and of the overview's agreement, whose numbers stand beside them as text.

`{% days_chart days column "Labels" corpus.name %}`: the last days as columns, with their numbers as a table.
`{% agreement_dot corpus counts %}`: agreement as a dot with its interval, with marks of SNLI and MultiNLI.
"""

from datetime import date
from typing import Any

from django import template

from annotation_site.workspace.pipeline import Counts
from collection.models import Corpus
from validation.statistics.definitions import PUBLISHED

register = template.Library()

AXIS = 100
HEIGHT, STEP, WIDTH = 36, 14, 10  # of a column, in the picture's own units


@register.inclusion_tag("workspace/_days.html")
def days_chart(days: list[list[Any]], column: int, what: str, of: str) -> dict[str, Any]:
    """Return the columns of a small chart. `days`: rows of [ISO date, texts, labels]; `column` chooses the number."""
    most = max((day[column] for day in days), default=0)
    columns = []
    for place, day in enumerate(days):
        number = day[column]
        height = max(1, round(HEIGHT * number / most)) if number else 0
        columns.append(
            {
                "x": place * STEP,
                "y": HEIGHT - height,
                "height": height,
                "day": date.fromisoformat(day[0]),
                "number": number,
            }
        )
    return {
        "columns": columns,
        "what": what,
        "of": of,
        "most": most,
        "total": sum(day[column] for day in days),
        "width": len(days) * STEP,
        "height": HEIGHT,
        "bar": WIDTH,
    }


@register.inclusion_tag("workspace/_agreement_dot.html")
def agreement_dot(corpus: Corpus, counts: Counts) -> dict[str, Any]:
    """Return the places of a dot on an axis of a hundred units: from 50% to 100%, or from 0% if the interval is below."""
    assert counts.agreement is not None
    low, high = counts.interval or (counts.agreement, counts.agreement)
    start = 0.5 if low >= 0.5 else 0.0

    def place(share: float) -> float:
        return round(AXIS * (share - start) / (1 - start), 1)

    published = zip(("SNLI", "MultiNLI"), PUBLISHED["individual_equals_gold"], strict=True)
    return {
        "corpus": corpus,
        "counts": counts,
        "start": start,
        "dot": place(counts.agreement),
        "low": place(low),
        "width": round(place(high) - place(low), 1),
        "marks": [(name, share, place(share)) for name, share in published if share is not None],
    }
