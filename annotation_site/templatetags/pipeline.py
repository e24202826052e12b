"""`{% days_chart days column "Labels" corpus.name %}` draws the last days as columns, with their numbers as a table."""

from datetime import date
from typing import Any

from django import template

register = template.Library()

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
