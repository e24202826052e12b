"""`{{ cents|dollars }}`: 30 is $0.30."""

from django import template

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    return f"${(cents or 0) / 100:,.2f}"
